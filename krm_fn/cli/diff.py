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


class _Hunk(NamedTuple):
    """Changes that are near to each other in one file: the texts before and after, and opcodes of difflib."""

    name: str
    old: MaskedText
    new: MaskedText
    opcodes: Sequence[tuple[str, int, int, int, int]]

    def change(self) -> str:
        """Return what it removes and adds; a new file is like no other change."""
        changes = []
        for tag, start, end, new_start, new_end in self.opcodes:
            if tag != "equal":
                changes.append((self.old.raw[start:end], self.new.raw[new_start:new_end]))
        return repr((not self.old.raw, changes))

    def lines(self) -> Iterator[tuple[str, MaskedText, int]]:
        """Yield what stands in front of each line, the text that holds it, and its number there."""
        for tag, start, end, new_start, new_end in self.opcodes:
            mark = " " if tag == "equal" else "-"
            for number in range(start, end):
                yield mark, self.old, number
            if mark == "-":
                for number in range(new_start, new_end):
                    yield "+", self.new, number


class _Matcher(difflib.SequenceMatcher[str]):
    """Compares each document with the one in its place, because a comparison of thousands at once takes very long."""

    def __init__(self, old: MaskedText, new: MaskedText) -> None:
        super().__init__(None, old.raw, new.raw)
        # A run adds documents behind the others. Where some go, no other one is in its old place.
        number = len(old.documents)
        if number > len(new.documents):
            number = 1
        self._parts = zip(old.parts(number), new.parts(number), strict=True)

    def get_matching_blocks(self) -> list[difflib.Match]:
        """Return the lines that are equal."""
        blocks = [difflib.Match(0, 0, 0)]
        old = new = 0
        for old_lines, new_lines in self._parts:
            matcher = difflib.SequenceMatcher(None, old_lines, new_lines)
            for block in matcher.get_matching_blocks():
                start, new_start, size = blocks[-1]
                if (old + block.a, new + block.b) == (start + size, new_start + size):
                    blocks[-1] = difflib.Match(start, new_start, size + block.size)
                else:
                    blocks.append(difflib.Match(old + block.a, new + block.b, block.size))
            old += len(old_lines)
            new += len(new_lines)
        return blocks


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
        old = MaskedText(change.old, passwords)
        new = MaskedText(change.new, passwords)
        for opcodes in _Matcher(old, new).get_grouped_opcodes(_CONTEXT):
            hunk = _Hunk(name, old, new, opcodes)
            key = hunk.change() if is_grouped else len(groups)
            groups.setdefault(key, []).append(hunk)
    lines: list[str] = []
    hidden = 0
    shown = ""
    for hunk, *others in groups.values():
        if hunk.name != shown:
            shown = hunk.name
            lines += _head(shown, changes[shown])
        first, last = hunk.opcodes[0], hunk.opcodes[-1]
        lines.append(f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@")
        for mark, text, number in hunk.lines():
            content, line_break = text.split(number)
            masked = text.line(number)
            hidden += masked != content
            cells = map(printable, masked.split("\t"))
            lines.append(mark + "\t".join(cells) + line_break[:-1])
            if not line_break:
                lines.append("\\ No newline at end of file")
        if others:
            names = dict.fromkeys(_shown(other.name) for other in others)
            lines.append(f"= the same in {len(others)} more: {', '.join(names)}")
    return lines, hidden


def _head(name: str, change: ContentChange) -> list[str]:
    """Return the two lines that name a file."""
    shown = _shown(name)
    old, new = f"a/{shown}", f"b/{shown}"
    if change.old is None:
        old = "/dev/null"
    if change.new is None:
        new = "/dev/null"
    return [f"--- {old}", f"+++ {new}"]


def _shown(name: str) -> str:
    return printable(str(redact(name)))


def coloured(line: str) -> str:
    """Return a line of a diff as a terminal shows it in colours."""
    colour = _COLOURS.get(line[:1])
    return f"{colour}{line}{_PLAIN}" if colour else line


def _range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff has it (POSIX, `diff -u`); an empty one is behind its line."""
    return f"{start + (end > start)},{end - start}"
