"""Files that a person names on the command line: which ones they are, and what is in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path

from krm_fn.cli._ignore import Ignored, excluded, ignored_in
from krm_fn.cli.reading import read_named
from krm_fn.errors import InputError, UsageError
from krm_fn.light_typing import NamedTuple
from krm_fn.near_names import nearest

ENDINGS = (".yaml", ".yml", ".json", ".yaml.patch")
_OR_EXCLUDE = ", or leave it out with `--exclude`"


class LeftAlone(Enum):
    """Why a file is no manifest that a run edits: what a person reads of one, and behind a number of several."""

    HELM = ("of a Helm chart", "of Helm charts")
    KUSTOMIZE = ("patch or input of a kustomization", "patches and inputs of kustomizations")
    TEMPLATE = ("template", "templates")
    RESOURCE_LIST = ("ResourceList", "ResourceLists")
    NOT_UTF8 = ("not UTF-8", "not UTF-8")
    OUTSIDE = ("link to outside of the paths", "links to outside of the paths")
    NO_FILE = ("no regular file", "no regular files")
    OTHER = ("no manifest", "no manifests")


class FoundFiles(NamedTuple):
    """The files of paths: name -> absolute path, links followed.

    ``left_alone`` is what else has the name of one in their folders: name -> why it is not read.
    """

    paths: dict[str, str]
    left_alone: dict[str, LeftAlone]

    @property
    def names(self) -> list[str]:
        """The names of the files, in order."""
        return list(self.paths)


class _FoundFile(NamedTuple):
    """What may be a file to read: ``path`` is absolute, with links followed."""

    name: str
    path: str
    is_link: bool
    is_regular: bool


def exists(path: str) -> bool:
    """Return whether ``path``, which may be any text, is the path of a file or folder."""
    try:
        return bool(path) and Path(path).exists()
    except (OSError, ValueError):  # longer than a path can be, or no path at all
        return False


def is_folder(path: str) -> bool:
    """Return whether ``path``, which may be any text, is the path of a folder."""
    return exists(path) and Path(path).is_dir()


def absolute(name: str) -> Path:
    """Return the absolute path of a file or folder, without ``..`` in it."""
    return Path(os.path.normpath(Path(name).absolute()))


def common_folder(paths: Iterable[str]) -> Path:
    """Return the absolute path of the innermost folder that holds all of the paths, which are files and folders."""
    folders = []
    for path in paths:
        place = absolute(path)
        folders.append(place if is_folder(path) else place.parent)
    return Path(os.path.commonpath(folders))


def find_files(paths: Iterable[str], exclude: Sequence[str] = ()) -> FoundFiles:
    """Return the names, in order, of named files and of every YAML or JSON file in folders, at any depth.

    Hidden files and folders inside a folder are left out, and so are what `.gitignore` and `.krmignore` name there and
    a file that was found under another name. A file that is named itself is left out by ``exclude`` only. It may be a
    link to anywhere: who names it knows it, while anybody may have put a link into a folder.

    Args:
        paths: files and folders.
        exclude: patterns as in a `.gitignore` of each of the folders.

    Raises:
        UsageError: a path does not exist, or this user may not look into it, or into a folder below it.
        InputError: a folder cannot be read for another reason.
    """
    return _found(list(paths), ENDINGS, exclude)


def files_above(folder: Path, exclude: Sequence[str]) -> Iterator[Path]:
    """Yield every YAML or JSON file of a folder and of those above it, up to the root of their git repository.

    Nothing outside of a repository, and nothing that is in other folders of it. What is left out, and ``exclude``, are
    as in ``find_files``; a link that leads out of the repository is not followed.

    Raises:
        UsageError: this user may not look into a folder.
        InputError: a folder cannot be read for another reason.
    """
    above = [folder, *folder.parents]
    # It says "no" of what this user may not look at.
    roots = [one for one in above if os.path.exists(one / ".git")]  # noqa: PTH110
    if not roots:
        return
    for one in above[: above.index(roots[0]) + 1]:
        ignored = ignored_in(one, exclude)
        for child in _inside(str(one), ignored):
            file = one / child.name
            is_file = file.name.endswith(ENDINGS) and file.is_file()
            if is_file and file.resolve().is_relative_to(roots[0]):
                yield file


def read_each(names: Sequence[str], progress: Callable[[int], None]) -> dict[str, bytes]:
    """Return name -> content; ``progress`` gets the number of files after each one.

    Raises:
        UsageError: this user may not read a file.
        InputError: a file cannot be read for another reason.
    """
    contents: dict[str, bytes] = {}
    for name in names:
        contents[name] = _content(Path(name), _OR_EXCLUDE)
        progress(len(contents))
    return contents


def read_every_file(paths: Iterable[str], *, at_most: int) -> dict[str, bytes | None]:
    """Return name -> content of files with any name, ignored ones, too.

    None stands for one of more than ``at_most`` bytes, and for what is not read.

    Raises:
        UsageError: a path does not exist, or this user may not read a file or folder.
        InputError: a file or folder cannot be read for another reason.
    """
    found = _found(list(paths), None)
    contents: dict[str, bytes | None] = dict.fromkeys(found.left_alone)
    for name in found.names:
        file = Path(name)
        contents[name] = _content(file) if _size(file) <= at_most else None
    return contents


def read_file(path: str) -> bytes:
    """Return the content of one file.

    Raises:
        UsageError: it does not exist, is a folder, or this user may not read it.
        InputError: it cannot be read for another reason.
    """
    if not exists(path):
        raise missing(path, "file")
    if is_folder(path):
        raise UsageError(f'"{path}" must be a file, not a folder')
    return _content(Path(path))


def refuse_closed(path: str) -> None:
    """Refuse a named folder that this user may not look into, or what is in such a folder.

    Any other path passes, whether it exists or not.

    Raises:
        UsageError: the system does not let this user look there.
    """
    try:
        os.scandir(path).close()
    except PermissionError as error:
        raise unreadable(Path(path), error) from None
    except (OSError, ValueError):  # a file, nothing at all, or as for `exists`
        pass


def missing(path: str, what: str) -> UsageError:
    """Return the error about a path that does not exist, with the name beside it that was probably meant.

    Args:
        path: as it was given.
        what: what it should have been: ``file``, or ``file or folder``.

    Raises:
        UsageError: it is in a folder that this user may not look into.
    """
    if path == "-":
        return UsageError(
            f'there is no {what} "-": standard input is `/dev/stdin`, where a file is wanted'
        )
    refuse_closed(path)
    named = Path(path)
    try:
        if named.is_symlink():
            return UsageError(f'"{path}" must not be a link that leads to nothing: name a {what}')
        beside = [child.name for child in named.parent.iterdir()]
    except (OSError, ValueError):  # as for `exists`
        beside = []
    near = nearest(named.name, beside, alike=0.7)
    advice = "" if near is None else f": did you mean `{named.parent / near}`?"
    return UsageError(f'there is no {what} "{path}"{advice}')


def unreadable(path: Path, error: OSError, instead: str = "") -> UsageError | InputError:
    """Return the error about a file or folder that the system does not let one read.

    A UsageError where this user may not read it, whether it was named or is below a path.

    Args:
        path: the file or folder.
        error: the answer of the system.
        instead: what else a person may do: ", or ...".
    """
    problem = f'"{path}" cannot be read: {error.strerror}'
    if isinstance(error, PermissionError):
        return UsageError(f"{problem}: let this user read it{instead}")
    return InputError(problem)


def _found(
    paths: Sequence[str], endings: tuple[str, ...] | None, exclude: Sequence[str] | None = None
) -> FoundFiles:
    """Return the files; ``exclude`` is None where `.gitignore` and `.krmignore` do not count."""
    for path in paths:
        if not exists(path):
            raise missing(path, "file or folder")
    roots = {os.path.realpath(path) for path in paths}
    found: dict[str, str] = {}
    left_alone: dict[str, LeftAlone] = {}
    for path in paths:
        for file in _files_of(Path(path), endings, exclude):
            if file.is_link and not _is_inside(file.path, roots):
                left_alone[file.name] = LeftAlone.OUTSIDE
            elif file.is_regular:
                found.setdefault(file.path, file.name)
            elif os.path.isdir(file.path):  # noqa: PTH112 -- see `_files`
                continue
            elif file.path in roots:  # a pipe that is named itself
                found.setdefault(file.path, file.name)
            else:
                left_alone[file.name] = LeftAlone.NO_FILE
    return FoundFiles({name: path for path, name in found.items()}, left_alone)


def _is_inside(path: str, roots: Container[str]) -> bool:
    return path in roots or any(str(above) in roots for above in Path(path).parents)


def _files_of(
    path: Path, endings: tuple[str, ...] | None, exclude: Sequence[str] | None
) -> Iterator[_FoundFile]:
    real = os.path.realpath(path)
    if path.is_dir():
        ignored = None if exclude is None else ignored_in(Path(real), exclude)
        name = "" if path == Path() else str(path)
        yield from _files(name, real, endings, ignored)
    elif exclude is None or not excluded(path.absolute(), exclude):
        yield _FoundFile(str(path), real, is_link=False, is_regular=path.is_file())


def _files(
    folder: str, real: str, endings: tuple[str, ...] | None, ignored: Ignored | None
) -> Iterator[_FoundFile]:
    """Yield what is below a folder with one of the endings, or all of it; that may be no regular file.

    A link to a folder is yielded as well, and what is in that folder is not. The system says of each child of a folder
    what it is, so only of a link it is asked again: there may be thousands of files.

    Args:
        folder: its name; "" is the current one.
        real: its absolute path, links followed.
        endings: None for all.
        ignored: what is left out; None for nothing.
    """
    for child in _inside(folder, ignored):
        name = os.path.join(folder, child.name)  # noqa: PTH118 -- there may be thousands
        path = os.path.join(real, child.name)  # noqa: PTH118 -- the same
        has_ending = endings is None or child.name.endswith(endings)
        if child.is_dir(follow_symlinks=False):  # a link may lead round in a circle
            below = None if ignored is None else ignored.below(child.name)
            yield from _files(name, path, endings, below)
        elif child.is_symlink():
            # Unlike those of a Path these say "no" of what this user may not look at.
            target = os.path.realpath(path)
            if has_ending or os.path.isdir(target):  # noqa: PTH112
                is_regular = os.path.isfile(target)  # noqa: PTH113
                yield _FoundFile(name, target, is_link=True, is_regular=is_regular)
        elif has_ending:
            is_regular = child.is_file(follow_symlinks=False)
            yield _FoundFile(name, path, is_link=False, is_regular=is_regular)


def _inside(folder: str, ignored: Ignored | None) -> Iterator[os.DirEntry[str]]:
    """Yield what is directly in a folder, in order, without what is hidden or left out; "" is the current one."""
    try:
        with os.scandir(folder or os.curdir) as children:
            inside = sorted(children, key=lambda child: child.name)
    except OSError as error:
        instead = "" if ignored is None else _OR_EXCLUDE
        raise unreadable(Path(folder), error, instead) from None
    for child in inside:
        if child.name.startswith("."):
            continue
        if ignored is None or not ignored.leaves_out(child.name, is_folder=_is_folder(child)):
            yield child


def _is_folder(child: os.DirEntry[str]) -> bool:
    """Return whether a child of a folder is a folder, or a link to one."""
    return os.path.isdir(child) if child.is_symlink() else child.is_dir()  # noqa: PTH112 -- see `_files`


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError as error:
        raise unreadable(file, error) from None


def _content(file: Path, instead: str = "") -> bytes:
    try:
        return read_named(file)
    except OSError as error:
        raise unreadable(file, error, instead) from None
