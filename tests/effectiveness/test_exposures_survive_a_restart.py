"""Exposures that were saved, in however many segments, serve as those just folded; lost ones are made anew."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from helixlog.constants import Constants
from helixlog.projections import generations
from helixlog.projections.catalog import Catalog
from helixlog.projections.digests import digests
from helixlog.projections.effectiveness.refold import Refolder
from helixlog.projections.projection import Checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_logs import busy_log, learned
from listed import ListLog, catalog

SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True, scope="module")
def _without_waiting_for_the_disk():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generations, "_sync", lambda _: None)
        yield


def published(log, places, root: Path) -> Catalog:
    """A store that was opened, grew and was published at each of these places, and is opened once more."""
    growing = ListLog([])
    for first, last in zip([0, *places], [*places, len(log)], strict=True):
        growing.extend(log[first:last])
        opened = Catalog(root, growing)
        opened.sync()
        assert opened.publish()
    return Catalog(root, growing)


def past(found: Catalog, log, n):
    then = found.believed(n, found.beliefs.constants)
    return digests(then)["effectiveness"], learned(then, log[n - 1].recorded_at)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(10, 110), st.data())
def test_the_past_and_other_constants_are_those_of_a_cold_fold(tmp_path_factory, seed, size, data):
    log = busy_log(Random(seed), size)
    places = sorted(data.draw(st.sets(st.integers(1, size - 1), max_size=6)))
    warm, cold = published(log, places, tmp_path_factory.mktemp("store")), catalog(log)
    n = data.draw(st.integers(1, size))
    assert past(warm, log, n) == past(cold, log, n)
    assert past(warm, log, n) == past(catalog(log[:n]), log, n)
    other = Constants.seed().altered({"learning_rate": 0.7, "causal": 0.3})
    tables = [Refolder(found.beliefs.effectiveness).fold(other).state().table for found in (warm, cold)]
    for name in ("effectiveness", "settled", "anchor", "uses", "hits", "spread"):
        assert tables[0][name].tobytes() == tables[1][name].tobytes(), name


def rows_of(found: Catalog) -> int:
    found.beliefs.effectiveness.exposures.load()
    return len(found.beliefs.effectiveness.exposures)


def test_publishing_writes_what_is_new(tmp_path):
    log = busy_log(Random(4), 400)
    published(log, [250, 380, 390], tmp_path)
    sizes = [len(list(place.iterdir())) for place in tmp_path.glob("exposures-v*/*-0")]
    assert len(sizes) > 1
    assert rows_of(Catalog(tmp_path, ListLog(log))) == rows_of(catalog(log)) > 100


@pytest.mark.parametrize("n", [1, 60, 119])
def test_lost_exposures_change_no_answer_and_come_back(tmp_path, n):
    log = busy_log(Random(9), 120)
    found = published(log, [70], tmp_path)
    told = past(catalog(log), log, n)
    for room in tmp_path.glob("exposures-v*"):
        shutil.rmtree(room)
    again = Catalog(tmp_path, ListLog(log))
    assert past(again, log, n) == told
    assert again.publish() or again.beliefs.seq == found.beliefs.seq
    assert rows_of(Catalog(tmp_path, ListLog(log))) == rows_of(catalog(log))


def test_exposures_ahead_of_the_beliefs_are_cut(tmp_path):
    """A crash between the two leaves exposures of events that the saved beliefs do not know."""
    log = busy_log(Random(11), 120)
    published(log[:80], [], tmp_path)
    ahead = Catalog(tmp_path, ListLog(log))
    ahead.sync()
    learned_of = ahead.beliefs.effectiveness
    learned_of.flush()
    point = Checkpoint(120, ListLog(log).chain_at(120), ahead.beliefs.constants.digest())
    assert ahead._saved._exposures.save(learned_of.exposures, point, ahead.beliefs.texts.labels)
    behind = Catalog(tmp_path, ListLog(log))
    assert behind.beliefs.seq == 80
    behind.sync()
    for n in (40, 80, 100, 120):
        assert past(behind, log, n) == past(catalog(log), log, n)
