"""The demo does what it shows: one feedback changes the order of the next recall, and not the past."""

import pytest


@pytest.fixture
def fast(cli):
    """With the fast embedder; the long test below has the default."""
    return cli


def test_it_learns(fast):
    done = fast("demo")
    assert done["ok"]
    assert done["changed"]
    assert done["past_unchanged"]
    assert done["order_after"][0] != done["order_before"][0]
    assert len([step for step in done["steps"] if step["command"].startswith("helix store")]) == 12


def test_every_line_is_shown_with_its_answer(fast, tmp_path):
    text = fast.text("demo", "--keep", str(tmp_path / "kept"))
    assert text.count("$ helix recall") == 3
    assert "$ helix feedback" in text
    assert "It learned" in text
    assert fast("count", "--store", str(tmp_path / "kept"))["count"] == 12
    assert fast.error("demo", "--keep", str(tmp_path / "kept"), code=4)["code"] == "conflict"


def test_it_fails_where_nothing_was_learned(fast, monkeypatch):
    from helixlog.commands.cli.demo import Demo

    original = Demo.run

    def without_feedback(self, *words):
        return None if words[0] == "feedback" else original(self, *words)

    monkeypatch.setattr(Demo, "run", without_feedback)
    done = fast("demo", code=1)
    assert not done["ok"]
    assert not done["changed"]


def test_it_learns_with_the_default_embedder(cli):
    cli.env["HELIX_EMBEDDER"] = None
    assert cli("demo")["ok"]
