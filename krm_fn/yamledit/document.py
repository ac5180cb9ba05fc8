"""One YAML document: text and operations in, text out, proven.

The new text, read again, says what ``jsonpatch`` makes of the old data, or there is no new text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Any

from krm_fn import patch
from krm_fn.errors import EditError, ExpansionError, InputError, InternalError
from krm_fn.named_tuple import NamedTuple
from krm_fn.patch import Operation
from krm_fn.yamledit import expansion, layout, shadow
from krm_fn.yamledit.breaks import BREAKS, Lines, newline_of, with_line_feeds
from krm_fn.yamledit.origin import FOR_YTT, PLAIN, FormerValue, give_back, origins, plain_data
from krm_fn.yamledit.shadow import Spot
from krm_fn.yamledit.splice import Origins, edits, splice
from krm_fn.yamledit.tree import Alias, Mapping, Node, compose, walk
from krm_fn.yamledit.tree import Sequence as SequenceNode
from krm_fn.yamledit.view import children, key_text, same, view

CODE_OF_YTT = "#@"
"""What begins code and annotations of ytt: a text that has it, ytt reads."""


class Part(NamedTuple):
    """A value inside a document."""

    whole: str
    node: Node

    @property
    def text(self) -> str:
        """The text that it is part of."""
        return self.whole[self.node.start : self.node.end]

    @property
    def start(self) -> int:
        """Where its text begins in the document."""
        return self.node.start

    def data(self) -> Any:
        """Return new plain data; raises InputError for an alias bomb."""
        return view(self.node)

    def items(self) -> list[Part] | None:
        """Return the items of a list, None for anything else."""
        node = self.node.target if isinstance(self.node, Alias) else self.node
        if not isinstance(node, SequenceNode):
            return None
        return [Part(self.whole, item) for item in node.items]


class Document:
    """A text and what it says; ``root`` is its tree, composed on first use.

    ``envelope``: members of the outermost mapping of which nothing is kept in a comment when they are filled.
    ``for_ytt`` is True for a document of a text that ytt reads; one with code of ytt in it is one in any case.
    """

    def __init__(self, text: str, envelope: Collection[str] = (), *, for_ytt: bool = False) -> None:
        self.text = text
        self.envelope = frozenset(envelope)
        self.for_ytt = for_ytt or CODE_OF_YTT in text

    @cached_property
    def root(self) -> Node:
        """The tree of the text; raises InputError if it is not one YAML document."""
        expansion.allow(len(self.text))
        return compose(self.text)

    def data(self) -> Any:
        """Return the plain data of the text, new at each call: the caller may change it."""
        return view(self.root)

    def links(self) -> list[tuple[int, int]]:
        """Return for each alias of the text where it is, and where its value is."""
        return [
            (node.start, node.target.start) for node in walk(self.root) if isinstance(node, Alias)
        ]

    def members(self) -> dict[str, Part] | None:
        """Return the members of the outermost mapping; None if the text is something else.

        Raises:
            InputError: a mapping has a key twice.
        """
        if not isinstance(self.root, Mapping):
            return None
        members: dict[str, Part] = {}
        for key, value in self.root.entries:
            name = key_text(key)
            if name in members:
                line = Lines(self.text).above(key.start) + 1
                raise InputError(
                    f"a key must not be twice in one mapping: remove the one at line {line} or the other"
                )
            members[name] = Part(self.text, value)
        return members

    def edit(self, operations: Sequence[Operation]) -> str:
        """Return the text with the operations applied, as close to its author's style as possible.

        No operation, or one that changes nothing: the same text.

        Raises:
            InputError: the text cannot be read.
            EditError: a place cannot be edited without risk (a mapping on the way has the key twice).
            InternalError: no way of writing it passed the proof.
        """
        if not operations:
            return self.text
        operations = self._with_origins(operations)
        wanted = self._after(operations)
        if same(wanted, self.data()):
            return self.text
        refusal: EditError | None = None
        for way in (_in_place, _containers_anew, _all_anew):
            try:
                text = self._attempt(operations, way)
            except EditError as error:
                refusal = error
                continue
            if _says(text, wanted):
                return text
            # A literal block needs a line break at its end.
            closed = text + newline_of(self.text)
            if not text.endswith(tuple(BREAKS)) and _says(closed, wanted):
                return closed
        if refusal is not None:
            raise refusal
        raise InternalError("an edit would not have said what was asked for: nothing was written")

    def meant(self, operations: Sequence[Operation]) -> Any:
        """Return the data that ``edit`` makes the text say, with what it gives back."""
        return self._after(self._with_origins(operations))

    def _after(self, operations: Sequence[Operation]) -> Any:
        return patch.apply(self.data(), operations)

    @cached_property
    def _lines(self) -> str:
        return with_line_feeds(self.text)

    @cached_property
    def _origins(self) -> dict[Node, FormerValue]:
        return origins(self._lines, self.root)

    def _with_origins(self, operations: Sequence[Operation]) -> Sequence[Operation]:
        return give_back(self.root, operations, self._origins) if self._origins else operations

    def _attempt(
        self, operations: Sequence[Operation], way: Callable[[Spot, Sequence[Operation]], None]
    ) -> str:
        """Return the new text in one of the ways: ``_in_place``, ``_containers_anew`` or ``_all_anew``.

        It is not proven yet.

        Raises:
            EditError: the layout does not allow it.
        """
        root = Spot(self.root)
        way(root, operations)
        style = layout.style_of(self._lines, self.root)._replace(newline=newline_of(self.text))
        before = Origins(self._origins, self.envelope, FOR_YTT if self.for_ytt else PLAIN)
        if "*" in self.text:
            _expand_stale_aliases(root, self.root)
        return splice(self.text, edits(self._lines, root, style, before))


def has_complex_keys(text: str) -> bool:
    """Return whether a key in a document is a mapping or a list: `{{ .Values.name }}` reads as such a key.

    Raises:
        InputError: the text is not one YAML document.
    """
    return any(
        isinstance(key, (Mapping, SequenceNode))
        for node in walk(Document(text).root)
        if isinstance(node, Mapping)
        for key, _ in node.entries
    )


class Outline:
    """Where the members and items of one document begin.

    The document is read once, and each collection is looked through once: there may be as many questions as members.

    Args:
        text: one YAML document.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._inside: dict[Node, dict[str, tuple[int, Node]]] = {}

    def place(self, path: Sequence[str]) -> int:
        """Return where the member or item at ``path`` begins, or the last one on the way to it that is there.

        0 where the document cannot be read.

        Args:
            path: keys of mappings, and indexes of lists, from the root.
        """
        node = self._root
        if node is None:
            return 0
        found = node.start
        for step in path:
            inner = self._children(node.target if isinstance(node, Alias) else node)
            if step not in inner:
                break
            found, node = inner[step]
        return found

    @cached_property
    def _root(self) -> Node | None:
        try:
            return Document(self._text).root
        except InputError:
            return None

    def _children(self, node: Node) -> dict[str, tuple[int, Node]]:
        """Return key or index of a child -> where its member or item begins, and its value."""
        if node not in self._inside:
            self._inside[node] = {name: (start, value) for name, start, value in children(node)}
        return self._inside[node]


