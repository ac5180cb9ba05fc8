"""No credential in any output: what is known to be secret goes first, then what looks like a credential.

Every text that the program prints passes through here. What base64 and gzip in it say counts as shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from krm_fn.light_typing import Any, NamedTuple
from krm_fn.printable import printable

# A password may hold any character, also "@", "/" and blanks that its author forgot to encode: everything up to the
# last "@" of the part of the line goes. A part is a URL with what is behind it, or what is between such parts.
_USER = r"://[^\s:@/]*:"
_USER_ALONE = r"://[^\s:@/]+@"
# "user:secret@proxy:3128" in a manifest is a credential too.
_USER_WITHOUT_SCHEME = r"""[^\s:@/"'=,`]:(?!//)"""
_WORD = r"\S+"
_LONG_NAME = 20
_FILLERS = frozenset({"", "x", "X", "x-oauth-basic", "oauth2"})
"""What is in the place of a password where the user name is a token (GitHub, GitLab and others)."""
# ... and its password may hold blanks; a colon with a blank behind it is prose.
_USER_BEFORE_BLANKS = r"""(?:^|(?<=[\s"'=,`]))[^\s:@/"'=,`]+:(?=[^\s/:*])"""
_UNMASKED = r"(?<!\*\*\*)(?<=\S)@\S"


# A password with a raw line break in it; what is a port before the break is none.
_USER_BEFORE_BREAK = r"""(://[^\s:@/]*:)(?!\d{1,5}["']?\s)[^\s@/]*(?:\r?\n[ \t]*[^\s@/:]+){1,3}@"""
# "http://svc:secret", of which somebody forgot the host: what is behind the colon is no port.
_USER_OF_OPEN = r"""(://[^\s:@/\[\]"'=,]*:)"""
_OPEN = (
    r"""(?!\d{1,5}(?:\\[nrt]|(?![^\s/?#,;|"'()<>\]}`]))|\*\*\*|[${<])[^\s/,"'`]+(?![^\s/,"'`])"""
)
_USER_WITHOUT_HOST = _USER_OF_OPEN + _OPEN
# A quote with a backslash, as in JSON, ends a port where the next quote, an escape or the end is behind it:
# before other letters, also behind a blank, it may be of a password.
_NO_PORT_IN_QUOTES = r"""(?!\d{1,5}\\+["'][\s,;:)\]}]*(?:["']|\\+[nrt"']|\Z))"""
_USER_WITHOUT_AT = _USER_OF_OPEN + _NO_PORT_IN_QUOTES + _OPEN


_PERCENT_ENCODED = r"""(%3[Aa]|(?<=[^\s:]):)(?!//|%2[Ff]%2[Ff]|\*\*\*)[^\s"'@]{1,1000}%40"""
"""User and password as a URL has them inside another one (RFC 3986, section 2.1)."""
_SECRET_OBJECT = r"""kind\\?["']?\s*:\s*\\?["']?Secret\b"""  # noqa: S105 -- a pattern
_BASIC = r"[^\s:@/]+:(?!//|\d{1,5}$)\S+"
"""User and password as HTTP has them in base64 (RFC 7617)."""
_MOST_TEXTS = 4
"""So often a text may be inside of another one; what is deeper is not shown."""


class Within(NamedTuple):
    """What is around a text: how many ``texts``, encoded or not, and whether one of them was packed."""

    texts: int = 0
    is_unpacked: bool = False

    @property
    def is_deepest(self) -> bool:
        """Whether nobody reads what is inside of this text, so that it is not shown."""
        return self.texts >= _MOST_TEXTS


OUTERMOST = Within()


def redact(value: Any, known: Callable[[str], str] | None = None) -> Any:
    """Return the same data without a credential, in strings at any depth.

    ``user:password@`` becomes ``user:***@``. A user name is hidden, too, where it is likely to be a token: it is long,
    or its password is only a filler. Base64 of a text with a password, or of a Secret, becomes ``***``.

    Args:
        value: plain data.
        known: returns a text without what is known to be secret.
    """
    if isinstance(value, str):
        return masked(value, lambda text, _: known(text) if known else text)
    if isinstance(value, Mapping):
        return {key: _redacted_member(value, key, known) for key in value}
    if isinstance(value, (list, tuple)):
        return [redact(item, known) for item in value]
    return value


def _redacted_member(data: Mapping[Any, Any], key: Any, known: Callable[[str], str] | None) -> Any:
    """Return what may be shown of a member of a mapping; the name of a variable is beside its ``value``."""
    value = data[key]
    name = data.get("name") if key == "value" else key
    return _redacted_value(value, name, known) if isinstance(name, str) else redact(value, known)


def _redacted_value(value: Any, name: str, known: Callable[[str], str] | None) -> Any:
    """Return what may be shown of the value with a name, or of an item of it."""
    if isinstance(value, (list, tuple)):
        return [_redacted_value(item, name, known) for item in value]
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        from krm_fn.krm.named_credentials import shown_value  # noqa: PLC0415 -- see `_for_texts`

        shown = shown_value(name, str(value))
        if shown != str(value):
            return shown
    return redact(value, known)


def shown_line(text: str) -> str:
    """Return a text on one line, without a credential and without what a terminal would carry out."""
    if "\n" in text:  # which may be in a password, or in base64
        text = str(redact(text))
    return printable(str(redact(" ".join(text.split()))))


def masked(text: str, known: Callable[[str, Within], str], within: Within = OUTERMOST) -> str:
    """Return a text without a credential.

    What is known goes first, then what has the form of one, what base64 says, and what a URL or a name says to be one.

    Args:
        text: any text.
        known: returns a text without what is known to be secret; it is asked of decoded texts, too.
        within: what is around the text.
    """
    without_coded, without_tokens, without_named_values = _for_texts()

    def is_hidden(decoded: str, is_packed: bool) -> bool:
        # Gzip in gzip may be of any length.
        if within.is_deepest or (is_packed and within.is_unpacked):
            return True
        if holds_secret_object(decoded) or re.fullmatch(_BASIC, decoded):
            return True
        inner = Within(within.texts + 1, within.is_unpacked or is_packed)
        return masked(decoded, known, inner) != decoded

    text = without_coded(without_tokens(known(text, within)), is_hidden)
    # A value ends in a URL where its name is a part of the password there: URLs go first.
    return without_named_values(_redacted(text))


@cache
def _for_texts() -> tuple[
    Callable[[str, Callable[[str, bool], bool]], str], Callable[[str], str], Callable[[str], str]
]:
    """Return what masks coded texts, tokens and named values: a run that prints no text does not import them."""
    from krm_fn.krm.coded_text import without_coded  # noqa: PLC0415
    from krm_fn.krm.named_credentials import without_named_values, without_tokens  # noqa: PLC0415

    return without_coded, without_tokens, without_named_values


def holds_secret_object(text: str) -> bool:
    """Return whether a text that need not be YAML looks like one with a Secret in it."""
    return re.search(_SECRET_OBJECT, text) is not None


def _redacted(text: str) -> str:
    """Return a text without what its letters show as a credential."""
    if "@" in text:
        text = re.sub(_USER_BEFORE_BREAK, r"\1***@", text) if "\n" in text else text
        text = "\n".join(map(_redact_line, text.split("\n")))
    if "://" in text:
        # Before an "@", on a later line too, what looks like a port in quotes may be of a password.
        if "@" in text:
            text = re.sub(_USER_WITHOUT_HOST, r"\1***", text)
        else:
            text = re.sub(_USER_WITHOUT_AT, r"\1***", text)
    return re.sub(_PERCENT_ENCODED, r"\1***%40", text) if "%40" in text else text


def has_open_credential(text: str) -> bool:
    """Return whether a URL of a text has a user name, and no "@" behind it: what follows may be its password."""
    found = list(re.finditer(_USER_WITHOUT_HOST, text))
    return bool(found) and "@" not in text[found[-1].end(1) :]


def _redact_line(line: str) -> str:
    if "@" not in line:
        return line
    parts: list[str] = []
    position = 0
    for start, end in _urls(line):
        parts += [_redact_part(line[position:start]), _redact_part(line[start:end])]
        position = end
    return "".join([*parts, _redact_part(line[position:])])


_NO_PORT = r"""(?!\d{1,5}(?![^\s/?#,;|"'()<>\]}`]))"""
_TOKEN_OF_LINE = (
    r"""(?P<scheme>(?<![^\s"'=,;|(){}\[\]<>`])[A-Za-z][A-Za-z0-9+.-]*://(?!@))"""
    rf"(?P<name>[^\s:@/]*:{_NO_PORT})?"
    rf"""|(?P<user>[^\s:@/"'=,`]:(?!\s|//){_NO_PORT})"""
    r"|(?P<at>@)|(?P<blank>\s)"
)
"""What begins a URL, what may end a user name (a port behind the colon says it is none), and what ends a password."""

_END_IN_QUOTES = (
    r"@(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?/?"
    r"""(?=\\*(["'])(?:[\s,;:)\]}]|$))"""
)
"""The host of a URL up to the quote that ends it."""


def _urls(line: str) -> Iterator[tuple[int, int]]:
    """Yield where URLs of a line begin, and where what may belong to each of them ends.

    That is the quote that ends a URL in quotes, else the next URL or the end of the line. Where a user name was seen
    and no "@" yet, what looks like the next URL may be in a password, and belongs to the one before.
    """
    start = -1
    quote = ""
    is_open = False
    for token in re.finditer(_TOKEN_OF_LINE, line):
        if token["scheme"]:
            opening = _opening_quote(line, token.start())
            if is_open and not (opening and start < 0):
                continue
            if start >= 0:
                yield start, token.start()
            start, quote, is_open = token.start(), opening, bool(token["name"])
        elif token["user"]:
            is_open = True
        elif token["at"]:
            is_open = False
            end = (
                re.compile(_END_IN_QUOTES).match(line, token.start())
                if start >= 0 and quote
                else None
            )
            if end and end[1] == quote:
                yield start, end.end()
                start = -1
        elif start < 0:
            is_open = False
    if start >= 0:
        yield start, len(line)


def _opening_quote(line: str, start: int) -> str:
    """Return the quote right before a position, if a value can begin with it; else nothing."""
    quote = line[start - 1 : start]
    before = line[start - 2] if start > 1 else " "
    return quote if quote in ("'", '"') and before in "\\ \t=:,([{" else ""


def _redact_part(line: str) -> str:
    if "@" not in line:
        return line
    line = re.sub(_USER_ALONE, "://***@", _masked(line, _USER))
    line = re.sub(_WORD, lambda word: _masked(word[0], _USER_WITHOUT_SCHEME), line)
    is_unmasked = re.compile(_UNMASKED).match(line, line.rindex("@"))
    return _masked(line, _USER_BEFORE_BLANKS) if is_unmasked else line


def _masked(text: str, user: str) -> str:
    """Mask everything from the first ``user`` to the last "@": in linear time, as one pattern for both is not."""
    before, _, behind = text.rpartition("@")
    found = re.search(user, before)
    if found is None:
        return text
    name, password = found[0].removeprefix("://").removesuffix(":"), before[found.end() :]
    if user == _USER and (len(name) >= _LONG_NAME or password in _FILLERS):
        return f"{before[: found.start()]}://***@{behind}"
    return f"{before[: found.end()]}***@{behind}"
