"""Helixlog: an event-sourced memory for agents.

`Memory` is a store with every verb as a method. `Constants` are the numbers that shape what it believes. The other
names are what its methods take, return and raise; `errors` draws the tree of errors.

A name is imported when it is first used, so `import helixlog` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .commands.init import init
    from .commands.memory import Memory
    from .commands.opened import Actor
    from .commands.recall import Recalled, Result
    from .commands.records import Record
    from .commands.texts import Stored
    from .constants import Constants, Thresholds
    from .embedding.identity import Identity
    from .embedding.protocol import Embedder
    from .errors import (
        AmbiguousId,
        Conflict,
        ContentRejected,
        Corrupted,
        EmbedderError,
        EmbedderMismatch,
        EmbedderUnavailable,
        ForeignProcess,
        HelixlogError,
        InvalidInput,
        KeyConflict,
        NewerFormat,
        NotFound,
        OutOfSpace,
        PackageMissing,
        ReadOnlyView,
        Rejected,
        RequestError,
        StorageError,
        StoreBusy,
        StoreMissing,
        StoreReadOnly,
        TransactionConflict,
    )
    from .eventlog.events import Prior, Provenance, Relation, Span, Term

    __version__: str

__all__ = [
    "Actor",
    "AmbiguousId",
    "Conflict",
    "Constants",
    "ContentRejected",
    "Corrupted",
    "Embedder",
    "EmbedderError",
    "EmbedderMismatch",
    "EmbedderUnavailable",
    "ForeignProcess",
    "HelixlogError",
    "Identity",
    "InvalidInput",
    "KeyConflict",
    "Memory",
    "NewerFormat",
    "NotFound",
    "OutOfSpace",
    "PackageMissing",
    "Prior",
    "Provenance",
    "ReadOnlyView",
    "Recalled",
    "Record",
    "Rejected",
    "Relation",
    "RequestError",
    "Result",
    "Span",
    "StorageError",
    "StoreBusy",
    "StoreMissing",
    "StoreReadOnly",
    "Stored",
    "Term",
    "Thresholds",
    "TransactionConflict",
    "__version__",
    "init",
]

_HOMES: Final = {
    "Actor": "commands.opened",
    "Constants": "constants",
    "Embedder": "embedding.protocol",
    "Identity": "embedding.identity",
    "Memory": "commands.memory",
    "Prior": "eventlog.events",
    "Provenance": "eventlog.events",
    "Recalled": "commands.recall",
    "Record": "commands.records",
    "Relation": "eventlog.events",
    "Result": "commands.recall",
    "Span": "eventlog.events",
    "Stored": "commands.texts",
    "Term": "eventlog.events",
    "Thresholds": "constants",
    "init": "commands.init",
}
"""The module of each name that is no error."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        from .commands.cli.version import version

        value: object = version()
    else:
        from importlib import import_module

        value = getattr(import_module(f".{_HOMES.get(name, 'errors')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
