"""No credential in any output.

Secret is the user info of a URL, a value under the name of a credential, a private key, and what base64 or gzip of such
a text says. `redact` hides it in every message; `krm_fn.cli.masking` does so in the lines of a diff, where it also
hides what Secrets hold and the passwords of the run.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Mapping

from krm_fn.light_typing import Any
from krm_fn.printable import HIDDEN, printable
from krm_fn.proxy_url import split_url

# A password may hold any character, also "@", "/" and blanks that its author forgot to encode.
_PORT = r"""\d{1,5}(?=\s|$|[/?#,;|"'`)>\]}\\](?!\\*["']?[^\s"',]{0,200}@))"""
_USER = rf"(://[^\s:@/\[]*:)(?!{_PORT}|\*\*\*)"
_BEFORE_PASSWORD = re.compile(_USER)
_WORD = re.compile(r"""[^\s"']+""")
_WITHOUT_HOST = re.compile(rf"""{_USER}(?![${{<])[^\s"',;]+""")
_ENCODED = re.compile(r"(%3A%2F%2F[^\s%]*%3A)\S*?%40", re.IGNORECASE)
"""User and password of a URL inside of another one (RFC 3986, section 2.1)."""
_WITH_BREAK = re.compile(rf"{_USER}[^\s@/]*(?:\r?\n[ \t]*[^\s@/:]+){{1,3}}@")
_WITH_BLANKS = re.compile(rf"""(?:^|(?<=[\s"'=,`]))([^\s:@/"'=,`]+:)(?!{_PORT}|[\s/:*])""")
"""A user name without a scheme, whose password may hold blanks."""
_TOKEN_AS_USER = re.compile(
    r"(://)(?:[^\s:@/]{1,500}|[^\s:@/]{20,500}:[^\s@\"']{0,500}|[^\s:@/]{1,500}:(?:x|X|x-oauth-basic|oauth2)?)@"
)
_WITHOUT_SCHEME = re.compile(
    rf"""([^\s:@/"'=,`]:)(?!//|{_PORT}|\*\*\*)[^\s"',]{{1,500}}@(?!sha256:|sha512:)"""
)

_NAME = (
    r"(?:token|passwd(?<!nopasswd)|password|passphrase|(?<![a-z])pass|(?<=proxy)pass|(?<=[_.;-])pwd|(?<![\w-])secret"
    r"|(?:client|app|application|shared|webhook|signing|consumer|oauth2?|api|join)[_.-]?secret"
    r"|(?:api|access|secret|private|account|encryption|certificate)[_-]?key|client-key-data|authorization)"
    r"(?:[_-]?(?:base64|b64)|_?\d{1,3})?"
)
_HAS_NAME = re.compile(_NAME, re.IGNORECASE)
_IS_NAME = re.compile(rf"[\w./:-]*{_NAME}", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    rf"""({_NAME}\\?["']?[ \t]{{0,8}}(?:=>|:=|=(?![=~])|:(?=[ \t"'\\]))[ \t]{{0,8}})([^\r\n]{{1,300}})""",
    re.IGNORECASE,
)
_OPTION = re.compile(rf"""(--?[\w-]{{0,40}}{_NAME}[ \t]{{1,8}})(?!-)([^\s"']+)""", re.IGNORECASE)
_HARMLESS = re.compile(
    r"""["'\\]*(?:true|false|null|none|yes|no|on|off|~|\*+|\$\w+(?:["'\s].*)?|\$?\{.*|\$\(.*|`.*|<[^>]*>|\[.*|(?:/[\w.-]+){2,}"""
    r"""|(?:bearer|basic)\s+\$.*)?["'\\]*[,;}\]]*\s*""",
    re.IGNORECASE,
)
"""What stands for a value that is elsewhere, says that there is none, or is no single value."""
_PRIVATE_KEY = re.compile(
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)([\s\S]*?)(-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)"
)
_TOKEN = re.compile(
    r"(?<![\w-])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl[a-z]{2,5}-[\w.-]{16,}|xox[a-z]-[\w-]{10,}"
    r"|hvs\.[\w-]{16,}|npm_\w{20,}|dckr_pat_[\w-]{16,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?)(?![\w@-]|:\S)"
)
_USER_AND_PASSWORD = re.compile(r"[^\s:@/]+:(?!//|\d{1,5}$)\S+")
"""As HTTP has them in base64 (RFC 7617)."""
_SECRET_OBJECT = re.compile(r"""kind\\?["']?\s*:\s*\\?["']?Secret\b|\bstringData\\?["']?\s*:""")
_CODED = re.compile(
    r"[A-Za-z][A-Za-z0-9+/_-]{15,}={0,2}(?:\r?\n[ \t]*[A-Za-z0-9+/_-]+={0,2}(?=\s|\Z))*"
)
_GZIP = b"\x1f\x8b"
_LARGEST = 1024 * 1024
"""Bytes of gzip that are read; nobody packs a longer configuration into a manifest."""
_SHORTEST_PASSWORD = 4
_LONGEST_WORD = 7
"""Up to this length a password may be a part of other words, such as `proxy` of `http-proxy.conf`."""


def redact(value: Any, known: Callable[[str], str] | None = None) -> Any:
    """Return the data with credentials masked in texts at any depth; ``known`` masks further secrets."""
    if isinstance(value, str):
        return _masked(value, known)
    if isinstance(value, Mapping):
        return {key: _member(value, key, known) for key in value}
    if isinstance(value, (list, tuple)):
        return [redact(item, known) for item in value]
    return value


def _member(data: Mapping[Any, Any], key: Any, known: Callable[[str], str] | None) -> Any:
    """Return a member without a credential; an entry has its name in ``name``, beside ``value``."""
    value = data[key]
    name = data.get("name") if key == "value" else key
    if isinstance(value, (list, tuple)):
        return [_member({name: item}, name, known) for item in value]
    return HIDDEN if is_credential(name, value) else redact(value, known)


def is_credential(name: Any, value: Any) -> bool:
    """Return whether a value with this name is a credential, and no reference to one."""
    if not isinstance(name, str) or not isinstance(value, (str, int)) or isinstance(value, bool):
        return False
    return _IS_NAME.fullmatch(name) is not None and _HARMLESS.fullmatch(str(value)) is None


def shown_line(text: str) -> str:
    """Return the text on one line, credentials masked, control characters escaped."""
    line = _masked(" ".join(_masked(text).split()))
    before, at, behind = line.rpartition("@")
    found = _WITH_BLANKS.search(before)
    if found and behind and not before.endswith((" ", HIDDEN)) and not behind.startswith("sha"):
        line = f"{before[: found.end()]}{HIDDEN}{at}{behind}"
    return printable(line)


def holds_secret_object(text: str) -> bool:
    """Return whether a text looks like a manifest of a Secret."""
    return _SECRET_OBJECT.search(text) is not None


def _masked(text: str, known: Callable[[str], str] | None = None) -> str:
    """Return a text, with as many lines, without a credential."""
    text = known(text) if known else text
    if "@" in text and "\n" in text:
        text = _WITH_BREAK.sub(rf"\1{HIDDEN}@", text)
    text = _TOKEN.sub(HIDDEN, _PRIVATE_KEY.sub(_without_key, text))
    text = _CODED.sub(lambda coded: _without_coded(coded[0], known), text)
    is_alone = "\n" not in text.rstrip("\n")
    return "\n".join(_masked_line(line, is_alone=is_alone) for line in text.split("\n"))


def _masked_line(line: str, *, is_alone: bool) -> str:
    if "://" in line or "@" in line or "%40" in line:
        line = _without_user_info(line)
    if not _HAS_NAME.search(line):
        return line
    line = _OPTION.sub(_without_value, line)
    found = _ASSIGNMENT.search(line)
    while found:
        # One line may be a sentence of ours about a field: "spec.token: must be a text".
        has_words = found[1].rstrip().endswith(":") and " " in found[2].strip()
        is_sentence = is_alone and has_words and not re.search("[\"']", line[: found.start()])
        if not is_sentence and not _HARMLESS.fullmatch(found[2]):
            return f"{line[: found.end(1)]}{HIDDEN}"
        found = _ASSIGNMENT.search(line, found.end(1))
    return line


def _without_user_info(line: str) -> str:
    line = _ENCODED.sub(rf"\1{HIDDEN}%40", line)
    if "@" in line:
        line = _TOKEN_AS_USER.sub(rf"\1{HIDDEN}@", line)
        line = _without_password(_WORD.sub(lambda word: _without_password(word[0]), line))
        line = _WITHOUT_SCHEME.sub(rf"\1{HIDDEN}@", line)
    return _WITHOUT_HOST.sub(rf"\1{HIDDEN}", line)


def _without_password(text: str) -> str:
    """Hide everything from the first user name of a URL to the last "@": in linear time, as no single pattern is."""
    before, at, behind = text.rpartition("@")
    found = _BEFORE_PASSWORD.search(text)
    if found is None or found.end() > len(before):
        return text
    return f"{before[: found.end()]}{HIDDEN}{at}{behind}"


def _without_value(found: re.Match[str]) -> str:
    return found[0] if _HARMLESS.fullmatch(found[2]) else f"{found[1]}{HIDDEN}"


def _without_key(found: re.Match[str]) -> str:
    """Return the first and the last line of a private key."""
    return f"{found[1]}{_hidden_words(found[2])}{found[3]}"


def _without_coded(letters: str, known: Callable[[str], str] | None) -> str:
    """Return base64, or ``***`` for each of its lines if it says a credential."""
    text = _decoded("".join(letters.split()))
    if text is None:
        return letters
    is_secret = holds_secret_object(text) or _USER_AND_PASSWORD.fullmatch(text) is not None
    return _hidden_words(letters) if is_secret or _masked(text, known) != text else letters


def _hidden_words(text: str) -> str:
    return re.sub(r"\S+", HIDDEN, text)


def _decoded(letters: str) -> str | None:
    """Return the text that base64, or gzip in base64, says; None if it is no text."""
    bare = letters.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        raw = binascii.a2b_base64(bare + "=" * (-len(bare) % 4))
        return (_unpacked(raw) if raw.startswith(_GZIP) else raw).decode()
    except ValueError:
        return None


def _unpacked(raw: bytes) -> bytes:
    import zlib  # noqa: PLC0415 -- few texts hold gzip

    try:
        return zlib.decompressobj(wbits=31).decompress(raw, _LARGEST)
    except zlib.error:
        return b""


class ProxyPasswords:
    """The passwords of the proxies of a run, which a diff hides wherever they are."""

    def __init__(self, urls: Iterable[str] = ()) -> None:
        texts: set[str] = set()
        for url in urls:
            texts.update(_forms(url))
        patterns = []
        for text in sorted(texts, key=len, reverse=True):
            pattern = re.escape(text)
            is_word = len(text) <= _LONGEST_WORD
            patterns.append(rf"(?<![\w.-]){pattern}(?![\w.-])" if is_word else pattern)
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def hidden(self, text: str) -> str:
        """Return a text with ``***`` in the place of each password."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text


def _forms(url: str) -> Iterable[str]:
    """Yield the password of a URL as manifests hold it: encoded or not, escaped for systemd or Kubernetes, in base64."""  # noqa: E501
    from urllib.parse import quote, unquote  # noqa: PLC0415 -- only a diff needs it

    proxy = split_url(url.partition("://")[2])
    password = unquote(proxy.password)
    if len(password) < _SHORTEST_PASSWORD:
        return
    for text in (proxy.password, password, quote(password, safe="")):
        yield text
        yield text.replace("%", "%%")
        yield text.replace("$", "$$")
        for pair in (text, f"{unquote(proxy.user)}:{text}"):
            yield binascii.b2a_base64(pair.encode(), newline=False).decode().rstrip("=")
