"""Whoever publishes, and however often: no belief and no answer of today or of the past depends on it.

A process that lives long catches up, publishes and asks about the past in any
order, while others open the same store, publish as well, are held up, or die in
the middle. What it says is what a store says that was made of the log at once.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from asking import ask, bits, embedders, ids_of, question, store_of
from helixlog.commands.opened import OpenStore
from helixlog.errors import Corrupted
from helixlog.projections import catalog as catalogs
from helixlog.projections import generations
from helixlog.projections.catalog import Catalog
from helixlog.projections.digests import digests
from helixlog.projections.effectiveness import learning
from helixlog.projections.generations import Generations
from helixlog.projections.ledger import membership, texts
from helixlog.projections.saved import ROOMS, VERSION
from helixlog.projections.text import index as words
from helixlog.projections.text.accelerator import Threshold
from helixlog.projections.text.index import TextIndex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from listed import ListLog, catalog
from strategies import random_log

CHANGING = {"adopt_constants": 1.5, "adopt_embedder": 1.5, "same": 5, "different": 5, "feedback": 20, "annotate": 8}
HANDLES = 3
LOWERED = (
    (words, "LONGEST_TAIL", 3),
    (words, "INDEXED_FROM", 2),
    (learning, "MOST_FRESH", 9),
    (membership, "WORTH_IT", 3),
    (membership, "WORTH_KEEPING", 2),
    (texts, "MOST_KNOWN", 3),
    (catalogs, "BODIES", 5),
    (TextIndex, "accelerated_from", Threshold(1, 1)),
)
"""Limits that logs as short as these do not reach."""


class CutError(Exception):
    """The process would have died here."""


@pytest.fixture(autouse=True, scope="module")
def _small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generations, "_sync", lambda _: None)
        for where, name, value in LOWERED:
            patch.setattr(where, name, value)
        yield


class Told:
    """A log, and what a store says that holds its first events and nothing else."""

    def __init__(self, seed: int, size: int) -> None:
        self.log = random_log(Random(seed), size, **(CHANGING if seed % 2 else {}))
        self.known = embedders(self.log)
        self.cold = cache(self._cold)
        self.believed = cache(self._believed)

    def _cold(self, n: int) -> dict[str, str]:
        return catalog(self.log[:n]).digests()

    def _believed(self, n: int, now: int) -> dict[str, str]:
        """At an event, under the constants in force at a later one."""
        made = catalog(self.log[:n])
        return digests(made.fold(n, catalog(self.log[:now]).beliefs.constants))

    def answers(self, n: int, seed: int) -> object:
        clock = self.log[n - 1].recorded_at
        return self._asked(store_of(self.log[:n], clock, self.known), n, seed)

    def _asked(self, store: OpenStore, n: int, seed: int, **more: object) -> object:
        rng, clock = Random(seed), self.log[n - 1].recorded_at
        return [bits(ask(store, question(rng, ids_of(self.log[:n]), clock), **more)) for _ in range(2)]

    def answered(self, store: OpenStore, n: int, seed: int) -> object:
        return self._asked(store, n, seed, as_of=f"@{n}")


class Life:
    """Several handles of one store."""

    def __init__(self, told: Told, folder: Path) -> None:
        self.told, self.folder, self.root = told, folder, folder / "projections"
        self.log = ListLog(told.log[:1])
        self.lost = False
        self.reached: dict[str, int] = {}
        self.open = [self.fresh() for _ in range(HANDLES)]

    def fresh(self) -> OpenStore:
        clock = self.told.log[-1].recorded_at
        store = OpenStore(self.folder, self.log, clock=lambda: clock)
        for embedder in self.told.known:
            store.use_embedder(embedder)
        return store

    # -- what may happen ---------------------------------------------------------

    def grow(self, _who: int, number: int) -> None:
        size = (1, 1, 2, 3, 5, 8, 20, 50)[number % 8]
        head = self.log.head.seq
        self.log.extend(self.told.log[head : head + size])

    def sync(self, who: int, number: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(catalogs, "BATCH", (1, 4, 2_000)[number % 3])
            self.open[who].catalog  # noqa: B018 - it catches up

    def publish(self, who: int, number: int) -> None:
        """At the head, or where the process has last looked."""
        self.sync(who, number // 4) if number % 4 else None
        held = self.open[who]._catalog
        if held is not None and held.beliefs.seq:
            with self.dropping(who):
                assert held.publish(lasting=number % 3 == 0)
            self.whole()

    @contextlib.contextmanager
    def dropping(self, who: int) -> Iterator[None]:
        """Who sees that files were lost and written anew makes its projections anew, as `OpenStore` does."""
        try:
            yield
        except Corrupted:
            assert self.lost
            self.open[who].drop_projections()

    def publish_held_up(self, who: int, number: int) -> None:
        """Another process is writing one of the projections."""
        held = self.open[who].catalog
        places = self.places()
        if places:
            with places[number % len(places)].publishing() as publisher:
                assert publisher is not None
                with self.dropping(who):
                    held.publish()  # whether it is done depends on whether it has anything to write there
            self.whole()

    def publish_and_die(self, who: int, number: int) -> None:
        """And a process that will be there in its place."""
        left = iter(range(number % 60))

        def sync(_path: Path) -> None:
            if next(left, None) is None:
                raise CutError

        held = self.open[who].catalog
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(CutError), self.dropping(who):
            patch.setattr(generations, "_sync", sync)
            held.publish()
        self.open[who] = self.fresh()

    def leave(self, who: int, _number: int) -> None:
        self.open[who] = self.fresh()

    def lose(self, _who: int, number: int) -> None:
        """The folder of one projection."""
        places = self.places()
        if places and number % 2:
            self.lost = True
            shutil.rmtree(places[number // 2 % len(places)].path)

    def today(self, who: int, _number: int) -> None:
        held = self.open[who].catalog
        assert held.digests() == self.told.cold(self.log.head.seq)

    def past(self, who: int, number: int) -> None:
        held = self.open[who].catalog
        head = held.beliefs.seq
        n = 1 + number % head
        then = digests(held.believed(n, held.constants_at(n)))
        assert then.items() <= self.told.cold(n).items()
        assert digests(held.believed(n, held.beliefs.constants)) == self.told.believed(n, head)

    def question(self, who: int, number: int) -> None:
        n = 1 + number % self.log.head.seq
        assert self.told.answered(self.open[who], n, number) == self.told.answers(n, number)

    # -- what is on disk ---------------------------------------------------------

    def places(self) -> list[Generations]:
        found = [path.name.rpartition("-v") for path in sorted(self.root.glob("*-v*"))]
        return [Generations(self.root, name, int(version)) for name, _, version in found]

    def whole(self) -> None:
        """Of every projection what is published can be used, covers each event once, and is no older than before."""
        for place in self.places():
            manifest = place.load()
            assert place.problem is None, place.problem
            if manifest is not None:
                covered(place.name, manifest)
                assert self.lost or manifest.seq >= self.reached.get(place.name, 0), place.name
                self.reached[place.name] = manifest.seq

    def end(self) -> None:
        """Everything once more, of the handles and of a process that has just begun."""
        rest = self.log.head.seq
        self.log.extend(self.told.log[rest:])
        self.open += [self.fresh()]
        points = (0, rest // 3, rest - 1)
        for who in range(len(self.open)):
            self.today(who, 0)
            for number in points:
                self.past(who, number)
        self.question(0, rest // 2)
        self.publish(0, 1)
        self.open = [self.fresh()]
        self.today(0, 0)
        for number in points:
            self.past(0, number)


def covered(name: str, manifest: generations.Manifest) -> None:
    segments = manifest.segments
    if segments:
        assert segments[0].first_seq == max(1, int(segments[0].meta.get("start") or 0)), (name, segments[0])
        assert segments[-1].last_seq <= manifest.seq
    for earlier, later in pairwise(segments):
        assert later.first_seq == earlier.last_seq + 1, (name, segments)
    for segment in segments:
        assert segment.first_seq <= segment.last_seq, (name, segment)


EVENTS = ("grow",) * 4 + ("sync",) + ("publish",) * 4 + ("publish_held_up", "publish_and_die", "leave", "lose")
CHECKS = ("past", "past", "question", "today")
STEPS = st.lists(
    st.tuples(st.sampled_from(EVENTS + CHECKS), st.integers(0, HANDLES - 1), st.integers(0, 2**16)),
    min_size=3,
    max_size=40,
)


@contextlib.contextmanager
def life(seed: int, size: int) -> Iterator[Life]:
    with tempfile.TemporaryDirectory() as folder:
        yield Life(Told(seed, size), Path(folder) / "store")


SEEDS, SIZES = st.integers(0, 2**32 - 1), st.integers(20, 140)


@settings(deadline=None, max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(SEEDS, SIZES, STEPS)
def test_no_belief_and_no_answer_depends_on_who_published_what(seed, size, steps):
    with life(seed, size) as lived:
        for what, who, number in steps:
            getattr(lived, what)(who, number)
        lived.end()


@pytest.mark.long
@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(SEEDS, SIZES, STEPS)
def test_nor_in_many_more_lives(seed, size, steps):
    test_no_belief_and_no_answer_depends_on_who_published_what.hypothesis.inner_test(seed, size, steps)


def catalog_of(log: ListLog, root: Path, run: int = 2_000) -> Catalog:
    """A process that catches up with so many events at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogs, "BATCH", run)
        made = Catalog(root, log)
        made.sync()
    return made


