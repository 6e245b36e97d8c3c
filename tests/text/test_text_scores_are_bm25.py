"""Scores are the textbook formula to the last bit, and nothing that is best is ever left out."""

import random

import numpy as np
import pytest
from helixlog.errors import InvalidInput
from hypothesis import given, settings
from hypothesis import strategies as st

WORD = st.sampled_from(
    ["a.b", "alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "the", "not", "迁移", "v1.2", "Foo"]
)
TEXT = st.one_of(st.none(), st.lists(WORD, max_size=8).map(" ".join))
TEXTS = st.lists(TEXT, max_size=25)


def best_of(scores, limit, allowed=None):
    shown = {k: score for k, score in scores.items() if allowed is None or allowed[k]}
    last = sorted(shown.values(), reverse=True)[:limit][-1:] or [0.0]
    return {k: score for k, score in shown.items() if score >= last[0]}, shown


@given(TEXTS, st.lists(WORD, max_size=5).map(" ".join), st.integers(1, 6), st.data())
def test_search_gives_the_best_of_the_formula_with_all_ties(kit, texts, query, limit, data):
    masks = st.none() | st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)).map(np.array)
    allowed, population = data.draw(masks), data.draw(masks)
    if not texts:
        allowed = population = None
    want, shown = best_of(kit.plain_scores(texts, query, population), limit, allowed)
    found, exhausted = kit.hits(kit.index(texts), query, allowed=allowed, population=population, limit=limit)
    assert {k: hit[0] for k, hit in found.items()} == want
    assert exhausted == (len(shown) == len(want))


@pytest.fixture(scope="module")
def crowd(kit):
    """Enough documents for sums in one number a document and for leaving frequent terms out."""
    chance = random.Random(7)
    words = [f"w{'abcdefghij'[k % 10]}{k}" for k in range(3000)]
    texts = [" ".join(words[min(int(chance.paretovariate(0.7)), 2999)] for _ in range(20)) for _ in range(6000)]
    return texts, words, kit.index(texts), chance


@pytest.mark.parametrize("share", [None, 0.02, 0.5, 0.95])
def test_leaving_frequent_terms_out_loses_nothing(kit, crowd, share):
    texts, words, index, chance = crowd
    allowed = None if share is None else np.array([chance.random() < share for _ in texts])
    for _ in range(2):
        query = " ".join(words[k] for k in (1, 2, *(min(int(chance.paretovariate(0.4)), 2999) for _ in range(4))))
        want, shown = best_of(kit.plain_scores(texts, query), 20, allowed)
        found, exhausted = kit.hits(index, query, allowed=allowed, limit=20)
        assert {k: hit[0] for k, hit in found.items()} == want
        assert exhausted == (len(shown) == len(want))


def test_the_crowd_does_make_the_search_leave_terms_out(crowd, monkeypatch):
    texts, words, index, _ = crowd
    seen = []
    from helixlog.projections import compiled
    from helixlog.projections.text import matching

    monkeypatch.setattr(compiled, "postings", None)  # they add everything up
    real = matching.narrowed
    monkeypatch.setattr(matching, "narrowed", lambda *args: seen.append(len(args[2])) or real(*args))
    index.search(" ".join(words[k] for k in (1, 2, 400, 900)), texts=len(texts), limit=5)
    assert seen[0] > 0


def test_share_and_rare_identifier_say_what_matched(kit):
    index = kit.index(["error ECONNREFUSED again", "error again", "error", "nothing else"])
    found, exhausted = kit.hits(index, "error ECONNREFUSED zebra")
    assert exhausted
    assert [found[k][2] for k in (0, 1, 2)] == [True, False, False]
    assert 0 < found[2][1] < found[0][1] < 1
    assert kit.hits(index, "error")[0][2][1] == 1.0


def test_scores_and_explain_agree_with_search(kit):
    index = kit.index(["alpha beta", None, "beta beta gamma", "delta"])
    found, _ = kit.hits(index, "beta gamma")
    assert index.scores("beta gamma", np.arange(5), texts=4).tolist() == [found[0][0], 0.0, found[2][0], 0.0, 0.0]
    rows = index.explain("beta gamma", 2, texts=4)
    assert [(row["term"], row["tf"], row["df"], row["documents"], row["length"]) for row in rows] == [
        ("beta", 2, 2, 3, 3),
        ("gamma", 1, 1, 3, 3),
    ]
    assert rows[0]["contribution"] + rows[1]["contribution"] == found[2][0]
    assert index.explain("beta", 2, texts=2) == index.explain("beta", 9, texts=9) == []


@settings(max_examples=30)
@given(st.integers(1, 255), st.integers(0, 300), st.floats(0.5, 400))
def test_explain_recovers_the_frequency_from_the_weight(tf, extra, average):
    from helixlog.projections.text.bm25 import frequency, weight

    share = weight(np.array([tf]), np.array([tf + extra]), average)[0]
    assert frequency(float(share), tf + extra, average) == tf


def test_requests_that_make_no_sense_are_refused(kit):
    index = kit.index(["alpha", "beta"])
    short = np.ones(1, np.bool_)
    for options in ({"limit": 0}, {"limit": 1, "allowed": short}, {"limit": 1, "population": short}):
        with pytest.raises(InvalidInput):
            index.search("alpha", texts=2, **options)


def test_of_equal_scores_the_higher_rank_goes_first_and_without_ranks_the_later_text(kit):
    index = kit.index(["red fox", "red hen", "red red", "red cat"])
    asked = {"texts": 4, "limit": 4}
    assert index.search("red", **asked).ordinals.tolist() == [2, 3, 1, 0]
    ranks = np.array([7, 9, 0, 8], np.int32)
    assert index.search("red", ranks=ranks, **asked).ordinals.tolist() == [2, 1, 3, 0]
    with pytest.raises(InvalidInput, match="ranks"):
        index.search("red", ranks=ranks[:3], **asked)


def test_masks_and_ranks_need_not_lie_in_a_row(kit):
    index = kit.index(["red fox", "red hen", "red red", "red cat"])
    every = np.array([[7, 1], [9, 0], [0, 1], [8, 1]], np.int32)
    ranks, allowed = every[:, 0], every.astype(np.bool_)[:, 1]
    assert not allowed.flags.contiguous
    asked = {"texts": 4, "limit": 4}
    assert index.search("red", allowed=allowed, ranks=ranks, **asked).ordinals.tolist() == [2, 3, 0]
    counted = [index.search("red", population=mask, **asked).scores.tolist() for mask in (allowed, allowed.copy())]
    assert counted[0] == counted[1]
