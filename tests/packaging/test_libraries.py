import ast

PLACE = {
    "lmdb": ("eventlog",),
    "tantivy": ("projections", "text"),
    "hnswlib": ("projections", "vector"),
    "click": ("commands", "cli"),
    "rich": ("commands", "cli"),
}


def libraries(source):
    """Names of the libraries a file imports, at any depth."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


def test_a_library_is_used_in_one_place(root, modules):
    used = {(name, path) for path in modules for name in libraries((root / path).read_text("utf-8")) if name in PLACE}
    assert {name for name, _ in used} == set(PLACE)
    assert [(name, path.as_posix()) for name, path in used if path.parts[: len(PLACE[name])] != PLACE[name]] == []
