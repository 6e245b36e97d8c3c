"""Who may see what, and which memories hold: one boolean mask, before any search.

Rules: spec of scope (unset user = owner; shared, one's own and what is granted)
and of validity. `valid_at` asks the world's time: of a chain of supersessions
the newest member whose interval contains it, where an older one without an end
ends at its successor's beginning, and a successor without a beginning of its
own is a correction, so that the older never held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..projections.beliefs import Beliefs
from ..projections.columns import NONE
from ..projections.ledger.texts import user_of
from .view import Asker

Mask = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)
FOREVER = int(np.iinfo(np.int64).max)
MOST_REMEMBERED = 64
"""Masks kept; each is as long as there are texts, and every user who asks adds some."""

HIDING = ("erased", "forgotten", "superseded", "pruned")
"""Columns of what is out of sight whatever the time, and the states they stand for; the first that is 1 counts."""

STATES = ("live", "forgotten", "erased", "superseded", "pruned", "expired", "not_yet_valid", "no_longer_valid")


def remembered(beliefs: Beliefs, name: tuple[object, ...], make: Callable[[], NDArray[T]]) -> NDArray[T]:
    """What `make` gives, worked out once as long as nothing but use and effectiveness changes; not to be written to.

    A change puts another dict in the place of `masks`. What was begun before it goes into the old one, which nobody
    asks again.
    """
    kept = beliefs.masks
    mask = kept.get(name)
    if mask is None:
        mask = kept[name] = make()
        for oldest in list(kept)[:-MOST_REMEMBERED]:
            kept.pop(oldest, None)
    return mask


def may_see(beliefs: Beliefs, asker: Asker) -> Mask:
    """Texts the asker may know of at all; bool by ordinal. Erased ones are nobody's."""
    return remembered(beliefs, ("seen", asker.user), lambda: _may_see(beliefs, asker))


def _may_see(beliefs: Beliefs, asker: Asker) -> Mask:
    texts = beliefs.texts
    table = texts.table
    user = texts.labels.find(user_of(asker.user, texts.owner))
    seen: Mask = (table["shared"] == 1) | (table["user"] == user)
    for ordinal, users in texts.grants.items():
        seen[ordinal] |= user in users
    seen &= table["erased"] == 0
    return seen


def counted(beliefs: Beliefs, asker: Asker) -> Mask | None:
    """The texts whose words count for the asker; None when that is all of them."""
    seen = may_see(beliefs, asker)
    hidden = remembered(beliefs, ("hidden", asker.user), lambda: (beliefs.texts.table["erased"] == 0) & ~seen)
    anything = remembered(beliefs, ("any hidden", asker.user), lambda: np.array([hidden.any()]))
    return seen if anything[0] else None


def asked_for(beliefs: Beliefs, asker: Asker) -> Mask | None:
    """Texts within the project, session, agent and container asked for; None where none was."""
    texts, mask = beliefs.texts, None
    for name in ("project", "session", "agent", "container"):
        wanted = getattr(asker, name)
        if wanted is not None:
            code = texts.labels.find(wanted)
            fits = (texts.table[name] == code) & (code >= 0)
            mask = fits if mask is None else mask & fits
    return mask


def holding(
    beliefs: Beliefs, clock: int, *, valid_at: int | None = None, deep: bool = False, replaced: bool = False
) -> Mask:
    """Roots of the memories that are believed; bool by ordinal.

    Args:
        beliefs: The fold at the point.
        clock: The point's clock, for expiry and, without `valid_at`, validity.
        valid_at: The world's time that is asked about.
        deep: Also what was pruned or has expired.
        replaced: Also what would be believed had nothing superseded it.
    """
    moment = clock if valid_at is None else valid_at
    tips = valid_at is None and not replaced
    mask = remembered(beliefs, ("standing", deep, tips), lambda: _standing(beliefs, deep, tips)).copy()
    if not deep:
        mortal = _mortal(beliefs).nonzero()[0]
        mask[mortal] &= beliefs.memories.table["expires_at"][mortal] > moment
    if valid_at is not None:
        return mask if replaced else mask & valid(beliefs, valid_at)
    texts = beliefs.texts.table
    bounded = _bounded(beliefs).nonzero()[0]
    ends = texts["valid_to"][bounded]
    mask[bounded] &= (texts["valid_from"][bounded] <= clock) & ((ends == NONE) | (ends > clock))
    return mask


def timeless(beliefs: Beliefs) -> bool:
    """Whether no memory expires and none has an interval, so that what holds does not depend on the time."""
    bound = remembered(beliefs, ("bound",), lambda: np.array([_mortal(beliefs).any() or _bounded(beliefs).any()]))
    return not bound[0]


def _mortal(beliefs: Beliefs) -> Mask:
    """Rows of memories that expire."""
    return remembered(beliefs, ("mortal",), lambda: beliefs.memories.table["expires_at"] != NONE)


def _bounded(beliefs: Beliefs) -> Mask:
    """Texts that say from or until when they hold."""
    texts = beliefs.texts.table
    return remembered(beliefs, ("bounded",), lambda: (texts["valid_from"] != NONE) | (texts["valid_to"] != NONE))


