"""`demo`: store, recall, feedback, recall again, recall as of before, each as one would type it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from ...errors import Conflict
from .blocks import Line, Prose, Span
from .group import command
from .output import plain_values
from .session import Session

if TYPE_CHECKING:
    from ..recall import Recalled

QUESTION = "why do checkout requests time out?"
MEMORIES = (
    (
        "Checkout requests time out when the payment provider answers slowly; the client waits 30 seconds.",
        "-t checkout -e Payments",
    ),
    (
        "Under load the checkout pool of 20 database connections runs dry, and requests queue until they time out.",
        "-t checkout -t postgres -e Postgres",
    ),
    ("Load tests of checkout run every night against staging with 400 virtual users.", "-t checkout -t testing"),
    (
        "To roll back a release, run `deploy rollback SERVICE` and wait for the health check to turn green.",
        "--kind procedure -t deploy",
    ),
    ("Never restart the primary Postgres during business hours.", "--kind instruction -t postgres -e Postgres"),
    ("Mara prefers review comments that name the risk before the style.", "--kind preference -e Mara:person"),
    (
        "On 12 February the cache cluster lost quorum, and logins failed for eleven minutes.",
        "--kind episode -t incident --observed-at 2026-02-12",
    ),
    (
        "ECONNREFUSED from billing-worker means that the queue tunnel is down; restart `tunnel.service`.",
        "--kind procedure -t billing",
    ),
    ("Feature flags live in config/flags.yaml and are read once at start-up.", "-t config"),
    ("Jonas owns the search index and its nightly rebuild.", "-e Jonas:person -e Search"),
    ("API keys of customers are rotated every 90 days.", "-t security"),
    ("Front-end bundles above 250 kB fail the build.", "-t frontend"),
)
HELPED = 1
"""Which of them turns out to be the cause."""

OUTDATED = 10
CORRECTION = "API keys of customers are rotated every 30 days since the audit."


@command(
    "demo",
    examples=[
        ("in a folder that is removed afterwards", "helix demo"),
        ("keep the store and look around in it", "helix demo --keep /tmp/team && helix list --store /tmp/team"),
    ],
)
@click.option("--keep", metavar="DIR", help="Make the store there, and leave it.")
@click.pass_context
def demo(ctx: click.Context, keep: str | None) -> None:
    """Watch a small memory learn.

    Stores a dozen memories of an engineering team, asks a question, says which answer helped, asks again, and asks as
    of before. Exits with 1 if the order did not change, or if the past did.
    """
    session: Session = ctx.obj
    with folder_for(keep) as folder:
        show = Demo(session, folder)
        try:
            verdict = show.play()
        finally:
            show.inner.close()
    session.answer(
        verdict, lambda _: [Line(""), Line(Span(str(verdict["verdict"]), "good" if verdict["ok"] else "bad"))]
    )
    if not verdict["ok"]:
        ctx.exit(1)


@contextmanager
def folder_for(keep: str | None) -> Iterator[Path]:
    """A new folder: a temporary one, or one that stays."""
    from ..where import read_mark

    if keep is None:
        with TemporaryDirectory(prefix="helix-demo-") as name:
            yield Path(name) / "store"
        return
    folder = Path(keep).expanduser()
    if read_mark(folder) is not None:
        raise Conflict(f"there is a store at {folder}", remedy="name a folder without one")
    yield folder


class Demo:
    """A run of commands on one store, printed with what they answer."""

    def __init__(self, session: Session, folder: Path) -> None:
        environ = {name: value for name, value in session.environ.items() if name != "HELIX_STORE"}
        self.inner = Session(environ)
        self.inner.store = str(folder)
        self.inner.embedder = session.embedder_for(new=True)
        self.inner.now = session.now
        self.inner.json, self.inner.no_color, self.inner.quiet = session.json, session.no_color, True
        self.answers: list[object] = []
        self.inner.sink = self.answers
        self.steps: list[dict[str, object]] = []
        self.talks = not session.json

    def play(self) -> Mapping[str, object]:
        """Run every step; the verdict with all of them."""
        self.say(
            f"export HELIX_STORE={shlex.quote(str(self.inner.store))}",
            "A team's memory: facts, procedures, an incident.",
        )
        ids = [self.text_id(self.run("store", text, *shlex.split(more))) for text, more in MEMORIES]
        self.tell("One of them has changed; the new text takes its place.")
        self.run("supersede", self.inner.short(ids[OUTDATED]), CORRECTION)
        self.tell("What does memory say?")
        before = self.recall()
        helped = ids[HELPED]
        self.tell("The connection pool it was. Memory is told which answer helped.")
        self.run(
            "feedback",
            self.inner.short(str(before.recall_id)),
            "--outcome",
            "delivered",
            "--used",
            self.inner.short(helped),
        )
        self.tell("The same question again: what helped comes first.")
        after = self.recall()
        self.tell("And what did memory say before it knew?")
        past = self.recall("--as-of", f"@{before.as_of.seq}/{before.as_of.time}")
        return self.verdict(helped, before, after, past)

    def recall(self, *more: str) -> Recalled:
        """The question, answered."""
        return self.run("recall", QUESTION, "-n", "3", *more)  # type: ignore[return-value]

    def run(self, *words: str) -> object:
        """Print a command line, run it, print and return its answer."""
        from .app import helix

        line = shlex.join(["helix", *words])
        self.say(line)
        helix.dispatch(list(words), self.inner)
        self.steps.append({"command": line, "answer": plain_values(self.answers[-1])})
        return self.answers[-1]

    def text_id(self, stored: object) -> str:
        """The id of a memory that was stored."""
        return str(getattr(stored, "id"))  # noqa: B009 - the answers of commands have no common type

    def tell(self, text: str) -> None:
        """A sentence between commands."""
        if self.talks:
            self.inner.draw(lambda _: [Line(""), Prose(text, tone="strong")])

    def say(self, line: str, before: str | None = None) -> None:
        """A command line as one would type it."""
        if before is not None:
            self.tell(before)
        if self.talks:
            self.inner.draw(lambda _: [Line(Span(f"$ {line}", "path"))])

    def verdict(self, helped: str, before: Recalled, after: Recalled, past: Recalled) -> Mapping[str, object]:
        """Whether the order changed, and the past did not."""
        first, second, third = ([result.id for result in one.results] for one in (before, after, past))
        changed, same = first != second, first == third
        learned = changed and same and helped in first and second[:1] == [helped]
        if learned:
            words = (
                f"It learned: what helped rose from place {first.index(helped) + 1} to 1, and the past is as it was."
            )
        elif changed:
            words = "The order changed, but not as it should: what helped is not first, or the past changed with it."
        else:
            words = "The order did not change."
        return {
            "ok": learned,
            "changed": changed,
            "past_unchanged": same,
            "order_before": first,
            "order_after": second,
            "order_as_of_before": third,
            "verdict": words,
            "steps": self.steps,
        }
