"""How much aliases add to what a text holds, computed on the tree before anything is expanded.

Each alias means its anchored node, so the size of what it expands to is that of the node's own tree, aliases in it
included; it is computed once for each node. A run may set a budget for all of its texts together: a text of one
kilobyte can become a hundred thousand values each time it is read.
"""

from __future__ import annotations

from contextvars import ContextVar

from krm_fn.errors import ExpansionError
from krm_fn.yamledit.tree import MAX_DEPTH, Alias, Mapping, Node, Scalar, Sequence

MAX_EXPANSION = 100_000
"""Values that aliases may add to one text each time it is read: beyond it the text is an alias bomb."""
_CHARACTERS_OF_A_VALUE = 100
"""A longer scalar counts as several values: it is written out where an alias is rewritten or is in a key."""

_PER_RUN = 1_000_000
_PER_CHARACTER = 2
"""A run may expand this much, and more the longer its texts are: what it costs stays linear in the input."""


class Budget:
    """What all texts that are read inside may still expand, together."""

    def __init__(self) -> None:
        self.left = _PER_RUN

    def __enter__(self) -> None:
        self._token = _BUDGET.set(self)

    def __exit__(self, *_: object) -> None:
        _BUDGET.reset(self._token)


_BUDGET: ContextVar[Budget | None] = ContextVar("_BUDGET", default=None)


def allow(characters: int) -> None:
    """Add to the budget what a text of that length may expand to."""
    budget = _BUDGET.get()
    if budget is not None:
        budget.left += _PER_CHARACTER * characters


def _spend(values: int) -> None:
    budget = _BUDGET.get()
    if budget is None:
        return
    budget.left -= values
    if budget.left < 0:
        raise ExpansionError(
            "the aliases of all texts together expand to more values than a run may read: write them out or remove them"
        )


class Expansion:
    """The aliases of one text, counted as they are expanded."""

    def __init__(self) -> None:
        self.added = 0
        self._measured: dict[int, tuple[int, int]] = {}

    def enter(self, alias: Alias, depth: int) -> None:
        """Count what ``alias``, at this depth, expands to.

        Raises:
            ExpansionError: the text, or the run, expands to too many values, or aliases nest too deep.
        """
        size, height = self._measure(alias.target, depth)
        if depth + height > MAX_DEPTH:
            raise _too_deep()
        self.added += size
        if self.added > MAX_EXPANSION:
            raise ExpansionError(
                f"aliases expand to more than {MAX_EXPANSION} values: write them out or remove them"
            )
        _spend(size)

    def _measure(self, node: Node, depth: int) -> tuple[int, int]:
        """Return the number of values that ``node`` expands to, and how many levels of collections are in it."""
        known = self._measured.get(id(node))
        if known is not None:
            return known
        if depth > MAX_DEPTH:
            raise _too_deep()
        if isinstance(node, Alias):
            found = self._measure(node.target, depth)
        else:
            inner = [self._measure(child, depth + 1) for child in _children(node)]
            is_collection = isinstance(node, (Mapping, Sequence))
            height = max((levels for _, levels in inner), default=0) + is_collection
            found = (1 + _length(node) + sum(size for size, _ in inner), height)
        self._measured[id(node)] = found
        return found


def _children(node: Node) -> list[Node]:
    if isinstance(node, Sequence):
        return node.items
    children: list[Node] = []
    for key, value in node.entries if isinstance(node, Mapping) else ():
        children += [value] if isinstance(key, Scalar) else [key, value]
    return children


def _length(node: Node) -> int:
    """Return how many further values the characters of a scalar, or of the keys of a mapping, count as."""
    if isinstance(node, Mapping):
        return sum(_length(key) for key, _ in node.entries if isinstance(key, Scalar))
    return len(node.value) // _CHARACTERS_OF_A_VALUE if isinstance(node, Scalar) else 0


def _too_deep() -> ExpansionError:
    return ExpansionError(
        f"aliases nest more than {MAX_DEPTH} levels deep: write them out or remove them"
    )
