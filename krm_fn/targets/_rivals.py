"""Several drop-ins of one service that set the same variables: which of them counts, and what to do about it.

It warns; it never proposes to change another one's drop-in.

Source: systemd.unit(5): drop-ins are read in the order of their file names, whatever their folder; the last assignment
wins; a file in ``/etc`` hides one of the same name in ``/run``, and that one in ``/usr``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from krm_fn.formats.file_content import decode
from krm_fn.targets import unit_lines

_ROOTS = ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")


def rival(
    entry: Mapping[str, Any], *, unit: str, ours: str, option: str, wanted: bool
) -> str | None:
    """What to tell a person if ``entry`` of ``files`` is another drop-in of ``unit`` that sets proxy variables.

    Args:
        entry: the entry; one with ``contentFrom`` is judged by its file name.
        unit: name of the service without ``.service``.
        ours: path of the drop-in that this program keeps.
        option: the option that sets that path.
        wanted: whether a proxy is to be set at all.
    """
    path = entry.get("path")
    if not isinstance(path, str) or path == ours or not is_drop_in(path, unit):
        return None
    text = decode(entry) if entry.get("contentFrom") is None else None
    if not (unit_lines.read(text) if text is not None else is_about_proxies(path)):
        return None
    doubt = "" if text is not None else " (judged by its name: its content is not seen here)"
    what = (
        f"sets proxy variables for {unit} too"
        if wanted
        else f"still sets proxy variables for {unit}"
    )
    outcome = f"; {_who_wins(ours, path)}" if wanted else ""
    instead = "" if wanted and path in _hidden_by(ours) else f", or set `{option}` to its path"
    return f'"{path}" {what}{doubt}{outcome}; remove it{instead}'


def _hidden_by(path: str) -> list[str]:
    same = namesakes(path)
    return same[same.index(path) + 1 :]


def namesakes(path: str) -> list[str]:
    """Where systemd looks for a drop-in of the name and the service of ``path``, the one that hides the others first.

    A path that systemd does not look at has no others.
    """
    root = next((root for root in _ROOTS if path.startswith(f"{root}/systemd/system/")), "")
    return [f"{other}{path.removeprefix(root)}" for other in _ROOTS] if root else [path]


def is_about_proxies(path: str) -> bool:
    """Whether the name of a file says that it sets a proxy: the best guess where its content is not seen."""
    return "proxy" in posixpath.basename(path).lower()


def is_drop_in(path: str, unit: str) -> bool:
    """Whether systemd reads the file ``path`` for the service ``unit`` (its name without ``.service``)."""
    folder = posixpath.dirname(path)
    return path.endswith(".conf") and folder in {
        f"{root}/systemd/system/{unit}.service.d" for root in _ROOTS
    }


def _who_wins(ours: str, theirs: str) -> str:
    name, other = posixpath.basename(ours), posixpath.basename(theirs)
    if name == other:
        winner = min(ours, theirs, key=_rank)
        return f'of two with the same name systemd reads only "{winner}"'
    winner = ours if name > other else theirs
    return f'the name of "{winner}" sorts last, so systemd reads it last and its values win'


def _rank(path: str) -> int:
    return next(
        (rank for rank, root in enumerate(_ROOTS) if path.startswith(f"{root}/systemd/")),
        len(_ROOTS),
    )
