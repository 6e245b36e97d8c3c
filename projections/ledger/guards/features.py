"""What the guards compare: everything read off one fact text, in the form that is cheapest to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from .reader import Reader
from .words import CONTENTLESS

Frame = tuple[str, ...]
_EVEN = (("and",), ("or",), ("plus",))


class Features(msgspec.Struct, frozen=True, gc=False):
    """Everything a guard asks of one text; a pure function of it.

    `words` are stems in order without articles, `masks` their positions as bits, `bag` the same sorted, `content`
    those that carry meaning. `values` are the numbers in order, `weak` those that may be mere emphasis, `units` the
    units of each value, `counted` the values before each noun. `dates` are the weekdays, months, times and days
    spoken of, each in order. `negations` counts each kind of negator. `identifiers`, `names` and `openers` (capitalised
    words at the start of a sentence) are stems. `frames` are runs of 3 to 5 words that begin and end with
    different content words, `turned` the same with their ends exchanged.
    """

    words: tuple[str, ...]
    masks: dict[str, int]
    bag: tuple[str, ...]
    content: frozenset[str]
    values: tuple[str, ...]
    weak: frozenset[str]
    units: dict[str, frozenset[str]]
    counted: dict[str, frozenset[str]]
    dates: tuple[tuple[str, ...], ...]
    negations: dict[str, int]
    identifiers: frozenset[str]
    names: frozenset[str]
    openers: frozenset[str]
    frames: frozenset[Frame]
    turned: frozenset[Frame]


@lru_cache(maxsize=4096)
def features(text: str) -> Features:
    """Read one fact text; pure, so remembering the last few thousand is harmless."""
    reader = Reader()
    reader.read(text)
    words = tuple(reader.words)
    content = frozenset(word for word in words if word not in CONTENTLESS and word[0] not in "#@%!")
    numbers = reader.numbers
    frames = frozenset(_frames(words, content))
    kinds = sorted({mark[0] for mark in reader.dates})
    return Features(
        words=words,
        masks=_masks(words),
        bag=tuple(sorted(words)),
        content=content,
        values=tuple(dict.fromkeys(n.value for n in numbers)),
        weak=frozenset(n.value for n in numbers if n.weak),
        units=_by((n.value, n.unit) for n in numbers if n.unit),
        counted=_by((n.noun, n.value) for n in numbers if n.noun),
        dates=tuple(tuple(dict.fromkeys(m for m in reader.dates if m[0] == kind)) for kind in kinds),
        negations=dict(Counter(reader.negations)),
        identifiers=frozenset(reader.hard_tokens()),
        names=frozenset(reader.names),
        openers=frozenset(reader.openers),
        frames=frames,
        turned=frozenset((last, *middle, first) for first, *middle, last in frames),
    )


def _masks(words: tuple[str, ...]) -> dict[str, int]:
    masks: dict[str, int] = {}
    for k, word in enumerate(words):
        masks[word] = masks.get(word, 0) | 1 << k
    return masks


def _by(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for key, value in pairs:
        found.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in found.items()}


def _frames(words: tuple[str, ...], content: frozenset[str]) -> Iterator[Frame]:
    for start, first in enumerate(words):
        if first in content:
            for end in range(start + 2, min(start + 5, len(words))):
                frame = words[start : end + 1]
                if frame[-1] in content and frame[-1] != first and frame[1:-1] not in _EVEN:
                    yield frame
