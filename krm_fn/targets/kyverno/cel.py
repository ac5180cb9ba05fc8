"""Read string literals and name/value objects out of CEL expressions.

Source: the CEL language definition (github.com/google/cel-spec, doc/langdef.md, "Syntax" and "String and Bytes
Values"). Expressions are tokenized, not evaluated: what an expression computes is not known here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


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


class NamedValue(NamedTuple):
    """An object of an expression with a ``name`` that is a literal, and what its ``value`` is.

    ``literal`` is the string of a literal ``value``; None where ``value`` is computed. ``variable`` is the name in
    ``variables.<name>`` where ``value`` is nothing else than that reference, else "". ``start`` and ``end`` are those
    of the literal in the expression, with its quotes. ``tokens`` are those of ``value``.
    """

    name: str
    literal: str | None
    variable: str = ""
    start: int = 0
    end: int = 0
    tokens: tuple[Token, ...] = ()


_TOKEN = re.compile(
    r"""
    (?P<blank> [ \t\r\n\f]+ | //[^\n]* )
  | (?P<string> (?P<prefix> [rR][bB]? | [bB][rR]? )?
        (?P<quote> \"\"\" | ''' | " | ' ) )
  | (?P<word> [A-Za-z_][A-Za-z0-9_]* | [0-9][A-Za-z0-9_.]* )
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
_CLOSING_OF = {"{": "}", "[": "]", "(": ")"}
_TOKENS_OF_A_VARIABLE = 3  # `variables`, `.`, its name


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


def string_of(expression: str) -> str | None:
    """Return the string of an expression that is one string literal and nothing else; None for any other."""
    found = tokens(expression)
    return found[0].value if len(found) == 1 and found[0].kind is TokenKind.STRING else None


def joined(found: Sequence[Token], variables: Mapping[str, str]) -> str | None:
    """Return the string of literals and variables that are joined by ``+``; None where something else is among them.

    Args:
        found: the tokens of an expression.
        variables: what ``variables.<name>`` is, as far as it is known.
    """
    parts: list[str] = []
    at = 0
    while True:
        names = [token.text for token in found[at : at + _TOKENS_OF_A_VARIABLE]]
        if names[:2] == ["variables", "."] and names[-1] in variables:
            parts.append(variables[names[-1]])
            at += _TOKENS_OF_A_VARIABLE
        elif at < len(found) and found[at].value is not None:
            parts.append(found[at].value or "")
            at += 1
        else:
            return None
        if at == len(found):
            return "".join(parts)
        if found[at].text != "+":
            return None
        at += 1


def literal(text: str, like: str) -> str:
    """Return a string literal that denotes a text, with the quotes of another literal.

    Args:
        text: any text.
        like: a string literal; its prefix and a triple of quotes are not kept.
    """
    quote = "'" if like.lstrip("rRbB").startswith("'") else '"'
    parts = []
    for char in text:
        if char in ("\\", quote):
            parts.append(f"\\{char}")
        elif char < " " or char == "\x7f":
            parts.append(f"\\x{ord(char):02x}")
        else:
            parts.append(char)
    return f"{quote}{''.join(parts)}{quote}"


def named_values(expression: str) -> Iterator[NamedValue]:
    """Yield every object with the fields ``name`` and ``value``, in the order in which they end.

    Both map literals (``{"name": "A", "value": "b"}``) and messages (``Type{name: "A", value: "b"}``) count.
    """
    for fields in _objects(expression):
        yield from _named_value(fields)


def literal_members(expression: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of all objects whose value is a string literal, in the order in which the objects end."""
    for fields in _objects(expression):
        for name, value in fields.items():
            if len(value) == 1 and value[0].value is not None:
                yield name, value[0].value


def _objects(expression: str) -> Iterator[Mapping[str, Sequence[Token]]]:
    """Yield the fields of every map literal and message."""
    found = tokens(expression)
    open_groups: list[_Group] = []
    for index, token in enumerate(found):
        if token.kind is not TokenKind.SIGN:
            continue
        if token.text in _CLOSING_OF:
            open_groups.append(_Group(_CLOSING_OF[token.text], index + 1))
        elif open_groups and token.text == ",":
            open_groups[-1].end_field(found, index)
        elif open_groups and token.text == open_groups[-1].closing:
            group = open_groups.pop()
            group.end_field(found, index)
            if token.text == "}":
                yield group.fields


@dataclass
class _Group:
    """What an open bracket holds so far: the fields that have ended, and where the current one starts."""

    closing: str
    start: int
    fields: dict[str, Sequence[Token]] = field(default_factory=dict)

    def end_field(self, found: Sequence[Token], end: int) -> None:
        """Note the field from ``start`` to ``end`` if it has a plain key."""
        start, self.start = self.start, end + 1
        if end - start < 3 or found[start + 1].text != ":":
            return
        value = found[start + 2 : end]
        key = found[start].value if found[start].kind is TokenKind.STRING else found[start].text
        if key is not None:
            self.fields[key] = value


def _named_value(fields: Mapping[str, Sequence[Token]]) -> Iterator[NamedValue]:
    name, value = fields.get("name", ()), fields.get("value")
    if value is None or len(name) != 1 or name[0].value is None:
        return
    if len(value) == 1 and value[0].kind is TokenKind.STRING:
        token = value[0]
        yield NamedValue(name[0].value, token.value, "", token.start, token.end, (token,))
        return
    texts = [token.text for token in value]
    is_variable = len(texts) == _TOKENS_OF_A_VARIABLE and texts[:2] == ["variables", "."]
    yield NamedValue(name[0].value, None, texts[2] if is_variable else "", tokens=tuple(value))
