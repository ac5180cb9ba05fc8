"""A unified diff of manifests, in which credentials are hidden.

The raw lines are compared, so that a password that changes is a change; their masked form is shown. `git apply` takes
the diff where nothing is hidden.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

from krm_fn.cli.masking import MaskedText
from krm_fn.cli.streams import ContentChange
from krm_fn.krm.masking import ProxyPasswords, redact
from krm_fn.light_typing import NamedTuple
from krm_fn.printable import printable

_CONTEXT = 3
_COLOURS = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m", "=": "\x1b[36m"}
_PLAIN = "\x1b[0m"


class _File(NamedTuple):
    """A file that changes, before and after."""

    name: str
    change: ContentChange
    old: MaskedText
    new: MaskedText


class _Hunk(NamedTuple):
    """Changes that are near to each other in one file: opcodes of difflib."""

    file: _File
    opcodes: Sequence[tuple[str, int, int, int, int]]

    def change(self) -> str:
        """Return what it removes and adds; a new file is like no other change."""
        old, new = self.file.old.raw, self.file.new.raw
        changes = [
            (old[start:end], new[new_start:new_end])
            for tag, start, end, new_start, new_end in self.opcodes
            if tag != "equal"
        ]
        return repr((not old, changes))


def diff_lines(
    changes: Mapping[str, ContentChange], passwords: ProxyPasswords, *, is_grouped: bool = False
) -> tuple[list[str], int]:
    """Return the lines of a diff, and how many of them hide something.

    Args:
        changes: name -> content before and after.
        passwords: what is hidden wherever it is.
        is_grouped: whether equal hunks are shown once, with the names of the other files that have them.
    """
    groups: dict[object, list[_Hunk]] = {}
    for name, change in changes.items():
        texts = [MaskedText((text or b"").decode(), passwords) for text in (change.old, change.new)]
        file = _File(printable(str(redact(name))), change, *texts)
        matcher = difflib.SequenceMatcher(None, file.old.raw, file.new.raw)
        for opcodes in matcher.get_grouped_opcodes(_CONTEXT):
            hunk = _Hunk(file, opcodes)
            groups.setdefault(hunk.change() if is_grouped else len(groups), []).append(hunk)
    lines: list[str] = []
    hidden = 0
    shown: _File | None = None
    for hunk, *others in groups.values():
        if hunk.file is not shown:
            shown = hunk.file
            lines.append("--- " + ("/dev/null" if shown.change.old is None else f"a/{shown.name}"))
            lines.append("+++ " + ("/dev/null" if shown.change.new is None else f"b/{shown.name}"))
        first, last = hunk.opcodes[0], hunk.opcodes[-1]
        lines.append(f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@")
        for mark, text, number in _marked(hunk):
            content, line_break = text.split(number)
            masked = text.line(number)
            hidden += masked != content
            lines.append(mark + "\t".join(map(printable, masked.split("\t"))) + line_break[:-1])
            if not line_break:
                lines.append("\\ No newline at end of file")
        if others:
            names = ", ".join(dict.fromkeys(other.file.name for other in others))
            lines.append(f"= the same in {len(others)} more: {names}")
    return lines, hidden


def _marked(hunk: _Hunk) -> Iterator[tuple[str, MaskedText, int]]:
    """Yield the lines of a hunk: what stands in front of it, the text that holds it, and its number there."""
    for tag, start, end, new_start, new_end in hunk.opcodes:
        for number in range(start, end):
            yield " " if tag == "equal" else "-", hunk.file.old, number
        if tag != "equal":
            for number in range(new_start, new_end):
                yield "+", hunk.file.new, number


def coloured(line: str) -> str:
    """Return a line of a diff as a terminal shows it in colours."""
    colour = _COLOURS.get(line[:1])
    return f"{colour}{line}{_PLAIN}" if colour else line


def _range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff has it (POSIX, `diff -u`); an empty one is behind its line."""
    return f"{start + (end > start)},{end - start}"
