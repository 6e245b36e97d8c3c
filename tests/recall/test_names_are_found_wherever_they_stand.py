"""A query names every term that some of its words in a row are, whatever stands around them."""

from __future__ import annotations

from helixlog.projections.columns import Names
from helixlog.projections.ledger.normal import name_key
from helixlog.recall.candidates import _ENDS, LONGEST_NAME, names_in
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.sampled_from(
    ["foo", "Foo", "bar", "(foo", "foo,", '"', "b.c", ".net", "Net.", "foo\uff01", "x\u00a8y", "\u00c4b"]
)


def every_term(query: str) -> set[str]:
    """The definition: all runs of words, with and without what stands around them."""
    words = query.split()
    found = set()
    for start in range(len(words)):
        for stop in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1):
            plain, key = (" ".join(run) for run in (words[start:stop], map(name_key, words[start:stop])))
            for term, name in {plain: key, plain.strip(_ENDS): key.strip(_ENDS)}.items():
                found |= {f"e:{name}", f"c:{name}", f"t:{name}", f"t:{term}"}
    return found


@given(st.lists(WORDS, min_size=1, max_size=12), st.data())
def test_all_names_of_a_query_are_found_and_no_others(words, data):
    terms = Names()
    for _ in range(data.draw(st.integers(0, 8))):
        start = data.draw(st.integers(0, len(words) - 1))
        name = " ".join(words[start : start + data.draw(st.integers(1, 10))])
        name = data.draw(st.sampled_from([name, name.strip(_ENDS), f"{name} {name}"]))
        kind = data.draw(st.sampled_from("ect"))
        terms.code(f"{kind}:{name if data.draw(st.booleans()) else name_key(name)}")
        assert names_in(" ".join(words), terms) == terms.codes.keys() & every_term(" ".join(words))


def test_names_of_several_words_are_known_by_their_beginnings():
    names = Names(["t:a b c", "e:a", "t:d e"])
    assert names.beginnings == {"t:a", "t:a b", "t:d"}
    names.code("e:f g")
    assert "e:f" in names.beginnings
