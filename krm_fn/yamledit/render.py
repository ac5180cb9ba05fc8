"""Plain data as YAML text in a given style.

What it writes means the same to YAML 1.1 and YAML 1.2; a string that one of them would take for
something else is quoted. It writes no anchors, tags, comments or folded lines.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

import yaml

from krm_fn.errors import EditError
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.yamledit.breaks import newline_of
from krm_fn.yamledit.view import ComplexKey, resolve


class Layout(NamedTuple):
    """How the author of a text lays it out.

    Attributes:
        step: columns that a nested mapping is indented by.
        dash: columns between a key and the dashes of the list below it (0: compact).
        width: columns between a dash and what it introduces.
        newline: the line break.
        json: flow collections are written as JSON.
        quotes: key of a neighbour -> the quote its value has (``""``, ``'``, ``"``); an unknown key is as it must be.
        literals: a text of several lines is a literal block. It is in double quotes in a document that holds U+2028 or
            U+2029: where one of them ends the line of a literal block, it would be a word of that block.
    """

    step: int = 2
    dash: int = 0
    width: int = 2
    newline: str = "\n"
    json: bool = False
    quotes: tuple[tuple[str, str], ...] = ()
    literals: bool = True


class Raw(NamedTuple):
    """A scalar that keeps the words of its author: ``text`` as it was written, ``value`` what it means."""

    text: str
    value: Any


_NOT_PLAIN_CHARACTER = (
    r"[\x00-\x1f\x7f-\xa0\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_PLAIN_IN_FLOW = r"[A-Za-z0-9_/.][\w./-]*"
_NOT_PLAIN = re.compile(r": | #|[: ]\Z|:,|\t")
_LONGEST_KEY = 1024
"""YAML 1.2.2, 7.4.3 (implicit keys): characters of a key that has no ``?`` before it."""
_TEXTS = 1024
"""Entries of the cache of ``is_plain``: the same keys and values occur in many objects."""
_YAML_11_BOOL = frozenset({"y", "Y", "n", "N"})
# What YAML 1.1 takes for a line break or refuses, JSON leaves bare; so it does marks of the direction of writing, which
# would show another text than there is.
_TO_ESCAPE = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
_NOT_IN_BLOCK = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]"


@lru_cache(maxsize=_TEXTS)
def is_plain(text: str, *, flow: bool = False) -> bool:
    """Return whether ``text`` may be unquoted: both YAML versions read it as this string."""
    fits = re.fullmatch(_PLAIN_IN_FLOW, text) is not None if flow else _has_plain_characters(text)
    return fits and not _NOT_PLAIN.search(text) and is_string_in_every_yaml(text)


def _has_plain_characters(text: str) -> bool:
    first = text[:1]
    if not (first.isascii() and first.isalnum()) and first not in ("_", "/", "."):
        return False
    is_ascii = text.isascii() and text.isprintable()  # as nearly every text is
    return is_ascii or re.search(_NOT_PLAIN_CHARACTER, text) is None


def is_string_in_every_yaml(word: str) -> bool:
    """Return True if neither YAML 1.1 nor YAML 1.2 takes a plain scalar for something else than a string."""
    if not word or word in _YAML_11_BOOL or not isinstance(resolve(word), str):
        return False
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(word[0], [])
    return not any(pattern.match(word) for _, pattern in resolvers)


def key(name: str, *, flow: bool = False, json: bool = False) -> str:
    """Return a key on one line.

    Raises:
        EditError: it is the name of a key that is no text, which cannot be written again, or too long for a line.
    """
    if isinstance(name, ComplexKey):
        raise EditError(
            "a mapping there has a key that is a mapping or a list itself (as `{{ name }}` without quotes is), and "
            "its layout leaves no place for the edit: write the key in quotes"
        )
    text = double_quoted(name) if json else scalar(name, flow=flow)
    if len(text) > _LONGEST_KEY:
        raise EditError(
            f"a mapping there has a key of more than {_LONGEST_KEY} characters, and its layout leaves no place for the "
            "edit: shorten the key"
        )
    return text


def scalar(value: Any, *, flow: bool = False, quote: str = "") -> str:
    """Return one value on one line.

    ``quote`` is the author's and stays if it can hold the value.
    """
    if isinstance(value, Raw):
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
    return text.replace("e", ".0e", 1) if isinstance(value, float) and "." not in text else text


def double_quoted(value: str) -> str:
    """Return ``value`` in double quotes, on one line."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return re.sub(_TO_ESCAPE, lambda match: f"\\u{ord(match[0]):04x}", text)


def fits_block(value: str) -> bool:
    """Return whether every character of a text can be in a block, or in single quotes: none needs an escape."""
    return value.replace("\n", "").isprintable() or re.search(_NOT_IN_BLOCK, value) is None


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


def literal(value: str, indent: int, style: Layout) -> tuple[str, list[str]]:
    """Return the header (``|``, ``|-``, ``|2`` …) and the lines of a literal block whose content is at ``indent``."""
    hint = str(style.step) if value.lstrip("\n").startswith(" ") else ""
    chomping = "" if value.endswith("\n") else "-"
    lines = value.removesuffix("\n").split("\n")
    return f"|{hint}{chomping}", [" " * indent + line if line else "" for line in lines]


def flow(value: Any, style: Layout, quote: str = "") -> str:
    """Return ``value`` on one line, as JSON where the author writes JSON."""
    if isinstance(value, dict):
        quotes = dict(style.quotes)
        members = (
            f"{key(name, flow=True, json=style.json)}: {flow(item, style, quotes.get(name, ''))}"
            for name, item in value.items()
        )
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item, style) for item in value) + "]"
    if not style.json:
        return scalar(value, flow=True, quote=quote)
    if isinstance(value, Raw):
        value = value.value
    return double_quoted(value) if isinstance(value, str) else _constant(value)


