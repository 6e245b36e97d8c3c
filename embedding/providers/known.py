"""Identities of providers whose model is fixed by its name, without importing their packages."""

from __future__ import annotations

from ..identity import Identity, Thresholds

MULTILINGUAL = Identity(
    name="multilingual",
    weights="sha256:1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    dimensions=384,
    pooling="mean",
    query_prefix="query: ",
    document_prefix="passage: ",
    window=512,
    stride=448,
)
MULTILINGUAL_THRESHOLDS = Thresholds(duplicate=0.97, related=0.87, causal=0.84, min_relevance=0.78)

_OPENAI_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}

# The tokenizer is not at hand, so windows are characters: at most four tokens each, of 8,191 that the API takes.
OPENAI = {
    model: Identity(
        name="openai",
        weights=f"openai/{model}",
        dimensions=dimensions,
        pooling="provider",
        window=2000,
        stride=1750,
    )
    for model, dimensions in _OPENAI_DIMENSIONS.items()
}
OPENAI_DEFAULT = "text-embedding-3-small"
