"""One YAML document: what it says, and where; ``edit`` changes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from krm_fn.errors import InputError
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Operation
from krm_fn.yamledit import expansion
from krm_fn.yamledit.breaks import Lines
from krm_fn.yamledit.tree import Alias, Mapping, Node, compose, walk
from krm_fn.yamledit.tree import Sequence as SequenceNode
from krm_fn.yamledit.view import children, key_text, view

CODE_OF_YTT = "#@"
"""What begins code and annotations of ytt: a text that has it, ytt reads."""
PLAIN, FOR_YTT = "#", "#!"
"""What begins a comment; the second one in a text that ytt reads, which takes the first one for its own."""


class Part(NamedTuple):
    """A value inside a document."""

    whole: str
    node: Node

    @property
    def text(self) -> str:
        """The text that it is part of."""
        return self.whole[self.node.start : self.node.end]

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
        from krm_fn.yamledit.edit import edited  # noqa: PLC0415 -- most documents are only read

        return edited(self, operations)[0]


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
