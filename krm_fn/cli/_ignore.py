"""The files that `.gitignore`, `.krmignore` and `--exclude` leave out.

Source: git's documentation of `gitignore`, "PATTERN FORMAT"; kustomize and kpt read `.krmignore` in the same format
(kyaml ``kio/ignorefilesmatcher.go``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from krm_fn.cli.reading import LARGEST_IGNORE_FILE, read_found

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
_FOLDER = "(?:[^/]+/)"
_IN_ANY = f"{_FOLDER}*"
"""The beginning of an expression for what is in any folder."""
_CLASS = re.compile(r"\[:([a-z]*):\]")


@dataclass(frozen=True)
class _IgnoreFile:
    """The lines of one file, and the folder that they are about.

    ``rules`` has a regular expression for all lines that follow each other without a change between "leave out" and
    "leave in", and whether it leaves in. It is compared with a path from the folder, which ends with "/" if it is a
    folder.
    """

    folder: Path
    rules: tuple[tuple[re.Pattern[str], bool], ...]

    def decision(self, path: Path, *, is_folder: bool) -> bool | None:
        """Return whether the last rule that matches leaves ``path`` out; None where no rule matches."""
        inside = str(path)[len(str(self.folder).rstrip("/")) + 1 :]
        name = _bytes_of(f"{inside}/" if is_folder else inside)
        for pattern, is_negated in reversed(self.rules):
            if pattern.fullmatch(name):
                return not is_negated
        return None


@dataclass(frozen=True)
class Ignored:
    """What is left out in a folder and below it: a chain of rules for each kind of file that has some.

    In each chain the rules of a deeper folder count before those above it.
    """

    chains: tuple[tuple[_IgnoreFile, ...], ...] = ()

    def leaves_out(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether ``path``, which is in this folder, is left out."""
        return any(_decided(chain, path, is_folder=is_folder) for chain in self.chains)

    def inside(self, folder: Path) -> Ignored:
        """Return the same with what the files in ``folder``, an absolute path, add."""
        git, krm, *others = self.chains
        return Ignored(
            (_with(git, folder, folder / _GIT), _with(krm, folder, folder / _KRM), *others)
        )


def ignored_below(path: Path, exclude: Sequence[str]) -> Ignored:
    """Return what is left out below ``path``, before the files in ``path`` itself are read.

    Args:
        path: an absolute path of a folder.
        exclude: patterns of the command line, which are about ``path``.
    """
    return Ignored((_of_git_above(path), (), (_IgnoreFile(path, _rules(map(_bytes_of, exclude))),)))


def excluded(path: Path, exclude: Sequence[str]) -> bool:
    """Return whether one of the patterns leaves out a file that the command line names."""
    rules = _IgnoreFile(path.parent, _rules(map(_bytes_of, exclude)))
    return bool(rules.decision(path, is_folder=False))


def _decided(chain: Sequence[_IgnoreFile], path: Path, *, is_folder: bool) -> bool:
    for rules in reversed(chain):
        found = rules.decision(path, is_folder=is_folder)
        if found is not None:
            return found
    return False


def _of_git_above(path: Path) -> tuple[_IgnoreFile, ...]:
    """Return the rules of the folders from the root of a git repository down to the one above ``path``."""
    above = [path, *path.parents]
    roots = [folder for folder in above if (folder / ".git").exists()]
    if not roots:
        return ()
    root = roots[0]
    chain = _with((), root, root / ".git" / "info" / "exclude")
    for folder in reversed(above[1 : above.index(root) + 1]):
        chain = _with(chain, folder, folder / _GIT)
    return chain


def _with(chain: tuple[_IgnoreFile, ...], folder: Path, file: Path) -> tuple[_IgnoreFile, ...]:
    """Return the chain with the rules of a file; without them where there is no regular file.

    Raises:
        InputError: the file is too large.
    """
    try:
        lines = read_found(file, LARGEST_IGNORE_FILE).decode("latin-1").split("\n")
    except OSError:
        return chain
    rules = _rules(lines)
    return (*chain, _IgnoreFile(folder, rules)) if rules else chain


