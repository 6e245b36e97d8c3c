"""Makes `worlds` importable from the tests beside it, and those of `tests/replay`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
