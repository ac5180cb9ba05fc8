r"""The text of an environment file of systemd: what ``EnvironmentFile=`` reads, and how to change it.

It is no unit file: ``%`` means itself. It is no shell script either: ``$`` is never expanded, and a line that begins
with ``export`` assigns nothing. What is written here means the same to a shell, because some files are read by both.

Source: ``parse_env_file_internal`` in systemd's ``src/basic/env-file.c``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from krm_fn.formats.assigned_lines import AssignedLine, edit_lines

_CONTROL = r"[\x00-\x08\x0a-\x1f\x7f]"
_BARE = r"[A-Za-z0-9_@%+=:,./*\[\]~^?-]*"
_IN_QUOTES = str.maketrans({one: f"\\{one}" for one in '\\"$`'})
_ESCAPED_IN_QUOTES = frozenset('"\\`$\n')
_BLANK = " \t\r\n"


def quoted(value: str) -> str:
    """Return how a value is written, in quotes where it has to be.

    Raises:
        ValueError: the value holds a line break or another control character.
    """
    if re.search(_CONTROL, value):
        raise ValueError(
            "a value for an environment file must not hold a line break or another control character"
        )
    if re.fullmatch(_BARE, value):
        return value
    return f'"{value.translate(_IN_QUOTES)}"'


def assignments(text: str) -> list[AssignedLine]:
    """Return all assignments of a text in their order; of one name the last one counts."""
    found: list[AssignedLine] = []
    at = 0
    while at < len(text):
        start = at
        while at < len(text) and text[at] in _BLANK:
            at += 1
            if text[at - 1] in "\r\n":
                start = at
        line_end = _line_end(text, at)
        equals = text.find("=", at, line_end)
        if text[at : at + 1] in ("#", ";") or equals < 0:
            at = line_end + 1
        else:
            value, end = _value(text, equals + 1)
            name = text[at:equals].rstrip(_BLANK)
            after = end + 2 if text.startswith("\r\n", end) else end + 1
            found.append(AssignedLine(name, value, start, equals + 1, end, min(after, len(text))))
            at = after
    return found


def is_closed(text: str) -> bool:
    r"""Return whether a line behind the text is one of its own: no quote is open, and no ``\`` is at the end."""
    found = assignments(f"{text}\nA=1")
    return bool(found) and found[-1][:2] == ("A", "1")


def edit(text: str, wanted: Mapping[str, str], ours: Collection[str]) -> str:
    """Return a text that assigns exactly the variables ``wanted``, of those called ``ours``, each one once.

    All else in it stays, and how a value is written that is right already.

    Raises:
        ValueError: a value cannot be written.
    """
    found = [one for one in assignments(text) if one.name in ours]
    return edit_lines(
        text,
        found,
        {name: (value, quoted(value)) for name, value in wanted.items()},
        "{name}={value}",
    )


def _line_end(text: str, at: int) -> int:
    """Return where the line ends that ``at`` is in: at its line break, or at the end of the text."""
    ends = [end for end in (text.find("\n", at), text.find("\r", at)) if end >= 0]
    return min(ends, default=len(text))


def _value(text: str, at: int) -> tuple[str, int]:
    r"""Return the value that begins at ``at``, and where its line ends.

    Pieces in quotes and without follow one another; a ``\`` at the end of a line continues it.
    """
    pieces: list[str] = []
    while at < len(text) and text[at] not in "\r\n":
        piece = text[at]
        if piece in "'\"":
            quoted_text, at = _in_quotes(text, at)
            pieces.append(quoted_text)
        elif piece in _BLANK:
            at += 1
        else:
            bare, at = _bare(text, at)
            pieces.append(bare)
            break  # what follows a bare piece is part of it, quotes too
    return "".join(pieces), at


def _bare(text: str, at: int) -> tuple[str, int]:
    found: list[str] = []
    blank_from = 0
    while at < len(text) and text[at] not in "\r\n":
        one = text[at]
        if one == "\\":
            at += 1
            if at < len(text) and text[at] != "\n":
                found.append(text[at])
            blank_from = len(found)
        else:
            found.append(one)
            if one not in _BLANK:
                blank_from = len(found)
        at += 1
    return "".join(found[:blank_from]), min(at, len(text))


def _in_quotes(text: str, at: int) -> tuple[str, int]:
    quote = text[at]
    found: list[str] = []
    at += 1
    while at < len(text) and text[at] != quote:
        if text[at] == "\\" and quote == '"':
            at += 1
            escaped = text[at : at + 1]
            if escaped not in _ESCAPED_IN_QUOTES:
                found.append("\\")
            found.append(escaped if escaped != "\n" else "")
        else:
            found.append(text[at])
        at += 1
    return "".join(found), at + 1


def values(text: str, names: Collection[str]) -> Iterator[AssignedLine]:
    """Yield the assignments that count, one for each of ``names`` that the text sets."""
    last = {one.name: one for one in assignments(text) if one.name in names}
    yield from last.values()
