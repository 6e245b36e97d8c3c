"""What is hidden takes no place in any list, however close it is: 200 hidden texts, and three further away."""

from __future__ import annotations

import pytest
from helixlog.constants import DAY
from helixlog.eventlog.events import (
    Draft,
    Exposure,
    FeedbackGiven,
    MembershipOverruled,
    MemoryForgotten,
    MemoryStored,
    MemorySuperseded,
    PruneTicked,
    Scope,
)
from msgspec.structs import replace

CLOSE = [f"Harbour crane {number} is painted" for number in range(200)]
FAR = ["Harbour crane Alpha is rusty", "Harbour crane Beta is rusty", "Harbour crane Gamma is rusty"]
BEST_FIRST = FAR[::-1]


def each(ids, event):
    return [event(one) for one in ids]


HIDING = {
    "another project": ({"scope": Scope(project="alpha")}, None, {"project": "beta"}),
    "another user": ({"scope": Scope(user="bob")}, None, {}),
    "another kind": ({"kind": "episode"}, None, {"kind": "fact"}),
    "another tag": ({"tags": ("old",)}, None, {"tags": ["new"]}),
    "suppressed": ({}, None, {}),
    "not yet valid": ({"valid_from": 2_000_000_000_000_000_000}, None, {}),
    "no longer valid": ({"valid_to": 1_700_000_000_000_000_000}, None, {}),
    "expired": ({"expires_at": 1_750_000_000_000_000_000 - DAY}, None, {}),
    "forgotten": ({}, lambda ids: each(ids, lambda one: MemoryForgotten(memory=one)), {}),
    "superseded": ({}, lambda ids: each(ids, lambda one: MemorySuperseded(old=one, new="")), {}),
    "low effectiveness": (
        {},
        lambda ids: [
            FeedbackGiven(outcome="blocked", exposures=tuple(Exposure(id=one, similarity=1.0) for one in ids))
        ],
        {"min_effectiveness": 0.5},
    ),
}


@pytest.mark.parametrize("words", ["harbour crane", "something else"])
@pytest.mark.parametrize("hidden_by", HIDING)
def test_the_hidden_starve_nobody(memory, told, store_all, shown, words, hidden_by):  # noqa: PLR0917 - fixtures
    fields, events, question = HIDING[hidden_by]
    hidden = store_all([told.at(text, 0.9) for text in CLOSE], **fields)
    scope = Scope(project="beta") if hidden_by == "another project" else Scope()
    seen = store_all([told.at(text, 0.4 + number / 100) for number, text in enumerate(FAR)], scope=scope, tags=("new",))
    if events is not None:
        newer = {"new": seen[-1]}
        memory.append([replace(one, **newer) if isinstance(one, MemorySuperseded) else one for one in events(hidden)])
    if hidden_by == "suppressed":
        question = {"suppress": hidden}
    assert shown(words, limit=3, **question) == BEST_FIRST
    assert shown(words, limit=3, exact=True, **question) == BEST_FIRST


def test_pruned_memories_starve_nobody(memory, told, store_all, shown, clock):
    hidden = store_all([told.at(text, 0.9) for text in CLOSE])
    exposures = tuple(Exposure(id=one, similarity=1.0) for one in hidden)
    memory.append([FeedbackGiven(outcome="blocked", exposures=exposures) for _ in range(4)])
    memory.append([PruneTicked(clock=clock())])
    store_all([told.at(text, 0.4 + number / 100) for number, text in enumerate(FAR)])
    assert shown("harbour crane", limit=3) == BEST_FIRST
    assert len(shown("harbour crane", limit=50, deep=True)) == 50


def test_only_the_leading_text_of_a_memory_is_ranked(memory, told, store_all, shown):
    """The other members are history: they take no place, and their words find nothing."""
    members = store_all([told.at(text, 0.9) for text in CLOSE[:120]])
    (longest,) = store_all([told.at("The quay of the old port was closed for good", 0.36)])
    memory.append([Draft(MembershipOverruled(verdict="same", first=longest, second=one)) for one in members])
    store_all([told.at(text, 0.4 + number / 100) for number, text in enumerate(FAR)])
    assert shown("harbour crane", limit=9) == [*BEST_FIRST, "The quay of the old port was closed for good"]
    assert isinstance(memory.body(0), MemoryStored)


def test_every_user_sees_the_statistics_of_what_they_may_see_alone(memory, told, store_all):
    """The score of a text does not tell how often its words stand in what the asker may not see."""
    store_all([told.at("The ledger of the vault is bound in leather", 0.1)], scope=Scope(visibility="shared"))
    store_all([told.at(text, 0.1) for text in FAR], scope=Scope(visibility="shared"))
    before = memory.recall("vault leather", user="eve", record=False)
    store_all([told.at(f"The vault {number} holds leather", 0.1) for number in range(50)], scope=Scope(user="bob"))
    after = memory.recall("vault leather", user="eve", record=False)
    assert [(one.id, one.score.hex()) for one in after.results] == [(one.id, one.score.hex()) for one in before.results]
    assert before.results
