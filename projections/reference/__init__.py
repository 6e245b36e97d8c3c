"""The reference fold: the definition of every belief, one event at a time.

Plain objects and plain loops. The columns used in production must give the
same bits (`tests/laws`); where the two differ, this one is right or this one
is changed first. `docs/fold.md` says the same in words.
"""

from .edges import SIMILAR, Edges, Node
from .fold import Reference
from .memory import Memory, Text

__all__ = ["SIMILAR", "Edges", "Memory", "Node", "Reference", "Text"]
