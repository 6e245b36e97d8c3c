"""The memories that fit a question, whatever their state: what was ever believed about it."""

from __future__ import annotations

import numpy as np

from ..recall.candidates import Cosines, Lists
from ..recall.question import Question
from ..recall.scoring import fuse
from ..recall.view import View
from ..recall.visibility import Mask, counted


def matching(view: View, question: Question, allowed: Mask) -> list[int]:
    """Roots of the memories that pass the gate of a recall, best by fused rank first; of equals the newer.

    Neither effectiveness nor recency counts: they are those of today.

    Args:
        view: Where it is asked.
        question: What is asked, by whom, and how many memories at most; its filters are not read.
        allowed: Roots that may be answered with; bool by ordinal.
    """
    leads = np.zeros(view.texts, np.bool_)
    leads[view.beliefs.memories.table["lead"][np.flatnonzero(allowed)]] = True
    lists = Lists(view, question, leads, counted(view.beliefs, question.asker), Cosines(view, question)).all()
    texts, rrf = fuse(lists, view.beliefs.constants)
    found = view.beliefs.memories.table["root"][texts].astype(np.int64)
    result: list[int] = found[np.lexsort((-found, -rrf))[: question.limit]].tolist()
    return result
