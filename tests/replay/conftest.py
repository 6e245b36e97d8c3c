"""Makes the stores of `tests/timetravel` importable from the tests beside it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "timetravel"))


@pytest.fixture
def life(tmp_path):
    """A store that was used for a while."""
    from worlds import Life

    made = Life(tmp_path / "life", 1).live(60)
    yield made
    made.memory.close()


@pytest.fixture
def small(tmp_path):
    """An empty store with a clock of its own."""
    from worlds import Life

    made = Life(tmp_path / "small", 1)
    yield made
    made.memory.close()
