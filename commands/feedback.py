"""`feedback`: say how it went, so that what helped rises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..constants import OUTCOMES
from ..errors import InvalidInput
from ..eventlog.events import Event, Exposure, FeedbackGiven, MemoriesRecalled, Vectors
from ..projections.beliefs import Beliefs
from ..projections.effectiveness.learning import Use
from ..projections.effectiveness.verdicts import exposed
from ..recall.view import View
from . import checks
from .appending import Locked, append_decided, before
from .recall import recorded_vector
from .seeing import recall_by, visible_text

if TYPE_CHECKING:
    from .opened import OpenStore

Given = str | tuple[str, float | None]
"""An id, or (id, similarity)."""


class Updated(msgspec.Struct, frozen=True, kw_only=True):
    """What a feedback did to one memory: effectiveness before and after, whether it was a cause, with what weight."""

    id: str
    before: float
    after: float
    causal: bool
    weight: float
    note: str | None = None


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """What a feedback did."""

    seq: int
    outcome: str
    updated: tuple[Updated, ...]
    repeated: bool = False


def feedback(
    self: OpenStore,
    recall_id: str | None = None,
    *,
    outcome: str,
    ids: Sequence[Given] = (),
    used: Sequence[str] | None = None,
    context: str | None = None,
    source: Literal["agent", "user", "synthesis"] = "user",
    user: str | None = None,
    key: str | None = None,
) -> Feedback:
    """Report an outcome for the memories of a recall, or for memories by id.

    Which memories were causes: those named in `used`, if given; else those whose similarity to the context reaches the
    causal threshold. An id without a similarity and without a context counts as a full cause.

    Args:
        self: The store.
        recall_id: A recall; its results (or what of them was injected) are the exposures, its query is the context.
        outcome: delivered, plan_complete, partial or blocked.
        ids: Ids, or (id, similarity) with a cosine in [-1, 1], instead of or besides a recall.
        used: Ids that the agent says it used; an empty list says none.
        context: What was worked on; similarities that are not given are measured against it.
        source: Who reports.
        user: Who acts; the store's owner if not given. Memories that they may not see and recalls of others are
            not found.
        key: The same key reports once, for ever.

    Raises:
        InvalidInput: The outcome is unknown, a similarity is out of range, or nothing is named.
        NotFound: A recall or memory is unknown; nothing is recorded.
        ContentRejected: The context may not be shown to a model again.
    """
    checks.check_choice(outcome, OUTCOMES, what="outcome")
    checks.check_choice(source, ("agent", "user", "synthesis"), what="feedback source")
    self.refuse_unfit(FeedbackGiven(**self.stamp(key), outcome=outcome, exposures=(), context=context))
    view = self.view()
    recalled = None if recall_id is None else recall_by(self, recall_id, user)
    vector = _context_vector(self, view, recalled, context)
    full = [(_id(self, view, name, user), similarity) for name, similarity in map(_given, ids)]
    exposures = _exposures(view, recalled, full, vector)
    if not exposures:
        raise InvalidInput(
            "the feedback names no memory", remedy="give a recall id that returned something, or --id ID"
        )
    event = FeedbackGiven(
        **self.stamp(key),
        outcome=outcome,
        exposures=exposures,
        recall_id=None if recalled is None else recalled[0],
        used=None if used is None else tuple(_id(self, view, memory, user) for memory in used),
        fingerprint=view.beliefs.fingerprint,
        context=context if context is not None else (None if recalled is None else recalled[1].query),
        context_vector=vector,
        source=source,
    )
    updated: tuple[Updated, ...] | None = None

    def decide(locked: Locked) -> list[Event]:
        nonlocal updated
        updated = effect(locked.beliefs, event, locked.clock)
        return [event]

    asked = (outcome, recall_id, ids, used, context, source)
    appended = append_decided(self, decide, verb="feedback", asked=asked, key=key)
    if updated is None:  # the key was used before: what the first call did
        first = self.event(appended.last).event
        updated = effect(
            before(self, appended).beliefs, first if isinstance(first, FeedbackGiven) else event, appended.recorded_at
        )
    return Feedback(seq=appended.last, outcome=outcome, updated=updated, repeated=appended.repeated)


def _id(self: OpenStore, view: View, memory: str, user: str | None) -> str:
    return view.beliefs.texts.id_of(visible_text(self, view, memory, user))


def _given(given: Given) -> tuple[str, float | None]:
    """An exposure as the caller names it: its id, and its similarity if that is known."""
    if isinstance(given, str):
        return given, None
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InvalidInput(f"{given!r} names no memory", remedy="give an id, or (id, similarity)")
    return given[0], None if given[1] is None else checks.check_cosine(given[1])


def _context_vector(
    self: OpenStore, view: View, recalled: tuple[str, MemoriesRecalled] | None, context: str | None
) -> Vectors | None:
    if context is not None:
        vector, _ = self.embed_query(view.beliefs.fingerprint, checks.check_text(context, what="context"))
        return recorded_vector(view.beliefs.fingerprint, vector)
    return None if recalled is None else recalled[1].vector


def _exposures(
    view: View,
    recalled: tuple[str, MemoriesRecalled] | None,
    ids: Sequence[tuple[str, float | None]],
    vector: Vectors | None,
) -> tuple[Exposure, ...]:
    """What had been before the agent, with what is known of its similarity; each id once."""
    found: dict[str, Exposure] = {}
    for memory in () if recalled is None else recalled[1].injected or [r.id for r in recalled[1].returned]:
        found[memory] = Exposure(id=memory, similarity=_similarity(view, memory, vector))
    for memory, similarity in ids:
        known = similarity
        if known is None:
            known = 1.0 if vector is None else _similarity(view, memory, vector)
        found[memory] = Exposure(id=memory, similarity=known)
    return tuple(found.values())


def _similarity(view: View, memory: str, vector: Vectors | None) -> float | None:
    """Canonical cosine of a memory's lead text to the context, or None."""
    if vector is None or view.vectors is None or vector.fingerprint != view.beliefs.fingerprint:
        return None
    query: NDArray[np.float16] = np.frombuffer(vector.rows[0], np.float16)
    root = view.beliefs.memories.resolve(memory)
    if root < 0:
        return None
    lead = view.beliefs.memories.table["lead"][root]
    cosine = float(view.vectors.cosines(query, np.array([lead], np.int64))[0])
    return None if np.isnan(cosine) else cosine


def effect(beliefs: Beliefs, event: FeedbackGiven, clock: int) -> tuple[Updated, ...]:
    """What a feedback recorded at `clock` does to the beliefs just before it."""
    outcome, learned = beliefs.constants.outcome(event.outcome), beliefs.effectiveness
    updated = []
    for root, weight in exposed(event, beliefs.constants, beliefs.memories.resolve).items():
        earlier = later = float(learned.value(np.array([root]), clock)[0])
        if weight is not None:
            later = learned.learned(Use(root, clock, weight >= 0.0, weight, outcome))
        updated.append(
            Updated(
                id=beliefs.texts.id_of(root),
                before=earlier,
                after=later,
                causal=weight is not None and weight >= 0.0,
                weight=max(0.0, weight or 0.0),
                note=None if weight is not None else "neither a similarity nor a word on its use: nothing changed",
            )
        )
    return tuple(updated)
