"""The files that `.gitignore`, `.krmignore` and `--exclude` leave out.

Source: git's documentation of `gitignore`, "PATTERN FORMAT"; kustomize and kpt read `.krmignore` in the same format
(kyaml ``kio/ignorefilesmatcher.go``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_GIT = ".gitignore"
_KRM = ".krmignore"
_TRAILING_BLANKS = re.compile(r"(?<!\\)[ ]+\Z|\r\Z")


@dataclass(frozen=True)
class _IgnoreLine:
    """One line: ``pattern`` is compared with a path from the folder of the file that holds the line."""

    pattern: re.Pattern[str]
    is_negated: bool
    only_folders: bool


@dataclass(frozen=True)
class _IgnoreFile:
    """The lines of one file, and the folder that they are about."""

    folder: Path
    rules: tuple[_IgnoreLine, ...]

    def decision(self, path: Path, *, is_folder: bool) -> bool | None:
        """Return whether the last rule that matches leaves ``path`` out; None where no rule matches."""
        name = _bytes_of(path.relative_to(self.folder).as_posix())
        for rule in reversed(self.rules):
            if (is_folder or not rule.only_folders) and rule.pattern.fullmatch(name):
                return not rule.is_negated
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
    """Return the chain with the rules of a file; without them where it cannot be read."""
    try:
        lines = file.read_bytes().decode("latin-1").split("\n")
    except OSError:
        return chain
    rules = _rules(lines)
    return (*chain, _IgnoreFile(folder, rules)) if rules else chain


def _bytes_of(text: str) -> str:
    """Return a text with a character for each of its bytes: git compares bytes."""
    return os.fsencode(text).decode("latin-1")


def _rules(lines: Iterable[str]) -> tuple[_IgnoreLine, ...]:
    return tuple(rule for rule in map(_rule, lines) if rule is not None)


def _rule(line: str) -> _IgnoreLine | None:
    """Return the rule of one line; None for a comment, an empty line or a pattern that matches nothing."""
    text = _TRAILING_BLANKS.sub("", line)
    is_negated = text.startswith("!")
    text = text.removeprefix("!")
    if not text or line.startswith("#"):
        return None
    only_folders = text.endswith("/")
    text = text.rstrip("/") if only_folders else text
    is_anchored = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    body = _body(text if is_anchored else f"**/{text}")
    try:
        return (
            None
            if body is None
            else _IgnoreLine(re.compile(body, re.DOTALL), is_negated, only_folders)
        )
    except re.error:  # a range such as `[z-a]`
        return None


def _body(glob: str) -> str | None:
    """Return the regular expression of a pattern; None where a bracket is not closed."""
    pieces: list[str] = []
    at = 0
    while at < len(glob):
        rest = glob[at:]
        if rest.startswith("**/") and (at == 0 or glob[at - 1] == "/"):
            pieces.append("(?:.*/)?")
            at += 3
        elif rest == "**" and (at == 0 or glob[at - 1] == "/"):
            pieces.append(".*")
            at += 2
        elif glob[at] == "*":
            pieces.append("[^/]*")
            at += len(rest) - len(rest.lstrip("*"))
        elif glob[at] == "?":
            pieces.append("[^/]")
            at += 1
        elif glob[at] == "[":
            found = re.match(r"\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]", rest)
            if not found:
                return None
            inner = re.sub(r"\\?([\[\]^&~|\\])", r"\\\1", found[2])
            pieces.append(f"(?!/)[{'^' if found[1] else ''}{inner}]")
            at += found.end()
        else:
            at += glob[at] == "\\" and at + 1 < len(glob)
            pieces.append(re.escape(glob[at]))
            at += 1
    return "".join(pieces)
