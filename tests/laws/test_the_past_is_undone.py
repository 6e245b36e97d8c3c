"""Beliefs at an earlier event are today's with every later change undone, and what only learning reads is learned anew.

Both equal a fold from the first event, to the bit and by digest, and neither folds.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helixlog.constants import Constants
from helixlog.eventlog import events as ev
from helixlog.projections.digests import digests
from helixlog.projections.history import Cells, History
from helixlog.projections.relearning import Relearned, adopted
from hypothesis import given, settings
from hypothesis import strategies as st
from production import Production, snapshot
from strategies import EPOCH, FINGERPRINTS, SUBJECTS, floor_of, random_constants, random_log

CHANGING = {"supersede": 6, "same": 5, "different": 5, "forget": 5, "restore": 5, "prune": 8, "adopt_embedder": 4}
BASE = Constants()


def log_of(seed, size=110):
    return random_log(Random(seed), size, **(CHANGING if seed % 2 else {}))


def learning(rng, log):
    """Random constants that place texts as `BASE` does."""
    values, base = random_constants(rng, floor_of(log)).as_dict(), BASE.as_dict()
    for name in ("max_links", "salience_initial", "salience_step"):
        values[name] = base[name]
    for name, row in values["thresholds"].items():
        row.update(duplicate=BASE.threshold(name).duplicate, related=BASE.threshold(name).related)
    return Constants.from_dict(values)


def same(then, fold, time):
    assert snapshot(then, time) == snapshot(fold, time)
    assert digests(then) == digests(fold)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 7, 40, 1_000]), st.data())
def test_an_earlier_point_is_the_fold_of_its_events(seed, batch, data):
    log = log_of(seed)
    n = data.draw(st.integers(1, len(log)))
    whole = Production(log, BASE, batch=batch)
    same(whole.beliefs.as_of(n), Production(log[:n], BASE).beliefs, log[n - 1].recorded_at)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.data())
def test_other_constants_of_learning_are_the_fold_under_them(seed, data):
    log = log_of(seed)
    constants = learning(Random(seed), log)
    assert constants.places_as(BASE)
    n = data.draw(st.integers(1, len(log)))
    whole = Production(log, BASE)
    same(Relearned(whole.beliefs, constants).at(n), Production(log[:n], constants).beliefs, log[n - 1].recorded_at)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.data())
def test_constants_put_in_force_later_are_those_of_the_whole_log(seed, data):
    log = log_of(seed)
    constants = learning(Random(seed), log)
    n, then = data.draw(st.integers(1, len(log))), data.draw(st.integers(1, len(log)))
    whole = Production(log, BASE, stop=n)
    whole.beliefs = adopted(whole.beliefs, constants)
    whole.beliefs.apply(log)
    same(whole.beliefs, Production(log, constants).beliefs, log[-1].recorded_at)
    same(whole.beliefs.as_of(then), Production(log[:then], constants).beliefs, log[then - 1].recorded_at)


def test_what_waits_while_other_causes_come_into_force_is_learned_from():
    """A memory of many contexts was a cause once more, became part of another and left it, before anybody looked."""

    def used(angle, similarity):
        row = np.array([np.cos(angle), np.sin(angle)], "<f2").tobytes()
        context = ev.Vectors(fingerprint=FINGERPRINTS[0], dims=2, rows=(row,))
        shown = (ev.Exposure(id="m3", similarity=similarity),)
        return ev.FeedbackGiven(
            outcome="delivered", exposures=shown, fingerprint=FINGERPRINTS[0], context_vector=context
        )

    events = [
        ev.StoreCreated(store_id="s1", tenant="t1", format=1, constants=BASE.as_dict(), fingerprint=FINGERPRINTS[0]),
        *(ev.MemoryStored(text=text) for text in SUBJECTS[:2]),
        *(used(angle, similarity) for angle, similarity in ((0.1, 0.95), (0.4, 0.7), (0.9, 0.95), (0.5, 0.95))),
        ev.MembershipOverruled(verdict="same", first="m2", second="m3"),
        ev.MembershipOverruled(verdict="different", first="m3"),
        used(0.3, 0.95),
    ]
    log = [
        ev.Recorded(seq=seq, recorded_at=EPOCH + seq, clock=EPOCH + seq, id=f"m{seq}", event=event)
        for seq, event in enumerate(events, 1)
    ]
    stricter = BASE.altered({"causal": 0.9})
    whole = Production(log, BASE, stop=6)
    whole.beliefs = adopted(whole.beliefs, stricter)
    whole.beliefs.apply(log)
    same(whole.beliefs, Production(log, stricter).beliefs, log[-1].recorded_at)


def test_a_view_of_the_past_stays_as_it_was_while_the_log_goes_on():
    log = log_of(7, 160)
    begun = Production(log, BASE, stop=80)
    then = begun.beliefs.as_of(60)
    before = snapshot(then, log[59].recorded_at)
    begun.beliefs.apply(log[80:])
    assert snapshot(then, log[59].recorded_at) == before


def unnoted(cells, name, row, value):
    cells.table[name][row] = value


def without_values(history, name, *entry, noted=History.entry):
    if name != "values":
        noted(history, name, *entry)


@pytest.mark.parametrize("safety", [(Cells, "put", unnoted), (History, "entry", without_values)])
def test_a_change_that_leaves_no_note_would_be_noticed(monkeypatch, safety):
    """Teeth: without the notes the past is not what it was."""
    monkeypatch.setattr(*safety)
    differing = 0
    for seed in range(1, 9, 2):
        log = log_of(seed)
        whole, part = Production(log, BASE), Production(log[:50], BASE)
        differing += digests(whole.beliefs.as_of(50)) != digests(part.beliefs)
    assert differing


def test_the_law_is_not_kept_by_nothing_having_changed():
    """Between the points of these logs memories are merged, superseded, hidden, linked and learned of."""
    changed = set()
    for seed in range(1, 7, 2):
        log = log_of(seed)
        now, then = Production(log, BASE).beliefs, Production(log[:50], BASE).beliefs
        changed |= {name for name, value in digests(now.as_of(50)).items() if value != digests(now)[name]}
        table, was = now.memories.table, then.memories.table
        changed |= {name for name in was.schema if (table[name][: len(was)] != was[name]).any()}
    assert changed >= {"ledger", "effectiveness", "graph", "root", "lead", "pruned", "superseded", "forgotten"}
