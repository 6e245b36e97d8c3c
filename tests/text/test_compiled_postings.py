"""The compiled sums are those of NumPy, document for document and bit for bit, and refuse what does not fit."""

import random

import numpy as np
import pytest
from helixlog.projections import compiled
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.skipif(compiled.postings is None, reason="nothing was compiled here")
POSTINGS = compiled.postings


def told(hits):
    order = np.argsort(hits.ordinals, kind="stable")
    columns = (hits.ordinals, hits.scores, hits.idf_share, hits.rare_identifier)
    return [column[order].tolist() for column in columns], hits.exhausted


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 600), st.sampled_from([1, 5, 40, 400]), st.data())
def test_the_same_documents_are_found_with_the_same_scores(kit, seed, size, limit, data):
    chance = random.Random(seed)
    words = ["src/auth.ts", "E_42", *(f"word{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(120))]
    texts = [
        None if chance.random() < 0.05 else " ".join(words[min(int(chance.paretovariate(0.6)), 121)] for _ in range(9))
        for _ in range(size)
    ]
    index = kit.index(texts[: size // 2])
    index._freeze()
    index.apply(kit.log(texts[size // 2 :], size // 2 + 1))
    asked = {
        "texts": data.draw(st.integers(1, size)),
        "limit": limit,
        "allowed": data.draw(st.sampled_from([None, np.array([chance.random() < 0.4 for _ in range(size)])])),
        "population": data.draw(st.sampled_from([None, np.array([chance.random() < 0.8 for _ in range(size)])])),
    }
    query = " ".join(chance.choice(words) for _ in range(data.draw(st.integers(1, 6))))
    found = told(index.search(query, **asked))
    ordinals = np.array([chance.randrange(size) for _ in range(20)])
    scores = index.scores(query, ordinals, texts=asked["texts"]).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "postings", None)
        assert told(index.search(query, **asked)) == found
        assert index.scores(query, ordinals, texts=asked["texts"]).tolist() == scores


@pytest.mark.parametrize("limit", [100, 2**62, 2**63 - 1])
def test_a_limit_beyond_all_documents_means_all(kit, limit):
    index = kit.index(["word and another"] * 100)
    assert len(index.search("word", texts=100, limit=limit).ordinals) == 100


def test_ordinals_that_nobody_has_score_nothing(kit):
    index = kit.index(["word and another"] * 5)
    assert index.scores("word", np.array([2**32 + 3, -1, 5]), texts=5).tolist() == [0.0, 0.0, 0.0]


def test_the_room_is_left_as_it_was():
    docs, room = np.array([1, 3], np.uint32), np.zeros(8)
    for parts in (((2.0, False, docs, None, np.ones(2)),), ()):
        assert POSTINGS.best(parts, 1, None, room, 8)
        assert not room.any()


def test_what_does_not_fit_is_refused_and_written_by_nobody():
    docs, kinds, weights, room = np.arange(4, dtype=np.uint32), np.zeros(4, np.uint16), np.ones(1), np.zeros(4)
    good = (1.0, False, docs, kinds, weights)
    assert POSTINGS.best((good,), 2, None, room, 4)
    for bad in ((1.0, False, docs, kinds[:3], weights), (1.0, False, docs, None, weights)):
        with pytest.raises(ValueError, match="do not fit"):
            POSTINGS.best((bad,), 2, None, room, 4)
        with pytest.raises(ValueError, match="do not fit"):
            POSTINGS.exact((bad,), np.arange(2))
    for arguments in (
        ((good,), 2, None, room, 5),
        ((good,), 2, None, room, 2**61),
        ((good,), 2, np.ones(3, np.bool_), room, 4),
        ((good,), 2, np.ones(0, np.bool_), room, 4),
    ):
        with pytest.raises(ValueError, match="fewer documents"):
            POSTINGS.best(*arguments)
    with pytest.raises(ValueError, match="limit"):
        POSTINGS.best((good,), 0, None, room, 4)
    with pytest.raises(TypeError):
        POSTINGS.best([good], 2, None, room, 4)
    for bad in ((1.0, False), [1.0], None):
        with pytest.raises(TypeError):
            POSTINGS.exact((bad,), np.arange(2))
    with pytest.raises(ValueError, match="do not lie"):
        POSTINGS.exact(((1.0, False, memoryview(bytes(17))[1:], None, np.ones(4)),), np.arange(2))
    wild = (1.0, False, np.array([2**32 - 1], np.uint32), np.array([9], np.uint16), weights)
    assert POSTINGS.best((wild,), 2, None, room, 4) == (b"", True)
    assert not room.any()
