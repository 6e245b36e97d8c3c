"""From text to terms: one analyzer for documents, postings and queries.

A term is a folded string (NFKC, case folded, accents off) without white space.

    plain words       English stem; stop words are dropped, unless there is nothing else
    identifiers       whole and in parts: `src/auth.ts` is src/auth.ts, auth.ts, src, auth, ts
    camelCase         the stem of the whole word, and of its parts
    hyphenated words  whole and in parts
    CJK, kana, hangul, Thai and its neighbours: every character and every pair of neighbours
    emoji             one term each

Anything alphabetic is stemmed, however it was capitalised, so that a query in
lower case finds `ECONNREFUSED`. Case only decides what a query *means*: see
`query_terms`. Everything else (punctuation, controls, lone surrogates)
separates.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Generic, TypeVar

from .stem import stem

ANALYZER_VERSION = 1
"""Raised when any text gives other terms; part of the version of the text projection."""

LONGEST_TERM = 200
"""Code points of a term; longer words are cut, longer identifiers give only their parts."""

STOP_WORDS = frozenset(
    word
    for line in (
        "a am an and are as at be been being but by can could did do does for from had has have he her him his how i",
        "if in into is it its me my no not of on or our she should so such than that the their them then there these",
        "they this those to us was we were what when where which who whom whose why will with would you your",
    )
    for word in line.split()
)

T = TypeVar("T")

_CACHED = 1 << 16
_CACHED_UP_TO = 48
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3105-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_EMOJI = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_MARKS = "\u0900-\u0dff"
_PIECE = re.compile(
    f"(?P<unspaced>[{_UNSPACED}]+)|(?P<emoji>[{_EMOJI}])"
    rf"|(?P<number>\d{{1,3}}(?:,\d{{3}})+(?![\w.]))|(?P<unit>(?:(?![{_UNSPACED}])[\w{_MARKS}./\\:@#+'-])+)"
)
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]"
)
_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "œ": "oe", "\u0131": "i", "\u2019": "'"}
)
_STEP = re.compile(r"[/\\:@]+")
_ENDS = rf"(?:[^\W_]|[{_MARKS}])"
_NAME = re.compile(rf"(?:\.(?=[^\W\d_])|-{{1,2}}|_{{1,2}})?{_ENDS}(?:.*{_ENDS})?(?:\+{{1,2}}|#|_{{1,2}})?")
_JOINT = re.compile(r"[./\\:@#+'_-]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\da-zA-Z_]+")
_INNER_CAPITAL = re.compile(r"[^\W\d_][^\W_]*?[A-Z]")
_ENDING = re.compile(r"'(?:s|re|ve|ll|d|m)\Z", re.IGNORECASE)
_BARE = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_VERSION = re.compile(r"[vV](\d+(?:\.\d+)+)$")


def tokens(text: str) -> list[str]:
    """The terms of a text in order, repeated as often as they occur; `len` of it is the document's length.

    Never raises. A text of stop words alone keeps them; only a text without a word or symbol gives [].
    """
    found = list(chain.from_iterable(map(_known.__getitem__, text.split())))
    return found or _BARE.findall(_fold(text).casefold())


def query_terms(query: str) -> dict[str, bool]:
    """The distinct terms of a query, and whether each was written like an identifier.

    That is a term with a digit, dot, slash, underscore, hash or plus, or a word with an inner capital or all in
    capitals (unless more than half of a longer query is).
    """
    chunks = query.split()
    read = list(map(_asked.__getitem__, chunks))
    found = dict.fromkeys(chain.from_iterable([terms for terms, _ in read]), False)
    found = found or dict.fromkeys(tokens(query), False)
    marked = [(chunk, marks) for chunk, (_, marks) in zip(chunks, read, strict=True) if marks]
    shouted = bool(marked) and _shouted(chunks)
    for chunk, marks in marked:
        for term, identifier in marks:
            if term in found:
                found[term] |= identifier or not (shouted and chunk.isupper())
    return found


def _shouted(chunks: list[str]) -> bool:
    words = [chunk for chunk in chunks if len(chunk) > 1 and chunk.isalpha()]
    return len(words) >= 3 and 2 * sum(word.isupper() for word in words) > len(words)


def is_identifier(term: str) -> bool:
    """Whether a term is like an identifier by its characters alone."""
    return term[:1] == "-" or any(c.isdigit() or c in "./\\_#+@:" for c in term)


def _read_terms(chunk: str) -> tuple[str, ...]:
    """The terms of a text without white space."""
    word = _plain(chunk)
    return tuple(term for term, _ in _read(_fold(chunk))) if word is None else _word(word)


def _read_marks(chunk: str) -> tuple[tuple[str, bool], ...]:
    """The terms of a text without white space that are like identifiers, each with whether by more than capitals."""
    if _plain(chunk) is not None:
        return ()
    marks = ((term, is_identifier(term), capitals) for term, capitals in _read(_fold(chunk)))
    return tuple((term, identifier) for term, identifier, capitals in marks if identifier or capitals)


def _plain(chunk: str) -> str | None:
    """The word that a chunk is when it is nothing else, with capitals at most where a sentence has one."""
    word = chunk.rstrip(".,;:!?)")
    return word if word.isascii() and word.isalpha() and (word.islower() or word[1:].islower()) else None


class _Known(dict[str, T], Generic[T]):
    """What was read in chunks seen before; half as costly to ask as `lru_cache`, and this is the inner loop."""

    def __init__(self, read: Callable[[str], T]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, chunk: str) -> T:
        found = self._read(chunk)
        if len(chunk) <= _CACHED_UP_TO:
            if len(self) >= _CACHED:
                self.clear()
            self[chunk] = found
        return found


_known = _Known(_read_terms)
_asked = _Known(lambda chunk: (_known[chunk], _read_marks(chunk)))


def _fold(text: str) -> str:
    """Compatible forms made one, accents off, letter case kept."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", text)).translate(_LETTERS)


