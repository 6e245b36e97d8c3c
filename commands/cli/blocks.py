"""What a person is shown, before it is known on what: lines, paragraphs, tables and plots.

A command describes its answer as blocks. On a terminal `screen` draws them with
colour, wrapped to its width; elsewhere they become plain text that is the same
whatever the width, with ids in full, one record per line where possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

Tone = Literal["", "id", "number", "good", "bad", "dim", "strong", "tag", "path", "edge"]
Ids = Callable[[str], str]
"""Shows an id: short on a terminal, in full elsewhere."""


class Span(NamedTuple):
    """A piece of text and how it is meant."""

    text: str
    tone: Tone = ""


class Meter(NamedTuple):
    """A share in [0, 1]: a bar and a percentage on a terminal, the percentage elsewhere."""

    share: float


class Track(NamedTuple):
    """Parts of a stretch of time, as shares of it in [0, 1]: a bar that is drawn through where they are."""

    parts: Sequence[tuple[float, float]]
    tone: Tone = ""


Piece: TypeAlias = str | Span | Meter | Track


class Line:
    """Pieces side by side, separated by blanks; empty ones are left out."""

    def __init__(self, *pieces: Piece | None, indent: int = 0) -> None:
        self.pieces = tuple(piece for piece in pieces if piece is not None and piece != "")
        self.indent = indent


class Prose(NamedTuple):
    """Text of any length, wrapped on a terminal, with its own line breaks kept."""

    text: str
    indent: int = 0
    tone: Tone = ""


class Table(NamedTuple):
    """Rows under headings; columns of numbers are set right.

    On a terminal the last column has what width is left, and is cut there or, with `wrap`, wrapped.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Piece]]
    right: Sequence[int] = ()
    wrap: bool = False
    indent: int = 0


class Pairs(NamedTuple):
    """Names and values; values of None are left out."""

    items: Sequence[tuple[str, Piece | None]]


class Bars(NamedTuple):
    """A plot of counts, longest bar for the largest."""

    title: str
    items: Sequence[tuple[str, float]]


Block: TypeAlias = Line | Prose | Table | Pairs | Bars
BAR, TRACK = 24, 36


def percent(share: float) -> str:
    """A share as a whole percentage."""
    return f"{share * 100:.0f}%"


def number(value: float) -> str:
    """A count without, a measure with two digits."""
    return f"{value:,}" if isinstance(value, int) or float(value).is_integer() else f"{value:,.2f}"


def clean(text: str) -> str:
    """The text without what a terminal would obey."""
    return "".join(c if (c >= " " and not "\x7f" <= c <= "\x9f") or c in "\n\t" else "�" for c in text)


def words(piece: Piece) -> str:
    """A piece as plain text."""
    if isinstance(piece, Meter):
        return percent(piece.share)
    if isinstance(piece, Track):
        return "".join("=" if drawn else "." for drawn in track_cells(piece))
    return clean(piece if isinstance(piece, str) else piece.text)


def one_line(text: str) -> str:
    """Text with every run of white space as one blank."""
    return " ".join(text.split())


def plain(blocks: Iterable[Block]) -> str:
    """Blocks as plain text, every line ended."""
    return "".join(f"{line.rstrip()}\n" for block in blocks for line in _lines(block))


def _lines(block: Block) -> list[str]:
    if isinstance(block, Line):
        return [" " * block.indent + "  ".join(words(piece) for piece in block.pieces)]
    if isinstance(block, Prose):
        return [" " * block.indent + line for line in clean(block.text).splitlines() or [""]]
    if isinstance(block, Pairs):
        shown = [(name, words(value)) for name, value in block.items if value is not None]
        widest = max((len(name) for name, _ in shown), default=0)
        return [f"{name:<{widest}}  {one_line(value)}" for name, value in shown]
    if isinstance(block, Bars):
        return [block.title, *_bars(block)]
    return _table(block)


def _table(block: Table) -> list[str]:
    rows = [list(block.headings), *([one_line(words(cell)) for cell in row] for row in block.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(block.headings))]
    return [" " * block.indent + "  ".join(_set(row, widths, block.right)) for row in rows]


def _set(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if column in right else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _bars(block: Bars) -> list[str]:
    widest = max((len(label) for label, _ in block.items), default=0)
    most = max((value for _, value in block.items), default=0)
    return [
        f"  {label:<{widest}}  {'#' * bar_length(value, most):<{BAR}}  {number(value)}" for label, value in block.items
    ]


def track_cells(track: Track, cells: int = TRACK) -> list[bool]:
    """Which cells of a track are drawn through; one at least for each part."""
    drawn = [False] * cells
    for start, end in track.parts:
        first = min(cells - 1, int(start * cells))
        last = min(cells, max(first + 1, round(end * cells)))
        drawn[first:last] = [True] * (last - first)
    return drawn


def bar_length(value: float, most: float) -> int:
    """Cells of a bar; one at least for what is not zero."""
    return 0 if value <= 0 or most <= 0 else max(1, round(BAR * value / most))
