import itertools

import numpy as np
import pytest
from helixlog.embedding import MINILM, load
from helixlog.embedding.providers.texts import fitting
from helixlog.embedding.windows import spans
from hypothesis import given, settings
from hypothesis import strategies as st

WORD = "cat"  # one token
ROOM = MINILM.identity.window - 2  # two special tokens
STRIDE = MINILM.identity.stride


@pytest.fixture(scope="module")
def minilm():
    return load("minilm")


@settings(deadline=None)
@given(st.integers(0, 5000), st.integers(1, 400), st.data())
def test_windows_cover_every_token_and_none_is_too_long(length, window, data):
    stride = data.draw(st.integers(1, window))
    parts = spans(length, window, stride)
    assert (parts[0][0], parts[-1][1]) == (0, length)
    assert all(after[0] <= before[1] for before, after in itertools.pairwise(parts))
    assert all(end - begin <= window for begin, end in parts)


@pytest.mark.parametrize(("words", "windows"), [(ROOM, 1), (ROOM + 1, 2), (ROOM + STRIDE, 2), (ROOM + STRIDE + 1, 3)])
def test_a_text_beyond_the_window_has_several(minilm, words, windows):
    assert len(minilm.embed_documents([" ".join([WORD] * words)])[0]) == windows


def test_the_end_of_a_long_text_is_found(minilm):
    windows = minilm.embed_documents(["lorem ipsum dolor " * 60 + "the password of the router is under the doormat"])[0]
    query = minilm.embed_query("where is the router password?")
    assert windows[-1] @ query > 0.4 > windows[0] @ query


def test_a_long_query_is_one_vector_of_all_its_windows(minilm):
    text = "coffee " * ROOM + "tea " * ROOM
    mean = minilm.embed_documents([text])[0].mean(axis=0)
    assert np.allclose(minilm.embed_query(text), mean / np.linalg.norm(mean), atol=1e-6)


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(1, 50))
def test_a_foreign_embedder_gets_pieces_that_fit_and_together_are_the_text(length, limit):
    text = "".join(map(chr, range(0x4E00, 0x4E00 + length)))
    pieces = fitting(text, lambda piece: len(piece) <= limit)
    assert all(len(piece) <= limit and piece in text for piece in pieces)
    assert set("".join(pieces)) == set(text)
