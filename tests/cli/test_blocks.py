"""What a person is shown, on a terminal and off it."""

import io
import sys

from helixlog.commands.cli.blocks import Bars, Line, Meter, Pairs, Prose, Span, Table, plain
from helixlog.commands.cli.screen import show

BLOCKS = [
    Line(Span("01k", "id"), Meter(0.62), None, ""),
    Prose("one two three\nfour", indent=2),
    Table(("n", "text"), [("1", "a [bold]b[/bold]\n c"), ("10", "d")], right=(0,)),
    Pairs([("name", "value"), ("absent", None), ("longer name", Meter(1.0))]),
    Bars("title", [("a", 4), ("bb", 1), ("c", 0)]),
]


def on_terminal(blocks, width, monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", str(width))
    show(blocks, colour=False)
    monkeypatch.undo()
    return out.getvalue()


def test_plain_text_does_not_depend_on_a_width():
    assert plain(BLOCKS).splitlines() == [
        "01k  62%",
        "  one two three",
        "  four",
        " n  text",
        " 1  a [bold]b[/bold] c",
        "10  d",
        "name         value",
        "longer name  100%",
        "title",
        "  a   ########################  4",
        "  bb  ######                    1",
        "  c                             0",
    ]


def test_a_terminal_wraps_with_the_indent_kept(monkeypatch):
    text = on_terminal([Prose("word " * 20, indent=4)], 44, monkeypatch)
    lines = text.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("    word") and len(line) <= 44 for line in lines)


def test_markup_in_a_text_is_text(monkeypatch):
    assert "[bold]b[/bold]" in on_terminal(BLOCKS, 80, monkeypatch)


def test_a_long_last_column_is_cut_or_wrapped(monkeypatch):
    long = "x" * 30 + " " + "y" * 30
    cut = on_terminal([Table(("a", "text"), [("1", long)])], 40, monkeypatch)
    wrapped = on_terminal([Table(("a", "text"), [("1", long)], wrap=True)], 40, monkeypatch)
    assert "…" in cut
    assert "y" * 30 in wrapped


def test_an_empty_plot_is_drawn():
    assert plain([Bars("none", []), Table(("a",), [])]) == "none\na\n"
