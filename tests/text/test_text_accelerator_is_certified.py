"""tantivy may only choose candidates; what a certificate lets through is the exact answer, bit for bit."""

import random
import shutil

import numpy as np
import pytest
from helixlog.projections.text import accelerator
from helixlog.projections.text.analyzer import query_terms
from helixlog.projections.text.index import TextIndex

SIZE = 6_500


@pytest.fixture(scope="module")
def corpus():
    chance = random.Random(11)
    words = [f"w{'abcdefghij'[k % 10]}{'aeiou'[k % 5]}{k}" for k in range(2000)]
    texts = [
        " ".join(words[min(int(chance.paretovariate(0.6)), 1999)] for _ in range(chance.randint(3, 90)))
        for _ in range(SIZE)
    ]
    return texts, words, chance


@pytest.fixture(scope="module")
def root(kit, corpus, tmp_path_factory):
    """5,500 accelerated documents, 500 in a plain segment, 500 in the tail."""
    texts, *_ = corpus
    root = tmp_path_factory.mktemp("text")
    index = kit.index(texts[:5500], root)
    assert index.publish(bytes(32), accelerate=True)
    index.apply(kit.log(texts[:6000]))
    assert index.publish(bytes(32))
    return root


@pytest.fixture
def index(kit, corpus, root):
    index = TextIndex.open(root)
    index.apply(kit.log(corpus[0]))
    index.accelerated_from = accelerator.Threshold(0, 0)
    return index


def queries(corpus, count=25):
    _, words, chance = corpus
    for _ in range(count):
        yield " ".join(words[min(int(chance.paretovariate(0.4)), 1999)] for _ in range(chance.randint(1, 8)))


def answer(best):
    order = np.argsort(best.ordinals)
    return [column[order].tolist() for column in (best.ordinals, *best.exact)], best.exhausted


@pytest.mark.parametrize("texts", [SIZE, 5000, 1200])
@pytest.mark.parametrize("shares", [(None, None), (0.9, None), (0.5, 0.5), (0.02, 0.9)])
def test_a_certified_answer_is_the_exact_answer(index, corpus, texts, shares):
    chance = np.random.default_rng(3)
    allowed, population = (None if share is None else chance.random(SIZE) < share for share in shares)
    certified = 0
    for query in queries(corpus):
        matching = index._match(query_terms(query), texts, population)
        best = index._accelerated(matching, 10, allowed, index._take_room(texts))
        if best is not None:
            certified += 1
            assert answer(best) == answer(matching.best(10, allowed, index._take_room(texts)))
    assert certified >= (5 if texts == SIZE and allowed is None else 0)


def test_the_bound_holds_for_every_document_that_was_not_fetched(index, corpus):
    for query in queries(corpus, 40):
        matching = index._match(query_terms(query), 5500, None)
        index._accelerated(matching, 5, None, index._take_room(5500))
        found = index._accelerators[0].candidates(matching, 20)
        others = np.setdiff1d(np.arange(5500), found.ordinals)
        assert matching.exact(others).scores.max() <= found.bound or found.bound == 0.0
        if found.bound == 0.0:
            assert not matching.exact(others).scores.any()


def test_without_a_certificate_the_postings_answer(kit, index, corpus, monkeypatch):
    monkeypatch.setattr(accelerator, "FETCHED", 1)
    exact = [kit.hits(index, query, exact=True) for query in queries(corpus, 10)]
    corpus[2].seed(11)
    assert len(exact) == 10
    for query in queries(corpus, 10):
        assert kit.hits(index, query) == kit.hits(index, query, exact=True)


def test_a_bound_that_is_too_low_would_be_caught(index, corpus, monkeypatch):
    real = accelerator.Accelerator.candidates

    def careless(self, matching, fetch):
        return real(self, matching, fetch)._replace(bound=0.0)

    monkeypatch.setattr(accelerator.Accelerator, "candidates", careless)
    monkeypatch.setattr(accelerator, "FETCHED", 1)
    masks = np.random.default_rng(5).random(SIZE) < 0.5
    wrong = 0
    for query in queries(corpus, 20):
        matching = index._match(query_terms(query), SIZE, None)
        best = index._accelerated(matching, 10, masks, index._take_room(SIZE))
        wrong += answer(best) != answer(matching.best(10, masks, index._take_room(SIZE)))
    assert wrong > 0


def test_a_damaged_tantivy_folder_is_never_opened(root, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    victim = max((path for path in copy.rglob("tantivy/*") if path.is_file()), key=lambda path: path.stat().st_size)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    index = TextIndex.open(copy)
    assert index.seq == 0


def test_without_tantivy_the_postings_answer(kit, index, corpus, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tantivy", None)
    query = next(queries(corpus, 1))
    assert kit.hits(index, query) == kit.hits(index, query, exact=True)
    assert index._accelerators == {}


def test_merging_drops_the_old_index_with_its_segment(kit, corpus, root, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    index = TextIndex.open(copy)
    index.apply(kit.log([*corpus[0][:6000], *(["more words"] * 4000)]))
    index.publish(bytes(32))
    index.accelerated_from = accelerator.Threshold(0, 0)
    matching = index._match({"more": False}, index.texts, None)
    assert index._accelerated(matching, 5, None, index._take_room(index.texts)) is None
    assert kit.hits(index, "words")[0]
