"""Several drop-ins of one service that set the same variables: which of them counts, and what to do about it.

It warns; it never proposes to change another one's drop-in.

Source: systemd.unit(5): drop-ins are read in the order of their file names, whatever their folder; the last assignment
wins; a file in ``/etc`` hides one of the same name in ``/run``, and that one in ``/usr``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from krm_fn.carriers import unit_variables
from krm_fn.formats.drop_in_precedence import hidden_by, is_drop_in, winner_of
from krm_fn.formats.file_content import decode


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
    if not (unit_variables.read(text) if text is not None else is_about_proxies(path)):
        return None
    doubt = "" if text is not None else " (judged by its name: its content is not seen here)"
    what = (
        f"sets proxy variables for {unit} too"
        if wanted
        else f"still sets proxy variables for {unit}"
    )
    outcome = f"; {_who_wins(ours, path)}" if wanted else ""
    instead = "" if wanted and path in hidden_by(ours) else f", or set `{option}` to its path"
    return f'"{path}" {what}{doubt}{outcome}; remove it{instead}'


def is_about_proxies(path: str) -> bool:
    """Whether the name of a file says that it sets a proxy: the best guess where its content is not seen."""
    return "proxy" in posixpath.basename(path).lower()


def _who_wins(ours: str, theirs: str) -> str:
    winner = winner_of(ours, theirs)
    if posixpath.basename(ours) == posixpath.basename(theirs):
        return f'of two with the same name systemd reads only "{winner}"'
    return f'the name of "{winner}" sorts last, so systemd reads it last and its values win'
