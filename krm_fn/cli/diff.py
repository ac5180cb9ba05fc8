"""A unified diff of manifests for a person: credentials and what Secrets hold are masked, as `kubectl diff` does it.

It is made of the lines as they are, so that a password that changes is a change, and shows them masked. So it is no
patch to apply where something is masked: a run changes the files. Elsewhere `git apply` takes it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from krm_fn.cli.masking import MaskedLines, lines_of
from krm_fn.krm.known_secrets import ProxyPasswords
from krm_fn.krm.masking import redact
from krm_fn.printable import printable

_COLOURS = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}
_BOLD = "\x1b[1m"
_PLAIN = "\x1b[0m"
_MISSING = "/dev/null"
_CONTEXT = 3


def unified_diff(
    name: str,
    before: bytes | None,
    after: bytes | None,
    *,
    has_colours: bool,
    passwords: ProxyPasswords | None = None,
) -> list[str]:
    """Return the lines of a diff of one file, without line breaks; None is a file that does not exist.

    ``passwords`` are those of the proxies, as far as they are known; no line shows them in any place.
    """
    passwords = passwords or ProxyPasswords()
    old, new = _text(before), _text(after)
    shown_old, shown_new = MaskedLines(old, passwords), MaskedLines(new, passwords)
    reported = [
        f"--- {_MISSING if before is None else f'a/{name}'}",
        f"+++ {_MISSING if after is None else f'b/{name}'}",
    ]
    reported = [
        _coloured(printable(redact(passwords.hidden(line))), _BOLD, has_colours)
        for line in reported
    ]
    matcher = difflib.SequenceMatcher(None, lines_of(old), lines_of(new))
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        ranges = f"-{_range(first[1], last[2])} +{_range(first[3], last[4])}"
        reported.append(_coloured(f"@@ {ranges} @@", _COLOURS["@"], has_colours))
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                reported += _marked(" ", shown_old.between(start, end), has_colours)
                continue
            reported += _marked("-", shown_old.between(start, end), has_colours)
            reported += _marked("+", shown_new.between(new_start, new_end), has_colours)
    return reported


def _text(content: bytes | None) -> str:
    return content.decode() if content else ""


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
