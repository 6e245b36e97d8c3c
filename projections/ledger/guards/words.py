"""The word lists of the guards: a fixed part of their version, not a setting.

Synonyms are other spellings, abbreviations and words that can stand for one
another in any technical sentence; a looser list would merge facts that differ.
"""

from __future__ import annotations

from itertools import chain

from ...text.stem import stem


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _all_as(kind: str, text: str) -> dict[str, str]:
    return dict.fromkeys(text.split(), kind)


ARTICLES = frozenset(("a", "an", "the"))
"""Not even the order of words is read from these."""

GLUE = ARTICLES | _words(
    """
    this that these those it its they them their i me my mine you your yours we us our ours myself yourself itself
    am is are was were be been being have has had having do does did doing done will would shall should must may might
    can could ought of at in on to for by with from as into onto upon and or nor but if so than then there here when
    while who whom whose which what how also just very really quite too please note again still already own such let
    lets about around per via yes ok okay out up off over under
    """
)
"""Words a rewording may add or drop freely."""

NEGATORS = {
    **_all_as("not", "not no none cannot nor neither nobody nothing nowhere non dont cant wont"),
    **_all_as("not", "isnt arent doesnt didnt wasnt werent shouldnt mustnt couldnt wouldnt hasnt havent"),
    **_all_as("not", "nicht kein keine keinen keiner keinem pas aucun aucune ningún ninguna"),
    **_all_as("not", "不 没 沒 未 无 無 别 勿 非"),
    **_all_as("never", "never nie niemals jamais nunca jamás mai"),
    **_all_as("without", "without ohne sans sin senza"),
    **_all_as("except", "unless except"),
}

NEGATIVE_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "de", "mis", "anti", "ex")
POSITIVE_PREFIXES = ("en", "em", "in", "im")

_SYNONYMS = """
    need require; start begin commence; finish complete; use utilise utilize; fix repair; delete remove erase
    folder directory; repo repository; config configuration; doc documentation; db database; env environment
    app application; prod production; info information; param parameter; arg argument; admin administrator
    every each; large big; small little; buy purchase; quick fast rapid; sign-in login; colour color
    behaviour behavior; favourite favorite; centre center; licence license; grey gray; mail email
    daily day; weekly week; monthly month; yearly year annual; hourly hour; error failure;
    may might can could; prior before; max maximum; min minimum; permitted allowed; forbidden prohibited
"""

_OPPOSITES = """
    old new; slow fast; before after; on off; up down; start stop finish; last next; previous next; left right
    top bottom; high low; higher lower; more less fewer; most least; max min; maximum minimum; above below; over under
    inside outside; in out; with without; open close; true false; yes no; good bad; better worse; best worst; early late
    earlier later; always sometimes rarely often seldom never; all some none most few; day week month year hour minute
    must can; he she; his her; him her; big small; long short; hot cold; hard soft; hard easy; allow forbid deny block
    accept reject; push pull; read write; client server; public private; local remote; success error; pass fail
    add delete; show hide; strong weak; safe dangerous; love hate; like hate; morning afternoon evening night
    north south east west
    sync async; odd even; upper lower; ascending descending; past future; inner outer; full empty; win lose
    same different; upstream downstream; upload download; upgrade downgrade; uphill downhill; overestimate underestimate
    buy sell; increase decrease; encode decode; encrypt decrypt; internal external; include exclude; import export
    input output
"""


def _groups(lines: str) -> list[list[str]]:
    return [group.split() for line in lines.splitlines() for group in line.split(";")]


SAME = {stem(word): stem(group[0]) for group in _groups(_SYNONYMS) if group for word in group}
"""Stem to the stem that stands for it."""


def canonical(word: str) -> str:
    """The stem of a lower-case word, or the one that stands for all its synonyms."""
    root = stem(word)
    return SAME.get(root, root)


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _groups(_OPPOSITES):
        roots = {canonical(word) for word in group}
        for root in roots:
            found.setdefault(root, set()).update(roots - {root})
    return {root: frozenset(others) for root, others in found.items()}


OPPOSITES = _opposites()
"""Stem to the stems that cannot be true in its place."""

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
CARDINALS = {
    **{word: k for k, word in enumerate([*_ONES.split(), "eighteen", "nineteen"])},
    **{word: 20 + 10 * k for k, word in enumerate(_TENS.split())},
    "once": 1,
    "single": 1,
    "twice": 2,
    "thrice": 3,
}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
ORDINALS = {
    **{word: k + 1 for k, word in enumerate(_ORDINALS.split())},
    "fifteenth": 15,
    "sixteenth": 16,
    "seventeenth": 17,
    "eighteenth": 18,
    "nineteenth": 19,
    "twentieth": 20,
    "thirtieth": 30,
}
WEAK = frozenset(("one", "once", "single", "first"))
"""Number words that ordinary sentences use for emphasis: alone on one side they forbid nothing."""

MULTIPLIERS = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 10**6, "billion": 10**9, "dozen": 12}
MULTIPLIERS |= {word + "s": value for word, value in MULTIPLIERS.items() if word != "k"}

_UNITS = """
    ms msec millisecond milliseconds; s sec secs second seconds; min mins minute minutes; h hr hrs hour hours
    d day days; wk week weeks; month months; yr year years; b byte bytes; kb kilobyte kilobytes; mb megabyte megabytes
    gb gigabyte gigabytes; tb terabyte terabytes; kib; mib; gib; tib; % percent pct; € eur euro euros
    $ usd dollar dollars
    £ gbp pound pounds; ¥ jpy yen; km kilometre kilometres kilometer kilometers; cm; mm; kg kilo kilos
    g gram grams; mg; px pixel pixels; hz; khz; mhz; ghz; x times; th st nd rd
"""
UNITS = {word: group[0] for group in _groups(_UNITS) if group for word in group}

_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april may june july august september october november december"
_SHORT_DAYS = (("mon",), ("tue", "tues"), ("wed",), ("thu", "thur", "thurs"), ("fri",), ("sat",), ("sun",))
DATES = {
    **{form: f"w{k}" for k, name in enumerate(_WEEKDAYS.split()) for form in (name, name + "s", *_SHORT_DAYS[k])},
    **{form: f"m{k}" for k, name in enumerate(_MONTHS.split(), 1) for form in (name, name[:3])},
    "sept": "m9",
    "noon": "t43200",
    "midnight": "t0",
    **{word: "d" + word for word in ("today", "tomorrow", "yesterday", "tonight")},
}
UNSURE_DATES = frozenset(("may", "march", "mar", "sun", "sat", "wed"))
"""Dates only beside a number or with a capital inside a sentence."""

CONTENTLESS = frozenset(chain(GLUE, NEGATORS))
