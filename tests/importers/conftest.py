import sqlite3
from contextlib import closing

import pytest

SCHEMA = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL);
CREATE TABLE insight (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, content TEXT NOT NULL, embedding BLOB,
    effectiveness REAL DEFAULT 0.5, use_count INTEGER DEFAULT 0, created_at TEXT NOT NULL, last_used TEXT,
    tags TEXT DEFAULT '[]', causal_hits INTEGER DEFAULT 0, last_feedback_at TEXT, recent_uses INTEGER DEFAULT 0,
    context_spread REAL DEFAULT NULL, context_centroid BLOB DEFAULT NULL
);
CREATE VIRTUAL TABLE insight_fts USING fts5(content, tags, content=insight, content_rowid=id);
CREATE TRIGGER insight_fts_ai AFTER INSERT ON insight BEGIN
    INSERT INTO insight_fts(rowid, content, tags) VALUES (new.id, new.content, new.tags);
END;
CREATE TABLE insight_edges (
    src_id INTEGER NOT NULL, dst_id INTEGER NOT NULL, weight REAL NOT NULL,
    relation TEXT NOT NULL DEFAULT 'similar', created_at TEXT NOT NULL, PRIMARY KEY (src_id, dst_id, relation)
);
CREATE TABLE session_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, agent_id TEXT NOT NULL, agent_type TEXT NOT NULL, task_id TEXT,
    outcome TEXT, summary TEXT, transcript_hash TEXT, created_at TEXT NOT NULL
);
"""


@pytest.fixture
def write(tmp_path):
    """Write a file below the test's folder, bytes as they are."""

    def put(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


@pytest.fixture
def helix_db(tmp_path):
    """A database as the original helix leaves it, with the given insights and further statements."""

    def make(*insights, then=(), schema=SCHEMA):
        path = tmp_path / ".helix" / "helix.db"
        path.parent.mkdir(exist_ok=True)
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA journal_mode=WAL")
            database.executescript(schema)
            for number, given in enumerate(insights, 1):
                row = {"name": f"insight-{number}", "content": f"text {number}", "created_at": "2026-01-02T03:04:05"}
                row |= given
                marks = ", ".join("?" * len(row))
                database.execute(f"INSERT INTO insight ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))  # noqa: S608
            for statement in then:
                database.execute(statement)
            database.commit()
        return path

    return make
