"""A rule: words one of which has to be there, and the expression that is searched for only then.

Most texts hold none of the words, so most expressions are never searched, nor
even compiled. Every expression takes time linear in the text: repetitions are
bounded, or cannot begin again inside what they have passed over.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import NamedTuple


class Rule(NamedTuple):
    """A pattern by its name, the words without which it cannot match, its expression; `judge` has the last word."""

    name: str
    words: tuple[str, ...]
    expression: str
    judge: Callable[[re.Match[str]], bool] | None = None

    def finds(self, text: str) -> bool:
        """Whether the pattern is in the text."""
        pattern = compiled(self.expression)
        if self.judge is None:
            return pattern.search(text) is not None
        return any(map(self.judge, pattern.finditer(text)))


class Rules:
    """Several rules, by each of their words."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules
        self._by_word = tuple((word, rule) for rule in rules for word in rule.words)

    def first(self, text: str) -> str | None:
        """The name of the first rule that finds something, or None."""
        for word, rule in self._by_word:
            if word in text and rule.finds(text):
                return rule.name
        return None


@functools.cache
def compiled(expression: str) -> re.Pattern[str]:
    """The expression, compiled when it is first searched for."""
    return re.compile(expression)
