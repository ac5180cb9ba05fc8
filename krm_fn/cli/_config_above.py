"""The ProxyConfig of a repository, where the paths of the command line hold none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from krm_fn import config
from krm_fn.cli.files import common_folder, files_above
from krm_fn.cli.reading import read_found
from krm_fn.cli.selection import select
from krm_fn.errors import InputError


def files_with_config_above(paths: Sequence[str], exclude: Sequence[str]) -> dict[str, bytes]:
    """Return name -> content of the files above the paths that mention a ProxyConfig.

    They are in the innermost folder that holds all of the paths, and in those above it up to the root of the git
    repository.

    Args:
        paths: files and folders; none, or `-`: the current folder.
        exclude: patterns as in ``find_files``.
    """
    named = [path for path in paths if path != "-"] or ["."]
    contents: dict[str, bytes] = {}
    known: set[Path] = set()
    for file in files_above(common_folder(named).resolve(), exclude):
        target = file.resolve()
        try:
            content = b"" if target in known else read_found(file)
        except (InputError, OSError):  # too large for a ProxyConfig, or not readable: another file
            continue
        known.add(target)
        if config.KIND.encode() in content:
            contents[os.path.relpath(file)] = content
    return select(contents).manifests
