"""The constants: every number that shapes a belief, in one frozen struct.

Nothing a constant decides is ever written to the log, so any of them can be
changed and the whole log folded again. Each field says its unit, range, basis
and source; `helix constants` prints them. Names on the command line are the
field names in any case.

The similarity thresholds (duplicate, related, causal, min_relevance, cluster,
coverage) mean nothing without the embedder that made the vectors, so they are
a table by embedder fingerprint; a cosine is judged by the row of the
fingerprint it was recorded under.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta

from .errors import InvalidInput

DAY = 86_400_000_000_000
"""One day in nanoseconds."""

SEED = "the original system's own value"
MEASURED = "measured on conversation retrieval and paraphrase pairs"

Fraction = Annotated[float, Meta(ge=0.0, le=1.0)]
Cosine = Annotated[float, Meta(ge=-1.0, le=1.0)]


def _about(unit: str, source: str, text: str) -> Meta:
    return Meta(description=text, extra={"unit": unit, "source": source})


class Thresholds(msgspec.Struct, frozen=True):
    """Cosines in [-1, 1] at which one embedder's vectors mean something; all inclusive.

    `duplicate`: may be the same fact. `related`: linked as similar. `causal`: a memory this close to the context of an
    outcome counts as its cause. `min_relevance`: floor of the vector list in recall. `related` is at most `duplicate`.
    """

    duplicate: Cosine
    related: Cosine
    causal: Cosine
    min_relevance: Cosine

    @property
    def cluster(self) -> float:
        """Cosine that puts two texts into one cluster."""
        return self.related

    @property
    def coverage(self) -> float:
        """Cosine at which one text already says what another would."""
        return self.related + 0.4 * (self.duplicate - self.related)


SEED_THRESHOLDS = Thresholds(duplicate=0.85, related=0.60, causal=0.50, min_relevance=0.35)
"""The original system's thresholds, which belong to arctic-embed-m-v1.5."""

THRESHOLD_NAMES = ("duplicate", "related", "causal", "min_relevance")


