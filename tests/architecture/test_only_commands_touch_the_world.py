"""Below `commands/` there is no environment, no command line, no clock, no chance and no terminal.

Everything there takes a path, a clock, a source of bytes as an argument, so that a fold is a function of the log.
"""

from __future__ import annotations

import ast

import pytest

ABOVE = {"commands", "server", "plugin", "__main__", ""}
WORLD = {
    "environment": {"os.environ", "os.getenv", "os.putenv"},
    "command line": {"sys.argv"},
    "terminal": {"sys.stdout", "sys.stderr", "sys.stdin", "print", "input", "click", "rich"},
    "wall clock": {"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"},
    "chance": {"random", "secrets", "uuid", "os.urandom", "np.random", "numpy.random"},
}
EXEMPT = {
    ("eventlog.lmdb_log", "os.urandom"): "the default of the argument `entropy`, as each salt needs chance",
    ("eventlog.memory_log", "os.urandom"): "likewise",
    ("eventlog.verify", "os.environ"): "handed on to its child process, which may die of a damaged file",
    ("eventlog.verify", "sys.argv"): "of that child",
    ("eventlog.verify", "sys.stdout"): "of that child: how it reports to its parent",
}


def words(tree):
    """Dotted names that are used, and modules that are imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Name):
            yield node.id
    yield from imported(tree)


def imported(tree):
    """Modules that are imported, and dotted names out of them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("part", WORLD)
def test_below_commands_nothing_touches(modules, part):
    touched = {
        (module.name, word)
        for module in modules.values()
        if module.room not in ABOVE
        for word in words(module.tree)
        if word in WORLD[part]
    }
    assert touched - set(EXEMPT) == set()
    assert {known for known in EXEMPT if known[1] in WORLD[part]} <= touched


def test_a_fold_has_no_clock_of_any_kind(modules):
    """Waiting for a lock needs a monotonic clock; deciding what is believed does not."""
    deciding = ("beliefs", "ledger", "effectiveness", "graph", "reference", "nearby", "arithmetic", "columns")
    for name, module in modules.items():
        if name.startswith(tuple(f"projections.{part}" for part in deciding)) or module.room in {"recall", "replay"}:
            assert not {"time", "random", "os"} & set(imported(module.tree)), name
