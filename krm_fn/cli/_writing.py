"""Files that the command changes, creates and removes: all of them, or none, as far as a file system allows.

A program that is killed leaves each file with its old or its new content. It may also leave hidden files behind: new
contents, `.inject-proxy.new.*`, which the next run removes, and the old content of a file that is written in place,
`.inject-proxy.old.*`, which a person has to compare, because that file may be written in part. A run that can neither
write nor restore a file keeps its old content as well, and names it.

While a run writes, it holds a shared lock of each folder (flock(2)), and only who gets the exclusive one removes what
is left there: the system takes a lock away when its process ends. Files in a folder that could not be locked have
other names and are never removed.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from krm_fn.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows
    _LOCKS = False
else:
    _LOCKS = True

_NEW, _OLD = ".inject-proxy.new.", ".inject-proxy.old."
_UNLOCKED = ".inject-proxy-unlocked."
_MOST_LOCKS = 400
"""So many folders are locked at most: each one takes a file descriptor, of which a process has 1,024."""


@dataclass
class _FileWrite:
    """One file: ``old`` is what was read from it, None for a file that is created; ``new`` is None for its removal.

    ``status`` is what the file system says of the file before. ``beside`` and ``old_copy`` are files in the same
    folder: with the new content, and with the old one, of a file that is written in place or that is restored.
    """

    file: Path
    old: bytes | None
    new: bytes | None
    beside: Path | None = None
    old_copy: Path | None = None
    is_in_place: bool = False
    status: os.stat_result | None = None


def write_files(
    contents: Mapping[str, bytes | None],
    originals: Mapping[str, bytes | None],
    folders: Iterable[str] = (),
    flush: Callable[[], object] = lambda: None,
) -> list[str]:
    """Give files a new content, with the owner and the mode that they have; links of both kinds stay links.

    Each file is replaced at once by a new one that is on the disk before. A file with hard links, or whose owner the
    new one could not have, is written in place instead. Where one cannot be written, those before it get back what
    they held.

    Args:
        contents: name -> new content, or None to remove the file.
        originals: name -> what was read from it, or None for a file that must not exist yet. A file that holds
            something else by now is not written.
        folders: absolute paths of further folders in which is removed what a killed run left there.
        flush: called when all new contents are on the disk and no file has changed; nothing is written if it raises.

    Returns:
        A warning for each old content that a killed run left.

    Raises:
        OutputError: a file cannot be written. Unless it says so, nothing was written. It names each file that could not
            be restored, with the file that holds its old content.
    """
    writes = [
        _FileWrite(Path(name).resolve(), originals[name], content)
        for name, content in contents.items()
    ]
    of_writes = dict.fromkeys(one.file.parent for one in writes)
    cleaned = {**of_writes, **dict.fromkeys(map(Path, folders))}
    warnings = [warning for folder in cleaned for warning in remove_leftovers(folder)]
    with locked_folders(of_writes) as locked:
        _write(writes, locked, flush)
    return warnings


def _write(writes: Sequence[_FileWrite], locked: set[Path], flush: Callable[[], object]) -> None:
    done: list[_FileWrite] = []
    current = None
    try:
        for current in writes:
            _refuse_wrong_state(current)
            _prepare(current, is_locked=current.file.parent in locked)
        flush()
        for current in writes:
            with _locked(current):
                _refuse_wrong_state(current)
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


def remove_leftovers(folder: Path) -> list[str]:
    """Remove what killed runs left in a folder where no run writes now.

    Returns:
        A warning for each old content, which is not removed.
    """
    try:
        found = [Path(one.path) for one in os.scandir(folder) if one.name.startswith((_NEW, _OLD))]
    except OSError:
        return []
    if not found:
        return []
    with ExitStack() as stack:
        if not _LOCKS or not _holds_lock(stack, folder, fcntl.LOCK_EX):
            return []
        for left in found:
            if left.name.startswith(_NEW):
                _remove(left)
        return [
            f'[warning] "{left}" is the old content of a file with hard links, left by a run that ended while it '
            "wrote that file: compare both, then remove it"
            for left in found
            if left.name.startswith(_OLD) and left.exists()
        ]


def _remove(left: Path) -> None:
    with suppress(OSError):
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        else:
            left.unlink()


@contextmanager
def locked_folders(folders: Iterable[Path]) -> Iterator[set[Path]]:
    """Say to other runs that this one writes into folders; yields those for which that was possible."""
    with ExitStack() as stack:
        locked: set[Path] = set()
        for folder in folders:
            if _LOCKS and len(locked) < _MOST_LOCKS and _holds_lock(stack, folder, fcntl.LOCK_SH):
                locked.add(folder)
        yield locked


def _holds_lock(stack: ExitStack, folder: Path, kind: int) -> bool:
    """Take a lock of a folder until the stack is closed; return whether that was possible at once."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    stack.callback(os.close, handle)
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except OSError:  # another run holds it, or the file system has no locks of folders
        return False
    return True


