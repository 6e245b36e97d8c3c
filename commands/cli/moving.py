"""`export`, `import`, `backup`: memories out of a store and into it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from . import options
from .blocks import Block, Line, Pairs, Span
from .group import command
from .session import Session, call
from .text import STDIN

if TYPE_CHECKING:
    from typing import IO

    from ..importing import Imported
    from ..memory import Memory

_PLACES = 10
OF_ALL = ("user", "project", "session", "agent", "container", "shared", "tags")
"""Options that say something of every memory that is imported."""


@command(
    "export",
    examples=[
        ("into a file", "helix export memory.jsonl"),
        ("compressed", "helix export - | zstd > memory.jsonl.zst"),
        ("the store as it was at the end of February", "helix export february.jsonl --as-of 2026-02-28"),
    ],
)
@click.argument("file", metavar="FILE|-")
@options.as_of
@click.pass_obj
def export(session: Session, /, file: str, as_of: str | None) -> None:
    """Write the whole log as JSON lines.

    The same log can be made from them with `helix import`. They hold everybody's memories and the store's secret.
    """
    to_stdout = file == STDIN
    if to_stdout and session.json:
        raise click.UsageError("--json and - would both write to standard output")
    target: str | Path | IO[bytes] = sys.stdout.buffer if to_stdout else file
    memory = session.memory()
    with session.progress("exporting") as progress:
        done = memory.export(target, as_of=as_of, progress=progress)
    if to_stdout:
        session.note(f"exported {done.head:,} events")
        return
    session.answer(done, lambda _: [Line(Span("exported", "good"), f"{done.head:,} events to", Span(file, "path"))])


@command(
    "backup",
    examples=[
        ("the first time, and again each night", "helix backup /mnt/backups/shop"),
        ("for a monitor: {head, time, digest, path, added, whole}", "helix backup /mnt/backups/shop --json"),
    ],
)
@click.argument("folder", metavar="FOLDER")
@click.pass_obj
def backup(session: Session, /, folder: str) -> None:
    """Copy the store into a folder, or bring the backup there up to date.

    Consistent at one event while others write; every record of it is verified. A later backup into the same folder
    copies only what is new, and drops what was erased since. `helix restore FOLDER --into PATH` makes a store of it.
    """
    memory = session.memory()
    with session.progress("verifying") as progress:
        done = memory.backup(folder, progress=progress)
    word = "backed up" if done.whole else "brought up to date"
    session.answer(
        done,
        lambda _: [
            Line(Span(word, "good"), f"{done.added:,} events, verified, to", Span(done.path, "path")),
            Line(f"ends with @{done.head}, of {done.time}", indent=2),
        ],
    )


@command(
    "import",
    examples=[
        ("what a folder of notes would bring", "helix import notes/ --dry-run"),
        ("the memory of Claude Code, for one project", "helix import ~/.claude/projects/app/memory --project app"),
        ("an export of another store", "helix import memory.jsonl"),
        ("a store of the older system", "helix import .helix"),
    ],
)
@click.argument("path", metavar="PATH")
@click.option(
    "--kind", metavar="KIND", help="markdown, claude, mcp, helix-db or helixlog; told by the content if not given."
)
@options.dry_run
@click.option("--user", metavar="NAME", help="Whose they are; the store's owner if not given.")
@click.option("--project", metavar="NAME", help="The project they belong to.")
@click.option("--session", metavar="ID", help="The session they belong to.")
@click.option("--agent", metavar="ID", help="The agent they belong to.")
@click.option("--container", metavar="NAME", help="Any other holder.")
@click.option("--shared", is_flag=True, help="Every user may see them.")
@click.option("tags", "-t", "--tag", metavar="TAG", multiple=True, help="A tag for all of them; may be repeated.")
@click.pass_obj
def import_(session: Session, /, **chosen: object) -> None:
    """Bring memories over from files and other systems.

    Markdown, Claude Code's memory, the file of the MCP memory server, helix.db, or an export of Helixlog. Importing
    again brings what is new and repeats nothing. A store that is missing is made.
    """
    session.names_older = False
    done = taken_in(session, {**chosen, "path": Path(str(chosen["path"])).expanduser()})
    session.notes(done.warnings)
    session.notes(left_out(done))
    session.answer(done, lambda _: draw_imported(done))


def taken_in(session: Session, chosen: Mapping[str, Any]) -> Imported:
    """Import into the store; where there is none yet, into a new one, which for a dry run is removed again."""
    from ..importers.detect import HELIXLOG, detect
    from ..importers.files import status_of
    from ..where import read_mark

    status_of(chosen["path"])
    kind = chosen["kind"] or detect(chosen["path"])
    folder = session.place().folder
    whole = kind == HELIXLOG and not any(chosen[name] for name in OF_ALL)
    if read_mark(folder) is not None:
        return into(session.memory(), session, chosen)
    if not chosen["dry_run"]:
        return same_store(session, folder, chosen) if whole else into(session.memory(create=True), session, chosen)
    with TemporaryDirectory(prefix="helix-import-") as temporary:
        folder = Path(temporary) / "store"
        session.store, quiet, session.quiet = str(folder), session.quiet, True
        done = same_store(session, folder, chosen) if whole else into(session.memory(create=True), session, chosen)
        session.close()
        session.quiet = quiet
    return done


def into(memory: Memory, session: Session, chosen: Mapping[str, Any]) -> Imported:
    """Import into an open store."""
    with session.progress("importing") as progress:
        return call(memory.import_, **chosen, progress=progress)


def same_store(session: Session, folder: Path, chosen: Mapping[str, Any]) -> Imported:
    """Make the store of an export, the same log to the chain digest."""
    from ..copying import restore_export
    from ..importing import Imported

    with session.progress("importing") as progress:
        head = restore_export(chosen["path"], folder, allow=session.allow, progress=progress).head
    texts = session.memory().view().texts
    return Imported(
        source="helixlog",
        added=texts,
        merged=0,
        reinforced=0,
        skipped=0,
        linked=0,
        further=head - texts,
        warnings=() if chosen["dry_run"] else (f"made the same store at {folder}",),
        dry_run=chosen["dry_run"],
    )


def left_out(done: Imported) -> Iterator[str]:
    """Where something was refused; of many places the first."""
    for one in done.rejected[:_PLACES]:
        place = one.file or "a file whose name is withheld"
        place += f":{one.line}" if one.line is not None else f", item {one.item}" if one.item is not None else ""
        yield f"left out: {place}, {one.category} in the field {one.field}"
    if len(done.rejected) > _PLACES:
        yield f"left out: {len(done.rejected) - _PLACES:,} more; --json names them all"


def draw_imported(done: Imported) -> Iterator[Block]:
    """How many of each."""
    yield Line(Span("would import" if done.dry_run else "imported", "good"), f"read as {done.source}")
    yield Pairs(
        [
            ("added", f"{done.added:,}"),
            ("merged", f"{done.merged:,}" if done.merged else None),
            ("reinforced", f"{done.reinforced:,}" if done.reinforced else None),
            ("there before", f"{done.skipped:,}" if done.skipped else None),
            ("links", f"{done.linked:,}" if done.linked else None),
            ("other events", f"{done.further:,}" if done.further else None),
            ("refused", f"{len(done.rejected):,}" if done.rejected else None),
        ]
    )
