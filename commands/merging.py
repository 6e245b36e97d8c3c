"""An export of another store, as it is merged into this one.

The export is made a store again beside this one, folded, and read: what its
memories are at its head, not how they came to be so. Each text is stored anew
under a new id, the first of a memory with what the memory had learned; then
come links, a person's words on what is one memory, supersessions, pins and
what was forgotten. Recalls and feedback stay behind: they are in the prior.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ..errors import Corrupted, NotFound
from ..eventlog import events as ev
from ..eventlog.events import Event, MemoryStored, Prior, Scope, Term
from ..eventlog.lmdb_log import LmdbLog
from ..projections.columns import NONE
from ..recall.view import View
from .copying import remade
from .importing import Batch, digest
from .intake import MARK, Further, Incoming

if TYPE_CHECKING:
    from .opened import OpenStore

_CARRIED = (
    *(ev.MemoryStored, ev.MemoriesLinked, ev.MembershipOverruled, ev.MemorySuperseded, ev.SessionArchived),
    *(ev.MemoryForgotten, ev.MemoryAnnotated, ev.MemoriesRecalled, ev.FeedbackGiven, ev.MemoryRestored),
    *(ev.MemoriesUnlinked, ev.MemoriesReembedded, ev.StoreCreated, ev.ConstantsAdopted, ev.EmbedderAdopted),
    *(ev.DecayTicked, ev.PruneTicked, ev.ExpiryTicked, ev.TierTicked, ev.SynthesisTicked, ev.ContentRejected),
    *(ev.MemoryErased, ev.ErasedEvent, ev.MemoryReinforced),
)
"""Events that are taken over, are summed up in the memories' state, or say nothing outside their store."""


def exported(self: OpenStore, path: Path, scope: Scope, tags: tuple[str, ...]) -> Batch:
    """What an export brings.

    Raises:
        InvalidInput, Corrupted: It cannot be read.
    """
    from .opened import OpenStore as Opened

    with tempfile.TemporaryDirectory(prefix="helixlog-") as folder:
        home = Path(folder) / "store"
        if not path.is_file():
            raise NotFound(f"there is no file {path}", remedy="check the path")
        head = remade(path, home).head
        with LmdbLog.open(home, read_only=True) as log:
            genesis = log.get(1).event
            if not isinstance(genesis, ev.StoreCreated):
                raise Corrupted(f"{path} does not begin with the making of a store", remedy="export it again")
            view = Opened(home, log, clock=self.clock).view(f"@{head}")
            return _Merge(self, view, genesis.store_id, scope, tags).batch(log)


