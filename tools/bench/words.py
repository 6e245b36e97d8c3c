"""Keyword search over synthetic documents: postings alone, tantivy with a certificate, and the default choice.

    python tools/bench_text.py [--documents 100000] [--queries 300] [--plain]

Words follow Zipf's law (exponent 1.07, 50,000 words, documents of about 50); the
70 most frequent are English stop words unless `--plain`. Queries draw 3 to 8
words of one document. Each query runs three times and its best time counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from helixlog.eventlog.events import MemoryStored, Recorded
from helixlog.projections.text.accelerator import ACCELERATED_FROM, Threshold
from helixlog.projections.text.analyzer import STOP_WORDS, query_terms
from helixlog.projections.text.index import TextIndex

VOCABULARY, LENGTH, EXPONENT, LIMIT = 50_000, 50, 1.07, 100


def words(rng: np.random.Generator, *, plain: bool) -> list[str]:
    """Made-up words, the most frequent first."""
    made: dict[str, None] = {} if plain else dict.fromkeys(sorted(STOP_WORDS)[:70])
    while len(made) < VOCABULARY:
        syllables = rng.integers(2, 5)
        made["".join(rng.choice(list("bcdfghjklmnprtvz")) + rng.choice(list("aou")) for _ in range(syllables))] = None
    return list(made)


def corpus(rng: np.random.Generator, documents: int, *, plain: bool) -> list[list[str]]:
    """Documents as lists of words."""
    names = np.array(words(rng, plain=plain))
    share = 1 / np.arange(1, VOCABULARY + 1) ** EXPONENT
    lengths = np.clip(rng.normal(LENGTH, 12, documents).astype(int), 5, None)
    drawn = names[rng.choice(VOCABULARY, int(lengths.sum()), p=share / share.sum())]
    return [part.tolist() for part in np.split(drawn, np.cumsum(lengths)[:-1])]


def timed(queries: list[str], ask: Callable[[str], object]) -> str:
    """p50, p90 and p99 in milliseconds."""
    best = np.full(len(queries), np.inf)
    for _ in range(3):
        for k, query in enumerate(queries):
            start = time.perf_counter()
            ask(query)
            best[k] = min(best[k], time.perf_counter() - start)
    return "p50 {:.3f}  p90 {:.3f}  p99 {:.3f} ms".format(*np.percentile(best * 1e3, [50, 90, 99]))


def build(root: Path, documents: list[list[str]]) -> TextIndex:
    """Index, publish and open again, with the rates printed."""
    log = [Recorded(k, 0, 0, None, MemoryStored(text=" ".join(words))) for k, words in enumerate(documents, 1)]
    index = TextIndex.open(root)
    start = time.perf_counter()
    index.apply(log)
    applied = time.perf_counter()
    index.publish(bytes(32), accelerate=True)
    published = time.perf_counter()
    index = TextIndex.open(root)
    rate = len(log) / (applied - start)
    print(f"apply {rate:,.0f} documents/s, publish with tantivy {published - applied:.2f} s", end=", ")
    print(f"open {(time.perf_counter() - published) * 1e3:.1f} ms")
    return index


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--plain", action="store_true", help="no stop words: the frequent words are searched too")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    documents = corpus(rng, options.documents, plain=options.plain)
    with tempfile.TemporaryDirectory() as folder:
        index = build(Path(folder), documents)
        picked = (documents[rng.integers(len(documents))] for _ in range(options.queries))
        queries = [" ".join(rng.choice(document, rng.integers(3, 9))) for document in picked]
        report(index, queries, rng)


def report(index: TextIndex, queries: list[str], rng: np.random.Generator) -> None:
    """Every way of asking, for several views of the store."""
    texts = index.texts
    matchings = [index._matching(query_terms(query), texts, None) for query in queries]  # noqa: SLF001
    sizes = [sum(term.size for term in matching.terms) for matching in matchings]
    print("postings per query: p50 {:,.0f}  p90 {:,.0f}".format(*np.percentile(sizes, [50, 90])))
    always, mask = Threshold(0, 0), rng.random(texts) < 0.9
    index.accelerated_from = always
    room = index._take_room(texts)  # noqa: SLF001
    certified = sum(index._accelerated(matching, LIMIT, None, room) is not None for matching in matchings)  # noqa: SLF001
    print(f"certified {certified / len(queries):.1%}")
    for view, given in {
        "live": {},
        "90% allowed": {"allowed": mask},
        "90% allowed and counted": {"allowed": mask, "population": mask},
        "half the past": {"texts": texts // 2},
    }.items():
        for way, least in {"postings": None, "tantivy": always, "default": ACCELERATED_FROM}.items():
            index.accelerated_from = least or always
            asked = {"texts": texts, "limit": LIMIT, "exact": least is None, **given}
            print(f"{view:24} {way:9}", timed(queries, lambda query, asked=asked: index.search(query, **asked)))


if __name__ == "__main__":
    main()