def after_indicator(
    value: Any, column: int, style: Layout, *, dash: bool, quote: str = ""
) -> tuple[str, list[str]]:
    """Return what follows ``key:`` or ``-`` in block style.

    Args:
        value: plain data.
        column: of the key, or the dash.
        style: the author's layout.
        dash: True behind a dash.
        quote: the author's quote for a scalar.

    Returns:
        The rest of the indicator's line (with its leading blank, or empty) and the lines below it, indented, without
        line breaks.
    """
    if isinstance(value, (dict, list)):
        if not value:
            return " " + flow(value, style), []
        if dash:
            lines = block(value, column + style.width, style)
            return " " * (style.width - 1) + lines[0].lstrip(" "), lines[1:]
        indent = style.step if isinstance(value, dict) else style.dash
        return "", block(value, column + indent, style)
    if style.literals and not quote and is_literal(value):
        header, lines = literal(value, column + style.step, style)
        return " " + header, lines
    return " " + scalar(value, quote=quote), []


def quote_of_new(value: Any, name: str | None, style: Layout) -> str:
    """Return the quote of the neighbours of a new value.

    None for a text of several lines, which is a literal block.
    """
    if not style.quotes or (isinstance(value, str) and "\n" in value):
        return ""
    return dict(style.quotes).get(name or "", "")


def block(value: dict[str, Any] | list[Any], column: int, style: Layout) -> list[str]:
    """Return the lines of a collection that is not empty, its keys or dashes at ``column``."""
    lines: list[str] = []
    entries = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for name, item in entries:
        head = "-" if name is None else key(name) + ":"
        rest, below = after_indicator(
            item, column, style, dash=name is None, quote=quote_of_new(item, name, style)
        )
        lines += [" " * column + head + rest, *below]
    return lines


def block_text(value: dict[str, Any] | list[Any], column: int = 0, *, like: str = "") -> str:
    """Return new lines with a collection in block style, with the line breaks of the text ``like``.

    Args:
        value: members, or items; without any there is no line.
        column: of the keys or dashes.
        like: where the lines will be.
    """
    newline = newline_of(like)
    return "".join(line + newline for line in block(value, column, Layout()))
