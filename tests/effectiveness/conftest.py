"""Makes `learning_logs`, and the random logs and folds of `tests/laws`, importable from the tests beside this."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "laws")]
