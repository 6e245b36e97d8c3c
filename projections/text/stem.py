"""English stems by Porter2 (Snowball "English").

Source: M. F. Porter, The English (Porter2) stemming algorithm,
https://snowballstem.org/algorithms/english/stemmer.html. A test compares every
rule with the implementation inside tantivy. The guards and the text index both
stand on these stems: a change here raises `ANALYZER_VERSION` and `GUARDS_VERSION`.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SPECIAL = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "vying": "vie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{same: same for same in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
_AFTER_PLURAL = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed")
)

_REGION = re.compile(r"[aeiouy][^aeiouy]")
_LONG_PREFIX = re.compile(r"gener|commun|arsen|past|univers|later|emerg|organ|inter")
_VOWEL = re.compile(r"[aeiouy]")
_SHORT_END = re.compile(r"(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|past)$")
_DOUBLE = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")

_STEP2 = (
    ("ational", "ate"),
    ("fulness", "ful"),
    ("iveness", "ive"),
    ("ization", "ize"),
    ("ousness", "ous"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("tional", "tion"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ation", "ate"),
    ("entli", "ent"),
    ("ogist", "og"),
    ("fulli", "ful"),
    ("iviti", "ive"),
    ("ousli", "ous"),
    ("abli", "able"),
    ("alli", "al"),
    ("anci", "ance"),
    ("ator", "ate"),
    ("enci", "ence"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
)
_STEP3 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("ative", ""),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
_STEP4 = (
    *("ement", "able", "ance", "ence", "ible", "ment"),
    *("ant", "ate", "ent", "ion", "ism", "iti", "ive", "ize", "ous", "al", "er", "ic"),
)

_ENDINGS2, _ENDINGS3 = (tuple(ending for ending, _ in step) for step in (_STEP2, _STEP3))
"""Most words end with none of them, which one look at all tells."""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one lower-case word; words with anything but a-z and apostrophes come back unchanged."""
    if len(word) <= 2:
        return word
    if word in _SPECIAL:
        return _SPECIAL[word]
    if not (word.isascii() and word.replace("'", "").isalpha()):
        return word
    word = _consonant_y(word.removeprefix("'"))
    first, second = _regions(word)
    word = _plural(_apostrophe(word))
    if word in _AFTER_PLURAL:
        return word
    word = _y_to_i(_past(word, first))
    word = _derivation(word, first, second)
    return _final(word, first, second).replace("Y", "y")


def _consonant_y(word: str) -> str:
    if word.startswith("y"):
        word = "Y" + word[1:]
    return re.sub(r"([aeiouy])y", r"\1Y", word) if "y" in word else word


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin: after the first consonant that follows a vowel, and again after that."""
    prefix = _LONG_PREFIX.match(word)
    found = prefix or _REGION.search(word.replace("Y", "q"))
    if found is None:
        return len(word), len(word)
    again = _REGION.search(word.replace("Y", "q"), found.end())
    return found.end(), again.end() if again else len(word)


def _apostrophe(word: str) -> str:
    for ending in ("'s'", "'s", "'"):
        if word.endswith(ending):
            return word[: -len(ending)]
    return word


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")):
        return word
    if word.endswith("s") and _VOWEL.search(word, 0, len(word) - 2):
        return word[:-1]
    return word


def _past(word: str, first: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            start = len(word) - len(ending)
            return word[:start] + "ee" if start >= first else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if word.endswith(ending):
            root = word[: -len(ending)]
            return _mend(root, first) if _VOWEL.search(root) else word
    return word


def _mend(root: str, first: int) -> str:
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if root.endswith(_DOUBLE):
        return root if len(root) == 3 and root[0] in "aeo" else root[:-1]
    return root + "e" if len(root) <= first and _SHORT_END.search(root) else root


def _y_to_i(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in "aeiouy":
        return word[:-1] + "i"
    return word


def _derivation(word: str, first: int, second: int) -> str:
    for ending, other in _STEP2 if word.endswith(_ENDINGS2) else ():
        if word.endswith(ending):
            start = len(word) - len(ending)
            fits = (ending != "ogi" or word[start - 1 : start] == "l") and (
                ending != "li" or word[start - 1 : start] in set("cdeghkmnrt")
            )
            word = word[:start] + other if start >= first and fits else word
            break
    for ending, other in _STEP3 if word.endswith(_ENDINGS3) else ():
        if word.endswith(ending):
            start = len(word) - len(ending)
            fits = ending != "ative" or start >= second
            word = word[:start] + other if start >= first and fits else word
            break
    for ending in _STEP4 if word.endswith(_STEP4) else ():
        if word.endswith(ending):
            start = len(word) - len(ending)
            fits = ending != "ion" or word[start - 1 : start] in ("s", "t")
            return word[:start] if start >= second and fits else word
    return word


def _final(word: str, first: int, second: int) -> str:
    last = len(word) - 1
    if word.endswith("e"):
        cut = last >= second or (last >= first and not _SHORT_END.search(word[:-1]))
        return word[:-1] if cut else word
    if word.endswith("ll") and last >= second:
        return word[:-1]
    return word
