"""When two texts, or two names, are the same one: forms, keys and hashes.

All of these are pure functions of their arguments. They are part of the stored
format: a changed form would change which texts are exact repeats.
"""

from __future__ import annotations

import hashlib
import unicodedata


def exact_form(text: str) -> str:
    """The text as exact repeats are compared: NFC, runs of white space as one space, stripped; case is kept.

    Idempotent. Any `str` is accepted, lone surrogates too.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def exact_hash(text: str, partition: str, *, key: bytes = b"") -> bytes:
    """16 bytes of BLAKE2b over the partition and the exact form of `text`, keyed with the store's secret `key`.

    The partition's length goes in first, so that no two (partition, text) pairs share an input. `key` is at
    most 64 bytes; a longer one raises ValueError.
    """
    scope = partition.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(len(scope).to_bytes(8, "big"), digest_size=16, key=key)
    digest.update(scope)
    digest.update(exact_form(text).encode("utf-8", "surrogatepass"))
    return digest.digest()


def name_key(name: str) -> str:
    """The key an entity, category or tag is matched by: NFKC, case folded, white space collapsed and stripped.

    Idempotent. Follows NFKC case folding of The Unicode Standard, section 3.13 (D146).
    """
    folded = unicodedata.normalize("NFD", name).casefold()
    folded = unicodedata.normalize("NFKC", folded).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())
