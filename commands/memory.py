"""`Memory`: every verb as a method of one object.

A verb is a function in a module of its own whose first argument is the open
store; here they are put together, each imported when it is first used.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import MethodType, TracebackType
from typing import TYPE_CHECKING, Self

from . import checks
from .creating import open_log
from .opened import Actor, Clock, OpenStore
from .screening import Screen
from .where import find

if TYPE_CHECKING:
    from ..embedding.protocol import Embedder
    from . import adopt as _adopt
    from . import annotate as _annotate
    from . import constants as _constants
    from . import copying as _copying
    from . import decay as _decay
    from . import diff as _diff
    from . import erase as _erase
    from . import expire as _expire
    from . import explain as _explain
    from . import feedback as _feedback
    from . import forget as _forget
    from . import getting as _getting
    from . import health as _health
    from . import history as _history
    from . import importing as _importing
    from . import link as _link
    from . import listing as _listing
    from . import log as _log
    from . import merge as _merge
    from . import neighbors as _neighbors
    from . import prune as _prune
    from . import rebuild as _rebuild
    from . import recall as _recall
    from . import reembed as _reembed
    from . import reinforce as _reinforce
    from . import replay as _replay
    from . import restore as _restore
    from . import split as _split
    from . import statistics as _statistics
    from . import store as _store
    from . import supersede as _supersede
    from . import timeline as _timeline
    from . import tune as _tune
    from . import unlink as _unlink
    from . import verify as _verify
    from . import view as _view


class Memory(OpenStore):
    """A store of memories.

    Args:
        path: The store's folder; found as the command line finds it if not given.
        create: Make the store if it is missing.
        read_only: Refuse to write.
        embedder: Name of an embedder, or one of your own; for a new store "minilm" if not given, "none" for none. For
            a store that is there it must be the store's own.
        clock: Gives UTC nanoseconds; never below the last event's time.
        actor: Who acts, as events record it.
        api_key: For embedders behind an API.
        owner: Name of the owner of a new store.
        allow: What the gate lets pass that it would refuse: prompt_injection, credential_generic, invisible_unicode,
            exfiltration. For texts that a person has read and found harmless.

    Raises:
        InvalidInput: `allow` names something else.
        StoreMissing: There is no store and `create` is False.
        EmbedderMismatch: The store has another embedder.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        create: bool = True,
        read_only: bool = False,
        embedder: str | Embedder | None = None,
        clock: Clock = time.time_ns,
        actor: Actor | None = None,
        api_key: str | None = None,
        owner: str | None = None,
        allow: Sequence[str] = (),
    ) -> None:
        Screen(allow)  # refused before a store is made
        folder = find(path, environ=os.environ, start=Path.cwd()).folder
        checks.check_flag(create, what="create")
        checks.check_flag(read_only, what="read_only")
        log = open_log(
            folder,
            create=create and not read_only,
            read_only=read_only,
            embedder=embedder,
            clock=clock,
            owner=owner,
            api_key=api_key,
        )
        super().__init__(folder, log, clock=clock, embedder=embedder, api_key=api_key, actor=actor, allow=allow)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    if TYPE_CHECKING:
        store = _store.store
        as_of = _view.as_of
        recall = _recall.recall
        feedback = _feedback.feedback
        supersede = _supersede.supersede
        annotate = _annotate.annotate
        reinforce = _reinforce.reinforce
        merge = _merge.merge
        split = _split.split
        forget = _forget.forget
        erase = _erase.erase
        restore = _restore.restore
        link = _link.link
        unlink = _unlink.unlink
        decay = _decay.decay
        prune = _prune.prune
        expire = _expire.expire
        reembed = _reembed.reembed
        get = _getting.get
        count = _getting.count
        list = _listing.list_memories
        history = _history.history
        neighbors = _neighbors.neighbors
        lineage = _neighbors.lineage
        explain = _explain.explain
        log = _log.log_events
        constants = _constants.constants
        timeline = _timeline.timeline
        diff = _diff.diff
        tune = _tune.tune
        replay = _replay.replay
        adopt = _adopt.adopt
        stats = _statistics.stats
        health = _health.health
        verify = _verify.verify
        rebuild = _rebuild.rebuild
        import_ = _importing.import_
        export = _copying.export
        backup = _copying.backup


VERBS = {
    "store": "store:store",
    "as_of": "view:as_of",
    "recall": "recall:recall",
    "feedback": "feedback:feedback",
    "supersede": "supersede:supersede",
    "annotate": "annotate:annotate",
    "reinforce": "reinforce:reinforce",
    "merge": "merge:merge",
    "split": "split:split",
    "forget": "forget:forget",
    "erase": "erase:erase",
    "restore": "restore:restore",
    "link": "link:link",
    "unlink": "unlink:unlink",
    "decay": "decay:decay",
    "prune": "prune:prune",
    "expire": "expire:expire",
    "reembed": "reembed:reembed",
    "get": "getting:get",
    "count": "getting:count",
    "list": "listing:list_memories",
    "history": "history:history",
    "neighbors": "neighbors:neighbors",
    "lineage": "neighbors:lineage",
    "explain": "explain:explain",
    "log": "log:log_events",
    "constants": "constants:constants",
    "timeline": "timeline:timeline",
    "diff": "diff:diff",
    "tune": "tune:tune",
    "replay": "replay:replay",
    "adopt": "adopt:adopt",
    "stats": "statistics:stats",
    "health": "health:health",
    "verify": "verify:verify",
    "rebuild": "rebuild:rebuild",
    "import_": "importing:import_",
    "export": "copying:export",
    "backup": "copying:backup",
}
"""Every verb by its name as a method: its module here, and the function."""


class Verb:
    """A verb whose module is imported when it is first asked for: no command pays for the others."""

    def __init__(self, place: str) -> None:
        self._module, _, self._function = place.partition(":")
        self._name = self._function

    def __get__(self, memory: Memory | None, owner: type[Memory]) -> object:
        function = getattr(import_module(f"{__package__}.{self._module}"), self._function)
        setattr(owner, self._name, function)
        return function if memory is None else MethodType(function, memory)

    def __set_name__(self, owner: type[Memory], name: str) -> None:
        self._name = name


if not TYPE_CHECKING:
    for _name, _place in VERBS.items():
        _verb = Verb(_place)
        _verb.__set_name__(Memory, _name)
        setattr(Memory, _name, _verb)
