"""Tags of events are written into logs for ever: none is renamed, none is used twice, none is taken back."""

from __future__ import annotations

import msgspec
from helixlog.eventlog import events as ev

PINNED = """
store_created constants_adopted embedder_adopted memories_reembedded memory_stored memory_superseded memory_restored
memory_forgotten memory_erased membership_overruled memory_annotated memory_reinforced memories_linked memories_unlinked
memories_recalled feedback_given decay_ticked prune_ticked expiry_ticked tier_ticked synthesis_ticked session_started
session_ended session_archived turn_recorded document_ingested chunks_stored document_removed block_edited
entity_declared category_declared profile_summarised content_rejected
"""
TAGS = PINNED.split()


def kinds():
    return [kind for kind in vars(ev).values() if isinstance(kind, type) and issubclass(kind, ev.Event)]


def test_the_tags_are_these():
    assert list(ev.EVENT_TYPES) == TAGS


def test_every_event_type_is_in_the_vocabulary_once():
    tags = [str(kind.__struct_config__.tag) for kind in kinds() if kind is not ev.Event]
    assert len(tags) == len(set(tags))
    assert set(tags) == {*TAGS, "unknown", "erased"}


def test_tags_say_what_happened_and_where_no_code_lives():
    assert all(tag.replace("_", "").isalpha() and tag.islower() for tag in TAGS)
    assert [tag for tag in TAGS if not tag.endswith(("ed", "given", "forgotten"))] == []


def test_events_are_frozen_and_named_alone():
    for kind in kinds():
        assert kind.__struct_config__.frozen, kind
        assert all(field.name for field in msgspec.structs.fields(kind))
        assert kind.version >= 1
