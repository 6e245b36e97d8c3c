"""A store writes `.gitignore` into a folder of its own, never into one that holds other things."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory
from helixlog.commands.where import LOCAL


@pytest.mark.parametrize("name", ["new", "empty", LOCAL])
def test_a_folder_of_its_own_is_ignored(tmp_path, name):
    folder = tmp_path / name
    if name != "new":
        folder.mkdir()
    if name == LOCAL:
        (folder / "helix.yaml").write_text("other: things\n")
    Memory(folder, embedder="none").close()
    assert (folder / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", ["main.py", "logging.py"])
def test_a_project_is_not(tmp_path, name):
    (tmp_path / name).write_text("print()\n")
    Memory(tmp_path, embedder="none").close()
    assert not (tmp_path / ".gitignore").exists()
