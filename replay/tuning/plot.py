"""The plot of a tuning: gains with their intervals, and how the search went. SVG, for light and dark pages alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from .comparing import LEVEL
from .objectives import OBJECTIVES, SMALLER_IS_BETTER
from .report import title
from .tuning import Tuned

WIDTH, ROW, MARGIN = 760, 34, 24
LEFT, RIGHT = 150, 250
"""Where the plotting area begins, and what is left for the figures beside it."""

SEARCH_HEIGHT = 150
STYLE = """
  .ground { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .line { stroke: #d1d9e0 }
  .zero { stroke: #59636e } .mark { fill: #0969da; stroke: #0969da } .rest { fill: #8c959f; stroke: #8c959f }
  .path { fill: none; stroke: #0969da } .halo { stroke: #ffffff; stroke-width: 4; paint-order: stroke }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9198a1 } .line { stroke: #3d444d }
    .zero { stroke: #9198a1 } .mark { fill: #58a6ff; stroke: #58a6ff } .rest { fill: #6e7681; stroke: #6e7681 }
    .path { stroke: #58a6ff } .halo { stroke: #0d1117 }
  }
  text { font: 13px system-ui, sans-serif } .small { font-size: 11px } .head { font-weight: 600 }
"""


def plot(tuned: Tuned) -> str:
    """The picture as SVG text; empty without anything to show."""
    if not tuned.gains:
        return ""
    gains, below = _gains(tuned, MARGIN)
    search, end = _search(tuned, below + MARGIN)
    body = "\n".join([f'<rect class="ground" width="{WIDTH}" height="{end}" rx="6"/>', *gains, *search])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {end}" role="img">\n'
        f"<title>{escape(_caption(tuned))}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n"
    )


def _caption(tuned: Tuned) -> str:
    gain = tuned.gains[tuned.plan.objective]
    low, high = gain.interval
    name = title(tuned.plan.objective, tuned.plan.k)
    return f"{name} on the later part: better by {gain.value:+.4f}, {LEVEL:.0%} interval {low:+.4f} to {high:+.4f}"


class Axis:
    """From numbers to pixels along one side, with a few round ticks."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        spare = 0.06 * (high - low or 1.0)
        self.low, self.high, self.start, self.end = low - spare, high + spare, start, end

    def at(self, value: float) -> float:
        """The place of a number."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Three to six round numbers within."""
        span = self.high - self.low
        step = 10.0 ** _floor_log10(span)
        step = next(step * factor for factor in (0.2, 0.25, 0.5, 1.0, 2.0) if span / (step * factor) <= 6)
        first = -int(-self.low // step)
        return [number * step for number in range(first, int(self.high // step) + 1)]


def _floor_log10(value: float) -> int:
    return int(f"{value:e}".partition("e")[2])


def _text(x: float, y: float, words: str, kind: str = "ink", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def _line(start: tuple[float, float], end: tuple[float, float], kind: str, width: float = 1.0) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke-width="{width:g}"/>'


def _gains(tuned: Tuned, top: float) -> tuple[list[str], float]:
    """A row for each objective: a dot for the gain, a bar for its interval, beside them the figures."""
    shown = [name for name in OBJECTIVES if name in tuned.gains]
    ends = [end for name in shown for end in tuned.gains[name].interval]
    axis = Axis(min(0.0, *ends), max(0.0, *ends), LEFT, WIDTH - RIGHT)
    bottom = top + 34 + ROW * len(shown)
    parts = [_text(MARGIN, top + 8, "Gain on feedback the search had not seen (right of zero is better)", "ink head")]
    for tick in axis.ticks():
        parts.append(_line((axis.at(tick), top + 24), (axis.at(tick), bottom), "line"))
        parts.append(_text(axis.at(tick), bottom + 16, f"{tick:+g}" if tick else "0", "soft small", "middle"))
    parts.append(_line((axis.at(0), top + 24), (axis.at(0), bottom), "zero", 1.5))
    for number, name in enumerate(shown):
        parts += _gain(tuned, name, axis, top + 46 + ROW * number)
    return parts, bottom + 24


def _gain(tuned: Tuned, name: str, axis: Axis, y: float) -> Iterator[str]:
    gain, chosen = tuned.gains[name], name == tuned.plan.objective
    low, high = gain.interval
    kind = "mark" if chosen else "rest"
    words = f"{gain.value:+.4f}  [{low:+.4f}, {high:+.4f}]"
    yield _text(LEFT - 12, y + 4, title(name, tuned.plan.k), "ink head" if chosen else "ink", "end")
    yield _line((axis.at(low), y), (axis.at(high), y), kind, 3)
    yield f'<circle class="{kind}" cx="{axis.at(gain.value):g}" cy="{y:g}" r="5"/>'
    yield _text(WIDTH - RIGHT + 16, y + 4, words, "ink head" if chosen else "soft")


def _search(tuned: Tuned, top: float) -> tuple[list[str], float]:
    """A dot for each candidate, in the order tried; a line for the best so far."""
    sign = -1.0 if tuned.plan.objective in SMALLER_IS_BETTER else 1.0
    scores = [sign * trial.score for trial in tuned.trials]
    best = _running(scores, sign)
    floor = min(scores, key=lambda score: sign * score) if len(scores) < FEW else _central(scores, sign)
    across = Axis(1, max(2, len(scores)), LEFT, WIDTH - MARGIN)
    up = Axis(min(floor, best[-1], scores[0]), max(floor, best[-1], scores[0]), top + 34 + SEARCH_HEIGHT, top + 34)
    name = title(tuned.plan.objective, tuned.plan.k)
    parts = [_text(MARGIN, top + 8, f"{name} of each candidate on the earlier part, and the best so far", "ink head")]
    for tick in up.ticks():
        parts.append(_line((LEFT, up.at(tick)), (WIDTH - MARGIN, up.at(tick)), "line"))
        parts.append(_text(LEFT - 12, up.at(tick) + 4, f"{tick:.4g}", "soft small", "end"))
    parts += [
        f'<circle class="rest" cx="{across.at(number):g}" cy="{up.at(score):g}" r="2"/>'
        for number, score in enumerate(scores, 1)
        if up.low <= score <= up.high
    ]
    places = [(across.at(number), up.at(score)) for number, score in enumerate(best, 1)]
    steps = f"M{places[0][0]:g},{places[0][1]:g}" + "".join(f" H{x:g} V{y:g}" for x, y in places[1:])
    bottom = top + 34 + SEARCH_HEIGHT
    parts += [
        f'<path class="path" d="{steps}" stroke-width="2"/>',
        f'<circle class="mark" cx="{across.at(1):g}" cy="{up.at(scores[0]):g}" r="4"/>',
        _text(across.at(1) + 8, up.at(scores[0]) - 8, "in force", "ink small halo"),
        _text(LEFT, bottom + 18, "first candidate", "soft small"),
        _text(WIDTH - MARGIN, bottom + 18, f"candidate {len(scores)}", "soft small", "end"),
    ]
    return parts, bottom + 36


FEW = 20


def _running(scores: Sequence[float], sign: float) -> list[float]:
    """The best so far, after each."""
    best = [scores[0]]
    for score in scores[1:]:
        best.append(max(best[-1], score, key=lambda one: sign * one))
    return best


def _central(scores: Sequence[float], sign: float) -> float:
    """A score that nine of ten candidates reach: the few that are far off would flatten the rest."""
    return sorted(scores, key=lambda score: sign * score)[len(scores) // 10]
