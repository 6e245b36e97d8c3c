"""The museum: stores that were damaged on purpose, how each was made, and what must be said of it.

A specimen is made from a fresh store (`fresh`) whenever it is looked at. Its verdict is pinned: what `verify` names and
where, what `doctor` calls it, which events a salvage loses, and that the store answers again.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import lmdb
from helixlog.commands.memory import Memory
from helixlog.commands.projections import homes
from helixlog.embedding import load
from helixlog.eventlog import record

BEGIN = 1_750_000_000_000_000_000
TEXTS = 40
VICTIM = 22
"""The seq of the text that is damaged; texts are the events 2 to 41."""

PAGE = 4096
LEAF = 2
DATA = Path("log", "g1", "data.mdb")
THINGS = ("crane", "llama", "harbour", "kitchen", "parser", "tower", "cellar", "museum")


def text_of(seq: int) -> str:
    number = seq - 2
    return f"The {THINGS[number % 8]} with the number {number} stands in hall {number * 7 % 40} of the depot"


def tags_of(seq: int) -> list[str]:
    return [THINGS[seq % 8]]


class Ticking:
    """A clock that moves on by a second each time it is read."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> int:
        self.now += 1_000_000_000
        return self.now


def opened(folder: Path, **options: object) -> Memory:
    return Memory(folder, embedder=load("static"), clock=Ticking(), **options)


def fresh(folder: Path) -> None:
    """`today`: 40 texts and what was said of them, everything published; `yesterday`, its past; and a `stranger`.

    The logs are compacted: each byte of the file is in use, so harm to any of them is harm to the store.
    """
    with opened(folder / "yesterday") as memory:
        for seq in range(2, TEXTS + 2):
            memory.store(text_of(seq), tags=tags_of(seq), key=f"key-{seq}")
        publish(memory)
    shutil.copytree(folder / "yesterday", folder / "today")
    with opened(folder / "today") as memory:
        ids = [one.id for one in memory.list(limit=8).memories]
        memory.feedback(ids=ids[:2], outcome="delivered")
        memory.recall("the crane in the depot")
        memory.annotate(ids[3], add_tags=["kept"])
        publish(memory)
    with opened(folder / "stranger") as memory:
        memory.store("Nobody here knows this text")
        publish(memory)
    for name in ("today", "yesterday", "stranger"):
        compact(folder / name)


def publish(memory: Memory) -> None:
    """Every projection on disk, the two that native code reads included."""
    catalog = memory.catalog
    chain = memory.eventlog.head.digest
    assert catalog.text.publish(chain, accelerate=True)
    assert catalog.publish()
    assert catalog.vectors.build_graph(chain)


def compact(folder: Path) -> None:
    path = (folder / DATA).parent
    with lmdb.open(str(path)) as environment:
        environment.copy(str(folder), compact=True)
    (folder / "data.mdb").replace(folder / DATA)
    (path / "lock.mdb").unlink()


# -- ways to harm a file ------------------------------------------------------------


def change(path: Path, work: Callable[[bytearray], None]) -> None:
    data = bytearray(path.read_bytes())
    work(data)
    path.write_bytes(data)


def flip(place: int, bit: int = 4) -> Callable[[bytearray], None]:
    def work(data: bytearray) -> None:
        data[place] ^= bit

    return work


def cut(path: Path, share: float) -> None:
    os.truncate(path, int(path.stat().st_size * share))


def noise(path: Path, start: int = 0, size: int | None = None) -> None:
    def work(data: bytearray) -> None:
        count = len(data) - start if size is None else size
        data[start : start + count] = random.Random(5).randbytes(count)

    change(path, work)


def one_place(path: Path, what: bytes) -> int:
    """Where something is in a file, once."""
    data = path.read_bytes()
    assert data.count(what) == 1, (what, data.count(what))
    return data.index(what)


def in_text(folder: Path, seq: int) -> int:
    return one_place(folder / DATA, text_of(seq).encode()) + 9


def in_key(folder: Path, seq: int) -> int:
    """The first byte of a record's key in the tree; its value, which begins with its digest, is nine bytes on."""
    (place,) = keys_of(folder, seq)
    return place


