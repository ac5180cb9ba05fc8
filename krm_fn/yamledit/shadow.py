"""The tree as it must become: what stays in its place, what is removed, what is new.

Operations of RFC 6902 change the shadow only; the text is not looked at. What was never touched
stays one spot, however large it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.errors import EditError
from krm_fn.light_typing import Any
from krm_fn.patch import APPEND, Operation, copied, render_pointer
from krm_fn.yamledit.breaks import BREAKS
from krm_fn.yamledit.render import Raw
from krm_fn.yamledit.tree import Alias, Mapping, Node, Scalar, Sequence
from krm_fn.yamledit.view import is_merge, key_text, same, scalar_value, view


class Spot:
    """One value of the shadow.

    Attributes:
        node: its place in the text; None if it is new.
        kept: the text of ``node`` stays, but for what its children say.
        value: what it must be, if it is not kept; may hold ``Raw`` scalars.
        children: the members or items, once something had to look inside.
        stays: no operation has replaced it; one that was empty and got members is empty again when these are removed.
    """

    __slots__ = ("children", "kept", "node", "stays", "value")

    def __init__(self, node: Node | None, value: Any = None) -> None:
        self.node = node
        self.kept = node is not None
        self.value = value
        self.children: list[Child] | None = None
        self.stays = True

    def is_list(self) -> bool:
        """Return whether the collection is a list; False for a mapping or a scalar."""
        return isinstance(self.node, Sequence) if self.kept else isinstance(self.value, list)

    def open(self) -> list[Child]:
        """Return the children; an alias and a new value are expanded into spots of their own."""
        if self.children is None:
            if isinstance(self.node, Alias) and self.kept:
                self.rewrite()
            self.children = (
                _children(self.node) if self.kept and self.node else _fresh_children(self.value)
            )
        return self.children

    def rewrite(self) -> None:
        """Give up the text of this spot: it will be rewritten, with the words of its scalars."""
        if self.kept:
            self.kept, self.value, self.children = False, self.plain(), None

    def become(self, value: Any) -> None:
        """Take over ``value``; what says the same already stays as it is written."""
        if self.kept and self.children is None and self.node and same(view(self.node), value):
            return
        self.kept, self.value, self.children = False, copied(value), None
        self.stays = False

    def plain(self) -> Any:
        """Return the value as it must be, untouched scalars as ``Raw``."""
        if self.children is None:
            return detach(self.node) if self.kept and self.node else self.value
        if self.is_list():
            return [child.spot.plain() for child in self.children]
        own = {child.key: child.spot.plain() for child in self.children if child.key is not None}
        return {**self.inherited(), **own}

    def inherited(self) -> dict[str, Any]:
        """Return the members that come by merge keys; of one in several mappings, the first counts."""
        members: dict[str, Any] = {}
        for child in self.open():
            if child.key is not None:
                continue
            data = child.spot.plain()
            for source in data if isinstance(data, list) else [data]:
                if isinstance(source, dict):
                    members = {**source, **members}
        return members


class Child:
    """A child: ``key`` is None for an item of a list and for a merge key ``<<``; ``index`` is its place in the text."""

    __slots__ = ("index", "key", "spot")

    def __init__(self, key: str | None, spot: Spot, index: int | None = None) -> None:
        self.key = key
        self.spot = spot
        self.index = index


def apply(root: Spot, operations: Iterable[Operation]) -> None:
    """Change the shadow; the operations are applied one after another.

    Raises:
        EditError: a step leads through a key that occurs twice, or into something that is no collection.
    """
    for operation in operations:
        _apply(root, operation)


def _apply(root: Spot, operation: Operation) -> None:
    if not operation.path:
        root.become(operation.value)
        return
    spot = container(root, operation)
    token = operation.path[-1]
    if operation.op == "remove":
        _remove(spot, token)
    elif spot.is_list() and operation.op == "add":
        position = len(spot.open()) if token == APPEND else int(token)
        spot.open().insert(position, Child(None, Spot(None, copied(operation.value))))
    else:
        _set(spot, token, operation.value, operation.before)


def container(root: Spot, operation: Operation) -> Spot:
    """Return the collection that holds what the operation is about."""
    spot = root
    for token in operation.path[:-1]:
        spot = child_of(spot, token)
    spot.open()
    return spot


def child_of(spot: Spot, token: str) -> Spot:
    """Return the child that a step of a path names.

    Raises:
        EditError: there is none.
    """
    return _child(spot, token).spot


def detach(node: Node) -> Any:
    """Return plain data of ``node`` with ``Raw`` scalars, aliases and merge keys expanded.

    Checked against an alias bomb.
    """
    view(node)
    return _detach(node)


def _detach(node: Node) -> Any:
    if isinstance(node, Alias):
        return _detach(node.target)
    if isinstance(node, Sequence):
        return [_detach(item) for item in node.items]
    if isinstance(node, Mapping):
        own = {key_text(key): _detach(value) for key, value in node.entries if not is_merge(key)}
        if not any(is_merge(key) for key, _ in node.entries):
            return own
        inherited = {key: value for key, value in view(node).items() if key not in own}
        return {**inherited, **own}
    assert isinstance(node, Scalar)  # noqa: S101 -- the last of the four kinds
    value = scalar_value(node)
    is_plain = node.value != "" and not node.style and not node.tag
    # A blank line in a plain text means a line break, which such a text cannot hold on one line.
    is_one_line = not any(character in node.value for character in BREAKS)
    return Raw(node.value, value) if is_plain and is_one_line else value


def _children(node: Node) -> list[Child]:
    if isinstance(node, Sequence):
        return [Child(None, Spot(item), index) for index, item in enumerate(node.items)]
    if isinstance(node, Mapping):
        return [
            Child(None if is_merge(key) else key_text(key), Spot(value), index)
            for index, (key, value) in enumerate(node.entries)
        ]
    return []


def _fresh_children(value: Any) -> list[Child]:
    if isinstance(value, dict):
        return [Child(key, Spot(None, item)) for key, item in value.items()]
    if isinstance(value, list):
        return [Child(None, Spot(None, item)) for item in value]
    return []


def _find(spot: Spot, token: str) -> Child | None:
    """Return the child that a step of a path names; one that comes by a merge key is made a member of its own first.

    Raises:
        EditError: the key is there several times.
    """
    children = spot.open()
    if spot.is_list():
        return children[int(token)]
    found = [child for child in children if child.key == token]
    if len(found) > 1:
        raise EditError(
            f"the key `{token}` occurs {len(found)} times in one mapping: keep one of them"
        )
    if found:
        return found[0]
    inherited = spot.inherited()
    if token not in inherited:
        return None
    children.append(Child(token, Spot(None, inherited[token])))
    return children[-1]


def _child(spot: Spot, token: str) -> Child:
    child = _find(spot, token)
    if child is None:
        raise EditError(f"there is nothing at `{render_pointer((token,))}`")
    return child


def _set(spot: Spot, token: str, value: Any, before: str) -> None:
    child = _find(spot, token)
    if child is not None:
        child.spot.become(value)
        return
    children = spot.open()
    position = len(children)
    for index, other in enumerate(children):
        if before and other.key == before:
            position = index
            break
    children.insert(position, Child(token, Spot(None, copied(value))))


def _remove(spot: Spot, token: str) -> None:
    child = _child(spot, token)
    if not spot.is_list() and token in spot.inherited():
        spot.rewrite()
        child = _child(spot, token)
    spot.open().remove(child)
