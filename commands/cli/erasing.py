"""`erase`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from ...errors import InvalidInput
from . import options
from .blocks import Block, Ids, Line, Pairs, Piece, Span
from .group import command
from .session import Session

if TYPE_CHECKING:
    from ..erase import Erased

WORD = "erase"
"""What has to be typed."""


@command(
    "erase",
    examples=[
        ("what would go, and what was drawn from it", "helix erase 01kc3v9q --dry-run"),
        ("a memory, every text of it", "helix erase 01kc3v9q --yes"),
        ("and what was drawn from it", "helix erase 01kc3v9q --derived --yes"),
        ("everything of a user", "helix erase --user mara --yes"),
    ],
)
@click.argument("memory", metavar="[ID]", required=False)
@click.option("--user", metavar="NAME", help="Whose everything goes; with ID, who acts.")
@click.option("--derived", is_flag=True, help="Also the memories that were drawn from it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.dry_run
@click.pass_obj
def erase(session: Session, /, memory: str | None, *, yes: bool, dry_run: bool, **chosen: Any) -> None:  # noqa: ANN401
    """Destroy a memory, or all that is of a user, for good.

    Its texts, their vectors and every number measured of them leave all files of the store. Nothing brings them back;
    to put a memory out of sight there is `helix forget`. Copies made before, such as exports, have to be found by you.
    """
    store = session.memory()
    if not (yes or dry_run):
        would = store.erase(memory, **chosen, dry_run=True)
        _confirm(session, would)
    with session.progress("erasing") as progress:
        done = store.erase(memory, **chosen, dry_run=dry_run, progress=progress)
    session.answer(done, lambda ids: _receipt(done, ids))


def _confirm(session: Session, would: Erased) -> None:
    """Have the person at the terminal say that they mean it.

    Raises:
        InvalidInput: They did not, or nobody is there.
    """
    if session.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput("nothing was erased: nobody was there to be asked", remedy="add --yes, or --dry-run to look")
    session.draw(lambda ids: _receipt(would, ids))
    said = click.prompt(f"Type {WORD} to go on", default="", show_default=False, err=True)
    if said.strip() != WORD:
        raise InvalidInput(f"nothing was erased: {WORD!r} was not typed", remedy="`helix forget` can be undone")


def _receipt(done: Erased, ids: Ids) -> Iterator[Block]:
    number = len(done.texts)
    head = "would erase" if done.dry_run else f"erased as @{done.seq}"
    yield Line(
        Span(head, "strong" if done.dry_run else "good"),
        "1 text" if number == 1 else f"{number:,} texts",
        Span("for good", "bad"),
    )
    items: list[tuple[str, Piece | None]] = [
        ("memories", _listed(done.memories, ids)),
        ("events emptied", _counts(done.destroyed)),
        ("events rewritten", _counts(done.rewritten)),
        ("derived, gone too" if done.derived_erased else "derived, still there", _listed(done.derived, ids)),
        ("derived, of others", f"{done.derived_unseen:,}" if done.derived_unseen else None),
        ("the same text in", _listed(done.same_text, ids)),
        ("profiles that drew on it", ", ".join(f"@{seq}" for seq in done.profiles) or None),
        ("events not understood", f"{done.unread:,}" if done.unread else None),
    ]
    yield Pairs(items)
    for place in done.copies:
        yield Line(Span("copies may remain in", "dim"), place, indent=2)


MOST = 8


def _listed(names: tuple[str, ...], ids: Ids) -> str | None:
    """Ids in a row; of many the first."""
    more = f" and {len(names) - MOST:,} more" if len(names) > MOST else ""
    return ", ".join(map(ids, names[:MOST])) + more if names else None


def _counts(counts: Mapping[str, int]) -> str | None:
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(counts.items())) or None
