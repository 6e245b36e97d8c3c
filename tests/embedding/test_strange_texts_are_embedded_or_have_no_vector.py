import numpy as np
import pytest
from helixlog.embedding import load
from helixlog.embedding.protocol import half_rows
from helixlog.errors import EmbedderError

INVISIBLE = ["", " \t\n", "\x00\x07\x1b", "\ud800", "\u200b", "🦀", "x" * 100_000]
STRANGE = [
    "a\ud800b",
    "nul\x00byte",
    "\ufffd ok",
    "👩‍👩‍👧‍👦 family",
    "中文和English混合",
    "\u202eright to left",
    "é" * 500,
]


@pytest.fixture(scope="module", params=["static", "minilm"])
def embedder(request):
    return load(request.param)


@pytest.mark.parametrize("text", INVISIBLE)
def test_a_text_without_a_known_token_has_no_vector(embedder, text):
    windows = embedder.embed_documents([text])[0]
    assert not windows.any()
    assert half_rows(windows, embedder.identity).shape == (0, embedder.identity.dimensions)


@pytest.mark.parametrize("text", STRANGE)
def test_a_strange_text_has_finite_vectors(embedder, text):
    rows = half_rows(embedder.embed_documents([text])[0], embedder.identity)
    assert np.isfinite(rows).all()


def test_two_unknown_emoji_are_not_taken_for_the_same_fact(embedder):
    assert embedder.embed_query("🦀") @ embedder.embed_query("🦄") == 0.0


def test_a_hundred_thousand_characters_are_one_vector_for_static():
    rows = half_rows(load("static").embed_documents(["several words " * 7200])[0], load("static").identity)
    assert rows.shape == (1, 256)


@pytest.mark.long
def test_a_hundred_thousand_characters_are_many_windows_for_minilm():
    assert len(load("minilm").embed_documents(["several words " * 7200])[0]) > 50


def test_rows_are_kept_at_unit_length_and_rows_of_zeros_dropped(embedder):
    dimensions = embedder.identity.dimensions
    rows = half_rows(np.stack([np.full(dimensions, 3.0), np.zeros(dimensions)]).astype(np.float32), embedder.identity)
    assert rows.shape == (1, dimensions)
    assert np.linalg.norm(rows.astype(np.float64)) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_vector_that_is_not_finite_is_refused(embedder, bad):
    vectors = np.ones((1, embedder.identity.dimensions), np.float32)
    vectors[0, 5] = bad
    with pytest.raises(EmbedderError, match="NaN or infinity"):
        half_rows(vectors, embedder.identity)


def test_a_vector_of_another_shape_is_refused(embedder):
    with pytest.raises(EmbedderError, match="shape"):
        half_rows(np.ones((1, 7), np.float32), embedder.identity)
