"""Texts that assign variables line by line: what a form can say, and how its assignments are changed.

Who knows a format finds its assignments. All else in the text stays byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from krm_fn.light_typing import NamedTuple
from krm_fn.yamledit.splice import Edit, splice

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
    edit: Callable[[str, Mapping[str, str]], str]
    problem: Callable[[str], str]
    names: frozenset[str]


class Writing(NamedTuple):
    """How a form writes an assignment: in the place of one that is there, and as a line of its own."""

    assignment: Callable[[str, str], str]
    line: Callable[[str, str], str]


def last_counts(assignments: Sequence[Assignment]) -> list[Assignment]:
    """Return the assignments so that of each name only the last valid one counts."""
    winners: dict[str, int] = {}
    for index, assignment in enumerate(assignments):
        is_valid = assignment.value is not None
        if assignment.counts and (is_valid or assignment.name not in winners):
            winners[assignment.name] = index
    marked = []
    for index, assignment in enumerate(assignments):
        counts = winners.get(assignment.name) == index
        marked.append(assignment._replace(counts=counts))
    return marked


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
    wanted: Mapping[str, str],
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
        last_place: where a new line goes that has no neighbour, and what has to be in front of it.
    """
    kept: dict[str, Assignment] = {}
    edits: list[Edit] = []
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
    """Yield the removal of what is not kept, but for comments: the line, or with the blank beside it among others."""
    lines: dict[int, list[Assignment]] = {}
    for assignment in assignments:
        lines.setdefault(assignment.line_start, []).append(assignment)
    for line in lines.values():
        staying = []
        for assignment in line:
            if not assignment.name or kept.get(assignment.name) is assignment:
                staying.append(assignment)  # noqa: PERF401
        if not staying:
            start, end = line[0].line_start, line[0].line_end
            comments = re.findall(_COMMENT_LINE, text[start:end])
            yield start, end, "".join(comments)
            continue
        neighbours = zip([None, *line], line, [*line[1:], None], strict=False)
        for before, assignment, behind in neighbours:
            if assignment in staying:
                continue
            start, end = assignment.start, assignment.end
            if before and staying[0].start < start:
                start = before.end
            elif behind:
                end = behind.start
            if re.search(_COMMENT_LINE, text[start:end]):
                start, end = assignment.start, assignment.end
            yield start, end, ""


def _additions(
    text: str,
    wanted: Mapping[str, str],
    kept: Mapping[str, Assignment],
    writing: Writing,
    last_place: tuple[int, str],
) -> Iterator[Edit]:
    """Yield one edit for each place in which lines are missing."""
    place, head = last_place
    for name in wanted:
        if name in kept:
            place, head = kept[name].line_start, ""
            break
    added: dict[int, str] = {}
    for name, value in wanted.items():
        if name in kept:
            place, head = kept[name].line_end, ""
        else:
            lines = added.get(place, head) + writing.line(name, value)
            added[place] = lines + line_break_of(text)
    for place, lines in added.items():
        yield place, place, lines


def line_break_of(text: str) -> str:
    """Return the line break of a text; that of Unix if it has none."""
    match = re.search(r"\r\n|\n|\r", text)
    return match[0] if match else "\n"


def with_final_break(text: str) -> str:
    """Return a text whose last line is closed, unless it is empty."""
    if not text or text.endswith(("\n", "\r")):
        return text
    return text + line_break_of(text)
