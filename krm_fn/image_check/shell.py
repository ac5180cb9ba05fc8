"""What the commands of a shell script leave in the files of a machine.

It looks at what is written by a redirection or by ``tee`` into a file that ``places`` knows, at
the few commands that keep a proxy on their own, and at ``rm``. It runs nothing and follows no variable: a script may
leave more than is seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.image_check import places
from krm_fn.image_check._model import Leak, ScanResult

HEREDOC = re.compile(r"(?<!<)<<(?!<)-?\s*[\"']?([A-Za-z_][A-Za-z0-9_]*)[\"']?")
_WRITTEN = re.compile(r"(?:>>?|\btee\b(?:\s+-\S+)*)\s*[\"']?(/[^\s\"'\\;|&)]+)")
_REMOVED = re.compile(r"\brm\s+((?:-\S+\s+)*)([^;|&\n]+)")
_INLINE = re.compile(
    rf"({places.NAMES})=[\\\"']*[^\s\\\"']|(Acquire::\S*Proxy)\s+\\*\"[^\"\s\\]|\b(proxy)\s*=\s*(?!_none_)[^\s\"']"
)
_HERE_STRING = re.compile(r"<<<(.*)")
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
    for found in _WRITTEN.finditer(command):
        dest = found[1] if places.dest_of(found[1]) else ""
        if dest and body is not None:
            names = places.names(places.settings(dest, body))
        else:
            here = _HERE_STRING.search(command, found.end())
            rest_of_command = (
                f"{_NOT_WRITTEN.sub(' ', command[: found.start()])} {here[1] if here else ''}"
            )
            names = tuple(
                dict.fromkeys(next(filter(None, one)) for one in _INLINE.findall(rest_of_command))
            )
        is_gone = any(dest in later[2].split() for later in _REMOVED.finditer(command, found.end()))
        if dest and names and not is_gone:
            yield Leak(line, names, dest, is_swept=is_swept)
