"""Files that a person names on the command line.

It reads and writes bytes; what they mean is for others. Of several files all are written, or as
few as the file system allows.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from krm_fn.errors import InputError, OutputError, UsageError

_ENDINGS = frozenset({".yaml", ".yml", ".json"})


def exists(path: str) -> bool:
    """Whether ``path``, which may be any text, is the path of something."""
    try:
        return bool(path) and Path(path).exists()
    except (OSError, ValueError):  # longer than a path can be, or no path at all
        return False


def read_files(paths: Iterable[str]) -> dict[str, bytes]:
    """Path -> content, in order: files as they are named, of folders every YAML or JSON file at any depth.

    Hidden files and folders inside a folder are passed by, and so is a file that was read under another name.

    Raises:
        UsageError: a path does not exist.
        InputError: a file or folder cannot be read.
    """
    return {str(file): _content(file) for file in _found(paths, _ENDINGS)}


def find_files(path: str) -> list[str]:
    """Return the names of the files that ``read_files`` reads for one path; raises as it does."""
    return [str(file) for file in _found([path], _ENDINGS)]


def read_every_file(paths: Iterable[str], *, at_most: int) -> dict[str, bytes | None]:
    """The same of files with any name; None for one of more than ``at_most`` bytes; raises as ``read_files`` does."""
    return {
        str(file): _content(file) if _size(file) <= at_most else None
        for file in _found(paths, None)
    }


def read_file(path: str) -> bytes:
    """The content of one file, which is no folder; raises as ``read_files`` does."""
    if exists(path) and Path(path).is_dir():
        raise UsageError(f'"{path}" must be a file, not a folder')
    (content,) = read_files([path]).values()
    return content


def write_files(contents: Mapping[str, bytes], originals: Mapping[str, bytes]) -> None:
    """Give files that exist a new content, with the owner and the mode that they have; links of both kinds stay links.

    Each file is replaced at once by a new one that is on the disk before. A file with hard links, or whose owner the
    new one could not have, is written in place instead.

    Args:
        contents: name -> new content.
        originals: name -> what was read from it. A file that holds something else by now is not written.

    Raises:
        OutputError: a file cannot be written. Unless it says so, nothing was written.
    """
    ready: dict[Path, Path | bytes] = {}
    file, written = Path(), 0
    try:
        for name, content in contents.items():
            file = Path(name).resolve()
            _refuse_read_only(file)
            _refuse_changed(file, originals[name])
            ready[file] = _beside(file, content) or content
        for name, file in zip(contents, list(ready), strict=True):
            _refuse_changed(file, originals[name])
            _put(file, ready[file])
            del ready[file]
            written += 1
    except OSError as error:
        which = (
            f"{written} of {len(contents)} files were written" if written else "nothing was written"
        )
        raise OutputError(f'"{file}" cannot be written: {error.strerror}; {which}') from None
    finally:
        for leftover in ready.values():
            if isinstance(leftover, Path):
                leftover.unlink(missing_ok=True)


def _refuse_read_only(file: Path) -> None:
    """Raise OSError for a file that nobody may write: replacing it would need no permission on the file itself."""
    if not file.stat().st_mode & 0o222 or not os.access(file, os.W_OK):
        raise OSError(errno.EACCES, "it is read-only")


def _refuse_changed(file: Path, original: bytes) -> None:
    if file.read_bytes() != original:
        raise OSError(errno.EBUSY, "it has changed since it was read, so run the command again")


def _put(file: Path, new: Path | bytes) -> None:
    """Replace ``file`` by the new file, or write the content into it; then make sure that it is on the disk."""
    if isinstance(new, Path):
        new.replace(file)
    else:
        with file.open("r+b") as stream:
            stream.write(new)
            stream.truncate()
            _flush(stream)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems of networks cannot do it for a folder
            raise
    finally:
        os.close(folder)


def _flush(stream: IO[bytes]) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _found(paths: Iterable[str], endings: frozenset[str] | None) -> list[Path]:
    found: dict[Path, Path] = {}
    for path in paths:
        if not exists(path):
            raise UsageError(f'there is no file or folder "{path}"')
        for file in _files(Path(path), endings):
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _files(path: Path, endings: frozenset[str] | None) -> Iterator[Path]:
    """Files with one of the endings, or all; one that a person has named in any case."""
    if not path.is_dir():
        yield path
        return
    try:
        inside = sorted(path.iterdir())
    except OSError as error:
        raise InputError(f'"{path}" cannot be read: {error.strerror}') from None
    for child in inside:
        if child.name.startswith("."):
            continue
        if child.is_dir():
            yield from (
                () if child.is_symlink() else _files(child, endings)
            )  # a link may lead round in a circle
        elif (endings is None or child.suffix in endings) and child.is_file():
            yield child


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError as error:
        raise InputError(f'"{file}" cannot be read: {error.strerror}') from None


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f'"{file}" cannot be read: {error.strerror}') from None


def _beside(file: Path, content: bytes) -> Path | None:
    """Return a new file in the same folder, with ``content`` and the owner and mode of ``file``.

    None where a new file cannot take the place of the old one: it has hard links, or an owner whom only root can set.
    """
    old = file.stat()
    if old.st_nlink > 1:
        return None
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            _flush(stream)
        new = beside.stat()
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            os.chown(beside, old.st_uid, old.st_gid)
        beside.chmod(stat.S_IMODE(old.st_mode))
    except PermissionError:
        beside.unlink(missing_ok=True)
        return None
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    return beside
