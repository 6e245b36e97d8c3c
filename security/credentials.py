"""Credentials: by the format a provider gives them, and by a name with a value after it.

A provider's format is never honest prose, so it is never let pass. A name with
a value may be: "password: at least 12 characters". A text that prescribes
something ("When ...", "Always ...") is therefore held to a weaker rule.
"""

from __future__ import annotations

from .rule import Rule, Rules, compiled

_AFTER_NONE = r"(?<![A-Za-z0-9])"
_B64 = "[A-Za-z0-9_-]"

FORMATS = Rules(
    Rule("aws", ("AKIA", "ASIA", "AGPA"), rf"{_AFTER_NONE}(?:AKIA|ASIA|AGPA)[A-Z0-9]{{16}}(?![A-Za-z0-9])"),
    Rule("openai", ("sk-",), rf"{_AFTER_NONE}sk-(?:[A-Za-z0-9]{{20}}|(?:proj|svcacct|admin|None)-{_B64}{{20}})"),
    Rule("anthropic", ("sk-ant-",), rf"{_AFTER_NONE}sk-ant-{_B64}{{20}}"),
    Rule("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"{_AFTER_NONE}gh[pousr]_[A-Za-z0-9]{{36}}"),
    Rule("github-fine-grained", ("github_pat_",), r"github_pat_\w{22}"),
    Rule("gitlab", ("glpat-",), rf"glpat-{_B64}{{20}}"),
    Rule("slack", ("xox",), r"xox[abeoprs](?:\.xox[bp])?-(?=[a-z-]{0,20}[A-Z0-9])[A-Za-z0-9-]{10}"),
    Rule("slack-app", ("xapp-",), r"xapp-\d-[A-Z0-9]{6,20}-\d"),
    Rule("slack-webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows)/T\w{6,20}/\w{6,20}/\w{8}"),
    Rule("jwt", ("eyJ",), rf"(?<!{_B64})eyJ{_B64}{{8,}}\.eyJ{_B64}{{4,}}\."),
    Rule("private-key", ("PRIVATE KEY",), r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"),
    Rule("private-key", ("PuTTY-User-Key-File-",), r"PuTTY-User-Key-File-\d"),
    Rule("age", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{20}"),
    Rule("google", ("AIza",), rf"{_AFTER_NONE}AIza{_B64}{{35}}"),
    Rule("google-oauth", ("GOCSPX-",), rf"GOCSPX-{_B64}{{20}}"),
    Rule("stripe", ("k_live_", "k_test_"), rf"{_AFTER_NONE}[rs]k_(?:live|test)_[A-Za-z0-9]{{16}}"),
    Rule("hugging-face", ("hf_",), rf"{_AFTER_NONE}hf_[A-Za-z]{{34}}"),
    Rule("npm", ("npm_",), rf"{_AFTER_NONE}npm_[A-Za-z0-9]{{36}}"),
    Rule("pypi", ("pypi-AgE",), rf"pypi-AgE{_B64}{{20}}"),
    Rule("sendgrid", ("SG.",), rf"{_AFTER_NONE}SG\.{_B64}{{22}}\.{_B64}{{20}}"),
    Rule("digitalocean", ("_v1_",), r"do[opr]_v1_[a-f0-9]{40}"),
    Rule("telegram", (":AA",), rf"(?<!\d)\d{{8,10}}:AA{_B64}{{33}}"),
    Rule("azure-storage", ("AccountKey=",), r"AccountKey=[A-Za-z0-9+/]{40}"),
)
"""Formats of providers that anyone who sees them can use."""

_NAME = (
    r"(?<!:param )(?<!:type )(?:api[ _-]?key|secret(?:[ _-]access)?[ _-]?key|access[_-]?key|client[ _-]?secret"
    r"|passw(?:or)?d|passphrase|token|bearer)"
)
_NAMED = rf"{_NAME}[\"'`*]{{0,3}}([ \t]{{0,4}}(?::=|=>|[:=])[*]{{0,2}}[ \t]{{0,4}})[\"'`]{{0,3}}(\S{{8,100}})"
_IN_HEADER = r"\bbearer[ \t]{1,4}([a-z0-9._~+/=-]{20,100})"
_IN_ADDRESS = r"://[^\s/:@]{0,100}:([^\s/@]{8,100})@"
_WORDS = ("key", "passw", "passphrase", "token", "secret", "bearer")

_REFERENCE = (
    r"\$\{|\$\(|\$[a-z_]+\b|\{\{|\{[\w.]*\}|%[(s]|</|os\.environ|process\.env|[a-z_][\w.]*[(\[]|(?:[a-z_]+\.)+[a-z_]+\W*$"
    r"|[*x.•…]{6,}|[\[<]?redacted|(?:your|my)[_-]|\w{0,40}_(?:key|token|secret|password|passwd)\b"
)
"""Values that only say where the credential is: a variable, a call, a type, a mask, a stand-in."""
_WORD = r"[a-z._/|-]+"
_TRIM = "\"'`.,;:!?)*]}"
_MIXED_LENGTH = 12


def find_format(plain: str) -> str | None:
    """The name of a provider's format in a plain text, or None."""
    return FORMATS.first(plain)


def find_named(lowered: str, *, prescriptive: bool) -> str | None:
    """How a credential is given in a plain text in lower case: "named", "in-address", or None if there is none."""
    if any(word in lowered for word in _WORDS):
        for found in compiled(_NAMED).finditer(lowered):
            if _is_credential(found[2], attached=found[1].strip(" \t") == found[1], prescriptive=prescriptive):
                return "named"
        if "bearer" in lowered and any(map(_is_mixed, _values(_IN_HEADER, lowered))):
            return "named"
    if "://" in lowered and "@" in lowered:
        for value in _values(_IN_ADDRESS, lowered):
            if not compiled(_REFERENCE).match(value) and not compiled(_WORD).fullmatch(value):
                return "in-address"
    return None


def _values(expression: str, text: str) -> list[str]:
    return [found[1] for found in compiled(expression).finditer(text)]


def _is_credential(value: str, *, attached: bool, prescriptive: bool) -> bool:
    """Whether what follows a name is a credential and not a word about one."""
    if compiled(_REFERENCE).match(value):
        return False
    if not prescriptive:
        return True
    bare = value.strip(_TRIM)
    if attached and len(bare) >= 8:
        return compiled(_WORD).fullmatch(bare.replace("_", "-")) is None
    return _is_mixed(bare)


def _is_mixed(value: str) -> bool:
    """Letters and digits in one long run, as chance makes them."""
    letters = sum(map(str.isalpha, value))
    return len(value) >= _MIXED_LENGTH and 0 < letters < len(value) and any(map(str.isdigit, value))
