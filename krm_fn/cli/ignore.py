"""Find the files that `.gitignore`, `.krmignore` and `--exclude` leave out.

Sources: git's documentation of `gitignore`, "PATTERN FORMAT" and "NOTES" (a file that git tracks is not affected), and
of its index (`gitformat-index`); kustomize and kpt read `.krmignore` in the same format.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from krm_fn.cli.streams import LARGEST_IGNORE_FILE, read_file
from krm_fn.light_typing import NamedTuple

_ANY_NAME = re.compile(".+")
_LITERAL_IN_FNMATCH = "!^#] "


class _Rule(NamedTuple):
    """One line of the ignore file of a folder, which is ``depth`` names deep.

    There is a pattern for each name of a path below that folder, and None for any number of names (`**`).
    """

    depth: int
    patterns: Sequence[re.Pattern[str] | None]
    is_for_folders: bool
    leaves_out: bool
    is_of_git: bool

    def matches(self, names: Sequence[str], *, is_folder: bool) -> bool:
        """Return whether it is for a path, of which these are the names."""
        if self.is_for_folders and not is_folder:
            return False
        return _matches(names[self.depth :], self.patterns)


class Ignored(NamedTuple):
    """The rules that leave files out: the last one of folders that fits decides, and before them those of `--exclude`.

    Attributes:
        rules: the rules of ignore files.
        exclude: those of the command line.
        root: the folder of the git repository.
        tracked: the content of its index, which names the files that git tracks.
        is_inside: whether a rule of git leaves out the folder that this is about, so that only tracked files count.
    """

    rules: Sequence[_Rule] = ()
    exclude: Sequence[_Rule] = ()
    root: str = ""
    tracked: bytes = b""
    is_inside: bool = False

    def keeps(self, path: str, *, is_folder: bool) -> bool:
        """Return whether an absolute path is not left out."""
        names = path.split("/")
        for rule in chain(reversed(self.exclude), reversed(self.rules)):
            if rule.matches(names, is_folder=is_folder):
                if rule.leaves_out and rule.is_of_git:
                    return self._is_tracked(path, is_folder=is_folder)
                if rule.leaves_out or not self.is_inside:
                    return not rule.leaves_out
        return not self.is_inside or self._is_tracked(path, is_folder=is_folder)

    def below(self, folder: str) -> Ignored:
        """Return the rules for a folder, an absolute path, inside of this one."""
        # Git rules out each file of a folder that is ignored, and no later rule brings it back.
        is_kept = self._replace(tracked=b"").keeps(folder, is_folder=True)
        return self._replace(is_inside=not is_kept).with_rules_of(folder)

    def with_rules_of(self, folder: str) -> Ignored:
        """Return these rules with those of the ignore files of a folder."""
        of_git = _read(folder, ".gitignore", is_of_git=True)
        of_krm = _read(folder, ".krmignore")
        return self._replace(rules=[*self.rules, *of_git, *of_krm])

    def _is_tracked(self, path: str, *, is_folder: bool) -> bool:
        """Return whether git tracks a file, or a file in a folder: the index holds its path, which a NUL ends."""
        name = os.path.relpath(path, self.root)
        end = "/" if is_folder else "\0"
        return f"{name}{end}".encode(errors="surrogateescape") in self.tracked


def ignored_in(folder: str, exclude: Sequence[str]) -> Ignored:
    """Return the rules for a folder, an absolute path, to which the patterns ``exclude`` are relative.

    The rules of the folders above count, too, up to the root of the git repository.
    """
    root = repository_of(folder) or folder
    rules = _read(root, ".git/info/exclude", is_of_git=True)
    ignored = Ignored(rules, rules_of(folder, exclude), root, _index_of(root))
    for above in reversed([Path(folder), *Path(folder).parents]):
        if above.is_relative_to(root):
            ignored = ignored.with_rules_of(str(above))
    return ignored


def repository_of(folder: str) -> str | None:
    """Return the root of the git repository of a folder; None outside of one."""
    for above in (Path(folder), *Path(folder).parents):
        if os.path.exists(above / ".git"):
            return str(above)
    return None


def _index_of(root: str) -> bytes:
    """Return the content of the index of a git repository; nothing where there is none."""
    index = os.path.join(root, ".git/index")
    return read_file(index, os.path.relpath(index)) if os.path.isfile(index) else b""


def _matches(names: Sequence[str], patterns: Sequence[re.Pattern[str] | None]) -> bool:
    """Return whether names match patterns. Only the last `**` is tried again, so that the time is their product."""
    name = pattern = 0
    behind_stars, tried_at = -1, 0
    while name < len(names):
        is_left = pattern < len(patterns)
        wanted = patterns[pattern] if is_left else None
        if wanted and wanted.fullmatch(names[name]):
            name += 1
            pattern += 1
        elif is_left and not wanted:
            pattern += 1
            behind_stars = pattern
            tried_at = name
        elif behind_stars >= 0:
            tried_at += 1
            name = tried_at
            pattern = behind_stars
        else:
            return False
    return pattern == len(patterns)


def _read(folder: str, name: str, *, is_of_git: bool = False) -> list[_Rule]:
    """Return the rules of an ignore file; none where it is no regular file: git follows no link to one either."""
    file = os.path.join(folder, name)
    if os.path.islink(file) or not os.path.isfile(file):
        return []
    content = read_file(file, os.path.relpath(file), at_most=LARGEST_IGNORE_FILE)
    lines = content.decode(errors="surrogateescape").split("\n")
    return rules_of(folder, lines, is_of_git=is_of_git)


def rules_of(folder: str, lines: Iterable[str], *, is_of_git: bool = False) -> list[_Rule]:
    """Return the rules in the lines of an ignore file of a folder, an absolute path."""
    depth = len(folder.rstrip("/").split("/"))
    rules = []
    for line in lines:
        # A blank at the end counts if it is escaped.
        text = re.sub(r"(?:(?<![\\ ])|(?<=\\ )) +$", "", line.rstrip("\r\n"))
        pattern = text.removeprefix("!")
        if text.startswith("#") or not pattern.strip("/"):
            continue
        names = _patterns(pattern.removesuffix("/"))
        is_for_folders = pattern.endswith("/")
        leaves_out = pattern == text
        rules.append(_Rule(depth, names, is_for_folders, leaves_out, is_of_git))
    return rules


def _patterns(text: str) -> list[re.Pattern[str] | None]:
    """Return the patterns for the names of a path; a text without a slash is for a name in any folder."""
    patterns: list[re.Pattern[str] | None] = [] if "/" in text else [None]
    for name in text.removeprefix("/").split("/"):
        if name == "**":
            patterns.append(None)
        else:
            escaped = re.sub(r"\\(.)", _literal, name)
            expression = fnmatch.translate(escaped.replace("[^", "[!"))
            patterns.append(re.compile(expression))
    if patterns[-1] is None:
        # `a/**` is what is inside of `a`, and not `a` itself.
        patterns.append(_ANY_NAME)
    return patterns


def _literal(found: re.Match[str]) -> str:
    return found[1] if found[1] in _LITERAL_IN_FNMATCH else f"[{found[1]}]"
