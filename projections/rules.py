"""What each type of event does to the beliefs: one rule a type, applied in the order of the log.

Rules: docs/fold.md. An event without a rule changes no belief. A cell of a
memory that was there before is changed through `Memories.cells`, so that what
it was stays known (`history.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..constants import OUTCOMES
from ..eventlog import events as ev
from ..eventlog.events import Recorded
from .columns import NONE
from .effectiveness.exposures import UNSAID, UNUSED, USED, Context, Feedback, Shown, similarity_of
from .ledger.memories import ADDED
from .pruning import prunable

if TYPE_CHECKING:
    from .beliefs import Beliefs


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


def _begin(beliefs: Beliefs, seq: int, ordinal: int) -> None:
    """The text `ordinal` begins a memory again, with a new record."""
    beliefs.memories.begin(ordinal, beliefs.constants.salience_initial)
    beliefs.effectiveness.begin(seq, ordinal)


def _superseded(beliefs: Beliefs, recorded: Recorded, event: ev.MemorySuperseded) -> None:
    old, new = beliefs.resolve(event.old), beliefs.resolve(event.new)
    memories = beliefs.memories
    if min(old, new) < 0:
        return
    if old == new or memories.reaches(new, old):
        beliefs.ignored.append((recorded.seq, "both ids are one memory" if old == new else "supersession in a circle"))
        return
    memories.cells.put("superseded", old, 1)
    memories.set_successors(old, tuple(dict.fromkeys((*memories.successors.get(old, ()), new))))
    beliefs.graph.add(new, old, "updates", 1.0)


def _restored(beliefs: Beliefs, recorded: Recorded, event: ev.MemoryRestored) -> None:
    root = beliefs.resolve(event.memory)
    if root < 0:
        return
    put = beliefs.memories.cells.put
    for name in ("forgotten", "superseded"):
        put(name, root, 0)
    beliefs.memories.revive(root)
    beliefs.memories.set_successors(root, ())
    put("since", root, recorded.recorded_at)
    put("uses_before", root, beliefs.effectiveness.table["uses"][root])


def _forgotten(beliefs: Beliefs, _: Recorded, event: ev.MemoryForgotten) -> None:
    root = beliefs.resolve(event.memory)
    if root >= 0:
        beliefs.memories.cells.put("forgotten", root, 1)


def _erased(beliefs: Beliefs, _: Recorded, event: ev.MemoryErased) -> None:
    for memory in event.memories:
        root = beliefs.resolve(memory)
        if root >= 0:
            beliefs.memories.cells.put("erased", root, 1)


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
    memories.cells.put_many("root", memories.members(younger), older)
    memories.absorb(older, terms, expires_at)
    memories.choose_lead(older)
    memories.set_successors(younger, ())
    _forget_itself(beliefs, older)


def _forget_itself(beliefs: Beliefs, root: int) -> None:
    """A memory that was united with its successor is not superseded by itself."""
    memories = beliefs.memories
    others = tuple(new for new in memories.successors.get(root, ()) if memories.root(new) != root)
    memories.cells.put("superseded", root, bool(others))
    memories.set_successors(root, others)


def _part(beliefs: Beliefs, seq: int, memory: str) -> None:
    root, ordinal = beliefs.resolve(memory), beliefs.texts.ordinal_of(memory)
    if root < 0:
        return
    if root == ordinal:
        if beliefs.memories.table["members"][root] > 1:
            beliefs.ignored.append((seq, "the text is the root of its memory"))
        return
    _begin(beliefs, seq, ordinal)
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
    put = memories.cells.put
    if event.expires_at is not None:
        put("expires_at", root, event.expires_at)
    if event.pin is not None:
        put("pin", root, memories.pins.code(event.pin))
    if event.salience is not None:
        put("salience", root, event.salience)
    cleared = {"expires_at": NONE, "pin": -1, "salience": beliefs.constants.salience_initial}
    for name in event.clear:
        if name in cleared:
            put(name, root, cleared[name])


def _reinforced(beliefs: Beliefs, _: Recorded, event: ev.MemoryReinforced) -> None:
    root = beliefs.resolve(event.memory)
    if root >= 0:
        table, put = beliefs.memories.table, beliefs.memories.cells.put
        put("accesses", root, table["accesses"][root] + 1)
        put("salience", root, min(1.0, float(table["salience"][root]) + beliefs.constants.salience_step))


def _linked(beliefs: Beliefs, _: Recorded, event: ev.MemoriesLinked) -> None:
    source, target = beliefs.end(event.source), beliefs.end(event.target)
    if source is not None and target is not None:
        beliefs.graph.add(source, target, event.relation, event.weight)


def _unlinked(beliefs: Beliefs, _: Recorded, event: ev.MemoriesUnlinked) -> None:
    beliefs.graph.remove(beliefs.ends(event.source), beliefs.ends(event.target), event.relation)


def _recalled(beliefs: Beliefs, recorded: Recorded, event: ev.MemoriesRecalled) -> None:
    put = beliefs.memories.cells.put
    for returned in event.returned:
        root = beliefs.resolve(returned.id)
        if root >= 0:
            put("returned_at", root, recorded.recorded_at)
    for memory in event.injected:
        root = beliefs.resolve(memory)
        if root >= 0:
            put("exposed", root, 1)


def _feedback(beliefs: Beliefs, recorded: Recorded, event: ev.FeedbackGiven) -> None:
    if event.outcome not in OUTCOMES:
        beliefs.unresolved += 1
        return
    used = None if event.used is None else {beliefs.resolve(memory) for memory in event.used}
    shown: list[Shown] = []
    first: dict[int, int] = {}
    for exposure in event.exposures:
        root = beliefs.resolve(exposure.id)
        if root >= 0:
            beliefs.memories.cells.put("exposed", root, 1)
            said = UNSAID if used is None else USED if root in used else UNUSED
            again = len(shown) - first.setdefault(root, len(shown))
            shown.append(Shown(root, similarity_of(exposure), said, again))
    context, vector = None, event.context_vector
    if vector is not None and vector.rows and vector.fingerprint == beliefs.fingerprint:
        context = Context(vector.rows[0], vector.dtype)
    labels, outcome = beliefs.texts.labels, OUTCOMES.index(event.outcome)
    printed = -1 if context is None else labels.code(beliefs.fingerprint)
    feedback = Feedback(recorded.seq, recorded.recorded_at, outcome, labels.code(event.fingerprint), printed, context)
    beliefs.effectiveness.show(feedback, shown)


def _pruned(beliefs: Beliefs, recorded: Recorded, event: ev.PruneTicked) -> None:
    beliefs.prunes.append((recorded.seq, event.clock))
    doomed = prunable(beliefs, event.clock)
    beliefs.memories.cells.put_many("pruned", doomed, 1)


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