def new_folder(parent: Path, *, is_locked: bool) -> Path:
    """Return a new hidden folder, which the next run removes where this one is killed; raises OSError."""
    return Path(tempfile.mkdtemp(prefix=_NEW if is_locked else _UNLOCKED, dir=parent))


def _refuse_wrong_state(one: _FileWrite) -> None:
    """Raise OSError for a file that nobody may write, or that is not as it was when it was read."""
    if one.old is None:
        if one.file.exists():
            raise OSError(errno.EEXIST, "it exists by now, so run the command again")
        return
    if not one.file.is_file():
        raise OSError(errno.EINVAL, "it is gone, or no regular file")
    # Replacing a file needs no permission on the file itself.
    if not one.file.stat().st_mode & 0o222 or not os.access(one.file, os.W_OK):
        raise OSError(errno.EACCES, "it is read-only")
    if one.file.read_bytes() != one.old:
        raise OSError(errno.EBUSY, "it has changed since it was read, so run the command again")


def _prepare(one: _FileWrite, *, is_locked: bool) -> None:
    """Write what a change needs into a file beside it, which takes all the space on the disk that there has to be."""
    one.status = None if one.old is None else one.file.stat()
    prefix_of_new, prefix_of_old = (_NEW, _OLD) if is_locked else (_UNLOCKED, _UNLOCKED)
    if one.new is None:
        if not os.access(one.file.parent, os.W_OK):
            raise OSError(errno.EACCES, "its folder is read-only")
        return
    if one.old is None or one.status is None:
        one.beside = _new_file(one.file.parent, one.new, prefix_of_new)
        one.beside.chmod(0o666 & ~current_umask())
        return
    one.is_in_place = one.status.st_nlink > 1
    if not one.is_in_place:
        one.beside = _new_file(one.file.parent, one.new, prefix_of_new)
        one.is_in_place = not _take_over(one.beside, one.status)
    if one.is_in_place:
        if one.beside is not None:
            one.beside.unlink()
            one.beside = None
        one.old_copy = _new_file(one.file.parent, one.old, prefix_of_old)


def _new_file(folder: Path, content: bytes, prefix: str) -> Path:
    """Return a new file with this content, which is on the disk; no file is left where that fails."""
    handle, name = tempfile.mkstemp(prefix=prefix, dir=folder)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
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


def current_umask() -> int:
    """Return the mask of permissions that new files do not get."""
    current = os.umask(0o022)
    os.umask(current)
    return current


@contextmanager
def _locked(one: _FileWrite) -> Iterator[None]:
    """Keep other runs of this program from writing the same file between the last look at it and the change."""
    if not _LOCKS or one.old is None:
        yield
        return
    with one.file.open("rb") as stream:
        with suppress(OSError):  # some file systems of networks have no locks
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


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
        one.old_copy = _new_file(one.file.parent, one.old, _UNLOCKED)
        if one.status is not None:
            _take_over(one.old_copy, one.status)
        one.old_copy.replace(one.file)
        one.old_copy = None
