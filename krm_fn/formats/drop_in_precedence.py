"""Which of several drop-ins of one service systemd reads, and which of two counts.

In: paths on the node. Out: paths, and the one of two that wins; nothing of what is in the files.

Source: systemd.unit(5): drop-ins are read in the order of their file names, whatever their folder; the last
assignment wins; a file in ``/etc`` hides one of the same name in ``/run``, and that one in ``/usr``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from functools import lru_cache

from krm_fn.formats.cache_sizes import TEXTS

_ROOTS = ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
"""Where systemd looks, the folder that hides the others first."""


@lru_cache(maxsize=TEXTS)
def namesakes(path: str) -> tuple[str, ...]:
    """Return where systemd looks for a drop-in of this name and service, the one that hides the others first.

    A path that systemd does not look at has no others.
    """
    for root in _ROOTS:
        if path.startswith(f"{root}/systemd/system/"):
            return tuple(f"{other}{path.removeprefix(root)}" for other in _ROOTS)
    return (path,)


def hidden_by(path: str) -> Sequence[str]:
    """Return the paths that systemd does not read where there is a file at ``path``."""
    same = namesakes(path)
    return same[same.index(path) + 1 :]


def hiding(path: str) -> Sequence[str]:
    """Return the paths at which a file keeps systemd from reading the one at ``path``."""
    same = namesakes(path)
    return same[: same.index(path)]


@lru_cache(maxsize=TEXTS)
def is_drop_in(path: str, unit: str) -> bool:
    """Return whether systemd reads the file ``path`` for the service ``unit`` (its name without ``.service``)."""
    if not path.endswith(".conf"):
        return False
    folder = posixpath.dirname(path)
    return any(folder == f"{root}/systemd/system/{unit}.service.d" for root in _ROOTS)


def winner_of(one: str, other: str) -> str:
    """Return the path of two drop-ins of one service whose assignments count."""
    if posixpath.basename(one) == posixpath.basename(other):
        return min(one, other, key=_rank)
    return max(one, other, key=posixpath.basename)


def _rank(path: str) -> int:
    for rank, root in enumerate(_ROOTS):
        if path.startswith(f"{root}/systemd/"):
            return rank
    return len(_ROOTS)
