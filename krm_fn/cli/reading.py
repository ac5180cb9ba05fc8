"""Reads files that a repository holds or a person names: of which kind they may be, and how large.

What lies in a folder may be from anybody: a link to `/dev/zero` has no end, and nobody writes into a named pipe. Of a
folder only regular files are read. What a person names may be a pipe, as in ``--config <(sops -d proxy.yaml)``.
"""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

from krm_fn.errors import InputError

_MIB = 1024 * 1024
LARGEST = 100 * _MIB
"""Bytes of a file; GitHub takes no larger one."""
LARGEST_IGNORE_FILE = _MIB
"""Bytes of a `.gitignore` or `.krmignore`, of which each line is compared with each file."""


def read_found(file: Path, at_most: int = LARGEST) -> bytes:
    """Return the content of a file that was found in a folder.

    Raises:
        OSError: it cannot be read, or is no regular file.
        InputError: it holds more than ``at_most`` bytes.
    """
    # Opening a named pipe in another way waits until somebody writes into it.
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(None, "it is no regular file")
    return _content(handle, file, at_most)


def read_named(file: Path, at_most: int = LARGEST) -> bytes:
    """Return the content of a file, pipe or device that a person named; raises as ``read_found``."""
    return _content(os.open(file, os.O_RDONLY), file, at_most)


def _content(handle: int, file: Path, at_most: int) -> bytes:
    """Return what an open file holds, and close it."""
    with os.fdopen(handle, "rb", buffering=0) as stream:  # a buffer costs more than most files
        size = os.fstat(handle).st_size
        content = stream.read(min(size, at_most) + 1)
        if len(content) != size:  # a pipe or a device says no size
            content += io.BufferedReader(stream).read(at_most + 1 - len(content))
    if len(content) > at_most:
        raise InputError(
            f'"{file}" is larger than {at_most // _MIB} MiB, the most that is read of it: divide it or leave it out'
        )
    return content
