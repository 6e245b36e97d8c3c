"""Why a result has its score: every factor with its formula, its value and the events behind it.

Pure: what the log says of the results (`Behind`) is handed in. The factors
multiplied give the score, to the last bit but for the order of multiplication.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ..constants import DAY
from .question import Hit, Question
from .recall import sight
from .view import View
from .visibility import Mask

Terms = tuple[dict[str, Any], ...]


class Use(msgspec.Struct, frozen=True):
    """One feedback about a memory; `weight` in [0, 1] where it counted as a cause, below 0 where not."""

    seq: int
    recorded_at: int
    weight: float


class Behind(msgspec.Struct, frozen=True):
    """What the log says of one result: its feedback, and the events that made the edge it was reached by."""

    uses: tuple[Use, ...] = ()
    edge: tuple[int, ...] = ()


class Factor(msgspec.Struct, frozen=True):
    """A number and where it comes from. `part` is true where it is in `rrf` already, and not a factor of its own."""

    name: str
    value: float
    formula: str
    events: tuple[int, ...] = ()
    part: bool = False


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """One result taken apart; `score` is the product of the factors that are no part of another."""

    root: int
    score: float
    factors: tuple[Factor, ...]
    terms: Terms


def explain(view: View, question: Question, hit: Hit, ranks: dict[str, int], behind: Behind) -> Explanation:
    """Every factor of a hit's score.

    Args:
        view: The view the hit was found in.
        question: The question it answers.
        hit: The hit.
        ranks: Its places in the lists.
        behind: What the log says of it.
    """
    *_, population = sight(view, question)
    terms = _terms(view, question, hit.lead, population)
    factors = (*_parts(view, hit, ranks, terms), _rrf(view, hit, ranks, behind), *_own(view, hit, behind))
    return Explanation(root=hit.root, score=hit.score, factors=factors, terms=terms)


def _terms(view: View, question: Question, lead: int, population: Mask | None) -> Terms:
    return tuple(view.text.explain(question.text, lead, texts=view.texts, population=population))


def _parts(view: View, hit: Hit, ranks: dict[str, int], terms: Terms) -> Iterator[Factor]:
    """What the text itself has: cosine, BM25, and its place in each list."""
    constants, lead = view.beliefs.constants, _seq(view, hit.lead)
    if hit.cosine is not None:
        yield Factor("cosine", hit.cosine, "cosine of the query to the best window of the text", (lead,), part=True)
    if terms:
        found = " + ".join(f"{term['contribution']:.4f} {term['term']}" for term in terms)
        yield Factor("bm25", hit.bm25, found, (lead,), part=True)
    weights = {
        "vector": constants.vector_weight,
        "keyword": constants.keyword_weight,
        "entity": constants.entity_weight,
    }
    for name, rank in sorted(ranks.items()):
        share = weights[name] / (constants.rrf_k + rank)
        yield Factor(
            f"{name} list", share, f"{weights[name]:g} / ({constants.rrf_k:g} + rank {rank})", (lead,), part=True
        )


def _rrf(view: View, hit: Hit, ranks: dict[str, int], behind: Behind) -> Factor:
    if hit.parent is None or hit.edge is None:
        return Factor("rrf", hit.rrf, f"sum over {len(ranks)} lists", (_seq(view, hit.lead),))
    discount = view.beliefs.constants.hop_discount
    parent = hit.rrf / (discount * hit.edge) if discount * hit.edge else 0.0
    name = view.beliefs.texts.id_of(hit.parent)
    formula = f"{discount:g} x {hit.relation} {hit.edge:.4f} x {parent:.6f} of {name}"
    return Factor("rrf", hit.rrf, formula, behind.edge)


def _own(view: View, hit: Hit, behind: Behind) -> Iterator[Factor]:
    """The factors of the memory itself."""
    constants, table = view.beliefs.constants, view.beliefs.effectiveness.table
    uses, hits = int(table["uses"][hit.root]), int(table["hits"][hit.root])
    adjusted = f"effectiveness {hit.effectiveness:.4f}"
    if uses >= constants.causal_min_uses:
        adjusted += f" x max({constants.causal_floor:g}, {hits}/{uses})"
    yield Factor("effectiveness", hit.use, f".5 + .5 x {adjusted}", tuple(use.seq for use in behind.uses))
    formula = f"max({constants.recency_floor:g}, 1 - {constants.recency_per_day:g} x {hit.recency_days} days)"
    yield Factor("recency", hit.recency, formula, (_anchor(view, hit.root, behind),))
    formula = f"1 + min({constants.velocity_cap:g}, {constants.velocity_per_use:g} x {hit.velocity})"
    yield Factor("velocity", hit.activity, formula, _recent(view, behind))
    product = hit.rrf * hit.use * hit.recency * hit.activity
    if constants.salience_weight:
        salience = 1.0 + constants.salience_weight * hit.salience
        product *= salience
        formula = f"1 + {constants.salience_weight:g} x salience {hit.salience:g}"
        yield Factor("salience", salience, formula, (_seq(view, hit.root),))
    if constants.relation_weight:
        relation = 1.0 + constants.relation_weight * hit.ties
        product *= relation
        formula = f"1 + {constants.relation_weight:g} x heaviest edge to a direct hit {hit.ties:g}"
        yield Factor("relation", relation, formula)
    if hit.capped and product:
        yield Factor("cap", hit.score / product, "no hop passes a direct hit that is as good on every signal")


def _anchor(view: View, root: int, behind: Behind) -> int:
    """The event that recency counts from: the last causal feedback, else the memory's first text."""
    causal = [use.seq for use in behind.uses if use.weight >= 0.0]
    return causal[-1] if causal else _seq(view, root)


def _recent(view: View, behind: Behind) -> tuple[int, ...]:
    """The causal feedbacks in the velocity window."""
    window = round(view.beliefs.constants.velocity_window_days * DAY)
    clock = view.point.clock
    return tuple(use.seq for use in behind.uses if use.weight >= 0.0 and clock - window < use.recorded_at <= clock)


def _seq(view: View, ordinal: int) -> int:
    return int(view.beliefs.texts.table["seq"][ordinal])


def why_not(view: View, question: Question, root: int, reached: Mapping[int, int]) -> str:
    """Why a memory is not among the results, in one sentence.

    Args:
        view: The view.
        question: The question.
        root: The memory.
        reached: Rank (from 1) of every memory that a longer answer would hold.
    """
    from .visibility import holding, state

    beliefs = view.beliefs
    if root in reached:
        return f"it comes at rank {reached[root]}, beyond the limit of {question.limit}"
    if not holding(beliefs, view.point.clock, valid_at=question.valid_at, deep=question.deep)[root]:
        return (
            f"it is {state(beliefs, root, view.point.clock)}" if question.valid_at is None else "it did not hold then"
        )
    if not sight(view, question)[0][root]:
        return "the question's filters leave it out"
    lead = int(beliefs.memories.table["lead"][root])
    terms = _terms(view, question, lead, sight(view, question)[2])
    words = f"shares the words {', '.join(str(term['term']) for term in terms)}" if terms else "shares no word"
    if question.vector is None or view.vectors is None:
        return f"it {words} with the question"
    import numpy as np

    cosine = float(view.vectors.cosines(question.vector, np.array([lead]), seq=view.point.seq)[0])
    least = question.min_relevance
    if least is None:
        least = beliefs.constants.threshold(beliefs.fingerprint).min_relevance
    return f"its cosine {cosine:.3f} is compared with {least:g}, and it {words} with the question: no list admits it"
