"""The arrows between the folders run one way; `docs/architecture.md` draws them."""

import ast
from collections import defaultdict

ARROWS = {
    "errors": set(),
    "constants": {"errors"},
    "eventlog": {"errors"},
    "embedding": {"errors", "constants"},
    "projections": {"errors", "constants", "eventlog", "embedding.protocol", "embedding.identity"},
    "recall": {"errors", "constants", "eventlog", "projections"},
    "replay": {"errors", "constants", "eventlog", "projections", "recall"},
    "commands": {"errors", "constants", "eventlog", "embedding", "projections", "recall", "replay"},
    "__main__": {"commands"},
    "__init__": {"errors", "constants", "commands", "eventlog.events", "embedding.identity", "embedding.protocol"},
}
OUTSIDE = {"os.environ", "os.getenv", "sys.argv", "time.time", "time.time_ns", "datetime.now", "datetime.utcnow"}
CHILD = "eventlog/verify.py"  # starts itself as a program of its own, and hands its environment on
ONLY_IN = {
    "lmdb": ("eventlog",),
    "tantivy": ("projections", "text"),
    "hnswlib": ("projections", "vector"),
    "click": ("commands", "cli"),
    "rich": ("commands", "cli"),
}


def imports(root, path):
    """(module of ours or of others, whether it is of ours) for each import of a file, also those in functions."""
    package = path.parent.parts
    for node in ast.walk(ast.parse((root / path).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            module = (*base, *(node.module or "").split(".")) if node.module else base
            for alias in node.names:
                yield (module if node.module else (*base, alias.name)), True
        elif isinstance(node, ast.ImportFrom):
            yield tuple(node.module.split(".")), False
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield tuple(alias.name.split(".")), False


def test_the_arrows_run_one_way(root, modules):
    strays = defaultdict(set)
    for path in modules:
        own = path.parts[0].removesuffix(".py")
        for module, ours in imports(root, path):
            allowed = module[0] == own or module[0] in ARROWS[own] or ".".join(module[:2]) in ARROWS[own]
            if ours and not allowed:
                strays[path.as_posix()].add(".".join(module))
    assert not strays


def test_a_foreign_library_is_used_in_one_place(root, modules):
    strays = {
        (path.as_posix(), module[0])
        for path in modules
        for module, ours in imports(root, path)
        if not ours and module[0] in ONLY_IN and path.parts[: len(ONLY_IN[module[0]])] != ONLY_IN[module[0]]
    }
    assert not strays


def test_an_arrow_the_other_way_would_be_seen(tmp_path):
    stray = tmp_path / "eventlog" / "stray.py"
    stray.parent.mkdir()
    stray.write_text("def f():\n    from ..projections import beliefs\n    from . import codec\n", "utf-8")
    assert {module[0] for module, _ in imports(tmp_path, stray.relative_to(tmp_path))} == {"projections", "eventlog"}


def test_only_commands_read_the_environment_and_the_clock(root, modules):
    strays = {
        (path.as_posix(), ast.unparse(node))
        for path in modules
        if path.parts[0] not in ("commands", "__main__.py") and path.as_posix() != CHILD
        for node in ast.walk(ast.parse((root / path).read_text("utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in OUTSIDE
    }
    assert not strays
