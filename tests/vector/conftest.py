"""A root for projections, and `vector_logs` where the tests can import it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="module")
def _either_way(loops):
    """Every test of this folder runs with the compiled loops and without."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "projections"
