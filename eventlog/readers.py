"""Who reads a log just now, and what that costs.

A reader holds the pages of the state it sees: what is freed after it began is not used again until it ends, so the
file grows. LMDB keeps a slot for each; a process that was killed leaves its slot behind.
"""

from __future__ import annotations

import os

import lmdb
import msgspec


class ActiveReader(msgspec.Struct, frozen=True):
    """A read transaction: its process, and how many commits (each of one event or more) were made since it began."""

    pid: int
    commits: int


class Readers(msgspec.Struct, frozen=True, kw_only=True):
    """The readers of a log, the oldest first, without the one that looked.

    `stale` slots of killed processes were found, and cleared. Of the file's `pages` of `page_size` bytes `idle_pages`
    hold nothing of the present state; a reader that began before they were freed keeps them from being used again.
    """

    active: tuple[ActiveReader, ...]
    stale: int
    pages: int
    idle_pages: int
    page_size: int

    @property
    def oldest(self) -> ActiveReader | None:
        """The one that began first."""
        return self.active[0] if self.active else None


def readers_of(environment: lmdb.Environment) -> Readers:
    """The readers of an open environment; raises lmdb.Error."""
    stale = environment.reader_check()
    info, stat = environment.info(), environment.stat()
    active = []
    for line in environment.readers().splitlines():
        words = line.split()
        if len(words) == 3 and words[0].isdigit() and words[2].isdigit() and int(words[0]) != os.getpid():
            active.append(ActiveReader(int(words[0]), max(0, info["last_txnid"] - int(words[2]))))
    used = stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"] + 2
    pages = info["last_pgno"] + 1
    return Readers(
        active=tuple(sorted(active, key=lambda one: (-one.commits, one.pid))),
        stale=stale,
        pages=pages,
        idle_pages=max(0, pages - used),
        page_size=stat["psize"],
    )
