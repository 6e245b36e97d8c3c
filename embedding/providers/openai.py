"""The embedder `openai[:MODEL]`: OpenAI's embeddings API. Texts leave the machine and are billed.

The name of the model stands for its weights; that the service keeps computing
the same function cannot be checked from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import EmbedderError, EmbedderUnavailable, InvalidInput
from ..calibrate import calibrate
from ..identity import Identity, Thresholds
from ..protocol import FloatArray
from ..units import mean_unit, unit_rows
from ..windows import spans
from .known import OPENAI, OPENAI_DEFAULT
from .packages import require
from .texts import encodable

_BATCH = 32  # windows a request: within the API's 300,000 tokens whatever the script


class OpenAIEmbedder:
    """A model of the API; its thresholds are calibrated when first asked for.

    Args:
        client: An `openai.OpenAI`, or anything whose `embeddings.create` answers alike.
        model: One of `known.OPENAI`.
        failure: What the client raises when a request fails.
    """

    def __init__(self, client: Any, *, model: str, failure: type[Exception]) -> None:  # noqa: ANN401 - foreign
        self._client = client
        self._model = model
        self._failure = failure

    @classmethod
    def load(cls, model: str | None, *, api_key: str | None) -> OpenAIEmbedder:
        """The embedder on the installed openai package; `model` None for the default.

        Raises:
            InvalidInput: The model is not known here.
            EmbedderUnavailable: openai is not installed, or there is no key.
        """
        name = model or OPENAI_DEFAULT
        if name not in OPENAI:
            raise InvalidInput(f"no embedding model {name!r} is known", remedy=f"choose one of {', '.join(OPENAI)}")
        package = require("openai", extra="openai")
        if not api_key:
            raise EmbedderUnavailable("the embedder openai has no key", remedy="set OPENAI_API_KEY, or pass api_key=")
        return cls(package.OpenAI(api_key=api_key), model=name, failure=package.OpenAIError)

    @property
    def identity(self) -> Identity:
        """Which function this is."""
        return OPENAI[self._model]

    @cached_property
    def thresholds(self) -> Thresholds:
        """Thresholds calibrated on the shipped pairs; sends some 180 sentences the first time."""
        return calibrate(self)

    def embed_documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """One float32 array of shape (windows, dimensions) a text, rows of unit length or zero.

        Raises:
            EmbedderError: The API refused a request or could not be reached.
        """
        windows = [self._pieces(text) for text in texts]
        vectors = self._vectors([piece for pieces in windows for piece in pieces if piece.strip()])
        rows = np.zeros((sum(map(len, windows)), self.identity.dimensions), np.float32)
        rows[[bool(piece.strip()) for pieces in windows for piece in pieces]] = vectors
        ends = np.cumsum([len(pieces) for pieces in windows])
        return np.split(rows, ends[:-1]) if windows else []

    def embed_query(self, text: str) -> FloatArray:
        """A float32 array of shape (dimensions,), of unit length or zero; the mean of a long text's windows.

        Raises:
            EmbedderError: The API refused a request or could not be reached.
        """
        return mean_unit(self.embed_documents([text])[0])

    def _pieces(self, text: str) -> list[str]:
        seen = encodable(text)
        return [seen[begin:end] for begin, end in spans(len(seen), self.identity.window, self.identity.stride)]

    def _vectors(self, pieces: list[str]) -> FloatArray:
        rows: list[list[float]] = []
        for first in range(0, len(pieces), _BATCH):
            try:
                answer = self._client.embeddings.create(
                    model=self._model, input=pieces[first : first + _BATCH], encoding_format="float"
                )
            except self._failure as error:
                raise EmbedderError(f"OpenAI did not embed: {error}", remedy="check key, quota and network") from error
            rows += [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        return unit_rows(np.array(rows, np.float32).reshape(-1, self.identity.dimensions))
