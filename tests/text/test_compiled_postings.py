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
    return [column.tolist() for column in hits[:4]], hits.exhausted


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
        "ranks": data.draw(st.sampled_from([None, np.array([chance.randrange(9) for _ in range(size)], np.int32)])),
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


@pytest.mark.parametrize("heavy", [1.0, 1e9, 1e-9, 1e-310])
def test_of_many_blocks_of_documents_the_best_are_found(heavy):
    chance = np.random.default_rng(7)
    docs = [np.sort(chance.choice(9_000, count, replace=False)).astype(np.uint32) for count in (7, 900, 6_000)]
    weights = [heavy * chance.choice([0.5, 1.0, 1.5, 1.5003], len(found)) for found in docs]
    parts = tuple((found, None, given) for found, given in zip(docs, weights, strict=True))
    spans = tuple((1.0 + k, k == 0, k, 0, len(found)) for k, found in enumerate(docs))
    scores = np.zeros(9_000)
    for k, (found, own) in enumerate(zip(docs, weights, strict=True)):
        scores[found] += (1.0 + k) * own
    shown, ranks = chance.random(9_000) < 0.7, chance.integers(-3, 3, 9_000).astype(np.int32)
    for allowed, limit in ((None, 40), (shown, 40), (shown, 1), (None, 9_000)):
        seen = np.where(shown, scores, 0.0) if allowed is not None else scores
        least = max(np.sort(seen)[-limit], 5e-324)
        found, columns, alone = POSTINGS.best(parts, spans, limit, allowed, ranks, 9_000)
        best = sorted(np.flatnonzero(seen >= least).tolist(), key=lambda doc: (-seen[doc], -ranks[doc], -doc))
        assert np.frombuffer(found, np.int64).tolist() == best
        assert np.frombuffer(columns[0]).tolist() == seen[best].tolist()
        assert alone == (not ((seen > 0) & (seen < least)).any())
        assert POSTINGS.exact(parts, spans, np.frombuffer(found, np.int64)) == columns


def test_documents_may_be_asked_about_in_any_order_and_more_than_once():
    docs, chance = np.arange(0, 900, 3, dtype=np.uint32), np.random.default_rng(1)
    asked = chance.integers(-5, 905, 500)
    scores, _, _ = POSTINGS.exact(((docs, None, np.ones(300)),), ((2.0, False, 0, 10, 290),), asked)
    known = (asked % 3 == 0) & (asked >= 30) & (asked < 870)
    assert np.frombuffer(scores).tolist() == (2.0 * known).tolist()


def test_what_does_not_fit_is_refused():
    docs, kinds, weights = np.arange(4, dtype=np.uint32), np.zeros(4, np.uint16), np.ones(1)
    part, span = (docs, kinds, weights), (1.0, False, 0, 0, 4)
    assert POSTINGS.best((part,), (span,), 2, None, None, 4)
    for bad in ((docs, kinds[:3], weights), (docs, None, weights)):
        with pytest.raises(ValueError, match="do not fit"):
            POSTINGS.best((bad,), (span,), 2, None, None, 4)
        with pytest.raises(ValueError, match="do not fit"):
            POSTINGS.exact((bad,), (span,), np.arange(2))
    for start, stop in ((0, 5), (-1, 2), (3, 2)):
        with pytest.raises(ValueError, match="not there"):
            POSTINGS.exact((part,), ((1.0, False, 0, start, stop),), np.arange(2))
    for place in (-1, 1):
        with pytest.raises(ValueError, match="not there"):
            POSTINGS.exact((part,), ((1.0, False, place, 0, 4),), np.arange(2))
    for size, shown in ((4, 3), (4, 0), (2**61, 4)):
        with pytest.raises(ValueError, match="fewer documents"):
            POSTINGS.best((part,), (span,), 2, np.ones(shown, np.bool_), None, size)
        with pytest.raises(ValueError, match="fewer documents"):
            POSTINGS.best((part,), (span,), 2, None, np.ones(shown, np.int32), min(size, 5) + 1)
    with pytest.raises(ValueError, match="limit"):
        POSTINGS.best((part,), (span,), 0, None, None, 4)
    with pytest.raises(TypeError):
        POSTINGS.best([part], (span,), 2, None, None, 4)
    for bad in ((docs,), [docs], None):
        with pytest.raises(TypeError):
            POSTINGS.exact((bad,), (span,), np.arange(2))
    for bad in ((1.0, False), [1.0], None):
        with pytest.raises(TypeError):
            POSTINGS.exact((part,), (bad,), np.arange(2))
    astray = np.zeros(9, np.uint16)[1:].view(np.uint32)
    with pytest.raises(ValueError, match="do not fit"):
        POSTINGS.exact(((docs, astray, weights),), (span,), np.arange(2))
    with pytest.raises(ValueError, match="do not lie"):
        POSTINGS.exact(((memoryview(bytes(17))[1:], None, np.ones(4)),), (span,), np.arange(2))


