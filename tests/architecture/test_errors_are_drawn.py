"""Every error has a code of its own, an exit code, and its place in the tree that the module's docstring draws."""

from __future__ import annotations

import pickle
import re

import pytest
from helixlog import errors

BRANCH = re.compile(r"^ {4}([|` -]*)(\w+)(?: +(\w+) +exit (\d))?", re.MULTILINE)


def classes():
    return [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.HelixlogError)]


def drawn():
    """Name to (parent, code, exit code) as drawn."""
    found, above = {}, []
    for lines, name, code, exit_code in BRANCH.findall(errors.__doc__ or ""):
        depth = len(lines) // 3
        above[depth:] = [name]
        parent = above[depth - 1] if depth else None
        found[name] = (parent, code or None, int(exit_code) if exit_code else None)
    return found


def test_the_tree_is_drawn_as_it_is():
    picture = drawn()
    assert set(picture) == {kind.__name__ for kind in classes()}
    for kind in classes():
        parent, code, exit_code = picture[kind.__name__]
        if parent is not None:
            assert kind.__bases__[0].__name__ == parent
        if code is not None:
            assert (kind.code, kind.exit_code) == (code, exit_code)


def test_no_two_errors_that_are_raised_share_a_code():
    codes = [kind.code for kind in classes() if drawn()[kind.__name__][1]]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[a-z_]+", code) for code in codes)


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: kind.__name__)
def test_an_error_says_the_next_step_and_travels_between_processes(kind):
    error = kind("the crane is stuck", remedy="oil it")
    assert str(error) == "the crane is stuck (oil it)"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(again), again.message, again.remedy) == (kind, error.message, error.remedy)
    assert kind.__doc__
