"""The embedder `fastembed[:MODEL]`: any text model of the fastembed package.

fastembed downloads a model when it is first used. It pads and may quantise by
batch, so texts go one at a time: a vector must not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import EmbedderUnavailable, InvalidInput
from ..calibrate import calibrate
from ..identity import Identity, Thresholds
from ..protocol import FloatArray
from ..units import mean_unit, unit_rows
from .packages import require
from .texts import encodable, fitting

DEFAULT_MODEL = "BAAI/bge-small-en-v1.5"

# fastembed cuts a text at a number of tokens it does not tell; this one is longer than any.
_ENDLESS = "a " * 40_000


class Client(Protocol):
    """What is used of `fastembed.TextEmbedding`."""

    @property
    def embedding_size(self) -> int:
        """Dimensions of the vectors."""
        ...

    def passage_embed(self, texts: Iterable[str]) -> Iterable[NDArray[Any]]:
        """Vectors of documents."""
        ...

    def query_embed(self, query: str) -> Iterable[NDArray[Any]]:
        """The vector of a query."""
        ...

    def token_count(self, texts: str) -> int:
        """How many tokens of a text are embedded."""
        ...


class FastEmbed:
    """A model of fastembed; its thresholds are calibrated when first asked for.

    Args:
        client: The loaded model.
        model: Its name, which stands for its weights in the identity.
    """

    def __init__(self, client: Client, *, model: str) -> None:
        self._client = client
        window = client.token_count(_ENDLESS)
        self.identity = Identity(
            name="fastembed",
            weights=f"fastembed/{model}",
            dimensions=client.embedding_size,
            pooling="provider",
            window=window,
            stride=window * 7 // 8,
        )

    @classmethod
    def load(cls, model: str | None) -> FastEmbed:
        """The embedder on the installed fastembed; `model` None for its default.

        Raises:
            InvalidInput: fastembed knows no such model.
            EmbedderUnavailable: fastembed is not installed or too old, or cannot get the model.
        """
        package = require("fastembed", extra="fastembed")
        name = model or DEFAULT_MODEL
        if name.lower() not in {known["model"].lower() for known in package.TextEmbedding.list_supported_models()}:
            raise InvalidInput(
                f"fastembed has no text model {name!r}",
                remedy="choose one of fastembed.TextEmbedding.list_supported_models()",
            )
        try:
            return cls(package.TextEmbedding(model_name=name), model=name)
        except (OSError, ValueError, RuntimeError) as error:
            raise EmbedderUnavailable(
                f"fastembed cannot load {name}: {error}", remedy="let it download the model once with network access"
            ) from error
        except (AttributeError, NotImplementedError) as error:
            raise EmbedderUnavailable(
                f"fastembed cannot count the tokens of {name}, so long texts would be cut: {error}",
                remedy="pip install --upgrade 'helixlog[fastembed]', or choose another model",
            ) from error

    @cached_property
    def thresholds(self) -> Thresholds:
        """Thresholds calibrated on the shipped pairs; embeds some 180 sentences the first time."""
        return calibrate(self)

    def embed_documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """One float32 array of shape (windows, dimensions) a text, rows of unit length or zero."""
        return [self._windows(text, lambda piece: self._client.passage_embed([piece])) for text in texts]

    def embed_query(self, text: str) -> FloatArray:
        """A float32 array of shape (dimensions,), of unit length or zero; the mean of a long text's windows."""
        return mean_unit(self._windows(text, self._client.query_embed))

    def _windows(self, text: str, embed: Callable[[str], Iterable[NDArray[Any]]]) -> FloatArray:
        seen = encodable(text)
        if not seen.strip():
            return np.zeros((1, self.identity.dimensions), np.float32)
        pieces = fitting(seen, lambda piece: self._client.token_count(piece) < self.identity.window)
        return unit_rows(np.stack([next(iter(embed(piece))) for piece in pieces]))
