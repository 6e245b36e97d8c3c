"""What is believed: the ledger, the effectiveness table and the graph, folded together in one pass.

The three are separate rooms with one order between them: membership decides
which memory an event speaks of, effectiveness learns from it, a prune reads
effectiveness. `Beliefs.apply` takes events one by one and hands each to the
rule for its type; an event without a rule changes nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from ..constants import Constants
from ..eventlog import events as ev
from ..eventlog.events import Endpoint, Recorded
from .effectiveness.learning import Effectiveness, Reader
from .graph.edges import Graph
from .history import History
from .ledger.membership import Measurer, Membership
from .ledger.memories import Memories
from .ledger.texts import Texts
from .rules import QUIET, RULES, is_text


class Beliefs:
    """The fold of a log prefix under one set of constants.

    `texts` are those of another fold of the same log, which reach at least as far as this one will go: no constant
    changes them, so they need not be made again.

    Attributes:
        seq: The last event applied.
        texts, memories, effectiveness, graph: The state.
        fingerprint: The embedder that queries use at this point, if any.
        adoptions: Events that put constants in force.
        prunes: (seq, clock) of the prunes.
        unresolved: How often an event named what is not there.
        masks: What recall has worked out of the state, by name; another dict when more than use changes,
            so that a reader never adds to it what it began to work out before.
        ignored: (seq, why) of events that could not take effect.
        unknown: Events of types this release does not know.
    """

    def __init__(
        self,
        constants: Constants,
        measurer: Measurer,
        *,
        owner: str | None = None,
        texts: Texts | None = None,
        contexts: Reader | None = None,
    ) -> None:
        self.constants = constants
        self.history = History()
        self.texts = Texts(owner) if texts is None else texts
        self.memories = Memories(self.texts, self.history)
        self.effectiveness = Effectiveness(constants, self.texts, contexts)
        self.graph = Graph(self.history)
        self.membership = Membership(self.texts, self.memories, constants, measurer)
        self.seq = 0
        self.arrived = 0
        self.fingerprint: str | None = None
        self.adoptions: list[int] = []
        self.prunes: list[tuple[int, int]] = []
        self.unresolved = 0
        self.unknown = 0
        self.ignored: list[tuple[int, str]] = []
        self.masks: dict[tuple[object, ...], NDArray[Any]] = {}

    def apply(self, batch: Sequence[Recorded]) -> None:
        """Apply events in order; those at or below `seq` are skipped, so twice equals once.

        The rows of a batch's texts are made together, beforehand; `arrived` says which of them count already.
        """
        fresh = [recorded for recorded in batch if recorded.seq > self.seq]
        if self.seq == 0 and fresh and isinstance(fresh[0].event, ev.StoreCreated):
            self.texts.owner = fresh[0].event.owner
        self._add_texts([recorded for recorded in fresh if is_text(recorded.event)])
        for recorded in fresh:
            rule = RULES.get(type(recorded.event))
            if rule is not None:
                self.history.seq, before = recorded.seq, self.values
                rule(self, recorded, recorded.event)
                if self.values != before:
                    self.history.entry("values", 0, before)
                if rule not in QUIET:
                    self.masks = {}
            self.seq = recorded.seq
        self.graph.settle()
        self.memories.cells.settle()

    def _add_texts(self, stored: Sequence[Recorded]) -> None:
        if not stored:
            return
        constants, first = self.constants, len(self.memories.table)
        rows = slice(first, first + len(stored)) if first < len(self.texts) else self.texts.add(stored)
        self.memories.add(rows, constants.salience_initial)
        self.effectiveness.add(rows)
        self.membership.foresee(rows)

    @property
    def values(self) -> tuple[str | None, int, int, int]:
        """What is neither table nor dict: the embedder, and counts of `unresolved`, `unknown` and computed pairs."""
        return self.fingerprint, self.unresolved, self.unknown, self.membership.pairs_computed

    def _put_back(self, values: Sequence[Any]) -> None:
        self.fingerprint, self.unresolved, self.unknown, self.membership.pairs_computed = values

    @property
    def start(self) -> int:
        """The earliest event that `as_of` can go back to; 0 unless what was noted of the past was lost."""
        self.history.load()
        return max(self.history.start, self.effectiveness.start)

    def as_of(self, seq: int) -> Beliefs:
        """The beliefs at an earlier event under the same constants: to be read, never to be added to.

        They are those of a fold of the first `seq` events, bit for bit, and cost what has changed since.

        Args:
            seq: From `start` to `self.seq`.
        """
        self.history.load()
        then = Beliefs(self.constants, self.membership.measurer, texts=self.texts.as_of(seq))
        then.seq = seq
        then.arrived = len(then.texts)
        then.memories = self.memories.as_of(seq, then.texts)
        then.effectiveness = self.effectiveness.as_of(seq, then.arrived)
        then.graph = self.graph.as_of(seq)
        then.membership = Membership(then.texts, then.memories, self.constants, self.membership.measurer)
        then._put_back(self.history.value_at(seq, "values", self.values))
        then.adoptions = [adopted for adopted in self.adoptions if adopted <= seq]
        then.prunes = [(pruned, clock) for pruned, clock in self.prunes if pruned <= seq]
        then.ignored = [(ignored, why) for ignored, why in self.ignored if ignored <= seq]
        return then

    def resolve(self, memory: str) -> int:
        """The root of the memory an id belongs to, or -1, which is counted."""
        ordinal = self.texts.ordinal_of(memory)
        if not 0 <= ordinal < self.arrived or self.texts.table["erased"][ordinal]:
            self.unresolved += 1
            return -1
        return self.memories.root(ordinal)

    def end(self, endpoint: Endpoint) -> int | None:
        """The graph's number for an endpoint; None where it names no memory."""
        if endpoint.kind != "memory":
            return self.graph.end(endpoint.kind, endpoint.id)
        root = self.resolve(endpoint.id)
        return None if root < 0 else root

    def ends(self, endpoint: Endpoint) -> set[int]:
        """Every number under which the graph may know an endpoint."""
        end = self.end(endpoint)
        if end is None:
            return set()
        return {end} if end < 0 else set(self.memories.members(end).tolist())
