"""Pages whose commands are run: what they show must be what happens.

    python tests/docs/pages.py README.md docs/guide.md

runs every command of the pages in new folders and writes what they print into the pages.

A `console` block holds commands after "$ " and what they print; a line of dots stands for any lines. An `sh` block
is run and prints nothing. A `python` block is run, and a `text` block behind it is what it prints. A block after the
line `<!-- not run -->` is only shown. Ids, times and the folder differ in every run and are compared by their place.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOME = "/home/ada"
FOLDER = "shop"
SHOWN = 10
"""Letters of an id that a command on a page shows."""

FENCE = re.compile(r"^(<!-- not run -->\n)?```(console|sh|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ID = re.compile(r"\b0[0-7][0-9a-hjkmnp-tv-z]{24}\b")
ID_PART = re.compile(r"\b0[0-7][0-9a-hjkmnp-tv-z]{6,24}\b")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?|\b\d{4}-\d\d-\d\d\b")
SECONDS = re.compile(r"\b\d+\.\d s\b")
DIGEST = re.compile(r"\b[0-9a-f]{32,64}\b")
DOTS = "..."


@dataclass
class Step:
    """A command of a page: what the page says it prints, and what it printed."""

    command: str
    expected: str
    actual: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the two are the same, but for what differs in every run."""
        parts = [re.escape(masked(part)) for part in re.split(r"^\.\.\.\n", self.expected, flags=re.MULTILINE)]
        return re.fullmatch("(?:.*\n)*".join(parts), masked(self.actual)) is not None


def masked(text: str) -> str:
    """A text without what differs in every run; ids are told apart by the order they appear in."""
    names: dict[str, str] = {}
    text = ID.sub(lambda found: names.setdefault(found[0], f"<id {len(names) + 1}>"), text)
    for pattern, name in ((MOMENT, "<time>"), (SECONDS, "<seconds>"), (DIGEST, "<digest>")):
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + ("\n" if text.endswith("\n") else "")


class Page:
    """One page and the folder its commands run in.

    Args:
        path: The page.
        home: An empty folder that serves as the user's home.
    """

    def __init__(self, path: Path, home: Path) -> None:
        self.text = path.read_text("utf-8")
        self.home = home
        self.folder = home / FOLDER
        self.folder.mkdir()
        self.ids: dict[str, str] = {}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HELIX_", "XDG_", "_HELIX"))}
        path_before = os.environ.get("PATH", "")
        self.environ = {
            **kept,
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{path_before}",
            "NO_COLOR": "1",
            **({"HELIX_EMBEDDER": "static"} if "HELIX_EMBEDDER=static" in self.text else {}),
        }

    def run(self) -> list[Step]:
        """Every command of the page, run in order."""
        steps: list[Step] = []
        self.written = FENCE.sub(lambda found: self._block(found, steps), self.text)
        return steps

    def _block(self, found: re.Match[str], steps: list[Step]) -> str:
        skipped, kind, body = found.groups()
        if skipped or "python3 -m venv" in body:
            self._printed = None
            return found[0]
        if kind == "console":
            body = self._console(body, steps)
        elif kind == "text":
            body = self._printed_by_python(body, steps)
        else:
            words = [sys.executable, "-c", body] if kind == "python" else ["bash", "-euc", body]
            self._printed = self._call(words) if kind == "python" else self._silent(words)
        if kind in ("console", "text"):
            self._printed = None
        return f"```{kind}\n{body}```"

    _printed: str | None = None

    def _silent(self, words: list[str]) -> None:
        assert self._call(words) == ""

    def _printed_by_python(self, body: str, steps: list[Step]) -> str:
        if self._printed is None:
            return body
        steps.append(Step("the Python above", body, self._printed))
        return self._printed

    def _console(self, body: str, steps: list[Step]) -> str:
        parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
        assert parts[0] == "", f"a console block begins with a command: {body}"
        shown = []
        for command, expected in zip(parts[1::2], parts[2::2], strict=True):
            own = ID_PART.sub(lambda found: self._id(found[0]), command)
            step = Step(command, expected, self._call(["bash", "-c", own]))
            self._learn(expected, step.actual)
            steps.append(step)
            shown.append(f"$ {ID_PART.sub(lambda found: found[0][:SHOWN], own)}\n{abridged(expected, step.actual)}")
        return "".join(shown)

    def _call(self, words: list[str]) -> str:
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout.replace(str(self.home), HOME)

    def _learn(self, expected: str, actual: str) -> None:
        """Which id of this run stands where the page has one; what follows dots cannot be told."""
        for mine, theirs in zip(ID.findall(expected.partition(f"{DOTS}\n")[0]), ID.findall(actual), strict=False):
            self.ids.setdefault(mine, theirs)

    def _id(self, part: str) -> str:
        full = {theirs for mine, theirs in self.ids.items() if mine.startswith(part)}
        return full.pop() if len(full) == 1 else part


def abridged(expected: str, actual: str) -> str:
    """What was printed, cut where the page cuts it."""
    before, dots, after = expected.partition(f"{DOTS}\n")
    if not dots:
        return actual
    lines = actual.splitlines(keepends=True)
    behind = after.count("\n")
    return "".join([*lines[: before.count("\n")], f"{DOTS}\n", *(lines[-behind:] if behind else [])])


def main(names: list[str]) -> None:
    """Write what the commands of pages print into them."""
    for name in names:
        with tempfile.TemporaryDirectory() as home:
            page = Page(ROOT / name, Path(home).resolve())
            steps = page.run()
            (ROOT / name).write_text(page.written, "utf-8")
            print(f"{name}: {len(steps)} commands, {sum(not step.agrees for step in steps)} changed")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
