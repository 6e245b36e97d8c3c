"""The beliefs after a prefix of the log, and how names lead to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ...constants import Constants
from ...eventlog.events import Endpoint
from .edges import Edges, Node
from .memory import IndexedForm, Memory, Text
from .pairs import Rows

Status = Literal["added", "merged", "reinforced", "erased"]

HOLE = -1
"""`root_of` where an erased text left a hole."""


class State:
    """Everything the fold knows.

    Attributes:
        constants: Those that serve the whole prefix.
        owner: Whose private memories are those that name no user.
        seq: The last event applied.
        fingerprint: The embedder the store uses at that point.
        texts: Each text by ordinal; None is the hole of an erased one.
        memories: Each memory by its root's ordinal.
        root_of: The root of the memory each text belongs to now, by ordinal.
        status: What became of each text at its own seq, by ordinal.
        reason: The root a text joined at its own seq and the cosine that decided (None: the exact form did).
        edges: Edges between memories, and declared ones to anything else.
        vectors: What was recorded for a text, by (ordinal, fingerprint).
        exact_repeats: Texts by exact form, in order.
        indexed_repeats: Texts by indexed form, in order.
        pairs_computed: Cosines computed because the evidence did not reach down to them.
        unresolved: Names in events that stood for nothing.
        ignored: Events without effect, as (seq, why).
        unknown_events: Events of a type this version does not know.
        erased_events: Events whose payload is destroyed.
    """

    def __init__(self, constants: Constants, owner: str | None = None) -> None:
        """An empty prefix; `owner` None is the one that the genesis will name."""
        self.constants = constants
        self.owner = owner
        self.seq = 0
        self.fingerprint: str | None = None
        self.texts: list[Text | None] = []
        self.memories: dict[int, Memory] = {}
        self.root_of: list[int] = []
        self.status: list[Status] = []
        self.reason: list[tuple[int, float | None] | None] = []
        self.edges = Edges(self.node_now)
        self.vectors: dict[tuple[int, str], Rows] = {}
        self.exact_repeats: dict[str, list[int]] = {}
        self.indexed_repeats: dict[IndexedForm, list[int]] = {}
        self.pairs_computed = 0
        self.unresolved = 0
        self.ignored: list[tuple[int, str]] = []
        self.unknown_events = 0
        self.erased_events = 0
        self._ordinal_of_id: dict[str, int] = {}
        self._ordinal_of_seq: dict[int, int] = {}

    def number(self, seq: int, text: Text | None) -> None:
        """Give the next ordinal to a text, or to the hole of an erased one."""
        ordinal = len(self.texts)
        self.texts.append(text)
        self._ordinal_of_seq[seq] = ordinal
        if text is not None:
            self.exact_repeats.setdefault(text.form, []).append(ordinal)
            self.indexed_repeats.setdefault(text.indexed_form, []).append(ordinal)
            if text.id is not None:
                self._ordinal_of_id[text.id] = ordinal

    def text_of(self, ordinal: int) -> Text:
        """The text of a memory's member."""
        text = self.texts[ordinal]
        if text is None:
            raise LookupError(f"text {ordinal} is erased")
        return text

    def text_at(self, seq: int) -> Text | None:
        """The text stored at this seq, if there is one and it is not erased."""
        ordinal = self._ordinal_of_seq.get(seq)
        return None if ordinal is None else self.texts[ordinal]

    def ordinal(self, memory_id: str) -> int | None:
        """The text with this very id."""
        return self._ordinal_of_id.get(memory_id)

    def resolve(self, memory_id: str) -> int | None:
        """The root of the memory this id belongs to now; None when there is no such text."""
        ordinal = self._ordinal_of_id.get(memory_id)
        return None if ordinal is None else self.root_of[ordinal]

    def named(self, *memory_ids: str | None) -> list[Memory | None]:
        """The memories that an event names, in order; a name that stands for nothing is counted."""
        return [self._named(memory_id) for memory_id in memory_ids]

    def known(self, memory_ids: Iterable[str]) -> list[Memory]:
        """`named`, without the names that stand for nothing."""
        return [memory for memory in self.named(*memory_ids) if memory is not None]

    def _named(self, memory_id: str | None) -> Memory | None:
        root = None if memory_id is None else self.resolve(memory_id)
        if root is None:
            self.unresolved += 1
            return None
        return self.memories[root]

    def node(self, end: Endpoint) -> Node | None:
        """The node at a link's end; a memory that stands for nothing is counted."""
        if end.kind != "memory":
            return end.kind, end.id
        memory = self._named(end.id)
        return None if memory is None else memory.root

    def node_now(self, node: Node) -> Node:
        """What a node of an earlier seq stands for now."""
        return self.root_of[node] if isinstance(node, int) else node
