"""One line about each event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..eventlog import events as ev
from .times import format_time

LONGEST = 100


def summary(event: ev.Event) -> str:
    """What happened, in at most about a hundred characters."""
    describe = _LINES.get(type(event))
    return _line(describe(event)) if describe is not None else str(event.__struct_config__.tag).replace("_", " ")


def _line(text: str, longest: int = LONGEST) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"


def _because(text: str, reason: str | None) -> str:
    return f"{text}: {reason}" if reason else text


def _count(number: int, what: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number} {what if number == 1 else plural}"


def _recalled(event: ev.MemoriesRecalled) -> str:
    return f'"{_line(event.query, 60)}" returned {_count(len(event.returned), "memory")}'


def _feedback(event: ev.FeedbackGiven) -> str:
    used = "" if event.used is None else f", {len(event.used)} of them used"
    return f"{event.outcome} for {_count(len(event.exposures), 'memory')}{used}"


def _annotated(event: ev.MemoryAnnotated) -> str:
    signs: list[str] = [f"+{tag}" for tag in event.add_tags] + [f"-{tag}" for tag in event.remove_tags]
    signs += [f"+{term.name}" for term in (*event.add_entities, *event.add_categories)]
    signs += [f"-{name}" for name in (*event.remove_entities, *event.remove_categories)]
    signs += [
        f"{name} {value}" for name, value in (("pin", event.pin), ("salience", event.salience)) if value is not None
    ]
    if event.expires_at is not None:
        signs.append(f"expires {format_time(event.expires_at)}")
    signs += [f"no {name}" for name in event.clear]
    return _because(" ".join(signs) or "annotated", event.note)


def _end(end: ev.Endpoint) -> str:
    return end.id if end.kind == "memory" else f"{end.kind}:{end.id}"


def _overruled(event: ev.MembershipOverruled) -> str:
    if event.verdict == "same":
        return _because(f"{event.first} and {event.second} are one memory", event.reason)
    return _because(f"{event.first} is a memory of its own", event.reason)


def _session(words: Iterable[str | None]) -> str:
    return " · ".join(word for word in words if word) or "session"


_LINES: dict[type[ev.Event], Callable[[Any], str]] = {
    ev.StoreCreated: lambda e: (
        f"store {e.store_id}, embedder {(e.embedder or {}).get('name') or e.fingerprint or 'none'}"
    ),
    ev.ConstantsAdopted: lambda e: f"constants: {e.reason}",
    ev.EmbedderAdopted: lambda e: _because(f"embedder {e.fingerprint or 'none'}", e.reason),
    ev.MemoriesReembedded: lambda e: f"vectors of {e.fingerprint} for {_count(len(e.texts), 'text')}",
    ev.MemoryStored: lambda e: e.text,
    ev.MemorySuperseded: lambda e: _because(f"{e.new} takes the place of {e.old}", e.reason),
    ev.MemoryRestored: lambda e: _because("live again", e.reason),
    ev.MemoryForgotten: lambda e: _because("forgotten", e.reason),
    ev.MemoryErased: lambda e: _because(f"{_count(len(e.memories), 'text')} erased", e.reason),
    ev.MembershipOverruled: _overruled,
    ev.MemoryAnnotated: _annotated,
    ev.MemoryReinforced: lambda e: _because("used", e.note),
    ev.MemoriesLinked: lambda e: _because(f"{_end(e.source)} {e.relation} {_end(e.target)} ({e.weight:g})", e.reason),
    ev.MemoriesUnlinked: lambda e: _because(
        f"no longer {_end(e.source)} {e.relation or 'tied to'} {_end(e.target)}", e.reason
    ),
    ev.MemoriesRecalled: _recalled,
    ev.FeedbackGiven: _feedback,
    ev.DecayTicked: lambda e: f"decay settled at {format_time(e.clock)}",
    ev.PruneTicked: lambda e: f"pruned at {format_time(e.clock)}",
    ev.ExpiryTicked: lambda e: f"expiry settled at {format_time(e.clock)}",
    ev.TierTicked: lambda e: f"tiers reviewed at {format_time(e.clock)}",
    ev.SynthesisTicked: lambda e: f"sessions up to @{e.watermark} considered",
    ev.SessionStarted: lambda e: _session((e.session_id, e.agent_type, e.task)),
    ev.SessionEnded: lambda e: _session((e.session_id, e.outcome, e.summary)),
    ev.SessionArchived: lambda e: _session((e.task_id, e.agent_type, e.outcome, e.summary)),
    ev.TurnRecorded: lambda e: f"{e.role}: {e.text}",
    ev.DocumentIngested: lambda e: e.title or e.document_id,
    ev.ChunksStored: lambda e: f"{_count(len(e.chunks), 'piece')} of {e.document_id}",
    ev.DocumentRemoved: lambda e: _because(e.document_id, e.reason),
    ev.BlockEdited: lambda e: f"{e.block}: {e.text}",
    ev.EntityDeclared: lambda e: e.entity.name,
    ev.CategoryDeclared: lambda e: e.category.name,
    ev.ProfileSummarised: lambda e: f"profile of {e.user or 'the owner'}",
    ev.ContentRejected: lambda e: f"{e.category}, {e.length_band} characters",
    ev.UnknownEvent: lambda e: f"of a newer release: {e.kind} version {e.kind_version}",
    ev.ErasedEvent: lambda e: f"{e.kind}: content erased",
}
