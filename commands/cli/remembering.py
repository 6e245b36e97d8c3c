"""`store`, `supersede`, `annotate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from . import options
from .blocks import Block, Ids, Line, Pairs, Piece, Prose, Span
from .drawing import state_tone
from .group import command
from .session import Session, call
from .text import given

if TYPE_CHECKING:
    from ..texts import Stored

TO_ANOTHER = "To another: updates, extends, derives, duplicate, relates_to."

about = options.stack(
    click.option("--title", metavar="TEXT", help="Indexed with the text, but no part of the fact."),
    click.option("tags", "-t", "--tag", metavar="TAG", multiple=True, help="A tag; may be repeated."),
    click.option("entities", "-e", "--entity", metavar="NAME[:TYPE]", multiple=True, help="What the text is about."),
    click.option("categories", "--category", metavar="NAME", multiple=True, help="What it belongs to."),
    click.option("metadata", "--meta", metavar="NAME=VALUE", multiple=True, help="A value of your own."),
    click.option("--salience", type=float, metavar="SHARE", help="0 to 1."),
    click.option("--language", metavar="TAG", help="Of the text, such as en or pt-BR."),
)
origin = options.stack(
    click.option(
        "--source", metavar="KIND[:NOTE]", default="user", show_default=True, help="user, agent, tool, file or import."
    ),
    click.option("--file", metavar="PATH", help="A file it stands in."),
    click.option("--lines", metavar="FROM[-TO]", help="Lines of that file; they are quoted."),
    click.option("--uri", metavar="URI", help="Where else it stands."),
    click.option("--quote", metavar="TEXT", help="The words of the source."),
    click.option("--confidence", type=float, metavar="SHARE", help="Of the source, 0 to 1."),
    click.option("derived_from", "--derived-from", metavar="ID", multiple=True, help="A memory it follows from."),
    click.option(
        "--origin",
        type=click.Choice(["normal", "derived", "synthesised", "imported"]),
        default="normal",
        show_default=True,
        help="How it came about.",
    ),
)
holder = click.option("--user", metavar="NAME", help="Whose it is; the store's owner if not given.")
places = options.stack(
    click.option("--project", metavar="NAME", help="Memories of different projects are never merged."),
    click.option("--session", metavar="ID", help="The session it belongs to."),
    click.option("--agent", metavar="ID", help="The agent it belongs to."),
    click.option("--container", metavar="NAME", help="Any other holder."),
    click.option("--shared", is_flag=True, help="Every user may see it."),
    click.option("grants", "--grant", metavar="USER", multiple=True, help="A user who may see it as well."),
)
times = options.stack(
    click.option("--valid-from", metavar="TIME", help="When it became true in the world."),
    click.option("--valid-to", metavar="TIME", help="When it ceased to be."),
    click.option("expires_at", "--expires-at", "--expires", metavar="TIME|AGE", help="When to stop recalling it."),
    click.option("--observed-at", metavar="TIME", help="When the source says it was seen."),
    click.option("--event-start", metavar="TIME", help="When what it tells of began."),
    click.option("--event-end", metavar="TIME", help="When that ended."),
    click.option("--temporal-text", metavar="WORDS", help="The words of the source for that time."),
    click.option("--timezone", metavar="ZONE", help="The source's zone."),
)


@command(
    "store",
    examples=[
        ("a fact with a tag", 'helix store "The staging database is restored every Monday at 06:00 UTC" -t ops'),
        (
            "what a file says, with the lines quoted",
            'helix store "Charges are retried 3 times" --file retry.md --lines 10-14',
        ),
        (
            "an instruction for a month, from standard input",
            "helix store - --kind instruction --expires 30d < rules.txt",
        ),
        ("in the place of another memory", 'helix store "Charges are retried 5 times" --relation updates=01kc3v9q'),
    ],
)
@click.argument("text", metavar="TEXT|-")
@click.option("--kind", metavar="WORD", default="fact", show_default=True, help="fact, preference, procedure ...")
@about
@origin
@holder
@places
@times
@click.option("relations", "--relation", metavar="RELATION=ID", multiple=True, help=TO_ANOTHER)
@options.key
@click.pass_obj
def store(session: Session, /, text: str, metadata: Sequence[str], relations: Sequence[str], **chosen: object) -> None:
    """Put a text into memory.

    One fact, preference, procedure or episode, complete in itself; - reads it from standard input. The same text again
    reinforces the memory that is there, and one that says the same joins it. A store that is missing is made.
    """
    stored = call(
        session.memory(create=True).store,
        given(text),
        metadata=dict(_value(item) for item in metadata),
        relations=[_pair(item) for item in relations],
        **chosen,
    )
    session.notes(stored.warnings)
    session.answer(stored, lambda ids: draw_stored(stored, ids))


def _pair(item: str) -> tuple[str, str]:
    name, mark, value = item.partition("=")
    if not (mark and name and value):
        raise click.BadParameter(f"{item!r} is not of the form NAME=VALUE")
    return name, value


def _value(item: str) -> tuple[str, object]:
    """A name and its value: true and false are booleans, numbers are numbers, all else is text."""
    name, text = _pair(item)
    if text in ("true", "false"):
        return name, text == "true"
    for kind in (int, float):
        try:
            return name, kind(text)
        except ValueError:
            continue
    return name, text


def draw_stored(stored: Stored, ids: Ids) -> Iterator[Block]:
    """What became of a text."""
    word = "repeated" if stored.repeated else stored.status
    yield Line(Span(word, "good"), Span(ids(stored.id), "id"), Span(stored.reason, "dim"))
    for old in stored.superseded:
        yield Line("in the place of", Span(ids(old), "id"))


@command(
    "supersede",
    examples=[
        (
            "a new text in its place",
            'helix supersede 01kc3v9q "Charges are retried 5 times" --reason "after the March incident"',
        ),
        (
            "true from a day on; the old text held until then",
            'helix supersede 01kc3v9q "Jonas owns search" --valid-from 2026-03-01',
        ),
        ("a memory that is there already", "helix supersede 01kc3v9q --by 01kc4b1x"),
    ],
)
@click.argument("old", metavar="ID")
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("--by", metavar="ID", help="The memory that takes its place, instead of a text.")
@options.reason
@click.option("--kind", metavar="WORD", help="That of the old memory if not given; so with tags and scope.")
@about
@origin
@options.actor
@places
@times
@options.key
@click.pass_context
def supersede(ctx: click.Context, /, old: str, text: str | None, metadata: Sequence[str], **chosen: object) -> None:
    """Put a new text, or another memory, in the place of one.

    Recall shows the newer, history keeps both, and `helix restore` undoes it.
    """
    session: Session = ctx.obj
    said = {name: value for name, value in chosen.items() if is_given(ctx, name)}
    if metadata:
        said["metadata"] = dict(_value(item) for item in metadata)
    done = call(session.memory().supersede, old, None if text is None else given(text), **said)
    session.notes(done.warnings)
    word = "superseded before" if done.repeated else "superseded"
    session.answer(
        done,
        lambda ids: [
            Line(Span(word, "good"), Span(ids(done.old), "id"), "by", Span(ids(done.id), "id"), state_tone(done.state)),
            Prose(done.text, indent=2),
        ],
    )


def is_given(ctx: click.Context, name: str) -> bool:
    """Whether an option is on the command line, and not merely its default."""
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


@command(
    "annotate",
    examples=[
        ("one tag more, one less", "helix annotate 01kc3v9q --add-tag reviewed --remove-tag draft"),
        ("never to be pruned, no expiry any more", "helix annotate 01kc3v9q --pin persona --clear expires_at"),
        ("a remark for its history", 'helix annotate 01kc3v9q --note "confirmed by Mara"'),
    ],
)
@options.memory
@click.option("add_tags", "--add-tag", metavar="TAG", multiple=True, help="A tag more; may be repeated.")
@click.option("remove_tags", "--remove-tag", metavar="TAG", multiple=True, help="A tag less.")
@click.option("add_entities", "--add-entity", metavar="NAME[:TYPE]", multiple=True, help="A name it is about.")
@click.option("remove_entities", "--remove-entity", metavar="NAME", multiple=True, help="A name it is not about.")
@click.option("add_categories", "--add-category", metavar="NAME", multiple=True, help="What it belongs to.")
@click.option("remove_categories", "--remove-category", metavar="NAME", multiple=True, help="What it does not.")
@click.option("expires_at", "--expires-at", "--expires", metavar="TIME|AGE", help="When to stop recalling it.")
@click.option("--pin", metavar="BLOCK", help="Pin it to this core block; it is never pruned.")
@click.option("--salience", type=float, metavar="SHARE", help="0 to 1.")
@click.option("--clear", metavar="FIELD", multiple=True, help="Empty expires_at, pin or salience.")
@click.option("--note", metavar="TEXT", help="A remark for its history.")
@options.actor
@options.key
@click.pass_obj
def annotate(session: Session, /, **chosen: object) -> None:
    """Add or take away tags, entities, expiry, pin and salience.

    Its text stays as it is; for a new text use `helix supersede`.
    """
    done = call(session.memory().annotate, **chosen)
    items: list[tuple[str, Piece | None]] = [
        ("tags", ", ".join(done.tags) or None),
        ("entities", ", ".join(done.entities) or None),
        ("categories", ", ".join(done.categories) or None),
        ("expires", done.expires_at),
        ("pinned to", done.pin),
        ("salience", f"{done.salience:g}"),
        ("note", done.note),
    ]
    word = "annotated before" if done.repeated else "annotated"
    session.answer(
        done, lambda ids: [Line(Span(word, "good"), Span(ids(done.id), "id"), state_tone(done.state)), Pairs(items)]
    )
