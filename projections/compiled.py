"""The inner loops that are compiled where there is a C compiler; all None where there was none.

Without them NumPy gives the same answers, to the last bit, and a large store takes longer to recall:
docs/decisions/projections-compiled.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

edges: ModuleType | None
"""`graph/_edges.c`."""

postings: ModuleType | None
"""`text/_postings.c`."""

standing: ModuleType | None
"""`effectiveness/_standing.c`."""

terms: ModuleType | None
"""`text/_terms.c`."""

vectors: ModuleType | None
"""`vector/_sieve.c`."""

try:
    from .effectiveness import _standing
    from .graph import _edges
    from .text import _postings, _terms
    from .vector import _sieve
except ImportError:
    edges = postings = standing = terms = vectors = None
else:
    edges, postings, standing, terms, vectors = _edges, _postings, _standing, _terms, _sieve


@contextmanager
def numpy_alone() -> Iterator[None]:
    """Have NumPy do all the work, in this process, for as long as this lasts; for tests and benchmarks."""
    global edges, postings, standing, terms, vectors  # noqa: PLW0603 - they are looked up where they are used
    loops = edges, postings, standing, terms, vectors
    edges = postings = standing = terms = vectors = None
    try:
        yield
    finally:
        edges, postings, standing, terms, vectors = loops
