"""BERT's uncased WordPiece: text to token ids, in pure Python.

Equal to the `tokenizers` library on the vocabulary of all-MiniLM-L6-v2, with
two intended differences: the name of a special token inside a text ("[CLS]")
is ordinary text, and a lone surrogate is dropped like a control character
instead of being refused. (Characters younger than Unicode 8 are classified as
Python knows them; the library still takes them for unassigned.)

Cleaning is one `str.translate` before and one after the canonical
decomposition; what each character becomes is worked out when it is first met.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from ..errors import EmbedderUnavailable

_LONGEST_WORD = 100  # characters; BERT gives a longer word up as unknown
_CACHED_WORDS = 1 << 16

_ASCII_PIECES = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """A tokenizer over a vocabulary file: one token a line, its id the line number from 0."""

    def __init__(self, vocabulary: Path) -> None:
        try:
            tokens = vocabulary.read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise EmbedderUnavailable(
                f"cannot read the vocabulary {vocabulary}: {error}",
                remedy="install helixlog again, its files are not complete",
            ) from error
        self._ids = {token: number for number, token in enumerate(tokens) if token}
        self.unknown = self._ids["[UNK]"]
        self.start = self._ids["[CLS]"]
        self.end = self._ids["[SEP]"]
        self._before = _Table(_clean)
        self._after = _Table(_fold)
        self._word = lru_cache(_CACHED_WORDS)(self._split)

    def __len__(self) -> int:
        return len(self._ids)

    def ids(self, text: str) -> list[int]:
        """Token ids of `text`, without special tokens; empty when nothing can be seen in it."""
        word = self._word
        return [piece for part in self._words(text) for piece in word(part)]

    def _words(self, text: str) -> list[str]:
        if text.isascii():
            return _ASCII_PIECES.findall(_ASCII_CONTROLS.sub("", text).lower())
        decomposed = unicodedata.normalize("NFD", text.translate(self._before))
        return decomposed.translate(self._after).split(" ")

    def _split(self, word: str) -> tuple[int, ...]:
        """Greedy longest match from the left, as BERT does; one unknown part makes the word unknown."""
        if len(word) > _LONGEST_WORD:
            return (self.unknown,)
        pieces = []
        begin, mark = 0, ""
        while begin < len(word):
            for end in range(len(word), begin, -1):
                piece = self._ids.get(mark + word[begin:end])
                if piece is not None:
                    break
            else:
                return (self.unknown,)
            pieces.append(piece)
            begin, mark = end, "##"
        return tuple(pieces)


class _Table(dict[int, str]):
    """A `str.translate` table that asks `rule` once for each character."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        result = self[code] = self._rule(chr(code))
        return result


def _clean(character: str) -> str:
    """What a character becomes before decomposition: controls go, spaces are one kind, CJK stands apart."""
    category = unicodedata.category(character)
    if character in "\t\n\r" or (character.isspace() and category != "Cc"):
        return " "
    if character == "\ufffd" or category in {"Cc", "Cf", "Cs", "Co"}:
        return ""
    code = ord(character)
    if any(first <= code <= last for first, last in _CJK):
        return f" {character} "
    return character


def _fold(character: str) -> str:
    """What a character becomes after decomposition: accents go, letters are small, punctuation stands apart."""
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    if category[0] == "P" or character in "$+<=>^`|~":
        return f" {character} "
    return character.lower()
