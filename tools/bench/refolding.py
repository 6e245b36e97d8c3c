"""Learning alone: what a million feedbacks cost as they come, under other constants, and as of the past.

Ten feedbacks a memory, one exposure each, over half a year, on memories drawn by Zipf's law (at 100,000 the first one
has 8% of them). Cosines are drawn, so that three in ten are causes; a tenth say what was used. Contexts are 256 vectors
of 256 dimensions. No log is involved: contexts are read again from memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from harness import Figure, Samples, Setting, seconds
from helixlog.constants import DAY, Constants
from helixlog.eventlog.events import MemoryStored, Recorded
from helixlog.projections.effectiveness.exposures import UNSAID, UNUSED, USED, Context, Feedback, Shown
from helixlog.projections.effectiveness.learning import Effectiveness
from helixlog.projections.effectiveness.refold import Refolder
from helixlog.projections.effectiveness.store import SavedExposures
from helixlog.projections.ledger.texts import Texts
from helixlog.projections.projection import Checkpoint

FEEDBACK, DIMS, CONTEXTS = 10, 256, 256
FURTHER, VIEWS = 12, 12
CHAIN = bytes(32)
SETS = ("learning_rate", "erosion_rate", "outcome_partial", "decay_rate", "decay_after_days")
"""Constants that the further sets change."""


def refold(setting: Setting) -> Iterator[Figure]:
    """A million feedbacks (at 100,000) learned from: as they come, from saved columns, under other constants, as of."""
    size, count = setting.size, setting.size * FEEDBACK
    constants = Constants.seed()
    learned = Effectiveness(constants, texts_of(size), Contexts())
    learned.add(slice(0, size))
    yield seconds(f"{count:,} feedbacks learned from as they come", lambda: give(learned, size, count))
    point = Checkpoint(size + count, CHAIN, constants.digest())
    with tempfile.TemporaryDirectory(dir=setting.cache) as place:
        saved = SavedExposures(Path(place), 1, lambda _: CHAIN)
        yield seconds("their columns saved", lambda: saved.save(learned.exposures, point, learned.texts.labels))
        again = reopened(learned, saved, point)
        yield seconds("columns opened, every byte checked", again.exposures.load)
        folder: list[Refolder] = []

        def first() -> None:
            folder.append(Refolder(again))
            folder[0].fold(constants).state()

        yield seconds("first re-fold from saved columns", first, bar=0.3 if size == 100_000 else None)
        yield from further(folder[0], constants, size)
        yield from views(again, size, count)


def further(refolder: Refolder, constants: Constants, size: int) -> Iterator[Figure]:
    """More sets of constants, one after the other."""
    rng = np.random.default_rng(5)
    learning, reading = Samples(), Samples()
    for _ in range(FURTHER):
        changes = {name: getattr(constants, name) * float(rng.uniform(0.3, 1.0)) for name in SETS}
        made = learning.of(lambda changes=changes: refolder.fold(constants.altered(changes)))
        reading.of(made.uses)
    yield learning.figure("each further set of constants", bar=250.0 if size == 100_000 else None)
    yield reading.figure("... what was believed before every use")
    other = constants.altered({"causal": 0.45})
    yield seconds("a set with other causes, contexts read again", lambda: refolder.fold(other))


def views(learned: Effectiveness, size: int, count: int) -> Iterator[Figure]:
    """The table as of earlier events, each read for the first time."""
    for share in (0.9, 0.5, 0.1):
        samples = Samples()
        for turn in range(VIEWS):
            seq = size + int(count * share) + turn
            samples.of(lambda seq=seq: learned.as_of(seq, size).value(np.arange(size), seq))
        yield samples.figure(f"first view as of {share:.0%} of them", bar=300.0 if size == 100_000 else None)


def texts_of(size: int) -> Texts:
    """So many texts, a second apart."""
    texts = Texts()
    texts.add(
        [
            Recorded(seq=n, recorded_at=n * 10**9, clock=n * 10**9, id=f"m{n}", event=MemoryStored(text=f"text {n}"))
            for n in range(1, size + 1)
        ]
    )
    texts.labels.code("bench-0")
    return texts


class Contexts:
    """The contexts of the feedbacks, as a log would give them."""

    def __init__(self) -> None:
        drawn = np.random.default_rng(3).standard_normal((CONTEXTS, DIMS))
        units = (drawn / np.linalg.norm(drawn, axis=1)[:, None]).astype("<f2")
        self.all = [Context(unit.tobytes(), "<f2") for unit in units]

    def __call__(self, seqs: Sequence[int]) -> Iterable[Context]:
        """See `learning.Reader`."""
        return (self.all[seq % CONTEXTS] for seq in seqs)


def give(learned: Effectiveness, size: int, count: int) -> None:
    """Let the feedbacks come."""
    rng = np.random.default_rng(11)
    shares = 1.0 / np.arange(1, size + 1)
    roots = rng.permutation(size)[rng.choice(size, count, p=shares / shares.sum())]
    times = size * 10**9 + np.sort(rng.integers(0, 180 * DAY, count))
    similarity = rng.normal(0.4, 0.2, count).clip(-1.0, 1.0)
    said = rng.choice((UNSAID, UNUSED, USED), count, p=(0.9, 0.07, 0.03))
    outcome, contexts = rng.integers(0, 4, count), Contexts().all
    drawn = zip(roots.tolist(), times.tolist(), similarity.tolist(), said.tolist(), outcome.tolist(), strict=True)
    for seq, (root, time, cosine, word, label) in enumerate(drawn, size + 1):
        learned.show(Feedback(seq, time, label, 0, 0, contexts[seq % CONTEXTS]), [Shown(root, cosine, word, 0)])
    learned.flush()


def reopened(learned: Effectiveness, saved: SavedExposures, point: Checkpoint) -> Effectiveness:
    """What was learned as another process opens it: the columns are still on disk."""
    again = Effectiveness(learned.constants, learned.texts, learned.contexts)
    again.adopt(learned.table, learned.velocity_roots.values, learned.velocity_times.values, learned.centroids)
    again.exposures.start = point.seq
    again.exposures.earlier = lambda: saved.load(point, learned.texts.labels)
    return again
