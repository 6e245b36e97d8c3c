"""Blocks on a terminal, and progress bars. The only module that imports rich."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text

from .blocks import BAR, Bars, Block, Line, Meter, Pairs, Piece, Prose, Span, Table, bar_length, clean, number, percent

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
CELLS = 10
WIDEST = 110


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
            console.print(_render(block))


def _print_wrapped(console: Console, block: Line | Prose) -> None:
    """Text in the console's width, every line of it indented."""
    text = _joined(block) if isinstance(block, Line) else Text(clean(block.text), TONES[block.tone])
    for line in text.wrap(console, max(20, console.width - block.indent)) or [Text("")]:
        line.rstrip()
        line.pad_left(block.indent)
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _render(block: Pairs | Bars | Table) -> RenderableType:
    if isinstance(block, Pairs):
        return _pairs(block)
    return _bars(block) if isinstance(block, Bars) else _table(block)


def _joined(line: Line) -> Text:
    return Text("  ").join(_text(piece) for piece in line.pieces)


def _text(piece: Piece) -> Text:
    if isinstance(piece, Meter):
        return _meter(piece.share)
    if isinstance(piece, Span):
        return Text(clean(piece.text), TONES[piece.tone])
    return Text(clean(piece))


def _meter(share: float) -> Text:
    """A bar of ten cells; green above the middle where a memory begins, red below a quarter."""
    full = max(0, min(CELLS, round(share * CELLS)))
    tone = "green" if share > 0.5 else "red" if share < 0.25 else "yellow"
    return Text.assemble(("━" * full, tone), ("━" * (CELLS - full), "bright_black"), f" {percent(share):>4}")


def _pairs(block: Pairs) -> RenderableType:
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bright_black", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in block.items:
        if value is not None:
            grid.add_row(Text(name), _text(value))
    return grid


def _table(block: Table) -> RenderableType:
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bright_black")
    last = len(block.headings) - 1
    for column, heading in enumerate(block.headings):
        grid.add_column(
            heading,
            justify="right" if column in block.right else "left",
            no_wrap=True,
            overflow="ellipsis" if column == last else "fold",
            ratio=1 if column == last else None,
        )
    for row in block.rows:
        grid.add_row(*(_text(_flat(cell)) for cell in row))
    return grid


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
def progress_bar(what: str, *, shown: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr while something runs, or nothing; yields what to call with (done, total)."""
    if not shown:
        yield None
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