def _read(chunk: str) -> Iterator[tuple[str, bool]]:
    """Terms of a folded text, each with whether its capitals make it an identifier."""
    for piece in _PIECE.finditer(chunk):
        text = piece[0]
        if piece.lastgroup == "unspaced":
            yield from ((c, False) for c in text)
            yield from ((text[k : k + 2], False) for k in range(len(text) - 1))
        elif piece.lastgroup == "emoji":
            yield text, False
        elif piece.lastgroup == "number":
            yield text.replace(",", ""), False
        else:
            yield from _unit(text)


def _unit(text: str) -> Iterator[tuple[str, bool]]:
    """Terms of a word, path, address or other run of letters, digits and joints."""
    text = _trimmed(text)
    steps = [step for step in map(_trimmed, _STEP.split(text)) if step]
    if len(steps) > 1 and len(text) <= LONGEST_TERM:
        yield text.casefold(), False
    for step in steps:
        yield from _step(step)


def _trimmed(text: str) -> str:
    """Without joints at the ends, save those that names begin or end with: .NET, --flag, C++, C#."""
    found = _NAME.search(text)
    return found[0] if found else ""


def _step(text: str) -> Iterator[tuple[str, bool]]:
    """Terms of one component of a path."""
    text = _ENDING.sub("", text)
    if "'" in text:
        yield from _apostrophes(text)
        return
    pieces = [piece for piece in _JOINT.split(text) if piece]
    if pieces != [text]:
        if len(text) <= LONGEST_TERM:
            yield text.casefold(), False
        if version := _VERSION.match(text):
            yield version[1], False
        pieces = [piece for piece in pieces if len(piece) > 1]
    for piece in pieces:
        yield from _piece(piece)


def _apostrophes(text: str) -> Iterator[tuple[str, bool]]:
    """Terms of a word with apostrophes: don't is a stop word, O'Brien is obrien and brien."""
    if text.casefold().endswith("n't"):
        return
    pieces = [piece for piece in _JOINT.split(text) if piece]
    yield from _piece("".join(pieces))
    if len(pieces) > 1:
        yield from (found for piece in pieces if len(piece) > 1 for found in _piece(piece))


def _piece(piece: str) -> Iterator[tuple[str, bool]]:
    """Terms of letters and digits: the whole, and where case or digits change."""
    capitals = len(piece) > 1 and piece.isupper()
    marked = capitals or _INNER_CAPITAL.match(piece) is not None
    yield from ((term, marked) for term in _word(piece))
    parts = () if capitals or (piece.isalpha() and not marked) else _PART.findall(piece)
    if len(parts) > 1:
        yield from ((term, False) for part in parts if len(part) > 1 for term in _word(part))


def _word(word: str) -> tuple[str, ...]:
    low = word.casefold()[:LONGEST_TERM]
    return () if low in STOP_WORDS else (stem(low),)
