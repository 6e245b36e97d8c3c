"""The list of exact names finds long names, names with colons, and names in quotes, brackets or before a comma."""

from __future__ import annotations

import pytest
from helixlog.eventlog.events import Term

AGENCY = "United Nations Office for Outer Space Affairs"


@pytest.mark.parametrize(
    ("options", "query"),
    [
        ({"tags": ["area:billing"]}, "what of area:billing?"),
        ({"entities": [AGENCY]}, f"who leads the {AGENCY}, and since when"),
        ({"entities": ["Ada Lovelace"]}, "who was 'Ada Lovelace'?"),
        ({"entities": [Term(name="std::vector", key="std::vector")]}, "(std::vector)"),
        ({"entities": ["C++"]}, "C++, please"),
        ({"categories": [".NET"]}, "all about .NET."),
    ],
)
def test_a_name_is_found(memory, options, query):
    stored = memory.store("rain fell all day", **options).id
    assert [one.id for one in memory.recall(query, record=False).results] == [stored]
