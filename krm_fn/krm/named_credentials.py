"""Credentials that a text shows by the name in front of them, such as ``token = "..."``, or by their own form.

Sources: TOML 1.0, INI, Java properties, shells (POSIX), JSON, XML; ``.npmrc`` (npm), ``.netrc`` (GNU inetutils),
``.curlrc`` (curl), ``cntlm.conf`` (cntlm), the ``config.json`` of Docker, kubeconfig; HTTP ``Authorization`` (RFC 9110,
section 11.6.2); private keys (RFC 7468); JWT (RFC 7519); tokens of GitHub, GitLab, Slack, Vault, npm and Docker by the
prefixes that these document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.printable import HIDDEN

_WORDS = ("token", "pass", "pwd", "secret", "key", "auth")
"""One of them is in each name."""
_SMALL_LETTERS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_NAME = (
    r"(?:token|passwd(?<!nopasswd)|password|passphrase|pass(?:(?<![a-z]pass)|(?<=proxypass))"
    r"|(?<=[_.;-])pwd|secret(?<![\w-]secret)"
    r"|(?:client|app|application|shared|webhook|signing|consumer|oauth2?|api|join)[_.-]?secret"
    r"|(?:api|access|secret|private|account|encryption|certificate)[_-]?key|client-key-data"
    r"|auth(?<![a-z]auth)|authorization)(?:[_-]?(?:base64|b64)|_?[0-9]{1,3})?"
)
_NAMED = rf"[\w./:@-]*({_NAME})"
_ASSIGNMENT = (
    rf"(?P<name>{_NAME})(?:(?P<quote>\\?[\"']\]?)?[ \t]{{0,8}}(?P<sign>=>|:=|=(?![=~])|:(?!:))"
    r"(?P<blanks>[ \t]{0,8})|(?P<tag>>)|(?P<space>[ \t]{1,8})(?=[^\s:=-]))"
)
_SCHEME = r"(?i)(?:bearer|basic|digest|token|negotiate|apikey)[ \t]{1,8}"
_HARMLESS = (
    r"(?i)(?:true|false|null|none|nil|yes|no|on|off|~|\*+|required|optional|undefined|\$\w+|\$\{\w+\}|\$\(.*|`.*"
    r"|\$?\{\{.*|<[^>]*>|(?-i:(?:/[a-z0-9._-]+){2,}))?[,;]?"
)
"""What stands for a value that is elsewhere, or says that there is none."""
_CODED = r"[A-Za-z0-9+/_-]{12,}={0,2}"
_QUOTED = (
    r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*'
    r"|'''(?:[^']|'(?!''))*"
    r'|\\"(?:[^"\\\n]|\\[^"\n])*'
    r"|\\'(?:[^'\\\n]|\\[^'\n])*"
    r'|"(?:[^"\\\n]|\\[^\n])*'
    r"|'[^'\n]*"
)
"""A value in quotes, without the quote at its end."""
_OPENING = r"\"\"\"|'''|\\?[\"']"
_BEHIND_QUOTE = r"[^\s,;&|)\]}<>]*"
_STRUCTURE = ("{", "[", "(")
_BEGIN_OF_LINE = " \t#/;-"
"""Blanks, and what begins a comment or an item of a list."""
_UP_TO_TAG = r"[^<\n]*"
_UP_TO_DOUBLE_QUOTE = r'[^"\n]*'
_UP_TO_SINGLE_QUOTE = r"[^'\n]*"
_LINE = r"[^\r\n]*"
_WORD = r"[^\s\"'`;|&<>]*"
_ONE_WORD = r"[^\s\"'`]+(?=[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z))"
_LETTER_OF_NAME = r"[\w./:@%-]"
_TEXT_OF_LINE = r"\S[^\r\n]*"
_OWN_FORM = (
    r"(?<![\w-])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|rt|dt|ft|cbt|ptt|soat|imt|agent)-[\w.-]{16,}"
    r"|xox[abeprs]-[\w-]{10,}|hvs\.[\w-]{16,}|npm_\w{20,}|dckr_pat_[\w-]{16,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?)"
    r"(?![\w@-]|:\S)"
)
_MARKS = ("gh", "github_", "gl", "xox", "hvs", "npm_", "dckr_", "eyj")
"""One of them begins each of these forms, in small letters."""
_USER_OF_CURL = (
    r"((?<![\w-])(?:-u|-U|--user|(?:--)?proxy-user)[ \t=]{1,8}([\"'])?[^\s:\"']{1,200}:)(?!\*\*\*|\$)"
    r"(?(2)[^\"'\n]+|[^\s\"']+)"
)
_BEARER = r"(?i)\b(bearer[ \t]{1,8})[A-Za-z0-9._~+/-]{16,}=*"
_NETRC = (
    r"(?im)(\blogin[ \t]{1,8}\S{1,200}\s{1,8}password[ \t]{1,8}"
    r"|^[ \t]{0,80}(?:password|passlm|passnt|passntlmv2)[ \t]{1,40}(?=\S{1,500}[ \t]{0,8}\r?$))\S{1,500}"
)
_PRIVATE_KEY = (
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)([\s\S]*?)"
    r"(-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)"
)


def shown_value(name: str, value: str) -> str:
    """Return what may be shown of the value of a member or a variable: all of it, unless it is a credential."""
    found = re.fullmatch(_NAMED, name.lower())
    start = _begin_of_secret(found[1], value) if found else None
    return value if start is None else f"{value[:start]}{HIDDEN}"


def without_tokens(text: str) -> str:
    """Return a text with ``***`` for private keys, tokens of a known form, and passwords in a command of curl."""
    if "PRIVATE KEY-----" in text:
        text = re.sub(_PRIVATE_KEY, _without_private_key, text)
    small = _in_small_letters(text)
    if _has_any(small, _MARKS):
        text = re.sub(_OWN_FORM, HIDDEN, text)
    if "curl" in small or "proxy-user" in small:
        text = re.sub(_USER_OF_CURL, rf"\1{HIDDEN}", text)
    return re.sub(_BEARER, rf"\1{HIDDEN}", text) if "bearer" in small else text


def without_named_values(text: str) -> str:
    """Return a text with ``***`` for each value behind the name of a credential.

    What refers to a value elsewhere stays (``${TOKEN}``, ``{{ .token }}``, a path), and so does each line break.
    """
    small = _in_small_letters(text)
    if not _has_any(small, _WORDS):
        return text
    parts: list[str] = []
    at = 0
    for start, end in _secrets(text):
        parts += [text[at:start], re.sub(_TEXT_OF_LINE, HIDDEN, text[start:end])]
        at = end
    text = "".join([*parts, text[at:]])
    return re.sub(_NETRC, rf"\1{HIDDEN}", text) if "pass" in small else text


def _in_small_letters(text: str) -> str:
    """Return a text with small letters for A to Z; each letter stays at its place, as ``lower`` alone cannot say."""
    return text.lower() if text.isascii() else text.translate(_SMALL_LETTERS)


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 - each text that is shown comes here: half the time of `any`
        if word in text:
            return True
    return False


def _begin_of_secret(name: str, value: str) -> int | None:
    """Return where in a value the credential begins; None if there is none."""
    start = 0
    if name.endswith("authorization"):
        scheme = re.match(_SCHEME, value)
        if scheme is None:
            return None
        start = scheme.end()
    secret = value[start:].strip()
    if re.fullmatch(_HARMLESS, secret):
        return None
    if name == "auth" and (secret.islower() or not re.fullmatch(_CODED, secret)):
        return None
    return start


def _secrets(text: str) -> Iterator[tuple[int, int]]:
    """Yield where credentials behind names begin and end, in order."""
    end = 0
    is_prose = "\n" not in text.rstrip("\n")
    for found in re.finditer(_ASSIGNMENT, _in_small_letters(text)):
        if found.start() < end:
            continue
        break_before = text.rfind("\n", end, found.start())
        is_first = break_before >= 0 or end == 0
        line = max(break_before + 1, end)
        start, end = _value(text, found, line, is_first=is_first, is_prose=is_prose)
        secret = _begin_of_secret(found["name"], text[start:end])
        if secret is not None:
            yield start + secret, end


def _value(
    text: str, found: re.Match[str], line: int, *, is_first: bool, is_prose: bool
) -> tuple[int, int]:
    """Return where the value behind a name begins and ends; twice the same place if there is none.

    Args:
        text: what was read.
        found: the name, and what is between it and the value.
        line: where its line begins, or where the value before it on the line ends.
        is_first: whether the line begins there.
        is_prose: whether the text is one line, which may be a sentence.
    """
    start = found.end()
    name = found.start()
    while name > line and re.match(_LETTER_OF_NAME, text[name - 1]):
        name -= 1
    before = text[name - 1] if name > line else ""
    is_option = text.startswith("-", name)
    has_colon = found["sign"] == ":"
    is_user = has_colon and not found["blanks"] and "://" in text[name : found.start()]
    if is_user or (found["tag"] and before != "<") or (found["space"] and not is_option):
        return start, start
    if found["tag"]:
        value = re.compile(_UP_TO_TAG).match(text, start)
    elif before == '"' and not found["quote"]:
        value = re.compile(_UP_TO_DOUBLE_QUOTE).match(text, start)
    elif before == "'" and not found["quote"]:
        value = re.compile(_UP_TO_SINGLE_QUOTE).match(text, start)
    elif opening := re.compile(_OPENING).match(text, start):
        return _value_in_quotes(text, opening)
    elif text.startswith(_STRUCTURE, start):
        return start, start
    elif has_colon and found["blanks"] and is_prose:
        value = re.compile(_ONE_WORD).match(text, start)
    elif is_first and not is_option and not text[line:name].strip(_BEGIN_OF_LINE):
        value = re.compile(_LINE).match(text, start)
    else:
        value = re.compile(_WORD).match(text, start)
    return start, value.end() if value else start


def _value_in_quotes(text: str, opening: re.Match[str]) -> tuple[int, int]:
    """Return where a value in quotes begins and ends.

    What is behind the closing quote without a blank belongs to it, as in a shell.
    """
    start = opening.start()
    value = re.compile(_QUOTED).match(text, start)
    if value is None:
        return start, start
    end = value.end()
    if not text.startswith(opening[0], end):
        return opening.end(), end
    behind = re.compile(_BEHIND_QUOTE).match(text, end + len(opening[0]))
    if behind is None or not behind[0]:
        return opening.end(), end
    rest = re.compile(_LINE).match(text, start) if {'"', "'"} & set(behind[0]) else behind
    return start, rest.end() if rest else end


def _without_private_key(found: re.Match[str]) -> str:
    """Return the begin and the end of a private key, and nothing that can be read between them."""
    return f"{found[1]}{re.sub(_TEXT_OF_LINE, HIDDEN, found[2])}{found[3]}"
