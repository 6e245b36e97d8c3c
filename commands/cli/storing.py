"""`init`, `verify`, `rebuild`, `reembed`: the store as a whole."""

from __future__ import annotations

from pathlib import Path

import click

from .blocks import Line, Pairs, Span
from .group import command
from .session import Session


@command(
    "init",
    examples=[
        ("in .helix of this folder, found from all folders below", "helix init"),
        ("elsewhere, with the fast embedder", "helix init ~/notes/memory --embedder static"),
    ],
)
@click.argument("folder", metavar="[FOLDER]", required=False)
@click.option("--owner", metavar="NAME", help="Whose memories these are when no user is named.")
@click.pass_obj
def init(session: Session, /, folder: str | None, owner: str | None) -> None:
    """Make a store.

    In FOLDER, else where --store or HELIX_STORE says, else in .helix here. A store that is there is left as it is.
    """
    from ...eventlog.events import StoreCreated
    from ..where import LOCAL, read_mark

    session.store = folder or session.store or session.environ.get("HELIX_STORE") or str(Path.cwd() / LOCAL)
    path = Path(session.store).expanduser()
    created = read_mark(path) is None
    memory = session.memory(create=True, owner=owner)
    if not created and session.embedder is not None:
        memory.embedder(memory.view().beliefs.fingerprint)
    genesis = memory.log.get(1).event
    if not isinstance(genesis, StoreCreated):
        raise TypeError(genesis)
    name = None if genesis.embedder is None else str(genesis.embedder["name"])
    answer = {
        "store": str(path),
        "created": created,
        "store_id": genesis.store_id,
        "embedder": name,
        "fingerprint": genesis.fingerprint,
        "owner": genesis.owner,
    }
    word = Span("made a store", "good") if created else Span("there is a store already", "dim")
    items = [("store", Span(str(path), "path")), ("embedder", name or "none"), ("owner", genesis.owner)]
    session.answer(answer, lambda _: [Line(word), Pairs(items)])
