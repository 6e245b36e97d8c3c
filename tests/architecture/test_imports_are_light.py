"""Start-up time is a feature: the package and its command line load neither matrices nor databases nor tables."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "lmdb", "tantivy", "rich", "hnswlib")


@pytest.mark.parametrize("module", ["helixlog", "helixlog.errors", "helixlog.commands.cli"])
def test_importing_loads_nothing_heavy(module):
    code = f"import sys, {module}; print(*sorted({{*{HEAVY!r}}} & {{*sys.modules}}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_the_public_face_is_what_it_says():
    import helixlog

    exported = getattr(helixlog, "__all__", ())
    assert list(exported) == sorted(exported)
    assert all(getattr(helixlog, name) is not None for name in exported)
