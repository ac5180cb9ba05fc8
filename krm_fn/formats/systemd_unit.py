r"""The text of a systemd unit or drop-in: the variables that ``Environment=`` sets in ``[Service]``, and how to change them.

Sources: systemd's ``src/shared/conf-parser.c`` (``\`` at the end continues a line, comment lines within are skipped)
and ``config_parse_environ`` in ``src/core/load-fragment.c`` (an empty ``Environment=`` forgets what came before, and the
last assignment of a name wins).
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial

from krm_fn.formats import cached_by_text, escaping
from krm_fn.formats.assignments import (
    Assignment,
    Syntax,
    Writing,
    edit_assignments,
    effective,
    last_counts,
    with_final_break,
)
from krm_fn.light_typing import Variables
from krm_fn.yamledit.tree import newline_of

_LINE = r"[^\r\n]*(?:\r\n|\n|\r|\Z)"
_HEADER = r"\[(.*)\]"
_ENVIRONMENT = r"[ \t]*Environment[ \t]*="
_UNSET = r"[ \t]*UnsetEnvironment[ \t]*="
_NAME = r"""["']?([A-Za-z_][A-Za-z0-9_]*)="""
_NOTHING_OF_USE = r"(\s|\[Service\])*"
_EMPTY_SECTION_AT_THE_END = r"(?<=\n)\r?\n\[Service\][ \t]*(\r?\n)+\Z"
_CONTINUED = r"\\[ \t]*(?:(?:\r\n|\n|\r)(?:[ \t]*[#;][^\r\n]*)?)*\Z"
# Stands for each character of a joined text that systemd does not read, so that all others keep their places.
_FILLER = "\0"


def form_of(names: Collection[str]) -> Syntax:
    """Return the form of a unit that sets some variables; it reads each text once."""
    read = cached_by_text(partial(_assignments, names))
    return Syntax(read, partial(_edit, read), cached_by_text(_problem), frozenset(names))


def _assignments(names: Collection[str], text: str) -> list[Assignment]:
    """Return the values that the ``Environment=`` lines of a text assign."""
    listed: list[Assignment] = []
    forgotten = 0  # so many were listed before the last empty `Environment=`
    for start, line in _service_lines(text):
        key = re.match(_ENVIRONMENT, line)
        if key is None:
            continue
        words = escaping.systemd_words(line[key.end() :])
        if not words:
            forgotten = len(listed)
        place = start + key.end()
        is_lost = False  # behind a word that it cannot read, systemd reads no other
        for word in words:
            named = re.match(_NAME, line[key.end() + word.start :])
            name = named[1] if named and named[1] in names else ""
            listed.append(
                Assignment(
                    name,
                    _value(word),
                    place + word.start,
                    place + word.end,
                    start,
                    start + len(line),
                    counts=not is_lost,
                )
            )
            is_lost = is_lost or word.value is None
    listed[:forgotten] = [assignment._replace(counts=False) for assignment in listed[:forgotten]]
    return last_counts(listed)


def _value(word: escaping.QuotedWord) -> str | None:
    """Return the assignment in a word; None if systemd ignores it."""
    if word.value is None:
        return None
    text = escaping.resolve_specifiers(word.value)
    if text is None:
        return None
    _, _, value = text.partition("=")
    return value


def unset_by(text: str, variables: Variables) -> list[str]:
    """Return the variables that ``UnsetEnvironment=`` takes away, wherever they are set."""
    if "UnsetEnvironment" not in text:
        return []
    taken: list[str | None] = []
    for _, line in _service_lines(text):
        key = re.match(_UNSET, line)
        if key:
            words = escaping.systemd_words(line[key.end() :])
            if not words:
                taken.clear()
            taken += [word.value for word in words]
    return [
        name for name, value in variables.items() if name in taken or f"{name}={value}" in taken
    ]


def _service_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of ``[Service]``, with its header, and their places, as systemd joins them."""
    section = ""
    for start, line in _joined_lines(text):
        header = re.fullmatch(_HEADER, _as_read(line))
        if header:
            section = header[1]
        if section == "Service":
            yield start, line


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their places; a continuation is a part of its line, comments are fillers."""
    joined = ""
    start = 0
    for match in re.finditer(_LINE, text):
        line = match[0]
        body = line.rstrip("\r\n")
        is_comment = body.lstrip(" \t")[:1] in ("#", ";")
        if is_comment and joined:
            joined += _FILLER * len(line)
            continue
        start = start if joined else match.start()
        backslashes = len(body) - len(body.rstrip("\\"))
        if backslashes % 2 and not is_comment:
            joined += body[:-1] + " " + _FILLER * (len(line) - len(body))
            continue
        yield start, joined + line
        joined = ""
    if joined:
        yield start, joined


def _as_read(line: str) -> str:
    """Return a joined line as systemd reads it."""
    return line.replace(_FILLER, "").strip()


def _problem(text: str) -> str:
    """Return why a text is left alone; "" for one that can be edited."""
    for _, joined in _joined_lines(text):
        line = _as_read(joined)
        if line.startswith("[") and not line.endswith("]"):
            return "systemd reads nothing behind a section header that does not end in `]`"
    if "\\" in text and re.search(_CONTINUED, text):
        return "its last line is to be continued"
    return ""


def _edit(read: Callable[[str], list[Assignment]], text: str, variables: Variables) -> str:
    """Return a text that sets exactly these variables; "" if nothing of use remains.

    Raises:
        ValueError: a value holds characters that a unit file cannot carry.
    """
    if variables and not text.strip():
        text = ""
    whole = with_final_break(text)
    listed = read(whole)
    place = _last_place(whole, listed)
    edited = edit_assignments(whole, listed, variables, Writing(_assignment, _line), place)
    if edited == whole:
        return text
    if not variables:
        if edited.count("[Service]") == 1:
            edited = re.sub(_EMPTY_SECTION_AT_THE_END, "", edited)
        if re.fullmatch(_NOTHING_OF_USE, edited):
            return ""
    if whole == text:
        return edited
    return edited.removesuffix(newline_of(text))


def _last_place(text: str, listed: list[Assignment]) -> tuple[int, str]:
    """Return where a first assignment goes, and the section header that it needs."""
    ends = [assignment.line_end for assignment in effective(listed).values()]
    if not ends:
        ends = [start + len(line) for start, line in _service_lines(text) if line.strip()]
    if ends:
        return max(ends), ""
    line_break = newline_of(text)
    header = f"[Service]{line_break}"
    if text.strip():
        header = line_break + header
    return len(text), header


def _assignment(name: str, value: str) -> str:
    return f'"{name}={escaping.systemd(value)}"'


def _line(name: str, value: str) -> str:
    return f"Environment={_assignment(name, value)}"
