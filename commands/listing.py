"""`list`: memories page by page."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..projections.ledger.normal import name_key
from ..recall.statistics import states
from ..recall.view import Asker, View
from ..recall.visibility import STATES, Mask, asked_for, may_see, with_terms
from . import checks
from .opened import AsOf, AsOfPoint, reading
from .records import Record, record

if TYPE_CHECKING:
    from .opened import OpenStore

Order = Literal["newest", "oldest", "effectiveness"]
ORDERS: tuple[Order, ...] = ("newest", "oldest", "effectiveness")
LISTED = tuple(name for name in STATES if name != "erased")


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A page of memories; `next` is the cursor of the following page, null after the last.

    A following page is read at the clock of the first.
    """

    memories: tuple[Record, ...]
    next: str | None
    as_of: AsOfPoint


class _Cursor(msgspec.Struct, frozen=True, array_like=True):
    """Where a page ended: its order, the clock it was read at, and the key of its last memory."""

    order: str
    clock: int
    value: float
    root: int


class _Filters(NamedTuple):
    state: str
    kind: str | None
    terms: tuple[str, ...]
    asker: Asker


@reading
def list_memories(
    self: OpenStore,
    *,
    limit: int = 20,
    cursor: str | None = None,
    state: str | None = None,
    kind: str | None = None,
    tags: Sequence[str] = (),
    entity: str | None = None,
    user: str | None = None,
    project: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    container: str | None = None,
    order: Order = "newest",
    as_of: AsOf | None = None,
) -> Listed:
    """Memories, a page at a time.

    Pages are cut by what has been shown, not by number: a memory that is stored meanwhile moves nothing, so that
    going on with `next` shows each memory once.

    Args:
        self: The store.
        limit: Most memories on the page.
        cursor: `next` of the page before, with the same options.
        state: live (if not given), forgotten, superseded, pruned, expired, not_yet_valid, no_longer_valid, or all.
        kind: Only this kind.
        tags: Only memories with all of these tags.
        entity: Only memories that name this entity.
        user: Who asks; the owner if not given.
        project: Only this project.
        session: Only this session.
        agent: Only this agent.
        container: Only this container.
        order: newest or oldest by when they were first stored, or effectiveness, highest first.
        as_of: What was believed then; see `recall`.

    Raises:
        InvalidInput: An option is malformed.
    """
    limit = checks.check_count(limit, what="limit")
    terms = tuple(f"t:{tag}" for tag in checks.check_names(tags, what="tag"))
    if entity is not None:
        terms += (f"e:{name_key(checks.check_name(entity, what='entity'))}",)
    asker = Asker(user=user, project=project, session=session, agent=agent, container=container)
    chosen = _Filters(checks.check_choice(state or "live", (*LISTED, "all"), what="state"), kind, terms, asker)
    checks.check_choice(order, ORDERS, what="order")
    after = None if cursor is None else _read(cursor, order)
    view = self.view(as_of)
    if after is not None:
        view = msgspec.structs.replace(view, point=msgspec.structs.replace(view.point, clock=after.clock))
    found, values = _ordered(view, chosen, order, after)
    page = found[:limit].tolist()
    following = None
    if len(found) > limit:
        following = _write(_Cursor(order, view.point.clock, float(values[limit - 1]), page[-1]))
    seen = may_see(view.beliefs, asker)
    return Listed(
        memories=tuple(record(view, root, seen) for root in page),
        next=following,
        as_of=self.as_of_point(view.point),
    )


def _ordered(
    view: View, chosen: _Filters, order: Order, after: _Cursor | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The roots that are listed after the cursor, in order, and the value each is ordered by before its age."""
    found = np.flatnonzero(_mask(view, chosen))
    values = np.zeros(len(found))
    if order == "effectiveness":
        values = view.beliefs.effectiveness.value(found, view.point.clock)
    age = found if order == "oldest" else -found
    if after is not None:
        last = after.root if order == "oldest" else -after.root
        later = (values < after.value) | ((values == after.value) & (age > last))
        found, values, age = found[later], values[later], age[later]
    places = np.lexsort((age, -values))
    return found[places], values[places]


def _mask(view: View, chosen: _Filters) -> Mask:
    beliefs = view.beliefs
    mask = may_see(beliefs, chosen.asker) & beliefs.memories.roots()
    state = states(beliefs, view.point.clock)
    mask &= state != STATES.index("erased") if chosen.state == "all" else state == STATES.index(chosen.state)
    narrowed = asked_for(beliefs, chosen.asker)
    if narrowed is not None:
        mask &= narrowed
    if chosen.kind is not None:
        mask &= beliefs.texts.table["kind"] == beliefs.texts.labels.find(chosen.kind)
    if chosen.terms:
        mask &= with_terms(beliefs, chosen.terms)
    return mask


def _write(cursor: _Cursor) -> str:
    return urlsafe_b64encode(msgspec.msgpack.encode(cursor)).decode().rstrip("=")


def _read(text: str, order: Order) -> _Cursor:
    if not isinstance(text, str):
        raise InvalidInput(f"{text!r} is no cursor", remedy="give `next` of the page before, unchanged")
    try:
        cursor = msgspec.msgpack.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=_Cursor)
    except (msgspec.MsgspecError, binascii.Error, ValueError):
        raise InvalidInput(f"{text!r} is no cursor", remedy="give `next` of the page before, unchanged") from None
    if cursor.order != order:
        raise InvalidInput(f"the cursor is of the order {cursor.order}", remedy="keep the options of the first page")
    return cursor
