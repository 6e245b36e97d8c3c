"""However the projections of a log came to be, they are those of one cold fold, by digest.

Applied twice or once, in runs of 1, 7 or all, published and opened again at any
places, under the constants and the embedders the log adopts.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import msgspec
import pytest
from helixlog.eventlog import events as ev
from helixlog.projections import catalog as catalogs
from helixlog.projections import generations
from helixlog.projections.catalog import Catalog
from hypothesis import given, settings
from hypothesis import strategies as st
from listed import ListLog, catalog
from production import snapshot
from strategies import random_log

CHANGING = {"adopt_constants": 3, "adopt_embedder": 3, "same": 5, "different": 5, "feedback": 20}
LATER = 40 * 86_400 * 10**9
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True, scope="module")
def _without_waiting_for_the_disk():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generations, "_sync", lambda _: None)
        yield


def state(found, log):
    """Everything that can be compared: digests, the beliefs word by word, and who carries which name."""
    terms = found.beliefs.texts.terms
    carriers = {name: found.beliefs.memories.carriers(code).tolist() for name, code in terms.codes.items()}
    return found.digests(), snapshot(found.beliefs, log[-1].recorded_at + LATER), carriers


def in_runs(log, run, monkeypatch):
    monkeypatch.setattr(catalogs, "BATCH", run)
    return state(catalog(log), log)


@pytest.mark.parametrize("seed", range(12))
def test_runs_of_any_length_give_the_same(seed, monkeypatch):
    log = random_log(Random(seed), 100, **CHANGING)
    assert in_runs(log, 1, monkeypatch) == in_runs(log, 7, monkeypatch) == in_runs(log, 1000, monkeypatch)


@pytest.mark.parametrize("seed", range(8))
def test_a_batch_applied_twice_counts_once(seed):
    log = random_log(Random(seed), 80, **CHANGING)
    made = catalog(log)
    once = state(made, log)
    for projection in (made.text, made.beliefs, *made._vectors.values()):
        projection.apply(log[20:])
        projection.apply(log)
    assert state(made, log) == once


def lived(log, places, root):
    """The projections of a log that grew, was published, left and opened again at these places."""
    growing = ListLog([])
    here, open_ = 0, None
    for there, publish, leave in places:
        growing.extend(log[here:there])
        here = there
        open_ = open_ or Catalog(root, growing)
        open_.sync()
        if publish:
            assert open_.publish()
        if leave:
            open_ = None
    growing.extend(log[here:])
    open_ = open_ or Catalog(root, growing)
    open_.sync()
    return open_


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.integers(5, 110), st.data())
def test_a_life_of_publishing_and_opening_equals_a_cold_rebuild(seed, size, data):
    log = random_log(Random(seed), size, erase=0, erase_other=0, **CHANGING)
    steps = data.draw(st.lists(st.tuples(st.integers(1, size), st.booleans(), st.booleans()), max_size=6))
    with tempfile.TemporaryDirectory() as folder:
        incremental = lived(log, sorted(steps), Path(folder))
        assert state(incremental, log) == state(catalog(log), log)
        assert incremental.publish()
        assert state(Catalog(Path(folder), ListLog(log)), log) == state(catalog(log), log)


def test_a_repeat_that_leaves_its_memory_while_a_batch_is_read_is_noticed(tmp_path):
    """Of 16 texts in one batch one is near a form whose repeat was split off within that batch."""
    log = random_log(Random(1943337), 74, erase=0, erase_other=0, **CHANGING)
    assert state(lived(log, [(21, False, False)], tmp_path), log) == state(catalog(log), log)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_published_is_used_and_not_folded_again(seed, tmp_path, monkeypatch):
    log = random_log(Random(seed), 90)
    assert catalog(log, tmp_path).publish()
    monkeypatch.setattr(Catalog, "_apply", lambda *_: pytest.fail("folded again"))
    assert state(catalog(log, tmp_path), log)[0]["text"]


def without(log, seq):
    """The log with another kind of event in the place of one."""
    return [msgspec.structs.replace(r, event=ev.SessionStarted(), id=None) if r.seq == seq else r for r in log]


@pytest.mark.parametrize("seed", range(6))
def test_digests_tell_different_beliefs_apart(seed):
    """Teeth: leave out one event that says something, and a digest differs."""
    log = random_log(Random(seed), 60)
    told = catalog(log).digests()
    for seq in [r.seq for r in log if isinstance(r.event, ev.MemoryStored)][:5]:
        left_out = catalog(without(log, seq)).digests()
        assert all(left_out[name] != told[name] for name in ("text", "ledger"))


def test_equal_constants_have_equal_digests_and_others_change_learning_alone():
    log = random_log(Random(3), 90, feedback=40, adopt_constants=0, prune=0)
    made = catalog(log)
    same = made.fold(len(log), made.beliefs.constants)
    other = made.fold(len(log), made.beliefs.constants.altered({"learning_rate": 0.4}))
    assert catalogs.digests(same) == catalogs.digests(made.beliefs)
    assert snapshot(other, log[-1].recorded_at)["edges"] == snapshot(same, log[-1].recorded_at)["edges"]
    assert snapshot(other, log[-1].recorded_at)["root_of"] == snapshot(same, log[-1].recorded_at)["root_of"]
    assert catalogs.digests(other)["effectiveness"] != catalogs.digests(same)["effectiveness"]
