import itertools

import numpy as np
import pytest
from helixlog.embedding import Identity, load
from helixlog.embedding.calibrate import calibrate
from helixlog.embedding.pairs import OVERLAPPING, QUESTIONS, RELATED, REWORDED


class Narrow:
    """An embedder whose cosines all crowd into `[floor, 1]`, as those of E5 do; 1.0 makes all texts equal."""

    identity = Identity(name="narrow", weights="none", dimensions=257, pooling="sum", window=0, stride=0)

    def __init__(self, floor):
        self._inner = load("static")
        self._floor = floor

    def embed_query(self, text):
        shared = np.sqrt(self._floor)
        return np.append(self._inner.embed_query(text) * np.sqrt(1 - self._floor), shared).astype(np.float32)

    def embed_documents(self, texts):
        return [self.embed_query(text)[None] for text in texts]


def test_static_lands_near_the_thresholds_it_was_given_by_hand():
    thresholds = calibrate(load("static"))
    assert thresholds.duplicate == pytest.approx(0.92, abs=0.06)
    assert 0.3 < thresholds.min_relevance <= thresholds.causal < thresholds.related < 0.65


@pytest.mark.parametrize("floor", [0.0, 0.7, 0.99, 1.0])
def test_thresholds_keep_their_order_however_narrow_the_cosines(floor):
    thresholds = calibrate(Narrow(floor))
    assert 1.0 > thresholds.duplicate > thresholds.related > thresholds.causal >= thresholds.min_relevance


def test_thresholds_follow_the_embedder():
    assert calibrate(Narrow(0.7)).causal > calibrate(Narrow(0.0)).causal + 0.3


def test_the_pairs_are_many_and_no_sentence_is_used_twice():
    sentences = list(itertools.chain(*REWORDED, *RELATED, *OVERLAPPING, *QUESTIONS))
    assert len(sentences) == len(set(sentences))
    assert len(REWORDED + RELATED + OVERLAPPING + QUESTIONS) >= 80