def _standing(beliefs: Beliefs, deep: bool, tips: bool) -> Mask:  # noqa: FBT001 - a helper of `holding`
    """Roots that are not out of sight whatever the time; only tips of chains, if so wanted."""
    table = beliefs.memories.table
    mask: Mask = beliefs.memories.roots() & (table["forgotten"] == 0) & (table["erased"] == 0)
    if not deep:
        mask &= table["pruned"] == 0
    if tips:
        mask &= table["superseded"] == 0
    return mask


def valid(beliefs: Beliefs, moment: int) -> Mask:
    """Roots whose interval contains `moment`, the newest of each chain."""
    texts, memories = beliefs.texts.table, beliefs.memories
    own = np.where(texts["valid_from"] != NONE, texts["valid_from"], texts["observed_at"])
    start = np.where(own != NONE, own, texts["recorded_at"])
    end = np.where(texts["valid_to"] != NONE, texts["valid_to"], FOREVER)
    olds, news = remembered(beliefs, ("successions",), lambda: _successions(beliefs))
    superseded = memories.table["superseded"][olds] == 1
    beginnings = own[news]
    open_ended = superseded & (texts["valid_to"][olds] == NONE)
    np.minimum.at(end, olds[open_ended], beginnings[open_ended])
    end[olds[superseded & (beginnings == NONE)]] = NONE
    mask: Mask = (start <= moment) & (moment < end)
    doubtful = ((memories.table["superseded"] == 1) & mask).nonzero()[0]
    overtaken, known = _overtaken_by_one(len(mask), olds, news, mask)
    mask[doubtful[overtaken[doubtful]]] = False
    for old in doubtful[~known[doubtful]].tolist():
        mask[old] = not _overtaken(beliefs, old, mask)
    return mask


def _successions(beliefs: Beliefs) -> NDArray[np.int64]:
    """Who took whose place, as roots of today: olds, each with its successors in a row, and those; shape (2, pairs)."""
    taken, today = list(beliefs.memories.successors.items()), beliefs.memories.table["root"]
    olds = [old for old, news in taken for _ in news]
    news = np.array([new for _, news in taken for new in news], np.int64)
    return np.stack([np.array(olds, np.int64), today[news].astype(np.int64)])


def _overtaken_by_one(count: int, olds: NDArray[np.int64], news: NDArray[np.int64], mask: Mask) -> tuple[Mask, Mask]:
    """Of every root: whether a later member of its chain holds, and whether that is known.

    By doubling steps, for chains in which each has one successor; of what leads to a fork or a circle nothing is known.
    """
    end, fork = count, count + 1
    following = np.full(count + 2, end)
    following[fork] = fork
    following[olds] = news
    following[olds[1:][(olds[1:] == olds[:-1]) & (news[1:] != news[:-1])]] = fork
    holds = np.append(mask, (False, False))[following]
    ahead = following
    for _ in range(count.bit_length()):
        if (ahead >= end).all():
            break
        holds |= holds[ahead]
        ahead = ahead[ahead]
    known = ahead[:count] == end
    return holds[:count] & known, known


def _overtaken(beliefs: Beliefs, old: int, mask: Mask) -> bool:
    """Whether a later member of the chain holds as well."""
    todo, seen = list(beliefs.memories.superseded_by(old)), {old}
    while todo:
        new = todo.pop()
        if new not in seen:
            if mask[new]:
                return True
            seen.add(new)
            todo.extend(beliefs.memories.superseded_by(new))
    return False


def with_terms(beliefs: Beliefs, names: Sequence[str]) -> Mask:
    """Roots of the memories that carry every one of these terms (`t:tag`, `e:entity`, `c:category`)."""
    mask = np.ones(len(beliefs.texts), np.bool_)
    for name in names:
        mask &= carrying(beliefs, beliefs.texts.terms.find(name))
    return mask


def carrying(beliefs: Beliefs, code: int) -> Mask:
    """Roots of the memories that carry a term now."""
    mask = np.zeros(len(beliefs.texts), np.bool_)
    mask[beliefs.memories.carriers(code)] = True
    return mask


def state(beliefs: Beliefs, root: int, clock: int) -> str:
    """The state of a memory at a clock, in one word of `STATES`."""
    return states_of(beliefs, np.array([root]), clock)[0]


def states_of(beliefs: Beliefs, roots: NDArray[np.int64], clock: int) -> list[str]:
    """The states of some memories at a clock."""
    table, texts = beliefs.memories.table, beliefs.texts.table
    columns = [table[name] for name in (*HIDING, "expires_at")] + [texts["valid_from"], texts["valid_to"]]
    return [_state(*row, clock) for row in zip(*(column[roots].tolist() for column in columns), strict=True)]


def _state(*cells: int) -> str:
    """The first word that applies to a memory with these cells, the last of which is the clock."""
    *hidden, expires_at, valid_from, valid_to, clock = cells
    if any(hidden):
        return HIDING[hidden.index(1)]
    if NONE != expires_at <= clock:
        return "expired"
    if valid_from > clock:
        return "not_yet_valid"
    return "no_longer_valid" if NONE != valid_to <= clock else "live"
