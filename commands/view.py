"""`as_of`: the memory as it was at a point, or as it would be under other constants, to be read and not written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..constants import Constants
from .opened import AsOf, OpenStore
from .supposing import supposed

if TYPE_CHECKING:
    from .memory import Memory


def as_of(
    self: OpenStore,
    point: AsOf | None = None,
    *,
    changes: Mapping[str, object] | None = None,
    constants: Constants | None = None,
) -> Memory:
    """A view with every verb of the memory, which answers as of one point, whatever is stored later.

    Answers are those of a store that holds the events up to the point alone, read at its clock. They have the same
    shapes. The view shares the open store: it costs nothing until it is asked, and ends when the store is closed.
    Under other constants its answers are counterfactual, and say so.

    Args:
        self: The store, or a view of it.
        point: A time, `@SEQ`, `@SEQ/TIME`, an age such as 7d, or an id (just after it); now if not given.
        changes: Constants that are supposed to have other values, by name.
        constants: All constants as they are supposed to be, in place of those in force.

    Raises:
        InvalidInput: The point is none, a constant is unknown or out of range, or below what evidence recorded.
        ReadOnlyView: By every verb of the view that would write.
    """
    from .memory import Memory

    where = self.point(point)
    assumed = supposed(self, where, changes, constants)
    if assumed is not None:
        self.view(self.naming(where), assumed)  # refused here rather than by the first question
    view = Memory.__new__(Memory)
    OpenStore.__init__(
        view,
        self.folder,
        self.eventlog,
        clock=lambda: where.clock,
        embedder=self._named,
        api_key=self._api_key,
        actor=self.actor,
        at=where,
        supposed=assumed if assumed is not None else self.supposed,
        of=self if self._of is None else self._of,
    )
    return view
