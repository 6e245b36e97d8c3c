"""Neighbours of many vectors at once, exactly: for the evidence of an import.

The dots are one matrix product a block. Each query keeps a bar, the certified
dot below which nothing matters to it; what passes is shortlisted, the bar
rises with the k-th best, and what is left at the end is scored canonically. The
product is nearly all of the time: 100,000 vectors against each other at 256 dimensions
are 2.6 Tflop.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...embedding.protocol import FloatArray, HalfArray
from .cosine import bar, canonical, margin
from .exact import Nearest, rank
from .rows import GATHER, Rows, Rows64

QUERIES = 1_024
ROWS = 8_192


class Block(NamedTuple):
    """Vectors to compare with: float32 (n, dims), the row and the text of each."""

    vectors: FloatArray
    rows: Rows64
    ordinals: Rows64


def nearest_many(
    rows: Rows,
    queries: HalfArray,
    texts: Rows64,
    *,
    allowed: NDArray[np.bool_] | None,
    peers: bool,
    floor: float,
    limit: int,
) -> list[Nearest]:
    """The answers to all queries; arguments as in `VectorIndex.nearest_many`."""
    wide = queries.astype(np.float32)
    answers: list[Nearest] = []
    for start in range(0, len(queries), QUERIES):
        part = slice(start, start + QUERIES)
        shortlist = Shortlist(wide[part], floor, limit, single=rows.single and not peers)
        for block in _blocks(rows, int(texts[part].max()), allowed):
            shortlist.offer(block, texts[part])
        if peers:
            # Rows after the index's own stand for the queries themselves.
            for first in range(0, len(queries), ROWS):
                ids = np.arange(first, min(first + ROWS, len(queries)))
                shortlist.offer(Block(wide[ids], len(rows) + ids, texts[ids]), texts[part])
        answers += shortlist.settle(rows, wide)
    return answers


def _blocks(rows: Rows, stop: int, allowed: NDArray[np.bool_] | None) -> Iterator[Block]:
    """The rows of texts before `stop`, gathered where only some are allowed."""
    end = int(np.searchsorted(rows.ordinals, stop)) if rows.ordered else len(rows)
    if allowed is not None:
        chosen = np.flatnonzero(allowed[rows.ordinals[:end]])
        for start in range(0, len(chosen), ROWS):
            part = chosen[start : start + ROWS]
            yield Block(rows.matrix.take(part), part, rows.ordinals[part].astype(np.int64))
        return
    first = 0
    for piece in rows.matrix.pieces(0, end):
        for start in range(0, len(piece), ROWS):
            part = np.arange(first + start, first + min(start + ROWS, len(piece)))
            yield Block(piece[start : start + ROWS], part, rows.ordinals[part].astype(np.int64))
        first += len(piece)


class Shortlist:
    """What may still be among the best of each of some queries."""

    def __init__(self, queries: FloatArray, floor: float, limit: int, *, single: bool) -> None:
        self._queries = queries
        self._floor = floor
        self._limit = limit
        self._single = single
        self._slack = margin(queries.shape[1])
        self._bars = np.full(len(queries), bar(-np.inf, floor, self._slack))
        self._query = np.empty(0, np.int64)
        self._row = np.empty(0, np.int64)
        self._text = np.empty(0, np.int64)
        self._dot = np.empty(0, np.float32)

    def offer(self, block: Block, texts: Rows64) -> None:
        """Take in what passes the bars among a block's texts below each query's own limit."""
        if int(block.ordinals.min()) >= int(texts.max()):
            return
        dots = self._queries @ block.vectors.T
        if int(block.ordinals.max()) >= int(texts.min()):
            np.copyto(dots, -np.inf, where=block.ordinals >= texts[:, None])
        if self._single and not len(self._query) and len(block.rows) > self._limit:
            # The k-th best of any block bounds the k-th best of all: a first bar without a long first list.
            kth = np.partition(dots, -self._limit, axis=1)[:, -self._limit]
            self._bars = np.array([bar(float(dot), self._floor, self._slack) for dot in kth])
        # Rounded down, so that no float32 dot at the bar is lost to the rounding of the bar.
        bars = np.nextafter(self._bars.astype(np.float32), np.float32(-np.inf))
        hits = np.flatnonzero(dots >= bars[:, None])
        query, column = np.divmod(hits, len(block.rows))
        self._query = np.concatenate([self._query, query])
        self._row = np.concatenate([self._row, block.rows[column]])
        self._text = np.concatenate([self._text, block.ordinals[column]])
        self._dot = np.concatenate([self._dot, dots.ravel()[hits]])
        if len(self._query) > 4 * self._limit * len(self._queries):
            self._raise_bars()

    def settle(self, rows: Rows, peers: FloatArray) -> list[Nearest]:
        """The canonical answers; a row at or after `len(rows)` is one of `peers`."""
        self._raise_bars()
        order = np.argsort(self._row, kind="stable")
        query, row, text = self._query[order], self._row[order], self._text[order]
        cosines = np.empty(len(row), np.float32)
        own = int(np.searchsorted(row, len(rows)))
        for low, high in (*_spans(0, own), *_spans(own, len(row))):
            part = row[low:high]
            vectors = rows.matrix.take(part) if high <= own else peers[part - len(rows)]
            cosines[low:high] = canonical(vectors, self._queries[query[low:high]])
        order, first = _best(query, text, cosines)
        query, text, cosines = query[order][first], text[order][first], cosines[order][first]
        bounds = np.searchsorted(query, np.arange(len(self._queries) + 1))
        return [
            rank(text[low:high], cosines[low:high], floor=self._floor, limit=self._limit, complete=True)
            for low, high in itertools.pairwise(bounds)
        ]

    def _raise_bars(self) -> None:
        query, dot = self._query, self._dot
        if not self._single:
            order, first = _best(query, self._text, dot)
            query, dot = query[order][first], dot[order][first]
        order = np.lexsort((-dot, query))
        starts = np.searchsorted(query[order], np.arange(len(self._queries) + 1))
        for index in np.flatnonzero(np.diff(starts) >= self._limit):
            kth = float(dot[order[starts[index] + self._limit - 1]])
            self._bars[index] = bar(kth, self._floor, self._slack)
        kept = self._dot >= self._bars[self._query]
        self._query, self._row = self._query[kept], self._row[kept]
        self._text, self._dot = self._text[kept], self._dot[kept]


def _best(query: Rows64, text: Rows64, value: FloatArray) -> tuple[Rows64, NDArray[np.bool_]]:
    """An order by query and text, best first, and where in it each (query, text) begins."""
    order = np.lexsort((-value, text, query))
    first = np.ones(len(order), np.bool_)
    first[1:] = (np.diff(query[order]) != 0) | (np.diff(text[order]) != 0)
    return order, first


def _spans(start: int, stop: int) -> Iterator[tuple[int, int]]:
    for low in range(start, stop, GATHER):
        yield low, min(low + GATHER, stop)
