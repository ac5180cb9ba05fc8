"""The files that `.gitignore`, `.krmignore` and `--exclude` leave out.

Source: git's documentation of `gitignore`, "PATTERN FORMAT"; kustomize and kpt read `.krmignore` in the same format
(kyaml ``kio/ignorefilesmatcher.go``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import count, groupby
from pathlib import Path

from krm_fn.cli.reading import LARGEST_IGNORE_FILE, read_found
from krm_fn.light_typing import NamedTuple

_GIT = ".gitignore"
_KRM = ".krmignore"
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
"""The classes of characters in brackets, ``[[:digit:]]`` (POSIX, "RE Bracket Expression"; git's ``wildmatch.c``)."""
_ITEM = re.compile(r"\[:([a-z]*):\]|(\\.|.)(?:-(\\.|[^\]\\]))?", re.DOTALL)
"""What a bracket holds: a class, a character, or a range of them."""
_FOLDER = "(?:[^/]+/)"
_IN_ANY = f"{_FOLDER}*"
"""The beginning of an expression for what is in any folder."""
_NUMBERS = count()
"""Of groups in expressions: several expressions become one, in which no two groups have one name."""


class _IgnoreFile(NamedTuple):
    """The lines of one file, and the folder that they are about.

    ``runs`` has a regular expression for all lines that follow each other without a change between "leave out" and
    "leave in", and whether it leaves out, the last ones first. It is compared with a path from the folder.
    """

    folder: str
    runs: Sequence[tuple[re.Pattern[str], bool]]

    def decision(self, path: str) -> bool | None:
        """Return whether the last rule that matches leaves ``path`` out; None where no rule matches."""
        inside = path[len(self.folder) :]
        for pattern, is_left_out in self.runs:
            if pattern.fullmatch(inside):
                return is_left_out
        return None


class Ignored(NamedTuple):
    """What is left out in a folder: a chain of rules for each kind of file that has some, and for `--exclude`.

    In each chain the rules of a deeper folder are behind those above it, and count before them. ``path`` is that of the
    folder as rules compare it.
    """

    folder: Path
    path: str
    chains: tuple[tuple[_IgnoreFile, ...], ...]

    def leaves_out(self, name: str, *, is_folder: bool) -> bool:
        """Return whether what has this name in the folder is left out."""
        path = f"{self.path}{_bytes_of(name)}{'/' if is_folder else ''}"
        return any(_decided(chain, path) for chain in self.chains)

    def below(self, name: str) -> Ignored:
        """Return what is left out in the folder of this name."""
        return _with_files(self.folder / name, self.chains)


def ignored_in(folder: Path, exclude: Sequence[str]) -> Ignored:
    """Return what is left out in ``folder``, an absolute path; ``exclude`` are patterns about it."""
    return _with_files(folder, (_of_git_above(folder), (), (_excluded(folder, exclude),)))


def excluded(file: Path, exclude: Sequence[str]) -> bool:
    """Return whether one of the patterns leaves out a file, an absolute path, that the command line names."""
    return bool(_excluded(file.parent, exclude).decision(_path(file, is_folder=False)))


def _excluded(folder: Path, exclude: Sequence[str]) -> _IgnoreFile:
    return _rules(folder, map(_bytes_of, exclude))


def _with_files(folder: Path, chains: tuple[tuple[_IgnoreFile, ...], ...]) -> Ignored:
    """Return what is left out in a folder, given the chains of the folders above it."""
    git, krm, others = chains
    chains = (_with(git, folder, folder / _GIT), _with(krm, folder, folder / _KRM), others)
    return Ignored(folder, _path(folder, is_folder=True), chains)


def _decided(chain: Sequence[_IgnoreFile], path: str) -> bool:
    for rules in reversed(chain):
        found = rules.decision(path)
        if found is not None:
            return found
    return False


def _of_git_above(path: Path) -> tuple[_IgnoreFile, ...]:
    """Return the rules of the folders from the root of a git repository down to the one above ``path``."""
    above: list[Path] = []
    for folder in (path, *path.parents):
        above.insert(0, folder)
        if os.path.exists(folder / ".git"):  # noqa: PTH110 -- it says "no" of what this user may not look at
            chain = _with((), folder, folder / ".git" / "info" / "exclude")
            for one in above[:-1]:
                chain = _with(chain, one, one / _GIT)
            return chain
    return ()


def _with(chain: tuple[_IgnoreFile, ...], folder: Path, file: Path) -> tuple[_IgnoreFile, ...]:
    """Return the chain with the rules of a file; without them where there is no regular file.

    Raises:
        InputError: the file is too large.
    """
    try:
        lines = read_found(file, LARGEST_IGNORE_FILE).decode("latin-1").split("\n")
    except OSError:
        return chain
    return (*chain, _rules(folder, lines))


def _path(path: Path, *, is_folder: bool) -> str:
    """Return an absolute path as rules compare it: that of a folder ends with "/"."""
    text = _bytes_of(str(path))
    return f"{text.rstrip('/')}/" if is_folder else text


def _bytes_of(text: str) -> str:
    """Return a text with a character for each of its bytes: git compares bytes."""
    return os.fsencode(text).decode("latin-1")


def _rules(folder: Path, lines: Iterable[str]) -> _IgnoreFile:
    """Return the rules of the lines of a file."""
    found: list[tuple[bool, str]] = []
    for line in lines:
        text = _without_trailing_blanks(line.removesuffix("\r"))
        is_left_out = not text.startswith("!")
        expression = None if text.startswith("#") else _expression(text.removeprefix("!"))
        if expression is not None:
            found.append((is_left_out, expression))
    runs: list[tuple[re.Pattern[str], bool]] = []
    for is_left_out, same in groupby(found, lambda one: one[0]):
        runs.append((_any_of([expression for _, expression in same]), is_left_out))
    return _IgnoreFile(_path(folder, is_folder=True), runs[::-1])


def _any_of(expressions: Sequence[str]) -> re.Pattern[str]:
    """Return what fits where one of the expressions does; folders that several begin with are written once."""
    anywhere = [one.removeprefix(_IN_ANY) for one in expressions if one.startswith(_IN_ANY)]
    others = [one for one in expressions if not one.startswith(_IN_ANY)]
    if anywhere:
        others.append(f"{_IN_ANY}(?:{'|'.join(anywhere)})")
    return re.compile("|".join(others), re.DOTALL)


def _without_trailing_blanks(line: str) -> str:
    stripped = line.rstrip(" ")
    return f"{stripped} " if stripped.endswith("\\") and stripped != line else stripped


def _expression(text: str) -> str | None:
    """Return the regular expression for one pattern; None where it matches nothing.

    Args:
        text: a line without blanks at its end and without "!".
    """
    end = "/" if text.endswith("/") else "/?"
    text = text.removesuffix("/")
    text = text.removeprefix("/") if "/" in text else f"**/{text}"
    folders = [""]  # between two times `**`, each with the slash behind it
    for part in text.split("/"):
        if part == "**":
            folders.append("")
            continue
        found = _part(part)
        if found is None:
            return None
        folders[-1] += f"{found}/"
    folders[-1] = folders[-1].removesuffix("/") or "[^/]+"  # what is inside, not the folder itself
    return _joined(folders, _FOLDER) + end


def _joined(chunks: Sequence[str], gap: str) -> str:
    """Return an expression for texts with any number of gaps between them.

    Only the first place that fits has to be tried, except for the last text. What ``(?=...)`` has found is not looked
    for again, so that the time is at most the product of the lengths of pattern and name.
    """
    found = chunks[0]
    for chunk in chunks[1:-1]:
        group = f"g{next(_NUMBERS)}"
        found += f"(?=(?P<{group}>{gap}*?{chunk}))(?P={group})"
    return f"{found}{gap}*{chunks[-1]}" if len(chunks) > 1 else found


def _part(part: str) -> str | None:
    """Return the expression for a pattern between two slashes; None where it matches nothing."""
    if not part.strip("*"):  # a name is never empty
        return "[^/]+" if part else None
    chunks = [""]
    at = 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "*":
            chunks.append("")
        elif char == "?":
            chunks[-1] += "[^/]"
        elif char == "[":
            found = _bracket(part, at)
            if found is None:
                return None
            chunks[-1] += found[0]
            at = found[1]
        else:
            if char == "\\":
                char = part[at : at + 1]
                at += 1
            if not char:
                return None
            chunks[-1] += re.escape(char)
    return _joined(chunks, "[^/]")


def _bracket(part: str, at: int) -> tuple[str, int] | None:
    """Return the expression for a bracket whose content begins at ``at``, and where the text goes on.

    None is for a bracket that is not closed, or that names an unknown class.
    """
    is_negated = part[at : at + 1] in ("!", "^")
    start = at = at + is_negated
    chars = ""
    while at == start or part[at : at + 1] != "]":
        item = _ITEM.match(part, at)
        if item is None or item[1] not in (None, *_CLASSES):
            return None
        at = item.end()
        if item[1]:
            chars += _CLASSES[item[1]]
            continue
        low, high = item[2][-1], (item[3] or item[2])[-1]
        if low <= high:
            chars += f"{re.escape(low)}-{re.escape(high)}"
    if is_negated:
        return f"[^/{chars}]", at + 1
    return (f"(?!/)[{chars}]" if chars else "(?!)"), at + 1
