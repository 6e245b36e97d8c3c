"""Checking every byte of a log that matters.

LMDB kills the process that reads a damaged page, so the check runs in a child:

    python -m helixlog.eventlog.verify STORE [START [EVERY]]

It prints JSON lines: {"readers": {...}} first, {"head": n} once the log is open,
{"at": seq} as it goes, {"problem": {...}} for each finding, {"done": true} at
the end. `verify` starts
it, and when it dies starts it again behind the record that killed it.

Checked: sequence numbers without a gap; each digest, from what the reader
returns; times that never run backwards; that every payload decodes; that ids
and keys point to their records and every record is found by them; that an
altered payload is one that a `MemoryErased` lists.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import lmdb
import msgspec

from ..errors import Corrupted, HelixlogError, NewerFormat
from . import codec, layout, record
from .events import MemoryErased
from .lmdb_log import LmdbLog
from .readers import Readers, readers_of
from .transaction import ID, KEY, RECORD, Transaction, decode_key

Progress = Callable[[int, int], None]
"""Called with the number of records done and of all."""

_EVERY = 256
_MOST_DEATHS = 32


class Problem(msgspec.Struct, frozen=True):
    """A finding. `seq` 0 is the log as a whole.

    `kind`: crash, unreadable, newer, missing, misplaced, digest, time, erasure, index.
    """

    seq: int
    kind: str
    message: str


class VerifyReport(msgspec.Struct, frozen=True):
    """What `verify` found; `head` is the last seq of the log (0 if that cannot be read)."""

    ok: bool
    head: int
    problems: list[Problem]


def refuse_newer(report: VerifyReport) -> None:
    """Raise NewerFormat for a log that a newer release made: that is no damage."""
    for problem in report.problems:
        if problem.kind == "newer":
            raise NewerFormat(problem.message, remedy="upgrade with `pip install -U helixlog`")


class _Line(msgspec.Struct, omit_defaults=True):
    readers: Readers | None = None
    head: int | None = None
    at: int | None = None
    problem: Problem | None = None
    done: bool = False


# -- the parent ----------------------------------------------------------------


def verify(
    folder: Path | str, progress: Progress | None = None, *, told: Callable[[Readers], None] | None = None
) -> VerifyReport:
    """Check the log of a store, in a child process; never raises for damage, however bad.

    Args:
        folder: The store's folder.
        progress: See `Progress`.
        told: Called with who reads the log besides, as it was before the log was read.
    """
    watch = _Watch(progress, told)
    start, every = 1, _EVERY
    for _attempt in range(_MOST_DEATHS):
        death = watch.run(Path(folder), start, every)
        if death is None:
            break
        if watch.head is None or watch.at >= watch.head:
            place = "opening the log" if watch.head is None else "looking up ids and keys"
            watch.problems[0, "crash"] = Problem(0, "crash", f"{death} while {place}")
            break
        start = watch.at + 1
        if every == 1:
            watch.problems[start, "crash"] = Problem(start, "crash", f"{death} while reading record {start}")
            watch.at, start = start, start + 1
        every = 1
    else:
        watch.problems[watch.at, "crash"] = Problem(watch.at, "crash", "too much is damaged; records after it not read")
    problems = sorted(watch.problems.values(), key=lambda problem: problem.seq)
    return VerifyReport(not problems, watch.head or 0, problems)


class _Watch:
    """What the children have said so far."""

    def __init__(self, progress: Progress | None, told: Callable[[Readers], None] | None) -> None:
        self.head: int | None = None
        self.at = 0
        self.problems: dict[tuple[int, str], Problem] = {}
        self._progress = progress
        self._told = told

    def run(self, folder: Path, start: int, every: int) -> str | None:
        """Run one child to its end; how it died, if it did."""
        command = [sys.executable, "-m", __name__, str(folder), str(start), str(every)]
        paths = os.pathsep.join(path for path in sys.path if path)
        done = False
        with subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": paths}
        ) as child:
            assert child.stdout is not None  # noqa: S101 - it is a pipe
            for text in child.stdout:
                if text.endswith(b"\n"):
                    done = self._hear(msgspec.json.decode(text, type=_Line)) or done
        if done:
            return None
        code = child.returncode
        if code < 0:
            return f"the reader was killed by {signal.Signals(-code).name}"
        return f"the reader ended with {code}"

    def _hear(self, line: _Line) -> bool:
        if line.head is not None:
            self.head = line.head
        if line.readers is not None and self._told is not None:
            self._told(line.readers)
        if line.problem is not None:
            self.problems[line.problem.seq, line.problem.kind] = line.problem
        if line.at is not None:
            self.at = line.at
            if self._progress:
                self._progress(self.at, self.head or self.at)
        return line.done


# -- the child -----------------------------------------------------------------


def main(arguments: list[str], out: TextIO) -> None:
    """Check a log from a seq on and print what is found; see the head of this module."""
    folder, start, every = arguments[0], int(arguments[1]), int(arguments[2])

    def say(line: _Line) -> None:
        out.write(msgspec.json.encode(line).decode() + "\n")
        if line.problem is None:
            out.flush()

    try:
        if start == 1:
            say(_Line(readers=_survey(Path(folder))))
        with LmdbLog.open(folder, read_only=True) as log:
            head = log.head.seq
            say(_Line(head=head))
            records = _Records(start, head)
            while not log.view(lambda transaction: _check(records, transaction, every, say)):
                pass
    except HelixlogError as error:
        say(_Line(problem=Problem(0, "newer" if isinstance(error, NewerFormat) else "unreadable", error.message)))
    say(_Line(done=True))


def _survey(folder: Path) -> Readers | None:
    """The readers before anybody has cleared the slots of the dead, which every opening does."""
    log = layout.log_folder(folder)
    try:
        with lmdb.open(str(log / layout.current(log)), readonly=True, create=False) as environment:
            return readers_of(environment)
    except lmdb.Error:
        return None


def _check(records: _Records, transaction: Transaction, every: int, say: Callable[[_Line], None]) -> bool:
    """Check what is left; False if LMDB refused a page, and there may be more behind it."""
    try:
        for seq, problems in records.check(transaction):
            for problem in problems:
                say(_Line(problem=problem))
            if seq % every == 0 or seq >= records.head:
                say(_Line(at=seq))
        for problem in (*records.erasures(), *_wrong_ids(transaction), *_wrong_keys(transaction)):
            say(_Line(problem=problem))
    except lmdb.Error as error:
        if records.expected > records.head:
            say(_Line(problem=Problem(0, "unreadable", f"looking up ids and keys: {error}")))
            return True
        say(_Line(problem=Problem(records.expected, "unreadable", str(error))))
        records.skip()
        return False
    return True


class _Records:
    """The findings about each record in turn, and what has to be known across records."""

    def __init__(self, start: int, head: int) -> None:
        self.expected = start
        self.head = head
        self._bases: tuple[bytes, ...] = (record.START,) if start == 1 else ()
        self._time = -(1 << 63)
        self._altered: dict[int, bytes] = {}
        self._listed: dict[int, bytes] = {}

    def skip(self) -> None:
        """Go on behind the next record."""
        self.expected += 1
        self._bases = ()

    def check(self, transaction: Transaction) -> Iterator[tuple[int, list[Problem]]]:
        """Each seq from the next on, with what was found there."""
        for key, raw in transaction.entries(RECORD, self.expected):
            seq = int.from_bytes(key, "big")
            if seq < self.expected or seq > self.head:
                yield seq, [Problem(seq, "misplaced", "its key is out of order")]
                continue
            missing = [Problem(gap, "missing", "there is no such record") for gap in range(self.expected, seq)]
            if missing:
                self._bases = ()
            yield seq, missing + list(self._findings(transaction, seq, raw))
            self.expected = seq + 1
        if self.expected <= self.head:
            gaps = range(self.expected, self.head + 1)
            yield self.head, [Problem(gap, "missing", "there is no such record") for gap in gaps]

    def _findings(self, transaction: Transaction, seq: int, raw: bytes) -> Iterator[Problem]:
        try:
            parts = record.read(raw)
        except Corrupted as error:
            self._bases = (raw[: record.DIGEST_SIZE],)
            yield Problem(seq, "unreadable", error.message)
            return
        yield from self._link(seq, parts)
        header = parts.header
        if header.seq != seq:
            yield Problem(seq, "misplaced", f"record {header.seq} is in its place")
        if header.recorded_at < self._time:
            yield Problem(seq, "time", "it is earlier than the record before it")
        self._time = max(self._time, header.recorded_at)
        if parts.kept is not None:
            self._altered[seq] = b"" if parts.payload is None else record.commit(parts.salt or b"", parts.payload)
        try:
            event = codec.decode_payload(header.type, header.version, parts.payload)
        except Corrupted as error:
            yield Problem(seq, "unreadable", error.message)
            return
        if isinstance(event, MemoryErased):
            self._listed |= {entry.seq: entry.commitment for entry in event.rewritten}
        yield from _not_found_by(transaction, seq, header)

    def _link(self, seq: int, parts: record.Record) -> Iterator[Problem]:
        """One of two digests is the one before: the stored one, or, if that was damaged, the derived one."""
        if self._bases and not any(parts.follows(base) for base in self._bases):
            yield Problem(seq, "digest", "its digest is not that of its bytes and the digest before")
            derived = (record.link(base, parts.header_bytes, parts.commitment) for base in self._bases)
            self._bases = (parts.digest, *derived)
        else:
            self._bases = (parts.digest,)

    def erasures(self) -> Iterator[Problem]:
        """Altered payloads that no event accounts for."""
        for seq, commitment in self._altered.items():
            if self._listed.get(seq) != commitment:
                yield Problem(seq, "erasure", "its payload was altered, and no erasure says so")


def _not_found_by(transaction: Transaction, seq: int, header: record.Header) -> Iterator[Problem]:
    if header.id is not None and transaction.id_seq(header.id) != seq:
        yield Problem(seq, "index", "it is not found by its own id")
    if header.key is not None:
        entry = transaction.key(header.key.key)
        if entry is None or entry.first != seq:
            yield Problem(seq, "index", "it is not found by its idempotency key")


def _wrong_ids(transaction: Transaction) -> Iterator[Problem]:
    for key, value in transaction.entries(ID):
        seq = int.from_bytes(value, "big")
        header = _header(transaction, seq)
        if header is None or (header.id or "").encode() != key:
            yield Problem(seq, "index", f"the id {key.decode(errors='replace')} points to a record that has another")


def _wrong_keys(transaction: Transaction) -> Iterator[Problem]:
    for key, value in transaction.entries(KEY):
        try:
            entry = decode_key(value)
        except msgspec.DecodeError:
            yield Problem(0, "index", "an idempotency key's entry cannot be read")
            continue
        header = _header(transaction, entry.first)
        count = entry.last - entry.first + 1
        if header is None or header.key != record.KeyMark(key, entry.content, count):
            yield Problem(entry.first, "index", "an idempotency key points to a record that has another")


def _header(transaction: Transaction, seq: int) -> record.Header | None:
    (raw,) = transaction.records_at((seq,))
    try:
        return None if raw is None else record.read(raw).header
    except Corrupted:
        return None


if __name__ == "__main__":
    main(sys.argv[1:], sys.stdout)
