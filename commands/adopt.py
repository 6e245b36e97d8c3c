"""`adopt`: put other constants in force, with the reason and what justified them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ..constants import Constants
from ..errors import Conflict, InvalidInput
from ..eventlog.events import ConstantsAdopted, Event
from ..projections.beliefs import Beliefs
from ..replay.changes import Changes
from ..replay.changes import changes as differing
from . import checks
from .appending import Locked, append_decided
from .supposing import supposed

if TYPE_CHECKING:
    from .opened import OpenStore


class Adopted(msgspec.Struct, frozen=True, kw_only=True):
    """The constants put in force from event `seq` on: what changed, and the digest that names all of them."""

    seq: int
    constants: Changes
    digest: str
    reason: str
    evaluation: dict[str, Any] | None
    repeated: bool


def adopt(
    self: OpenStore,
    *,
    reason: str,
    changes: Mapping[str, object] | None = None,
    constants: Constants | None = None,
    evaluation: Mapping[str, Any] | None = None,
    key: str | None = None,
) -> Adopted:
    """Put other constants in force: every answer from here on is that of the whole log folded with them.

    Answers as of before stay what they were. To go back, adopt the former values.

    Args:
        self: The store.
        reason: Why, for the record.
        changes: Constants that get other values, by name.
        constants: All constants, in place of those in force; `changes` are made to them.
        evaluation: What justifies them, for the record: the report of `tune` or of `replay`, or any JSON object.
        key: The same key adopts once, for ever.

    Raises:
        InvalidInput: A constant is unknown, out of range or lower than the evidence reaches, or there is no reason; the
            log is unchanged, as with every error here.
        Conflict: They are in force already.
        KeyConflict: The key was used for something else.
    """
    checks.check_text(reason, what="reason")
    said = _checked(evaluation)
    chosen = supposed(self, self.point(), changes, constants)
    if chosen is None:
        raise InvalidInput("no constant is given", remedy="name one, for example --set recency_per_day=0")
    foreseen = self.view(None, chosen)  # folds with them, and so refuses what no fold could take

    def decide(locked: Locked) -> Sequence[Event]:
        new = supposed_by(locked.beliefs, changes, constants)
        _check_floors(locked.beliefs, foreseen.texts, new)
        if new == locked.beliefs.constants:
            raise Conflict("these constants are in force already", remedy="`helix constants` shows them")
        return [ConstantsAdopted(**self.stamp(key), constants=new.as_dict(), reason=reason, evaluation=said)]

    appended = append_decided(
        self, decide, verb="adopt", asked=(_plain(changes), _plain(constants), reason, said), key=key
    )
    event = self.event(appended.last).event
    adopted = Constants.from_dict(event.constants) if isinstance(event, ConstantsAdopted) else chosen
    earlier, fingerprint = self.catalog.constants_at(appended.first - 1), self.view().beliefs.fingerprint
    return Adopted(
        seq=appended.last,
        constants=differing(earlier, adopted, fingerprint),
        digest=adopted.digest(),
        reason=reason,
        evaluation=said,
        repeated=appended.repeated,
    )


def supposed_by(beliefs: Beliefs, changes: Mapping[str, object] | None, constants: Constants | None) -> Constants:
    """What `supposed` gives, worked out of what is in force in these beliefs."""
    base = beliefs.constants if constants is None else constants
    return base.altered(changes or {}, fingerprint=beliefs.fingerprint)


def _check_floors(beliefs: Beliefs, known: int, asked: Constants) -> None:
    """Refuse thresholds below the evidence of a text that came since the fold with them was tried."""
    texts = beliefs.texts
    for ordinal in range(known, len(texts)):
        fingerprint = texts.label("fingerprint", ordinal)
        row, floor = asked.threshold(fingerprint), float(texts.table["floor"][ordinal])
        if fingerprint is not None and not np.isnan(floor) and min(row.related, row.duplicate) < floor:
            raise InvalidInput(
                f"a similarity threshold lies below {floor:.2f}, the floor of the evidence just recorded",
                remedy=f"keep duplicate and related at or above {floor:.2f}",
            )


def _checked(evaluation: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """An evaluation as the log holds it.

    Raises:
        InvalidInput: It is no JSON object.
    """
    if evaluation is None:
        return None
    try:
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(evaluation), type=dict[str, Any])
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise InvalidInput(
            f"the evaluation is no JSON object: {error}", remedy="pass a mapping of plain values"
        ) from None
    return plain


def _plain(value: object) -> object:
    return None if value is None else msgspec.to_builtins(value, str_keys=True)
