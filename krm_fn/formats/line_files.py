"""Files of which each line assigns one proxy variable: environment files, profiles, settings of apt and zypper.

A row says how a file writes its lines; the programs that read the file judge it in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache, partial
from types import MappingProxyType

from krm_fn import placeholders
from krm_fn.formats import CACHED_TEXTS
from krm_fn.formats.assignments import (
    Assignment,
    Syntax,
    Writing,
    edit_assignments,
    last_counts,
    line_break_of,
    with_final_break,
)
from krm_fn.formats.escaping import shell_word
from krm_fn.light_typing import NamedTuple

_COMMENTS = r"(?m)^[ \t]*(?:[#;]|//).*$"
_CLOSED = r"""(?s)(?:[^"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')*"""
_CONTROL = r"[\x00-\x08\x0a-\x1f\x7f]"


class LineForm(NamedTuple):
    """How a file says variables, each in a line of its own.

    Attributes:
        names: proxy variable -> its name in the file; it cannot say those that are missing.
        line: how a line is written: ``{name}`` in front of ``{value}``.
        quoted: how a value is written.
        before: a pattern of what a line of somebody else has in front of the name.
        sign: a pattern of what it has between name and value.
        values: a pattern of the values that it may have, as written.
        refused: the characters that a value cannot hold.
        escapes: character -> what is written for it.
        constants: what the file must say in addition, name -> value.
        bare: a pattern of the values that need no quotes; "" where all have them.
    """

    names: Mapping[str, str]
    line: str
    quoted: str
    before: str
    sign: str
    values: str
    refused: str = ""
    escapes: Mapping[str, str] = MappingProxyType({})
    constants: Mapping[str, str] = MappingProxyType({})
    bare: str = ""


def form_of(row: LineForm) -> Syntax:
    """Return the form of a row; it reads each text once."""
    cached = lru_cache(maxsize=CACHED_TEXTS)
    read = cached(partial(_read, row))
    problem = cached(partial(_problem, row))
    return Syntax(read, partial(_edit, row), problem, frozenset(row.names))


def _assignments(row: LineForm, text: str) -> list[Assignment]:
    """Return the lines that assign something the row knows, and nothing besides."""
    names = "|".join([*row.names.values(), *row.constants])
    pattern = (
        rf"(?m)^{row.before}(?P<name>{names}){row.sign}(?P<value>{row.values})"
        r"(?P<blanks>[ \t]*)(?:\r\n|\n|\r|\Z)"
    )
    assignments = []
    for line in re.finditer(pattern, placeholders.hidden(text)):
        value = shell_word(line["value"].removesuffix(";"))
        if line["blanks"] or value is None:
            value = None
        else:
            value = placeholders.shown(value)
        start, end = line.start("value"), line.end("blanks")
        assignment = Assignment(line["name"], value, start, end, *line.span())
        assignments.append(assignment)
    return last_counts(assignments)


def _read(row: LineForm, text: str) -> list[Assignment]:
    """Return what a text assigns, by the names of the variables."""
    variables = {name: variable for variable, name in row.names.items()}
    read = []
    for assignment in _assignments(row, text):
        if assignment.name in variables:
            read.append(assignment._replace(name=variables[assignment.name]))  # noqa: PERF401
    return read


def _problem(row: LineForm, text: str) -> str:
    names = "|".join(row.names.values())
    mentioned = rf"(?im)^(?![ \t]*(?:#|//))[^\r\n]*?\b(?:{names}){row.sign}"
    if len(re.findall(mentioned, text)) != len(_read(row, text)):
        return "it sets a proxy with other lines than plain assignments"
    settings = re.sub(_COMMENTS, "", text)
    if not re.fullmatch(_CLOSED, settings) or text.rstrip().endswith("\\"):
        return "a quote in it is open, or its last line is to be continued"
    return ""


def _edit(row: LineForm, text: str, variables: Mapping[str, str]) -> str:
    """Return a text that says exactly the variables that the row knows; "" if nothing remains.

    Raises:
        ValueError: a value cannot be written.
    """
    wanted = dict(row.constants) if variables else {}
    for variable, value in variables.items():
        if variable in row.names:
            wanted[row.names[variable]] = value
    whole = with_final_break(text)
    writing = Writing(lambda _, value: _written(row, value), partial(_line, row))
    assignments = _assignments(row, whole)
    edited = edit_assignments(whole, assignments, wanted, writing, (len(whole), ""))
    if not edited.strip():
        return ""
    if whole == text:
        return edited
    return edited.removesuffix(line_break_of(text))


def _written(row: LineForm, value: str) -> str:
    """Return how a value is written.

    Raises:
        ValueError: the row has no way to say it.
    """
    value = placeholders.hidden(value)
    refused = [char for char in row.refused if char in value]
    if refused or re.search(_CONTROL, value):
        raise ValueError(f"a value for this file must not hold a line break {' '.join(refused)}")
    if row.bare and re.fullmatch(row.bare, value):
        return value
    for char, written in row.escapes.items():
        value = value.replace(char, written)
    return row.quoted.format(placeholders.shown(value))


def _line(row: LineForm, name: str, value: str) -> str:
    return row.line.format(name=name, value=_written(row, value))
