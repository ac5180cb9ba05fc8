"""Read and change the assignments of texts that assign variables line by line.

Who knows a format finds its assignments; all else in the text stays byte for byte. The formats that have one variable
in each line are here: environment files, profiles, settings of apt, dnf and zypper. A row says how a file writes its
lines, and the programs that read the file judge it in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from krm_fn import placeholders
from krm_fn.formats import cached_by_text
from krm_fn.formats.escaping import shell_word
from krm_fn.light_typing import NamedTuple, Variables
from krm_fn.yamledit.tree import Edit, newline_of, splice

_COMMENTS = r"(?m)^[ \t]*(?:[#;]|//).*$"
_CLOSED = r"""(?s)(?:[^"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')*"""
_CONTROL = r"[\x00-\x08\x0a-\x1f\x7f]"
_COMMENT_LINE = r"(?m)^[ \t]*[#;][^\n]*\n?"


class Assignment(NamedTuple):
    """``text[start:end]`` assigns a variable, alone on ``text[line_start:line_end]`` or beside others.

    ``name`` is "" for a variable that is none of ours. ``value`` is None where the reader cannot make anything of it.
    ``counts`` is False where another assignment of the name wins.
    """

    name: str
    value: str | None
    start: int
    end: int
    line_start: int
    line_end: int
    counts: bool = True


class Syntax(NamedTuple):
    """A form of text that sets proxy variables.

    Attributes:
        read: returns the assignments of a text.
        edit: returns a text with exactly these variables; of "" it makes a new text, and "" of one that says nothing
            else. Raises ValueError for a value that cannot be written.
        problem: says why a text cannot be edited; "" where it can.
        names: the variables that the form can say.
    """

    read: Callable[[str], Sequence[Assignment]]
    edit: Callable[[str, Variables], str]
    problem: Callable[[str], str]
    names: frozenset[str]


class Writing(NamedTuple):
    """How a form writes an assignment: in the place of one that is there, and as a line of its own."""

    assignment: Callable[[str, str], str]
    line: Callable[[str, str], str]


def last_counts(assignments: Sequence[Assignment]) -> list[Assignment]:
    """Return the assignments so that of each name only the last valid one counts."""
    winners = {}
    for index, assignment in enumerate(assignments):
        if not assignment.counts:
            continue
        if assignment.value is not None or assignment.name not in winners:
            winners[assignment.name] = index
    return [
        assignment._replace(counts=winners.get(assignment.name) == index)
        for index, assignment in enumerate(assignments)
    ]


def effective(assignments: Sequence[Assignment]) -> dict[str, Assignment]:
    """Return the assignment of each of our variables that counts."""
    return {
        assignment.name: assignment
        for assignment in assignments
        if assignment.counts and assignment.name
    }


def edit_assignments(
    text: str,
    assignments: Sequence[Assignment],
    wanted: Variables,
    writing: Writing,
    last_place: tuple[int, str],
) -> str:
    """Return a text that assigns exactly the wanted values, each once, in place of those that were found.

    A value that is right stays as it is written. A new line is beside its neighbour in the order of ``wanted``.

    Args:
        text: ends with a line break, unless it is empty.
        assignments: all of the text.
        wanted: name -> value.
        writing: how the form writes them.
        last_place: where a new line goes that has no neighbour, and the text that has to be in front of it.
    """
    kept = {}
    edits = []
    for name, assignment in effective(assignments).items():
        if name not in wanted:
            continue
        kept[name] = assignment
        if assignment.value != wanted[name]:
            new = writing.assignment(name, wanted[name])
            edits.append((assignment.start, assignment.end, new))
    edits += _removals(text, assignments, kept)
    edits += _additions(text, wanted, kept, writing, last_place)
    return splice(text, edits)


def _removals(
    text: str, assignments: Sequence[Assignment], kept: Mapping[str, Assignment]
) -> Iterator[Edit]:
    """Yield the removal of assignments that are not kept: the line, or among others the word with a blank beside it."""
    lines: dict[int, list[Assignment]] = {}
    for assignment in assignments:
        lines.setdefault(assignment.line_start, []).append(assignment)
    for line in lines.values():
        staying = [
            index
            for index, assignment in enumerate(line)
            if not assignment.name or kept.get(assignment.name) is assignment
        ]
        if not staying:
            start = line[0].line_start
            end = line[0].line_end
            yield start, end, "".join(re.findall(_COMMENT_LINE, text[start:end]))
            continue
        for index, assignment in enumerate(line):
            if index in staying:
                continue
            start = assignment.start
            end = assignment.end
            if staying[0] < index:
                start = line[index - 1].end
            else:
                end = line[index + 1].start
            if re.search(_COMMENT_LINE, text[start:end]):
                start = assignment.start
                end = assignment.end
            yield start, end, ""


def _additions(
    text: str,
    wanted: Variables,
    kept: Mapping[str, Assignment],
    writing: Writing,
    last_place: tuple[int, str],
) -> Iterator[Edit]:
    """Yield one edit for each place in which lines are missing."""
    place, head = last_place
    for name in wanted:
        if name in kept:
            place = kept[name].line_start
            head = ""
            break
    added: dict[int, str] = {}
    newline = newline_of(text)
    for name, value in wanted.items():
        if name in kept:
            place = kept[name].line_end
            head = ""
        else:
            added[place] = added.get(place, head) + writing.line(name, value) + newline
    for place, lines in added.items():
        yield place, place, lines


def with_final_break(text: str) -> str:
    """Return a text whose last line is closed, unless it is empty."""
    if not text or text.endswith(("\n", "\r")):
        return text
    return text + newline_of(text)


class LineForm(NamedTuple):
    """How a file says variables, each in a line of its own.

    Attributes:
        names: proxy variable -> its name in the file; it cannot say those that are missing.
        line: how a line is written: ``{name}`` in front of ``{value}``.
        quoted: how a value is written.
        before: a pattern of the text that a line of somebody else has in front of the name.
        sign: a pattern of the text between name and value.
        values: a pattern of the values that it may have, as written.
        refused: the characters that a value cannot hold.
        escapes: character -> its escaped form.
        constants: further assignments of the file, name -> value.
        bare: a pattern of the values that need no quotes; "" where all have them.
        has_words: a value is a word of a shell, with quotes and escapes; else it is what stands there.
        limits: a pattern of other lines by which an assignment may not count, or not be the last one; "" for none.
    """

    names: Mapping[str, str]
    line: str
    quoted: str
    before: str
    sign: str
    values: str
    refused: str = ""
    escapes: Mapping[str, str] = {}
    constants: Mapping[str, str] = {}
    bare: str = ""
    has_words: bool = True
    limits: str = ""


def form_of(row: LineForm) -> Syntax:
    """Return the form of a row; it reads each text once."""
    return Syntax(
        cached_by_text(partial(_read, row)),
        partial(_edit_lines, row),
        cached_by_text(partial(_problem, row)),
        frozenset(row.names),
    )


def _assignments(row: LineForm, text: str) -> list[Assignment]:
    """Return the lines that assign something the row knows, and nothing besides, by the names of the variables."""
    variables = {name: variable for variable, name in row.names.items()}
    names = "|".join([*variables, *row.constants])
    pattern = (
        rf"(?m)^{row.before}(?P<name>{names}){row.sign}(?P<value>{row.values})"
        r"(?P<blanks>[ \t]*)(?:\r\n|\n|\r|\Z)"
    )
    assignments = []
    for line in re.finditer(pattern, placeholders.hidden(text)):
        value: str | None = line["value"]
        if row.has_words:
            value = shell_word(line["value"].removesuffix(";"))
        if line["blanks"]:
            value = None
        elif value is not None:
            value = placeholders.shown(value)
        name = variables.get(line["name"], line["name"])
        start = line.start("value")
        end = line.end("blanks")
        assignments.append(Assignment(name, value, start, end, *line.span()))
    return last_counts(assignments)


def _read(row: LineForm, text: str) -> list[Assignment]:
    """Return the variables that a text assigns, without the constants of the row."""
    return [assignment for assignment in _assignments(row, text) if assignment.name in row.names]


def _problem(row: LineForm, text: str) -> str:
    names = "|".join(row.names.values())
    mentioned = rf"(?im)^(?![ \t]*(?:#|//))[^\r\n]*?\b(?:{names}){row.sign}"
    if len(re.findall(mentioned, text)) != len(_read(row, text)):
        return "it sets a proxy with other lines than plain assignments"
    if row.limits and re.search(row.limits, text):
        return "other lines of it decide about the proxy, too"
    if not row.has_words:
        return ""
    settings = re.sub(_COMMENTS, "", text)
    if not re.fullmatch(_CLOSED, settings) or text.rstrip().endswith("\\"):
        return "a quote in it is open, or its last line is to be continued"
    return ""


def _edit_lines(row: LineForm, text: str, variables: Variables) -> str:
    """Return a text that says exactly the variables that the row knows; "" if nothing remains.

    Raises:
        ValueError: a value cannot be written.
    """
    wanted = dict(row.constants) if variables else {}
    wanted.update({name: variables[name] for name in variables if name in row.names})
    whole = with_final_break(text)
    writing = Writing(lambda _, value: _written(row, value), partial(_line, row))
    edited = edit_assignments(whole, _assignments(row, whole), wanted, writing, (len(whole), ""))
    if not edited.strip():
        return ""
    if whole == text:
        return edited
    return edited.removesuffix(newline_of(text))


def _written(row: LineForm, value: str) -> str:
    """Return how a value is written.

    Raises:
        ValueError: the row has no way to say it.
    """
    value = placeholders.hidden(value)
    refused = [char for char in row.refused if char in value]
    if refused or re.search(_CONTROL, value):
        chars = " ".join(refused)
        raise ValueError(f"a value for this file must not hold a line break {chars}")
    if row.bare and re.fullmatch(row.bare, value):
        return value
    for char, written in row.escapes.items():
        value = value.replace(char, written)
    return row.quoted.format(placeholders.shown(value))


def _line(row: LineForm, name: str, value: str) -> str:
    return row.line.format(name=row.names.get(name, name), value=_written(row, value))
