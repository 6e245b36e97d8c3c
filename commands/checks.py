"""Checks of what callers hand in; each refuses with what is wrong and what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar, get_args

from ..errors import InvalidInput
from ..eventlog.events import DeclaredRelation, Metadata, Prior, Relation, Term
from ..projections.ledger.normal import name_key

LONGEST_TEXT = 1 << 20
"""UTF-8 bytes of the longest text that is stored as one memory."""

LONGEST_NAME = 256
MOST_USES = 1_000_000_000
RELATIONS: tuple[DeclaredRelation, ...] = get_args(DeclaredRelation)
C = TypeVar("C", bound=str)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def check_text(text: object, *, what: str = "text") -> str:
    """The text, if it can be stored and found again.

    Raises:
        InvalidInput: It is no string, blank, too long, or holds half a surrogate pair or a control character.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"the {what} is {type(text).__name__}, not a string", remedy="pass a string")
    if not text.strip():
        raise InvalidInput(f"the {what} is blank", remedy=f"give a {what} with at least one visible character")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"the {what} holds half a surrogate pair at character {error.start + 1}",
            remedy="decode the source as UTF-8, or replace the character with U+FFFD",
        ) from None
    if size > LONGEST_TEXT:
        raise InvalidInput(
            f"the {what} has {size:,} bytes, more than {LONGEST_TEXT:,}",
            remedy="split it, or import it as a file with `helix import`",
        )
    control = CONTROL.search(text)
    if control is not None:
        raise InvalidInput(
            f"the {what} holds the control character U+{ord(control[0]):04X} at character {control.start() + 1}",
            remedy="remove it; line breaks and tabs are fine",
        )
    return text


def check_name(name: object, *, what: str) -> str:
    """A tag, kind, user, project or other short name, stripped.

    Raises:
        InvalidInput: As `check_text`, or longer than 256 characters, or with a line break.
    """
    checked = check_text(name, what=what).strip()
    if len(checked) > LONGEST_NAME or "\n" in checked or "\r" in checked:
        raise InvalidInput(
            f"the {what} is longer than {LONGEST_NAME} characters or has a line break", remedy="shorten it"
        )
    return checked


def check_optional(name: object, *, what: str) -> str | None:
    """`check_name`, or None for None."""
    return None if name is None else check_name(name, what=what)


def check_names(names: Iterable[object] | str, *, what: str) -> tuple[str, ...]:
    """Several names, each once, in the order given; a lone string is refused since it would be split in letters."""
    if isinstance(names, str):
        raise InvalidInput(f"the {what}s are one string", remedy="pass a list, also for one")
    if not isinstance(names, Iterable):
        raise InvalidInput(f"the {what}s are {type(names).__name__}, not a list", remedy="pass a list of strings")
    return tuple(dict.fromkeys(check_name(name, what=what) for name in names))


def terms(names: Iterable[Term | str], *, what: str) -> tuple[Term, ...]:
    """Entities or categories; `NAME` or `NAME:TYPE` as text."""
    if not isinstance(names, Iterable):
        raise InvalidInput(f"the {what} is {type(names).__name__}, not a list", remedy="pass a list of names")
    found: dict[str, Term] = {}
    for name in [names] if isinstance(names, str) else names:
        if isinstance(name, Term):
            found.setdefault(name.key, name)
            continue
        plain, _, kind = check_name(name, what=what).partition(":")
        key = name_key(plain)
        if not key:
            raise InvalidInput(f"the {what} {name!r} has no name", remedy="write NAME or NAME:TYPE")
        found.setdefault(key, Term(name=plain.strip(), key=key, type=kind.strip() or None))
    return tuple(found.values())


def check_share(value: object, *, what: str) -> float:
    """A number in [0, 1].

    Raises:
        InvalidInput: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise InvalidInput(f"the {what} {value!r} is not within 0 and 1", remedy="give a number such as 0.8")
    return float(value)


def check_cosine(value: object, *, what: str = "similarity") -> float:
    """A number in [-1, 1].

    Raises:
        InvalidInput: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1.0 <= value <= 1.0:
        raise InvalidInput(f"the {what} {value!r} is not within -1 and 1", remedy="give a cosine such as 0.8")
    return float(value)


def check_count(value: object, *, what: str, least: int = 1, most: int = 10_000) -> int:
    """A whole number within bounds.

    Raises:
        InvalidInput: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"the {what} {value!r} is not within {least} and {most}", remedy="give such a whole number")
    return value


def check_flag(value: object, *, what: str) -> bool:
    """True or False, and nothing that merely counts as one of them.

    Raises:
        InvalidInput: It is neither.
    """
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} is {value!r}", remedy="pass True or False")
    return value


def check_metadata(metadata: Mapping[str, object]) -> Metadata:
    """Metadata of strings, finite numbers and booleans.

    Raises:
        InvalidInput: A value is of another kind.
    """
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"the metadata is {type(metadata).__name__}", remedy="pass a mapping of names to values")
    result: Metadata = {}
    for name, value in metadata.items():
        if isinstance(value, str):
            checked = check_text(value, what=f"metadata {name}") if value.strip() else value
            result[check_name(name, what="metadata name")] = checked
        elif isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
            result[check_name(name, what="metadata name")] = value
        else:
            raise InvalidInput(
                f"the metadata {name!r} is {type(value).__name__}", remedy="use strings, finite numbers and booleans"
            )
    return result


def check_interval(start: int | None, end: int | None, *, what: str, instant: bool = False) -> None:
    """Refuse an interval that ends before it begins, or, unless `instant`, where it begins.

    Raises:
        InvalidInput: It does.
    """
    if start is not None and end is not None and (end < start or (end == start and not instant)):
        raise InvalidInput(f"the {what} interval ends before it begins", remedy="exchange its ends")


def check_choice(value: str, choices: tuple[C, ...], *, what: str) -> C:
    """One of a few words.

    Raises:
        InvalidInput: It is none of them.
    """
    for choice in choices:
        if value == choice:
            return choice
    raise InvalidInput(f"unknown {what} {value!r}", remedy=f"use one of {', '.join(choices)}")


def check_prior(prior: Prior | None) -> Prior | None:
    """A prior whose numbers make sense.

    Raises:
        InvalidInput: They do not.
    """
    if prior is not None:
        if not isinstance(prior, Prior):
            raise InvalidInput(f"the prior is {type(prior).__name__}", remedy="pass a Prior")
        check_share(prior.effectiveness, what="prior effectiveness")
        check_count(prior.uses, what="number of prior uses", least=0, most=MOST_USES)
        if not 0 <= prior.hits <= prior.uses:
            raise InvalidInput(f"{prior.hits} hits of {prior.uses} uses", remedy="give hits from 0 to uses")
    return prior


def check_relations(relations: Iterable[tuple[str, str] | Relation]) -> tuple[Relation, ...]:
    """Relations as they are recorded.

    Raises:
        InvalidInput: A relation is unknown or malformed, or its confidence is out of range.
    """
    return tuple(map(_check_relation, relations))


def _check_relation(relation: tuple[str, str] | Relation) -> Relation:
    if not isinstance(relation, Relation):
        if isinstance(relation, str) or len(relation) != 2:
            raise InvalidInput(f"{relation!r} is no relation", remedy="pass (relation, id) or a Relation")
        relation = Relation(relation=check_choice(relation[0], RELATIONS, what="relation"), target=relation[1])
    check_choice(relation.relation, RELATIONS, what="relation")
    if relation.confidence is not None:
        check_share(relation.confidence, what="confidence of the relation")
    return relation
