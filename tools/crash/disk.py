"""A disk that has not written everything yet: what a power cut may leave at any moment of a recorded process.

The model is stricter than any one file system:

- what was written to a file since its last sync may be there or not, write by write; one of the writes may be torn,
  at a byte or into sectors of which any subset is there; a file's size is that of the writes that are there;
- an entry of a folder (a file or folder made, renamed, linked, removed) may be there or not until the *folder* is
  synced; syncing a file does not make its name durable; a rename is there as a whole or not at all;
- what was synced, and what was written with O_DSYNC once the call has returned, is there. Disks that lie about that
  are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Literal

import msgspec

from .operations import Enter, Folder, Operation, Remove, Rename, Resize, Said, Sync, Write

SECTOR = 512
Cut = Literal["all", "none", "some", "few", "first", "torn"]
CUTS: tuple[Cut, ...] = ("none", "some", "few", "first", "torn", "torn")
"""How much of what is pending reaches the disk: nothing, half of it, little, all up to a point, or so with a tear."""


class Change(msgspec.Struct, eq=False):
    """One change of names: (folder, name, what stands there now), in one folder or, for a rename, in two."""

    order: int
    edits: list[tuple[Node, str, Node | None]]


class Piece(msgspec.Struct, eq=False):
    """A write or, without data, a new size."""

    order: int
    offset: int
    data: bytes | None


class Node:
    """A file or a folder: as the process sees it, as the disk has it for certain, and what is between."""

    def __init__(self, *, folder: bool) -> None:
        self.folder = folder
        self.live: dict[str, Node] = {}
        self.kept: dict[str, Node] = {}
        self.content = b""
        self.pending: list[Change] = []
        self.pieces: list[Piece] = []


class Image(msgspec.Struct):
    """Files (by path; None for folders) as they may be found, and how much of what was pending is in it."""

    files: dict[str, bytes | None]
    moment: int
    cut: Cut
    said: int
    pending: int

    @property
    def digest(self) -> bytes:
        """Equal for images of equal content."""
        hashed = blake2b(digest_size=16)
        for path, content in sorted(self.files.items()):
            hashed.update(f"{path}\0{'-' if content is None else len(content)}\0".encode() + (content or b""))
        return hashed.digest()

    def write(self, place: Path) -> None:
        """Make the files in a folder that is not there yet."""
        place.mkdir(parents=True)
        for path, content in sorted(self.files.items()):
            target = place / path
            if content is None:
                target.mkdir()
            else:
                target.write_bytes(content)


class Disk:
    """The folder `root` of a recorded process; begins as the folder is now."""

    def __init__(self, root: Path) -> None:
        self._tree = Node(folder=True)
        self._open: dict[int, Node] = {}
        self._order = 0
        for path in sorted(root.rglob("*")):
            folder, name = self._place(str(path.relative_to(root)))
            node = Node(folder=path.is_dir())
            node.content = b"" if node.folder else path.read_bytes()
            folder.live[name] = folder.kept[name] = node

    # -- the process -----------------------------------------------------------

    def apply(self, operation: Operation) -> None:
        """What an operation does before it is certain that any of it is durable; `settle` is the rest."""
        self._order += 1
        match operation:
            case Enter(file, path, made, cut):
                self._enter(file, path, made=made, cut=cut)
            case Write(file, offset, data):
                self._open[file].pieces.append(Piece(self._order, offset, data))
            case Resize(file, size):
                self._open[file].pieces.append(Piece(self._order, size, None))
            case Folder(path):
                self._name(path, Node(folder=True))
            case Remove(path):
                self._name(path, None)
            case Rename(old, new, kept):
                self._rename(old, new, kept=kept)

    def settle(self, operation: Operation) -> None:
        """What is durable once an operation has returned."""
        match operation:
            case Sync(file):
                self._sync(self._open[file])
            case Write(file, durable=True):
                node = self._open[file]
                piece = node.pieces.pop()
                node.content = _with(node.content, piece, piece.data)

    def _enter(self, file: int, path: str, *, made: bool, cut: bool) -> None:
        if not path:
            self._open[file] = self._tree
            return
        folder, name = self._place(path)
        if made:
            self._name(path, Node(folder=False))
        node = self._open[file] = folder.live[name]
        if cut and not made:
            node.pieces.append(Piece(self._order, 0, None))

    def _name(self, path: str, node: Node | None) -> None:
        folder, name = self._place(path)
        self._change([(folder, name, node)])

    def _rename(self, old: str, new: str, *, kept: bool) -> None:
        (source, old_name), (target, new_name) = self._place(old), self._place(new)
        node = source.live[old_name]
        edits: list[tuple[Node, str, Node | None]] = [(target, new_name, node)]
        self._change(edits if kept else [(source, old_name, None), *edits])

    def _change(self, edits: list[tuple[Node, str, Node | None]]) -> None:
        change = Change(self._order, edits)
        for folder, name, node in edits:
            _set(folder.live, name, node)
        for folder in {id(folder): folder for folder, _name, _node in edits}.values():
            folder.pending.append(change)

    def _sync(self, node: Node) -> None:
        for piece in node.pieces:
            node.content = _with(node.content, piece, piece.data)
        node.pieces.clear()
        for change in list(node.pending):
            for folder, name, target in change.edits:
                _set(folder.kept, name, target)
                if change in folder.pending:
                    folder.pending.remove(change)

    def _place(self, path: str) -> tuple[Node, str]:
        *folders, name = path.split("/")
        node = self._tree
        for folder in folders:
            node = node.live[folder]
        return node, name

    # -- the power cut ---------------------------------------------------------

    def _waiting(self) -> list[int]:
        """The orders of everything pending, in folders and files that can still be reached either way."""
        orders: set[int] = set()
        seen: set[int] = set()
        stack = [self._tree]
        while stack:
            node = stack.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            orders |= {change.order for change in node.pending} | {piece.order for piece in node.pieces}
            stack += [*node.live.values(), *node.kept.values()]
            stack += [one for change in node.pending for _f, _n, one in change.edits if one is not None]
        return sorted(orders)

    def image(self, cut: Cut, rng: Random, moment: int, said: int) -> Image:
        """The disk after a power cut at this moment."""
        waiting = self._waiting()
        chosen, torn = _choose(waiting, cut, rng), -1
        if cut == "torn" and chosen:
            torn = rng.choice([*sorted(chosen), max(waiting)])
            chosen.add(torn)
        files: dict[str, bytes | None] = {}
        stack = [("", self._tree)]
        while stack:
            at, folder = stack.pop()
            entries = dict(folder.kept)
            for change in folder.pending:
                if change.order in chosen:
                    for where, name, node in change.edits:
                        if where is folder:
                            _set(entries, name, node)
            for name, node in sorted(entries.items()):
                path = f"{at}{name}"
                files[path] = None if node.folder else _content(node, chosen, torn, rng)
                if node.folder:
                    stack.append((f"{path}/", node))
        return Image(files, moment, cut, said, len(waiting))


def images(
    root: Path, operations: Sequence[Operation], rng: Random, kinds: Sequence[Cut] = CUTS, per_moment: int = 1
) -> Iterator[Image]:
    """Distinct images of every moment: what a kill leaves, and `per_moment` of what a power cut may leave.

    `root` must be as it was before the process began; `kinds` are the kinds of cut to draw from. `said` counts
    the lines the process had printed by then.
    """
    disk, said = Disk(root), 0
    seen: set[bytes] = set()
    for moment, operation in enumerate(operations):
        disk.apply(operation)
        said += isinstance(operation, Said)
        cuts: list[Cut] = [] if isinstance(operation, Said | Sync) else ["all"]
        cuts += [rng.choice(kinds) for _ in range(per_moment)]
        for cut in cuts:
            image = disk.image(cut, rng, moment, said)
            digest = image.digest + said.to_bytes(4, "big")
            if digest not in seen:
                seen.add(digest)
                yield image
        disk.settle(operation)


def _choose(waiting: list[int], cut: Cut, rng: Random) -> set[int]:
    match cut:
        case "all":
            return set(waiting)
        case "none":
            return set()
        case "first" | "torn":
            return set(waiting[: rng.randint(0, len(waiting))])
        case "some" | "few":
            share = 0.5 if cut == "some" else 0.1
            return {order for order in waiting if rng.random() < share}


def _content(node: Node, chosen: set[int], torn: int, rng: Random) -> bytes:
    content = node.content
    for piece in node.pieces:
        if piece.order == torn and piece.data:
            content = _torn(content, piece, piece.data, rng)
        elif piece.order in chosen:
            content = _with(content, piece, piece.data)
    return content


def _torn(content: bytes, piece: Piece, data: bytes, rng: Random) -> bytes:
    """A write of which a beginning is there, or some sectors."""
    if len(data) <= SECTOR or rng.random() < 0.5:
        return _with(content, piece, data[: rng.randrange(len(data))])
    for start in range(0, len(data), SECTOR):
        if rng.random() < 0.5:
            content = _with(content, Piece(0, piece.offset + start, b""), data[start : start + SECTOR])
    return content


def _with(content: bytes, piece: Piece, data: bytes | None) -> bytes:
    """A file's content after a write, or cut or grown to a size."""
    if data is None:
        return content[: piece.offset].ljust(piece.offset, b"\0")
    if not data:
        return content
    before = content[: piece.offset].ljust(piece.offset, b"\0")
    return before + data + content[piece.offset + len(data) :]


def _set(entries: dict[str, Node], name: str, node: Node | None) -> None:
    if node is None:
        entries.pop(name, None)
    else:
        entries[name] = node
