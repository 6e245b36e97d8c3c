"""Hybrid search with sqlite-vec, FTS5 and reciprocal rank fusion, as a process that `peers` asks.

    PYTHON peer_sqlite.py DATA DATABASE

DATA has `texts.json`, `vectors.f32`, `questions.json` and `questions.f32`. The process prints "ready", then for each
number of a question on standard input the milliseconds it took and the numbers of the ten best texts, whose bodies
it has read. It needs only sqlite-vec and a Python whose sqlite3 can load extensions.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path

DIMS, DEPTH, LIMIT, RRF_K = 256, 100, 10, 60
WIDTH = 4 * DIMS


def vectors(path: Path) -> Iterator[bytes]:
    """float32 vectors as sqlite-vec takes them."""
    data = path.read_bytes()
    return (data[start : start + WIDTH] for start in range(0, len(data), WIDTH))


def database(data: Path, path: str) -> sqlite3.Connection:
    """The database, filled."""
    import sqlite_vec  # type: ignore[import-not-found]

    connection = sqlite3.connect(path)
    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    texts = json.loads((data / "texts.json").read_text(encoding="utf-8"))
    with connection:
        connection.execute("CREATE TABLE memory (id INTEGER PRIMARY KEY, text TEXT)")
        connection.execute(f"CREATE VIRTUAL TABLE near USING vec0(v float[{DIMS}] distance_metric=cosine)")
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter')")
        connection.executemany("INSERT INTO memory VALUES (?, ?)", enumerate(texts))
        connection.executemany("INSERT INTO near (rowid, v) VALUES (?, ?)", enumerate(vectors(data / "vectors.f32")))
        connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(texts))
    return connection


def search(connection: sqlite3.Connection, text: str, vector: bytes) -> list[int]:
    """The ten best by both lists, bodies read."""
    near = connection.execute(
        "SELECT rowid FROM near WHERE v MATCH ? AND k = ? ORDER BY distance", (vector, DEPTH)
    ).fetchall()
    terms = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
    said = connection.execute(
        "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (terms, DEPTH)
    ).fetchall()
    scores: dict[int, float] = {}
    for found in (near, said):
        for rank, (row,) in enumerate(found, 1):
            scores[row] = scores.get(row, 0.0) + 1.0 / (RRF_K + rank)
    best = sorted(scores, key=lambda row: -scores[row])[:LIMIT]
    marks = ",".join("?" * len(best))
    connection.execute(f"SELECT id, text FROM memory WHERE id IN ({marks})", best).fetchall()  # noqa: S608 - marks only
    return best


def main(data: Path, path: str) -> None:
    """Answer questions until there are no more."""
    connection = database(data, path)
    asked = json.loads((data / "questions.json").read_text(encoding="utf-8"))
    known = list(vectors(data / "questions.f32"))
    print("ready", flush=True)
    for line in sys.stdin:
        number = int(line)
        start = time.perf_counter()
        best = search(connection, asked[number], known[number])
        print(json.dumps([1e3 * (time.perf_counter() - start), best]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
