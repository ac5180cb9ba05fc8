"""A unified diff of manifests for a person: credentials and what Secrets hold are masked, as `kubectl diff` does it.

It is made of the lines as they are, so that a password that changes is a change, and shows them masked. So it is no
patch to apply where something is masked: a run changes the files. Elsewhere `git apply` takes it. Where equal hunks are
shown once, no hunk has the numbers that a patch needs, so that `git apply` refuses all of it and not a part.
"""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.cli._outcome_lines import count
from krm_fn.cli.masking import MaskedLines, lines_of
from krm_fn.krm.known_secrets import ProxyPasswords
from krm_fn.krm.masking import redact
from krm_fn.printable import printable

_COLOURS = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}
_BOLD = "\x1b[1m"
_PLAIN = "\x1b[0m"
_MISSING = "/dev/null"
_CONTEXT = 3
_WIDTH = 100
_Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True)
class _Hunk:
    """One hunk: its place in both files, and what makes it equal to another one (``change``)."""

    opcodes: Sequence[_Opcode]
    change: object

    @property
    def ranges(self) -> str:
        """Both ranges of lines, as a unified diff has them."""
        first, last = self.opcodes[0], self.opcodes[-1]
        return f"-{_range(first[1], last[2])} +{_range(first[3], last[4])}"

    @property
    def line(self) -> int:
        """The line of the new file, from 1, at which it changes."""
        return next(one[3] for one in self.opcodes if one[0] != "equal") + 1


class Diff:
    """The diffs of several files.

    Args:
        files: name -> content before and after; None is a file that does not exist.
        passwords: those of the proxies, as far as they are known; no line shows them in any place.
        has_colours: whether the lines are for a terminal.

    ``hidden`` counts the lines shown so far in which something is masked.
    """

    def __init__(
        self,
        files: Mapping[str, tuple[bytes | None, bytes | None]],
        passwords: ProxyPasswords,
        *,
        has_colours: bool,
    ) -> None:
        self._passwords = passwords
        self._has_colours = has_colours
        self._files = [_FileDiff(name, *contents) for name, contents in files.items()]
        self._by_change: dict[object, list[tuple[_FileDiff, _Hunk]]] = {}
        for file in self._files:
            for hunk in file.hunks:
                self._by_change.setdefault(hunk.change, []).append((file, hunk))
        self.hidden = 0

    @property
    def has_equal_hunks(self) -> bool:
        """Whether a hunk is there more than once."""
        return any(len(places) > 1 for places in self._by_change.values())

    def full(self) -> Iterator[str]:
        """Yield the lines of a unified diff, without line breaks."""
        for file in self._files:
            yield from self._header(file)
            masked = self._masked(file)
            for hunk in file.hunks:
                yield self._coloured(f"@@ {hunk.ranges} @@", "@")
                yield from self._lines(file, hunk, masked)

    def grouped(self) -> Iterator[str]:
        """Yield the lines of a diff in which equal hunks are there once, with the files that have them, too."""
        for file in self._files:
            own = [hunk for hunk in file.hunks if self._by_change[hunk.change][0][1] is hunk]
            if not own:
                continue
            yield from self._header(file)
            masked = self._masked(file)
            alike = 0
            for at, hunk in enumerate(own):
                yield self._coloured(f"@@ line {hunk.line} @@", "@")
                yield from self._lines(file, hunk, masked)
                alike += 1
                others = self._others(file, hunk)
                if at + 1 == len(own) or self._others(file, own[at + 1]) != others:
                    yield from self._list_of(others, alike)
                    alike = 0
            above = len(file.hunks) - len(own)
            if above:
                yield self._coloured(f"= {count(above, 'hunk')} of this file: see above", "@")

    def _others(self, file: _FileDiff, hunk: _Hunk) -> tuple[str, ...]:
        """Return the names of the other files with an equal hunk, and the lines of this file."""
        names: dict[str, None] = {}
        for other, equal in self._by_change[hunk.change][1:]:
            names[f"{file.name}:{equal.line}" if other is file else other.name] = None
        return tuple(names)

    def _list_of(self, names: Sequence[str], hunks: int) -> Iterator[str]:
        """Yield the lines that name the other places of the last hunks."""
        if names:
            shown = ", ".join(self._named(name) for name in names)
            text = f"the same in {count(len(names), 'other place')}: {shown}"
            if hunks > 1:
                text = f"the last {hunks} hunks are {text}"
            for line in textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False):
                yield self._coloured(f"= {line}", "@")

    def _header(self, file: _FileDiff) -> Iterator[str]:
        yield self._coloured(f"--- {self._named(file.old_name)}", _BOLD)
        yield self._coloured(f"+++ {self._named(file.new_name)}", _BOLD)

    def _named(self, name: str) -> str:
        return printable(str(redact(self._passwords.hidden(name))))

    def _masked(self, file: _FileDiff) -> tuple[MaskedLines, MaskedLines]:
        return MaskedLines(file.old, self._passwords), MaskedLines(file.new, self._passwords)

    def _lines(
        self, file: _FileDiff, hunk: _Hunk, masked: tuple[MaskedLines, MaskedLines]
    ) -> Iterator[str]:
        for tag, start, end, new_start, new_end in hunk.opcodes:
            old_lines = masked[0].between(start, end)
            if tag == "equal":
                yield from self._marked(" ", old_lines, file.old_lines[start:end])
                continue
            yield from self._marked("-", old_lines, file.old_lines[start:end])
            new_lines = masked[1].between(new_start, new_end)
            yield from self._marked("+", new_lines, file.new_lines[new_start:new_end])

    def _marked(self, mark: str, lines: Sequence[str], raw: Sequence[str]) -> Iterator[str]:
        for line, before in zip(lines, raw, strict=True):
            self.hidden += line != before
            yield self._coloured(mark + _shown(line), mark)
            if not line.endswith("\n"):
                yield "\\ No newline at end of file"

    def _coloured(self, line: str, mark: str) -> str:
        colour = _COLOURS.get(mark, mark if mark == _BOLD else "")
        return f"{colour}{line}{_PLAIN}" if self._has_colours and colour else line