class _Merge:
    """One export at its head, being read."""

    def __init__(self, target: OpenStore, view: View, store_id: str, scope: Scope, tags: tuple[str, ...]) -> None:
        self._stamp: dict[str, Any] = target.stamp()
        self._view, self._store_id, self._scope, self._tags = view, store_id, scope, tags
        self._value = view.beliefs.effectiveness.value(np.arange(view.texts), view.point.clock)

    def batch(self, log: LmdbLog) -> Batch:
        events = list(log.read(checked=False))
        left = Counter(str(one.event.__struct_config__.tag) for one in events if not isinstance(one.event, _CARRIED))
        erased = self._view.beliefs.texts.table["erased"]
        warnings = [f"{number} events of the type {name} were left out" for name, number in sorted(left.items())]
        if erased.any():
            warnings.append(f"{int(erased.sum())} erased texts are not in the export")
        return Batch(
            source="helixlog",
            texts=[self._text(ordinal) for ordinal in np.flatnonzero(erased == 0).tolist()],
            links=list(self._links(events)),
            further=[*self._verdicts(events), *self._supersessions(), *self._states(), *self._sessions(events)],
            warnings=tuple(warnings),
        )

    def _key(self, *parts: str) -> str:
        return digest("helixlog", self._store_id, self._scope.user or "", self._scope.project or "", *parts)

    def _named(self, name: str, event: MemoryStored, root: int) -> tuple[Term, ...]:
        """The memory's entities or categories that a text brings; those added later come with its first text."""
        wanted = self._view.beliefs.memories.named(root, name[0])
        own: dict[str, Term] = {term.key: term for term in getattr(event, name)}
        return tuple(own.get(key) or Term(name=key, key=key) for key in wanted)

    def _text(self, ordinal: int) -> Incoming:
        beliefs = self._view.beliefs
        texts, memories = beliefs.texts, beliefs.memories
        event, root, local = self._view.body(ordinal), memories.root(ordinal), texts.id_of(ordinal)
        changes: dict[str, Any] = {
            **self._stamp,
            "key": MARK + self._key("text", local),
            "scope": self._scoped(event.scope),
            "provenance": msgspec.structs.replace(event.provenance, kind="import"),
            "evidence": None,
            "prior": None,
        }
        if root == ordinal:
            expiry, uses = int(memories.table["expires_at"][root]), int(beliefs.effectiveness.table["uses"][root])
            changes |= {
                "tags": tuple(dict.fromkeys((*memories.named(root, "t"), *self._tags))),
                "entities": self._named("entities", event, root),
                "categories": self._named("categories", event, root),
                "expires_at": None if expiry == NONE else expiry,
                "salience": float(memories.table["salience"][root]),
            }
            if uses or event.prior is not None:
                hits = int(beliefs.effectiveness.table["hits"][root])
                changes["prior"] = Prior(effectiveness=float(self._value[root]), uses=uses, hits=hits)
        else:
            kept = set(memories.named(root, "t"))
            changes["tags"] = tuple(tag for tag in event.tags if tag in kept)
        return Incoming(local, msgspec.structs.replace(event, **changes), _line(int(texts.table["seq"][ordinal])))

    def _scoped(self, scope: Scope) -> Scope:
        """The scope a text had, or as far as it is given the one of the import; the owner stays the owner."""
        given = {
            name: value
            for name in ("user", "project", "session", "agent", "container")
            if (value := getattr(self._scope, name)) is not None
        }
        if "user" not in given and scope.user == self._view.beliefs.texts.owner:
            given["user"] = None
        if self._scope.visibility == "shared":
            given["visibility"] = "shared"
        return msgspec.structs.replace(scope, **given)

    def _about(self, event: Event, *names: str) -> Callable[[Mapping[str, str]], Event | None]:
        """The event with the ids in these fields replaced; None where one was not taken in."""

        def make(ids: Mapping[str, str]) -> Event | None:
            found = {name: ids.get(getattr(event, name)) for name in names if getattr(event, name) is not None}
            if None in found.values():
                return None
            return msgspec.structs.replace(event, **self._stamp, **found)

        return make

    def _links(self, events: list[ev.Recorded]) -> Iterator[Further]:
        """The declared links that still hold."""
        beliefs = self._view.beliefs
        edges = beliefs.graph.resolved(beliefs.memories.root)
        for recorded in events:
            event = recorded.event
            if isinstance(event, ev.MemoriesLinked):
                ends = beliefs.end(event.source), beliefs.end(event.target)
                if (*ends, event.relation) in edges or (*ends[::-1], event.relation) in edges:
                    yield Further(self._link(event), self._key("link", str(recorded.seq)), line=_line(recorded.seq))

    def _link(self, event: ev.MemoriesLinked) -> Callable[[Mapping[str, str]], Event | None]:
        def moved(end: ev.Endpoint, ids: Mapping[str, str]) -> ev.Endpoint | None:
            if end.kind != "memory":
                return end
            return ev.Endpoint(id=ids[end.id]) if end.id in ids else None

        def make(ids: Mapping[str, str]) -> Event | None:
            source, target = moved(event.source, ids), moved(event.target, ids)
            if source is None or target is None:
                return None
            return msgspec.structs.replace(event, **self._stamp, source=source, target=target)

        return make

    def _verdicts(self, events: list[ev.Recorded]) -> Iterator[Further]:
        for recorded in events:
            if isinstance(recorded.event, ev.MembershipOverruled):
                make = self._about(recorded.event, "first", "second")
                yield Further(make, self._key("verdict", str(recorded.seq)), line=_line(recorded.seq))

    def _supersessions(self) -> Iterator[Further]:
        memories, identity = self._view.beliefs.memories, self._view.beliefs.texts.id_of
        for old in np.flatnonzero(memories.table["superseded"] == 1).tolist():
            for new in memories.superseded_by(old):
                event = ev.MemorySuperseded(old=identity(old), new=identity(new))
                yield Further(self._about(event, "old", "new"), self._key("supersession", event.old, event.new))

    def _states(self) -> Iterator[Further]:
        """Pins, and what was forgotten."""
        memories, identity = self._view.beliefs.memories, self._view.beliefs.texts.id_of
        own = memories.roots()
        for root in np.flatnonzero(own & (memories.table["pin"] >= 0)).tolist():
            pin = memories.pins.names[int(memories.table["pin"][root])]
            event = ev.MemoryAnnotated(memory=identity(root), pin=pin)
            yield Further(self._about(event, "memory"), self._key("pin", identity(root), pin))
        for root in np.flatnonzero(own & (memories.table["forgotten"] == 1)).tolist():
            gone = ev.MemoryForgotten(memory=identity(root), reason="forgotten in the store it was exported from")
            yield Further(self._about(gone, "memory"), self._key("forgotten", identity(root)))

    def _sessions(self, events: list[ev.Recorded]) -> Iterator[Further]:
        for recorded in events:
            if isinstance(recorded.event, ev.SessionArchived):
                key = self._key("session", str(recorded.seq))
                yield Further(self._about(recorded.event), key, recorded.recorded_at, _line(recorded.seq))


def _line(seq: int) -> int:
    """The line of an export that holds an event: the first says what it is."""
    return seq + 1
