"""The command line `helix`: words and options in, answers and exit codes out.

Only here and in the rest of `commands/` are arguments, the environment and the
terminal read. Starting up costs click and nothing else: the table of commands
names a function by its module, and what stores, ranks or draws is imported by
the command that needs it.
"""

from __future__ import annotations

import os
import sys

BULK = frozenset({"import", "reembed", "rebuild"})
"""Commands whose products of matrices are worth more than one thread."""


def main() -> int:
    """Run `helix` with the arguments of this process; its exit code."""
    if BULK.isdisjoint(sys.argv):
        # Threads of the matrix library stall on busy cores and gain nothing on one short text.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from .app import run

        return run()
    except KeyboardInterrupt:
        return 130
