r"""The system calls of a process, as strace shows them, that change files under a folder.

`record` runs a command and gives its operations in the order they returned. Paths and data are escaped by strace
(`-xx`), so no quote, comma or bracket stands inside a string. Offsets of plain writes are followed here, from opens,
seeks and writes. What cannot be followed (a writable shared map of a file other than LMDB's lock table, a process
that it starts and that changes files as well) is refused by name: a trace that misses a write would prove nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from .operations import Enter, Folder, Operation, Remove, Rename, Resize, Said, Sync, Write

CALLS = (
    "openat,creat,close,dup,dup2,dup3,fcntl,lseek,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,"
    "fsync,fdatasync,sync,syncfs,msync,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,"
    "mkdirat,rmdir,sendfile,copy_file_range,splice,fork,vfork,clone,clone3,mmap"
)
LOCK_TABLE = "lock.mdb"
READS = {"openat", "close", "dup", "dup2", "dup3", "fcntl", "lseek", "mmap", "fork", "vfork", "clone", "clone3"}
CHANGES = set(CALLS.split(",")) - READS

_LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+)(?:<.*>)?(?: \(.*\))?(?: .*)?$")
_BEGUN = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
_ENDED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_PATH = re.compile(r"[<\"]((?:\\x[0-9a-f]{2}){2,4096})[>\"]")
_DESCRIPTOR = re.compile(r"^(\d+|AT_FDCWD)(?:<((?:\\x[0-9a-f]{2})*)(?:\(deleted\))?>)?$")


class CannotFollow(Exception):
    """The process did something to files that this recorder does not see."""


def available() -> str:
    """Why processes cannot be traced here; empty if they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(
        [shutil.which("strace") or "", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False
    )
    return "" if tried.returncode == 0 else f"strace may not trace: {tried.stderr.strip()[-100:]}"


def record(command: Sequence[str], root: Path, environ: dict[str, str]) -> list[Operation]:
    """Run a command to its end and give what it did to files under `root`, and what it said."""
    follower = _Follower(root.resolve())
    with tempfile.TemporaryDirectory() as place:
        trace = Path(place, "trace")
        words = ["strace", "-f", "-y", "-xx", "-s", "100000000", "-e", f"trace={CALLS}", "-e", "signal=none"]
        done = subprocess.run(
            [*words, "-o", str(trace), *command], env=environ, capture_output=True, text=True, check=False, timeout=300
        )
        if done.returncode:
            raise CannotFollow(f"the command ended with {done.returncode}: {done.stderr[-2000:]}")
        with trace.open(encoding="ascii", errors="replace") as lines:
            return list(follower.operations(_joined(lines)))


def _joined(lines: Iterator[str]) -> Iterator[str]:
    """Calls that strace shows in two parts, at the place of the second."""
    begun: dict[str, str] = {}
    for line in lines:
        text = line.rstrip("\n")
        if found := _BEGUN.match(text):
            begun[found[1]] = text[: -len(" <unfinished ...>")]
        elif found := _ENDED.match(text):
            yield begun.pop(found[1], f"{found[1]} unknown(") + found[2]
        else:
            yield text


class _Open(msgspec.Struct):
    """An open file description: its number among all, and where its next write goes."""

    file: int
    path: str
    offset: int = 0
    durable: bool = False


class _Follower:
    """Turns the calls of one process, all its threads together, into operations."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._files: dict[int, _Open] = {}
        self._known = {"", *(str(path.relative_to(root)) for path in root.rglob("*"))}
        self._number = 0

    def operations(self, lines: Iterator[str]) -> Iterator[Operation]:
        calls = [found.groups() for line in lines if (found := _LINE.match(line)) and not found[4].startswith("-")]
        threads = _threads(calls)
        for pid, name, arguments, result in calls:
            if pid not in threads:
                yield from self._beside(name, arguments)
                continue
            handler = getattr(self, f"_{name}", None)
            if handler is None:
                raise CannotFollow(f"{name}({arguments[:200]})")
            yield from handler(arguments.split(", "), int(result, 0)) or ()

    # -- descriptors -----------------------------------------------------------

    def _openat(self, words: list[str], result: int) -> Iterator[Operation]:
        self._files.pop(result, None)
        path = self._path(words[0], words[1])
        if path is None:
            return
        flags = words[2].split("|")
        if "O_APPEND" in flags:
            raise CannotFollow(f"{path} is appended to")
        made = "O_CREAT" in flags and path not in self._known
        self._number += 1
        self._files[result] = _Open(self._number, path, durable=bool({"O_DSYNC", "O_SYNC"} & set(flags)))
        self._known.add(path)
        yield Enter(self._number, path, made, "O_TRUNC" in flags)

    def _close(self, words: list[str], _result: int) -> None:
        self._files.pop(_descriptor(words[0]), None)

    def _dup(self, words: list[str], result: int) -> None:
        source = self._files.get(_descriptor(words[0]))
        self._files.pop(result, None)
        if source is not None:
            self._files[result] = source

    _dup2 = _dup3 = _dup

    def _fcntl(self, words: list[str], result: int) -> None:
        if words[1].startswith("F_DUPFD"):
            self._dup(words, result)

    def _lseek(self, words: list[str], result: int) -> None:
        if found := self._files.get(_descriptor(words[0])):
            found.offset = result

    def _mmap(self, words: list[str], _result: int) -> None:
        found = self._files.get(_descriptor(words[4]))
        if found and "MAP_SHARED" in words[3] and "PROT_WRITE" in words[2] and not found.path.endswith(LOCK_TABLE):
            raise CannotFollow(f"{found.path} is written through a map")

    def _clone(self, words: list[str], _result: int) -> None:
        """A thread is of this process, another process may only read."""

    _clone3 = _fork = _vfork = _clone

    def _beside(self, name: str, arguments: str) -> Iterator[Operation]:
        """What another process does: it may make lock files, whose content nobody keeps, and change nothing else."""
        changes = name in CHANGES or (name == "openat" and ("O_CREAT" in arguments or "O_TRUNC" in arguments))
        opens = name == "openat" and "O_TRUNC" not in arguments
        for text in _PATH.findall(arguments) if changes else ():
            place = _unescaped(text).decode(errors="replace")
            path = place[len(self._root) + 1 :]
            if not place.startswith(self._root + "/") or (opens and path in self._known):
                continue
            if Path(path).name not in (LOCK_TABLE, "lock"):
                raise CannotFollow(f"another process that it started changes {path}")
            if opens:
                self._number += 1
                self._known.add(path)
                yield Enter(self._number, path, made=True, cut=False)

    # -- data ------------------------------------------------------------------

    def _put(self, word: str, data: bytes, offset: int | None) -> Iterator[Operation]:
        number = _descriptor(word)
        found = self._files.get(number)
        if found is None:
            if number == 1:
                yield from (Said(line) for line in data.decode(errors="replace").splitlines())
            return
        if offset is None:
            offset = found.offset
            found.offset = offset + len(data)
        yield Write(found.file, offset, data, found.durable)

    def _write(self, words: list[str], result: int) -> Iterator[Operation]:
        return self._put(words[0], _data(words[1:2])[:result], None)

    def _writev(self, words: list[str], result: int) -> Iterator[Operation]:
        return self._put(words[0], _data(words[1:-1])[:result], None)

    def _pwrite64(self, words: list[str], result: int) -> Iterator[Operation]:
        return self._put(words[0], _data(words[1:2])[:result], int(words[3]))

    def _pwritev(self, words: list[str], result: int) -> Iterator[Operation]:
        return self._put(words[0], _data(words[1:-2])[:result], int(words[-1]))

    def _ftruncate(self, words: list[str], _result: int) -> Iterator[Operation]:
        if found := self._files.get(_descriptor(words[0])):
            yield Resize(found.file, int(words[1]))

    def _sendfile(self, words: list[str], result: int) -> Iterator[Operation]:
        """What was copied is not in the trace; it is read back from the source, which nothing here rewrites."""
        source = _DESCRIPTOR.match(words[1])
        if _descriptor(words[0]) not in self._files or not result:
            return
        if source is None or source[2] is None:
            raise CannotFollow("a copy from an unknown file")
        first = re.match(r"\[(\d+)\]", words[2])
        with Path(_unescaped(source[2]).decode()).open("rb") as file:
            file.seek(int(first[1]) if first else 0)
            yield from self._put(words[0], file.read(result), None)

    def _fsync(self, words: list[str], _result: int) -> Iterator[Operation]:
        if found := self._files.get(_descriptor(words[0])):
            yield Sync(found.file)

    _fdatasync = _fsync

    # -- names -----------------------------------------------------------------

    def _mkdir(self, words: list[str], _result: int) -> Iterator[Operation]:
        return self._made("AT_FDCWD", words[0])

    def _mkdirat(self, words: list[str], _result: int) -> Iterator[Operation]:
        return self._made(words[0], words[1])

    def _made(self, folder: str, name: str) -> Iterator[Operation]:
        path = self._path(folder, name)
        if path is not None:
            self._known.add(path)
            yield Folder(path)

    def _unlink(self, words: list[str], _result: int) -> Iterator[Operation]:
        return self._removed("AT_FDCWD", words[0])

    _rmdir = _unlink

    def _unlinkat(self, words: list[str], _result: int) -> Iterator[Operation]:
        return self._removed(words[0], words[1])

    def _removed(self, folder: str, name: str) -> Iterator[Operation]:
        path = self._path(folder, name)
        if path is not None:
            self._known.discard(path)
            yield Remove(path)

    def _rename(self, words: list[str], _result: int) -> Iterator[Operation]:
        return self._moved("AT_FDCWD", words[0], "AT_FDCWD", words[1], kept=False)

    def _renameat(self, words: list[str], _result: int) -> Iterator[Operation]:
        return self._moved(*words[:4], kept=False)

    _renameat2 = _renameat

    def _link(self, words: list[str], _result: int) -> Iterator[Operation]:
        return self._moved("AT_FDCWD", words[0], "AT_FDCWD", words[1], kept=True)

    def _linkat(self, words: list[str], _result: int) -> Iterator[Operation]:
        return self._moved(*words[:4], kept=True)

    def _moved(self, folder: str, name: str, to_folder: str, to: str, *, kept: bool) -> Iterator[Operation]:
        old, new = self._path(folder, name), self._path(to_folder, to)
        if (old is None) != (new is None):
            raise CannotFollow(f"{name} is moved into or out of the folder")
        if old is not None and new is not None:
            inside = {path for path in self._known if path == old or path.startswith(old + "/")}
            self._known |= {new + path[len(old) :] for path in inside}
            self._known -= set() if kept else inside
            yield Rename(old, new, kept)

    def _path(self, folder: str, name: str) -> str | None:
        """A path relative to the root, "" for itself; None for one elsewhere."""
        text = _data([name]).decode(errors="replace")
        found = _DESCRIPTOR.match(folder)
        base = _unescaped(found[2]).decode() if found and found[2] else "/"
        path = os.path.normpath(os.path.join(base, text))  # noqa: PTH118 - a string that need not exist
        if base == "/" and not text.startswith("/"):
            path = os.path.normpath(os.path.join(os.getcwd(), text))  # noqa: PTH118, PTH109
        return path[len(self._root) + 1 :] if path == self._root or path.startswith(self._root + "/") else None


def _threads(calls: Sequence[tuple[str, ...]]) -> set[str]:
    """The threads of the first process, by their numbers; other processes it started are not among them."""
    threads = {calls[0][0]} if calls else set()
    for pid, name, arguments, result in calls:
        if name.startswith("clone") and pid in threads and "CLONE_THREAD" in arguments:
            threads.add(result)
    return threads


def _descriptor(word: str) -> int:
    found = _DESCRIPTOR.match(word)
    return int(found[1]) if found and found[1].isdecimal() else -1


def _data(words: Sequence[str]) -> bytes:
    found = [_STRING.search(word) for word in words]
    if any(one and one[2] for one in found):
        raise CannotFollow("strace cut a string short")
    return b"".join(_unescaped(one[1]) for one in found if one)


def _unescaped(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
