"""When two texts, or two names, are the same one: forms, keys and hashes.

All of these are pure functions of their arguments. They are part of the stored
format: a changed form would change which texts are exact repeats.
"""

from __future__ import annotations

import unicodedata
from hashlib import blake2b


def exact_form(text: str) -> str:
    """The text as exact repeats are compared: NFC, runs of white space as one space, stripped; case is kept.

    Idempotent. Any `str` is accepted, lone surrogates too.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def name_key(name: str) -> str:
    """The key an entity, category or tag is matched by: NFKC, case folded, white space collapsed and stripped.

    Idempotent. Follows NFKC case folding of The Unicode Standard, section 3.13 (D146).
    """
    if name.isascii():
        return " ".join(name.lower().split())  # what the rest comes to
    folded = unicodedata.normalize("NFD", name).casefold()
    folded = unicodedata.normalize("NFKC", folded).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def form_hash(*parts: str) -> int:
    """64 bits of BLAKE2b over strings, unambiguous."""
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return int.from_bytes(digest.digest(), "big")
