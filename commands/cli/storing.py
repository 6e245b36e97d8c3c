"""`init`, `verify`, `rebuild`, `reembed`: the store as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import Corrupted
from . import options
from .blocks import Line, Pairs, Piece, Span, Table
from .group import command
from .session import Session, call

if TYPE_CHECKING:
    from ...eventlog.verify import VerifyReport


@command(
    "init",
    examples=[
        ("in .helix of this folder, found from all folders below", "helix init"),
        ("elsewhere, with the fast embedder", "helix init ~/notes/memory --embedder static"),
    ],
)
@click.argument("folder", metavar="[FOLDER]", required=False)
@click.option("--owner", metavar="NAME", help="Whose memories these are when no user is named.")
@click.pass_obj
def init(session: Session, /, folder: str | None, owner: str | None) -> None:
    """Make a store.

    In FOLDER, else where --store or HELIX_STORE says, else in .helix here. A store that is there is left as it is.
    """
    from ..init import init as make
    from ..where import LOCAL, read_mark

    chosen = folder or session.store or session.environ.get("HELIX_STORE") or Path.cwd() / LOCAL
    path = Path(chosen).expanduser()
    made = make(
        path,
        embedder=session.embedder_for(new=read_mark(path) is None),
        owner=owner,
        clock=session.clock(),
        api_key=session.environ.get("OPENAI_API_KEY"),
    )
    word = Span("made a store", "good") if made.created else Span("there is a store already", "dim")
    items: list[tuple[str, Piece | None]] = [
        ("store", Span(made.store, "path")),
        ("embedder", made.embedder or "none"),
        ("id", made.store_id),
    ]
    session.answer(made, lambda _: [Line(word), Pairs(items)])


@command(
    "verify",
    examples=[
        ("every event", "helix verify"),
        ("and that everything made from the log is what the log says", "helix verify --projections"),
    ],
)
@click.option("--projections", is_flag=True, help="Also fold the log anew, and compare.")
@click.pass_context
def verify(ctx: click.Context, projections: bool) -> None:  # noqa: FBT001 - click passes by name
    """Check every byte of the log.

    In a process of its own, which damage may kill without harm. Exits with 5 if there is a problem.
    """
    session: Session = ctx.obj
    report = verified(session, projections=projections)
    rows = [(f"@{one.seq}", Span(one.kind, "bad"), one.message) for one in report.problems]
    head = Span("sound", "good") if report.ok else Span(f"{len(rows)} problem{'' if len(rows) == 1 else 's'}", "bad")
    session.answer(
        report,
        lambda _: [
            Line(head, f"{report.head:,} events"),
            *([Table(("event", "kind", "problem"), rows)] if rows else []),
        ],
    )
    if not report.ok:
        ctx.exit(Corrupted.exit_code)


def verified(session: Session, *, projections: bool) -> VerifyReport:
    """The report. The store is opened here only once its log has proved to be sound: damage may kill who opens it."""
    from ...eventlog.verify import VerifyReport as Report
    from ..verify import differences, verify_folder

    with session.progress("verifying") as progress:
        report = verify_folder(session.place().folder, progress=progress)
        if not projections or not report.ok:
            return report
        found = differences(session.memory(), progress)
        return Report(not found, report.head, found)


@command("rebuild", examples=[("after a fault, or to see that nothing changes", "helix rebuild")])
@click.pass_obj
def rebuild(session: Session, /) -> None:
    """Make everything but the log anew.

    Projections are caches of the log: this deletes them, folds the log again and publishes what comes of it.
    """
    memory = session.memory()
    with session.progress("rebuilding") as progress:
        done = memory.rebuild(progress=progress)
    graph = f"{done.graph_rows:,} vectors" if done.graph_rows else "none: scanning is as fast"
    items: list[tuple[str, Piece | None]] = [
        ("graph", graph),
        *((name, Span(digest, "dim")) for name, digest in done.digests.items()),
    ]
    session.answer(
        done, lambda _: [Line(Span("rebuilt", "good"), f"{done.seq:,} events in {done.seconds:.1f} s"), Pairs(items)]
    )


@command(
    "reembed",
    examples=[
        ("what it would take", "helix reembed static --dry-run"),
        ("change to the fast embedder", 'helix reembed static --reason "large import ahead"'),
    ],
)
@click.argument("embedder", metavar="NAME")
@options.reason
@options.dry_run
@options.key
@click.pass_obj
def reembed(session: Session, /, **chosen: object) -> None:
    """Give every text vectors of another embedder.

    minilm, static, none, or one of an extra; the old vectors keep answering for the past.
    """
    memory = session.memory()
    with session.progress("embedding") as progress:
        done = call(memory.reembed, progress=progress, **chosen)
    word = Span("would change" if done.dry_run else "changed", "dim" if done.dry_run else "good")
    session.answer(
        done,
        lambda _: [
            Line(word, f"{done.previous or 'none'} → {done.fingerprint or 'none'}"),
            Line(f"{done.texts:,} texts embedded, {done.kept:,} had vectors already", indent=2),
        ],
    )
