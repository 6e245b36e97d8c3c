"""Files that are damaged, hostile or something else: notes, warnings, or an error of our own."""

from __future__ import annotations

import json
import sqlite3

import pytest
from helixlog.commands.copying import restore_export
from helixlog.commands.importers import detect, open_source
from helixlog.commands.memory import Memory
from hypothesis import strategies as st
from trials import ROUNDS, mutated, survive

MARKDOWN = b"""---
title: Ops
tags: [a, "b"]
date: 2026-01-02
---
# Part

- [x] one
  - two
1. three

```sh
code
```

Para **bold**
====

<!-- c --> text
"""
CLAUDE = b"""---
name: deploys
description: how
metadata:
  type: feedback
---
See [[other]] and `code`.
"""
MCP = b"\n".join(
    json.dumps(row).encode()
    for row in [
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea", {"content": "x"}]},
        {"type": "relation", "from": "Ada", "to": "Bob", "relationType": "knows"},
    ]
)
GRAPH = json.dumps({"entities": [{"name": "A", "observations": ["b"]}], "relations": []}).encode()
HOSTILE = [
    b"[" * 20_000,
    b"{" * 5000,
    b'{"a":' * 5000,
    b"```\n" * 5000,
    b"- " * 5000,
    b"> " * 5000,
    b"<!--" * 5000,
    b"#" * 9000,
]


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("db") / "helix.db"
    with sqlite3.connect(path) as opened:
        opened.execute(
            "CREATE TABLE insight (id INTEGER, name TEXT, content TEXT, tags TEXT, effectiveness REAL, created_at TEXT)"
        )
        opened.execute("CREATE TABLE insight_edges (src_id, dst_id, weight, relation)")
        opened.execute("INSERT INTO insight VALUES (1, 'n', 'a plain insight', '[\"a\"]', 0.7, '2026-01-02')")
        opened.execute("INSERT INTO insight_edges VALUES (1, 1, 'x', NULL)")
    opened.close()
    return path.read_bytes()


def reading(tmp_path, name, kind):
    def work(data):
        path = tmp_path / name
        path.write_bytes(data)
        return open_source(path, kind)

    return work


@ROUNDS
@pytest.mark.parametrize(
    ("name", "kind", "seed"),
    [
        ("n.md", "markdown", MARKDOWN),
        ("MEMORY.md", "claude", CLAUDE),
        ("topic.md", "claude", CLAUDE),
        ("memory.jsonl", "mcp", MCP),
        ("memory.json", "mcp", GRAPH),
        ("n.txt", None, MARKDOWN),
    ],
)
def test_a_reader(tmp_path, rounds, name, kind, seed):
    data = st.one_of(mutated([seed]), st.binary(max_size=200), st.sampled_from(HOSTILE))
    assert survive(reading(tmp_path, name, kind), data, rounds)[0]


@ROUNDS
def test_a_database(tmp_path, rounds, database):
    data = st.one_of(mutated([database]), mutated([database[:200]]))
    survive(reading(tmp_path, "helix.db", "helix-db"), data, rounds)


@ROUNDS
def test_telling_what_it_is(tmp_path, rounds, database):
    def work(data):
        (tmp_path / "x.json").write_bytes(data)
        return detect(tmp_path / "x.json")

    survive(work, st.one_of(mutated([MARKDOWN, MCP, GRAPH, database]), st.binary(), st.sampled_from(HOSTILE)), rounds)


@pytest.mark.parametrize("rounds", [8, pytest.param(300, marks=pytest.mark.long)])
def test_an_export_into_a_store_or_without_one(tmp_path, rounds):
    with Memory(tmp_path / "home", embedder="none") as home:
        first = home.store("The shop closes at nine", tags=["ops"]).id
        home.feedback(outcome="delivered", ids=[first])
        home.export(tmp_path / "out.jsonl")
    seed = (tmp_path / "out.jsonl").read_bytes()
    count = iter(range(10**6))

    def work(data):
        path = tmp_path / "mutated.jsonl"
        path.write_bytes(data)
        number = next(count)
        try:
            with Memory(tmp_path / f"into-{number}", embedder="none") as into:
                into.import_(path, kind="helixlog")
        finally:
            restore_export(path, tmp_path / f"again-{number}")

    survive(work, mutated([seed]), rounds)


@pytest.mark.parametrize("rounds", [10, pytest.param(300, marks=pytest.mark.long)])
def test_an_import_into_a_store_leaves_it_whole(tmp_path, rounds):
    with Memory(tmp_path / "store", embedder="none") as memory:

        def work(data):
            (tmp_path / "n.md").write_bytes(data)
            return memory.import_(tmp_path / "n.md")

        survive(work, st.one_of(mutated([MARKDOWN, CLAUDE]), st.text(max_size=300).map(str.encode)), rounds)
        assert memory.verify().ok