class Constants(msgspec.Struct, frozen=True, kw_only=True):
    """Every tunable number. Build one with `Constants()`, `Constants.seed()` or `altered()`."""

    thresholds: Annotated[
        dict[str, Thresholds],
        _about("cosine", MEASURED, "Similarity thresholds by embedder fingerprint; the row '*' serves all others."),
    ] = msgspec.field(default_factory=lambda: {"*": SEED_THRESHOLDS})

    rrf_k: Annotated[float, Meta(ge=0.0, le=1000.0), _about("rank", SEED, "Flattens ranks in the fusion.")] = 60.0
    list_depth: Annotated[int, Meta(ge=1, le=10_000), _about("results", SEED, "Length of each candidate list.")] = 100
    vector_weight: Annotated[float, Meta(ge=0.0, le=10.0), _about("weight", SEED, "Weight of the vector list.")] = 1.0
    keyword_weight: Annotated[float, Meta(ge=0.0, le=10.0), _about("weight", SEED, "Weight of the keyword list.")] = 1.0
    entity_weight: Annotated[
        float, Meta(ge=0.0, le=10.0), _about("weight", SEED, "Weight of the list of exact entity and tag matches.")
    ] = 1.0
    hop_discount: Annotated[Fraction, _about("factor", SEED, "What a graph hop keeps of its parent's fused rank.")] = (
        0.7
    )
    keyword_admission: Annotated[
        bool, _about("switch", MEASURED, "Whether strong keyword evidence admits a memory below min_relevance.")
    ] = True
    keyword_idf_share: Annotated[
        Fraction, _about("share", MEASURED, "Share of the query's idf that admits by keywords alone.")
    ] = 0.5
    rare_share: Annotated[
        Fraction, _about("share", MEASURED, "An identifier in at most this share of the texts admits alone.")
    ] = 0.01
    salience_weight: Annotated[
        float, Meta(ge=0.0, le=10.0), _about("weight", SEED, "How much salience lifts a score; 0 switches it off.")
    ] = 0.0
    relation_weight: Annotated[
        float, Meta(ge=0.0, le=10.0), _about("weight", SEED, "How much edges to other results lift a score; 0 is off.")
    ] = 0.0

    recency_per_day: Annotated[
        Fraction, _about("1/day", SEED, "What each day since the anchor takes off the recency factor.")
    ] = 0.003
    recency_floor: Annotated[Fraction, _about("factor", SEED, "Lowest recency factor.")] = 0.85
    velocity_per_use: Annotated[
        Fraction, _about("factor", SEED, "What each causal feedback within the window adds to a score.")
    ] = 0.02
    velocity_cap: Annotated[Fraction, _about("factor", SEED, "Most that velocity adds.")] = 0.10
    velocity_window_days: Annotated[
        float, Meta(gt=0.0, le=3650.0), _about("day", SEED, "Length of the sliding velocity window.")
    ] = 14.0

    causal_floor: Annotated[Fraction, _about("factor", SEED, "Lowest factor of the causal adjustment.")] = 0.33
    causal_min_uses: Annotated[
        int, Meta(ge=1, le=1000), _about("uses", SEED, "Uses from which the causal adjustment counts.")
    ] = 3
    learning_rate: Annotated[Fraction, _about("weight", SEED, "Weight of one outcome in the moving average.")] = 0.2
    causal_ramp: Annotated[
        Annotated[float, Meta(ge=0.0, le=2.0)] | None,
        _about("cosine", SEED, "Cosine above the causal one, 0 to 2, at which the weight is 1; none: 1 - causal."),
    ] = None
    erosion_rate: Annotated[
        Fraction, _about("share", SEED, "How far a use without effect pulls effectiveness down to .5.")
    ] = 0.09
    outcome_delivered: Annotated[Fraction, _about("effectiveness", SEED, "Value of the outcome 'delivered'.")] = 1.0
    outcome_plan_complete: Annotated[
        Fraction, _about("effectiveness", SEED, "Value of the outcome 'plan_complete'.")
    ] = 1.0
    outcome_partial: Annotated[Fraction, _about("effectiveness", SEED, "Value of the outcome 'partial'.")] = 0.3
    outcome_blocked: Annotated[Fraction, _about("effectiveness", SEED, "Value of the outcome 'blocked'.")] = 0.0

    decay_rate: Annotated[
        Fraction, _about("share per unit", SEED, "How fast unused effectiveness above .5 falls towards .5.")
    ] = 0.1
    decay_after_days: Annotated[
        float, Meta(ge=0.0, le=3650.0), _about("day", SEED, "Days without causal feedback before decay begins.")
    ] = 30.0
    decay_unit_days: Annotated[
        float, Meta(gt=0.0, le=3650.0), _about("day", SEED, "One step of decay; the original decays once a session.")
    ] = 1.0
    spread_cap: Annotated[
        float, Meta(gt=0.0, le=2.0), _about("cosine distance", SEED, "Spread of contexts at which generality is full.")
    ] = 0.30
    spread_min: Annotated[
        float, Meta(ge=0.0, le=2.0), _about("cosine distance", SEED, "Spread from which generality counts.")
    ] = 0.05
    decay_discount: Annotated[
        Fraction, _about("share", SEED, "Share of the decay rate that full generality takes away.")
    ] = 0.5

    initial_normal: Annotated[Fraction, _about("effectiveness", SEED, "Where a stored memory begins.")] = 0.5
    initial_derived: Annotated[Fraction, _about("effectiveness", SEED, "Where a derived memory begins.")] = 0.35
    initial_synthesised: Annotated[Fraction, _about("effectiveness", SEED, "Where a synthesis begins.")] = 0.45
    initial_imported: Annotated[Fraction, _about("effectiveness", SEED, "Where an import without a prior begins.")] = (
        0.5
    )

    prune_threshold: Annotated[Fraction, _about("effectiveness", SEED, "Below this, strictly, a prune hides.")] = 0.25
    prune_min_uses: Annotated[
        int, Meta(ge=1, le=1000), _about("uses", SEED, "Uses from which raw effectiveness may hide.")
    ] = 3
    prune_exposures: Annotated[
        int,
        Meta(ge=1, le=10_000),
        _about(
            "uses", MEASURED, "Uses from which adjusted effectiveness may hide; with 3, ordinary use hides a store."
        ),
    ] = 12
    prune_ghost_days: Annotated[
        float, Meta(ge=0.0, le=36_500.0), _about("day", SEED, "Age of an agent's or tool's text that nobody ever saw.")
    ] = 60.0

    max_links: Annotated[int, Meta(ge=0, le=32), _about("edges", SEED, "Most 'similar' edges a text makes.")] = 5
    salience_initial: Annotated[Fraction, _about("salience", SEED, "Salience of a memory that names none.")] = 0.5
    salience_step: Annotated[Fraction, _about("salience", SEED, "What one reinforcement adds, up to 1.")] = 0.1

    @classmethod
    def seed(cls) -> Self:
        """The original system's own values, thresholds included."""
        return cls()

    def threshold(self, fingerprint: str | None) -> Thresholds:
        """The thresholds that judge cosines recorded under `fingerprint`."""
        row = self.thresholds.get(fingerprint or "*")
        return row if row is not None else self.thresholds["*"]

    def with_thresholds(self, fingerprint: str, thresholds: Thresholds) -> Self:
        """These constants with another threshold row for `fingerprint`.

        Raises:
            InvalidInput: A threshold is no cosine, or `related` is above `duplicate`.
        """
        values = self.as_dict()
        values["thresholds"][fingerprint] = msgspec.structs.asdict(thresholds)
        return self._checked(values)

    def places_as(self, other: Constants) -> bool:
        """Whether these make the same memories and links of any log as others do: only what is learned may differ."""
        rows = [(self.threshold(name), other.threshold(name)) for name in {*self.thresholds, *other.thresholds}]
        near = all((mine.duplicate, mine.related) == (its.duplicate, its.related) for mine, its in rows)
        return near and all(getattr(self, name) == getattr(other, name) for name in PLACING)

    def outcome(self, label: str) -> float:
        """The effectiveness that `label` stands for.

        Raises:
            InvalidInput: No such outcome.
        """
        value: float | None = getattr(self, f"outcome_{label}", None)
        if value is None:
            raise InvalidInput(f"unknown outcome {label!r}", remedy=f"use one of {', '.join(OUTCOMES)}")
        return value

    def initial(self, origin: str) -> float:
        """Where a memory of this origin begins."""
        value: float = getattr(self, f"initial_{origin}")
        return value

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as the log keeps them."""
        return msgspec.to_builtins(self)  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Self:
        """Constants from the log or from JSON; unknown names are left out, so that old releases read new logs."""
        known = {name: value for name, value in values.items() if name in cls.__struct_fields__}
        return cls._checked(known)

    @classmethod
    def _checked(cls, values: Mapping[str, object]) -> Self:
        try:
            made = msgspec.convert(values, cls)
        except msgspec.ValidationError as error:
            raise InvalidInput(
                f"a constant is out of range: {error}", remedy="see `helix constants` for names, units and ranges"
            ) from None
        if "*" not in made.thresholds:
            raise InvalidInput(
                "the thresholds have no row '*'", remedy="give one: it serves embedders without their own"
            )
        for fingerprint, row in made.thresholds.items():
            if row.related > row.duplicate:
                raise InvalidInput(
                    f"related {row.related:g} is above duplicate {row.duplicate:g} for {fingerprint!r}",
                    remedy="lower related or raise duplicate: what is a duplicate is related too",
                )
        return made

    def altered(self, changes: Mapping[str, object], *, fingerprint: str | None = None) -> Self:
        """These constants with some changed, by name in any case.

        Args:
            changes: Name to value. A threshold's name changes the row of `fingerprint` (else the row '*').
            fingerprint: The embedder whose thresholds are meant.

        Raises:
            InvalidInput: A name is unknown or a value out of range.
        """
        values = self.as_dict()
        row = dict(values["thresholds"].get(fingerprint or "*", values["thresholds"]["*"]))
        for name, value in changes.items():
            field = name.lower()
            if field in THRESHOLD_NAMES:
                row[field] = value
                values["thresholds"][fingerprint or "*"] = row
            elif field in self.__struct_fields__:
                values[field] = value
            else:
                raise InvalidInput(f"unknown constant {name!r}", remedy="`helix constants` lists the names")
        return self._checked(values)

    def digest(self) -> str:
        """32 hex digits of BLAKE2b over the canonical JSON."""
        return blake2b(msgspec.json.encode(self, order="sorted"), digest_size=16).hexdigest()


PLACING = ("max_links", "salience_initial", "salience_step")
"""The constants beside the thresholds that the ledger and the graph read."""

OUTCOMES = ("delivered", "plan_complete", "partial", "blocked")
"""The outcome labels a feedback may carry."""
