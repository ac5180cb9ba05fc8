"""New data as YAML text, in the style of its neighbours.

The text means the same to YAML 1.1 and YAML 1.2: a string that one of them would take for something else is
quoted. It writes no anchors, tags, comments or folded lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache

import yaml

from krm_fn.errors import EditError
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.yamledit.data import ComplexKey, resolve
from krm_fn.yamledit.tree import newline_of


class Layout(NamedTuple):
    """How the author of a text lays it out.

    Attributes:
        step: columns that a nested mapping is indented by.
        dash: columns between a key and the dashes of the list below it (0: compact).
        width: columns between a dash and its item.
        newline: the line break.
        comment: the mark that begins a comment.
        json: flow collections are written as JSON.
        quotes: key of a neighbour -> the quote its value has (``""``, ``'``, ``"``); "" for items of a list.
        plain: texts of a list have a quote only where they need one.
        literals: a text of several lines is a literal block, and no text in double quotes.
    """

    step: int = 2
    dash: int = 0
    width: int = 2
    newline: str = "\n"
    comment: str = "#"
    json: bool = False
    quotes: Mapping[str, str] = {}
    plain: bool = False
    literals: bool = True

    def quote_for(self, name: str, value: Any) -> str:
        """Return the quote for a new value, as its neighbours under this key have it."""
        if self.plain and name == "" and isinstance(value, str) and is_plain(value):
            return ""
        return self.quotes.get(name, "")


class AuthorScalar(NamedTuple):
    """A value whose text is given: ``text`` as it was, or is to be, written, and its ``value``."""

    text: str
    value: Any


def plain_data(data: Any) -> Any:
    """Return a copy of data in which the value of an ``AuthorScalar`` stands for it."""
    if isinstance(data, AuthorScalar):
        return data.value
    if isinstance(data, dict):
        return {name: plain_data(member) for name, member in data.items()}
    if isinstance(data, list):
        return [plain_data(item) for item in data]
    return data


# None of them is printable, and nearly all texts are: `str.isprintable` spares them the pattern.
_NOT_PLAIN_CHARACTER = r"""(?x)
    [\x00-\x1f\x7f-\xa0]                              # control characters, and the blank that does not break
    | [\u2028\u2029]                                  # line breaks of YAML 1.1
    | [\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]  # marks of the direction of writing
    | [\ufeff\ud800-\udfff]                           # the byte order mark, halves of characters
"""
_PLAIN_IN_FLOW = r"[A-Za-z0-9_/.][\w./-]*"
_NOT_PLAIN = re.compile(r": | #|[: ]\Z|:,|\t")
# YAML 1.2.2, 7.4.3 (implicit keys): characters of a key that has no ``?`` before it.
_LONGEST_KEY = 1024
# Behind this column a new value is on one line: lines that are indented more would multiply the size of a text.
WIDEST = 200
_YAML_11_BOOL = {"y", "Y", "n", "N"}
# JSON leaves these bare: line breaks of YAML 1.1, characters that it refuses, marks of the direction of writing.
_TO_ESCAPE = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
_NOT_IN_BLOCK = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]"


@lru_cache(maxsize=1024)
def is_plain(text: str, *, flow: bool = False) -> bool:
    """Return whether ``text`` may be unquoted: both YAML versions read it as this string."""
    if flow:
        fits = re.fullmatch(_PLAIN_IN_FLOW, text) is not None
    else:
        first = text[:1]
        fits = first in ("_", "/", ".") or (first.isascii() and first.isalnum())
        if not text.isprintable() and re.search(_NOT_PLAIN_CHARACTER, text):
            return False
    if not fits or _NOT_PLAIN.search(text):
        return False
    return is_string_in_every_yaml(text)


def is_string_in_every_yaml(word: str) -> bool:
    """Return True if neither YAML 1.1 nor YAML 1.2 takes a plain scalar for something else than a string."""
    if not word or word in _YAML_11_BOOL:
        return False
    if not isinstance(resolve(word), str):
        return False
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(word[0], [])
    return not any(pattern.match(word) for _, pattern in resolvers)


def double_quoted(value: str) -> str:
    """Return ``value`` in double quotes, on one line."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return re.sub(_TO_ESCAPE, lambda match: f"\\u{ord(match[0]):04x}", text)


def fits_block(value: str) -> bool:
    """Return whether every character of a text can be in a block, or in single quotes: none needs an escape."""
    return value.replace("\n", "").isprintable() or not re.search(_NOT_IN_BLOCK, value)


def is_literal(value: Any) -> bool:
    """Return whether a value is a text of several lines that a literal block without ``|+`` can hold."""
    return (
        isinstance(value, str)
        and "\n" in value
        and not value.endswith("\n\n")
        and value.strip("\n ") != ""
        and not value.lstrip("\n ").startswith("\t")
        and fits_block(value)
    )


def key(name: str, *, flow: bool = False, json: bool = False) -> str:
    """Return a key on one line.

    Raises:
        EditError: it is the name of a key that is no text, which cannot be written again, or too long for a line.
    """
    text = scalar(name, flow=flow)
    if json:
        text = double_quoted(name)
    if isinstance(name, ComplexKey) or len(text) > _LONGEST_KEY:
        raise EditError(
            "a mapping there has a key that is a mapping or a list itself (as `{{ name }}` without quotes is), or one "
            f"of more than {_LONGEST_KEY} characters, and its layout leaves no place for the edit: write the key in "
            "quotes, or shorten it"
        )
    return text


def scalar(value: Any, *, flow: bool = False, quote: str = "") -> str:
    """Return one value on one line; ``quote`` is the author's and stays if it can hold the value."""
    if isinstance(value, AuthorScalar):
        if not flow or re.fullmatch(_PLAIN_IN_FLOW, value.text):
            return value.text
        value = value.value
    if not isinstance(value, str):
        return _constant(value)
    if not quote and is_plain(value, flow=flow):
        return value
    if quote == "'" and "\n" not in value and fits_block(value):
        return "'" + value.replace("'", "''") + "'"
    return double_quoted(value)


def _constant(value: Any) -> str:
    text = json.dumps(value)
    # YAML 1.1 takes a number with an exponent for a string unless it has a point.
    if isinstance(value, float) and "." not in text:
        return text.replace("e", ".0e", 1)
    return text


def flow(value: Any, style: Layout, quote: str = "") -> str:
    """Return ``value`` on one line, as JSON where the author writes JSON."""
    if isinstance(value, dict):
        members = []
        for name, item in value.items():
            member = key(name, flow=True, json=style.json)
            quote = style.quote_for(name, item)
            members.append(f"{member}: {flow(item, style, quote)}")
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        items = ", ".join([flow(item, style) for item in value])
        return f"[{items}]"
    if style.json:
        quote = '"'
        if isinstance(value, AuthorScalar):
            value = value.value
    return scalar(value, flow=True, quote=quote)


def behind(
    indicator: str, value: Any, column: int, style: Layout, quote: str = ""
) -> tuple[str, list[str]]:
    """Return the text behind a key or a dash at ``column``: the rest of its line, with a blank, and the lines below.

    Args:
        indicator: ``":"`` or ``"-"``.
        value: plain data.
        column: where the key, or the dash, begins.
        style: the layout around it.
        quote: the author's, which stays if it can hold the value.
    """
    has_lines = column <= WIDEST
    if value and isinstance(value, (dict, list)) and has_lines:
        if indicator == ":":
            indent = style.dash
            if isinstance(value, dict):
                indent = style.step
            return "", block(value, column + indent, style)
        column += style.width
        first, *below = block(value, column, style)
        gap = " " * (style.width - 1)
        return gap + first.lstrip(" "), below
    if isinstance(value, (dict, list)):
        return " " + flow(value, style), []
    if quote or not has_lines or not style.literals or not is_literal(value):
        return " " + scalar(value, quote=quote), []
    header = " |"
    if value.lstrip("\n").startswith(" "):
        header += str(style.step)
    if not value.endswith("\n"):
        header += "-"
    pad = " " * (column + style.step)
    lines = value.removesuffix("\n").split("\n")
    return header, [pad + line if line else "" for line in lines]


def block(value: Fields | list[Any], column: int, style: Layout) -> list[str]:
    """Return the lines of a collection that is not empty, its keys or dashes at ``column``."""
    lines = []
    pad = " " * column
    if isinstance(value, list):
        members = [("-", "", item) for item in value]
    else:
        members = [(":", name, member) for name, member in value.items()]
    for indicator, name, member in members:
        quote = style.quote_for(name, member)
        if isinstance(member, str) and "\n" in member:
            quote = ""  # it becomes a literal block
        rest, below = behind(indicator, member, column, style, quote)
        head = ""
        if indicator == ":":
            head = key(name)
        lines.append(f"{pad}{head}{indicator}{rest}")
        lines += below
    return lines


def block_text(value: Fields | list[Any], column: int = 0, *, like: str = "") -> str:
    """Return new lines with a collection in block style, with the line breaks of the text ``like``."""
    if not value:
        return ""
    newline = newline_of(like)
    lines = block(value, column, Layout())
    return newline.join([*lines, ""])
