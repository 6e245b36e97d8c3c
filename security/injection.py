"""Texts that give orders to a model that will read them."""

from __future__ import annotations

from .rule import Rule, Rules

_S = r"[\W_]{1,6}"
"""What stands between two words: a space, a line break, marks of emphasis."""

_ORDERS = r"(?:instructions?|rules?|prompts?|directions|directives?|guidelines|commands?)\b"

RULES = Rules(
    Rule(
        "ignore-earlier-orders",
        ("ignore", "disregard", "forget", "override"),
        rf"(?<![a-z])(?:ignore|disregard|forget|override){_S}(?:(?:all|any|every|the|your|my|of|these|those){_S}){{0,4}}"
        rf"(?:previous|prior|above|preceding|earlier|foregoing){_S}(?:(?:system|developer){_S})?{_ORDERS}",
    ),
    Rule(
        "ignore-orders",
        ("forget", "disregard", "override", "ignore"),
        rf"(?<![a-z])(?:(?:forget|disregard|override){_S}(?:(?:your|all|the){_S}){{1,3}}|ignore{_S}(?:(?:your|all){_S}){{1,3}})"
        rf"(?:(?:system|developer|safety){_S})?(?:context\b|{_ORDERS})",
    ),
    Rule(
        "new-identity",
        ("now",),
        rf"(?<![a-z])you{_S}are{_S}now{_S}(?:(?:an?{_S})?(?:new|different|my)\b|in{_S}(?:developer|dan|jailbreak|god|unrestricted){_S}mode)",
    ),
    Rule(
        "role-tag",
        ("<",),
        r"<\s{0,4}(?:system|instructions?|prompt)(?:[-_ ](?:prompt|message|reminder))?(?:\s[^<>]{0,200})?\s{0,4}/?>",
    ),
    Rule("chat-template", ("<|", "<<sys>>", "[inst]"), r"<\|(?:im_start|system|start_header_id)\|>|<<sys>>|\[inst\]"),
    Rule(
        "keep-from-user",
        ("tell",),
        rf"(?<![a-z])(?:do{_S}not|don'?t|never|without){_S}tell(?:ing)?{_S}(?:the|your){_S}(?:user|human)\b",
    ),
    Rule(
        "reveal-prompt",
        ("your",),
        rf"(?<![a-z])(?:reveal|print|output|show|repeat|leak){_S}(?:me{_S})?your{_S}(?:system|hidden|initial|original|secret){_S}"
        r"(?:prompt|instructions|message)\b",
    ),
)


def find_injection(lowered: str) -> str | None:
    """The name of an order to a model in a plain text in lower case, or None."""
    return RULES.first(lowered)
