"""Find the name that a misspelt one was meant to be."""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.light_typing import Any


def nearest(name: Any, known: Iterable[str], *, alike: float = 0.6) -> str | None:
    """Return the name of ``known`` that is most like ``name``, in letters of any case; None if none is like it.

    One that begins with ``name`` goes first. Of a name with dots or slashes, its last step may be like it as well.

    Args:
        name: as written; only a text is like another one.
        known: the names that exist.
        alike: how like they must be, from 0 to 1 (``difflib.SequenceMatcher.ratio``).
    """
    if not isinstance(name, str):
        return None
    import difflib  # noqa: PLC0415 -- only mistakes need it

    lower = name.lower()
    by_lower: dict[str, str] = {}
    for known_name in known:
        last_step = known_name.lower().replace("/", ".").rpartition(".")[2]
        by_lower.setdefault(last_step, known_name)
    by_lower.update({known_name.lower(): known_name for known_name in known})
    near = difflib.get_close_matches(lower, by_lower, cutoff=alike)
    for like in near:
        if like.startswith(lower):
            return by_lower[like]
    if near:
        return by_lower[near[0]]
    return None


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return the question behind a message about an unknown name, ``; did you mean `x`?``; "" where none is like it."""
    near = nearest(name, known)
    if near is None:
        return ""
    return f"; did you mean `{near}`?"
