"""The observed date and the title are searched and embedded with the fact (measured: +.04 recall)."""

import pytest
from helixlog.eventlog.events import MemoryStored
from helixlog.projections.text.document import indexed_text

DAY = 86_400 * 10**9


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "fact"),
        ({"title": "Title"}, "Title: fact"),
        ({"observed_at": 20_513 * DAY}, "[2026-03-01] fact"),
        ({"observed_at": 20_513 * DAY - 1, "title": "Title"}, "[2026-02-28] Title: fact"),
        ({"observed_at": -1}, "[1969-12-31] fact"),
        ({"observed_at": 0, "title": ""}, "[1970-01-01] fact"),
        ({"observed_at": -(2**63)}, "[1677-09-21] fact"),
        ({"observed_at": 2**63 - 1}, "[2262-04-11] fact"),
    ],
)
def test_the_fact_is_prefixed_by_what_the_source_gave(options, text):
    assert indexed_text(MemoryStored(text="fact", **options)) == text