def names_of(made: Catalog) -> list[list[str]]:
    return [names.names for names in (made.beliefs.texts.terms, made.beliefs.texts.labels)]


@pytest.mark.parametrize("seed", [1, 3, 5, 15])
def test_names_may_have_other_numbers_in_another_process(seed, tmp_path):
    told, log = Told(seed, 120), ListLog([])
    log.extend(told.log[:100])
    first, second = catalog_of(log, tmp_path, run=1), catalog_of(log, tmp_path)
    assert names_of(first) != names_of(second)
    assert first.publish()
    log.extend(told.log[100:])
    second.sync()
    assert second.publish()
    third = Catalog(tmp_path, log)
    assert not third.beliefs.start
    for n in range(10, 121, 10):
        assert digests(third.believed(n, third.constants_at(n))).items() <= told.cold(n).items()


def test_who_is_behind_never_takes_back_what_another_published(tmp_path):
    told, log = Told(3, 120), ListLog([])
    log.extend(told.log[:60])
    behind = catalog_of(log, tmp_path)
    log.extend(told.log[60:])
    assert catalog_of(log, tmp_path).publish()
    for _ in range(2):
        assert behind.publish()
        assert Catalog(tmp_path, log).beliefs.seq == Catalog(tmp_path, log).text.seq == 120
    behind.sync()
    assert behind.publish()
    assert Catalog(tmp_path, log).digests() == told.cold(120)


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_are_published_together_or_not_at_all(room, tmp_path):
    told, log = Told(5, 120), ListLog([])
    log.extend(told.log[:60])
    assert catalog_of(log, tmp_path).publish()
    log.extend(told.log[60:])
    later = catalog_of(log, tmp_path)
    with Generations(tmp_path, room, VERSION).publishing() as other:
        assert other is not None
        assert not later.publish()
    assert Catalog(tmp_path, log).beliefs.seq == 60
