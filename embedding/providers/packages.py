"""Importing a provider's package, or saying exactly how to install it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ...errors import EmbedderUnavailable


def require(package: str, *, extra: str) -> ModuleType:
    """The imported `package`.

    Raises:
        EmbedderUnavailable: It is not installed, or does not import here.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise EmbedderUnavailable(
            f"the embedder {extra} needs the package {package}: {error}",
            remedy=f"pip install 'helixlog[{extra}]'",
        ) from error
