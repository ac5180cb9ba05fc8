"""Write files: all of them or none, as far as a file system allows.

New contents are first written into hidden files beside the old ones, `.inject-proxy.*`, and then replace them one after
another. If one cannot be replaced, those before it get their old content back.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from krm_fn.cli.files import UNFINISHED
from krm_fn.errors import OutputError
from krm_fn.krm.changes import ContentChange, FileChanges


def write_files(changes: FileChanges, *, before: Callable[[], object]) -> None:
    """Give files a new content; owner, mode and hard links stay.

    Args:
        changes: absolute path without links, as of the reading -> content that was read, and new content.
        before: called when all new contents are on the disk; nothing is written if it raises.

    Raises:
        OutputError: a file cannot be written, or has changed since it was read. Unless it says so, nothing was written.
    """
    # What is removed comes last: it could not be restored with the mode that it had.
    in_order = sorted(changes.items(), key=lambda item: item[1].new is None)
    files = _without_other_names({Path(path): change for path, change in in_order})
    beside: dict[Path, Path] = {}
    done: dict[Path, ContentChange] = {}
    file = Path()
    try:
        for file, change in files.items():
            _refuse_other_state(file, change)
            if change.new is not None:
                beside[file] = file.with_name(f"{UNFINISHED}{os.urandom(8).hex()}")
                _write_beside(beside[file], file, change.new)
        before()
        for file, change in files.items():
            _refuse_other_state(file, change)
            done[file] = change
            _replace(file, beside.get(file))
    except OSError as error:
        left = _restored(done)
        which = f"{', '.join(left)} could not be restored" if left else "nothing was written"
        raise OutputError(f'"{file}" cannot be written: {error.strerror}; {which}') from None
    except BaseException:  # Ctrl-C, or nobody takes the output
        _restored(done)
        raise
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)


def _without_other_names(files: Mapping[Path, ContentChange]) -> dict[Path, ContentChange]:
    """Return each file once that several names (hard links) are for, where all of them get the same content."""
    kept: dict[object, tuple[Path, ContentChange]] = {}
    for file, change in files.items():
        key: object = file
        if change.old is not None and file.is_file():
            status = file.stat()
            key = (status.st_dev, status.st_ino, change)
        kept.setdefault(key, (file, change))
    return dict(kept.values())


def _refuse_other_state(file: Path, change: ContentChange) -> None:
    """Raise OSError for a file that is read-only, or that is not as it was when it was read."""
    if os.path.realpath(file) != str(file):
        raise OSError(errno.ELOOP, "it is, or is behind, a link")
    if change.old is None:
        if file.exists():
            raise OSError(errno.EEXIST, "it exists")
    elif not file.is_file() or file.read_bytes() != change.old:
        raise OSError(errno.EBUSY, "it has changed since it was read, so run the command again")
    elif not (file.stat().st_mode & 0o222 and os.access(file, os.W_OK)):
        raise OSError(errno.EACCES, "it is read-only")


def _write_beside(new: Path, file: Path, content: bytes) -> None:
    """Write a new file beside another one, with the mode that the other has, or a new one gets."""
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode if file.exists() else 0o666
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(handle)
    if file.exists():
        shutil.copymode(file, new)


def _replace(file: Path, new: Path | None) -> None:
    """Put a new file in the place of another one; in place where that has hard links or another owner."""
    if new is None:
        file.unlink()
        return
    if file.exists():
        old = file.stat()
        if old.st_nlink > 1 or (old.st_uid, old.st_gid) != (new.stat().st_uid, new.stat().st_gid):
            shutil.copyfile(new, file)
            new.unlink()
            return
    new.replace(file)


def _restored(done: Mapping[Path, ContentChange]) -> list[str]:
    """Give files their content back; return the names of those that cannot get it back."""
    left = []
    for file, change in done.items():
        try:
            if change.old is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(change.old)
        except OSError:  # noqa: PERF203
            left.append(str(file))
    return left
