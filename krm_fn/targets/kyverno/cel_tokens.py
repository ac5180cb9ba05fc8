"""Cut a CEL expression into its tokens, with the texts that its string literals denote.

Source: the CEL language definition (github.com/google/cel-spec, doc/langdef.md, "Syntax" and "String and Bytes
Values").
"""

from __future__ import annotations

import re
from enum import Enum

from krm_fn.light_typing import NamedTuple


class TokenKind(Enum):
    """What one token of an expression is."""

    STRING = "string"
    WORD = "word"
    SIGN = "sign"


class Token(NamedTuple):
    """One token: ``text`` as written, from ``start`` to ``end``; ``value`` is the string that a literal denotes.

    ``value`` is None for words, signs and bytes, and for a literal with an escape that CEL does not define.
    """

    kind: TokenKind
    text: str
    start: int
    end: int
    value: str | None = None


_TOKEN = re.compile(
    r"""
    (?P<blank> [ \t\r\n\f]+ | //[^\n]* )
  | (?P<string> (?P<prefix> [rR][bB]? | [bB][rR]? )?
        (?P<quote> \"\"\" | ''' | " | ' ) )
  | (?P<word> [A-Za-z_][A-Za-z0-9_]* | [0-9][A-Za-z0-9_.]* | `[^`\n]+` )
  | (?P<sign> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_SIMPLE_ESCAPES = {
    **dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)),
    **{char: char for char in "\\?\"'`"},
}
_ESCAPE = re.compile(
    r"\\(?:x(?P<x>[0-9A-Fa-f]{2})|u(?P<u>[0-9A-Fa-f]{4})|U(?P<U>[0-9A-Fa-f]{8})|(?P<octal>[0-3][0-7]{2})|(?P<char>.))",
    re.DOTALL,
)


def tokens(expression: str) -> list[Token]:
    """Return the tokens of an expression, without blanks and comments.

    A string literal that is not closed ends the list: CEL rejects such an expression.
    """
    found: list[Token] = []
    position = 0
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        if match is None:  # every character is at least a sign
            break
        if match["string"]:
            literal = _string(expression, match)
            if literal is None:
                break
            found.append(literal)
        elif match["word"]:
            found.append(Token(TokenKind.WORD, match["word"], *match.span()))
        elif match["sign"]:
            found.append(Token(TokenKind.SIGN, match["sign"], *match.span()))
        position = found[-1].end if match["string"] else match.end()
    return found


def _string(expression: str, opening: re.Match[str]) -> Token | None:
    quote, prefix = opening["quote"], (opening["prefix"] or "").lower()
    start = opening.start()
    position = opening.end()
    while not expression.startswith(quote, position):
        if position >= len(expression):
            return None
        is_escape = expression[position] == "\\" and "r" not in prefix
        position += 2 if is_escape else 1
    content = expression[opening.end() : position]
    end = position + len(quote)
    if "b" in prefix:
        value = None
    elif "r" in prefix:
        value = content
    else:
        value = _unescaped(content)
    return Token(TokenKind.STRING, expression[start:end], start, end, value)


def _unescaped(content: str) -> str | None:
    """Return the text with its escapes resolved; None where CEL does not define one of them."""
    parts: list[str] = []
    position = 0
    for match in _ESCAPE.finditer(content):
        parts.append(content[position : match.start()])
        position = match.end()
        if match["char"]:
            if match["char"] not in _SIMPLE_ESCAPES:
                return None
            parts.append(_SIMPLE_ESCAPES[match["char"]])
            continue
        if match["octal"]:
            code = int(match["octal"], 8)
        else:
            code = int(match["x"] or match["u"] or match["U"], 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            return None
        parts.append(chr(code))
    return "".join([*parts, content[position:]])
