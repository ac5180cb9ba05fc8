"""What a person should look at in the CEL expressions of a policy that sets a proxy, by their structure.

Sources: what Kyverno's engine does with such expressions (``tests/kyverno/harmful``): a patch of ``/env/-``, or a read
of ``c.env``, fails in a container without ``env``, and with ``failurePolicy: Fail`` that blocks the pod.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.krm.results import Finding, Severity
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno.cel_nodes import (
    PATCH,
    Expression,
    asks_for_env,
    bare,
    is_method,
    named,
    reads_env,
    terms,
    variable_name,
)
from krm_fn.targets.kyverno.cel_parser import CelNode, NodeKind

_OPTIONAL = ("orValue", "or", "hasValue", "optMap", "optFlatMap")


def harmful(expressions: Sequence[Expression]) -> Iterator[Finding]:
    """Yield a warning for each kind of harm that an expression of a mutation does.

    Args:
        expressions: those of the variables and mutations of one policy.
    """
    variables = {one.variable: one.root for one in expressions if one.variable}
    for expression in expressions:
        codes: dict[str, str] = {}
        for node in [] if expression.variable else expression.root.all():
            if node.kind is NodeKind.OBJECT and _sets_proxy(node, variables):
                codes |= _harm_of(node, expression)
        for code, message in codes.items():
            yield Finding(Severity.WARNING, message, expression.path, code=code)


def _sets_proxy(node: CelNode, variables: Mapping[str, CelNode]) -> bool:
    """Return whether an object, or a variable that it reads, holds one of the six names."""
    for one in node.all():
        root = variables.get(variable_name(one))
        for part in (one, *(root.all() if root is not None else ())):
            if part.value in PROXY_VARIABLES or any(m.key in PROXY_VARIABLES for m in part.members):
                return True
    return False


def _harm_of(node: CelNode, expression: Expression) -> dict[str, str]:
    """Return code -> message of what one patch, or one container of an applied configuration, does wrong."""
    if node.text != PATCH:
        if node.member("env") is None or named(node) != "*":
            return {}
        message = (
            'the CEL expression adds a container that is literally named "*" to every pod, which the API server '
            "rejects: go through the containers by `map`"
        )
        return {"PolicyContainerName": message}
    path, value = node.member("path"), node.member("value")
    if path is None or value is None:
        return {}
    end = _last_text(path.value)
    if end.endswith("/env/-"):
        return _harm_of_append(node, expression)
    return _harm_of_list(node, value.value, expression) if end.endswith("/env") else {}


def _harm_of_append(patch: CelNode, expression: Expression) -> dict[str, str]:
    if not _is_asked_around(patch, expression):
        message = (
            "the CEL expression appends to `/env/-`, which fails where a container has no `env`, and repeats an entry "
            "that is there: write the whole `env` with what the container has"
        )
        return {"PolicyEnvMissing": message}
    return {} if _asks_for_names(expression) else {"PolicyEntryRepeated": _REPEATED}


_REPEATED = (
    "the CEL expression repeats an entry that the container has already: leave the names out of what it keeps, as in "
    "`c.env.filter(e, !(e.name in [...]))`"
)


def _harm_of_list(patch: CelNode, value: CelNode, expression: Expression) -> dict[str, str]:
    reads = [one for one in value.all() if reads_env(one) and not _is_question(one, expression)]
    is_asked = _is_asked_around(patch, expression)
    if not reads and not is_asked:
        message = (
            "the CEL expression replaces the whole `env`, so that containers lose their own variables: add what they "
            "have, as in `[...] + (has(c.env) ? c.env.filter(e, !(e.name in [...])) : [])`"
        )
        return {"PolicyEnvReplaced": message}
    found: dict[str, str] = {}
    needs_env = [one for one in reads if not _is_optional(one, expression)]
    if any(not is_asked and not _is_asked_around(one, expression) for one in needs_env):
        found["PolicyEnvMissing"] = (
            "the CEL expression reads `env` where a container need not have one, and fails there: ask for it by "
            "`has(c.env)`"
        )
    if any(_is_kept_whole(one, patch, expression) for one in reads) and not _asks_for_names(
        expression
    ):
        found["PolicyEntryRepeated"] = _REPEATED
    return found


def _last_text(path: CelNode) -> str:
    """Return the text with which a path ends; "" where it ends with something computed."""
    path = bare(path)
    while (last := bare(terms(path, "+")[-1])) is not path:
        path = last
    return path.value or ""


def _is_question(read: CelNode, expression: Expression) -> bool:
    """Return whether ``env`` is read only to ask whether it is there."""
    parent = expression.above.get(id(read))
    return (
        parent is not None and parent.kind is NodeKind.CALL and parent.text in ("has", "hasValue")
    )


def _is_optional(read: CelNode, expression: Expression) -> bool:
    parent = expression.above.get(id(read))
    return parent is not None and is_method(parent, *_OPTIONAL) and parent.parts[0] is read


def _is_asked_around(node: CelNode, expression: Expression) -> bool:
    """Return whether a condition, or a filter of what is gone through, asks for ``env``."""
    for parent, part in expression.around(node):
        is_call = parent.kind is NodeKind.CALL and parent.is_method
        is_behind = is_call or parent.kind is NodeKind.CONDITION
        if is_behind and parent.parts[0] is not part and asks_for_env(parent.parts[0]):
            return True
    return False


def _is_kept_whole(read: CelNode, patch: CelNode, expression: Expression) -> bool:
    """Return whether all that a container has is added to a list."""
    for parent, part in expression.around(read):
        if parent.kind is NodeKind.BINARY and parent.text == "+":
            return True
        is_result = parent.kind is NodeKind.CONDITION and parent.parts[0] is not part
        if parent is patch or not (
            is_result or parent.kind is NodeKind.GROUP or is_method(parent, "orValue")
        ):
            return False
    return False


def _asks_for_names(expression: Expression) -> bool:
    """Return whether a condition asks whether a container has an entry of one of the six names."""
    for node in expression.root.all():
        if node.kind is NodeKind.CONDITION or is_method(node, "filter", "exists", "all"):
            asked = node.parts[0] if node.kind is NodeKind.CONDITION else node.parts[-1]
            if any(one.value in PROXY_VARIABLES for one in asked.all()):
                return True
    return False
