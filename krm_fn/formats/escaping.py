r"""One value, each layer: how a string has to be written so that its reader gets back exactly that string.

Every function is pure, ``str`` in and ``str`` out, and is judged by the program that reads the
result (systemd, ``sh``, ``bash``), not by a description of it.

Sources: systemd ``src/basic/extract-word.c``, ``src/basic/escape.c`` and ``src/shared/specifier.c`` for
``Environment=``; POSIX Shell Command Language section 2.2 for quoting; RFC 3986 sections 2.3 and 3.2.1 for user info;
Kubernetes ``third_party/forked/golang/expansion/expand.go`` for ``env``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from krm_fn.formats import CACHED_LINES
from krm_fn.light_typing import NamedTuple

_CONTROL = r"[\x00-\x08\x0a-\x1f\x7f]"

_BARE = re.compile(r"""[^\\'" \t\r\n]+""")
_C_ESCAPE = (
    r"""\\(?:(?P<letter>[abfnrtvs\\"'])|x(?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-3][0-7]{2})"""
    r"""|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8}))"""
)
_C_LETTERS = dict(zip("abfnrtvs\\\"'", "\a\b\f\n\r\t\v \\\"'", strict=True))
_OPEN_SPECIFIER = r"(?<!%)(?:%%)*%[A-Za-z0-9]"

_SHELL_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t]|\\\n)+|\#[^\n]*)|(?P<end>;|&&|\n)"""
    r"""|(?P<word>(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\;&|<>()])+)""",
    re.DOTALL,
)
_SHELL_PIECE = re.compile(
    r"""'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|\\(?P<escaped>.)|(?P<plain>.)""",
    re.DOTALL,
)
_DOUBLE_QUOTED_ESCAPE = r"""\\([$`"\\\n])"""
_EXPANDED_IN_QUOTES = r"(?<!\\)(?:\\\\)*[$`]"
_EXPANDED_UNQUOTED = frozenset("$`*?[]{}~!")

_KUBERNETES_DOLLAR = r"\$(?!\{)"
_KUBERNETES_PIECE = r"\$[$(]"


class QuotedWord(NamedTuple):
    """One word of a line: ``line[start:end]`` is how it is written, ``value`` what its reader makes of it.

    ``value`` is None where the reader makes nothing of it, or nothing that can be known from the text alone.
    """

    start: int
    end: int
    value: str | None


def systemd(value: str) -> str:
    r"""Return the text between the quotes of ``Environment="NAME=..."`` in a systemd unit.

    A ``%`` is doubled because systemd resolves specifiers there: ``p%40ss`` would lose the whole variable, and
    ``%C3`` would silently become a folder's name. ``$`` and ``'`` mean nothing there and stay.

    Raises:
        ValueError: the value holds a line break or another control character, which a unit file cannot carry.
    """
    if not value.isprintable() and re.search(_CONTROL, value):
        raise ValueError(
            "a value for systemd must not hold a line break or another control character"
        )
    in_quotes = value.replace("\\", "\\\\").replace('"', '\\"')
    return in_quotes.replace("%", "%%").replace("\t", "\\t")


def shell(value: str) -> str:
    """Return ``value`` as one word of POSIX ``sh``, always in single quotes.

    Nothing inside them is ever expanded.

    Raises:
        ValueError: the value holds a NUL, which no shell word can carry.
    """
    if "\x00" in value:
        raise ValueError("a value for a shell must not hold a NUL character")
    return "'" + value.replace("'", "'\"'\"'") + "'"


def url_user_info(raw: str) -> str:
    """Return a user name or password percent-encoded for a URL (RFC 3986: all but unreserved characters).

    What is a ``%`` and two hexadecimal digits already stays, so that encoding twice is encoding once.
    """
    from urllib.parse import quote  # noqa: PLC0415 -- few runs correct a user name or a password

    parts = re.split(r"(%[0-9A-Fa-f]{2})", raw)
    return "".join(part if index % 2 else quote(part, safe="") for index, part in enumerate(parts))


def kubernetes_env(value: str) -> str:
    """Return ``value`` as ``env[].value``, where Kubernetes reads ``$$`` as ``$`` and expands ``$(NAME)``.

    In front of a brace ``$`` means itself and stays: ``$${NAME}`` would keep clusterctl and Flux from filling in
    ``${NAME}``.
    """
    return re.sub(_KUBERNETES_DOLLAR, "$$", value)


