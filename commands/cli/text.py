"""Text from the command line or, for `-`, from standard input."""

from __future__ import annotations

import sys

from ...errors import InvalidInput

STDIN = "-"


def given(text: str, *, what: str = "text") -> str:
    """The text, or standard input for `-`, without its last line break.

    Raises:
        InvalidInput: It is not UTF-8.
    """
    if text == STDIN:
        return decoded(sys.stdin.buffer.read(), what="standard input").rstrip("\r\n")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        byte = ord(text[error.start]) - 0xDC00
        raise InvalidInput(
            f"the {what} is not UTF-8: byte 0x{byte:02x} after {error.start} characters",
            remedy="convert it first, for example with `iconv -t UTF-8`",
        ) from None
    return text


def decoded(data: bytes, *, what: str) -> str:
    """Bytes as UTF-8.

    Raises:
        InvalidInput: They are not.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{what} is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}",
            remedy="convert it first, for example with `iconv -t UTF-8`",
        ) from None
