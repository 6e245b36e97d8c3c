"""A small projection's worth of generations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helixlog.projections.generations import Generations, Manifest
from helixlog.projections.projection import Checkpoint

BIG = 200_000


def point(seq: int) -> Checkpoint:
    return Checkpoint(seq=seq, chain=seq.to_bytes(32, "big"))


class Shelf:
    """Publishes toy generations of one big array, one small array, a blob and a tree."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def open(self) -> Generations:
        return Generations(self.root, "toy", 1)

    def publish(self, seq: int, *, keep: bool = True, generations: Generations | None = None) -> Manifest:
        generations = generations or self.open()
        with generations.publishing() as publisher:
            assert publisher is not None
            old = generations.load() if keep else None
            before = old.segments if old else ()
            new = publisher.segment(
                {
                    "big": np.arange(seq, seq + BIG),
                    "small": [np.full((2, 3), seq, np.float32), np.ones((1, 3), np.float32)],
                },
                {"blob": f"blob {seq}".encode()},
                first_seq=before[-1].last_seq + 1 if before else 1,
                last_seq=seq,
                meta={"rows": BIG},
                trees={"tree": lambda path: (path / "leaf").write_bytes(b"leaf %d" % seq) and None},
            )
            return publisher.commit(point(seq), (*before, new))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)
