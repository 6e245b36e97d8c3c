"""Each room knows only the rooms below it, and no modules import each other in a circle."""

from __future__ import annotations

import pytest

BELOW = {
    "errors": set(),
    "constants": {"errors"},
    "embedding": {"errors", "constants"},
    "security": {"errors", "constants"},
    "eventlog": {"errors"},
    "projections": {"errors", "constants", "eventlog", "embedding"},
    "recall": {"errors", "constants", "eventlog", "projections"},
    "replay": {"errors", "constants", "eventlog", "projections", "recall"},
    "commands": {"errors", "constants", "eventlog", "embedding", "security", "projections", "recall", "replay"},
    "server": {""},
    "plugin": {""},
}
"""What each room may import; the last two will see the face alone."""


@pytest.mark.parametrize("room", BELOW)
def test_a_room_imports_only_what_lies_below_it(modules, imports_of, room):
    allowed = BELOW[room] | {room}
    wrong = {
        (module.name, name)
        for module in modules.values()
        if module.room == room
        for name in imports_of(module)
        if name.partition(".")[0] not in allowed
    }
    assert wrong == set()


def test_every_room_has_a_place_in_the_order(modules):
    rooms = {module.room for module in modules.values()} - {"", "__main__"}
    assert rooms <= set(BELOW)
    assert rooms >= {"errors", "constants", "eventlog", "projections", "recall", "commands", "embedding"}


def test_projections_know_of_embedders_only_what_they_are(modules, imports_of):
    """Types and thresholds; never an embedder itself: a fold embeds nothing."""
    known = {name for m in modules.values() if m.room == "projections" for name in imports_of(m)}
    assert {name for name in known if name.startswith("embedding")} <= {"embedding.protocol", "embedding.identity"}


def circle(graph):
    """A circle of names, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        path.append(name)
        found = next((found for other in sorted(graph.get(name, ())) if (found := visit(other))), None)
        path.pop()
        done.add(name)
        return found

    return next((found for name in sorted(graph) if (found := visit(name))), None)


def test_no_modules_import_each_other_in_a_circle(modules, imports_of):
    assert circle({name: imports_of(module, lazy=False, types=False) for name, module in modules.items()}) is None


def test_no_rooms_import_each_other_in_a_circle(modules, imports_of):
    rooms = {module.room: set() for module in modules.values()}
    for module in modules.values():
        rooms[module.room] |= {name.partition(".")[0] for name in imports_of(module)} - {module.room}
    assert circle(rooms) is None


def test_a_circle_would_be_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_imports_inside_are_relative(modules):
    """The repository's root is the package: an absolute import of it would find another copy."""
    import ast

    for module in modules.values():
        for node in ast.walk(module.tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.split(".")[0] == "helixlog" for name in names), module.name
