"""What people type finds what they stored: identifiers, paths, accents, CJK."""

import pytest
from helixlog.projections.text.analyzer import STOP_WORDS, is_identifier, query_terms, tokens


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("sys.path", ["sys.path", "sys", "path"]),
        ("foo_bar", ["foo_bar", "foo", "bar"]),
        ("__init__.py", ["__init__.py", "init", "py"]),
        ("C++ and C#, .NET", ["c++", "c#", ".net", "net"]),
        ("src/auth.ts", ["src/auth.ts", "src", "auth.ts", "auth", "ts"]),
        ("ECONNREFUSED", ["econnrefus"]),
        ("econnrefused", ["econnrefus"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("v1.2.3", ["v1.2.3", "1.2.3", "v1"]),
        ("--dry-run -v", ["--dry-run", "dri", "run", "-v"]),
        ("me@example.org", ["me@example.org", "example.org", "exampl", "org"]),
        ("https://example.org/a?b=1", ["https://example.org/a", "https", "example.org", "exampl", "org", "b", "1"]),
        (r"C:\temp", [r"c:\temp", "c", "temp"]),
        ("4,000 euro", ["4000", "euro"]),
        ("naïve", ["naiv"]),
        ("nai\u0308ve", ["naiv"]),
        ("Straße", ["strass"]),
        ("Dana's O'Brien", ["dana", "obrien", "brien", "brien"]),
        ("🎉 party 👩\u200d💻", ["🎉", "parti", "👩", "💻"]),
        ("迁移", ["迁", "移", "迁移"]),
        ("ｶﾞ", ["ガ"]),
        ("안녕", ["안", "녕", "안녕"]),
        ("हिन्दी", ["हिन्दी"]),
        ("running shoes", ["run", "shoe"]),
        ("The limit is not on", ["limit"]),
        ("a\x00b\ud800c", ["b", "c"]),
        ("... --- !!", []),
        ("", []),
    ],
)
def test_a_text_gives_these_terms(text, terms):
    assert tokens(text) == terms


@pytest.mark.parametrize("word", ["迁移", "数据库"])
def test_a_word_inside_a_chinese_run_is_among_its_terms(word):
    assert set(tokens(word)) <= set(tokens("明天上午讨论数据库迁移方案"))


def test_a_text_of_stop_words_keeps_them():
    assert tokens("To be, or not to be!") == ["to", "be", "or", "not", "to", "be"]
    assert "not" in STOP_WORDS


def test_a_query_knows_which_terms_were_written_like_identifiers():
    terms = query_terms("why ECONNREFUSED in getUser of sys.path on VPN")
    assert {term for term, identifier in terms.items() if identifier} == {"econnrefus", "getus", "sys.path", "vpn"}


def test_a_shouted_query_is_not_all_identifiers():
    assert not any(query_terms("WHERE IS THE VPN CONFIG").values())


def test_identifier_like_terms_are_told_by_their_characters():
    assert all(map(is_identifier, ["1841", "sys.path", "a/b", "foo_bar", "c++", "c#", "--flag"]))
    assert not any(map(is_identifier, ["auto-merge", "path", "迁移"]))