def test_numbers_that_are_not_what_they_should_be_are_read_past():
    wild = (np.array([2**32 - 1, 3, 1], np.uint32), np.array([9, 0, 0], np.uint16), np.ones(1))
    assert POSTINGS.best((wild,), ((1.0, False, 0, 0, 3),), 2, None, None, 4)[0] == b""
    assert POSTINGS.best((wild,), ((1.0, False, 0, 0, 3),), 2, None, None, 2**33)
    assert POSTINGS.best((wild,), ((1.0, False, 0, 1, 3),), 2, None, None, 4)


def spelled(*words):
    ends = np.cumsum([len(word) for word in words], dtype=np.uint32)
    heads = np.array([int.from_bytes(word[:8].ljust(8, b"\0"), "big") for word in words], np.uint64)
    return heads, ends, np.frombuffer(b"".join(words), np.uint8)


WORDS = sorted([b"a", b"a\0", b"abcdefgh", b"abcdefgh\0", b"abcdefghi", b"abcdefghij", b"b", "\u00e9t\u00e9".encode()])


def test_every_term_is_found_and_no_other():
    starts, docs = np.arange(0, 2 * len(WORDS) + 2, 2, dtype=np.uint32), np.tile(np.array([3, 9], np.uint32), 8)
    asked = (*WORDS, b"", b"abcdefghia", b"ab", b"c", b"\xff" * 9)
    found = POSTINGS.find(*spelled(*WORDS), starts, docs, asked, -1)
    assert found == [(k, 2 * k, 2 * k + 2) for k in range(len(WORDS))] + [(-1, 0, 0)] * 5
    assert POSTINGS.find(*spelled(*WORDS), starts, docs, (b"b",), 9) == [(6, 12, 13)]


def test_terms_whose_columns_are_damaged_lead_nowhere_else():
    heads, ends, letters = spelled(*WORDS)
    starts, docs = np.arange(0, 18, 2, dtype=np.uint32), np.arange(16, dtype=np.uint32)
    with pytest.raises(ValueError, match="different numbers"):
        POSTINGS.find(heads, ends[:-1], letters, starts, docs, (b"a",), -1)
    with pytest.raises(ValueError, match="different numbers"):
        POSTINGS.find(heads, ends, letters, starts[:-1], docs, (b"a",), -1)
    with pytest.raises(TypeError, match="not bytes"):
        POSTINGS.find(heads, ends, letters, starts, docs, (b"a", "b"), -1)
    POSTINGS.find(heads, ends[::-1].copy(), letters[:3], starts, docs, tuple(WORDS), -1)
    for number, start, stop in POSTINGS.find(heads, ends, letters, starts[::-1] * 9, docs, tuple(WORDS), -1):
        assert number >= 0
        assert 0 <= start <= stop <= len(docs)
