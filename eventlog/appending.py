"""The writing half of a log: from a request to the records it adds, whatever keeps them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from hashlib import blake2b

import msgspec

from ..errors import Conflict, InvalidInput, KeyConflict, TransactionConflict
from . import codec, record
from .bounds import check_bounds
from .events import Draft
from .ids import is_own_id
from .log import Appended, Decide, Head, IdempotencyKey
from .reading import Reader

Entropy = Callable[[int], bytes]
_KEY_DIGEST = 16


class KeyEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What an idempotency key was used for: first and last seq, and the keyed digest of the content."""

    first: int
    last: int
    content: bytes


class Request(msgspec.Struct, frozen=True):
    """One call of `append_with`, with the chance and the secret it uses."""

    decide: Decide
    clock: int
    expected_head: int | None
    key: IdempotencyKey | None
    entropy: Entropy
    secret: bytes


class Plan(msgspec.Struct, frozen=True):
    """What a request adds: records by seq, own ids by seq, and its key."""

    appended: Appended
    records: list[tuple[int, bytes]]
    ids: list[tuple[str, int]]
    key: tuple[bytes, KeyEntry] | None


class WriteView(Reader):
    """The log under its write lock."""

    @abstractmethod
    def key(self, digest: bytes) -> KeyEntry | None:
        """The use of an idempotency key, by its keyed digest."""

    @abstractmethod
    def id_seq(self, own_id: str) -> int | None:
        """The seq of the event with this own id."""


def drafts_of(drafts: Sequence[Draft]) -> Decide:
    """The `decide` of a plain append; raises InvalidInput if there are no drafts."""
    if not drafts:
        raise InvalidInput("there is nothing to append", remedy="give at least one event")
    return lambda _log: drafts


def plan(view: WriteView, request: Request) -> Plan:
    """What `request` adds to the log as `view` shows it.

    Raises:
        InvalidInput, Conflict, TransactionConflict, KeyConflict: See `EventLog.append`.
    """
    head = view.head
    mark = _mark(request.key, request.secret) if request.key else None
    if mark and (used := view.key(mark.key)):
        return Plan(_repeated(view, used, mark), [], [], None)
    if request.expected_head is not None and request.expected_head != head.seq:
        raise TransactionConflict(
            f"the log's head is {head.seq}, not {request.expected_head}", remedy="read it again and decide anew"
        )
    drafts = request.decide(view)
    if not drafts:
        return Plan(Appended(head.seq + 1, head.seq, head.recorded_at), [], [], None)
    ids = _new_ids(view, head, drafts)
    records, recorded_at = _chain(head, drafts, request, mark)
    first, last = head.seq + 1, head.seq + len(drafts)
    entry = (mark.key, KeyEntry(first, last, mark.content)) if mark else None
    return Plan(Appended(first, last, recorded_at), records, ids, entry)


def _mark(key: IdempotencyKey, secret: bytes) -> record.KeyMark:
    def digest(data: bytes, purpose: bytes) -> bytes:
        return blake2b(data, key=secret, digest_size=_KEY_DIGEST, person=purpose).digest()

    return record.KeyMark(digest(key.value.encode(), b"key"), digest(key.content, b"content"), 0)


def _repeated(view: WriteView, used: KeyEntry, mark: record.KeyMark) -> Appended:
    if used.content != mark.content:
        raise KeyConflict(
            f"the idempotency key was used for other content, at event {used.first}", remedy="use a new key"
        )
    return Appended(used.first, used.last, view.get(used.last).recorded_at, repeated=True)


def _new_ids(view: WriteView, head: Head, drafts: Sequence[Draft]) -> list[tuple[str, int]]:
    ids: dict[str, int] = {}
    for seq, draft in enumerate(drafts, head.seq + 1):
        if draft.id is None:
            continue
        if not is_own_id(draft.id):
            raise InvalidInput(f"{draft.id!r} cannot be an event's id", remedy="use `new_id`, or a UUID in lower case")
        taken = ids.get(draft.id) or view.id_seq(draft.id)
        if taken:
            raise Conflict(f"the id {draft.id} belongs to event {taken}", remedy="use a new id")
        ids[draft.id] = seq
    return list(ids.items())


def _chain(
    head: Head, drafts: Sequence[Draft], request: Request, mark: record.KeyMark | None
) -> tuple[list[tuple[int, bytes]], int]:
    if not -(1 << 63) <= request.clock < 1 << 63:
        raise InvalidInput(f"the clock {request.clock} is out of range", remedy="give UTC nanoseconds in 64 bits")
    recorded_at = max(request.clock, head.recorded_at)
    clock = None if request.clock == recorded_at else request.clock
    keyed = record.KeyMark(mark.key, mark.content, len(drafts)) if mark else None
    digest = head.digest
    records: list[tuple[int, bytes]] = []
    for seq, draft in enumerate(drafts, head.seq + 1):
        tag, version, payload = codec.encode(draft.event)
        try:
            check_bounds(tag, payload)
        except msgspec.ValidationError as error:
            raise InvalidInput(
                f"{tag} holds what cannot be stored: {error}", remedy="correct the field named"
            ) from error
        header = record.Header(seq, recorded_at, clock, tag, version, draft.id, keyed)
        raw = record.write(digest, header, request.entropy(record.SALT_SIZE), payload)
        digest, keyed = raw[: record.DIGEST_SIZE], None
        records.append((seq, raw))
    return records, recorded_at
