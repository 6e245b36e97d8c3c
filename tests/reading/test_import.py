import sqlite3
from contextlib import closing

import pytest
from helixlog.commands.importers import open_source
from helixlog.commands.importing import _noted
from helixlog.commands.intake import Intake
from helixlog.commands.memory import Memory
from helixlog.commands.times import parse_time
from helixlog.errors import Corrupted, InvalidInput, NotFound
from helixlog.eventlog.events import Scope

NOTES = """# Deploy

- The deploy script lives in tools/deploy.sh
- Never deploy on Friday
- The deploy script lives in tools/deploy.sh and needs a token

# Food (2026-01-02)

Bananas are yellow.
"""


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text(NOTES)
    return folder


@pytest.fixture
def other(tmp_path, clock):
    """Another store."""
    with Memory(tmp_path / "other", embedder="static", clock=clock) as opened:
        yield opened


def texts(memory, **options):
    return {one.text for one in memory.list(limit=1000, **options).memories}


def test_markdown_comes_in_with_its_place_and_time(memory, notes):
    done = memory.import_(notes, project="p", tags=["notes"])
    assert (done.source, done.added + done.merged, done.skipped) == ("markdown", 4, 0)
    one = next(one for one in memory.list(project="p").memories if one.text == "Bananas are yellow.")
    assert (one.provenance.file, one.origin, one.tags) == ("a.md", "imported", ("notes",))
    assert one.scope.project == "p"


def test_importing_again_adds_nothing_but_what_is_new(memory, notes):
    memory.import_(notes)
    head = memory.eventlog.head.seq
    again = memory.import_(notes)
    assert (again.added, again.merged, again.reinforced, again.skipped) == (0, 0, 0, 4)
    assert memory.eventlog.head.seq == head
    (notes / "b.md").write_text("- A late one\n")
    assert memory.import_(notes).added == 1


def test_the_same_notes_belong_to_each_scope_they_are_imported_for(memory, notes):
    memory.import_(notes, project="p")
    assert memory.import_(notes, project="q").skipped == 0
    assert memory.import_(notes, user="bob").skipped == 0
    assert texts(memory, project="q") == texts(memory, project="p")
    assert "Never deploy on Friday" in texts(memory, user="bob")


def test_a_dry_run_says_what_would_come_of_it_and_changes_nothing(memory, notes):
    memory.store("Never deploy on Friday", title="Deploy")
    head = memory.eventlog.head.seq
    rehearsed = memory.import_(notes, dry_run=True)
    assert (rehearsed.dry_run, memory.eventlog.head.seq) == (True, head)
    done = memory.import_(notes)
    assert (done.added, done.merged, done.reinforced) == (rehearsed.added, rehearsed.merged, rehearsed.reinforced)
    assert done.reinforced == 1


def test_two_imports_at_a_time_bring_everything_once(memory, notes, tmp_path, clock):
    with Memory(tmp_path / "store", embedder="static", clock=clock) as second:
        early = Intake(second)
        memory.import_(notes)
        head = memory.eventlog.head.seq
        early.texts(_noted(second, open_source(notes), Scope(), ()).texts)
        assert (early.counts["skipped"], memory.eventlog.head.seq) == (4, head)


def test_links_of_claude_memory_are_made_once(memory, tmp_path):
    folder = tmp_path / "claude"
    folder.mkdir()
    for name, body in (("a", "See [[b]] first."), ("b", "Bananas are yellow.")):
        head = f"---\nname: {name}\ndescription: about {name}\nmetadata:\n  type: project\n---\n"
        (folder / f"{name}.md").write_text(head + body)
    (folder / "MEMORY.md").write_text("- [a](a.md)\n- [b](b.md)\n")
    assert memory.import_(folder).linked == 1
    assert memory.import_(folder).linked == 0
    one = next(one for one in memory.list().memories if one.text.startswith("See"))
    assert [near.relation for near in memory.neighbors(one.id, relation="relates_to").neighbors] == ["relates_to"]


def test_progress_counts_texts(memory, notes):
    seen = []
    memory.import_(notes, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(4, 4)]


def test_what_is_not_there_or_not_understood_is_refused(memory, tmp_path):
    with pytest.raises(NotFound):
        memory.import_(tmp_path / "nowhere")
    (tmp_path / "x.md").write_text("- a")
    with pytest.raises(InvalidInput):
        memory.import_(tmp_path / "x.md", kind="nonsense")


# -- exports -------------------------------------------------------------------


def test_a_merge_carries_what_was_learned_and_how_things_hang_together(memory, other, tmp_path, clock):
    old = memory.store("The port is 80.", tags=["a"], observed_at="2026-01-02")
    memory.annotate(old.id, add_tags=["b"], remove_tags=["a"], pin="core")
    new = memory.store("The port is 8080 since March.", relations=[("updates", old.id)])
    child = memory.store("Firewalls must open the new port.", derived_from=[new.id])
    gone = memory.store("Bananas are blue.")
    memory.feedback(outcome="delivered", ids=[new.id, child.id])
    memory.link(child.id, new.id, relation="led_to")
    memory.forget(gone.id)
    clock.days(90)
    memory.export(tmp_path / "log.jsonl")
    done = other.import_(tmp_path / "log.jsonl")
    assert (done.source, done.added) == ("helixlog", 4)
    there = {one.text: one for one in other.list(state="all").memories}
    here = {one.text: one for one in memory.list(state="all", as_of=f"@{memory.eventlog.head.seq}").memories}
    for text, one in here.items():
        same = ("state", "tags", "uses", "hits", "observed_at", "pin", "kind")
        assert [getattr(there[text], name) for name in same] == [getattr(one, name) for name in same]
        assert there[text].effectiveness == pytest.approx(one.effectiveness)
        assert there[text].provenance.kind == "import"
        assert there[text].id != one.id
    assert there["The port is 80."].superseded_by == there["The port is 8080 since March."].id
    related = other.neighbors(there["Firewalls must open the new port."].id).neighbors
    assert {"derives", "led_to"} <= {near.relation for near in related}
    assert parse_time(there["The port is 80."].recorded_at, now=0) > parse_time(
        here["The port is 80."].recorded_at, now=0
    )


