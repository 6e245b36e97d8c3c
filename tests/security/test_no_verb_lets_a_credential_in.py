"""Every verb that writes, with a credential in each argument that takes words: refused, and nowhere afterwards."""

from __future__ import annotations

import inspect

import msgspec
import pytest
from helixlog.commands.memory import VERBS, Memory
from helixlog.errors import ContentRejected
from helixlog.eventlog import events as ev

TEXT = "The shop answers on port 8080"

WRITING = {
    "store": {
        **{one: {one: ...} for one in ("title", "kind", "uri", "quote", "user", "project", "session", "agent")},
        **{one: {one: ...} for one in ("container", "temporal_text", "timezone", "language", "key")},
        **{one: {one: [...]} for one in ("tags", "entities", "categories", "grants")},
        "text": {"text": ...},
        "metadata": {"metadata": {"name": ...}},
        "metadata, a name": {"metadata": {...: "value"}},
        "source": {"source": "user:..."},
        "source, a part": {"source": ev.Provenance(tool="...")},
        "relations": {"relations": [ev.Relation(relation="relates_to", target="FIRST", reason="...")]},
    },
    "supersede": {"text": {"text": ...}, "reason": {"text": TEXT, "reason": ...}, "key": {"text": TEXT, "key": ...}},
    "annotate": {
        **{one: {one: [...]} for one in ("add_tags", "remove_tags", "add_entities", "remove_entities")},
        **{one: {one: [...]} for one in ("add_categories", "remove_categories")},
        **{one: {one: ...} for one in ("pin", "note")},
        "key": {"note": "plain", "key": ...},
    },
    "feedback": {"context": {"context": ...}, "key": {"key": ...}},
    "reinforce": {"note": {"note": ...}, "key": {"key": ...}},
    "forget": {"reason": {"reason": ...}, "key": {"key": ...}},
    "merge": {"reason": {"reason": ...}, "key": {"key": ...}},
    "link": {"relation": {"relation": ...}, "reason": {"reason": ...}, "key": {"key": ...}},
    "unlink": {"reason": {"reason": ...}, "key": {"key": ...}},
}
"""By verb: what is written is what the argument holds. "..." stands for the credential."""

NEEDS_MORE = {"split", "restore", "decay", "prune", "expire", "reembed", "adopt"}
"""Their words are `reason`, `key` or likewise; what they need beforehand is made in the test below."""

READING = {
    *("as_of", "recall", "get", "count", "list", "history", "neighbors", "lineage", "explain", "log", "constants"),
    *("timeline", "diff", "tune", "replay", "stats", "health", "verify", "rebuild", "export", "backup"),
}
IDS_ALONE = {"erase"}
APART = {"import_"}
"""Imports leave out what others refuse: `test_imports_leave_it_out`."""

ARGUMENTS = {
    "supersede": lambda first, _: {"old": first},
    "annotate": lambda first, _: {"memory": first},
    "feedback": lambda first, _: {"outcome": "delivered", "ids": [first]},
    "reinforce": lambda first, _: {"memory": first},
    "forget": lambda first, _: {"memory": first},
    "merge": lambda first, second: {"first": first, "second": second},
    "link": lambda first, second: {"source": first, "target": second, "relation": "led_to"},
    "unlink": lambda first, second: {"source": first, "target": second},
    "store": lambda *_: {"text": TEXT},
}
NO_WORDS = {
    *("self", "args", "kwargs", "confidence", "shared", "valid_from", "valid_to", "expires_at", "observed_at"),
    *("event_start", "event_end", "origin", "prior", "salience", "file", "lines", "derived_from", "options"),
    *("old", "by", "memory", "memories", "source", "target", "recall_id", "outcome", "ids", "used", "weight", "clear"),
    *("user", "first", "second", "into", "relation", "dry_run", "causal"),
}
"""Arguments that take ids, times, numbers or one of a few words."""


def filled(value, word):
    """A value with the credential where "..." stands."""
    if value is ... or value == "...":
        return word
    if isinstance(value, str):
        return value.replace("...", word)
    if isinstance(value, list):
        return [filled(one, word) for one in value]
    if isinstance(value, dict):
        return {filled(name, word): filled(one, word) for name, one in value.items()}
    if isinstance(value, msgspec.Struct):
        return type(value)(**{name: filled(one, word) for name, one in msgspec.structs.asdict(value).items()})
    return value


