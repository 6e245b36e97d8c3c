"""Whatever a reader yields, the store takes: the same checks that guard it pass every note."""

import json

from helixlog.commands import checks
from helixlog.commands.importers import open_source


def assert_storable(source):
    assert source.notes
    for note in source.notes:
        checks.check_text(note.text)
        checks.check_name(note.kind, what="kind")
        checks.check_names(note.tags, what="tag")
        checks.check_metadata(note.metadata)
        checks.check_prior(note.prior)
        if note.title is not None:
            checks.check_name(note.title, what="title")
        assert all(term.key for term in note.entities)
    assert all(0 < link.weight <= 1 for link in source.links)


def test_odd_markdown(write):
    head = "---\ntitle: |\n  two\n  lines\ntags:\n  - ' spaced   out '\ntype: Not A Kind\n---\n"
    assert_storable(open_source(write("a.md", head + "# \x07" + "h" * 400 + "\n- \x1b[1m\n")))


def test_an_odd_graph(write):
    name = "A\n" + "b" * 400
    record = {"type": "entity", "name": name, "entityType": "\x00", "observations": ["\x00", "x\r\ny"]}
    relation = {"type": "relation", "from": name, "to": "\ud800", "relationType": "r\ts"}
    assert_storable(open_source(write("m.jsonl", json.dumps(record) + "\n" + json.dumps(relation))))


def test_odd_topics(write, tmp_path):
    write("MEMORY.md", "")
    write("a.md", f"---\nname: a\ndescription: {'d' * 400}\ntype: feedback\n---\nx\x0by")
    assert_storable(open_source(tmp_path))


def test_odd_insights(helix_db):
    odd = {
        "name": "", "last_used": "  ", "context_spread": float("inf"), "recent_uses": "many",
        "effectiveness": float("inf"), "use_count": -3, "causal_hits": 5, "tags": '["", "a\\nb"]',
    }  # fmt: skip
    edges = "INSERT INTO insight_edges VALUES (1, 2, 7.5, 'similar', '')"
    assert_storable(open_source(helix_db(odd, {}, then=[edges])))
