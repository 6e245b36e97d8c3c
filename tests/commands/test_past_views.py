"""A view of the past is read and never written."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory
from helixlog.errors import ReadOnlyView
from helixlog.recall.view import Point

VERBS = {
    "forget": (),
    "restore": (),
    "reinforce": (),
    "split": (),
    "supersede": ("Llamas eat straw",),
    "annotate": (),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_that_changes_something_is_refused(memory, verb):
    one = memory.store("Llamas eat hay")
    memory.at = Point(memory.eventlog.head.seq, memory.now())
    options = {"note": "x"} if verb == "annotate" else {}
    with pytest.raises(ReadOnlyView):
        getattr(Memory, verb)(memory, one.id, *VERBS[verb], **options)
    for tick in (memory.decay, memory.prune, memory.expire):
        with pytest.raises(ReadOnlyView):
            tick()
    memory.at = None
    assert memory.eventlog.head.seq == 2