def read_kubernetes_env(value: str) -> str | None:
    """Return the value that a container gets for ``env[].value``.

    None if it refers to another variable by ``$(NAME)``.
    """
    last = value.rfind(")")  # without one behind it, `$(` is text
    refers = any(
        found[0] == "$(" and found.start() < last for found in re.finditer(_KUBERNETES_PIECE, value)
    )
    return None if refers else value.replace("$$", "$")


@lru_cache(maxsize=CACHED_LINES)
def systemd_words(line: str) -> tuple[QuotedWord, ...]:
    """Return the words of ``Environment=`` as systemd reads them, unquoted and unescaped, specifiers not resolved.

    A word with an invalid escape or an open quote has no value; systemd gives up on the line there and ignores what
    follows. The words behind an invalid escape are returned nevertheless: correcting it brings them back.
    """
    words: list[QuotedWord] = []
    at = 0
    while (start := _next_word(line, at)) < len(line):
        words.append(_systemd_word(line, start))
        at = words[-1].end
    return tuple(words)


def resolve_specifiers(value: str) -> str | None:
    """Return ``value`` with ``%%`` read as ``%``.

    None if another specifier makes it depend on the machine.
    """
    if "%" not in value:
        return value
    return None if re.search(_OPEN_SPECIFIER, value) else value.replace("%%", "%")


@lru_cache(maxsize=CACHED_LINES)
def shell_statements(command: str) -> tuple[tuple[QuotedWord, ...], ...] | None:
    """Return the words of each simple command of a script that has only ``;``, ``&&`` and line breaks.

    None for anything else: pipes, redirections, sub-shells, background jobs, an open quote. Comments are passed over.
    The value of a word that the shell would expand (``$``, backticks, globs, braces, ``~``) is None.
    """
    statements: list[list[QuotedWord]] = [[]]
    at = 0
    while at < len(command):
        token = _SHELL_TOKEN.match(command, at)
        if token is None:
            return None
        if token["end"]:
            statements.append([])
        elif token["word"]:
            statements[-1].append(
                QuotedWord(token.start(), token.end(), _read_shell_word(token["word"]))
            )
        at = token.end()
    return tuple(tuple(statement) for statement in statements if statement)


def _next_word(line: str, at: int) -> int:
    while at < len(line) and line[at] in " \t\r\n":
        at += 1
    return at


def _systemd_word(line: str, start: int) -> QuotedWord:
    read, mark, sound, at = bytearray(), "", True, start
    while at < len(line):
        plain = _BARE.match(line, at)
        if plain:
            read += plain[0].encode(errors="surrogatepass")
            at = plain.end()
            continue
        char = line[at]
        if char == "\\":
            escape = re.compile(_C_ESCAPE).match(line, at)
            piece = _c_unescape(escape) if escape else b""
            sound = sound and bool(piece)
            read += piece
            at = escape.end() if escape else min(at + 2, len(line))
            continue
        if char == mark:
            mark = ""
        elif not mark and char in "'\"":
            mark = char
        elif not mark:
            break
        else:
            read += char.encode()
        at += 1
    return QuotedWord(start, at, _utf8(read) if sound and not mark else None)


def _c_unescape(escape: re.Match[str]) -> bytes:
    """Return the bytes of one C escape.

    None for those that systemd refuses (NUL, invalid characters).
    """
    if escape["letter"]:
        return _C_LETTERS[escape["letter"]].encode()
    if escape["byte"] or escape["octal"]:
        code = int(escape["byte"], 16) if escape["byte"] else int(escape["octal"], 8)
        return bytes([code]) if code else b""
    code = int(escape["short"] or escape["long"], 16)
    is_character = 0 < code < 0xD800 or 0xDFFF < code < 0x110000
    return chr(code).encode() if is_character else b""


def _utf8(read: bytearray) -> str | None:
    try:
        return read.decode()
    except UnicodeDecodeError:
        return None


def _read_shell_word(word: str) -> str | None:
    read = ""
    for piece in _SHELL_PIECE.finditer(word):
        double, plain = piece["double"], piece["plain"]
        if (
            double is not None and re.search(_EXPANDED_IN_QUOTES, double)
        ) or plain in _EXPANDED_UNQUOTED:
            return None
        if double is not None:
            read += re.sub(_DOUBLE_QUOTED_ESCAPE, lambda found: found[1].replace("\n", ""), double)
        elif piece["escaped"] is not None:
            read += piece["escaped"].replace("\n", "")
        else:
            read += piece["single"] if plain is None else plain
    return read
