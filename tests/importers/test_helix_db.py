import sqlite3
from contextlib import closing

import pytest
from helixlog.commands.importers import LinkNote, open_source
from helixlog.commands.importers.when import parse_time
from helixlog.errors import InvalidInput, NotFound
from helixlog.eventlog.events import Prior

V5 = """
CREATE TABLE insight (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, content TEXT NOT NULL,
    embedding BLOB, effectiveness REAL DEFAULT 0.5, use_count INTEGER DEFAULT 0, created_at TEXT NOT NULL,
    last_used TEXT, tags TEXT DEFAULT '[]');
"""


def test_an_insight_keeps_what_it_had_earned(helix_db):
    path = helix_db({
        "name": "use-wal", "content": "Use WAL mode", "effectiveness": 0.83, "use_count": 9, "causal_hits": 7,
        "tags": '["sqlite", "derived"]', "last_used": "2026-02-01T00:00:00", "context_spread": 0.2,
    })  # fmt: skip
    (note,) = open_source(path).notes
    assert (note.text, note.tags) == ("Use WAL mode", ("sqlite", "derived"))
    assert note.prior == Prior(effectiveness=0.83, uses=9, hits=7)
    assert note.observed_at == parse_time("2026-01-02T03:04:05Z")
    assert note.metadata == {
        "name": "use-wal", "last_used": "2026-02-01T00:00:00", "recent_uses": 0, "context_spread": 0.2,
    }  # fmt: skip
    assert (note.provenance.kind, note.provenance.file) == ("import", "helix.db")


def test_an_effectiveness_of_nought_is_a_value(helix_db):
    notes = open_source(helix_db({"effectiveness": 0.0}, {"effectiveness": None})).notes
    assert [x.prior.effectiveness for x in notes] == [0.0, 0.5]


def test_edges_become_links_with_their_weight(helix_db):
    rows = ["(1, 2, 0.71, 'similar', '')", "(2, 1, 1.0, 'led_to', '')", "(1, 9, 1.0, 'led_to', '')"]
    source = open_source(helix_db({}, {}, then=[f"INSERT INTO insight_edges VALUES {row}" for row in rows]))  # noqa: S608
    assert source.links == (
        LinkNote(source_local="1", target_local="2", relation="similar", weight=0.71),
        LinkNote(source_local="2", target_local="1", relation="led_to", weight=1.0),
    )
    assert source.warnings == ("1 links lead to memories that are not in this source and were left out",)


def test_sessions_are_counted_and_handed_over_but_are_no_notes(helix_db):
    row = "INSERT INTO session_log (agent_id, agent_type, outcome, created_at) VALUES ('a', 'builder', 'blocked', 't')"
    source = open_source(helix_db({}, then=[row, row]))
    assert (source.total, len(source.sessions), source.sessions[0]["outcome"]) == (1, 2, "blocked")
    assert source.warnings[0].startswith("2 archived sessions")


def test_an_older_schema_is_read(helix_db):
    path = helix_db({"use_count": 4, "effectiveness": 0.7}, schema=V5)
    source = open_source(path)
    assert source.notes[0].prior == Prior(effectiveness=0.7, uses=4, hits=4)
    assert (source.links, source.sessions) == ((), ())


def test_the_folder_stands_for_its_database(helix_db):
    path = helix_db({})
    assert open_source(path.parent).notes[0].text == "text 1"


def test_reading_leaves_the_folder_as_it_was(helix_db):
    path = helix_db({})
    before = {x.name: x.read_bytes() for x in path.parent.iterdir()}
    open_source(path)
    assert {x.name: x.read_bytes() for x in path.parent.iterdir()} == before


def test_what_a_running_session_has_not_yet_checkpointed_is_read(helix_db):
    path = helix_db({})
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO insight (name, content, created_at) VALUES ('n', 'fresh', '2026-01-01')")
        writer.commit()
        assert [x.text for x in open_source(path).notes] == ["text 1", "fresh"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"content": "  "}, "insight 1 has no text"),
        ({"content": b"\x01\x02"}, "insight 1 has no text"),
        ({"tags": "[broken"}, "its tags are no list"),
        ({"tags": '["a", 3]'}, "its tags are no list"),
        ({"created_at": "yesterday"}, "created_at is no ISO 8601 time"),
        ({"effectiveness": 1.7}, "were brought into range"),
        ({"use_count": 1, "causal_hits": 3}, "were brought into range"),
    ],
)
def test_an_odd_row_is_a_warning_and_the_rest_is_read(helix_db, row, reason):
    source = open_source(helix_db(row, {}))
    assert reason in source.warnings[0]
    assert source.notes[-1].text == "text 2"


def test_a_text_that_is_not_utf_8_is_repaired_and_reported(helix_db):
    damage = "UPDATE insight SET content = CAST(x'636166e9' AS TEXT)"
    source = open_source(helix_db({}, then=["DROP TRIGGER insight_fts_ai", damage]))
    assert source.notes[0].text == "caf\ufffd"
    assert "broken Unicode" in source.warnings[0]


def test_an_insight_keeps_its_key_when_what_it_earned_changes(helix_db):
    path = helix_db({})
    before = open_source(path).notes[0].source_key
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE insight SET effectiveness = 0.9, use_count = 3, tags = '[\"new\"]'")
        database.commit()
    assert open_source(path).notes[0].source_key == before


@pytest.mark.parametrize("content", [b"SQLite format 3\0" + b"x" * 4000, b"", b"text"])
def test_what_is_no_database_is_refused(write, content):
    with pytest.raises(InvalidInput, match=r"helix\.db"):
        open_source(write("helix.db", content), "helix-db")


def test_a_database_of_something_else_is_refused(tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE notes (x)")
        database.commit()
    with pytest.raises(InvalidInput, match="no table of insights"):
        open_source(tmp_path / "other.db")


def test_a_schema_broken_by_bytes_that_are_no_text_is_refused(tmp_path):
    """The sqlite3 module cannot even decode the message about it."""
    with closing(sqlite3.connect(tmp_path / "helix.db")) as database:
        database.executescript(V5)
        database.execute("PRAGMA writable_schema = 1")
        database.execute("UPDATE sqlite_master SET sql = 'create tab', name = CAST(x'ff' AS TEXT)")
        database.commit()
    with pytest.raises(InvalidInput, match=r"helix\.db cannot be read"):
        open_source(tmp_path / "helix.db", "helix-db")


def test_a_column_whose_name_is_no_text_is_refused(tmp_path):
    with closing(sqlite3.connect(tmp_path / "helix.db")) as database:
        database.executescript(V5)
        database.execute("PRAGMA writable_schema = 1")
        database.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'last_used', CAST(x'ff616161' AS TEXT)) WHERE name = 'insight'"
        )
        database.commit()
    with pytest.raises(InvalidInput, match=r"helix\.db cannot be read"):
        open_source(tmp_path / "helix.db", "helix-db")


def test_nothing_there_is_not_found(tmp_path):
    with pytest.raises(NotFound):
        open_source(tmp_path, "helix-db")
