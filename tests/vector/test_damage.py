"""The files are a cache: harm is noticed, nothing wrong is ever answered."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from helixlog.errors import Corrupted
from helixlog.projections.vector import hnsw
from helixlog.projections.vector.index import VectorIndex
from vector_logs import OTHER, PRINT, built, clustered, texts_log

VECTORS = clustered(3000, 128, 5)
LOG = texts_log(VECTORS)
CHAIN = bytes(32)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zero_second_half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))


@pytest.fixture
def published(root):
    index = VectorIndex.open(root, PRINT)
    for stop in (2200, 3000):
        index.apply(LOG[:stop])
        assert index.publish(stop.to_bytes(32, "big"))
    return index


@pytest.mark.parametrize("harm", [Path.unlink, cut, zero_second_half])
def test_harm_to_any_file_is_noticed_and_a_rebuild_is_the_same(published, root, tmp_path, harm):
    digest = published.digest()
    files = [p for p in root.rglob("*") if p.is_file() and p.name not in {"lock", "CURRENT"}]
    current = [p for p in files if p.name == "manifest-00000002.json" or p.suffix == ".npy"]
    assert len(current) >= 13
    noticed = 0
    for victim in current:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(root, copy)
        before = (copy / victim.relative_to(root)).read_bytes()
        harm(copy / victim.relative_to(root))
        index = VectorIndex.open(copy, PRINT)
        changed = harm is not zero_second_half or before != (copy / victim.relative_to(root)).read_bytes()
        assert (index.seq == 0) == changed
        assert bool(index.problem) == changed
        noticed += changed
        index.apply(LOG)
        assert index.digest() == digest
        assert index.publish((3000).to_bytes(32, "big"))
        assert VectorIndex.open(copy, PRINT).digest() == digest
    assert noticed >= 10


@pytest.mark.usefixtures("published")
def test_swapped_segments_are_noticed(root):
    first, second = sorted(p.parent for p in root.rglob("matrix.npy"))[-2:]
    first.rename(root / "aside")
    second.rename(first)
    (root / "aside").rename(second)
    assert VectorIndex.open(root, PRINT).problem


@pytest.mark.usefixtures("published")
def test_the_index_of_another_embedder_is_noticed(root):
    old, new = (f"vector-{fingerprint}-v{VectorIndex.version}" for fingerprint in (PRINT, OTHER))
    (root / old).rename(root / new)
    assert VectorIndex.open(root, OTHER).problem


def test_an_older_copy_is_caught_up(published, root, tmp_path):
    old = tmp_path / "old"
    index = built(old, LOG[:1000])
    index.publish(CHAIN)
    shutil.rmtree(root)
    old.rename(root)
    index = VectorIndex.open(root, PRINT)
    assert index.checkpoint.seq == index.seq == 1000
    index.apply(LOG)
    assert index.digest() == published.digest()


@pytest.mark.usefixtures("published")
def test_a_generation_ahead_of_the_log_is_cleared_and_replaced(root):
    index = VectorIndex.open(root, PRINT)
    assert index.checkpoint.seq == 3000
    index.clear()
    index.apply(LOG[:2000])
    assert index.publish(CHAIN)
    again = VectorIndex.open(root, PRINT)
    assert (again.seq, again.digest()) == (2000, built(root.parent / "none", LOG[:2000]).digest())


def test_garbage_is_never_copied_into_a_new_segment(published, root):
    victim = max(root.rglob("matrix.npy"), key=lambda path: path.stat().st_size)
    with victim.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\xff" * 64)
    published.apply(texts_log(np.concatenate([VECTORS, VECTORS]))[3000:])
    with pytest.raises(Corrupted):
        published.publish(CHAIN)


def test_a_deleted_folder_is_published_again_from_what_is_open(published, root):
    shutil.rmtree(root)
    published.apply(texts_log(np.concatenate([VECTORS, VECTORS[:10]])))
    assert published.publish(CHAIN)
    assert VectorIndex.open(root, PRINT).digest() == published.digest()


@pytest.mark.usefixtures("published")
def test_a_publisher_behind_another_leaves_its_work_alone(root):
    late = VectorIndex.open(root.parent / "none", PRINT)
    late.apply(LOG[:500])
    late._home = VectorIndex.open(root, PRINT)._home
    assert late.publish(CHAIN)
    assert late.seq == 500
    assert VectorIndex.open(root, PRINT).seq == 3000


def test_two_publishers_of_one_log_share_segments(root):
    first, second = VectorIndex.open(root, PRINT), VectorIndex.open(root, PRINT)
    first.apply(LOG[:2200])
    second.apply(LOG[:2500])
    assert first.publish(CHAIN)
    assert second.publish(CHAIN)
    assert len(list(root.rglob("matrix.npy"))) == 2
    assert VectorIndex.open(root, PRINT).digest() == second.digest() == built(root.parent / "none", LOG[:2500]).digest()


def test_published_vectors_are_mapped_and_not_in_memory(published):
    assert len(published._fold.rows.matrix._tail) == 0


@pytest.mark.skipif(not hnsw.available(), reason="hnswlib is an extra")
@pytest.mark.parametrize("harm", [Path.unlink, cut, zero_second_half])
def test_a_damaged_graph_never_reaches_the_native_loader(published, root, monkeypatch, harm):
    assert published.build_graph(CHAIN)
    assert published.load_graph()
    harm(next(root.rglob("index.bin")))
    monkeypatch.setattr(hnsw, "_read", lambda *_: pytest.fail("the native loader was called"))
    fresh = VectorIndex.open(root, PRINT)
    assert fresh.seq == 3000
    assert not fresh.load_graph()


@pytest.mark.parametrize("fingerprint", ["a/b-1", "a_b-1", "A_b-1", "..", "x" * 300, "größe-1"])
def test_each_embedder_has_a_folder_of_its_own(root, fingerprint):
    index = VectorIndex.open(root, fingerprint)
    index.apply(texts_log(VECTORS[:1]))
    assert index.publish(CHAIN)
    index = VectorIndex.open(root, PRINT)
    index.apply(texts_log(VECTORS[:2]))
    assert index.publish(CHAIN)
    assert VectorIndex.open(root, fingerprint).seq == 1
    assert len({p.name.casefold() for p in root.iterdir()}) == len(list(root.parent.rglob("CURRENT"))) == 2
