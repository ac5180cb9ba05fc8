"""The CEL expression that does to init containers what another one does to containers.

Known are expressions that iterate over one list ``containers`` by ``map``, give its items proxy variables and nothing
else, and leave the variables that they set out of what an item has, or merge them with it. What iterates over
the list again, for its indices, and paths such as ``"/spec/containers/"`` are written for init containers, too. An
object need not have init containers, so ``has()`` asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.formats import cel
from krm_fn.formats.cel_tree import CelNode, NodeKind, ObjectMember, parse, ungrouped
from krm_fn.formats.splice import Edit, splice
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno.cel_nodes import PATCH, Expression, variable_name

_CONTAINERS, _INIT_CONTAINERS = "containers", "initContainers"
_OF_ITEM = ("name", "env")


def sets_proxy(text: str, variables: Mapping[str, str]) -> bool:
    """Return whether an expression, or a variable that it refers to, has an entry that is a proxy variable.

    Args:
        text: the expression of a mutation.
        variables: name -> expression of ``spec.variables``.
    """
    root = parse(text)
    if root is None:
        return False
    names = [node.member("name") for node in _with_variables(root, variables)]
    return any(name is not None and name.value.value in PROXY_VARIABLES for name in names)


def of_patch(text: str, variables: Mapping[str, str], *, is_emptied: bool = False) -> str | None:
    """Return the JSON Patch expression for init containers; None where that is not known to be right.

    Args:
        text: the expression for containers.
        variables: name -> expression of ``spec.variables``.
        is_emptied: a removal took the entries out.
    """
    found = _iteration(text)
    if found is None:
        return None
    expression, source, whole = found
    is_plain = _sets_only_proxy(whole, variables, is_emptied=is_emptied)
    if not is_plain or not _leaves_own_out(whole, expression):
        return None
    paths = [one for one in whole.all() if one.value is not None and _is_path(one.value)]
    if not paths:
        return None
    asked = _has(text, source)
    new = f"({asked} ? {_for_init_containers(text, whole)} : [])"
    return splice(text, [(whole.start, whole.end, new)])


def of_configuration(text: str, *, is_emptied: bool = False) -> str | None:
    """Return an applied configuration with init containers, too; None where that is not known to be right.

    Args:
        text: the expression with containers.
        is_emptied: a removal took the entries out.
    """
    found = _iteration(text)
    if found is None:
        return None
    expression, source, whole = found
    around = expression.above.get(id(whole))
    member = _member_of(around, whole)
    if member is None or not _sets_only_proxy(whole, {}, is_emptied=is_emptied):
        return None
    messages = [one for one in whole.all() if one.member("env") is not None]
    if not messages or not all(map(_is_plain, messages)):
        return None
    items = _for_init_containers(text, whole)
    value = f"{_has(text, source)} ? optional.of({items}) : optional.none()"
    return splice(text, [(member.end, member.end, f", ?{_INIT_CONTAINERS}: {value}")])


def _is_plain(message: CelNode) -> bool:
    """Return whether a message sets ``env`` of a container that is there, and nothing else."""
    name = message.member("name")
    is_there = name is not None and name.value.kind is NodeKind.MEMBER and name.value.text == "name"
    return is_there and all(one.key in _OF_ITEM for one in message.members)


def without_init_containers(text: str) -> str:
    """Return an emptied applied configuration without the member that ``of_configuration`` adds; else as it is."""
    root = parse(text)
    for node in root.all() if root is not None else ():
        member = node.member(_INIT_CONTAINERS)
        before = node.member(_CONTAINERS)
        if member is not None and before is not None:
            shorter = splice(text, [(before.end, member.end, "")])
            if of_configuration(shorter, is_emptied=True) == text:
                return shorter
    return text


def _iteration(text: str) -> tuple[Expression, CelNode, CelNode] | None:
    """Return an expression, the one list ``containers`` that it iterates over, and all calls on that list.

    None if it cannot be parsed, or iterates over none or several.
    """
    root = parse(text)
    if root is None:
        return None
    expression = Expression((), text, "", root)
    lists = [one for one in expression.root.all() if _is_containers(one)]
    texts = {expression.text[one.start : one.end] for one in lists}
    chains = {}
    for one in lists:
        whole = _calls_on(one, expression)
        if whole is not None:
            chains[id(whole)] = (one, whole)
    outer = [
        (one, whole)
        for one, whole in chains.values()
        if not any(other is not whole and _is_inside(whole, other) for _, other in chains.values())
    ]
    if len(outer) != 1 or len(texts) != 1:
        return None
    source, whole = outer[0]
    if not all(_is_inside(one, whole) for one in lists):
        return None
    return expression, source, whole


def _is_inside(node: CelNode, other: CelNode) -> bool:
    return other.start <= node.start and node.end <= other.end


def _is_containers(node: CelNode) -> bool:
    return node.kind is NodeKind.MEMBER and node.text == _CONTAINERS


def _calls_on(source: CelNode, expression: Expression) -> CelNode | None:
    """Return the calls on a list up to the last one, if they iterate over it by ``filter`` and ``map``; else None."""
    whole = None
    for parent, part in expression.around(source):
        is_called = parent.kind is NodeKind.CALL and parent.is_method and parent.parts[0] is part
        if not is_called or parent.text not in ("filter", "map"):
            break
        whole = parent
    return whole if whole is not None and whole.text == "map" else None


def _member_of(node: CelNode | None, value: CelNode) -> ObjectMember | None:
    """Return the member ``containers`` of a message, if it has this value and no init containers beside it."""
    if node is None or node.kind is not NodeKind.OBJECT or node.member(_INIT_CONTAINERS):
        return None
    member = node.member(_CONTAINERS)
    return member if member is not None and member.value is value else None


def _sets_only_proxy(whole: CelNode, variables: Mapping[str, str], *, is_emptied: bool) -> bool:
    """Return whether all entries that are written, those of variables too, are proxy variables.

    One must be there, if no removal took them out.
    """
    count = 0
    for node in _with_variables(whole, variables):
        is_entry = node.kind is NodeKind.OBJECT and node.text != PATCH and not node.member("env")
        if is_entry:
            name = node.member("name")
            if name is None or name.value.value not in PROXY_VARIABLES:
                return False
            count += 1
    return (count == 0) is is_emptied


def _with_variables(whole: CelNode, variables: Mapping[str, str]) -> Iterator[CelNode]:
    """Yield all parts of an expression, and those of the variables that it refers to."""
    waiting, seen = [whole], set[str]()
    while waiting:
        for node in waiting.pop().all():
            yield node
            name = variable_name(node)
            root = parse(variables[name]) if name in variables and name not in seen else None
            seen.add(name)
            if root is not None:
                waiting.append(root)


def _leaves_own_out(whole: CelNode, expression: Expression) -> bool:
    """Return whether ``env`` of an item is kept, and always by way of a filter."""
    reads = [one for one in whole.all() if _reads_env(one) and not _is_asked_for(one, expression)]
    return bool(reads) and all(_is_filtered(one, expression) for one in reads)


def _reads_env(node: CelNode) -> bool:
    if node.kind is NodeKind.INDEX:
        return node.parts[1].value == "env"
    return node.kind is NodeKind.MEMBER and node.text == "env" and not variable_name(node)


def _is_asked_for(node: CelNode, expression: Expression) -> bool:
    parent = expression.above.get(id(node))
    return parent is not None and parent.kind is NodeKind.CALL and parent.text == "has"


def _is_filtered(node: CelNode, expression: Expression) -> bool:
    """Return whether a filter is called on a list, on ``orValue()`` behind it, or on the condition in which it is."""
    for parent, part in expression.around(node):
        is_called = parent.kind is NodeKind.CALL and parent.is_method and parent.parts[0] is part
        if is_called and parent.text == "filter":
            return True
        is_result = parent.kind is NodeKind.CONDITION and parent.parts[0] is not part
        is_value = is_called and parent.text == "orValue"
        if not is_result and not is_value and parent.kind is not NodeKind.GROUP:
            return False
    return False


def _has(text: str, source: CelNode) -> str:
    """Return a question for the init containers beside a list of containers."""
    of = ungrouped(source.parts[0])
    return f"has({text[of.start : of.end]}.{_INIT_CONTAINERS})"


def _for_init_containers(text: str, whole: CelNode) -> str:
    """Return a part of an expression with init containers in the place of containers."""
    part = text[whole.start : whole.end]
    edits: list[Edit] = []
    for token in cel.tokens(part):
        if token.text == _CONTAINERS:
            edits.append((token.start, token.end, _INIT_CONTAINERS))
        elif token.value is not None and _is_path(token.value):
            new = token.text.replace(f"/{_CONTAINERS}", f"/{_INIT_CONTAINERS}")
            edits.append((token.start, token.end, new))
    return splice(part, edits)


def _is_path(text: str) -> bool:
    return f"/{_CONTAINERS}" in text
