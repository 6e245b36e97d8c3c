"""A text as the patterns read it: no disguise by width, style, hidden characters or letters that look alike."""

from __future__ import annotations

import unicodedata

from .invisible import HIDDEN
from .rule import compiled

_ALIKE = {
    **dict(zip("аеорсухівјѕԁһԛԝӏ", "aeopcyxibjsdhqwl", strict=True)),
    **dict(zip("АВЕЅІЈКМНОРСТУХԌԚԜ", "ABESIJKMHOPCTYXGQW", strict=True)),
    **dict(zip("αινορτυχ", "aivoptux", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True)),  # noqa: RUF001 - what looks alike is the point
    **dict(zip("ɑɡɩıꞌ\u2018\u2019\u201c\u201d", "agii'''\"\"", strict=True)),  # noqa: RUF001 - what looks alike is the point
}
_TABLE = str.maketrans(_ALIKE)
_LOOKS_LATIN = f"[{''.join(_ALIKE)}]"


def plain(text: str) -> str:
    """The text in compatibility form (NFKC), without hidden characters, look-alike letters as Latin ones.

    For searching only. Cyrillic and Greek words become gibberish here, which no pattern is made of.
    """
    if text.isascii():
        return text
    seen = compiled(HIDDEN).sub("", text)
    folded = unicodedata.normalize("NFKC", seen)
    return folded.translate(_TABLE) if compiled(_LOOKS_LATIN).search(folded) else folded
