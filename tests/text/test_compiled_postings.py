"""The compiled sums are those of NumPy, document for document and bit for bit, and refuse what does not fit."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from helixlog.projections import compiled
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.skipif(compiled.postings is None, reason="nothing was compiled here")
POSTINGS = compiled.postings
TERMS = compiled.terms


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
        patch.setattr(compiled, "terms", None)
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
    places = tuple((found, None, given, None) for found, given in zip(docs, weights, strict=True))
    query = (places, tuple((1.0 + k, k == 0, ((k, -1, 0, len(found)),)) for k, found in enumerate(docs)), 6.0)
    scores = np.zeros(9_000)
    for k, (found, own) in enumerate(zip(docs, weights, strict=True)):
        scores[found] += (1.0 + k) * own
    shown, ranks = chance.random(9_000) < 0.7, chance.integers(-3, 3, 9_000).astype(np.int32)
    for allowed, limit in ((None, 40), (shown, 40), (shown, 1), (None, 9_000)):
        seen = np.where(shown, scores, 0.0) if allowed is not None else scores
        least = max(np.sort(seen)[-limit], 5e-324)
        found, columns, alone = POSTINGS.best(query, limit, allowed, ranks, 9_000)
        best = sorted(np.flatnonzero(seen >= least).tolist(), key=lambda doc: (-seen[doc], -ranks[doc], -doc))
        assert np.frombuffer(found, np.int64).tolist() == best
        assert np.frombuffer(columns[0]).tolist() == seen[best].tolist()
        assert alone == (not ((seen > 0) & (seen < least)).any())
        assert POSTINGS.exact(query, np.frombuffer(found, np.int64)) == columns
        held = [sum(1.0 + k for k, own in enumerate(docs) if doc in own) / 6.0 for doc in best[:40]]
        assert np.frombuffer(columns[1]).tolist()[:40] == held
        assert np.frombuffer(columns[2], np.bool_).tolist() == np.isin(best, docs[0]).tolist()


def test_documents_may_be_asked_about_in_any_order_and_more_than_once():
    docs, chance = np.arange(0, 900, 3, dtype=np.uint32), np.random.default_rng(1)
    asked = chance.integers(-5, 905, 500)
    scores, _, _ = POSTINGS.exact((((docs, None, np.ones(300)),), ((2.0, False, ((0, -1, 10, 290),)),), 2.0), asked)
    known = (asked % 3 == 0) & (asked >= 30) & (asked < 870)
    assert np.frombuffer(scores).tolist() == (2.0 * known).tolist()


@pytest.mark.parametrize("width", [np.uint16, np.uint32])
def test_kinds_are_as_wide_as_they_are(width):
    query = one(kinds=np.array([0, 2, 1, 0], width), weights=np.array([1.0, 2.0, 4.0]))
    assert np.frombuffer(POSTINGS.exact(query, np.arange(4))[0]).tolist() == [1.0, 4.0, 2.0, 1.0]


def test_of_equal_scores_the_higher_rank_goes_first_however_many_there_are():
    size = 3_000
    query = one(docs=np.arange(size, dtype=np.uint32), kinds=np.zeros(size, np.uint16))
    ranks = np.random.default_rng(3).integers(0, 1_000, size).astype(np.int32)
    found, _, alone = POSTINGS.best(query, 10, None, ranks, size)
    assert np.frombuffer(found, np.int64).tolist() == sorted(range(size), key=lambda doc: (-ranks[doc], -doc))
    assert alone


DOCS, KINDS, WEIGHTS = np.arange(4, dtype=np.uint32), np.zeros(4, np.uint16), np.ones(1)


def one(docs=DOCS, kinds=KINDS, weights=WEIGHTS, span=None):
    """A query of one term in one place."""
    return ((docs, kinds, weights),), ((1.0, False, (span or (0, -1, 0, len(docs)),)),), 1.0


def test_what_does_not_fit_is_refused():
    assert POSTINGS.best(one(), 2, None, None, 4)
    astray = np.zeros(9, np.uint16)[1:].view(np.uint32)
    wrong = ({"kinds": KINDS[:3]}, {"kinds": None}, {"kinds": KINDS.astype(np.uint8)}, {"kinds": astray})
    for bad in (*wrong, {"docs": DOCS.astype(np.int64)}, {"docs": astray}, {"weights": np.ones(1, np.float32)}):
        with pytest.raises(ValueError, match="are needed"):
            POSTINGS.best(one(**bad), 2, None, None, 4)
        with pytest.raises(ValueError, match="are needed"):
            POSTINGS.exact(one(**bad), np.arange(2))
    for span in ((0, -1, 0, 5), (0, -1, -1, 2), (0, -1, 3, 2), (-1, -1, 0, 4), (1, -1, 0, 4)):
        with pytest.raises(ValueError, match="not there"):
            POSTINGS.exact(one(span=span), np.arange(2))
    for size, shown in ((4, 3), (4, 0), (2**61, 4)):
        with pytest.raises(ValueError, match="are needed"):
            POSTINGS.best(one(), 2, np.ones(shown, np.bool_), None, size)
        with pytest.raises(ValueError, match="are needed"):
            POSTINGS.best(one(), 2, None, np.ones(shown, np.int32), min(size, 5) + 1)
    with pytest.raises(ValueError, match="are needed"):
        POSTINGS.exact(one(), np.arange(2, dtype=np.int32))
    with pytest.raises(ValueError, match="contiguous"):
        POSTINGS.best(one(), 2, np.ones(8, np.bool_)[::2], None, 4)
    for limit, size in ((0, 4), (2, -1)):
        with pytest.raises(ValueError, match=f"a limit of {limit} among {size} documents"):
            POSTINGS.best(one(), limit, None, None, size)


def test_what_is_no_query_is_refused():
    places, terms, whole = one()
    for bad in ((places, terms), [*one()], (list(places), terms, whole), (places, list(terms), whole), None):
        with pytest.raises(TypeError):
            POSTINGS.best(bad, 2, None, None, 4)
    for bad in ((DOCS,), [DOCS, KINDS, WEIGHTS], None):
        with pytest.raises(TypeError):
            POSTINGS.exact(((bad,), terms, whole), np.arange(2))
    short = 1.0, False, ((0, -1, 0),)
    for bad in ((1.0, False), [1.0, False, ()], (1.0, False, []), None, short, (1.0, False, (None,))):
        with pytest.raises(TypeError):
            POSTINGS.exact((places, (bad,), whole), np.arange(2))


def test_numbers_that_are_not_what_they_should_be_are_read_past():
    wild = np.array([2**32 - 1, 3, 1], np.uint32), np.array([9, 0, 0], np.uint16)
    assert POSTINGS.best(one(*wild), 2, None, None, 4)[0] == b""
    assert POSTINGS.best(one(*wild), 2, None, None, 2**33)
    assert POSTINGS.best(one(*wild, span=(0, -1, 1, 3)), 2, None, None, 4)
    weights = np.array([np.nan, np.inf, -1.0, 1.0])
    assert POSTINGS.best(one(np.zeros(4, np.uint32), None, weights), 2, None, None, 4)
    assert POSTINGS.best(one(np.zeros(9_999, np.uint32), None, np.resize(weights[2:], 9_999)), 2, None, None, 4)


def test_documents_that_another_thread_changes_lead_nowhere_else():
    whole = np.arange(400_000, dtype=np.uint32)
    wild = np.where(whole % 2, whole[::-1], 2**32 - 1).astype(np.uint32)
    docs, done = whole.copy(), Event()

    def change():
        while not done.is_set():
            docs[:] = wild
            docs[:] = whole

    with ThreadPoolExecutor(1) as other:
        other.submit(change)
        try:
            for _ in range(300):
                POSTINGS.best(one(docs, None, np.ones(len(docs))), 5, np.ones(len(docs), np.bool_), None, len(docs))
        finally:
            done.set()
    assert len(POSTINGS.best(one(whole, None, np.ones(len(docs))), 5, None, None, len(docs))[0]) == 8 * len(docs)


def spelled(*words):
    ends = np.cumsum([len(word) for word in words], dtype=np.uint32)
    heads = np.array([int.from_bytes(word[:8].ljust(8, b"\0"), "big") for word in words], np.uint64)
    return heads, ends, np.frombuffer(b"".join(words), np.uint8)


WORDS = sorted([b"a", b"a\0", b"abcdefgh", b"abcdefgh\0", b"abcdefghi", b"abcdefghij", b"b", "\u00e9t\u00e9".encode()])


def segment(starts, docs, stop=10, heads_ends_letters=None):
    heads, ends, letters = heads_ends_letters or spelled(*WORDS)
    return stop, heads, ends, letters, starts, docs


def test_every_term_is_found_and_no_other():
    starts, docs = np.arange(0, 2 * len(WORDS) + 2, 2, dtype=np.uint32), np.tile(np.array([3, 9], np.uint32), 8)
    asked = (*WORDS, b"", b"abcdefghia", b"ab", b"c", b"\xff" * 9)
    found = TERMS.find((segment(starts, docs),), asked, 10)
    assert found == [(2, ((0, k, 2 * k, 2 * k + 2),)) for k in range(len(WORDS))] + [(0, ())] * 5
    assert TERMS.find((segment(starts, docs),), (b"b",), 9) == [(1, ((0, 6, 12, 13),))]
    assert TERMS.find((segment(starts, docs),), (b"b",), 3) == [(0, ())]


def test_terms_are_found_in_all_segments_at_once():
    starts, docs = np.arange(0, 2 * len(WORDS) + 2, 2, dtype=np.uint32), np.tile(np.array([3, 9], np.uint32), 8)
    other = segment(np.array([0, 3], np.uint32), np.array([10, 12, 14], np.uint32), 15, spelled(b"b"))
    assert TERMS.find((segment(starts, docs), other), (b"b", b"a"), 14) == [
        (4, ((0, 6, 12, 14), (1, 0, 0, 2))),
        (2, ((0, 0, 0, 2),)),
    ]
    assert TERMS.find((), (b"b",), 14) == [(0, ())]
    assert TERMS.find((other,), (), 14) == []


def test_terms_whose_columns_are_damaged_lead_nowhere_else():
    heads, ends, letters = spelled(*WORDS)
    starts, docs = np.arange(0, 18, 2, dtype=np.uint32), np.arange(16, dtype=np.uint32)
    with pytest.raises(ValueError, match="are needed"):
        TERMS.find(((16, heads, ends[:-1], letters, starts, docs),), (b"a",), 16)
    with pytest.raises(ValueError, match="are needed"):
        TERMS.find(((16, heads, ends, letters, starts[:-1], docs),), (b"a",), 16)
    with pytest.raises(TypeError, match="not bytes"):
        TERMS.find(((16, heads, ends, letters, starts, docs),), (b"a", "b"), 16)
    for bad in ((16, heads, ends), [16, heads, ends, letters, starts, docs], None):
        with pytest.raises(TypeError):
            TERMS.find((bad,), (b"a",), 16)
    TERMS.find(((16, heads, ends[::-1].copy(), letters[:3], starts, docs),), tuple(WORDS), 16)
    wild = ((16, heads, ends, letters, (starts[::-1] * 9).copy(), docs),)
    for texts in (7, 16):
        for size, spans in TERMS.find((*wild, *wild), tuple(WORDS), texts):
            assert size == sum(stop - start for _, _, start, stop in spans)
            assert all(0 <= start < stop <= len(docs) for _, _, start, stop in spans)
