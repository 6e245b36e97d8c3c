"""A projection may be cut, garbled or deleted at any time; it then starts empty and is folded again."""

import random
import shutil

import pytest
from helixlog.projections.text.index import TextIndex

TEXTS = [f"word{k % 17} common {'other ' * (k % 3)}" for k in range(40)]


@pytest.fixture
def published(kit, tmp_path):
    kit.index(TEXTS, tmp_path).publish(bytes(32))
    return tmp_path


def files(root):
    return sorted(path for path in root.rglob("*") if path.is_file() and path.name != "lock")


def damage(path, how, chance):
    data = bytearray(path.read_bytes())
    if how == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif how == "flip":
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
    elif how == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()


@pytest.mark.parametrize("how", ["cut", "flip", "empty", "delete"])
def test_any_damaged_file_means_starting_over(kit, published, how):
    whole = kit.index(TEXTS)
    copy = published.with_name("copy")
    for k, name in enumerate(path.relative_to(published) for path in files(published)):
        if (published / name).stat().st_size == 0:
            continue
        shutil.copytree(published, copy)
        damage(copy / name, how, random.Random(k))
        index = TextIndex.open(copy)
        assert index.seq == 0, name
        index.apply(kit.log(TEXTS))
        assert index.digest() == whole.digest()
        assert index.publish(bytes(32))
        assert TextIndex.open(copy).digest() == whole.digest()
        shutil.rmtree(copy)


def test_undamaged_files_do_open(published):
    assert TextIndex.open(published).seq == len(TEXTS)


def test_nothing_on_disk_is_an_empty_index(tmp_path):
    index = TextIndex.open(tmp_path / "nowhere")
    assert (index.seq, index.texts) == (0, 0)
    assert index.search("alpha", texts=0, limit=1).exhausted
