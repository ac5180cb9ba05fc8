"""A unified diff of manifests for a person: credentials and what Secrets hold are masked, as `kubectl diff` does it.

So it is no patch to apply where something is masked: a run changes the files. Elsewhere `git apply` takes it.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from krm_fn.errors import InputError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import has_open_credential, redact
from krm_fn.printable import printable
from krm_fn.yamledit import scalars, span_of

_QUOTES = ("'", '"')
_BLOCKS = ("|", ">")
_FOLD = r"\\?\r?\n[ \t]*"
"""A line break inside a scalar in quotes or without, and the indentation behind it."""
_Scanned = tuple[int, str, list[tuple[int, int, str]]]
"""Where a document begins in its file, its text, and its scalars (``yamledit.scalars``)."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MEMBER = re.compile(r"""(\s*(?:- )?["']?[\w./-]+["']?:)\s+\S.*""")
_COLOURS = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}
_BOLD = "\x1b[1m"
_PLAIN = "\x1b[0m"
_MISSING = "/dev/null"
_CONTEXT = 3


def unified_diff(
    name: str, before: bytes | None, after: bytes | None, *, has_colours: bool
) -> list[str]:
    """Return the lines of a diff of one file, without line breaks; None is a file that does not exist."""
    old, new = _lines(before), _lines(after)
    shown_old, shown_new = _masked(before, old), _masked(after, new)
    reported = [
        f"--- {_MISSING if before is None else f'a/{name}'}",
        f"+++ {_MISSING if after is None else f'b/{name}'}",
    ]
    reported = [_coloured(printable(line), _BOLD, has_colours) for line in reported]
    matcher = difflib.SequenceMatcher(None, old, new)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        ranges = f"-{_range(first[1], last[2])} +{_range(first[3], last[4])}"
        reported.append(_coloured(f"@@ {ranges} @@", _COLOURS["@"], has_colours))
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                reported += _marked(" ", shown_old[start:end], has_colours)
                continue
            reported += _marked("-", shown_old[start:end], has_colours)
            reported += _marked("+", shown_new[new_start:new_end], has_colours)
    return reported


def _lines(content: bytes | None) -> list[str]:
    return _LINE.findall(content.decode()) if content else []


def _range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff has it (POSIX, `diff -u`)."""
    number = end - start
    first = start + 1 if number else start
    return str(first) if number == 1 else f"{first},{number}"


def _marked(mark: str, lines: Sequence[str], has_colours: bool) -> Iterator[str]:
    for line in lines:
        yield _coloured(mark + _shown(line), _COLOURS.get(mark, ""), has_colours)
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _shown(line: str) -> str:
    """Return a line as a terminal can show it, without its line feed; a patch needs the carriage return before it."""
    line = line.removesuffix("\n")
    text = line.removesuffix("\r")
    return "\t".join(printable(part) for part in text.split("\t")) + line[len(text) :]


def _coloured(line: str, colour: str, has_colours: bool) -> str:
    return f"{colour}{line}{_PLAIN}" if has_colours and colour else line


def _masked(content: bytes | None, lines: list[str]) -> list[str]:
    """Return the lines with ``***`` in place of what Secrets hold, and of credentials."""
    hidden = list(_hidden(content)) if content and b"Secret" in content else []
    borders: list[int] = []
    if content and b"@" in content:
        documents = list(_documents_with_scalars(content))
        borders = list(_borders(documents))
        hidden += _folded_credentials(documents)
    shown, position = [], 0
    for line in lines:
        end = position + len(line)
        if any(start < end and position < stop for start, stop in hidden):
            shown.append(str(redact(_without_value(line))))
        else:
            inside = borders[bisect_right(borders, position) : bisect_left(borders, end)]
            shown.append(_without_credentials(line, [border - position for border in inside]))
        position = end
    return shown


def _without_credentials(line: str, borders: Sequence[int]) -> str:
    """Return a line in which each value is masked by itself, so that none hides the values behind it.

    A value without quotes that ends inside of a credential is masked together with the next one.
    """
    parts, start = [], 0
    for border in (*borders, len(line)):
        part = line[start:border]
        is_in_quotes = part.startswith(('"', "'"))
        if border == len(line) or is_in_quotes or not has_open_credential(part):
            parts.append(str(redact(part)))
            start = border
    return "".join(parts)


def _borders(documents: Iterable[_Scanned]) -> Iterator[int]:
    """Yield where a value begins that does not belong to the one before it; none in a document that cannot be read.

    A comma without a blank behind it may be part of a password, where neither side of it is in quotes.
    """
    for start, text, found in documents:
        is_behind_quotes = False
        for position, _, style in found:
            is_in_quotes = style in _QUOTES
            if is_in_quotes or is_behind_quotes or text[position - 1 : position] in " \t[{":
                yield start + position
            is_behind_quotes = is_in_quotes


def _folded_credentials(documents: Iterable[_Scanned]) -> Iterator[tuple[int, int]]:
    """Yield where values on several lines begin and end that hold a credential as a whole: no line shows that."""
    for start, text, found in documents:
        for position, end, style in found:
            raw = text[position:end]
            if style not in _BLOCKS and "\n" in raw and "@" in raw:
                whole = re.sub(_FOLD, "", raw)
                if redact(whole) != whole:
                    yield start + position, start + end


def _documents_with_scalars(content: bytes) -> Iterator[_Scanned]:
    """Yield each document with an "@" that can be read."""
    manifests = Manifests({"": content})
    for index in range(len(manifests)):
        text = manifests.text(index)
        if "@" not in text:
            continue
        try:
            yield manifests.start(index), text, scalars(text)
        except InputError:
            continue


def _without_value(line: str) -> str:
    text = line.rstrip("\r\n")
    line_break = line[len(text) :]
    member = _MEMBER.fullmatch(text)
    if member:
        return f"{member[1]} ***{line_break}"
    if text.endswith(":"):
        return line
    return f"{text[: len(text) - len(text.lstrip())]}***{line_break}"


def _hidden(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the values of Secrets begin and end; of a document that cannot be read, nothing is shown."""
    manifests = Manifests({"": content})
    for index in range(len(manifests)):
        start, text = manifests.start(index), manifests.text(index)
        try:
            found = [obj for obj in manifests.objects(index) if obj.ref.kind == "Secret"]
        except InputError:
            yield start, start + len(text)
            continue
        for obj in found:
            for member in ("data", "stringData"):
                span = span_of(text, (*obj.path, member))
                if span:
                    yield start + span[0], start + span[1]
