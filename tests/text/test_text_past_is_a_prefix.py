"""The past as it was: an index asked at n answers as one that never saw more, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

WORD = st.sampled_from(["alpha", "beta", "gamma", "delta", "eps", "sys.path", "迁移", "the"])
TEXTS = st.lists(st.one_of(st.none(), st.just(...), st.lists(WORD, max_size=7).map(" ".join)), max_size=30)


@given(TEXTS, st.lists(WORD, max_size=4).map(" ".join), st.integers(1, 5), st.data())
def test_as_of_n_equals_an_index_of_the_first_n(kit, texts, query, limit, data):
    cut = data.draw(st.integers(0, len(texts)))
    whole, prefix = kit.index(texts), kit.index(texts[:cut])
    if data.draw(st.booleans()):
        whole._freeze()
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))), np.bool_)
    options = {"limit": limit, "texts": prefix.texts, "population": data.draw(st.sampled_from([None, mask]))}
    assert kit.hits(whole, query, **options) == kit.hits(prefix, query, **options)


def test_a_text_of_the_future_lends_no_document_frequency(kit):
    texts = ["alpha beta", "beta"]
    before = kit.hits(kit.index(texts), "alpha beta")
    later = kit.index(texts + ["alpha alpha alpha"] * 50)
    assert kit.hits(later, "alpha beta", texts=2) == before
    assert kit.hits(later, "alpha beta") != before


def test_what_is_added_between_questions_is_found(kit):
    index, texts = kit.index(["alpha beta"]), ["alpha beta", None, "beta gamma", "gamma alpha beta alpha"]
    for n in range(1, 5):
        index.apply(kit.log(texts[n - 1 : n], n))
        assert kit.hits(index, "alpha beta gamma") == kit.hits(kit.index(texts[:n]), "alpha beta gamma")
        assert index.scores("gamma", np.arange(n), texts=n).tolist() == [
            kit.plain_scores(texts[:n], "gamma").get(k, 0.0) for k in range(n)
        ]


def test_more_texts_than_there_are_means_all_and_fewer_than_none_means_none(kit):
    index = kit.index(["alpha"])
    assert kit.hits(index, "alpha", texts=99) == kit.hits(index, "alpha")
    assert kit.hits(index, "alpha", texts=0) == kit.hits(index, "alpha", texts=-1) == ({}, True)