def _bytes_of(text: str) -> str:
    """Return a text with a character for each of its bytes: git compares bytes."""
    return os.fsencode(text).decode("latin-1")


def _rules(lines: Iterable[str]) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Return the rules of a file, as ``_IgnoreFile`` has them."""
    numbers = count()
    runs: list[tuple[bool, list[str]]] = []
    for line in lines:
        text = _without_trailing_blanks(line.removesuffix("\r"))
        is_negated = text.startswith("!")
        found = None if line.startswith("#") else _expression(text.removeprefix("!"), numbers)
        if found is None:
            continue
        if not runs or runs[-1][0] != is_negated:
            runs.append((is_negated, []))
        runs[-1][1].append(found)
    return tuple((_any_of(found), is_negated) for is_negated, found in runs)


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


def _expression(text: str, numbers: Iterator[int]) -> str | None:
    """Return the regular expression for one pattern; None where it matches nothing, as a bracket is not closed.

    Args:
        text: a line without blanks at its end and without "!".
        numbers: gives the groups of the expression names that no other has.
    """
    end = "/" if text.endswith("/") else "/?"
    text = text.removesuffix("/")
    is_anchored = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    folders = [""]  # between two times `**`, each with the slash behind it
    for part in (text if is_anchored else f"**/{text}").split("/"):
        if part == "**":
            folders.append("")
            continue
        found = _part(part, numbers)
        if found is None:
            return None
        folders[-1] += f"{found}/"
    folders[-1] = folders[-1].removesuffix("/") or "[^/]+"  # what is inside, not the folder itself
    return _joined(folders, _FOLDER, numbers) + end


def _joined(chunks: Sequence[str], gap: str, numbers: Iterator[int]) -> str:
    """Return an expression for texts with any number of gaps between them.

    Only the first place that fits has to be tried, except for the last text. What ``(?=...)`` has found is not looked
    for again, so that the time is at most the product of the lengths of pattern and name.
    """
    if len(chunks) == 1:
        return chunks[0]
    first, *between, last = chunks
    found = [first]
    for chunk in between:
        group = f"g{next(numbers)}"
        found.append(f"(?=(?P<{group}>{gap}*?{chunk}))(?P={group})")
    return "".join([*found, f"{gap}*{last}"])


def _part(part: str, numbers: Iterator[int]) -> str | None:
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
        elif char == "\\":
            if at == len(part):
                return None
            chunks[-1] += re.escape(part[at])
            at += 1
        else:
            chunks[-1] += re.escape(char)
    return _joined(chunks, "[^/]", numbers)


def _bracket(part: str, at: int) -> tuple[str, int] | None:
    """Return the expression for a bracket whose content begins at ``at``, and where the text goes on."""
    is_negated = part[at : at + 1] in ("!", "^")
    at += is_negated
    chars = ""
    is_first = True
    while at < len(part) and (is_first or part[at] != "]"):
        is_first = False
        of_class = _CLASS.match(part, at)
        if of_class:
            if of_class[1] not in _CLASSES:
                return None
            chars += _CLASSES[of_class[1]]
            at = of_class.end()
            continue
        at += part[at] == "\\" and at + 1 < len(part)
        low = high = part[at]
        if part[at + 1 : at + 2] == "-" and part[at + 2 : at + 3] not in ("", "]"):
            at += 2
            at += part[at] == "\\" and at + 1 < len(part)
            high = part[at]
        if low <= high:
            chars += f"{re.escape(low)}-{re.escape(high)}"
        at += 1
    if at >= len(part):
        return None
    if is_negated:
        return f"[^/{chars}]", at + 1
    return (f"(?!/)[{chars}]" if chars else "(?!)"), at + 1
