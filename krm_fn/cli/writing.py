"""Files that the command changes, creates and removes: all of them, or none, as far as a file system allows.

A program that is killed leaves each file with its old or its new content, and may leave hidden files beside it: new
contents, `.inject-proxy.new.*`, and the old content of a file that is written in place, `.inject-proxy.old.*`, because
that file may be written in part. A run that can neither write nor restore a file keeps its old content as well, and
names it.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from krm_fn.errors import OutputError

_NEW, _OLD = ".inject-proxy.new.", ".inject-proxy.old."


class _FileWrite:
    """One file: ``old`` is what was read from it, None for a file that is created; ``new`` is None for its removal.

    ``status`` is what the file system says of the file before. ``beside`` and ``old_copy`` are files in the same
    folder: with the new content, and with the old one, of a file that is written in place or that is restored.
    """

    def __init__(self, file: Path, old: bytes | None, new: bytes | None) -> None:
        self.file = file
        self.old = old
        self.new = new
        self.beside: Path | None = None
        self.old_copy: Path | None = None
        self.is_in_place = False
        self.status: os.stat_result | None = None


def write_files(
    contents: Mapping[str, bytes | None],
    originals: Mapping[str, bytes | None],
    flush: Callable[[], object] = lambda: None,
    *,
    instead: str = "",
) -> None:
    """Give files a new content, with the owner and the mode that they have; links of both kinds stay links.

    Each file is replaced at once by a new one that is on the disk before. A file with hard links, or whose owner the
    new one could not have, is written in place instead. Where one cannot be written, those before it get back what
    they held.

    Args:
        contents: name -> new content, or None to remove the file.
        originals: name -> what was read from it, or None for a file that must not exist yet. A file that holds
            something else by now is not written.
        flush: called when all new contents are on the disk and no file has changed; nothing is written if it raises.
        instead: what else a person may do about a read-only file: ", or ...".

    Raises:
        OutputError: a file cannot be written. Unless it says so, nothing was written. It names each file that could not
            be restored, with the file that holds its old content.
    """
    writes = [
        _FileWrite(Path(name).resolve(), originals[name], content)
        for name, content in contents.items()
    ]
    done: list[_FileWrite] = []
    current = None
    try:
        for current in writes:
            _refuse_wrong_state(current, instead)
            _prepare(current)
        for current in writes:
            _flush_besides(current)
        flush()
        for current in writes:
            _refuse_wrong_state(current, instead)
            done.append(current)
            _commit(current)
        _flush_folders(writes)
    except OSError as error:
        left = _undo(done)
        _remove_besides(writes, left)
        which = "nothing was written"
        if left:
            named = ", ".join(map(_named, left))
            which = f"these files were written and could not be restored: {named}"
        file = current.file if current else ""
        raise OutputError(f'"{file}" cannot be written: {error.strerror}; {which}') from None
    except BaseException:  # Ctrl-C, or nobody takes the report
        _remove_besides(writes, _undo(done))
        raise
    _remove_besides(writes)


def _remove_besides(writes: Iterable[_FileWrite], left: Iterable[_FileWrite] = ()) -> None:
    """Remove the files beside those that were written, but not the old content of those in ``left``.

    It may be the only copy. A second Ctrl-C before this function removes nothing, so no content is lost then either.
    """
    kept = {one.old_copy for one in left}
    for one in writes:
        for path in (one.beside, one.old_copy):
            if path is not None and path not in kept:
                with suppress(OSError):
                    path.unlink(missing_ok=True)


def _named(one: _FileWrite) -> str:
    """Return a file that could not be restored, and the file that holds what it held."""
    if one.old_copy is None:
        return str(one.file)
    return f'{one.file} (its old content is in "{one.old_copy}")'


def new_folder(parent: Path) -> Path:
    """Return a new hidden folder, with the mode that new folders have; raises OSError."""
    new = Path(tempfile.mkdtemp(prefix=_NEW, dir=parent))
    new.chmod(0o777 & ~_umask())
    return new


def _refuse_wrong_state(one: _FileWrite, instead: str) -> None:
    """Raise OSError for a file that nobody may write, or that is not as it was when it was read."""
    if one.old is None:
        if one.file.exists():
            raise OSError(errno.EEXIST, "it exists by now, so run the command again")
        return
    if not one.file.is_file():
        raise OSError(errno.EINVAL, "it is gone, or no regular file")
    # Replacing a file needs no permission on the file itself.
    if not one.file.stat().st_mode & 0o222 or not os.access(one.file, os.W_OK):
        raise OSError(errno.EACCES, f"it is read-only: make it writable{instead}")
    if one.file.read_bytes() != one.old:
        raise OSError(errno.EBUSY, "it has changed since it was read, so run the command again")


def _prepare(one: _FileWrite) -> None:
    """Write what a change needs into a file beside it, which takes all the space on the disk that there has to be."""
    one.status = None if one.old is None else one.file.stat()
    if one.new is None:
        if not os.access(one.file.parent, os.W_OK):
            raise OSError(errno.EACCES, "its folder is read-only")
        return
    if one.old is None or one.status is None:
        one.beside = _new_file(one.file.parent, one.new, _NEW)
        one.beside.chmod(0o666 & ~_umask())
        return
    one.is_in_place = one.status.st_nlink > 1
    if not one.is_in_place:
        one.beside = _new_file(one.file.parent, one.new, _NEW)
        one.is_in_place = not _take_over(one.beside, one.status)
    if one.is_in_place:
        if one.beside is not None:
            one.beside.unlink()
            one.beside = None
        one.old_copy = _new_file(one.file.parent, one.old, _OLD)


def _flush_besides(one: _FileWrite) -> None:
    """Make sure that what was prepared is on the disk.

    A file system does less for files that are all written before the first one is flushed.
    """
    for path in (one.beside, one.old_copy):
        if path is not None:
            _flush_file(path)


def _flush_file(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _new_file(folder: Path, content: bytes, prefix: str) -> Path:
    """Return a new file with this content, which need not be on the disk; no file is left where that fails."""
    handle, name = tempfile.mkstemp(prefix=prefix, dir=folder)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _take_over(beside: Path, old: os.stat_result) -> bool:
    """Give a new file owner and mode of the old one; False where only root could set the owner."""
    new = beside.stat()
    try:
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            os.chown(beside, old.st_uid, old.st_gid)
        beside.chmod(stat.S_IMODE(old.st_mode))
    except PermissionError:
        return False
    return True


def _umask() -> int:
    """Return the mask of permissions that new files do not get."""
    current = os.umask(0o022)
    os.umask(current)
    return current


def _commit(one: _FileWrite) -> None:
    if one.new is None:
        one.file.unlink()
    elif one.is_in_place:
        _overwrite(one.file, one.new)
    elif one.beside is not None and one.old is None:
        _link(one.beside, one.file)
    elif one.beside is not None:
        one.beside.replace(one.file)
        one.beside = None


def _link(beside: Path, file: Path) -> None:
    """Give a new file its name; raise OSError where another file has got that name meanwhile."""
    try:
        os.link(beside, file)
    except OSError as error:
        if error.errno == errno.EEXIST:
            raise OSError(errno.EEXIST, "it exists by now, so run the command again") from None
        beside.replace(file)  # a file system without hard links


def _overwrite(file: Path, content: bytes) -> None:
    """Write a file in place; what it takes more on the disk is reserved first."""
    with file.open("r+b") as stream:
        size = os.fstat(stream.fileno()).st_size
        if len(content) > size and hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(stream.fileno(), size, len(content) - size)
            except OSError as error:
                stream.truncate(size)
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                    raise
        stream.write(content)
        stream.truncate(len(content))
        stream.flush()
        os.fsync(stream.fileno())


def _flush_folders(writes: Sequence[_FileWrite]) -> None:
    """Make sure that the names are on the disk as well."""
    for folder in dict.fromkeys(one.file.parent for one in writes):
        if not hasattr(os, "O_DIRECTORY"):
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno != errno.EINVAL:  # what some network file systems answer
                raise
        finally:
            os.close(handle)


def _undo(done: Sequence[_FileWrite]) -> list[_FileWrite]:
    """Give files back what they held; return those that cannot get it back."""
    return [one for one in reversed(done) if not _is_restored(one)][::-1]


def _is_restored(one: _FileWrite) -> bool:
    try:
        _restore(one)
    except OSError:
        return False
    return True


def _restore(one: _FileWrite) -> None:
    now = one.file.read_bytes() if one.file.exists() else None
    if now == one.old:
        return
    if one.old is None:
        if now == one.new:
            one.file.unlink()
    elif one.is_in_place:
        _overwrite(one.file, one.old)
    elif now == one.new:
        one.old_copy = _new_file(one.file.parent, one.old, _OLD)
        _flush_file(one.old_copy)
        if one.status is not None:
            _take_over(one.old_copy, one.status)
        one.old_copy.replace(one.file)
        one.old_copy = None
