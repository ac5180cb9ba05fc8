"""Parts of the CEL expressions of a policy that mean something to Kyverno and Kubernetes, in their structure.

Source: the macros of CEL (cel-go ``ext/bindings.go``, ``parser/macro.go``), ``dyn`` of the language definition, and the
types ``JSONPatch`` and ``variables`` of MutatingPolicy and MutatingAdmissionPolicy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from krm_fn.formats.cel_tree import CelNode, NodeKind
from krm_fn.formats.splice import Edit, splice
from krm_fn.patch import Pointer

PATCH = "JSONPatch"
"""The type of a patch."""

ASKING_MACROS = ("exists", "all", "exists_one", "existsOne")
"""Macros that yield true or false."""

COMPREHENSIONS = (*ASKING_MACROS, "map", "filter", "transformList")
"""Macros that go through a list; of an empty one they yield what nothing else depends on."""


@dataclass
class Expression:
    """One expression, its structure, and what is taken out of it."""

    path: Pointer
    text: str
    variable: str
    root: CelNode
    edits: list[Edit] = field(default_factory=list)
    above: dict[int, CelNode] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.root.all():
            for part in (*node.parts, *(member.value for member in node.members)):
                self.above[id(part)] = node

    def around(self, node: CelNode) -> Iterator[tuple[CelNode, CelNode]]:
        """Yield each part around another one, with the part of it on the way, from the inside to the outside."""
        while (parent := self.above.get(id(node))) is not None:
            yield parent, node
            node = parent

    def edited(self) -> str:
        """Return the text after all edits, those inside a larger one left out."""
        edits = dict.fromkeys(self.edits)
        outer = [edit for edit in edits if not any(_is_inside(edit, other) for other in edits)]
        return splice(self.text, outer)


def _is_inside(edit: Edit, other: Edit) -> bool:
    """Return whether the text that an edit replaces is a part of the longer one that the other replaces."""
    (start, end, _), (low, high, _) = edit, other
    return (low, high) != (start, end) and low <= start and end <= high


def variable_name(node: CelNode) -> str:
    """Return the name in ``variables.<name>``; "" where a part is anything else."""
    if node.kind is not NodeKind.MEMBER:
        return ""
    of = node.parts[0]
    return node.text if of.kind is NodeKind.NAME and of.text == "variables" else ""


def is_dyn(node: CelNode) -> bool:
    """Return whether a part is ``dyn(...)``, which is what its argument is."""
    return node.kind is NodeKind.CALL and node.text == "dyn" and not node.is_method


def is_bind(node: CelNode) -> bool:
    """Return whether a part is ``cel.bind(name, value, result)``."""
    if node.kind is not NodeKind.CALL or node.text != "bind" or not node.is_method:
        return False
    return node.parts[0].text == "cel" and len(node.arguments) == 3


def wrapped(node: CelNode) -> Iterator[CelNode]:
    """Yield a part and what is in its parentheses and its ``dyn()``."""
    while True:
        yield node
        if node.kind is not NodeKind.GROUP and not is_dyn(node):
            return
        if not node.parts:
            return
        node = node.parts[0]


def chain(node: CelNode, operator: str) -> Iterator[CelNode]:
    """Yield the terms that an operator joins."""
    if node.kind is NodeKind.BINARY and node.text == operator:
        yield from chain(node.parts[0], operator)
        yield from chain(node.parts[1], operator)
    else:
        yield node


def bound_to(node: CelNode, expression: Expression) -> CelNode | None:
    """Return what ``cel.bind`` gives to a name; None where a part is anything else."""
    if node.kind is not NodeKind.NAME:
        return None
    for parent, part in expression.around(node):
        if is_bind(parent) and parent.arguments[2] is part:
            name, value, _ = parent.arguments
            if name.text == node.text:
                return value
    return None
