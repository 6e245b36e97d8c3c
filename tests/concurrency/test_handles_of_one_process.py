"""The same store opened twice in one process, and a process that forks with a store open."""

from __future__ import annotations

import os
import shutil

import pytest
from helixlog.commands.memory import Memory
from helixlog.eventlog.verify import verify


def opened(folder):
    return Memory(folder, embedder="static")


def test_two_handles_see_each_others_writes_and_one_may_be_closed(tmp_path):
    first, second = opened(tmp_path / "store"), opened(tmp_path / "." / "store")
    stored = first.store("The crane stands at berth 3.")
    assert second.get(stored.id).text == "The crane stands at berth 3."
    assert second.store("The crane stands at berth 3.").status == "reinforced"
    first.close()
    assert second.store("The llama stands at berth 9.").status == "added"
    assert second.count().count == 2
    second.close()
    assert verify(tmp_path / "store").ok


def test_two_stores_in_one_process_do_not_mix(tmp_path):
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        one.store("The crane stands at berth 3.")
        two.store("The llama stands at berth 9.")
        assert [memory.list().memories[0].text.split()[1] for memory in (one, two)] == ["crane", "llama"]


def test_a_copied_store_is_a_store_of_its_own(tmp_path):
    with opened(tmp_path / "one") as one:
        one.store("The crane stands at berth 3.")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        two.store("The llama stands at berth 9.")
        assert (one.count().count, two.count().count) == (1, 2)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_after_a_fork_both_go_on(tmp_path):
    with opened(tmp_path / "store") as memory:
        memory.store("The crane stands at berth 3.")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                found = memory.recall("crane", record=False).results
                code = 0 if found and memory.store("Stored by the child.").status == "added" else 2
                memory.close()
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert memory.store("Stored by the parent.").status == "added"
        assert sorted(one.text for one in memory.list().memories) == [
            "Stored by the child.",
            "Stored by the parent.",
            "The crane stands at berth 3.",
        ]
    assert verify(tmp_path / "store").ok
