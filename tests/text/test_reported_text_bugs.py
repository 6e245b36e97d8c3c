"""Inputs that broke other memories: words read as a query language, and CJK that could not be found."""

import pytest


@pytest.fixture(scope="module")
def index(kit):
    return kit.index(
        [
            "Shelf is 36 inches wide. error: disk quota exceeded",
            "Tabs are preferred",
            "明天上午讨论数据库迁移方案",
            "今日は設計会議をした with the API team",
            "connect ECONNREFUSED 127.0.0.1:5432 in src/auth.ts",
        ]
    )


@pytest.mark.parametrize("query", ["error: disk", 'shelf 36"'])
def test_a_colon_or_an_unpaired_quote_is_just_text(kit, index, query):
    found, _ = kit.hits(index, query)
    assert max(found, key=found.get) == 0


@pytest.mark.parametrize(
    "query",
    [
        "note:",
        r"C:\temp",
        "https://example.org/a?b=1",
        "AND",
        "don't",
        "foo AND (",
        "a:b:c",
        "-",
        '"',
        "*",
        "a^2~ OR [",
        "",
    ],
)
def test_no_query_raises_or_finds_what_it_does_not_say(kit, index, query):
    assert kit.hits(index, query) == ({}, True)


@pytest.mark.parametrize(
    ("query", "ordinal"),
    [("迁移", 2), ("数据库", 2), ("会議", 3), ("api teams", 3), ("econnrefused", 4), ("auth.ts", 4), ("127.0.0.1", 4)],
)
def test_the_word_inside_is_found(kit, index, query, ordinal):
    found, _ = kit.hits(index, query)
    assert max(found, key=found.get) == ordinal
