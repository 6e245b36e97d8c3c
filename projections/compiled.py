"""The inner loops that are compiled where there is a C compiler; both None where there was none.

Without them NumPy gives the same answers, to the last bit, and a large store takes about a third longer to recall:
docs/decisions/projections-compiled.md.
"""

from __future__ import annotations

from types import ModuleType

postings: ModuleType | None
"""`text/_postings.c`."""

vectors: ModuleType | None
"""`vector/_sieve.c`."""

try:
    from .text import _postings
    from .vector import _sieve
except ImportError:
    postings = vectors = None
else:
    postings, vectors = _postings, _sieve
