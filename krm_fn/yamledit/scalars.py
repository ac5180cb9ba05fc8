"""A text that gets another value and keeps the way in which its author writes it.

Anchor, tag, quotes, the header of a block (``|2+  # owner``) and its indentation stay, and so do the lines and the
escapes that are the same in the old and in the new value. Source: YAML 1.2.2, chapters 6.5, 7.3 and 8.1.
"""

from __future__ import annotations

import operator
import re

from krm_fn.yamledit.data import has_tag_of_no_string
from krm_fn.yamledit.pairs import common_ends
from krm_fn.yamledit.render import double_quoted, fits_block, is_string_in_every_yaml, scalar
from krm_fn.yamledit.tree import Scalar, end_of_match

_PROPERTIES = r"(?:[&!][^ \t\r\n]*[ \t]+)*"
_HEADER = r"""(?x)
    (?P<style> [|>] )                            # `|` of a literal block, `>` of a folded one
    (?P<marks> [-+0-9]* )                        # `2-`: columns of its indentation, and its line breaks at the end
    (?P<comment> [ \t]* (?: \# [^\r\n]* )? )     # `  # owner`
"""
_PLAIN = r"""(?x)
    [^\s\-?:,\[\]{}\#&*!|>'"%@`]    # `a`: none of the indicators of YAML
    (?: [^:\#]
      | : (?=\S)                    # `a:b`, because a key ends at a colon with a blank behind it
      | (?<![ ]) \#                 # `a#b`, because a comment begins behind a blank
    )*
    (?<!\s)                         # `a` and not `a `
"""
_BLANK_AT_AN_END = r"(?m)^[ \t]|[ \t]$"
_FLOW_INDICATOR = r"[,\[\]{}]"
_CHARACTER = r"""(?xs)
    \\ (?: x [0-9a-fA-F]{2}    # `\x41`
         | u [0-9a-fA-F]{4}    # `\u0041`
         | U [0-9a-fA-F]{8}    # `\U00000041`
         | . )                 # `\n`
    | [^\\]                    # `A`
"""


def restyled(raw: str, node: Scalar, value: str, newline: str, pad: str) -> str | None:
    """Return a scalar with another value in its author's style; None where the style cannot hold it.

    Args:
        raw: the text of ``node``, its lines ended by line feeds.
        node: the scalar as it is now.
        value: its new value.
        newline: the line break of the text.
        pad: blanks in front of a line below; "" inside of a flow collection.
    """
    if not raw or has_tag_of_no_string(node):
        return None
    start = end_of_match(_PROPERTIES, raw, 0)
    body = raw[start:]
    new = None
    if node.style == "":
        if _stays_plain(value, flow=not pad):
            new = value
    elif node.style == '"':
        new = _in_double_quotes(body, node.value, value)
    elif node.style == "'":
        new = scalar(value, quote="'")
        if pad and fits_block(value) and not re.search(_BLANK_AT_AN_END, value):
            words = value.replace("'", "''")
            # an empty line stands for a line break
            words = re.sub("\n+", lambda match: newline * (len(match[0]) + 1) + pad, words)
            new = f"'{words}'"
    elif value.strip("\n ") and fits_block(value):
        new = _block(body, node, value, newline)
    if new is None:
        return None
    return raw[:start] + new


def _stays_plain(value: str, *, flow: bool) -> bool:
    """Return whether a text can be without quotes; a new one has stricter rules: ``render.is_plain``."""
    if flow and re.search(_FLOW_INDICATOR, value):
        return False
    if not re.fullmatch(_PLAIN, value):
        return False
    return value.isprintable() and is_string_in_every_yaml(value)


def _in_double_quotes(raw: str, old: str, value: str) -> str:
    """Return the value in double quotes; characters that stay keep their escapes."""
    characters = re.findall(_CHARACTER, raw[1:-1])
    # A line that is folded, or a character of two escapes: which escape is which character is not known.
    if len(characters) != len(old):
        return double_quoted(value)
    head, tail = common_ends(old, value, operator.eq)
    middle = value[head : len(value) - tail]
    characters[head : len(old) - tail] = double_quoted(middle)[1:-1]
    words = "".join(characters)
    return f'"{words}"'


def _block(raw: str, node: Scalar, value: str, newline: str) -> str | None:
    """Return a block scalar that keeps the lines that are the same in the old and in the new value."""
    header = re.match(_HEADER, raw)
    lines = [line.removesuffix("\r") for line in raw.split("\n")[1:]]
    pads = [line[: -len(line.lstrip(" "))] for line in lines if line.strip()]
    if header is None or not pads:
        return None
    marks = header["marks"]
    if marks.strip("+-") == "" and value.lstrip("\n").startswith(" "):
        return None
    pad = min(pads)  # lines that are indented more begin with blanks of their own
    old = _lines(node.value)
    words = _lines(value)
    new = [pad + line if line else "" for line in words]
    if node.style == ">":
        lines = _unfolded(lines, pad, newline)
    if len(lines) == len(
        old
    ):  # else something in the block is not understood: all its lines are new
        head, tail = common_ends(old, words, operator.eq)
        new[:head] = lines[:head]
        new[len(new) - tail :] = lines[len(lines) - tail :]
    if node.style == ">":
        new = _folded(new, pad)
    return newline.join(
        [header["style"] + _marks(marks, node.value, value) + header["comment"], *new]
    )


def _unfolded(lines: list[str], pad: str, newline: str) -> list[str]:
    r"""Return for each line of a folded value how it is written: ``["  a\n  b", "  c"]`` for "a b\nc".

    Of the empty lines between two lines of the value, one is their line break.
    """
    written: list[str] = []
    above = ""
    is_folded = False
    for line in lines:
        is_joined = _is_folded(line, pad) and is_folded
        if is_joined and above.strip():
            written[-1] += newline + line
        else:
            if is_joined:
                written.pop()
            written.append(line if line.strip() else "")
        if line.strip():
            is_folded = _is_folded(line, pad)
        above = line
    return written


def _folded(written: list[str], pad: str) -> list[str]:
    """Return the lines of a folded text: the reverse of ``_unfolded``."""
    lines = []
    is_folded = False
    for line in written:
        if is_folded and _is_folded(line, pad):
            lines.append("")
        lines.append(line)
        if line:
            is_folded = _is_folded(line, pad)
    return lines


def _is_folded(line: str, pad: str) -> bool:
    """Return whether a line joins its neighbours: not one that is empty, or indented more than its text."""
    return line.strip() != "" and not line[len(pad) :].startswith((" ", "\t"))


def _marks(marks: str, old: str, value: str) -> str:
    """Return the marks in the header of a block that keep the line breaks at the end of a value."""
    ends = ("\n\n", "\n", "")
    if next(filter(old.endswith, ends)) == next(filter(value.endswith, ends)):
        return marks  # also ``|`` of a text that ends with its file, without a line break
    indent = marks.strip("+-")
    chomping = ""
    if not value.endswith("\n"):
        chomping = "-"
    elif "+" in marks or value.endswith("\n\n"):
        chomping = "+"
    if marks.startswith(("+", "-")):
        return chomping + indent
    return indent + chomping


def _lines(value: str) -> list[str]:
    return value.removesuffix("\n").split("\n")