def _says(text: str, wanted: Any) -> bool:
    try:
        return same(view(compose(text)), wanted)
    except ExpansionError:
        raise
    except InputError:
        return False


def _in_place(root: Spot, operations: Sequence[Operation]) -> None:
    """Change what the operations are about, and nothing else."""
    shadow.apply(root, operations)


def _containers_anew(root: Spot, operations: Sequence[Operation]) -> None:
    """Rewrite each collection that an operation concerns, for layouts that no surgical edit supports."""
    for operation in operations:
        shadow.apply(root, [operation])
        shadow.container(root, operation).rewrite()


def _all_anew(root: Spot, operations: Sequence[Operation]) -> None:
    """Rewrite the whole document."""
    shadow.apply(root, operations)
    root.rewrite()


def _expand_stale_aliases(root: Spot, tree: Node) -> None:
    """Write out each alias whose anchored text changes or is removed: no operation is about the alias itself.

    An anchor is above its aliases, so one look in the order of the text is enough.
    """
    for alias in walk(tree):
        if isinstance(alias, Alias) and _is_stale(root, alias.target):
            _expand(root, alias)


def _is_stale(root: Spot, target: Node) -> bool:
    """Return whether a node will not be there, or not say the same."""
    spot = _spot_around(root, target)
    if spot is None or not spot.kept:
        return True
    return spot.children is not None and not same(plain_data(spot.plain()), view(target))


def _expand(root: Spot, alias: Alias) -> None:
    """Rewrite the spot of an alias, if that is still in the shadow."""
    spot = _spot_around(root, alias)
    while spot is not None and spot.node is not alias:
        spot.open()
        spot = _spot_around(spot, alias)
    if spot is not None:
        spot.rewrite()


def _spot_around(spot: Spot, node: Node) -> Spot | None:
    """Return the spot of a node, or the one around it that nothing has looked into.

    None where the text around the node is given up.
    """
    while spot.node is not node:
        if not spot.kept:
            return None
        if spot.children is None:
            return spot
        inner = [child.spot for child in spot.children if _holds(child.spot.node, node)]
        if not inner:
            return None
        spot = inner[0]
    return spot


def _holds(outer: Node | None, inner: Node) -> bool:
    return outer is not None and outer.start <= inner.start and inner.end <= outer.end
