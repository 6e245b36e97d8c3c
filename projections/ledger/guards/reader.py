# ruff: noqa: RUF001 - typographic punctuation is what is read here
"""Reading a fact text word by word: numbers, units, dates, negators, identifiers and names."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from .words import (
    ARTICLES,
    CARDINALS,
    DATES,
    GLUE,
    MULTIPLIERS,
    NEGATORS,
    ORDINALS,
    UNITS,
    UNSURE_DATES,
    WEAK,
    canonical,
)

_QUOTES = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "−": "-"})
_EDGE = ".,;:!?()[]{}\"'*~…—–«»|。，、；：！？（）「」『』"
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(am|pm)?$")
_CLOCK = re.compile(r"(\d{1,2})(am|pm)$")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})$")
_NUMBER = re.compile(r"#?([€$£¥]?)([+-]?\d[\d,]*(?:\.\d+)*)(%|°|[a-z€$£¥]{1,12})?$")
_RANGE = re.compile(r"(\d+)[-–](\d+)$")
_COMPOUND = re.compile(r"(\d+(?:[.,]\d+)*)-([^\W\d_]+)$")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?$")
_HARD = re.compile(r"[\d./_\\@#+=~:]|^--?[^\W\d_]")
_INNER_CAPITAL = re.compile(r"[^\W\d_]\w*?(?<![-'])[A-Z]")
_PLAIN_CAPITALS = re.compile(r"[A-Z]+(?:'?s)?$")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+(?:'\w+)*")
_SENTENCE_END = (".", "!", "?", ":", ";", "。", "！", "？")
_CLITICS = re.compile(r"'(?:s|re|ve|ll|d|m)$|'$")
_HEADS = {"ca": "can", "wo": "will", "sha": "shall"}
_SHORTHAND = {"w/o": "without", "w/": "with", "and/or": "or", "&": "and", "+": "plus"}


class Number:
    """A number being read: digits or words, then perhaps a multiplier, a unit or a noun."""

    def __init__(self, value: str, unit: str = "", *, spelled: bool = False, weak: bool = False) -> None:
        self.value = value
        self.unit = unit
        self.noun = ""
        self.spelled = spelled
        self.weak = weak

    def scale(self, factor: int) -> None:
        """Four + thousand."""
        if self.value.count(".") <= 1:
            self.value = _plain(Decimal(self.value) * factor)
            self.weak = False

    def add(self, other: int) -> bool:
        """Twenty + five, two thousand + three hundred; False when the two do not make one number."""
        last = int(self.value) if self.value.isdigit() else 0
        fits = self.spelled and 0 < other < last and last % 10 ** len(str(other)) == 0
        if fits:
            self.value = str(last + other)
        return fits


def _plain(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


class Reader:
    """One pass over a text; `read` it once, then look at the lists.

    `words` holds stems, and numbers as `#8`, units as `%ms`, dates as `@w0`, negators as `!not`.
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.numbers: list[Number] = []
        self.dates: list[str] = []
        self.negations: list[str] = []
        self.identifiers: set[str] = set()
        self.capitals: list[str] = []
        self.names: set[str] = set()
        self.openers: set[str] = set()
        self.start = True
        self.open: Number | None = None
        self.last = ""
        self.alphabetic = 0

    def read(self, text: str) -> None:
        """Fill the lists from one text."""
        chunks = unicodedata.normalize("NFKC", text.translate(_QUOTES)).split()
        quoted = False
        for chunk in chunks:
            marked = quoted or "`" in chunk
            quoted ^= chunk.count("`") % 2 == 1
            self._chunk(chunk.replace("`", ""), marked=marked)
            if chunk.endswith(_SENTENCE_END) or chunk in ("-", "*", "•"):
                self.start = True

    def _chunk(self, chunk: str, *, marked: bool) -> None:
        core = chunk.strip(_EDGE)
        if chunk.lower() in _SHORTHAND:
            self._word(_SHORTHAND[chunk.lower()])
        elif not core or not any(c.isalnum() for c in core):
            self._symbol(chunk)
        elif core[-1].isascii() and _ABBREVIATION.match(core):
            self._word(core.replace(".", ""))
        elif core[0].isalpha() or not self._numeric(core.lower()):
            self._hard(core, marked=marked)
        self.start = False

    def _symbol(self, chunk: str) -> None:
        """Comparison signs, arrows and emoji are words; punctuation is nothing."""
        kept = "".join(c for c in chunk if unicodedata.category(c) in ("Sm", "So"))
        if kept:
            self.words.append(kept)
            self.open = None

    def _numeric(self, core: str) -> bool:
        """Read a chunk that begins with a digit, sign or currency; False when it is none of the number forms."""
        if found := _TIME.match(core):
            self._time(int(found[1]), int(found[2]), int(found[3] or 0), found[4])
        elif found := _CLOCK.match(core):
            self._time(int(found[1]), 0, 0, found[2])
        elif found := _ISO.match(core):
            self._number(found[3])
            self._date(f"m{int(found[2])}")
            self._number(found[1])
        elif found := _RANGE.match(core):
            self._number(found[1])
            self._number(found[2])
        elif found := _COMPOUND.match(core):
            self._number(found[1])
            self._word(found[2])
        elif found := _NUMBER.match(core):
            return self._quantity(found[1] or "", found[2], found[3] or "")
        else:
            return False
        return True

    def _quantity(self, currency: str, value: str, suffix: str) -> bool:
        if suffix and suffix not in UNITS and suffix not in MULTIPLIERS:
            return False
        self._number(value.replace(",", "").removeprefix("+"), UNITS.get(currency, ""))
        if suffix:
            self._after_number(suffix)
        return True

    def _time(self, hour: int, minute: int, second: int, half: str | None) -> None:
        if half:
            hour = hour % 12 + 12 * (half == "pm")
        self._date(f"t{hour * 3600 + minute * 60 + second}")

    def _date(self, mark: str) -> None:
        self.dates.append(mark)
        self.words.append("@" + mark)

    def _number(self, value: str, unit: str = "", *, spelled: bool = False, weak: bool = False) -> None:
        if value.isdigit():
            value = value.lstrip("0") or "0"
        self.open = Number(value, unit, spelled=spelled, weak=weak)
        self.numbers.append(self.open)
        self.words.append("#" + value)

    def _after_number(self, word: str) -> bool:
        """Give the number just read its multiplier, unit or half of the day."""
        number = self.open
        if number is None:
            return False
        if word in MULTIPLIERS:
            number.scale(MULTIPLIERS[word])
            self.words[-1] = "#" + number.value
        elif word in UNITS and (word != "second" or not number.unit):
            number.unit = UNITS[word]
            self.words.append("%" + number.unit)
            self.open = None if word not in ("th", "st", "nd", "rd") else number
        elif (
            word in ("am", "pm") and len(number.value) <= 2 and number.value.isdigit() and 1 <= int(number.value) <= 12
        ):
            self.numbers.pop()
            self.words.pop()
            self.open = None
            self._time(int(number.value), 0, 0, word)
        else:
            return False
        return True

    def _hard(self, core: str, *, marked: bool) -> None:
        """An identifier, or plain words with a hyphen, slash or comma between them."""
        if _HARD.search(core):
            token = core.casefold()
            self.identifiers.add(token)
            self.words.append(token)
            self.open = None
            return
        for part in _WORD.findall(core):
            self._word(part, marked=marked)

    def _word(self, word: str, *, marked: bool = False) -> None:
        low = word.casefold()
        if low.endswith("n't") or low in ("cannot", "can't"):
            head = low.removesuffix("n't").removesuffix("not")
            self._plain(_HEADS.get(head, head), word, marked=False)
            low = "not"
        self._plain(_CLITICS.sub("", low) or low, word, marked=marked)
        self.start = False

    def _plain(self, low: str, written: str, *, marked: bool) -> None:
        if self._after_number(low) or self._spelled(low) or self._day(low, written) or self._negator(low):
            self.last = low
            return
        root = low
        if len(written) == 1 and written.isupper() and not self.start and written != "I":
            root = written
            self.names.add(root)
        elif low not in ARTICLES:
            root = low if _INNER_CAPITAL.match(written) and not _PLAIN_CAPITALS.match(written) else canonical(low)
        if root not in ARTICLES:
            self.words.append(root)
            self._attach(low, root)
            self._capital(low, root, written, marked=marked)
        self.last = low

    def _attach(self, low: str, root: str) -> None:
        if low == "and" and self.open is not None and self.open.spelled:
            return
        if self.open is not None and low not in GLUE:
            self.open.noun = root
        self.open = None

    def _capital(self, low: str, root: str, written: str, *, marked: bool) -> None:
        self.alphabetic += 1
        if marked:
            self.identifiers.add(root)
        elif written.isupper() and len(written) > 1:
            self.capitals.append(root)
        elif low not in GLUE and _INNER_CAPITAL.match(written):
            self.identifiers.add(root)
        elif low not in GLUE and written[0].isupper():
            (self.openers if self.start else self.names).add(root)

    def _spelled(self, low: str) -> bool:
        ordinal = ORDINALS.get(low)
        value = CARDINALS.get(low, ordinal)
        if value is None:
            factor = MULTIPLIERS.get(low)
            if factor is not None and len(low) > 1:
                self._number(str(factor), spelled=True)
                return True
            return False
        if low == "second" and self.last in ("a", "per", "each", "every"):
            return False
        if self.open is not None and self.open.add(value):
            self.words[-1] = "#" + self.open.value
        else:
            self._number(str(value), spelled=True, weak=low in WEAK)
        if ordinal is not None and self.open is not None:
            self.open.unit = "th"
        return True

    def _day(self, low: str, written: str) -> bool:
        mark = DATES.get(low)
        if mark is None:
            return False
        sure = low not in UNSURE_DATES or self.open is not None or (written[0].isupper() and not self.start)
        if sure:
            self._date(mark)
            self.open = None
        return sure

    def _negator(self, low: str) -> bool:
        if low in ("longer", "anymore") or (low == "more" and self.last in ("any", "no")):
            if self.negations and self.negations[-1] == "not":
                self.negations[-1] = "no longer"
                self.words.append("!no longer")
                return True
            return False
        if low == "to" and self.last == "used" and not {"is", "are", "was", "be", "get"} & set(self.words[-2:]):
            self.negations.append("no longer")
        kind = NEGATORS.get(low)
        if kind is not None:
            self.negations.append(kind)
            self.words.append("!" + kind)
            self.open = None
        return kind is not None

    def hard_tokens(self) -> set[str]:
        """Identifiers, with the words in capitals unless the whole text shouts."""
        shouted = 2 * len(self.capitals) > max(self.alphabetic, 2)
        return self.identifiers if shouted else self.identifiers | {root for root in self.capitals if root not in GLUE}
