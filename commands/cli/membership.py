"""`merge`, `split`, `forget`, `restore`: which texts are one memory, and which memories are in sight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import options
from .blocks import Block, Ids, Line, Prose, Span
from .drawing import state_tone
from .group import command
from .session import Session, call

if TYPE_CHECKING:
    from ..forget import Forgotten
    from ..restore import Restored


@command(
    "merge",
    examples=[("two that say the same", 'helix merge 01kc3v9q 01kc4b1x --reason "same retry policy"')],
)
@click.argument("first", metavar="ID")
@click.argument("second", metavar="OTHER_ID")
@options.reason
@options.actor
@options.key
@click.pass_obj
def merge(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Declare that two memories are one.

    The older keeps its id and what it has learned, the longest text leads, tags are united. It binds whatever the
    constants are; `helix split` takes a text out again.
    """
    merged = call(session.memory().merge, **chosen)
    session.answer(
        merged,
        lambda ids: [
            Line(Span(_word("merged", merged.repeated), "good"), Span(ids(merged.id), "id"), state_tone(merged.state)),
            Prose(merged.text, indent=2),
            *(Line("with", Span(ids(other), "id"), indent=2) for other in merged.merged_from),
        ],
    )


@command(
    "split",
    examples=[("a text that does not say the same", 'helix split 01kc4b1x --reason "that is the other service"')],
)
@click.argument("text", metavar="ID")
@options.reason
@options.actor
@options.key
@click.pass_obj
def split(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Take a text out of the memory it was merged into.

    ID is that of the text, one of `merged_from` in `helix get`. It begins a memory of its own, for good.
    """
    done = call(session.memory().split, **chosen)
    session.answer(
        done,
        lambda ids: [
            Line(Span(_word("split", done.repeated), "good"), Span(ids(done.id), "id"), state_tone(done.state)),
            Prose(done.text, indent=2),
            Line("from", Span(ids(done.split_from), "id"), indent=2),
        ],
    )


@command(
    "forget",
    examples=[("out of sight, with the reason", 'helix forget 01kc3v9q --reason "the service is gone"')],
)
@options.memory
@options.reason
@options.actor
@options.key
@click.pass_obj
def forget(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Put a memory out of sight; `restore` brings it back.

    Nothing of it is lost: its history stays, and a recall as of before still finds it.
    """
    done = call(session.memory().forget, **chosen)
    session.answer(done, lambda ids: _state(_word("forgotten", done.repeated), done, ids))


@command(
    "restore",
    examples=[
        ("bring back what was forgotten, pruned or superseded", "helix restore 01kc3v9q"),
        ("a new store from a backup", "helix restore /mnt/backups/shop --into shop-again"),
        ("as it was at the end of March", "helix restore /mnt/backups/shop --into march --as-of 2026-03-31"),
    ],
)
@click.argument("memory", metavar="ID|BACKUP")
@click.option("--into", metavar="PATH", help="Make a new store there of the backup BACKUP.")
@click.option("--as-of", metavar="POINT", help="With --into: as of a time, an age such as 7d, @SEQ, or an id.")
@options.reason
@options.actor
@options.key
@click.pass_obj
def restore(session: Session, /, memory: str, into: str | None, as_of: str | None, **chosen: Any) -> None:  # noqa: ANN401
    """Make a hidden memory live again, or a new store of a backup.

    Without --into, ID is a memory; a superseded one then stands beside what took its place. With it, BACKUP is a folder
    that `helix backup` wrote (or any store), and a new store is made of it; no store is ever wound back.
    """
    if into is not None:
        _from_backup(session, memory, into, as_of, chosen)
        return
    if as_of is not None:
        raise click.UsageError("--as-of belongs to --into: a memory is restored now")
    if Path(memory).is_dir() and "/" in memory:
        raise click.UsageError(f"{memory} is a folder: say with --into PATH where the new store shall be")
    done = call(session.memory().restore, memory=memory, **chosen)
    session.answer(done, lambda ids: _state(_word("restored", done.repeated), done, ids))


def _from_backup(session: Session, backup: str, into: str, as_of: str | None, chosen: dict[str, Any]) -> None:
    given = [f"--{name}" for name, value in chosen.items() if value is not None]
    if given:
        raise click.UsageError(f"{' and '.join(given)} belong to the restoring of a memory, not of a backup")
    from ..copying import restore_backup

    with session.progress("verifying") as progress:
        done = restore_backup(backup, into, as_of=as_of, clock=session.clock(), progress=progress)
    session.answer(
        done,
        lambda _: [
            Line(Span("made a store", "good"), f"of {done.head:,} events, verified, at", Span(done.path, "path")),
            Line(f"ends with @{done.head}, of {done.time}", indent=2),
        ],
    )


def _word(word: str, repeated: bool) -> str:  # noqa: FBT001 - the answer's own flag
    return f"{word} before" if repeated else word


def _state(word: str, done: Forgotten | Restored, ids: Ids) -> Iterator[Block]:
    yield Line(Span(word, "good"), Span(ids(done.id), "id"), state_tone(done.state))
