"""What is believed: the ledger, the effectiveness table and the graph, folded together in one pass.

The three are separate rooms with one order between them: membership decides
which memory an event speaks of, effectiveness learns from it, a prune reads
effectiveness. `Beliefs.apply` takes events one by one and hands each to the
rule for its type; an event without a rule changes nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..constants import DAY, OUTCOMES, Constants
from ..eventlog import events as ev
from ..eventlog.events import Endpoint, Recorded
from .columns import NONE
from .effectiveness.learning import Effectiveness, Use, context_of
from .graph.edges import Graph
from .ledger.membership import Measurer, Membership
from .ledger.memories import ADDED, Memories
from .ledger.texts import Texts


class Beliefs:
    """The fold of a log prefix under one set of constants.

    Attributes:
        seq: The last event applied.
        texts, memories, effectiveness, graph: The state.
        fingerprint: The embedder that queries use at this point, if any.
        adoptions: Events that put constants in force.
        unresolved: How often an event named what is not there.
        masks: What recall has worked out of the state, by name; another dict when more than use changes,
            so that a reader never adds to it what it began to work out before.
        ignored: (seq, why) of events that could not take effect.
        unknown: Events of types this release does not know.
    """

    def __init__(self, constants: Constants, measurer: Measurer, *, owner: str | None = None) -> None:
        self.constants = constants
        self.texts = Texts(owner)
        self.memories = Memories(self.texts)
        self.effectiveness = Effectiveness(constants)
        self.graph = Graph()
        self.membership = Membership(self.texts, self.memories, constants, measurer)
        self.seq = 0
        self.arrived = 0
        self.fingerprint: str | None = None
        self.adoptions: list[int] = []
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
                rule(self, recorded, recorded.event)
                if rule not in QUIET:
                    self.masks = {}
            self.seq = recorded.seq
        self.effectiveness.flush()
        self.graph.settle()

    def _add_texts(self, stored: Sequence[Recorded]) -> None:
        if not stored:
            return
        rows, constants = self.texts.add(stored), self.constants
        self.memories.add(rows, constants.salience_initial)
        table, labels = self.texts.table, self.texts.labels.names
        origins = table["origin"][rows]
        initial = np.full(len(origins), constants.initial("normal"))
        for code in set(origins.tolist()) - {-1}:
            initial[origins == code] = constants.initial(labels[code])
        prior = table["prior"][rows]
        self.effectiveness.add(
            rows,
            effectiveness=np.where(np.isnan(prior), initial, prior),
            uses=table["prior_uses"][rows],
            hits=table["prior_hits"][rows],
            recorded_at=table["recorded_at"][rows],
        )

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


# -- rules ---------------------------------------------------------------------


def _created(beliefs: Beliefs, recorded: Recorded, event: ev.StoreCreated) -> None:
    beliefs.adoptions.append(recorded.seq)
    beliefs.fingerprint = event.fingerprint


def _adopted(beliefs: Beliefs, recorded: Recorded, _: ev.ConstantsAdopted) -> None:
    beliefs.adoptions.append(recorded.seq)


def _embedder(beliefs: Beliefs, _: Recorded, event: ev.EmbedderAdopted) -> None:
    beliefs.fingerprint = event.fingerprint


def is_text(event: ev.Event) -> bool:
    """Whether an event counts as a text, perhaps as the hole of an erased one."""
    return isinstance(event, ev.MemoryStored) or (isinstance(event, ev.ErasedEvent) and event.kind == "memory_stored")


def _stored(beliefs: Beliefs, _: Recorded, event: ev.MemoryStored | ev.ErasedEvent) -> None:
    if not is_text(event):
        return
    ordinal = beliefs.arrived
    beliefs.arrived += 1
    if isinstance(event, ev.ErasedEvent):
        return
    placement = beliefs.membership.place(ordinal)
    beliefs.graph.begin(ordinal, ((found.root, found.cosine) for found in placement.similar))
    if placement.status != ADDED:
        beliefs.memories.join(ordinal, placement.root, placement.status, placement.cosine)
    for relation in event.relations:
        target = beliefs.resolve(relation.target)
        if target >= 0:
            weight = 1.0 if relation.confidence is None else relation.confidence
            beliefs.graph.add(placement.root, target, relation.relation, weight)
    for source in event.provenance.derived_from:
        target = beliefs.resolve(source)
        if target >= 0:
            beliefs.graph.add(placement.root, target, "derives", 1.0)


def _begin(beliefs: Beliefs, ordinal: int) -> None:
    """The text `ordinal` begins a memory again, with a new record."""
    texts, constants = beliefs.texts, beliefs.constants
    beliefs.memories.begin(ordinal, constants.salience_initial)
    prior = float(texts.table["prior"][ordinal])
    origin = texts.label("origin", ordinal) or "normal"
    beliefs.effectiveness.begin(
        ordinal,
        effectiveness=constants.initial(origin) if np.isnan(prior) else prior,
        uses=int(texts.table["prior_uses"][ordinal]),
        hits=int(texts.table["prior_hits"][ordinal]),
        recorded_at=int(texts.table["recorded_at"][ordinal]),
    )


def _superseded(beliefs: Beliefs, recorded: Recorded, event: ev.MemorySuperseded) -> None:
    old, new = beliefs.resolve(event.old), beliefs.resolve(event.new)
    memories = beliefs.memories
    if min(old, new) < 0:
        return
    if old == new or memories.reaches(new, old):
        beliefs.ignored.append((recorded.seq, "both ids are one memory" if old == new else "supersession in a circle"))
        return
    memories.table["superseded"][old] = 1
    memories.set_successors(old, tuple(dict.fromkeys((*memories.successors.get(old, ()), new))))
    beliefs.graph.add(new, old, "updates", 1.0)


def _restored(beliefs: Beliefs, recorded: Recorded, event: ev.MemoryRestored) -> None:
    root = beliefs.resolve(event.memory)
    if root < 0:
        return
    beliefs.effectiveness.flush()
    table = beliefs.memories.table
    for name in ("forgotten", "pruned", "superseded"):
        table[name][root] = 0
    beliefs.memories.set_successors(root, ())
    table["since"][root] = recorded.recorded_at
    table["uses_before"][root] = beliefs.effectiveness.table["uses"][root]


def _forgotten(beliefs: Beliefs, _: Recorded, event: ev.MemoryForgotten) -> None:
    root = beliefs.resolve(event.memory)
    if root >= 0:
        beliefs.memories.table["forgotten"][root] = 1


def _erased(beliefs: Beliefs, _: Recorded, event: ev.MemoryErased) -> None:
    for memory in event.memories:
        root = beliefs.resolve(memory)
        if root >= 0:
            beliefs.memories.table["erased"][root] = 1


def _overruled(beliefs: Beliefs, recorded: Recorded, event: ev.MembershipOverruled) -> None:
    if event.verdict == "same" and event.second is not None:
        _unite(beliefs, event.first, event.second)
    elif event.verdict == "different":
        _part(beliefs, recorded.seq, event.first)


def _unite(beliefs: Beliefs, first: str, second: str) -> None:
    roots = beliefs.resolve(first), beliefs.resolve(second)
    if min(roots) < 0:
        return
    older, younger = min(roots), max(roots)
    if older == younger:
        return
    memories = beliefs.memories
    terms, expires_at = memories.terms_of(younger), int(memories.table["expires_at"][younger])
    memories.table["root"][memories.members(younger)] = older
    memories.absorb(older, terms, expires_at)
    memories.choose_lead(older)
    memories.set_successors(younger, ())
    _forget_itself(beliefs, older)


def _forget_itself(beliefs: Beliefs, root: int) -> None:
    """A memory that was united with its successor is not superseded by itself."""
    memories = beliefs.memories
    others = tuple(new for new in memories.successors.get(root, ()) if memories.root(new) != root)
    memories.table["superseded"][root] = bool(others)
    memories.set_successors(root, others)


def _part(beliefs: Beliefs, seq: int, memory: str) -> None:
    root, ordinal = beliefs.resolve(memory), beliefs.texts.ordinal_of(memory)
    if root < 0:
        return
    if root == ordinal:
        if beliefs.memories.table["members"][root] > 1:
            beliefs.ignored.append((seq, "the text is the root of its memory"))
        return
    beliefs.effectiveness.flush()
    _begin(beliefs, ordinal)
    beliefs.memories.choose_lead(root)


def _annotated(beliefs: Beliefs, _: Recorded, event: ev.MemoryAnnotated) -> None:
    root = beliefs.resolve(event.memory)
    if root < 0:
        return
    memories, code = beliefs.memories, beliefs.texts.terms.code
    gone = [f"t:{tag}" for tag in event.remove_tags]
    gone += [f"e:{key}" for key in event.remove_entities]
    gone += [f"c:{key}" for key in event.remove_categories]
    new = [f"t:{tag}" for tag in event.add_tags]
    new += [f"e:{term.key}" for term in event.add_entities]
    new += [f"c:{term.key}" for term in event.add_categories]
    if gone or new:
        removed = {code(name) for name in gone}
        kept = tuple(term for term in memories.terms_of(root) if term not in removed)
        memories.set_terms(root, (*kept, *(code(name) for name in new)))
    table = memories.table
    if event.expires_at is not None:
        table["expires_at"][root] = event.expires_at
    if event.pin is not None:
        table["pin"][root] = memories.pins.code(event.pin)
    if event.salience is not None:
        table["salience"][root] = event.salience
    cleared = {"expires_at": NONE, "pin": -1, "salience": beliefs.constants.salience_initial}
    for name in event.clear:
        if name in cleared:
            table[name][root] = cleared[name]


def _reinforced(beliefs: Beliefs, _: Recorded, event: ev.MemoryReinforced) -> None:
    root = beliefs.resolve(event.memory)
    if root >= 0:
        table = beliefs.memories.table
        table["accesses"][root] += 1
        table["salience"][root] = min(1.0, float(table["salience"][root]) + beliefs.constants.salience_step)


def _linked(beliefs: Beliefs, _: Recorded, event: ev.MemoriesLinked) -> None:
    source, target = beliefs.end(event.source), beliefs.end(event.target)
    if source is not None and target is not None:
        beliefs.graph.add(source, target, event.relation, event.weight)


def _unlinked(beliefs: Beliefs, _: Recorded, event: ev.MemoriesUnlinked) -> None:
    beliefs.graph.remove(beliefs.ends(event.source), beliefs.ends(event.target), event.relation)


def _recalled(beliefs: Beliefs, recorded: Recorded, event: ev.MemoriesRecalled) -> None:
    table = beliefs.memories.table
    for returned in event.returned:
        root = beliefs.resolve(returned.id)
        if root >= 0:
            table["returned_at"][root] = recorded.recorded_at
    for memory in event.injected:
        root = beliefs.resolve(memory)
        if root >= 0:
            table["exposed"][root] = 1


def _feedback(beliefs: Beliefs, recorded: Recorded, event: ev.FeedbackGiven) -> None:
    if event.outcome not in OUTCOMES:
        beliefs.unresolved += 1
        return
    outcome = beliefs.constants.outcome(event.outcome)
    context, fingerprint = None, beliefs.texts.labels.code(beliefs.fingerprint)
    if event.context_vector is not None and event.context_vector.fingerprint == beliefs.fingerprint:
        context = context_of(event.context_vector.rows, event.context_vector.dtype)
    for root, weight in exposed(event, beliefs.constants, beliefs.resolve).items():
        beliefs.memories.table["exposed"][root] = 1
        if weight is not None:
            causal = weight >= 0.0
            beliefs.effectiveness.use(Use(root, recorded.recorded_at, causal, weight, outcome, context, fingerprint))


def exposed(event: ev.FeedbackGiven, constants: Constants, resolve: Callable[[str], int]) -> dict[int, float | None]:
    """What a feedback says of each memory: a weight in [0, 1] for a cause, -1 for none, None where nothing is known.

    `resolve` gives the root of an id, or -1.
    """
    used = None if event.used is None else {resolve(memory) for memory in event.used}
    causal = constants.threshold(event.fingerprint).causal
    ramp = 1.0 - causal if constants.causal_ramp is None else constants.causal_ramp
    result: dict[int, float | None] = {}
    for exposure in event.exposures:
        root = resolve(exposure.id)
        if root < 0:
            continue
        weight: float | None = None
        if used is not None:
            weight = 1.0 if root in used else -1.0
        elif exposure.similarity is not None:
            weight = -1.0
            if exposure.similarity >= causal:
                weight = 1.0 if ramp <= 0.0 else min(1.0, (exposure.similarity - causal) / ramp)
        before = result.setdefault(root, weight)
        if before is None or (before < 0.0 and weight is not None and weight >= 0.0):
            result[root] = weight
    return result


def _pruned(beliefs: Beliefs, _: Recorded, event: ev.PruneTicked) -> None:
    doomed = prunable(beliefs, event.clock)
    beliefs.memories.table["pruned"][doomed] = 1


def prunable(beliefs: Beliefs, clock: int) -> NDArray[np.int64]:
    """Roots that a prune at `clock` hides, lowest first. Rules: docs/fold.md, "State changes"."""
    beliefs.effectiveness.flush()
    constants, table, learned = beliefs.constants, beliefs.memories.table, beliefs.effectiveness
    arrived = np.arange(len(table)) < beliefs.arrived
    busy = table["forgotten"] | table["erased"] | table["superseded"] | table["pruned"] | table["protected"]
    own = table["root"] == np.arange(len(table))
    roots = np.flatnonzero(own & arrived & (busy == 0) & (table["pin"] < 0))
    value = learned.value(roots, clock)
    adjusted = learned.adjusted(roots, value)
    uses = learned.table["uses"][roots] - table["uses_before"][roots]
    ghost = round(constants.prune_ghost_days * DAY)
    returned = table["returned_at"][roots]
    unseen = (
        (table["machine"][roots] == 1)
        & (clock - table["since"][roots] > ghost)
        & (table["exposed"][roots] == 0)
        & ((returned == NONE) | (returned <= clock - ghost))
    )
    poor = (value < constants.prune_threshold) & (uses >= constants.prune_min_uses)
    idle = (adjusted < constants.prune_threshold) & (uses >= constants.prune_exposures)
    hidden: NDArray[np.int64] = roots[poor | idle | unseen]
    return hidden


def _unknown(beliefs: Beliefs, _: Recorded, __: ev.UnknownEvent) -> None:
    beliefs.unknown += 1


RULES: dict[type[ev.Event], Callable[[Beliefs, Recorded, Any], None]] = {
    ev.StoreCreated: _created,
    ev.ConstantsAdopted: _adopted,
    ev.EmbedderAdopted: _embedder,
    ev.MemoryStored: _stored,
    ev.ErasedEvent: _stored,
    ev.MemorySuperseded: _superseded,
    ev.MemoryRestored: _restored,
    ev.MemoryForgotten: _forgotten,
    ev.MemoryErased: _erased,
    ev.MembershipOverruled: _overruled,
    ev.MemoryAnnotated: _annotated,
    ev.MemoryReinforced: _reinforced,
    ev.MemoriesLinked: _linked,
    ev.MemoriesUnlinked: _unlinked,
    ev.MemoriesRecalled: _recalled,
    ev.FeedbackGiven: _feedback,
    ev.PruneTicked: _pruned,
    ev.UnknownEvent: _unknown,
}
"""The rule for each event type that shapes a belief."""

QUIET = frozenset({_recalled, _feedback})
"""Rules that change neither what a memory is nor who may see it."""
