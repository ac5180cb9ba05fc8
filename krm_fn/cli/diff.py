"""A unified diff of manifests, in which credentials are hidden.

The raw lines are compared, so that a password that changes is a change; their masked form is shown. `git apply` takes
the diff where nothing is hidden, and refuses it as a whole where something is.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from krm_fn.cli import streams
from krm_fn.cli.masking import MaskedText
from krm_fn.cli.streams import PLAIN
from krm_fn.krm.manifests import ContentChange, FileChanges
from krm_fn.krm.masking import ProxyPasswords, printable, redact
from krm_fn.light_typing import NamedTuple
from krm_fn.yamledit.stream import documents

_CONTEXT = 3
# A line that no hunk can have, so that `git apply` and `patch` refuse the whole file.
_REFUSED = "* a credential is hidden below, so this is no patch: let inject-proxy write the files"
_COLOURS = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m", "=": "\x1b[36m"}


class _Hunk(NamedTuple):
    """Changes of a file that are near to each other in one document.

    Attributes:
        name: the name of the file.
        place: the line that says where they are.
        lines: the mark in front of each line, the text that holds it, and its number there.
    """

    name: str
    place: str
    lines: Sequence[tuple[str, MaskedText, int]]


def diff_of(
    changes: FileChanges, proxy_urls: Collection[str], *, is_grouped: bool = False
) -> tuple[bytes, int]:
    """Return a diff for standard output, and the number of its lines that hide something."""
    lines, hidden = diff_lines(changes, ProxyPasswords(proxy_urls), is_grouped=is_grouped)
    if streams.has_colours(sys.stdout):
        lines = list(map(coloured, lines))
    return streams.text_of(lines), hidden


def diff_lines(
    changes: FileChanges, passwords: ProxyPasswords, *, is_grouped: bool
) -> tuple[list[str], int]:
    """Return the lines of a diff, and how many of them hide something.

    Args:
        changes: name -> content before and after.
        passwords: texts that are hidden wherever they are.
        is_grouped: whether equal hunks are shown once, with the names of the other files that have them.
    """
    groups: dict[object, list[_Hunk]] = {}
    for name, change in changes.items():
        for hunk in _hunks(name, change, passwords):
            key: object = len(groups)
            if is_grouped:  # a new file is like no other change
                changed = [mark + text.raw[at] for mark, text, at in hunk.lines if mark != " "]
                key = (change.old is None, *changed)
            groups.setdefault(key, []).append(hunk)
    lines = []
    hidden = 0
    shown = ""
    for hunk, *others in groups.values():
        if hunk.name != shown:
            shown = hunk.name
            lines += _head(shown, changes[shown])
        lines.append(hunk.place)
        is_whole = True
        for mark, text, number in hunk.lines:
            raw = text.raw[number]
            masked = text.shown(number)
            content = raw.rstrip("\r\n")
            hidden += masked != content
            if is_whole and masked != content:  # a patch must not write what hides a credential
                is_whole = False
                lines.append(_REFUSED)
            cells = map(printable, masked.split("\t"))
            lines.append(mark + "\t".join(cells) + raw[len(content) : -1])
            if raw == content:
                lines.append("\\ No newline at end of file")
        if others:
            which = ", ".join(dict.fromkeys(_shown(other.name) for other in others))
            lines.append(f"= the same in {len(others)} more: {which}")
    return lines, hidden


def _hunks(name: str, change: ContentChange, passwords: ProxyPasswords) -> Iterator[_Hunk]:
    """Yield the hunks of a file, each in one document: to compare thousands at once takes very long."""
    old_texts = _documents(change.old)
    new_texts = _documents(change.new)
    if len(old_texts) != len(new_texts):  # some may not be in the place that they had
        old_texts = ["".join(old_texts)]
        new_texts = ["".join(new_texts)]
    line = new_line = 0
    for old_text, new_text in zip(old_texts, new_texts, strict=True):
        old = MaskedText(old_text, passwords)
        new = MaskedText(new_text, passwords)
        matcher = difflib.SequenceMatcher(None, old.raw, new.raw)
        for opcodes in matcher.get_grouped_opcodes(_CONTEXT):
            _, start, _, new_start, _ = opcodes[0]
            _, _, end, _, new_end = opcodes[-1]
            place = _range(line + start, line + end)
            new_place = _range(new_line + new_start, new_line + new_end)
            lines = [*_lines(opcodes, old, new)]
            yield _Hunk(name, f"@@ -{place} +{new_place} @@", lines)
        line += len(old.raw)
        new_line += len(new.raw)


def _lines(
    opcodes: Iterable[tuple[str, int, int, int, int]], old: MaskedText, new: MaskedText
) -> Iterator[tuple[str, MaskedText, int]]:
    """Yield the lines of a hunk, given opcodes of difflib: lines that both texts have, or those of each of them."""
    for tag, start, end, new_start, new_end in opcodes:
        mark = " " if tag == "equal" else "-"
        for number in range(start, end):
            yield mark, old, number
        if mark == "-":
            for number in range(new_start, new_end):
                yield "+", new, number


def _documents(content: bytes | None) -> list[str]:
    """Return the documents of a file, each with the separator below: `git apply` wants a line below each change."""
    text = (content or b"").decode()
    bounds = [0]
    for start, _ in documents(text)[1:]:
        if not text.startswith("---", start):
            bounds.append(text.rfind("\n", 0, start) + 1)
    bounds.append(len(text))
    return [text[start:end] for start, end in pairwise(bounds)]


def _head(name: str, change: ContentChange) -> list[str]:
    """Return the two lines that name a file."""
    shown = _shown(name)
    old = "/dev/null" if change.old is None else f"a/{shown}"
    new = "/dev/null" if change.new is None else f"b/{shown}"
    return [f"--- {old}", f"+++ {new}"]


def _shown(name: str) -> str:
    return printable(str(redact(name)))


def coloured(line: str) -> str:
    """Return a line of a diff as a terminal shows it in colours."""
    colour = _COLOURS.get(line[:1])
    if not colour:
        return line
    return f"{colour}{line}{PLAIN}"


def _range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff has it (POSIX, `diff -u`); an empty one is behind its line."""
    first = start + 1 if end > start else start
    return f"{first},{end - start}"
