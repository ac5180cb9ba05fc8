"""The files that `.gitignore`, `.krmignore` and `--exclude` leave out.

Source: git's documentation of `gitignore`, "PATTERN FORMAT"; kustomize and kpt read `.krmignore` in the same format
(kyaml ``kio/ignorefilesmatcher.go``).
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from krm_fn.cli.reading import LARGEST_IGNORE_FILE, read_found

_GIT = ".gitignore"
_KRM = ".krmignore"
_Token = frozenset[str]
"""The characters that may be in one place; `_STAR` is any number of any."""
_Part = tuple[_Token, ...]
"""A pattern between two slashes; `_FOLDERS` is any number of folders."""
_EVERY_CHAR: _Token = frozenset(map(chr, range(256))) - {"/"}
_STAR: _Token = frozenset({"any number"})
_FOLDERS: _Part = (_STAR, _STAR)


_LETTERS, _DIGITS = frozenset(string.ascii_letters), frozenset(string.digits)
_CLASSES: dict[str, _Token] = {
    "alnum": _LETTERS | _DIGITS,
    "alpha": _LETTERS,
    "blank": frozenset(" \t"),
    "cntrl": frozenset(map(chr, [*range(32), 127])),
    "digit": _DIGITS,
    "graph": _LETTERS | _DIGITS | frozenset(string.punctuation),
    "lower": frozenset(string.ascii_lowercase),
    "print": _LETTERS | _DIGITS | frozenset(f"{string.punctuation} "),
    "punct": frozenset(string.punctuation),
    "space": frozenset(string.whitespace),
    "upper": frozenset(string.ascii_uppercase),
    "xdigit": frozenset(string.hexdigits),
}
"""The classes of characters in brackets, ``[[:digit:]]`` (POSIX, "RE Bracket Expression"; git's ``wildmatch.c``)."""
_CLASS = re.compile(r"\[:([a-z]*):\]")


@dataclass(frozen=True)
class _IgnoreLine:
    """One line: ``pattern`` is compared with a path from the folder of the file that holds the line."""

    pattern: tuple[_Part, ...]
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
            if (is_folder or not rule.only_folders) and _matches(rule.pattern, name):
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


def _rules(lines: Iterable[str]) -> tuple[_IgnoreLine, ...]:
    return tuple(rule for rule in map(_rule, lines) if rule is not None)


def _rule(line: str) -> _IgnoreLine | None:
    """Return the rule of one line; None for a comment, an empty line or a pattern that matches nothing."""
    text = _without_trailing_blanks(line.removesuffix("\r"))
    is_negated = text.startswith("!")
    text = text.removeprefix("!")
    if not text or line.startswith("#"):
        return None
    only_folders = text.endswith("/")
    text = text.removesuffix("/")
    is_anchored = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    if not is_anchored:
        text = f"**/{text}"
    pattern: list[_Part] = []
    for part in text.split("/"):
        tokens = _tokens(part)  # those of `**` are `_FOLDERS`
        if tokens is None:
            return None
        pattern.append(tuple(tokens))
    if pattern[-1] == _FOLDERS:  # what is inside, not the folder itself
        pattern.append((_STAR,))
    return _IgnoreLine(tuple(pattern), is_negated, only_folders)


def _without_trailing_blanks(line: str) -> str:
    stripped = line.rstrip(" ")
    return f"{stripped} " if stripped.endswith("\\") and stripped != line else stripped


def _tokens(part: str) -> list[_Token] | None:
    """Return the tokens of a pattern between two slashes; None where a bracket is not closed."""
    tokens: list[_Token] = []
    at = 0
    while at < len(part):
        if part[at] == "[":
            found = _bracket(part, at + 1)
            if found is None:
                return None
            chars, at = found
            tokens.append(chars)
            continue
        if part[at] == "*":
            tokens.append(_STAR)
        elif part[at] == "?":
            tokens.append(_EVERY_CHAR)
        else:
            at += part[at] == "\\" and at + 1 < len(part)
            tokens.append(frozenset(part[at]))
        at += 1
    return tokens


def _bracket(part: str, at: int) -> tuple[frozenset[str], int] | None:
    """Return the characters of a bracket whose content begins at ``at``, and where the text goes on."""
    is_negated = part[at : at + 1] in ("!", "^")
    at += is_negated
    chars: set[str] = set()
    is_first = True
    while at < len(part) and (is_first or part[at] != "]"):
        is_first = False
        of_class = _CLASS.match(part, at)
        if of_class:
            if of_class[1] not in _CLASSES:
                return None
            chars |= _CLASSES[of_class[1]]
            at = of_class.end()
            continue
        at += part[at] == "\\" and at + 1 < len(part)
        low = part[at]
        if part[at + 1 : at + 2] == "-" and part[at + 2 : at + 3] not in ("", "]"):
            at += 2
            at += part[at] == "\\" and at + 1 < len(part)
            chars |= {chr(code) for code in range(ord(low), ord(part[at]) + 1)}
        else:
            chars.add(low)
        at += 1
    if at >= len(part):
        return None
    return (_EVERY_CHAR - chars if is_negated else frozenset(chars)), at + 1


def _matches(pattern: Sequence[_Part], name: str) -> bool:
    return _fits(pattern, name.split("/"), _FOLDERS, _part_matches)


def _part_matches(part: _Part, name: str) -> bool:
    return _fits(part, name, _STAR, lambda chars, char: char in chars)


_P = TypeVar("_P")
_I = TypeVar("_I")


def _fits(
    pattern: Sequence[_P], items: Sequence[_I], star: _P, is_one: Callable[[_P, _I], bool]
) -> bool:
    """Return whether a pattern fits all items, where ``star`` fits any number of them.

    Only the last star before an item that does not fit takes one more, so that the time is at most the product of both
    lengths.
    """
    at = star_at = item = star_item = 0
    has_star = False
    while item < len(items):
        if at < len(pattern) and pattern[at] == star:
            has_star, star_at, star_item = True, at, item
            at += 1
        elif at < len(pattern) and is_one(pattern[at], items[item]):
            at, item = at + 1, item + 1
        elif has_star:
            star_item += 1
            at, item = star_at + 1, star_item
        else:
            return False
    return all(one == star for one in pattern[at:])
