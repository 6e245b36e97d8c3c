"""An open store: log, projections, embedder and clock put together. Everything a verb works with."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..constants import Constants
from ..embedding import for_fingerprint, load
from ..embedding.protocol import half_rows
from ..errors import (
    AmbiguousId,
    Corrupted,
    EmbedderMismatch,
    EmbedderUnavailable,
    InvalidInput,
    NotFound,
    ReadOnlyView,
    RequestError,
    StorageError,
    StoreBusy,
)
from ..eventlog.events import Draft, Event, MemoryStored, Recorded, Vectors
from ..eventlog.ids import is_own_id, new_id
from ..eventlog.lmdb_log import LmdbLog
from ..eventlog.log import WAIT, Appended, Decide, IdempotencyKey, LogReader
from ..projections import epochs
from ..projections.beliefs import Beliefs
from ..projections.catalog import Catalog
from ..recall.view import Point, View
from ..replay.changes import Changes, changes
from .screening import Refusal, Screen
from .times import When, format_time, parse_time

if TYPE_CHECKING:
    from ..embedding.protocol import Embedder

Clock = Callable[[], int]
AsOf = When
NO_EMBEDDER = "none"
RECENT_FOLDS = 4


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """Who acts, as events record it."""

    actor: str = "user"
    session_id: str | None = None
    agent_id: str | None = None
    prompt_id: str | None = None


class AsOfPoint(msgspec.Struct, frozen=True):
    """The point an answer is true of; given back as `@seq/time` it repeats the answer."""

    seq: int
    time: str


class OpenStore:
    """A store that is open, live or at one point of its past.

    One object may be used by several threads; reads and the catch-up before them take turns. A view (`at`, perhaps
    under `supposed` constants) shares log, projections, embedders and turns with the live store it is `of`.
    """

    def __init__(
        self,
        folder: Path,
        log: LmdbLog,
        *,
        clock: Clock = time.time_ns,
        embedder: str | Embedder | None = None,
        api_key: str | None = None,
        actor: Actor | None = None,
        at: Point | None = None,
        supposed: Constants | None = None,
        of: OpenStore | None = None,
        allow: Sequence[str] = (),
    ) -> None:
        self.folder, self.eventlog, self.at = folder, log, at
        self.supposed, self._of = supposed, of
        self.actor = actor or Actor()
        self.screen = Screen(allow)
        self._clock = clock
        self._named = embedder
        self._api_key = api_key
        self._lock = threading.RLock()
        self._turn = threading.Condition(self._lock)
        self._closed = False
        self._catalog: Catalog | None = None
        self._embedders: dict[str, Embedder] = {}
        self._folds: dict[tuple[int, str], Beliefs] = {}
        self._views = 0
        self._put_off = 0
        self.behind = 0
        """By how much (ns) the clock of an append was before the last event, at most; it got that one's time."""
        if of is not None:
            shared = vars(of)
            self._lock, self._turn = shared["_lock"], shared["_turn"]
            self._embedders, self._folds = shared["_embedders"], shared["_folds"]
        else:
            # A crash in an erasure may have left what was made of the log before it.
            epochs.tidy_after(folder / "projections", log)

    # -- time and points -------------------------------------------------------

    def clock(self) -> int:
        """What the writer's clock says (UTC ns), even where that is before the head."""
        return self._clock()

    def now(self) -> int:
        """The clock, never below the head's time; of a view that of its point."""
        return max(self._clock(), self.eventlog.head.recorded_at) if self.at is None else self.at.clock

    def point(self, as_of: AsOf | None = None) -> Point:
        """The asked point: the live one, a time, `@SEQ`, `@SEQ/TIME`, or just after the event of an id."""
        if as_of is None:
            return self.at or Point(self.eventlog.head.seq, self.now())
        if isinstance(as_of, str):
            text = as_of.strip()
            if text.startswith("@"):
                return self._numbered(text)
            found = self._event_of(text)
            if found is not None:
                return self._within(Point(found, self.eventlog.get(found).recorded_at), text)
        moment = parse_time(as_of, now=self.now(), edge="end")
        live = self.at or Point(self.eventlog.head.seq, self.now())
        # The clock of a view may be later than events beyond it, which it never shows.
        return live if moment >= live.clock else Point(min(self.eventlog.seq_at(moment), live.seq), moment)

    def _within(self, point: Point, asked: str) -> Point:
        head = (self.at or self.eventlog.head).seq
        if point.seq > head:
            raise InvalidInput(f"{asked} is after the last event, @{head}", remedy=f"ask for @{head} or earlier")
        return point

    def _numbered(self, text: str) -> Point:
        number, _, moment = text[1:].partition("/")
        if not number.isdecimal() or len(number) > LONGEST_NUMBER:
            raise InvalidInput(f"{text[:80]!r} is no point", remedy="write @SEQ or @SEQ/TIME, for example @120")
        seq = int(number)
        self._within(Point(seq, 0), text)
        recorded = self.eventlog.get(seq).recorded_at if seq else 0
        clock = parse_time(moment, now=self.now(), edge="end") if moment else recorded
        if seq and clock < recorded:
            raise InvalidInput(
                f"event @{seq} was not there yet at {moment}", remedy=f"give a time from {format_time(recorded)} on"
            )
        return Point(seq, clock)

    def _event_of(self, text: str) -> int | None:
        if len(text) < SHORTEST_PREFIX or not (text.isalnum() and is_own_id(text.lower())):
            return None
        found = self.eventlog.resolve(text.lower(), limit=2)
        if len(found) > 1:
            raise AmbiguousId(f"{text!r} begins several ids", remedy="give more of it")
        return found[0][1] if found else None

    # -- reading ---------------------------------------------------------------

    @property
    def catalog(self) -> Catalog:
        """The projections, brought to the head of the log."""
        return self._caught_up(None)

    def _caught_up(self, seq: int | None) -> Catalog:
        """The projections at the head, or at event `seq` unless they are further."""
        if self._of is not None:
            return self._of._caught_up(seq)  # noqa: SLF001 - the same class
        with self._lock:
            head = self._committed_head() if seq is None else None
            if head is not None and self._catalog is not None and self._catalog.is_as_of(head):
                return self._catalog
            while True:
                if self._catalog is None:
                    self._catalog = Catalog(self.folder / "projections", self.eventlog)
                if seq is None:
                    self._catalog.sync()
                elif not self._catalog.reaches(seq):
                    self._catalog.sync(up_to=max(seq, self._catalog.beliefs.seq))
                if self._catalog.current():
                    return self._catalog
                self.drop_projections()

    def catch_up(self) -> None:
        """Bring the projections to the head: views of `reading` are what they are from here on.

        A view of the last event that the projections have come to moves on with them.
        """
        self._caught_up(None)

    def drop_projections(self) -> None:
        """Forget every belief; the next question makes them anew."""
        self._catalog = None
        self._folds.clear()

    def _committed_head(self) -> int:
        """The last event in the log, once that is not behind the projections: a writer in a thread is about to commit.

        The lock is let go meanwhile, since that writer may need it for what else goes into the same transaction.
        """
        deadline = time.monotonic() + WAIT
        while True:
            head = self.eventlog.head.seq
            if self._catalog is None or self._catalog.beliefs.seq <= head:
                return head
            if time.monotonic() > deadline:
                raise StoreBusy("another thread has not committed in time", remedy="try again")
            self._turn.wait(0.001)

    def reading(self) -> threading.RLock:
        """Held while a view is read, so that no other thread's catch-up changes it underneath.

        Nothing may be appended meanwhile: a group commit may need the lock.
        """
        return self._lock

    def view(self, as_of: AsOf | None = None, constants: Constants | None = None) -> View:
        """Everything a read needs, at the asked point; under `constants`, else those supposed, else those in force."""
        constants = self.supposed if constants is None else constants
        with self._lock:
            if as_of is None and self.at is None:
                catalog = self.catalog
                self._views += 1
                if self._views >= SETTLED:
                    catalog.settle_in()
                point = Point(catalog.beliefs.seq, max(self._clock(), catalog.head_time))
            else:
                point = self.point(as_of)
                catalog = self._caught_up(point.seq)
            beliefs = catalog.beliefs
            if point.seq != beliefs.seq or constants is not None:
                beliefs = self._beliefs_at(catalog, point.seq, constants)
            vectors = None if beliefs.fingerprint is None else catalog.vectors_of(beliefs.fingerprint)
            return View(point, beliefs, catalog.text, vectors, catalog.bodies)

    def stands(self, view: View) -> bool:
        """Whether a live view, made before `reading` began, is as a new one would be: nothing was committed since.

        Another process may have erased or forgotten something meanwhile. Any other view is better asked for once more.
        """
        catalog = self._catalog
        if catalog is None or view.beliefs is not catalog.beliefs:
            return False
        head = self.eventlog.head.seq
        return view.point.seq == head and catalog.is_as_of(head)

    def _beliefs_at(self, catalog: Catalog, seq: int, constants: Constants | None) -> Beliefs:
        chosen = constants or catalog.constants_at(seq)
        key = (seq, chosen.digest())
        if key not in self._folds:
            self._folds[key] = catalog.believed(seq, chosen)
            while len(self._folds) > RECENT_FOLDS:
                self._folds.pop(next(iter(self._folds)))
        return self._folds[key]

    def as_of_point(self, point: Point) -> AsOfPoint:
        """A point as answers name it."""
        return AsOfPoint(point.seq, format_time(point.clock))

    def naming(self, point: Point) -> str:
        """A point as `as_of` takes it."""
        return f"@{point.seq}/{format_time(point.clock)}"

    def counterfactual(self, view: View) -> Changes | None:
        """Name to (value in force, value supposed) of the constants a view was folded with; None where none differs."""
        beliefs, seq, catalog = view.beliefs, view.point.seq, self._catalog
        if catalog is not None and beliefs is catalog.beliefs:
            return None
        in_force = self._caught_up(seq).constants_at(seq)
        return changes(in_force, beliefs.constants, beliefs.fingerprint) or None

    # -- embedding -------------------------------------------------------------

    def embedder(self, fingerprint: str | None) -> Embedder | None:
        """The embedder of a fingerprint, or None where there is none.

        Raises:
            EmbedderMismatch: Another embedder was asked for than the store's.
            EmbedderUnavailable: It is not installed here.
        """
        if fingerprint is None:
            return None
        if fingerprint not in self._embedders:
            self._embedders[fingerprint] = self._load(fingerprint)
        return self._embedders[fingerprint]

    def _load(self, fingerprint: str) -> Embedder:
        if self._named is None:
            return for_fingerprint(fingerprint, api_key=self._api_key)
        if self._named == NO_EMBEDDER:
            raise EmbedderMismatch(
                f"the store's vectors are by {fingerprint}, and it was opened without an embedder",
                remedy="leave --embedder out, or take the embedder off the store with `helix reembed none`",
            )
        embedder = load(self._named, api_key=self._api_key) if isinstance(self._named, str) else self._named
        if embedder.identity.fingerprint != fingerprint:
            if fingerprint != self.catalog.beliefs.fingerprint:
                return for_fingerprint(fingerprint, api_key=self._api_key)  # that of a point of the past
            raise EmbedderMismatch(
                f"the store's vectors are by {fingerprint}, not by {embedder.identity.fingerprint}",
                remedy=f"leave --embedder out, or change the store with `helix reembed {embedder.identity.name}`",
            )
        return embedder

    def use_embedder(self, embedder: Embedder) -> None:
        """Use this embedder for its fingerprint from here on, whatever the store was opened with."""
        self._embedders[embedder.identity.fingerprint] = embedder

    def load_embedder(self, embedder: str | Embedder) -> Embedder | None:
        """An embedder by name, or one of the caller's own; None for "none".

        Raises:
            InvalidInput, EmbedderUnavailable: It cannot be had.
        """
        if embedder == NO_EMBEDDER:
            return None
        return load(embedder, api_key=self._api_key) if isinstance(embedder, str) else embedder

    def embed_query(self, fingerprint: str | None, text: str) -> tuple[NDArray[np.float16] | None, str | None]:
        """The query's float16 unit vector, or None and why there is none."""
        try:
            embedder = self.embedder(fingerprint)
        except EmbedderUnavailable as error:
            return None, f"recalled by words and names only: {error.message}"
        if embedder is None:
            return None, None
        rows = half_rows(embedder.embed_query(text)[None, :], embedder.identity)
        return (rows[0], None) if len(rows) else (None, None)

    def embed(self, fingerprint: str | None, texts: Sequence[str]) -> list[Vectors | None]:
        """Recorded vectors of texts, None for one without meaning to the embedder, or without an embedder."""
        embedder = self.embedder(fingerprint)
        if embedder is None or fingerprint is None:
            return [None] * len(texts)
        result: list[Vectors | None] = []
        for vectors in embedder.embed_documents(texts):
            rows = half_rows(vectors, embedder.identity)
            packed = tuple(row.tobytes() for row in rows)
            result.append(
                Vectors(fingerprint=fingerprint, dims=embedder.identity.dimensions, rows=packed) if packed else None
            )
        return result

    # -- writing ---------------------------------------------------------------

    def new_id(self) -> str:
        """An id for a new event of its own."""
        return new_id(self.now(), os.urandom)

    def stamp(self, key: str | None = None) -> dict[str, Any]:
        """What every event of this handle says of its writer."""
        return {**msgspec.structs.asdict(self.actor), "key": key}

    def append(
        self,
        events: Sequence[Event | Draft],
        *,
        expected_head: int | None = None,
        key: IdempotencyKey | None = None,
        wait: float | None = None,
    ) -> Appended:
        """Append events as they are."""
        drafts = [event if isinstance(event, Draft) else Draft(event) for event in events]
        return self.append_with(lambda _: drafts, expected_head=expected_head, key=key, wait=wait)

    def append_with(
        self,
        decide: Decide,
        *,
        clock: int | None = None,
        expected_head: int | None = None,
        key: IdempotencyKey | None = None,
        wait: float | None = None,
    ) -> Appended:
        """Append what `decide` makes of the log under the write lock; `clock` is that of this moment if not given.

        Raises:
            ReadOnlyView: This is a view of the past.
            ContentRejected: A text in it may not be shown to a model again; only that it was so is appended.
        """
        if self.at is not None:
            raise ReadOnlyView(
                f"this view is of @{self.at.seq} and cannot be written", remedy="write to the live memory"
            )
        extra = {} if wait is None else {"wait": wait}
        moment = self._clock() if clock is None else clock
        decided = False
        refused: Refusal | None = None

        def noting(reader: LogReader) -> Sequence[Draft]:
            nonlocal decided, refused
            decided = True
            drafts = decide(reader)
            refused = self.screen.first(draft.event for draft in drafts)
            if refused is not None:
                raise refused.error()
            return drafts

        try:
            appended = self.eventlog.append_with(noting, clock=moment, expected_head=expected_head, key=key, **extra)
        except RequestError:
            if refused is not None:
                self._note(refused)
            raise  # Refused alone: the rest of what `decide` may have seen is committed.
        except BaseException:
            # What `decide` saw of a transaction that came to nothing must not stay in the projections.
            if decided:
                with self._lock:
                    self._catalog = None
            raise
        if not appended.repeated:
            self.behind = max(self.behind, appended.recorded_at - moment)
        self._publish_when_long()
        return appended

    def refuse_unfit(self, *events: Event) -> None:
        """Refuse what may not be shown to a model again, before it is embedded; `append_with` refuses it in any case.

        Raises:
            ContentRejected: One of the texts in the events may not.
        """
        refused = self.screen.first(events)
        if refused is not None:
            self._note(refused)
            raise refused.error()

    def _note(self, refused: Refusal) -> None:
        """Record that a text was refused, if that can be done soon: it stays refused either way."""
        stamped = msgspec.structs.replace(refused.event(), **msgspec.structs.asdict(self.actor))
        event = refused.event() if self.screen.event(stamped) else stamped
        if self.at is None and self.eventlog.writable:
            with contextlib.suppress(StorageError):
                self.append([event], wait=NOTING_WAIT)

    def _publish_when_long(self) -> None:
        """In a process that lives on, publish each time the log has grown by an eighth: that costs little an event."""
        catalog = self._catalog
        if catalog is not None and catalog.tail > max(LONG_TAIL, catalog.published // 8, self._put_off):
            with self._lock:
                if catalog is self._catalog and catalog.beliefs.seq <= self.eventlog.head.seq:
                    self._publish(catalog)

    def synced(self, reader: LogReader) -> Catalog:
        """The projections at the head that `reader` sees; for use under the write lock."""
        with self._lock:
            if self._catalog is not None and self._catalog.beliefs.seq > reader.head.seq:
                self._catalog = None  # It saw a try of this transaction that is being run again.
            if self._catalog is not None and not self._catalog.current():
                self.drop_projections()
            catalog = self.catalog if self._catalog is None else self._catalog
            catalog.sync(reader)
            return catalog

    def event(self, seq: int) -> Recorded:
        """One event."""
        return self.eventlog.get(seq)

    def body(self, ordinal: int) -> MemoryStored:
        """The event of a text."""
        return self.catalog.body(ordinal)

    def publish_if_due(self) -> bool:
        """Publish the projections when many events are not covered yet; for use after an answer."""
        catalog = self._catalog
        if catalog is None or catalog.tail <= LONG_TAIL or not self.eventlog.writable:
            return False
        return self._publish(catalog)

    def _publish(self, catalog: Catalog) -> bool:
        """Publish; where files were changed underneath, drop the projections, so that they are made anew.

        What was asked for is done by now, so where there is no room, publishing is put off until the tail has doubled.
        """
        try:
            return catalog.publish()
        except Corrupted:
            with self._lock:
                self._catalog = None
        except StorageError:
            self._put_off = 2 * catalog.tail
        return False

    def close(self) -> None:
        """Publish what is due and release the log; may be called twice. A view leaves that to the store it is of."""
        with self._lock:
            if not self._closed and self._of is None:
                self._closed = True
                self.publish_if_due()
                self._catalog = None
                self.eventlog.close()


P = ParamSpec("P")
T = TypeVar("T")


def steady(verb: Callable[Concatenate[OpenStore, P], T]) -> Callable[Concatenate[OpenStore, P], T]:
    """A verb that is asked once more where an erasure took away what it was looking at."""

    @functools.wraps(verb)
    def again(self: OpenStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        before = self.eventlog.generation
        try:
            return verb(self, *args, **kwargs)
        except NotFound:
            if self.eventlog.generation == before:
                raise
            return verb(self, *args, **kwargs)

    return again


def reading(verb: Callable[Concatenate[OpenStore, P], T]) -> Callable[Concatenate[OpenStore, P], T]:
    """A verb that only reads: no other thread of this handle changes what it looks at. It may not append."""

    @steady
    @functools.wraps(verb)
    def held(self: OpenStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.reading():
            return verb(self, *args, **kwargs)

    return held


SETTLED = 16
"""Live views from which on a process is taken for a long-lived one."""

LONG_TAIL = 1_000
"""Events beyond the projections' last generation from which a command publishes the next."""

NOTING_WAIT = 1.0
"""Seconds that recording a refusal may wait for the write lock."""

LONGEST_NUMBER = 18
"""Digits of the highest sequence number that can be asked for."""

SHORTEST_PREFIX = 8
"""Fewer letters of an id are not taken for one where a time may stand as well."""
