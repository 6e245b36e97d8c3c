"""One row a memory: what it is now. Only rows of roots mean something."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import compiled
from ..columns import NONE, Lookup, Names, Parts, Table
from ..history import TERMS, History
from .texts import INSTRUCTION, PROTECTING, Texts

SCHEMA = {
    "root": ("i4", 0),
    "status": ("u1", 0),
    "joined_cosine": ("f4", np.nan),
    "lead": ("i4", 0),
    "members": ("i4", 0),
    "forgotten": ("u1", 0),
    "erased": ("u1", 0),
    "superseded": ("u1", 0),
    "pruned": ("u1", 0),
    "protected": ("u1", 0),
    "machine": ("u1", 0),
    "changed": ("u1", 0),
    "expires_at": ("i8", NONE),
    "pin": ("i4", -1),
    "salience": ("f8", 0.5),
    "accesses": ("i4", 0),
    "since": ("i8", 0),
    "uses_before": ("i4", 0),
    "exposed": ("u1", 0),
    "returned_at": ("i8", NONE),
}
"""`root`, `status` and `joined_cosine` belong to the text of the row; the rest to the memory that begins with it.
`changed` marks a memory whose terms are not those of its first text, `since` is when it was created or last restored,
`uses_before` the uses it had then."""

ADDED, MERGED, REINFORCED = 0, 1, 2
STATUS = ("added", "merged", "reinforced")


class Memories:
    """The state of every memory, and what few of them have.

    `terms` are those of memories whose terms are no longer the ones their first text came with, `moves` counts how
    often texts went to another memory after they had been placed. `cells` is how the rows of earlier events change.
    """

    def __init__(self, texts: Texts, history: History, table: Table | None = None) -> None:
        self.texts, self._history = texts, history
        self.table = Table(SCHEMA) if table is None else table
        self.cells = history.cells_of("memories", self.table)
        self.pins = Names()
        self.terms: dict[int, tuple[int, ...]] = {}
        self._carried: dict[int, set[int]] | None = None
        self.moves = 0
        self._joined: Lookup | None = None
        self.successors: dict[int, tuple[int, ...]] = {}
        self._predecessors: dict[int, set[int]] | None = None

    def adopt(self, table: Table) -> None:
        """Use a table that was made before."""
        self.table = self.cells.table = table
        self._joined = None

    def as_of(self, seq: int, texts: Texts) -> Memories:
        """The state at an earlier event, whose texts are `texts`; to be read only."""
        then = Memories(texts, History(), self.cells.at(seq, len(texts)))
        then.pins = self.pins
        then.terms = self._history.dict_at(seq, TERMS, self.terms)
        then.successors = self._history.dict_at(seq, "successors", self.successors)
        return then

    def root(self, ordinal: int) -> int:
        """The root of the memory a text belongs to."""
        return int(self.table["root"][ordinal])

    def resolve(self, memory: str) -> int:
        """The root of the memory an id belongs to, or -1; an erased text is nobody's."""
        ordinal = self.texts.ordinal_of(memory)
        if ordinal < 0 or self.texts.table["erased"][ordinal]:
            return -1
        return self.root(ordinal)

    def members(self, root: int) -> NDArray[np.intp]:
        """Ordinals of the texts of a memory, lowest first."""
        return np.flatnonzero(self.table["root"] == root)

    def roots(self) -> NDArray[np.bool_]:
        """Which texts begin a memory; bool by ordinal."""
        root = self.table["root"]
        begins: NDArray[np.bool_] = root == np.arange(len(root), dtype=root.dtype)
        return begins

    @property
    def joined(self) -> Lookup:
        """By memory, its texts but for the first; made when first asked for. Few memories have any."""
        if self._joined is None:
            root = self.table["root"]
            others = np.flatnonzero(~self.roots()).astype(np.int32)
            others = others[root[others].argsort(kind="stable")]
            self._joined = Lookup(root[others], others)
        return self._joined

    def live(self, root: int) -> bool:
        """Neither forgotten nor erased nor superseded."""
        table = self.table
        return not (table["forgotten"][root] or table["erased"][root] or table["superseded"][root])

    def alive(self, roots: NDArray[np.int64]) -> NDArray[np.bool_]:
        """`live` of many roots."""
        table = self.table
        gone = table["forgotten"][roots] | table["erased"][roots] | table["superseded"][roots]
        alive: NDArray[np.bool_] = gone == 0
        return alive

    def terms_of(self, root: int) -> tuple[int, ...]:
        """Codes of the memory's tags, entities and categories now."""
        changed = self.terms.get(root)
        return self.texts.own_terms(root) if changed is None else changed

    def all_terms_of(self, roots: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """`terms_of` of some memories."""
        own = zip(roots.tolist(), self.texts.own_terms_of(roots), strict=True)
        return [self.terms.get(root, codes) for root, codes in own]

    def named(self, root: int, kind: str) -> tuple[str, ...]:
        """The memory's terms of one kind (`t`, `e` or `c`), without the kind."""
        return self.named_of(np.array([root]), kind)[0]

    def named_of(self, roots: NDArray[np.int64], kind: str) -> list[tuple[str, ...]]:
        """`named` of some memories."""
        names, start, owned = self.texts.terms.names, f"{kind}:", self.all_terms_of(roots)
        return [tuple([names[code][2:] for code in codes if names[code].startswith(start)]) for codes in owned]

    def set_terms(self, root: int, codes: tuple[int, ...]) -> None:
        """Give the memory these terms, in this order, each once."""
        gained = self._gained
        self._drop_terms(root)
        self.terms[root] = tuple(dict.fromkeys(codes))
        self.cells.put("changed", root, 1)
        for code in self.terms[root]:
            gained.setdefault(code, set()).add(root)
        self.protect(root)

    @property
    def _gained(self) -> dict[int, set[int]]:
        """The memories whose terms were changed, by the terms they have; made from `terms` when first asked for."""
        if self._carried is None:
            self._carried = {}
            for root, codes in self.terms.items():
                for code in codes:
                    self._carried.setdefault(code, set()).add(root)
        return self._carried

    def _drop_terms(self, root: int) -> None:
        """The memory has again what came with its first text."""
        gained = self._gained
        earlier = self.terms.pop(root, None)
        self._history.entry(TERMS, root, earlier)
        for code in earlier or ():
            gained[code].discard(root)
        self.cells.put("changed", root, 0)

    def carrying(self) -> tuple[Parts, NDArray[np.int32], NDArray[np.uint8], dict[int, set[int]]]:
        """What says who carries a term, for a loop that looks it up itself."""
        return self.texts.by_term.parts, self.table["root"], self.table["changed"], self._gained

    def carriers(self, code: int) -> NDArray[np.int64]:
        """Roots of the memories that carry a term now, lowest first; to be read only."""
        if code < 0:
            return np.empty(0, np.int64)
        if compiled.edges is not None:
            return np.frombuffer(compiled.edges.carriers(self.carrying(), code), np.int64)
        texts = self.texts.by_term.find_array(code)
        texts = texts[self.table["changed"].take(texts) == 0]
        gained = self._gained.get(code)
        if gained:
            # A memory is among those that changed or among those that did not.
            texts = np.concatenate([texts, np.fromiter(gained, np.int32, len(gained))])
            texts.sort()
        roots: NDArray[np.int64] = texts[self.table["root"].take(texts) == texts].astype(np.int64)
        return roots

    def protect(self, root: int) -> None:
        """Work out anew whether the memory is protected."""
        instruction = self.texts.label("kind", root) == INSTRUCTION
        tagged = any(self.texts.terms.names[code] in PROTECTING for code in self.terms_of(root))
        self.cells.put("protected", root, instruction or tagged)

    def choose_lead(self, root: int) -> None:
        """The longest member leads; of equals the later. For memories whose texts were moved by a person's word."""
        self.moves += 1
        self._joined = None
        members = self.members(root)
        lengths = self.texts.table["length"][members]
        self.cells.put("lead", root, members[np.flatnonzero(lengths == lengths.max())[-1]])
        self.cells.put("members", root, len(members))
        self.cells.put("machine", root, bool(self.texts.table["machine"][members].all()))

    def add(self, rows: slice, salience: float) -> None:
        """Rows for new texts, each as the beginning of a memory of its own."""
        self.table.grow(rows.stop - rows.start)
        for name, value in self._beginning(rows, salience).items():
            self.table[name][rows] = value

    def begin(self, ordinal: int, salience: float) -> None:
        """A text begins a memory of its own, again."""
        self._joined = None
        for name, value in self._beginning(slice(ordinal, ordinal + 1), salience).items():
            self.cells.put(name, ordinal, np.ravel(value)[0])
        self._drop_terms(ordinal)
        self.set_successors(ordinal, ())
        self.revive(ordinal)

    def revive(self, root: int) -> None:
        """What a prune may have hidden is seen again; noted even if none has, since under other constants one might."""
        self.cells.put("pruned", root, 0)
        self._history.entry("revived", root, None)

    def _beginning(self, rows: slice, salience: float) -> dict[str, Any]:
        """By column, what the rows of texts that begin a memory say."""
        texts = self.texts.table
        own = texts["salience"][rows]
        return {
            "root": np.arange(rows.start, rows.stop),
            "lead": np.arange(rows.start, rows.stop),
            "members": 1,
            "forgotten": 0,
            "erased": texts["erased"][rows],
            "superseded": 0,
            "pruned": 0,
            "protected": texts["protective"][rows],
            "machine": texts["machine"][rows],
            "expires_at": texts["expires_at"][rows],
            "pin": -1,
            "salience": np.where(np.isnan(own), salience, own),
            "accesses": 0,
            "since": texts["recorded_at"][rows],
            "uses_before": texts["prior_uses"][rows],
            "exposed": 0,
            "returned_at": NONE,
        }

    def absorb(self, root: int, terms: tuple[int, ...], expires_at: int) -> None:
        """Unite terms and take the later expiry; never is latest."""
        if set(terms) - set(self.terms_of(root)):
            self.set_terms(root, (*self.terms_of(root), *terms))
        mine = int(self.table["expires_at"][root])
        self.cells.put("expires_at", root, NONE if NONE in (mine, expires_at) else max(mine, expires_at))

    def join(self, ordinal: int, root: int, status: int, cosine: float) -> None:
        """A text becomes a member of an earlier memory."""
        table, texts = self.table, self.texts.table
        table["root"][ordinal] = root
        table["status"][ordinal] = status
        table["joined_cosine"][ordinal] = cosine
        if self._joined is not None:
            self._joined.add(root, ordinal)
        put = self.cells.put
        self.cells.touched.add(ordinal)
        put("members", root, table["members"][root] + 1)
        self.revive(root)
        put("machine", root, table["machine"][root] & texts["machine"][ordinal])
        if texts["length"][ordinal] >= texts["length"][table["lead"][root]]:
            put("lead", root, ordinal)
        self.absorb(root, self.texts.own_terms(ordinal), int(texts["expires_at"][ordinal]))

    def set_successors(self, root: int, successors: tuple[int, ...]) -> None:
        """Say which memories took this one's place; none if nothing did, or does any more."""
        earlier = self.successors.pop(root, ())
        if earlier or successors:
            self._history.entry("successors", root, earlier or None)
        if successors:
            self.successors[root] = successors
        if self._predecessors is not None:
            for new in earlier:
                self._predecessors[new].discard(root)
            for new in successors:
                self._predecessors.setdefault(new, set()).add(root)

    @property
    def predecessors(self) -> dict[int, set[int]]:
        """`successors` the other way round; made when first asked for."""
        if self._predecessors is None:
            self._predecessors = {}
            for old, successors in self.successors.items():
                for new in successors:
                    self._predecessors.setdefault(new, set()).add(old)
        return self._predecessors

    def superseded_by(self, root: int) -> tuple[int, ...]:
        """Roots, of today, that took this memory's place."""
        return tuple(dict.fromkeys(self.root(new) for new in self.successors.get(root, ())))

    def reaches(self, start: int, goal: int) -> bool:
        """Whether following successors from `start` leads to `goal`."""
        todo, seen = [start], set()
        while todo:
            root = todo.pop()
            if root == goal:
                return True
            if root not in seen:
                seen.add(root)
                todo.extend(self.superseded_by(root))
        return False