class _FileDiff:
    """The diff of one file, of which no line is masked yet."""

    def __init__(self, name: str, before: bytes | None, after: bytes | None) -> None:
        self.name = name
        self.old_name = _MISSING if before is None else f"a/{name}"
        self.new_name = _MISSING if after is None else f"b/{name}"
        self.old, self.new = _text(before), _text(after)
        self.old_lines, self.new_lines = lines_of(self.old), lines_of(self.new)
        matcher = difflib.SequenceMatcher(None, self.old_lines, self.new_lines)
        groups = list(matcher.get_grouped_opcodes(_CONTEXT))
        changed = {one[3] for group in groups for one in group if one[0] != "equal"}
        around = _around(self.new_lines, changed)
        self.hunks = [_Hunk(group, self._change(group, around)) for group in groups]

    def _change(self, opcodes: Sequence[_Opcode], around: Mapping[int, object]) -> object:
        """Return what is changed, and in which fields: names of an object beside them may differ."""
        is_file = (self.old_name == _MISSING, self.new_name == _MISSING)
        changes = [
            (
                around.get(new_start),
                tuple(self.old_lines[start:end]),
                tuple(self.new_lines[new_start:new_end]),
            )
            for tag, start, end, new_start, new_end in opcodes
            if tag != "equal"
        ]
        return is_file, tuple(changes)


def _around(lines: Sequence[str], wanted: Iterable[int]) -> dict[int, object]:
    """Return for lines of manifests the kind of their object, and the lines of the fields around them."""
    asked = frozenset(wanted)
    found: dict[int, tuple[int, tuple[str, ...]]] = {}
    kinds: dict[int, str] = {}
    number = 0
    parents: list[tuple[int, bool, str]] = []
    for at, line in enumerate([*lines, ""]):
        content = line.lstrip(" ")
        if line.startswith("---"):
            number += 1
            parents = []
        elif line.startswith("kind:"):
            kinds.setdefault(number, line)
        indentation, is_item = len(line) - len(content), content.startswith("- ")
        if content.strip():
            while parents and not _is_parent(parents[-1], indentation, is_item):
                parents.pop()
        if at in asked:
            found[at] = number, tuple(text for _, _, text in parents)
        if content.strip() and not content.startswith("#"):
            parents.append((indentation, is_item, line))
    return {at: (kinds.get(document), texts) for at, (document, texts) in found.items()}


def _is_parent(parent: tuple[int, bool, str], indentation: int, is_item: bool) -> bool:
    """Return whether a line is a field around another one; items may have the indentation of their list."""
    if parent[0] == indentation:
        return is_item and not parent[1]
    return parent[0] < indentation


def _text(content: bytes | None) -> str:
    return content.decode() if content else ""


def _range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff has it (POSIX, `diff -u`)."""
    number = end - start
    first = start + 1 if number else start
    return str(first) if number == 1 else f"{first},{number}"


def _shown(line: str) -> str:
    """Return a line as a terminal can show it, without its line feed; a patch needs the carriage return before it."""
    line = line.removesuffix("\n")
    text = line.removesuffix("\r")
    return "\t".join(printable(part) for part in text.split("\t")) + line[len(text) :]
