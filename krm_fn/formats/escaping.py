r"""One value, each layer: how a string has to be written so that its reader gets back exactly that string.

Every function is pure, and is judged by the program that reads the result (systemd, ``sh``), not by a description.

Sources: systemd ``src/basic/extract-word.c`` and ``src/shared/specifier.c`` for ``Environment=``; POSIX Shell Command
Language section 2.2 for quoting; RFC 3986 sections 2.3 and 3.2.1 for user info; Kubernetes
``third_party/forked/golang/expansion/expand.go`` for ``env``.
"""

from __future__ import annotations

import base64
import re

from krm_fn.formats import cached_by_line
from krm_fn.light_typing import NamedTuple

_CONTROL = r"[\x00-\x08\x0a-\x1f\x7f]"

_SYSTEMD_QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_SYSTEMD_WORD = rf"""(?xs)
    (?: [^ \t\r\n\0"'\\] | \\. | {_SYSTEMD_QUOTED} )+    # `A=1`, `"A=a b"`, `A=a\ b`
    (?: ["'\\][^\r\n]* )?                                # `A="b`: an open quote takes the rest of the line
    | ["'\\][^\r\n]*                                     # `"A=b`
"""
_SYSTEMD_SOUND = rf"""(?s)(?:[^ \t\r\n"'\\]|\\.|{_SYSTEMD_QUOTED})+"""
_UNKNOWN_ESCAPE = r"\\[^abfnrtvs\"']"
_SYSTEMD_PIECE = rf"\\(?P<escaped>.)|(?P<quoted>{_SYSTEMD_QUOTED})"
_SYSTEMD_LETTERS = dict(zip("abfnrtvs", "\a\b\f\n\r\t\v ", strict=True))
_OPEN_SPECIFIER = r"(?<!%)(?:%%)*%[A-Za-z0-9]"

_SHELL_TOKEN = re.compile(
    r"""(?xs)
    (?P<blank> (?: [ \t] | \\\n )+ | \#[^\n]* )    # `# why`
    | (?P<end> ; | && | \n )                       # `&&`
    | (?P<word> (?: '[^']*'                        # `'a b'`
                  | "(?:[^"\\]|\\.)*"              # `"a \" b"`
                  | \\.                            # `\ `
                  | [^\s'"\\;&|<>()]               # `a`
                )+ )
    """
)
_SHELL_PIECE = r"""(?xs)
    '(?P<single>[^']*)'                # `'a b'`
    | "(?P<double>(?:[^"\\]|\\.)*)"    # `"a \" b"`
    | \\(?P<escaped>.)                 # `\ `
    | (?P<plain>.)                     # `a`
"""
_EXPANDED_IN_QUOTES = r"(?<!\\)(?:\\\\)*[$`]"
_EXPANDED = frozenset("$`*?[]{}~!'\"\\")

_KUBERNETES_DOLLAR = r"\$(?!\{)"
_KUBERNETES_PIECE = r"\$[$(]"


class QuotedWord(NamedTuple):
    """One word of a line: ``line[start:end]`` is how it is written, ``value`` how its reader understands it.

    ``value`` is None where that cannot be known from the text alone.
    """

    start: int
    end: int
    value: str | None


def systemd(value: str) -> str:
    r"""Return the text between the quotes of ``Environment="NAME=..."`` in a systemd unit.

    A ``%`` is doubled because systemd resolves specifiers there: ``p%40ss`` would lose the whole variable.

    Raises:
        ValueError: the value holds a line break or another control character, which a unit file cannot carry.
    """
    if re.search(_CONTROL, value):
        raise ValueError(
            "a value for systemd must not hold a line break or another control character"
        )
    in_quotes = value.replace("\\", "\\\\").replace('"', '\\"')
    return in_quotes.replace("%", "%%").replace("\t", "\\t")


def shell(value: str) -> str:
    """Return ``value`` as one word of POSIX ``sh``, always in single quotes.

    Raises:
        ValueError: the value holds a NUL, which no shell word can carry.
    """
    if "\x00" in value:
        raise ValueError("a value for a shell must not hold a NUL character")
    return "'" + value.replace("'", "'\"'\"'") + "'"


def kubernetes_env(value: str) -> str:
    """Return ``value`` as ``env[].value``, where Kubernetes reads ``$$`` as ``$`` and expands ``$(NAME)``.

    In front of a brace ``$`` stays: ``$${NAME}`` would keep clusterctl and Flux from filling in ``${NAME}``.
    """
    return re.sub(_KUBERNETES_DOLLAR, "$$", value)


def read_kubernetes_env(value: str) -> str | None:
    """Return the value that a container gets for ``env[].value``; None if it refers to another variable."""
    last = value.rfind(")")  # without one behind it, `$(` is text
    for piece in re.finditer(_KUBERNETES_PIECE, value):
        if piece[0] == "$(" and piece.start() < last:
            return None
    return value.replace("$$", "$")


@cached_by_line
def systemd_words(line: str) -> tuple[QuotedWord, ...]:
    """Return the words of ``Environment=`` as systemd reads them, specifiers not resolved."""
    return tuple(
        QuotedWord(word.start(), word.end(), _read_systemd_word(word[0].replace("\0", "")))
        for word in re.finditer(_SYSTEMD_WORD, line)
    )


def _read_systemd_word(word: str) -> str | None:
    is_closed = re.fullmatch(_SYSTEMD_SOUND, word)
    if not is_closed or re.search(_UNKNOWN_ESCAPE, word.replace("\\\\", "")):
        return None

    def read(piece: re.Match[str]) -> str:
        if piece["quoted"]:
            return re.sub(r"\\(?P<escaped>.)(?P<quoted>)", read, piece["quoted"][1:-1])
        return _SYSTEMD_LETTERS.get(piece["escaped"], piece["escaped"])

    return re.sub(_SYSTEMD_PIECE, read, word)


def resolve_specifiers(value: str) -> str | None:
    """Return ``value`` with ``%%`` read as ``%``; None if another specifier makes it depend on the machine."""
    if re.search(_OPEN_SPECIFIER, value):
        return None
    return value.replace("%%", "%")


@cached_by_line
def shell_statements(command: str) -> tuple[tuple[QuotedWord, ...], ...] | None:
    """Return the words of each simple command of a script that has only ``;``, ``&&`` and line breaks.

    None for anything else: pipes, redirections, sub-shells, background jobs, an open quote. Comments are passed over.
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
            word = QuotedWord(token.start(), token.end(), shell_word(token["word"]))
            statements[-1].append(word)
        at = token.end()
    return tuple(tuple(statement) for statement in statements if statement)


@cached_by_line
def shell_word(word: str) -> str | None:
    """Return a word as a shell reads it; None if it expands a part of it."""
    read = ""
    for piece in re.finditer(_SHELL_PIECE, word):
        if piece["double"] is not None:
            if re.search(_EXPANDED_IN_QUOTES, piece["double"]):
                return None
            read += re.sub(r"(?s)\\([$`\"\\])|\\\n", r"\1", piece["double"])
        elif piece["plain"] in _EXPANDED:
            return None
        else:
            read += piece["single"] or piece["plain"] or (piece["escaped"] or "").replace("\n", "")
    return read


def base64_of(text: str) -> str:
    """Return a text in base64, on one line."""
    return base64.b64encode(text.encode()).decode()


def text_of_base64(text: str) -> str:
    """Return a text that is in base64, with any blanks and line breaks in it.

    Raises:
        ValueError: it is not base64, or not of a text in UTF-8.
    """
    return base64.b64decode("".join(text.split()), validate=True).decode()
