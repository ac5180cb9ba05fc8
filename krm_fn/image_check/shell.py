"""What the commands of a shell script leave in the files of a machine.

It looks at what is written by a redirection or by ``tee`` into a file that ``places`` knows, at
the few commands that keep a proxy on their own, and at ``rm``. It runs nothing and follows no variable: a script may
leave more than is seen here.
"""

from __future__ import annotations

import bisect
import re
from collections import deque
from collections.abc import Iterable, Iterator

from krm_fn.image_check import places
from krm_fn.image_check._model import Leak, ScanResult

HEREDOC = re.compile(r"(?<!<)<<(?!<)-?\s*[\"']?([A-Za-z_][A-Za-z0-9_]*)[\"']?")
_WRITTEN = re.compile(r"(?:>>?|\btee\b(?:\s+-\S+)*)\s*[\"']?(/[^\s\"'\\;|&)]+)")
_REMOVED = re.compile(r"\brm\s+((?:-\S+\s+)*)([^;|&\n]+)")
_INLINE = re.compile(
    rf"({places.NAMES})=[\\\"']*[^\s\\\"']|(Acquire::\S*Proxy)\s+\\*\"[^\"\s\\]|\b(proxy)\s*=\s*(?!_none_)[^\s\"']"
)
_HERE_STRING = re.compile(r"<<<")
_NOT_WRITTEN = re.compile(
    rf"\bexport\s[^;&|]*|(?:^|(?<=[;&|({{]))\s*(?:{places.NAMES}=\S*\s+)+(?=[\w./])"
)
"""The environment of the commands themselves."""
_KEPT = re.compile(
    r"\b(snap\s+set\s+(?:system|core)\s+proxy\.\w+|git\s+config\s+--(?:system|global)\s+https?\.proxy|"
    r"npm\s+config\s+set\s+(?:-g\s+)?(?:https-)?proxy|pip3?\s+config\s+(?:--global\s+)?set\s+global\.proxy)"
    r"(?:=|\s+)[\"']*[^\s\"']"
)


def look(
    text: str, kind: str = "shell script", *, first: int = 1, is_swept: bool = True
) -> ScanResult:
    """Return what a script leaves in the image, and what it removes.

    Args:
        text: the script.
        kind: what it is.
        first: the line at which the text begins in its file.
        is_swept: as in ``Leak``.
    """
    left: list[Leak] = []
    removed: dict[str, int] = {}
    for line, command, body in _commands(text):
        left += _written(first + line, command, body, is_swept=is_swept)
        kept = _KEPT.search(command)
        if kept:
            left.append(
                Leak(
                    first + line, (), what=f"runs `{' '.join(kept[1].split())}`", is_swept=is_swept
                )
            )
        for found in _REMOVED.finditer(command):
            removed |= {path.strip("\"'"): first + line for path in found[2].split()}
    return ScanResult(kind, tuple(left), removed)


def _commands(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield the number of each command's line from 0, its text with continued lines, and its here-document."""
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        start, command = index, lines[index]
        while command.endswith("\\") and index + 1 < len(lines):
            index += 1
            is_comment = lines[index].lstrip().startswith("#")
            command = command if is_comment else f"{command[:-1]} {lines[index]}"
        index += 1
        word, body = None if command.lstrip().startswith("#") else HEREDOC.search(command), None
        if word:
            end = next(
                (at for at in range(index, len(lines)) if lines[at].strip() == word[1]), len(lines)
            )
            body = "\n".join(line.strip() for line in lines[index:end])
            index = end + 1
        if not command.lstrip().startswith("#"):
            yield start, command, body


def _written(line: int, command: str, body: str | None, *, is_swept: bool) -> Iterator[Leak]:
    """Yield what a command writes into known files: of its here-document, or of what is in front of a redirection.

    The command is searched once for each pattern, however many redirections it has.
    """
    to_known = [found for found in _WRITTEN.finditer(command) if places.dest_of(found[1])]
    if not to_known:
        return
    removals = {
        path: found.start() for found in _REMOVED.finditer(command) for path in found[2].split()
    }
    in_front = _Names(_NOT_WRITTEN.sub(lambda found: " " * len(found[0]), command))
    here_strings = _HereStrings(command)
    for found in to_known:
        dest = found[1]
        if body is not None:
            names = places.names(places.settings(dest, body))
        else:
            names = tuple(
                dict.fromkeys((*in_front.up_to(found.start()), *here_strings.behind(found.end())))
            )
        is_gone = removals.get(dest, -1) >= found.end()
        if names and not is_gone:
            yield Leak(line, names, dest, is_swept=is_swept)


class _Names:
    """The names that a text sets, asked for from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._rest = deque((found.end(), _name(found)) for found in _INLINE.finditer(text))
        self._passed: dict[str, None] = {}

    def up_to(self, end: int) -> Iterable[str]:
        """Return the names in front of ``end``, which is not less than the last time, each once."""
        while self._rest and self._rest[0][0] <= end:
            self._passed[self._rest.popleft()[1]] = None
        return self._passed


class _HereStrings:
    """The names that the here-strings of a command set."""

    def __init__(self, command: str) -> None:
        self._starts = [found.start() for found in _HERE_STRING.finditer(command)]
        first = self._starts[0] if self._starts else len(command)
        self._names = [(found.start(), _name(found)) for found in _INLINE.finditer(command, first)]

    def behind(self, at: int) -> Iterable[str]:
        """Return the names in the first here-string behind ``at``, and to the end of the command."""
        index = bisect.bisect_left(self._starts, at)
        if index == len(self._starts):
            return ()
        start = self._starts[index]
        return dict.fromkeys(name for place, name in self._names if place >= start)


def _name(found: re.Match[str]) -> str:
    return found[1] or found[2] or found[3]
