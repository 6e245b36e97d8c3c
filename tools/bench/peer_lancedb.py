"""Hybrid search with LanceDB (IVF_HNSW_SQ, its full-text index, RRFReranker), as a process that `peers` asks.

    PYTHON peer_lancedb.py DATA DATABASE

Input and output are as in `peer_sqlite.py`. It needs lancedb and numpy.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import lancedb  # type: ignore[import-not-found]
import numpy as np
from lancedb.index import FTS  # type: ignore[import-not-found]
from lancedb.rerankers import RRFReranker  # type: ignore[import-not-found]

DIMS, LIMIT = 256, 10
LEAST_FOR_AN_INDEX = 10_000
RERANKER = RRFReranker()


def table(data: Path, path: str) -> Any:  # noqa: ANN401 - no types here
    """The table, filled and indexed."""
    texts = json.loads((data / "texts.json").read_text(encoding="utf-8"))
    vectors = np.fromfile(data / "vectors.f32", np.float32).reshape(-1, DIMS)
    rows = [{"id": number, "text": text, "vector": vectors[number]} for number, text in enumerate(texts)]
    made = lancedb.connect(path).create_table("memory", rows)
    if len(texts) >= LEAST_FOR_AN_INDEX:
        made.create_index(
            metric="cosine", index_type="IVF_HNSW_SQ", vector_column_name="vector", m=16, ef_construction=200
        )
    made.create_index("text", config=FTS())
    return made


def search(memory: Any, text: str, vector: np.ndarray[Any, Any]) -> list[int]:  # noqa: ANN401
    """The ten best by both lists, with their bodies."""
    query = memory.search(query_type="hybrid").vector(vector).text(text).rerank(RERANKER).limit(LIMIT)
    return [row["id"] for row in query.to_list()]


def main(data: Path, path: str) -> None:
    """Answer questions until there are no more."""
    memory = table(data, path)
    asked = json.loads((data / "questions.json").read_text(encoding="utf-8"))
    known = np.fromfile(data / "questions.f32", np.float32).reshape(-1, DIMS)
    print("ready", flush=True)
    for line in sys.stdin:
        number = int(line)
        start = time.perf_counter()
        best = search(memory, asked[number], known[number])
        print(json.dumps([1e3 * (time.perf_counter() - start), best]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
