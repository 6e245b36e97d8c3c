"""An import leaves out what a verb would refuse, and says how much and where: never what."""

from __future__ import annotations

import json
import sqlite3

import msgspec
import pytest
from helixlog.commands.copying import restore_export
from helixlog.commands.memory import Memory
from helixlog.errors import ContentRejected
from helixlog.eventlog import events as ev


def rejections(memory):
    return [one.event for one in memory.eventlog.read() if isinstance(one.event, ev.ContentRejected)]


@pytest.fixture
def imported(memory, tmp_path, canary, leaks, spy):
    """`imported(name, text)` imports a file and looks for the credential in all that came of it."""

    def imported_(name, text):
        (tmp_path / "source").mkdir(exist_ok=True)
        path = tmp_path / "source" / name
        path.write_text(text, encoding="utf-8")
        done = memory.import_(path)
        memory.catalog.publish(lasting=True)
        assert leaks(canary) == []
        assert canary not in repr(done)
        assert not any(canary in text for text in spy.seen)
        return done

    return imported_


def test_notes(imported, memory, canary):
    done = imported("n.md", f"- one\n- the key is {canary}\n\n# Part {canary}\n\n- two\n\nlast\n=====\n\n- three\n")
    assert done.added == 2
    assert [(one.file, one.line, one.category, one.field) for one in done.rejected] == [
        ("n.md", 2, "credential_specific", "text"),
        ("n.md", 6, "credential_specific", "title"),
    ]
    assert [one.category for one in rejections(memory)] == ["credential_specific"] * 2


def test_importing_again_adds_nothing(imported, memory, canary):
    text = f"- one\n- the key is {canary}\n"
    imported("n.md", text)
    head = memory.eventlog.head
    again = imported("n.md", text)
    assert (again.added, again.skipped, len(again.rejected)) == (0, 1, 1)
    assert memory.eventlog.head == head


def test_the_memory_of_the_mcp_server(imported, canary):
    rows = [
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea", f"has {canary}"]},
        {"type": "entity", "name": canary, "entityType": "key", "observations": ["is old"]},
        {"type": "relation", "from": "Ada", "relationType": "owns", "to": canary},
    ]
    done = imported("memory.jsonl", "\n".join(map(json.dumps, rows)))
    assert done.added == 1
    assert [(one.file, one.line) for one in done.rejected] == [("memory.jsonl", n) for n in (1, 2, 3)]


def test_the_memory_of_claude_code(imported, canary):
    head = "---\nname: {0}\ndescription: about {0}\nmetadata:\n  type: project\n---\n"
    done = imported("topic.md", head.format("deploys") + f"they use {canary}\n")
    assert (done.added, len(done.rejected)) == (0, 1)


def test_the_database_of_the_older_system(memory, tmp_path, canary, leaks):
    with sqlite3.connect(tmp_path / "helix.db") as database:
        database.execute("CREATE TABLE insight (id INTEGER, name TEXT, content TEXT, tags TEXT, created_at TEXT)")
        database.execute("CREATE TABLE session_log (id INTEGER, agent_id TEXT, summary TEXT, created_at TEXT)")
        for number, content in enumerate(["a plain insight about ports", f"the key is {canary}"], 1):
            database.execute("INSERT INTO insight VALUES (?, ?, ?, '[]', NULL)", (number, f"n{number}", content))
        database.execute("INSERT INTO session_log VALUES (1, 'a', ?, NULL)", (f"used {canary}",))
        database.execute("INSERT INTO session_log VALUES (2, 'a', 'went well', NULL)")
    database.close()
    done = memory.import_(tmp_path / "helix.db")
    assert (done.added, done.further) == (1, 1)
    assert [(one.file, one.item, one.field) for one in done.rejected] == [
        ("helix.db", "2", "text"),
        ("helix.db", None, "summary"),
    ]
    assert leaks(canary) == []


@pytest.fixture
def export(tmp_path, canary, monkeypatch):
    """An export, made by somebody without a gate, whose lines 4 and 6 hold a credential."""
    from helixlog.commands import screening

    with monkeypatch.context() as ungated, Memory(tmp_path / "other", embedder="static") as other:
        ungated.setattr(screening, "scan", lambda *_, **__: None)
        kept = other.store("a plain fact about ports").id
        bad = other.store(f"the key is {canary}").id
        other.link(bad, kept, relation="led_to")
        other.link(kept, bad, relation="led_to", reason=canary)
        other.export(tmp_path / "other.jsonl")
    return tmp_path / "other.jsonl"


def test_an_export_that_is_merged(memory, export, canary, leaks):
    done = memory.import_(export)
    assert (done.added, done.linked) == (1, 0)
    assert [(one.file, one.line) for one in done.rejected] == [("other.jsonl", 4)]
    assert leaks(canary) == []


def test_an_export_is_not_made_a_store_with_it(export, tmp_path, canary):
    with pytest.raises(ContentRejected, match="2 lines of the export are refused, the first is line 4") as caught:
        restore_export(export, tmp_path / "again")
    assert canary not in str(caught.value)
    assert not (tmp_path / "again").exists()


def test_a_dry_run_says_the_same_and_writes_nothing(memory, tmp_path, canary):
    (tmp_path / "n.md").write_text(f"- one\n- {canary}\n")
    head = memory.eventlog.head
    trial = memory.import_(tmp_path / "n.md", dry_run=True)
    assert memory.eventlog.head == head
    assert msgspec.structs.replace(trial, dry_run=False) == memory.import_(tmp_path / "n.md")


def test_the_name_of_a_file_is_withheld_where_it_is_the_credential(imported, canary):
    done = imported(f"{canary}.md", "- a plain note\n")
    assert [(one.file, one.line) for one in done.rejected] == [(None, 1)]


def test_a_warning_that_would_repeat_it_is_withheld(imported, canary):
    done = imported(
        "memory.jsonl", json.dumps({"type": "entity", "name": "Ada", "observations": ["tea"]}) + f"\n{canary}"
    )
    assert done.added == 1


def test_what_is_allowed_is_taken_in(tmp_path):
    (tmp_path / "n.md").write_text("- ![plan](https://wiki.example/plan.png)\n- <system> is a tag\n")
    with Memory(tmp_path / "store", embedder="none", allow=["exfiltration"]) as memory:
        done = memory.import_(tmp_path / "n.md")
    assert (done.added, [one.category for one in done.rejected]) == (1, ["prompt_injection"])