def named(value, first):
    """A value with an id where FIRST stands."""
    if isinstance(value, list):
        return [named(one, first) for one in value]
    if isinstance(value, ev.Relation):
        return msgspec.structs.replace(value, target=first)
    return value


def test_every_verb_is_accounted_for():
    assert set(VERBS) == {*WRITING, *NEEDS_MORE, *READING, *IDS_ALONE, *APART}


@pytest.mark.parametrize("verb", WRITING)
def test_every_argument_that_takes_words_is_tried(verb):
    tried = {name for call in WRITING[verb].values() for name in call}
    left = set(inspect.signature(getattr(Memory, verb)).parameters) - tried - NO_WORDS
    assert left == set()


@pytest.mark.parametrize(("verb", "which"), [(verb, which) for verb, calls in WRITING.items() for which in calls])
def test_a_credential_is_refused_and_nowhere(  # noqa: PLR0917 - fixtures
    memory, canary, spy, leaks, capfd, verb, which
):
    first, second = (memory.store(text).id for text in ("The shop closes at nine", "Deploys are on Mondays"))
    if verb == "unlink":
        memory.link(first, second, relation="led_to")
    head = memory.eventlog.head.seq
    call = {name: filled(named(value, first), canary) for name, value in WRITING[verb][which].items()}
    with pytest.raises(ContentRejected) as caught:
        getattr(memory, verb)(**(ARGUMENTS[verb](first, second) | call))
    error = caught.value
    assert (error.code, error.exit_code) == ("content_rejected", 4)
    assert canary not in f"{error} {error!r} {error.__cause__!r} {error.__context__!r}"
    events = list(memory.eventlog.read(head + 1))
    assert [type(one.event) for one in events] == [ev.ContentRejected]
    assert (events[0].event.category, events[0].event.length_band) == ("credential_specific", "<100")
    assert not any(canary in text for text in spy.seen)
    memory.catalog.publish(lasting=True)
    memory.close()
    assert leaks(canary) == []
    assert canary not in "".join(capfd.readouterr())


@pytest.mark.parametrize("verb", sorted(NEEDS_MORE))
def test_the_key_of_the_others(memory, canary, leaks, verb):
    first = memory.store("The shop closes at nine").id
    second = memory.store("The shop closes at nine").text_id
    calls = {
        "split": lambda: memory.split(second, reason=canary),
        "restore": lambda: (memory.forget(first), memory.restore(first, reason=canary)),
        "reembed": lambda: memory.reembed("none", reason=canary),
        "adopt": lambda: memory.adopt(changes={"DUPLICATE": 0.93}, reason=canary),
    }
    with pytest.raises(ContentRejected):
        calls.get(verb, lambda: getattr(memory, verb)(key=canary))()
    memory.close()
    assert leaks(canary) == []


def test_who_acts_is_looked_at_too(tmp_path, canary, leaks):
    from helixlog.commands.opened import Actor

    with (
        Memory(tmp_path / "store", embedder="none", actor=Actor(session_id=canary)) as memory,
        pytest.raises(ContentRejected),
    ):
        memory.store(TEXT)
    assert leaks(canary) == []


def test_the_owner_of_a_new_store_is_looked_at_too(tmp_path, canary, leaks):
    with pytest.raises(ContentRejected):
        Memory(tmp_path / "store", embedder="none", owner=canary)
    assert leaks(canary) == []


def test_without_the_gate_the_credential_is_stored(memory, canary, leaks, monkeypatch):
    """The tests above see what they look for."""
    from helixlog.commands import screening

    monkeypatch.setattr(screening, "scan", lambda *_, **__: None)
    memory.store(f"use {canary}", tags=[canary])
    memory.close()
    assert leaks(canary)


@pytest.mark.parametrize("verb", ["store", "link", "annotate"])
def test_the_gate_before_the_log_holds_where_a_verb_forgets_its_own(memory, canary, leaks, monkeypatch, verb):
    from helixlog.commands.opened import OpenStore

    monkeypatch.setattr(OpenStore, "refuse_unfit", lambda *_: None)
    first, second = (memory.store(text).id for text in ("The shop closes at nine", "Deploys are on Mondays"))
    calls = {
        "store": lambda: memory.store(canary),
        "link": lambda: memory.link(first, second, relation="led_to", reason=canary),
        "annotate": lambda: memory.annotate(first, note=canary),
    }
    with pytest.raises(ContentRejected):
        calls[verb]()
    assert isinstance(memory.event(memory.eventlog.head.seq).event, ev.ContentRejected)
    memory.close()
    assert leaks(canary) == []
