"""Texts that carry data out when they are shown, run or followed: calls, images, shell pipes."""

from __future__ import annotations

import re

from .rule import Rule, Rules, compiled

_REACH = 300
"""Characters before a match in which what makes it one is looked for."""

_QUOTE = "[\"'`]"
_PRIVATE_FILE = (
    r"(?:\.ssh|\.aws|\.env\b|\.netrc|\.gnupg|\.kube|\.npmrc|\.pgpass|id_(?:rsa|dsa|ed25519|ecdsa)|/etc/(?:passwd|shadow)"
    r"|\.pem\b|\.key\b|credential|secret|_history)"
)
_PRIVATE_NAME = r"\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASSW|key|token|secret|passw)"


def _image(found: re.Match[str]) -> bool:
    """Whether `](http` ends an image and not a link."""
    text, end = found.string, found.start()
    line = text.rfind("\n", max(0, end - _REACH), end) + 1
    start = text.rfind("![", max(line, end - _REACH), end)
    return start >= 0 and text.find("](", start, end) < 0


def _fetched(found: re.Match[str]) -> bool:
    """Whether what goes into a shell was fetched from the network in the same command."""
    text, end = found.string, found.start()
    before = text[max(0, end - _REACH) : end].rpartition("\n\n")[2]
    return (
        "http" in before and compiled(r"\b(?:curl|wget|fetch|iwr|irm|Invoke-WebRequest)\b").search(before) is not None
    )


def _sends_secret(found: re.Match[str]) -> bool:
    """Whether a command line that reaches the network names a secret or a command in its address, or a secret file."""
    rest = found.string[found.start() : found.end() + _REACH].partition("\n")[0]
    if "http" not in rest:
        return False
    return (
        compiled(rf"https?://[^\s\"']{{0,200}}(?:\$\(|`|{_PRIVATE_NAME})").search(rest) is not None
        or compiled(
            rf"(?:-d|-F|-T|--data[a-z-]*|--form|--upload-file|--post-file|--body-file)[ =]?[^|]{{0,80}}{_PRIVATE_FILE}"
        ).search(rest)
        is not None
    )


def _piped_secret(found: re.Match[str]) -> bool:
    """Whether what is piped to the network is a secret file or the environment."""
    before = found.string[max(0, found.start() - _REACH) : found.start()].rpartition("\n")[2]
    return compiled(rf"{_PRIVATE_FILE}|\b(?:printenv|env)\s*$").search(before) is not None


RULES = Rules(
    Rule(
        "network-call",
        ("http",),
        rf"\b(?:fetch|curl|wget|urlopen|(?:requests|httpx|axios)\.(?:get|post|put))\s{{0,8}}\(\s{{0,8}}{_QUOTE}https?://",
    ),
    Rule(
        "image-tag",
        ("<img", "<IMG", "<Img"),
        rf"(?i:<img\b[^<>]{{0,500}}?\bsrc\s{{0,8}}=\s{{0,8}}{_QUOTE}?\s{{0,8}}https?://)",
    ),
    Rule("markdown-image", ("![",), r"\]\(\s{0,8}<?https?://", _image),
    Rule(
        "fetched-script",
        ("|",),
        r"\|\s{0,8}(?:sudo\s{1,8}(?:-\w{1,8}\s{1,8}){0,3})?(?:(?:/usr)?/bin/)?(?:env\s{1,8})?(?:(?:ba|z|da|k|a)?sh|fish|python3?|perl|ruby|node|iex|Invoke-Expression)\b",
        _fetched,
    ),
    Rule(
        "fetched-script",
        ("<(", "$(", "`"),
        r"(?:\b(?:ba|z|da|k)?sh|\bsource|\beval|(?<!\S)\.)\s{1,8}(?:-c\s{1,8})?[\"']?(?:<\(|\$\(|`)\s{0,8}(?:curl|wget)\b",
    ),
    Rule("secret-sent", ("curl", "wget"), r"\b(?:curl|wget)\s", _sends_secret),
    Rule("secret-piped", ("|",), r"\|\s{0,8}(?:curl|wget|nc|ncat|netcat|socat)\b", _piped_secret),
    Rule(
        "reverse-shell",
        ("/dev/tcp/", "/dev/udp/", "nc ", "ncat "),
        r"/dev/(?:tcp|udp)/[\w.$-]{1,100}/|\bn(?:c|cat)\s{1,8}(?:-\w{1,8}\s{1,8}){0,3}-\w{0,6}e\b",
    ),
)


def find_exfiltration(plain: str) -> str | None:
    """The name of a way out for data in a plain text, or None."""
    return RULES.first(plain)
