"""Find keys that occur more than once in one mapping of a YAML text.

Readers of YAML disagree about such a text: JSON readers take the last value, go-yaml refuses it. Where a person's
intention counts, as in a configuration, it must be reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.errors import InputError
from krm_fn.patch import Pointer
from krm_fn.yamledit.tree import Mapping, Node, Sequence, compose
from krm_fn.yamledit.view import key_text


def repeated_keys(node: Node) -> Iterator[Pointer]:
    """Yield the path, below ``node``, of each key that occurs twice, once for each key.

    An alias is not followed: its target is reported in the place where it is anchored.
    """
    pending: list[tuple[Pointer, Node]] = [((), node)]
    while pending:
        path, current = pending.pop()
        if isinstance(current, Sequence):
            items = [((*path, str(at)), item) for at, item in enumerate(current.items)]
            pending.extend(reversed(items))
        elif isinstance(current, Mapping):
            yield from _of_mapping(path, current)
            members = [((*path, key_text(key)), value) for key, value in current.entries]
            pending.extend(reversed(members))


def repeated_keys_of_text(text: str) -> list[Pointer]:
    """Return the same for the one document of ``text``; nothing for a text that is not one document."""
    try:
        return list(repeated_keys(compose(text)))
    except InputError:
        return []


def _of_mapping(path: Pointer, mapping: Mapping) -> Iterator[Pointer]:
    times: dict[str, int] = {}
    for key, _ in mapping.entries:
        name = key_text(key)
        times[name] = times.get(name, 0) + 1
        if times[name] == 2:
            yield (*path, name)