def keys_of(folder: Path, seq: int) -> list[int]:
    """Where a record's key stands before its whole value, on leaves of the tree."""
    data, key, places = (folder / DATA).read_bytes(), record_key(seq), []
    place = data.find(key)
    while place >= 0:
        if data[page_of(place) + 10] == LEAF and _whole(data, place):
            places.append(place)
        place = data.find(key, place + 1)
    return places


def _whole(data: bytes, place: int) -> bool:
    """Whether the value of the node whose key is at `place` is in the file; a large one has pages of its own."""
    low, high, flags, key_size = struct.unpack_from("<HHHH", data, place - 8)
    begin, size = place + key_size, low | high << 16
    if flags & 1:
        begin = int.from_bytes(data[begin : begin + 8], "little") * PAGE + 16
    return key_size == 9 and begin + size <= len(data)


def page_of(place: int) -> int:
    return place // PAGE * PAGE


def unnamed(folder: Path) -> tuple[int, ...]:
    """The records that no page of the file has any more, and those that neither neighbour could prove."""
    last = TEXTS + 4
    gone = {seq for seq in range(1, last + 1) if not keys_of(folder, seq)}
    alone = {seq for seq in range(2, last + 1) if seq - 1 in gone and (seq + 1 in gone or seq == last)}
    return tuple(sorted(gone | alone))


def in_log(folder: Path, work: Callable[[lmdb.Transaction], None]) -> None:
    with lmdb.open(str((folder / DATA).parent)) as environment, environment.begin(write=True) as txn:
        work(txn)


def record_key(seq: int) -> bytes:
    return b"r" + seq.to_bytes(8, "big")


def swap_records(folder: Path, one: int, other: int) -> None:
    def work(txn: lmdb.Transaction) -> None:
        first, second = txn.get(record_key(one)), txn.get(record_key(other))
        txn.put(record_key(one), second)
        txn.put(record_key(other), first)

    in_log(folder, work)


def destroy(folder: Path, seq: int) -> None:
    in_log(folder, lambda txn: txn.put(record_key(seq), record.destroyed(txn.get(record_key(seq)))))


def projection(folder: Path, name: str) -> Path:
    """The folder of a projection, by the beginning of its name."""
    (found,) = (path for path in (folder / "projections").iterdir() if path.name.startswith(name))
    return found


def native(folder: Path, name: str) -> Path:
    """The largest file that native code reads in a projection."""
    (home,) = (home for home in homes(folder / "projections") if home.name.startswith(name))
    files = [
        home.path / segment.folder / file for segment in home.load().segments for file in segment.files if "/" in file
    ]
    return max(files, key=lambda path: path.stat().st_size)


