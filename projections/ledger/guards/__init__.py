"""Guards: what forbids two fact texts from being one memory, however close their vectors are.

Sentence embeddings place "15 October" beside "16 October" and a rule beside its
negation. A guard is a pure, symmetric function of the two texts that looks at
what embeddings blur. It errs towards keeping texts apart: a missed merge shows
a fact twice, a wrong one hides a fact.

The answer is a byte of flags, 0 when the texts may merge. It is recorded with
the evidence, so any change of rule, word list or stemmer raises `GUARDS_VERSION`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from .features import Features, features
from .words import CONTENTLESS, NEGATIVE_PREFIXES, OPPOSITES, POSITIVE_PREFIXES

__all__ = [
    "DATE",
    "GUARDS_VERSION",
    "IDENTIFIER",
    "NAME",
    "NEGATION",
    "NUMBER",
    "ORDER",
    "SUBSTITUTION",
    "UNREAD",
    "Features",
    "features",
    "guard",
    "guard_features",
    "mark",
]

GUARDS_VERSION = 1

NUMBER = 1
NEGATION = 2
DATE = 4
IDENTIFIER = 8
NAME = 16
SUBSTITUTION = 32
ORDER = 64
UNREAD = 128
"""No flag but the word that nobody has compared the texts yet: the cosine was too low for it to matter."""

ALIGNED = 0.6
"""Share of the longer text that must stand in the same order in the other for a difference to be a substitution."""


def guard(a: str, b: str) -> int:
    """The flags that forbid merging two fact texts; 0 when none does. Symmetric; equal texts give 0."""
    return guard_features(features(a), features(b))


def mark(text: str) -> int | None:
    """A number that two texts have in common whose byte is 0, for this process; None where there is none.

    It is made of dates and numbers. Where one of the numbers may be mere emphasis, other texts need not have it.
    """
    read = features(text)
    return None if read.weak else hash((read.dates, frozenset(read.values)))


def guard_features(a: Features, b: Features) -> int:
    """`guard` over texts already read: some 10 us for sentences, linear in the longer text."""
    flags = 0
    if (a.values or b.values) and _numbers_differ(a, b):
        flags |= NUMBER
    if a.dates != b.dates:
        flags |= DATE
    if a.identifiers != b.identifiers and _lacks(a.identifiers, b.identifiers, a, b):
        flags |= IDENTIFIER
    if a.names != b.names and _lacks(a.names, b.names, a, b):
        flags |= NAME
    if a.words == b.words:
        return flags
    if a.negations != b.negations:
        flags |= NEGATION
    left, right = a.masks.keys() - b.masks.keys(), b.masks.keys() - a.masks.keys()
    if left and right:
        flags |= _exchanged(a, b, left, right)
    if a.bag == b.bag or (not a.frames.isdisjoint(b.turned) and _swapped(a, b)):
        flags |= ORDER
    return flags


def _lacks(ours: AbstractSet[str], theirs: AbstractSet[str], a: Features, b: Features) -> bool:
    """Whether one text has a name or identifier that the other does not mention in any spelling."""
    return not (ours <= b.masks.keys() and theirs <= a.masks.keys())


def _numbers_differ(a: Features, b: Features) -> bool:
    ours, theirs = set(a.values), set(b.values)
    if (ours - a.weak) - theirs or (theirs - b.weak) - ours:
        return True
    common = ours & theirs
    if any(a.units[v] != b.units[v] for v in common if v in a.units and v in b.units):
        return True
    if any(a.counted[noun] != b.counted[noun] for noun in a.counted.keys() & b.counted.keys()):
        return True
    in_order = [v for v in a.values if v in common] == [v for v in b.values if v in common]
    return not in_order and not (common <= a.units.keys() and common <= b.units.keys())


def _exchanged(a: Features, b: Features, left: AbstractSet[str], right: AbstractSet[str]) -> int:
    """Flags for words that one text has in place of another's: negative prefixes, opposites, names, anything else."""
    flags = 0
    if not _denied(left).isdisjoint(_affirmed(right)) or not _denied(right).isdisjoint(_affirmed(left)):
        flags |= NEGATION
    if any(OPPOSITES[word] & right for word in left if word in OPPOSITES):
        flags |= SUBSTITUTION
    ours, theirs = left & a.content, right & b.content
    if ours and theirs:
        if ours & a.openers and theirs & b.openers:
            flags |= NAME
        if not flags & SUBSTITUTION and _aligned(a, b) >= ALIGNED * max(len(a.words), len(b.words)):
            flags |= SUBSTITUTION
    return flags


def _denied(words: Iterable[str]) -> set[str]:
    """What is left of words without a negative prefix (unable: able) or suffix (careless: care)."""
    found = {word[:-4] for word in words if word.endswith("less") and len(word) >= 7}
    return found.union(_without(NEGATIVE_PREFIXES, words))


def _affirmed(words: Iterable[str]) -> set[str]:
    """The words themselves, and what is left of them without a prefix that negative ones replace (enable: able)."""
    return set(words).union(_without(POSITIVE_PREFIXES, words))


def _without(prefixes: tuple[str, ...], words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if word not in CONTENTLESS and word.startswith(prefixes):
            for prefix in prefixes:
                if word.startswith(prefix) and len(word) >= len(prefix) + 3:
                    yield word[len(prefix) :]


def _aligned(a: Features, b: Features) -> int:
    """Length of the longest common subsequence of words.

    Bit-parallel: H. Hyyro, Bit-parallel LCS-length computation revisited, AWOCA 2004.
    """
    width = (1 << len(a.words)) - 1
    row = width
    masks = a.masks
    for word in b.words:
        hit = row & masks.get(word, 0)
        row = (row + hit | row - hit) & width
    return len(a.words) - row.bit_count()


def _swapped(a: Features, b: Features) -> bool:
    """Whether two words stand around the same middle the other way round, in one text only each way."""
    return not (a.frames - b.frames).isdisjoint(b.turned - a.turned)
