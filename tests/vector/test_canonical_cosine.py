"""A cosine has the same bits in any order, batch, thread and form."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helixlog.errors import InvalidInput
from helixlog.projections.vector.cosine import bar, canonical, margin, query_vector
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_logs import clustered, exact_cosine, unit

DIMS = st.sampled_from([1, 3, 8, 64, 256, 384, 1024])


def pair(seed: int, dims: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-4, 0, (2, dims))
    return unit(rng.standard_normal((2, dims)) * scale)


@given(st.integers(0, 2**32), DIMS)
@settings(max_examples=60, deadline=None)
def test_it_equals_rational_arithmetic(seed, dims):
    left, right = pair(seed, dims)
    assert canonical(left[None].astype(np.float32), right)[0] == exact_cosine(left, right)


@given(st.integers(0, 2**32), DIMS)
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_sum_does_not_matter(seed, dims):
    left, right = pair(seed, dims).astype(np.float64)
    order = np.random.default_rng(seed).permutation(dims)
    sums = {
        float(np.add.reduce(left * right)),
        float(np.cumsum((left * right)[order])[-1]),
        float(left[order] @ right[order]),
    }
    assert len(sums) == 1


@given(st.integers(0, 2**32), DIMS)
@settings(max_examples=100, deadline=None)
def test_the_float32_dot_is_within_the_margin(seed, dims):
    left, right = pair(seed, dims)
    wide = left.astype(np.float32), right.astype(np.float32)
    dots = [np.float32(wide[0] @ wide[1]), np.vecdot(*wide), np.cumsum(wide[0] * wide[1])[-1]]
    true = float(np.add.reduce(left.astype(np.float64) * right.astype(np.float64)))
    assert all(abs(float(dot) - true) <= margin(dims) for dot in dots)


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_batches_and_blas_give_the_same_bits(size):
    vectors = clustered(1000, 256, 3).astype(np.float32)
    query = vectors[17].astype(np.float16)
    whole = canonical(vectors, query)
    parts = np.concatenate([canonical(vectors[k : k + size], query) for k in range(0, 1000, size)])
    assert np.array_equal(whole, parts)
    blas = np.clip(vectors.astype(np.float64) @ query.astype(np.float64), -1, 1).astype(np.float32)
    assert np.array_equal(whole, blas)


def test_threads_give_the_same_bits():
    vectors = clustered(2000, 128, 4).astype(np.float32)
    queries = vectors[:8].astype(np.float16)
    alone = [canonical(vectors, query) for query in queries]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda query: canonical(vectors, query), queries))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_without_the_margin_float32_would_misplace_neighbours():
    """The safety removed: ranks by plain float32 dots differ from canonical ones."""
    vectors = clustered(4000, 384, 5, clusters=1)
    query = vectors[0]
    plain = vectors.astype(np.float32) @ query.astype(np.float32)
    exact = canonical(vectors.astype(np.float32), query)
    assert (np.argsort(-plain, kind="stable") != np.argsort(-exact, kind="stable")).any()


@pytest.mark.parametrize(("kth", "floor", "lowest"), [(0.5, 0.2, 0.499), (0.1, 0.2, 0.199), (1.5, 0.2, 0.999)])
def test_the_bar_is_a_little_below_what_counts(kth, floor, lowest):
    assert lowest < bar(kth, floor, margin(256)) < min(max(kth, floor), 1)


def test_nothing_is_below_the_lowest_bar():
    assert bar(-np.inf, -1.0, margin(256)) == -2


@pytest.mark.parametrize(
    "query",
    [
        np.ones(4, np.float16),
        np.array([np.nan, 0, 0, 1], np.float16),
        np.ones(4, np.float32) / 2,
        np.ones(5, np.float16),
    ],
)
def test_a_query_that_is_no_unit_vector_is_refused(query):
    with pytest.raises(InvalidInput):
        query_vector(query, 4)


def test_a_query_without_length_has_no_neighbours():
    assert query_vector(np.zeros(4, np.float16), 4) is None
