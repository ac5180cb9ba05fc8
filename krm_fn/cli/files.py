"""Files that a person names on the command line, and those of folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from krm_fn.cli.ignore import Ignored, ignored_in, repository_of, rules_of
from krm_fn.cli.streams import unreadable
from krm_fn.errors import UsageError
from krm_fn.light_typing import NamedTuple

ENDINGS = (".yaml", ".yml", ".json", ".yaml.patch")
TEMPLATES = ("kustomization.yaml.", "kustomization.yml.")
"""With what the name of a template of a kustomization begins."""
UNFINISHED = ".inject-proxy."
"""With what the name of a new content begins that has not replaced its file yet."""


class FoundFile(NamedTuple):
    """A file by the name that messages call it, and its absolute path without links.

    ``is_regular`` is False for a link or a pipe inside of a folder, which is not read: it may lead anywhere.
    """

    name: str
    path: str
    is_regular: bool = True


def find_files(paths: Sequence[str], exclude: Sequence[str]) -> list[FoundFile]:
    """Return the named files, and every YAML, JSON or template of a kustomization in named folders, each once.

    Hidden files and those that `.gitignore` and `.krmignore` name are left out of folders; a file named itself is
    left out by ``exclude`` only.

    Raises:
        UsageError: a path does not exist, or this user may not read a folder.
    """
    found: dict[str, FoundFile] = {}
    for path in paths:
        real = os.path.realpath(path)
        name = os.path.normpath(path)
        if os.path.isdir(path):
            ignored = ignored_in(real, exclude)
            for file in _files_below("" if name == "." else name, real, ignored):
                found.setdefault(file.path, file)
        elif os.path.exists(path):
            excluded = Ignored(exclude=rules_of(os.path.dirname(real), exclude))
            if excluded.keeps(real, is_folder=False):
                found.setdefault(real, FoundFile(name, real))
        else:
            raise UsageError(f'there is no file or folder "{path}"')
    return list(found.values())


def _files_below(name: str, path: str, ignored: Ignored) -> Iterator[FoundFile]:
    """Yield the YAML and JSON files below a folder, in order."""
    for child in _children(path, ignored):
        name_of_child = os.path.join(name, child.name)
        if child.is_dir(follow_symlinks=False):
            yield from _files_below(name_of_child, child.path, ignored.below(child.path))
        else:
            yield FoundFile(name_of_child, child.path, child.is_file(follow_symlinks=False))


def _children(folder: str, ignored: Ignored) -> Iterator[os.DirEntry[str]]:
    """Yield the folders, YAML and JSON files in a folder, in order, without those that are hidden or left out."""
    try:
        with os.scandir(folder) as entries:
            children = sorted(entries, key=lambda child: child.name)
    except OSError as error:
        raise unreadable(folder, error) from None
    for child in children:
        is_folder = child.is_dir(follow_symlinks=False)
        is_read = is_folder or child.name.endswith(ENDINGS)
        if child.name.startswith((*TEMPLATES, UNFINISHED)):
            is_read = True
        elif child.name.startswith("."):
            is_read = False
        if not is_read:
            continue
        if ignored.keeps(child.path, is_folder=is_folder):
            yield child


def files_above(folder: str, exclude: Sequence[str] = ()) -> Iterator[str]:
    """Yield the names of YAML and JSON files directly in a folder, and in those above it in its git repository."""
    root = repository_of(folder)
    while root is not None:
        for child in _children(folder, ignored_in(folder, exclude)):
            if child.is_file(follow_symlinks=False):
                yield os.path.relpath(child.path)
        if folder == root:
            return
        folder = os.path.dirname(folder)


def real_path(name: str) -> str:
    """Return the path of a file without links in its folders; the file itself may be one."""
    folder, own_name = os.path.split(name)
    return os.path.join(os.path.realpath(folder), own_name)


def common_folder(paths: Sequence[str]) -> str:
    """Return the absolute path of the innermost folder that holds all of the paths."""
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    return os.path.commonpath([os.path.realpath(folder) for folder in folders])
