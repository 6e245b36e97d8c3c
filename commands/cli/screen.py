"""Blocks on a terminal, and progress bars. The only module that imports rich."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text

from .blocks import (
    BAR,
    Bars,
    Block,
    Line,
    Meter,
    Pairs,
    Piece,
    Prose,
    Span,
    Table,
    Track,
    bar_length,
    clean,
    number,
    percent,
    track_cells,
)

TONES = {
    "": "",
    "id": "yellow",
    "number": "cyan",
    "good": "green",
    "bad": "red",
    "dim": "bright_black",
    "strong": "bold",
    "tag": "magenta",
    "path": "blue",
    "edge": "cyan",
}
CELLS, SHORT = 10, 6
"""Cells of a bar, and of one in a table."""

WIDEST = 110
LEAST = 20
"""Columns that the text of a table has, however narrow the terminal."""


def show(blocks: Iterable[Block], *, colour: bool) -> None:
    """Draw blocks on stdout."""
    console = Console(highlight=False, markup=False, emoji=False, force_terminal=colour or None, soft_wrap=False)
    if not colour:
        console = Console(highlight=False, markup=False, emoji=False, color_system=None, force_terminal=False)
    console.width = min(console.width, WIDEST)
    for block in blocks:
        if isinstance(block, Line | Prose):
            _print_wrapped(console, block)
        else:
            console.print(_render(block, console.width), crop=False)


def _print_wrapped(console: Console, block: Line | Prose) -> None:
    """Text in the console's width, every line of it indented."""
    text = _joined(block) if isinstance(block, Line) else Text(clean(block.text), TONES[block.tone])
    for line in text.wrap(console, max(20, console.width - block.indent)) or [Text("")]:
        line.rstrip()
        line.pad_left(block.indent)
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _render(block: Pairs | Bars | Table, width: int) -> RenderableType:
    if isinstance(block, Pairs):
        return _pairs(block)
    return _bars(block) if isinstance(block, Bars) else _table(block, width)


def _joined(line: Line) -> Text:
    return Text("  ").join(_text(piece) for piece in line.pieces)


def _text(piece: Piece, cells: int = CELLS) -> Text:
    if isinstance(piece, Meter):
        return _meter(piece.share, cells)
    if isinstance(piece, Track):
        return _track(piece)
    if isinstance(piece, Span):
        return Text(clean(piece.text), TONES[piece.tone])
    return Text(clean(piece))


def _meter(share: float, cells: int) -> Text:
    """A bar; green above the middle, where a memory begins, red below a quarter. It can be read without colour."""
    full = max(0, min(cells, round(share * cells)))
    tone = "green" if share > 0.5 else "red" if share < 0.25 else "yellow"
    return Text.assemble(("━" * full, tone), ("┄" * (cells - full), "bright_black"), f" {percent(share):>4}")


def _track(track: Track) -> Text:
    return Text("").join(
        Text("━", TONES[track.tone]) if drawn else Text("┄", "bright_black") for drawn in track_cells(track)
    )


def _pairs(block: Pairs) -> RenderableType:
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bright_black", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in block.items:
        if value is not None:
            grid.add_row(Text(name), _text(value))
    return grid


def _table(block: Table, width: int) -> RenderableType:
    """All columns but the last as wide as they need to be; the last has the rest, and is cut or wrapped."""
    cells = [[_text(_flat(cell), SHORT) for cell in row] for row in block.rows]
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bright_black")
    last = len(block.headings) - 1
    left = width - block.indent
    for column, heading in enumerate(block.headings):
        need = max([len(heading), *(row[column].cell_len for row in cells)])
        taken = need if column < last else max(LEAST, min(need, left))
        left -= taken + 2
        grid.add_column(
            heading,
            justify="right" if column in block.right else "left",
            width=taken,
            no_wrap=column < last or not block.wrap,
            overflow="ellipsis" if not block.wrap else "fold",
        )
    for row in cells:
        grid.add_row(*row)
    return Padding(grid, (0, 0, 0, block.indent), expand=False)


def _flat(cell: Piece) -> Piece:
    """A cell on one line."""
    if isinstance(cell, str):
        return " ".join(cell.split())
    return Span(" ".join(cell.text.split()), cell.tone) if isinstance(cell, Span) else cell


def _bars(block: Bars) -> RenderableType:
    most = max((value for _, value in block.items), default=0)
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, min_width=BAR)
    grid.add_column(justify="right", no_wrap=True)
    for label, value in block.items:
        grid.add_row(Text(f"  {clean(label)}"), Text("█" * bar_length(value, most), "cyan"), Text(number(value)))
    return Group(Text(block.title, "bold"), grid)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr while something runs; yields what to call with (done, total)."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
