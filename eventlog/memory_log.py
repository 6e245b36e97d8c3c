"""A log in memory: the same promises and the same bytes as `LmdbLog`, but for durability."""

from __future__ import annotations

import bisect
import os
import threading
from collections.abc import Sequence

from ..errors import StoreBusy
from .appending import Entropy, KeyEntry, Plan, Request, WriteView, drafts_of, plan
from .events import Draft, StoreCreated
from .log import WAIT, Appended, Decide, IdempotencyKey


class MemoryLog(WriteView):
    """`EventLog` in lists and dicts; gone with the process.

    Args:
        entropy: `entropy(n)` gives the n random bytes of a salt; seed it to get the same bytes again.
        secret: 32 bytes that key the digests of idempotency keys.
    """

    def __init__(self, *, entropy: Entropy = os.urandom, secret: bytes = bytes(32)) -> None:
        self.secret = secret
        self._entropy = entropy
        self._lock = threading.RLock()
        self._log: list[bytes] = []
        self._keys: dict[bytes, KeyEntry] = {}
        self._own_ids: dict[str, int] = {}
        self._sorted_ids: list[str] = []

    @classmethod
    def create(cls, genesis: StoreCreated, *, clock: int, entropy: Entropy = os.urandom) -> MemoryLog:
        """A log that begins with `genesis`, written at `clock` (UTC ns)."""
        log = cls(entropy=entropy)
        log.append([Draft(genesis)], clock=clock)
        return log

    def append(
        self,
        drafts: Sequence[Draft],
        *,
        clock: int,
        expected_head: int | None = None,
        key: IdempotencyKey | None = None,
        wait: float = WAIT,
    ) -> Appended:
        """See `EventLog`."""
        return self.append_with(drafts_of(drafts), clock=clock, expected_head=expected_head, key=key, wait=wait)

    def append_with(
        self,
        decide: Decide,
        *,
        clock: int,
        expected_head: int | None = None,
        key: IdempotencyKey | None = None,
        wait: float = WAIT,
    ) -> Appended:
        """See `EventLog`."""
        request = Request(decide, clock, expected_head, key, self._entropy, self.secret)
        if not self._lock.acquire(timeout=wait):
            raise StoreBusy(f"another thread held the log for {wait:g} s", remedy="try again")
        try:
            planned = plan(self, request)
            self._add(planned)
        finally:
            self._lock.release()
        return planned.appended

    def close(self) -> None:
        """Do nothing: there are no files."""

    def key(self, digest: bytes) -> KeyEntry | None:
        """See `WriteView`."""
        return self._keys.get(digest)

    def id_seq(self, own_id: str) -> int | None:
        """See `WriteView`."""
        return self._own_ids.get(own_id)

    def _add(self, planned: Plan) -> None:
        self._own_ids.update(planned.ids)
        for own_id, _seq in planned.ids:
            bisect.insort(self._sorted_ids, own_id)
        if planned.key:
            self._keys.update([planned.key])
        self._log.extend(raw for _seq, raw in planned.records)

    def last_record(self) -> bytes | None:
        """See `Reader`."""
        return self._log[-1] if self._log else None

    def records_at(self, seqs: Sequence[int]) -> list[bytes | None]:
        """See `Reader`."""
        return [self._log[seq - 1] if 1 <= seq <= len(self._log) else None for seq in seqs]

    def run_from(self, start: int, count: int) -> list[bytes]:
        """See `Reader`."""
        return self._log[start - 1 : start - 1 + count]

    def ids_from(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """See `Reader`."""
        with self._lock:
            start = bisect.bisect_left(self._sorted_ids, prefix)
            found = self._sorted_ids[start : start + limit]
        return [(own_id, self._own_ids[own_id]) for own_id in found if own_id.startswith(prefix)]
