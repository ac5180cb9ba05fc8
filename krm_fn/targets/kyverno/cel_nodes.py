"""Parts of the CEL expressions of a policy that mean something to Kyverno and Kubernetes, in their structure.

Source: the macros of CEL (cel-go ``parser/macro.go``), ``dyn`` of the language definition, and the types ``JSONPatch``
and ``variables`` of MutatingPolicy and MutatingAdmissionPolicy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from krm_fn.patch import Pointer
from krm_fn.targets.kyverno.cel_parser import CelNode, NodeKind, parse, ungrouped

PATCH = "JSONPatch"
"""The type of a patch."""


@dataclass
class Expression:
    """One expression, its structure, and what ``variables.<name>`` calls it; "" where it is none of these."""

    path: Pointer
    text: str
    root: CelNode
    variable: str = ""
    above: dict[int, CelNode] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.root.all():
            for part in (*node.parts, *(member.value for member in node.members)):
                self.above[id(part)] = node

    @classmethod
    def read(cls, path: Pointer, text: str, variable: str = "") -> Expression | None:
        """Return an expression; None where its structure cannot be read."""
        root = parse(text)
        return None if root is None else cls(path, text, root, variable)

    def around(self, node: CelNode) -> Iterator[tuple[CelNode, CelNode]]:
        """Yield each part around another one, with the part of it on the way, from the inside to the outside."""
        while (parent := self.above.get(id(node))) is not None:
            yield parent, node
            node = parent

    def outer(self, node: CelNode) -> CelNode | None:
        """Return the part around another one, without parentheses, ``dyn()`` and ``string()``; None for the whole."""
        for parent, _ in self.around(node):
            if bare(parent) is parent:
                return parent
        return None

    def written(self, node: CelNode) -> str:
        """Return the text of a part."""
        return self.text[node.start : node.end]


def nodes_of(expressions: Iterable[Expression]) -> Iterator[tuple[Expression, CelNode]]:
    """Yield every part of expressions, each with the expression in which it is."""
    for expression in expressions:
        for node in expression.root.all():
            yield expression, node


def named(node: CelNode) -> str | None:
    """Return the text of ``name`` of an object; None where that is no literal."""
    name = node.member("name")
    return None if name is None else name.value.value


def variable_name(node: CelNode) -> str:
    """Return the name in ``variables.<name>``; "" where a part is anything else."""
    if node.kind is not NodeKind.MEMBER:
        return ""
    of = node.parts[0]
    return node.text if of.kind is NodeKind.NAME and of.text == "variables" else ""


def bare(node: CelNode) -> CelNode:
    """Return what is in the parentheses, ``dyn()`` and ``string()`` of a part; else the part itself."""
    while True:
        node = ungrouped(node)
        is_call = node.kind is NodeKind.CALL and not node.is_method and len(node.parts) == 1
        if not is_call or node.text not in ("dyn", "string"):
            return node
        node = node.parts[0]


def is_method(node: CelNode, *names: str) -> bool:
    """Return whether a part is a call of a method with one of some names."""
    return node.kind is NodeKind.CALL and node.is_method and node.text in names


def terms(node: CelNode, operator: str) -> tuple[CelNode, ...]:
    """Return the terms that an operator joins, with the parentheses around them."""
    is_joined = node.kind is NodeKind.BINARY and node.text == operator
    return node.parts if is_joined else (node,)


def chain(node: CelNode, operator: str) -> Iterator[CelNode]:
    """Yield the terms that an operator joins, without the parentheses around them."""
    node = ungrouped(node)
    if node.kind is not NodeKind.BINARY or node.text != operator:
        yield node
        return
    for term in node.parts:
        yield from chain(term, operator)


def joined(node: CelNode, variables: Mapping[str, str]) -> str | None:
    """Return the text of literals and variables that ``+`` joins; None where something else is among them.

    Args:
        node: any part.
        variables: what ``variables.<name>`` is, as far as it is known.
    """
    found: list[str] = []
    for term in terms(node, "+"):
        text = variables.get(variable_name(term)) if term.value is None else term.value
        if text is None:
            return None
        found.append(text)
    return "".join(found)


def reads_env(node: CelNode) -> bool:
    """Return whether a part is ``env`` of something, as ``c.env``, ``c.?env`` or ``c["env"]``."""
    if node.kind is NodeKind.INDEX:
        return node.parts[1].value == "env"
    return node.kind is NodeKind.MEMBER and node.text == "env" and not variable_name(node)


def asks_for_env(node: CelNode) -> bool:
    """Return whether a part asks somewhere whether there is an ``env``: ``has(c.env)``, ``"env" in c``."""
    for one in node.all():
        if one.kind is NodeKind.CALL and one.text == "has" and any(map(reads_env, one.parts)):
            return True
        if one.kind is NodeKind.BINARY and one.text == "in" and one.parts[0].value == "env":
            return True
        if is_method(one, "hasValue") and reads_env(one.parts[0]):
            return True
    return False


def texts_of(node: CelNode) -> set[str]:
    """Return the texts of a list of string literals; nothing where it is something else, or holds something else."""
    node = bare(node)
    values = [bare(one).value for one in node.parts]
    if node.kind is not NodeKind.LIST or None in values:
        return set()
    return {one for one in values if one is not None}
