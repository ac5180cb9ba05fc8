"""Texts of which each line assigns one variable: how such lines are changed, and all else stays.

Who knows the format finds the lines, and says how a line is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from krm_fn.formats.splice import Edit, splice
from krm_fn.light_typing import NamedTuple


class AssignedLine(NamedTuple):
    """One assignment: ``text[start:end]`` are its lines, with the line break, ``value`` what its reader makes of it.

    The value is written in ``text[value_start:value_end]``. ``value`` is None where it is not known.
    """

    name: str
    value: str | None
    start: int
    value_start: int
    value_end: int
    end: int


def edit_lines(
    text: str, found: Sequence[AssignedLine], wanted: Mapping[str, tuple[str, str]], line: str
) -> str:
    """Return a text with exactly the wanted assignments, each one once, in place of those that were found.

    A value that is right already stays as it is written. A new line is beside its neighbour in the order of
    ``wanted``, without one it is at the end, so that the order of runs does not matter.

    Args:
        text: the text.
        found: all lines of it that assign what may be wanted.
        wanted: name -> value, and how it is written.
        line: how a line is written: ``{name}`` and ``{value}``.
    """
    edits: list[Edit] = []
    seen: dict[str, AssignedLine] = {}
    for one in reversed(found):  # the last one counts, so it is the one that stays
        if one.name not in wanted or one.name in seen:
            edits.append((one.start, one.end, ""))
            continue
        seen[one.name] = one
        value, written = wanted[one.name]
        if one.value != value:
            edits.append((one.value_start, one.value_end, written))
    names = list(wanted)
    for at, name in enumerate(names):
        if name in seen:
            continue
        place = len(text)
        if before := [seen[one].end for one in names[:at] if one in seen]:
            place = before[-1]
        elif behind := [seen[one].start for one in names[at:] if one in seen]:
            place = behind[0]
        added = f"{line.format(name=name, value=wanted[name][1])}\n"
        is_open = place > 0 and text[place - 1] not in "\r\n"
        if is_open and not any(start == end == place for start, end, _ in edits):
            added = f"\n{added}"
        edits.append((place, place, added))
    edited = splice(text, edits)
    if text and not text.endswith(("\n", "\r")):
        edited = re.sub(r"\r?\n\Z", "", edited)  # so that a removal gives back the same end
    return edited
