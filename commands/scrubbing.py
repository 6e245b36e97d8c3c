"""What is left of each event once some texts are erased.

Nothing of the texts, of what was said about them alone, and of the numbers
that were measured of them. What others said stays. Ids stay: they are opaque,
and say that something was there.

    the text, notes on it, what it was forgotten for     the header
    a recall that showed it                              who asked and what else was shown, in which order
    a feedback that it was exposed in                    the outcome, and the similarities of the others
    a relation to it                                     the two ids
    evidence, vectors of another embedder                the other texts
    the summary of a session that had to do with it      task and outcome
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec.structs import replace

from ..eventlog import events as ev
from ..projections.catalog import Catalog
from ..projections.ledger.texts import user_of
from .remeasuring import Remeasured

E = TypeVar("E", bound=ev.Event)
AboutOne = ev.MemoryForgotten | ev.MemoryRestored | ev.MemoryAnnotated | ev.MemoryReinforced


class Gone(msgspec.Struct, frozen=True, kw_only=True):
    """What goes.

    Attributes:
        ordinals: Of the texts, rising.
        ids: Their ids.
        user: Whose recalls, blocks, documents and profiles go as well; None for nobody's. "" is the owner.
        profiles: Whether profiles that were drawn from the texts go as well.
    """

    ordinals: tuple[int, ...]
    ids: frozenset[str]
    user: str | None = None
    profiles: bool = False


class Traces:
    """Where texts have left traces, learned from the whole log before any of it is rewritten.

    Attributes:
        recalls: Ids of recalls that showed one of them, or were asked by the user that goes.
        sessions: Sessions in which one was stored, shown or exposed.
        documents: Documents of the user that goes.
        summarised: Events that hold the summary of such a session.
        unread: Events of types this release does not know.
        profiles: Events that sum up what one of the texts said, and stay.
    """

    def __init__(self, gone: Gone, owner: str | None) -> None:
        self.gone, self.owner = gone, owner
        self.recalls: set[str] = set()
        self.sessions: set[str] = set()
        self.documents: set[str] = set()
        self.summarised: list[int] = []
        self.unread: list[int] = []
        self.profiles: list[int] = []

    def learn(self, log: Iterable[ev.Recorded]) -> Traces:
        """Read the log from its beginning."""
        ended: list[tuple[int, str]] = []
        for recorded in log:
            event = recorded.event
            if isinstance(event, ev.SessionArchived | ev.SessionEnded) and event.session_id is not None:
                ended.append((recorded.seq, event.session_id))
            elif isinstance(event, ev.UnknownEvent):
                self.unread.append(recorded.seq)
            elif isinstance(event, ev.ProfileSummarised) and not self.profile_goes(event):
                self.profiles += [recorded.seq] if self._any(event.derived_from) else []
            elif isinstance(event, ev.DocumentIngested) and self.theirs(event.scope.user):
                self.documents.add(event.document_id)
            else:
                self._touched(recorded)
        self.summarised = [seq for seq, session in ended if session in self.sessions]
        return self

    def _touched(self, recorded: ev.Recorded) -> None:
        event = recorded.event
        if isinstance(event, ev.MemoryStored) and recorded.id in self.gone.ids:
            self._session(event, event.scope.session, event.provenance.session_id)
        elif isinstance(event, ev.MemoriesRecalled):
            if self.shown(event) or self.asked(event):
                self.recalls.add(recorded.id or "")
                self._session(event)
        elif isinstance(event, ev.FeedbackGiven) and self.exposed(event):
            self._session(event)

    def _session(self, event: ev.Event, *others: str | None) -> None:
        self.sessions.update(one for one in (event.session_id, *others) if one is not None)

    def _any(self, ids: Iterable[str]) -> bool:
        return not self.gone.ids.isdisjoint(ids)

    def theirs(self, user: str | None) -> bool:
        """Whether this is the user that goes."""
        return self.gone.user is not None and user_of(user, self.owner) == self.gone.user

    def asked(self, event: ev.MemoriesRecalled) -> bool:
        """Whether the user that goes asked this."""
        user = event.filters.get("user")
        return self.theirs(user if isinstance(user, str) else None)

    def profile_goes(self, event: ev.ProfileSummarised) -> bool:
        """Whether a profile is of the user that goes, or goes with what it was drawn from."""
        return self.theirs(event.user) or (self.gone.profiles and self._any(event.derived_from))

    def shown(self, event: ev.MemoriesRecalled) -> bool:
        """Whether a recall returned or injected one of the texts."""
        return self._any(one.id for one in event.returned) or self._any(event.injected)

    def exposed(self, event: ev.FeedbackGiven) -> bool:
        """Whether a feedback exposed one of the texts, or has the query of a recall that showed one."""
        named = (*(one.id for one in event.exposures), *(event.used or ()))
        return self._any(named) or event.recall_id in self.recalls


class Scrubber:
    """What is left of each event: the same object, another, or None for nothing but the header.

    Args:
        catalog: The projections while the texts are still there.
        traces: See `Traces`.
    """

    def __init__(self, catalog: Catalog, traces: Traces) -> None:
        self.traces, self.gone = traces, traces.gone
        self._seqs = set(catalog.beliefs.texts.table["seq"][list(self.gone.ordinals)].tolist())
        self._remeasured = Remeasured(catalog, self.gone.ordinals) if self.gone.ordinals else None
        self._first_summary = min(traces.summarised, default=None)

    def left(self, recorded: ev.Recorded) -> ev.Event | None:
        """See the class."""
        rule = self.RULES.get(type(recorded.event))
        return recorded.event if rule is None else rule(self, recorded, recorded.event)

    # -- rules -------------------------------------------------------------------

    def _stored(self, recorded: ev.Recorded, event: ev.MemoryStored) -> ev.Event | None:
        if recorded.seq in self._seqs:
            return None
        changes: dict[str, Any] = {}
        evidence = event.evidence if self._remeasured is None else self._remeasured.evidence(recorded.seq, event)
        if evidence is not event.evidence:
            changes["evidence"] = evidence
        if self._any(one.target for one in event.relations):
            changes["relations"] = tuple(
                ev.Relation(relation=one.relation, target=one.target) if one.target in self.gone.ids else one
                for one in event.relations
            )
        if event.provenance.quote is not None and self._any(event.provenance.derived_from):
            changes["provenance"] = replace(event.provenance, quote=None)
        return _changed(event, changes)

    def _reembedded(self, _: ev.Recorded, event: ev.MemoriesReembedded) -> ev.Event:
        if self._seqs.isdisjoint(event.texts):
            return event
        kept = [(seq, rows) for seq, rows in zip(event.texts, event.rows, strict=True) if seq not in self._seqs]
        return replace(event, texts=tuple(seq for seq, _ in kept), rows=tuple(rows for _, rows in kept))

    def _about_one(self, _: ev.Recorded, event: AboutOne) -> ev.Event | None:
        return None if event.memory in self.gone.ids else event

    def _superseded(self, _: ev.Recorded, event: ev.MemorySuperseded) -> ev.Event:
        return _changed(event, {"reason": None} if self._any((event.old, event.new)) else {})

    def _overruled(self, _: ev.Recorded, event: ev.MembershipOverruled) -> ev.Event:
        return _changed(event, {"reason": None} if self._any((event.first, event.second or "")) else {})

    def _linked(self, _: ev.Recorded, event: ev.MemoriesLinked | ev.MemoriesUnlinked) -> ev.Event:
        if not self._any(end.id for end in (event.source, event.target) if end.kind == "memory"):
            return event
        number = {"weight": 1.0} if isinstance(event, ev.MemoriesLinked) else {}
        return _changed(event, {"reason": None, **number})

    def _recalled(self, _: ev.Recorded, event: ev.MemoriesRecalled) -> ev.Event | None:
        if self.traces.asked(event):
            return None
        if not self.traces.shown(event):
            return event
        return replace(
            event,
            query="",
            goal=None,
            state=None,
            vector=None,
            # A neighbour's score tells of the edge it was reached by, so none is kept.
            returned=tuple(replace(one, score=0.0) for one in event.returned if one.id not in self.gone.ids),
            injected=tuple(one for one in event.injected if one not in self.gone.ids),
        )

    def _feedback(self, _: ev.Recorded, event: ev.FeedbackGiven) -> ev.Event:
        if not self.traces.exposed(event):
            return event
        used = None if event.used is None else tuple(one for one in event.used if one not in self.gone.ids)
        exposures = tuple(one for one in event.exposures if one.id not in self.gone.ids)
        return replace(event, exposures=exposures, used=used, context=None, context_vector=None, evidence=())

    def _archived(self, recorded: ev.Recorded, event: ev.SessionArchived | ev.SessionEnded) -> ev.Event:
        if recorded.seq not in self.traces.summarised:
            return event
        more = (
            {"summary_vector": None, "constraints": (), "risk_areas": ()}
            if isinstance(event, ev.SessionArchived)
            else {}
        )
        return _changed(event, {"summary": None, **more})

    def _synthesised(self, _: ev.Recorded, event: ev.SynthesisTicked) -> ev.Event:
        told = self._first_summary is not None and event.watermark >= self._first_summary
        return _changed(event, {"similarities": ()} if told else {})

    def _profile(self, _: ev.Recorded, event: ev.ProfileSummarised) -> ev.Event | None:
        return None if self.traces.profile_goes(event) else event

    def _scoped(self, _: ev.Recorded, event: ev.BlockEdited | ev.DocumentIngested) -> ev.Event | None:
        return None if self.traces.theirs(event.scope.user) else event

    def _chunks(self, _: ev.Recorded, event: ev.ChunksStored) -> ev.Event | None:
        return None if event.document_id in self.traces.documents else event

    def _any(self, ids: Iterable[str]) -> bool:
        return not self.gone.ids.isdisjoint(ids)

    RULES: ClassVar[dict[type[ev.Event], Callable[[Any, ev.Recorded, Any], ev.Event | None]]] = {
        ev.MemoryStored: _stored,
        ev.MemoriesReembedded: _reembedded,
        ev.MemoryForgotten: _about_one,
        ev.MemoryRestored: _about_one,
        ev.MemoryAnnotated: _about_one,
        ev.MemoryReinforced: _about_one,
        ev.MemorySuperseded: _superseded,
        ev.MembershipOverruled: _overruled,
        ev.MemoriesLinked: _linked,
        ev.MemoriesUnlinked: _linked,
        ev.MemoriesRecalled: _recalled,
        ev.FeedbackGiven: _feedback,
        ev.SessionArchived: _archived,
        ev.SessionEnded: _archived,
        ev.SynthesisTicked: _synthesised,
        ev.ProfileSummarised: _profile,
        ev.BlockEdited: _scoped,
        ev.DocumentIngested: _scoped,
        ev.ChunksStored: _chunks,
    }


def _changed(event: E, changes: dict[str, Any]) -> E:
    """The event with changes; the very same object where they change nothing."""
    new: E = replace(event, **changes)
    return event if new == event else new
