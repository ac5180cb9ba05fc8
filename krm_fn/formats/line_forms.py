"""The text of a file whose lines assign proxy variables in a known form: what it says, and how to change it.

The forms are data (``products/node_files.py``), and their readers judge them in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from krm_fn.formats import escaping
from krm_fn.formats.assigned_lines import AssignedLine, edit_lines
from krm_fn.products.node_files import LineForm

_CONTROL = r"[\x00-\x08\x0a-\x1f\x7f]"


def quoted(form: LineForm, value: str) -> str:
    """Return how a value is written.

    Raises:
        ValueError: the form has no way to say it.
    """
    refused = [char for char in form.refused if char in value]
    if refused or re.search(_CONTROL, value):
        raise ValueError(
            f"a value for this file must not hold a line break{''.join(f', a `{char}`' for char in refused)}"
        )
    for char, written in form.escapes.items():
        value = value.replace(char, written)
    return form.quoted.format(value)


def assignment(form: LineForm) -> str:
    """Return a pattern of a line that assigns something the form knows, and nothing besides."""
    names = "|".join([*form.names.values(), *form.constants])
    return (
        rf"(?m)^{form.before}(?P<name>{names}){form.sign}(?P<value>{form.values})"
        r"(?P<blanks>[ \t]*)(?:\r?\n|\Z)"
    )


def mention(form: LineForm) -> str:
    """Return a pattern of a line that says something of a proxy, whatever else it does."""
    names = "|".join(form.names.values())
    return rf"(?im)^(?![ \t]*(?:#|//))[^\r\n]*?\b(?:{names}){form.sign}"


def lines_of(form: LineForm, text: str) -> Iterator[AssignedLine]:
    """Yield the lines that assign something the form knows, and nothing besides, in their order."""
    for found in re.finditer(assignment(form), text):
        yield AssignedLine(
            found["name"],
            None if found["blanks"] else _read(found["value"]),  # pam_env makes them a part of it
            found.start(),
            found.start("value"),
            found.end("blanks"),
            found.end(),
        )


def is_editable(form: LineForm, text: str) -> bool:
    """Return whether nothing but lines of the form says something of a proxy, and a further line is one of its own."""
    number = sum(one.name not in form.constants for one in lines_of(form, text))
    mentioned = len(re.findall(mention(form), text))
    return mentioned == number and not text.rstrip().endswith("\\")


def edit(form: LineForm, text: str, variables: Mapping[str, str]) -> str:
    """Return a text that says exactly the variables that the form knows; all else in it stays.

    Raises:
        ValueError: a value cannot be written.
    """
    said: dict[str, str] = {}
    for name, value in variables.items():
        if name in form.names:
            said[form.names[name]] = value
    if said:
        said = {**form.constants, **said}
    wanted = {name: (value, quoted(form, value)) for name, value in said.items()}
    return edit_lines(text, [*lines_of(form, text)], wanted, form.line)


def values(form: LineForm, text: str) -> dict[str, str | None]:
    """Return the proxy variables that a text sets: name -> value, None where it is not known."""
    last = {one.name: one.value for one in lines_of(form, text)}
    return {name: last[said] for name, said in form.names.items() if said in last}


def _read(written: str) -> str | None:
    """Return a value without its quotes; None where that cannot be known from the text."""
    if not written:
        return ""
    statements = escaping.shell_statements(written.removesuffix(";"))
    if statements is None or len(statements) != 1 or len(statements[0]) != 1:
        return None
    return statements[0][0].value
