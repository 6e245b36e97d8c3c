"""One run of `helix`: what its options and the environment say, the store it opens, what it prints."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ..memory import Memory
    from ..where import Place
    from .blocks import Block, Ids

T = TypeVar("T")
Progress = Callable[[int, int], None]


class Session:
    """Options of `helix` as attributes; `None` and False where they were not given.

    Args:
        environ: The environment variables.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.store: str | None = None
        self.allow: tuple[str, ...] = ()
        self.embedder: str | None = None
        self.now: str | None = None
        self.json = False
        self.no_color = False
        self.quiet = False
        self.names_older = True
        self.sink: list[object] | None = None
        """Where answers go besides being shown; JSON goes nowhere else."""
        self._memory: Memory | None = None

    # -- the store -------------------------------------------------------------

    def place(self) -> Place:
        """Where the store is or would be; a store of the older system on the way is named on stderr."""
        from pathlib import Path

        from ..where import find

        place = find(self.store, environ=self.environ, start=Path.cwd())
        for folder in place.passed_over if self.names_older else ():
            self.note(f"passed over {folder}, a store of the older system; `helix import {folder}` takes it in")
        return place

    def clock(self) -> Callable[[], int]:
        """The machine's clock, or the time of `--now`."""
        if self.now is None:
            return time.time_ns
        from ..times import parse_time

        fixed = parse_time(self.now, now=time.time_ns())
        return lambda: fixed

    def memory(self, *, create: bool = False, owner: str | None = None) -> Memory:
        """The open store; the same one each time it is asked for in this run.

        Raises:
            StoreMissing: There is none, and `create` is False.
        """
        if self._memory is None:
            self._memory = self._open(create=create, owner=owner)
        return self._memory

    def use(self, memory: Memory) -> None:
        """Have this memory for the store, a view for example; whoever opened it closes it."""
        self._memory = memory

    def _open(self, *, create: bool, owner: str | None) -> Memory:
        place = self.place()
        from ..memory import Memory
        from ..where import read_mark

        missing = read_mark(place.folder) is None
        memory = Memory(
            place.folder,
            create=create,
            owner=owner,
            embedder=self.embedder_for(new=missing),
            clock=self.clock(),
            api_key=self.environ.get("OPENAI_API_KEY"),
            allow=self.allow,
        )
        if missing:
            self.note(f"made a store at {place.folder}")
        return memory

    def embedder_for(self, *, new: bool) -> str | None:
        """The embedder to open a store with: `--embedder`, else for a new store HELIX_EMBEDDER.

        A store that is there finds its own by its fingerprint, except one that takes a model: that has to be named.
        """
        named = self.environ.get("HELIX_EMBEDDER") or ""
        return self.embedder or (named if new or ":" in named else None) or None

    def close(self) -> None:
        """Release the store."""
        if self._memory is not None:
            self._note_clock(self._memory.behind)
            self._memory.close()
            self._memory = None

    def _note_clock(self, behind: int) -> None:
        """Say so where a clock was so far behind the log that one of the two is wrong."""
        from ...constants import DAY

        if behind > DAY:
            self.note(
                f"the clock is {behind // DAY} days behind the last event, whose time was recorded instead; "
                "`helix doctor` names an event from a clock that was ahead"
            )

    # -- what is printed -------------------------------------------------------

    def answer(self, value: object, draw: Callable[[Ids], Iterable[Block]]) -> None:
        """Print the answer: one JSON document with `--json`, else what `draw` makes of it."""
        if self.sink is not None:
            self.sink.append(value)
        if not self.json:
            self.draw(draw)
        elif self.sink is None:
            from .output import print_json

            print_json(value)

    def draw(self, blocks: Callable[[Ids], Iterable[Block]]) -> None:
        """Print blocks for a person."""
        from .output import print_blocks

        print_blocks(self, blocks)

    def short(self, name: str) -> str:
        """The beginning of an id that names it alone in this store, eight letters at least."""
        if self._memory is None:
            return name
        for length in range(8, len(name), 2):
            if len(self._memory.eventlog.resolve(name[:length], limit=2)) == 1:
                return name[:length]
        return name

    def note(self, text: str) -> None:
        """A line on stderr that is no part of the answer."""
        if not self.quiet:
            click.echo(f"note: {text}", err=True)

    def notes(self, texts: Iterable[str | None]) -> None:
        """Several notes; None is none."""
        for text in texts:
            if text is not None:
                self.note(text)

    def progress(self, what: str) -> AbstractContextManager[Progress | None]:
        """A bar on stderr, fed with (done, total); None where stderr is no terminal."""
        from contextlib import nullcontext

        if self.quiet or not sys.stderr.isatty() or self.environ.get("TERM") == "dumb":
            return nullcontext()
        from .screen import progress_bar

        return progress_bar(what)


def call(method: Callable[..., T], *args: object, **options: object) -> T:
    """Call a verb with the options of its command, whose names are those of its arguments."""
    return method(*args, **options)
