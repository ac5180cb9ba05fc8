"""What is left in the CEL expressions of a policy after a removal.

An expression can name a proxy variable and set nothing: in a condition, or in a patch that never runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krm_fn.formats.cel_tree import CelNode, NodeKind, ObjectMember, parse, ungrouped
from krm_fn.krm.results import redact
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno.cel_nodes import (
    ASKING_MACROS,
    COMPREHENSIONS,
    PATCH,
    Expression,
    variable_name,
)
from krm_fn.targets.kyverno.rules import CONTAINER_LISTS, STEPS

_RELATIONS = ("==", "!=", "<", ">", "<=", ">=", "in")


def is_idle(texts: Iterable[str], variables: Mapping[str, str]) -> bool:
    """Return whether mutations change nothing, because all they would set are entries that were taken out.

    Args:
        texts: the expressions of the mutations.
        variables: name -> expression of ``spec.variables``.
    """
    known = {name: parse(text) for name, text in variables.items()}
    roots = [parse(text) for text in texts]
    return all(root is not None and _sets_nothing(root, known) for root in roots)


def asks_only(text: str, name: str) -> bool:
    """Return whether a name is nowhere in an expression but in conditions, in patches that never run and in comments.

    Args:
        text: the expression.
        name: one of the six names.
    """
    root = parse(text)
    if root is None:
        return False
    expression = Expression((), text, "", root)
    for node in root.all():
        if node.value is not None and name in node.value:
            is_whole = node.value == name
            if not is_whole or not only_asks(expression, node):
                return False
    return True


def only_asks(expression: Expression, node: CelNode) -> bool:
    """Return whether a literal is only in a condition, or in a patch that never runs."""
    around = list(expression.around(node))
    if any(_never_runs(parent) for parent, _ in around):
        return True
    for parent, part in around:
        is_argument = parent.kind is NodeKind.CALL and not (
            parent.is_method and parent.parts[0] is part
        )
        if is_argument and parent.text in COMPREHENSIONS:
            return parent.text in ASKING_MACROS
        if parent.kind is NodeKind.CONDITION and parent.parts[0] is part:
            return True
    return any(parent.text in _RELATIONS for parent, _ in around)


def _never_runs(node: CelNode) -> bool:
    """Return whether a part is a call on a list of which a filter leaves nothing, as ``without_proxy`` writes it."""
    of = node.parts[0] if node.kind is NodeKind.CALL and node.is_method else None
    if of is None or of.kind is not NodeKind.CALL or of.text != "filter":
        return False
    return [one.text for one in of.arguments[1:]] == ["false"]


def _sets_nothing(node: CelNode, variables: Mapping[str, CelNode | None]) -> bool:
    """Return whether a mutation changes nothing in any object."""
    for one in node.all():
        if one.kind is not NodeKind.OBJECT:
            continue
        if one.text != PATCH and not all(_is_empty_member(member) for member in one.members):
            return False
        value = one.member("value") if one.text == PATCH else None
        if one.text == PATCH and (value is None or not _is_empty(value.value, variables)):
            return False
    return True


def _is_empty_member(member: ObjectMember) -> bool:
    """Return whether a member of an applied configuration leads to containers or names one, or is an empty list."""
    value = ungrouped(member.value)
    if member.key == "env":
        return value.kind is NodeKind.LIST and not value.parts
    if member.key == "name":
        return value.kind is NodeKind.MEMBER
    return member.key in (*STEPS, *CONTAINER_LISTS)


def _is_empty(value: CelNode, variables: Mapping[str, CelNode | None]) -> bool:
    """Return whether the value of a patch adds nothing to what a container has, and leaves nothing out."""
    has_empty = False
    waiting, followed = [value], set[str]()
    while waiting:
        node = waiting.pop()
        for one in node.all():
            name = variable_name(one)
            variable = variables.get(name) if name else None
            if name and variable is None:
                return False
            if variable is not None and name not in followed:
                followed.add(name)
                waiting.append(variable)
            if (one.kind is NodeKind.OBJECT and one.members) or one.value is not None:
                return False
            if one.kind is NodeKind.LIST and one.parts:
                return False
            is_left = one.kind in (NodeKind.LIST, NodeKind.OBJECT)
            has_empty = has_empty or is_left
    return has_empty


def password_left(texts: Mapping[Pointer, str]) -> Pointer | None:
    """Return the path of an expression with a password, if the expressions still name a proxy variable; else None.

    A password in an entry with another name belongs to something else.

    Args:
        texts: path -> each expression of a policy.
    """
    if all(asks_only(text, name) for text in texts.values() for name in PROXY_VARIABLES):
        return None
    for path, text in texts.items():
        root = parse(text)
        if root is None:
            if redact(text) != text:
                return path
            continue
        expression = Expression(path, text, "", root)
        for node in root.all():
            is_password = node.value is not None and redact(node.value) != node.value
            if is_password and not _is_of_another(expression, node):
                return path
    return None


def _is_of_another(expression: Expression, node: CelNode) -> bool:
    """Return whether a literal is in an object with a name that is no proxy variable."""
    for parent, _ in expression.around(node):
        name = parent.member("name") if parent.kind is NodeKind.OBJECT else None
        if name is not None and name.value.value is not None:
            return name.value.value not in PROXY_VARIABLES
    return False
