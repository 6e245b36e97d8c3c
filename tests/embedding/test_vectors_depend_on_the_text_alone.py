import subprocess
import sys

import numpy as np
import pytest
from helixlog.embedding import load

TEXTS = [
    "The nightly backup runs at two.",
    "x",
    "",
    "日本語の文です",
    "word " * 260,
    "Maria has a peanut allergy.",
]
DIGEST = """
import hashlib, sys
from helixlog.embedding import load
print(hashlib.sha256(load(sys.argv[1]).embed_query("The nightly backup runs at two.").tobytes()).hexdigest())
"""


@pytest.fixture(scope="module", params=["static", "minilm"])
def embedder(request):
    return load(request.param)


def test_one_text_alone_has_the_bits_it_has_in_a_batch(embedder):
    for text, windows in zip(TEXTS, embedder.embed_documents(TEXTS), strict=True):
        assert np.array_equal(embedder.embed_documents([text])[0], windows)


def test_order_of_the_batch_changes_nothing(embedder):
    forward, backward = embedder.embed_documents(TEXTS), embedder.embed_documents(TEXTS[::-1])
    assert all(np.array_equal(one, other) for one, other in zip(forward, backward[::-1], strict=True))


def test_another_process_and_another_number_of_threads_make_the_same_bits(embedder):
    name = embedder.identity.name
    runs = {
        subprocess.run(
            [sys.executable, "-c", DIGEST, name],
            env={"OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(runs) == 1


def test_a_text_of_one_window_has_the_same_vector_as_a_query_and_as_a_document(embedder):
    assert np.array_equal(embedder.embed_query(TEXTS[0]), embedder.embed_documents([TEXTS[0]])[0][0])


def test_rows_have_unit_length_or_none(embedder):
    for windows in embedder.embed_documents(TEXTS):
        assert windows.dtype == np.float32
        assert windows.shape[1] == embedder.identity.dimensions
        lengths = np.linalg.norm(windows.astype(np.float64), axis=1)
        assert (np.isclose(lengths, 1.0, atol=1e-6) | (lengths == 0.0)).all()
