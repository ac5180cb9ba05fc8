"""Find keys that occur more than once in one mapping of a YAML text.

Readers of YAML disagree about such a text: JSON readers take the last value, go-yaml refuses it. Where a person's
intention counts, as in a configuration, it must be reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from krm_fn.errors import InputError
from krm_fn.patch import Pointer
from krm_fn.yamledit.tree import Mapping, Node, compose
from krm_fn.yamledit.view import children


def repeated_keys(node: Node) -> Iterator[Pointer]:
    """Yield the path, below ``node``, of each key that occurs twice, once for each key.

    An alias is not followed: its target is reported in the place where it is anchored.
    """
    pending: list[tuple[Pointer, Node]] = [((), node)]
    while pending:
        path, current = pending.pop()
        if isinstance(current, Mapping):
            names = Counter(name for name, _, _ in children(current))
            for name, times in names.items():
                if times > 1:
                    yield (*path, name)
        inner = [((*path, name), value) for name, _, value in children(current)]
        pending.extend(reversed(inner))


def repeated_keys_of_text(text: str) -> list[Pointer]:
    """Return the same for the one document of ``text``; nothing for a text that is not one document."""
    try:
        return list(repeated_keys(compose(text)))
    except InputError:
        return []