def test_a_merge_repeated_adds_nothing_and_a_later_export_only_the_rest(memory, other, tmp_path):
    first = memory.store("The port is 80.")
    memory.store("Ada wrote the parser.")
    memory.export(tmp_path / "one.jsonl")
    other.import_(tmp_path / "one.jsonl")
    head = other.eventlog.head.seq
    again = other.import_(tmp_path / "one.jsonl")
    assert (again.skipped, again.added, other.eventlog.head.seq) == (2, 0, head)
    memory.store("The port is 8080 since March.", relations=[("updates", first.id)])
    memory.export(tmp_path / "two.jsonl")
    later = other.import_(tmp_path / "two.jsonl")
    assert (later.added, later.skipped, later.further) == (1, 2, 1)
    assert texts(other) == texts(memory)


def test_merged_texts_stay_one_memory_and_a_verdict_holds(memory, other, tmp_path):
    first = memory.store("Deploys run on Tuesday.")
    memory.store("Deploys  run on Tuesday.")
    apart = memory.store("Releases happen on the second working day.")
    memory.merge(first.id, apart.id)
    memory.export(tmp_path / "log.jsonl")
    other.import_(tmp_path / "log.jsonl")
    (one,) = other.list().memories
    assert len(one.merged_from) == 2


def test_scopes_are_kept_in_a_merge_unless_another_is_given(memory, other, tmp_path):
    memory.store("Bob's note.", user="bob")
    memory.store("The owner's note.", project="p")
    memory.export(tmp_path / "log.jsonl")
    other.import_(tmp_path / "log.jsonl")
    assert texts(other) == {"The owner's note."}
    assert texts(other, user="bob") == {"Bob's note."}
    other.import_(tmp_path / "log.jsonl", project="q")
    assert texts(other, project="q") == {"The owner's note."}


def test_a_damaged_export_changes_nothing(memory, other, tmp_path):
    memory.store("The port is 80.")
    memory.export(tmp_path / "log.jsonl")
    raw = (tmp_path / "log.jsonl").read_bytes()
    (tmp_path / "log.jsonl").write_bytes(raw.replace(b"port is 80", b"port is 81"))
    head = other.eventlog.head.seq
    with pytest.raises((Corrupted, InvalidInput)):
        other.import_(tmp_path / "log.jsonl")
    assert other.eventlog.head.seq == head


# -- other systems -------------------------------------------------------------


def test_the_original_helix_comes_with_what_it_had_earned_its_edges_and_sessions(memory, tmp_path):
    with closing(sqlite3.connect(tmp_path / "helix.db")) as database:
        database.executescript("""
            CREATE TABLE insight (id INTEGER PRIMARY KEY, name TEXT, content TEXT, effectiveness REAL,
                use_count INTEGER, causal_hits INTEGER, created_at TEXT, tags TEXT);
            CREATE TABLE insight_edges (src_id INTEGER, dst_id INTEGER, weight REAL, relation TEXT, created_at TEXT);
            CREATE TABLE session_log (id INTEGER PRIMARY KEY, agent_id TEXT, agent_type TEXT, task_id TEXT,
                outcome TEXT, summary TEXT, transcript_hash TEXT, created_at TEXT);
            INSERT INTO insight VALUES (1, 'wal', 'Use WAL mode', 1.0, 9, 7, '2026-01-02T03:04:05', '["sqlite"]');
            INSERT INTO insight VALUES (2, 'food', 'Bananas are yellow', 0.0, 2, 0, '2026-01-02T03:04:05', '[]');
            INSERT INTO insight_edges VALUES (1, 2, 0.7, 'led_to', '');
            INSERT INTO session_log VALUES (1, 'a', 'builder', 't1', 'delivered', 'built', 'h', '2026-01-03T00:00:00');
        """)
        database.commit()
    done = memory.import_(tmp_path / "helix.db")
    assert (done.source, done.added, done.linked, done.further) == ("helix-db", 2, 1, 1)
    found = {one.text: one for one in memory.list().memories}
    assert [(one.effectiveness, one.uses, one.hits) for one in found.values()] == [(0.0, 2, 0), (1.0, 9, 7)]
    (edge,) = memory.neighbors(found["Use WAL mode"].id, relation="led_to").neighbors
    assert (edge.weight, edge.direction) == (0.7, "out")
    (session,) = memory.log(type="session_archived").events
    assert (session.agent_id, session.data["outcome"], session.summary) == (
        "a",
        "delivered",
        "t1 · builder · delivered · built",
    )
    head = memory.eventlog.head.seq
    assert memory.import_(tmp_path / "helix.db").skipped == 2
    assert memory.eventlog.head.seq == head


def test_a_store_without_an_embedder_takes_notes_in(plain, notes):
    assert plain.import_(notes).added == 4
    assert [one.text for one in plain.recall("bananas").results] == ["Bananas are yellow."]
