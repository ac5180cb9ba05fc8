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
_Opcode = tuple[str, int, int, int, int]


class _Hunk(NamedTuple):
    """Changes that are near to each other in one file; equal ones have the same ``change``."""

    file: _FileDiff
    opcodes: Sequence[_Opcode]
    change: object


class _FileDiff:
    """What changes in one file; ``hidden`` counts the lines of which something is not shown."""

    def __init__(self, name: str, change: ContentChange, passwords: ProxyPasswords) -> None:
        self.name = printable(str(redact(name)))
        old_name = "/dev/null" if change.old is None else f"a/{self.name}"
        new_name = "/dev/null" if change.new is None else f"b/{self.name}"
        self.header = [f"--- {old_name}", f"+++ {new_name}"]
        self.old = MaskedText((change.old or b"").decode(), passwords)
        self.new = MaskedText((change.new or b"").decode(), passwords)
        self.hidden = 0

    def hunks(self) -> Iterator[_Hunk]:
        """Yield the changes."""
        matcher = difflib.SequenceMatcher(None, self.old.raw, self.new.raw)
        for opcodes in matcher.get_grouped_opcodes(_CONTEXT):
            change = ["" if self.old.raw else "new file"]
            for tag, start, end, new_start, new_end in opcodes:
                if tag != "equal":
                    change += ["-", *self.old.raw[start:end], "+", *self.new.raw[new_start:new_end]]
            yield _Hunk(self, opcodes, tuple(change))

    def lines(self, hunk: _Hunk) -> Iterator[str]:
        """Yield the lines of a hunk, its ranges first."""
        first, last = hunk.opcodes[0], hunk.opcodes[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        for tag, start, end, new_start, new_end in hunk.opcodes:
            yield from self._marked(" " if tag == "equal" else "-", self.old, start, end)
            if tag != "equal":
                yield from self._marked("+", self.new, new_start, new_end)

    def _marked(self, mark: str, text: MaskedText, start: int, end: int) -> Iterator[str]:
        for number in range(start, end):
            content, line_break = text.split(number)
            shown = text.line(number)
            self.hidden += shown != content
            yield mark + "\t".join(map(printable, shown.split("\t"))) + line_break[:-1]
            if not line_break:
                yield "\\ No newline at end of file"


def diff_lines(
    changes: Mapping[str, ContentChange], passwords: ProxyPasswords, *, is_grouped: bool = False
) -> tuple[list[str], int]:
    """Return the lines of a diff, and how many of them hide something.

    Args:
        changes: name -> content before and after.
        passwords: what is hidden wherever it is.
        is_grouped: whether equal hunks are shown once, with the names of the other files that have them.
    """
    files = [_FileDiff(name, change, passwords) for name, change in changes.items()]
    alike: dict[object, list[_Hunk]] = {}
    for hunk in (hunk for file in files for hunk in file.hunks()):
        alike.setdefault(hunk.change if is_grouped else id(hunk.opcodes), []).append(hunk)
    lines: list[str] = []
    shown: _FileDiff | None = None
    for hunk, *others in alike.values():
        if hunk.file is not shown:
            lines += hunk.file.header
            shown = hunk.file
        lines += hunk.file.lines(hunk)
        if others:
            names = ", ".join(dict.fromkeys(other.file.name for other in others))
            lines.append(f"= the same in {len(others)} more: {names}")
    return lines, sum(file.hidden for file in files)


def coloured(line: str) -> str:
    """Return a line of a diff as a terminal shows it in colours."""
    colour = _COLOURS.get(line[:1])
    return f"{colour}{line}{_PLAIN}" if colour else line


def _range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff has it (POSIX, `diff -u`)."""
    number = end - start
    first = start + 1 if number else start
    return str(first) if number == 1 else f"{first},{number}"