def exchange(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def put_back(told: Path, folder: Path, name: str, source: str) -> None:
    """A part of another store, or of the same one on another day, in the place of this one's."""
    target = folder / name
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    found = told / source / name
    shutil.copytree(found, target) if found.is_dir() else shutil.copy(found, target)


# -- the specimens ----------------------------------------------------------------------


@dataclass(frozen=True)
class Specimen:
    """A damaged store.

    Attributes:
        how: How it was made, in words.
        make: Makes it: given the folder of `fresh` and the store, a copy of `today`.
        verdict: What `verify` says: (seq, kind) of every problem; None for a page, where just the records on it, and
            the log as a whole, are `crash` or `unreadable`.
        finds: The names of what `doctor` finds.
        lost: The events a salvage loses, where pages are gone those on them; None where there is nothing to salvage.
        fixed: Whether `doctor --fix` leaves the store sound in its place.
    """

    how: str
    make: Callable[[Path, Path], object]
    verdict: tuple[tuple[int, str], ...] | None
    finds: tuple[str, ...] = ("log",)
    lost: tuple[int, ...] | Callable[[Path], tuple[int, ...]] | None = None
    fixed: bool = False

    def losses(self, store: Path) -> tuple[int, ...] | None:
        """What a salvage of the specimen in `store` loses."""
        return self.lost(store) if callable(self.lost) else self.lost


MUSEUM: dict[str, Specimen] = {
    "flipped-bit-in-a-text": Specimen(
        "one bit of a stored text",
        lambda _, store: change(store / DATA, flip(in_text(store, VICTIM))),
        ((VICTIM, "digest"),),
        lost=(VICTIM,),
    ),
    "flipped-bit-in-a-key": Specimen(
        "one bit of the key under which a record stands",
        lambda _, store: change(store / DATA, flip(in_key(store, VICTIM) + 8, 128)),
        ((VICTIM, "missing"), (VICTIM, "index"), (VICTIM + 128, "misplaced")),
        lost=(),
    ),
    "flipped-bit-in-the-chain": Specimen(
        "one bit of a record's digest: its bytes are right, and the next record proves it",
        lambda _, store: change(store / DATA, flip(in_key(store, VICTIM) + 9 + 7)),
        ((VICTIM, "digest"),),
        lost=(),
    ),
    "flipped-bit-in-the-last-digest": Specimen(
        "one bit of the last record's digest: nothing behind it proves its bytes",
        lambda _, store: change(store / DATA, flip(in_key(store, TEXTS + 4) + 9 + 7)),
        ((TEXTS + 4, "digest"),),
        lost=(TEXTS + 4,),
    ),
    "flipped-bit-in-the-first-record": Specimen(
        "one bit of the genesis, which holds the constants",
        lambda _, store: change(store / DATA, flip(one_place(store / DATA, b"store_created\xa8store_id") + 30)),
        ((1, "digest"),),
        lost=(1,),
    ),
    "file-cut-in-half": Specimen(
        "the log's file without its second half",
        lambda _, store: cut(store / DATA, 0.5),
        ((0, "unreadable"),),
        lost=unnamed,
    ),
    "file-one-byte-short": Specimen(
        "the log's file without its last byte",
        lambda _, store: os.truncate(store / DATA, (store / DATA).stat().st_size - 1),
        ((0, "unreadable"),),
        lost=(),
    ),
    "empty-file": Specimen(
        "the log's file with nothing in it",
        lambda _, store: cut(store / DATA, 0),
        ((0, "unreadable"),),
    ),
    "zeroed-page": Specimen(
        "a page of records full of zeros",
        lambda _, store: change(store / DATA, _zeros(page_of(in_text(store, VICTIM)))),
        None,
        lost=unnamed,
    ),
    "page-of-noise": Specimen(
        "a page of records full of noise",
        lambda _, store: noise(store / DATA, page_of(in_text(store, VICTIM)), PAGE),
        None,
        lost=unnamed,
    ),
    "zeroed-roots": Specimen(
        "both root pages full of zeros: LMDB knows nothing of the file, every record is there",
        lambda _, store: change(store / DATA, _zeros(0, 2 * PAGE)),
        ((0, "unreadable"),),
        lost=(),
    ),
    "missing-record": Specimen(
        "one record deleted from the tree: it is still on a page that no root leads to",
        lambda _, store: in_log(store, lambda txn: txn.delete(record_key(VICTIM))),
        ((VICTIM, "missing"), (VICTIM, "index")),
        lost=(),
    ),
    "missing-last-record": Specimen(
        "the last record deleted from the tree: only the projections still know of it",
        lambda _, store: in_log(store, lambda txn: txn.delete(record_key(TEXTS + 4))),
        ((TEXTS + 3, "projection"),),
        finds=("projection",),
        fixed=True,
    ),
    "swapped-records": Specimen(
        "two records in each other's place",
        lambda _, store: swap_records(store, VICTIM, VICTIM + 1),
        (
            *((VICTIM, kind) for kind in ("digest", "misplaced", "index")),
            *((VICTIM + 1, kind) for kind in ("digest", "misplaced", "time", "index")),
            (VICTIM + 2, "digest"),
        ),
        lost=(),
    ),
    "payload-destroyed-and-nobody-says-so": Specimen(
        "a payload destroyed as an erasure does it, without the event that lists it",
        lambda _, store: destroy(store, VICTIM),
        ((VICTIM, "erasure"),),
        lost=(VICTIM,),
    ),
    "wrong-id": Specimen(
        "an id that leads to another record",
        lambda _, store: in_log(store, _wrong_id),
        ((2, "index"), (VICTIM + 3, "index")),
        lost=(),
    ),
    "pointer-garbled": Specimen(
        "the file that says which log is in force, full of noise",
        lambda _, store: noise(store / "log" / "CURRENT"),
        ((0, "unreadable"),),
        finds=("pointer",),
        fixed=True,
    ),
    "pointer-gone": Specimen(
        "the file that says which log is in force, deleted",
        lambda _, store: (store / "log" / "CURRENT").unlink(),
        ((0, "unreadable"),),
        finds=("pointer",),
        fixed=True,
    ),
    "log-gone": Specimen(
        "no log at all",
        lambda _, store: shutil.rmtree(store / "log"),
        ((0, "unreadable"),),
        finds=("pointer",),
    ),
    "mark-garbled": Specimen(
        "helixlog.json full of noise",
        lambda _, store: noise(store / "helixlog.json"),
        ((0, "mark"),),
        finds=("mark",),
        fixed=True,
    ),
    "mark-of-another-store": Specimen(
        "helixlog.json swapped with that of another store",
        lambda told, store: put_back(told, store, "helixlog.json", "stranger"),
        ((0, "mark"),),
        finds=("mark",),
        fixed=True,
    ),
    "secret-cut-short": Specimen(
        "half of the secret, in a store that has used keys",
        lambda _, store: cut(store / "secret", 0.5),
        ((0, "secret"),),
        finds=("secret",),
    ),
    "log-of-another-store": Specimen(
        "the log of another store beside this one's mark, secret and projections",
        lambda told, store: put_back(told, store, "log", "stranger"),
        ((0, "mark"), (2, "projection")),
        finds=("mark", "projection"),
        fixed=True,
    ),
    "older-log-put-back": Specimen(
        "yesterday's log beside today's projections, which are ahead of it",
        lambda told, store: put_back(told, store, "log", "yesterday"),
        ((TEXTS + 1, "projection"),),
        finds=("projection",),
        fixed=True,
    ),
    "older-projections-put-back": Specimen(
        "yesterday's projections beside today's log: they catch up",
        lambda told, store: put_back(told, store, "projections", "yesterday"),
        (),
        finds=(),
        fixed=True,
    ),
    "garbled-graph": Specimen(
        "the file of hnswlib full of noise",
        lambda _, store: noise(native(store, "hnsw-")),
        ((0, "projection"),),
        finds=("projection",),
        fixed=True,
    ),
    "graph-cut-in-half": Specimen(
        "the file of hnswlib without its second half",
        lambda _, store: cut(native(store, "hnsw-"), 0.5),
        ((0, "projection"),),
        finds=("projection",),
        fixed=True,
    ),
    "garbled-keyword-index": Specimen(
        "a file of tantivy full of noise",
        lambda _, store: noise(native(store, "text")),
        ((0, "projection"),),
        finds=("projection",),
        fixed=True,
    ),
    "swapped-projections": Specimen(
        "the folders of two projections in each other's place",
        lambda _, store: exchange(projection(store, "ledger"), projection(store, "graph")),
        ((0, "projection"), (0, "projection")),
        finds=("projection", "projection"),
        fixed=True,
    ),
    "left-behind": Specimen(
        "a half made folder of a process that was killed a day ago",
        lambda _, store: _leave_behind(store / ".new-abc"),
        (),
        finds=("leftover",),
        fixed=True,
    ),
}


def _zeros(start: int, size: int = PAGE) -> Callable[[bytearray], None]:
    def work(data: bytearray) -> None:
        data[start : start + size] = bytes(size)

    return work


def _wrong_id(txn: lmdb.Transaction) -> None:
    with txn.cursor() as cursor:
        assert cursor.set_range(b"i")
        txn.put(cursor.key(), (VICTIM + 3).to_bytes(8, "big"))


def _leave_behind(path: Path) -> None:
    path.mkdir()
    os.utime(path, (BEGIN / 1e9 - 86_400, BEGIN / 1e9 - 86_400))
