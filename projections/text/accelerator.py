"""tantivy as a source of candidates, and the certificate that lets them answer.

One immutable tantivy index over the same terms lies beside the postings of a
large segment, written once by one writer in one commit, never deleted from. It
is opened only after its checksums were verified.

tantivy scores a document u of a segment with its own numbers:

    s(u) = sum of boost_t idf_t (k1 + 1) tf / (tf + k1 (1 - b + b q(dl) / a)),  in float32

idf_t from the segment's own df and size, `a` its exact mean length, q rounding lengths down to one byte. We
set boost_t = canonical idf / idf_t. Then, A being the canonical mean length, and as q(dl) <= dl,

    canonical weight / tantivy's weight <= (tf + k1 (.25 + .75 q / a)) / (tf + k1 (.25 + .75 q / A)) <= max(1, A / a)

so canonical(u) <= max(1, A / a) (1 + eps) s(u). eps covers float32: some 1e-5, and what 1 + x loses inside
idf_t = ln(1 + x) when x is small. Documents that were not fetched score at most the last fetched s, hence the bound
on them. If there was nothing more to fetch the bound is 0. Its top-k skips blocks by maxima that were computed with
the same mean, which holds only while the index is one tantivy segment; anything else is not used.
The default and its reasons: docs/decisions/text-accelerator.md.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bm25 import Floats, idf
from .matching import Best, Matching
from .segment import Segment, documents, find
from .sums import Sums, below, largest, top
from .terms import Mask


class Threshold(NamedTuple):
    """A query of so many postings in an index of so many documents asks tantivy first."""

    documents: int
    postings: int


ACCELERATED_FROM = Threshold(documents=300_000, postings=30_000)
"""Below either, adding up postings is as fast or faster (measured by tools/bench/run.py words)."""

INDEXED_FROM = 5_000
"""Documents of a segment that are worth an index of their own."""

FETCHED = 4
"""Candidates fetched for each document asked for."""

TREE = "tantivy"
"""The sub-folder of a segment that holds its index."""

Ordinals = NDArray[np.int64]


class Candidates(NamedTuple):
    """Ordinals of a segment; every other document of it scores at most `bound`."""

    ordinals: Ordinals
    bound: float


class Accelerator:
    """The tantivy index of one segment."""

    def __init__(self, path: Path, segment: Segment) -> None:
        import tantivy

        self._tantivy: Any = tantivy
        self._segment = segment
        index = tantivy.Index.open(str(path))
        self._schema = index.schema
        self._searcher = index.searcher()
        whole = self._searcher.num_docs == len(segment.lengths) and self._searcher.num_segments == 1
        self.usable = whole and segment.total > 0

    def candidates(self, matching: Matching, fetch: int) -> Candidates:
        """The `fetch` documents that tantivy ranks first for the terms, and a bound on all others."""
        segment, library = self._segment, self._tantivy
        names = [term.text for term in matching.terms]
        clauses = []
        eps = 1e-5
        found = find([segment], [name.encode() for name in names], segment.stop)
        for term, (df, _) in zip(matching.terms, found, strict=True):
            if df:
                ours = idf(len(segment.lengths), df)
                eps = max(eps, 1e-5 + 4e-7 / (len(segment.lengths) - df + 0.5) * (df + 0.5))
                query = library.Query.term_query(self._schema, "terms", term.text, index_option="freq")
                clauses.append((library.Occur.Should, library.Query.boost_query(query, term.idf / ours)))
        if not clauses:
            return Candidates(np.empty(0, np.int64), 0.0)
        hits = self._searcher.search(library.Query.boolean_query(clauses), fetch, count=False).hits
        local = self._searcher.fast_field_values("document", [address for _, address in hits])
        longer = max(1.0, matching.corpus.average_length * len(segment.lengths) / segment.total)
        bound = hits[-1][0] * longer * (1.0 + eps) if len(hits) == fetch else 0.0
        return Candidates(np.array(local, np.int64) + segment.first, bound)


def accelerated(
    matching: Matching, accelerators: dict[int, Accelerator], limit: int, allowed: Mask | None, room: Floats
) -> Best | None:
    """The answer of `Matching.best` from candidates, or None when nothing certifies it.

    `accelerators` by the place of their segment; the other segments and the tail are summed up exactly.
    """
    found = [accelerator.candidates(matching, FETCHED * limit) for accelerator in accelerators.values()]
    bound = max((candidates.bound for candidates in found), default=0.0)
    rest = _rest(matching, accelerators, limit, allowed, room)
    ordinals = np.concatenate([*(candidates.ordinals for candidates in found), rest])
    ordinals = ordinals[ordinals < matching.corpus.texts]
    ordinals = np.sort(ordinals if allowed is None else ordinals[allowed.take(ordinals)])
    exact = matching.exact(ordinals)
    if bound > 0.0 and largest(exact.scores, limit) <= bound:
        return None
    keep = top(exact.scores, limit)
    others = len(keep) < np.count_nonzero(exact.scores) or (bound > 0.0 and _others(matching, ordinals[keep], allowed))
    return Best(ordinals[keep], exact.of(keep), exhausted=not others)


def _others(matching: Matching, found: Ordinals, allowed: Mask | None) -> bool:
    """Whether an allowed document outside `found` has one of the terms."""
    for part in (part for term in matching.terms for part in term.parts):
        docs = part.docs if allowed is None else part.docs[allowed.take(part.docs)]
        if len(docs) > len(found) or not np.isin(docs, found).all():
            return True
    return False


def _rest(
    matching: Matching, accelerators: dict[int, Accelerator], limit: int, allowed: Mask | None, room: Floats
) -> Ordinals:
    """Documents outside the accelerated segments that may be among the best."""
    sums = Sums(room, allowed)
    for term in matching.terms:
        sums.add(term._replace(spans=tuple(span for span in term.spans if span[0] not in accelerators)).run())
    found, _ = sums.reaching(below(sums.bar(limit), 0.0))
    sums.clear()
    return found


def write_index(segment: Segment, path: Path) -> None:
    """Build the tantivy index of a segment in an empty folder: one thread, one commit, one tantivy segment."""
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    schema.add_unsigned_field("document", fast=True)
    index = tantivy.Index(schema.build(), path=str(path))
    writer = index.writer(64_000_000 + 1_000 * len(segment.lengths), 1)
    spelled = [term.decode() for term in segment.terms()]
    for local, numbers in enumerate(documents(segment)):
        document = tantivy.Document()
        document.add_text("terms", " ".join(map(spelled.__getitem__, numbers)))
        document.add_unsigned("document", local)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    del writer, index
    gc.collect()
    for lock in path.glob(".*.lock"):
        lock.unlink()


def usable(folders: Sequence[Path | None], segments: Sequence[Segment]) -> dict[int, Accelerator]:
    """The accelerators of those segments that have an index, by place; none without tantivy."""
    try:
        opened = {
            place: Accelerator(folder, segment)
            for place, (folder, segment) in enumerate(zip(folders, segments, strict=False))
            if folder is not None
        }
    except (ImportError, ValueError, OSError):
        return {}
    return {place: accelerator for place, accelerator in opened.items() if accelerator.usable}
