"""Policies, and rules of policies, that set proxy variables in a form that is compared and never written.

Sources: ``GeneratingPolicy`` and ``NamespacedGeneratingPolicy`` (``api/policies.kyverno.io``), ``generate`` of a rule
(``api/kyverno/v1/common_types.go``); ``Assign``, ``AssignMetadata`` and ``ModifySet`` of Gatekeeper
(``mutations.gatekeeper.sh``), whose ``location`` names a variable as ``env[name:HTTP_PROXY]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.site import SiteWithoutVariables, Variables, quoted
from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import parse
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import policy_rules
from krm_fn.targets.kyverno.cel_nodes import named
from krm_fn.targets.kyverno.cel_parser import objects

KINDS = frozenset(
    {
        ("mutations.gatekeeper.sh", "Assign"),
        ("mutations.gatekeeper.sh", "AssignMetadata"),
        ("mutations.gatekeeper.sh", "ModifySet"),
        ("policies.kyverno.io", "GeneratingPolicy"),
        ("policies.kyverno.io", "NamespacedGeneratingPolicy"),
    }
)
"""API groups and kinds of the policies that are only compared."""

_Value = tuple[str, str | None]
"""One of the six variables, and what sets it; None where the policy computes that."""


class ComparedPolicy(SiteWithoutVariables):
    """What a policy, or one rule of it, sets in a form that inject-proxy does not write.

    Args:
        draft: the data of the policy.
        path: leads to what sets the variables.
        label: what messages call it: "this GeneratingPolicy".
    """

    def __init__(self, draft: Draft, path: Pointer, label: str) -> None:
        self.label = label
        self._draft = draft
        self._path = path

    def write(self, variables: Variables) -> None:
        """Report, once, what differs from the declared proxy and what cannot be compared with it."""
        unequal: dict[str, None] = {}
        unknown: dict[str, None] = {}
        for name, value in _values(self._draft.data, self._path):
            if value is None:
                unknown[name] = None
            elif not _is_equal(name, value, variables.get(name, "")):
                unequal[name] = None
        if not unequal and not unknown:
            return
        if not variables:
            names = quoted({**unequal, **unknown})
            message = (
                f"{self.label} sets {names}, and inject-proxy does not write it: remove it there"
            )
        elif unequal:
            message = (
                f"{self.label} sets {quoted(unequal)} to another proxy than the declared one, and "
                "inject-proxy does not write it: change it there"
            )
        else:
            message = (
                f"{self.label} sets {quoted(unknown)} in a form that inject-proxy does not read: "
                "check there that the proxy is the declared one"
            )
        self._draft.findings.append(
            Finding(
                Severity.WARNING,
                message,
                self._path,
                is_stale=bool(unequal),
                code="PolicyKindNotFilled",
            )
        )


def generating_rules(policy: Mapping[str, Any]) -> Iterator[tuple[Pointer, str]]:
    """Yield path and title of ``generate`` of each rule that mentions a proxy variable there."""
    items = policy_rules.list_or_empty(lookup(policy, ("spec", "rules")))
    for index, fields in enumerate(items):
        if policy_rules.mentioned(lookup(fields, ("generate",))):
            title = policy_rules.title_of(fields, index)
            yield ("spec", "rules", str(index), "generate"), f"`generate` of {title}"


def _values(data: Any, path: Pointer) -> Iterator[_Value]:
    """Yield what is set at or below ``path``; a name that is only mentioned there is yielded without a value."""
    spec = lookup(data, path)
    found = [*_of_location(spec), *_set_below(spec)]
    yield from dict.fromkeys(found)
    known = {name for name, _ in found}
    for name in policy_rules.mentioned(spec):
        if name not in known:
            yield name, None


def _of_location(spec: Any) -> Iterator[_Value]:
    """Yield what an ``Assign`` of Gatekeeper gives to the variable in its ``location``."""
    location = lookup(spec, ("location",))
    names = policy_rules.mentioned(location) if isinstance(location, str) else []
    value = lookup(spec, ("parameters", "assign", "value"))
    if len(names) == 1 and isinstance(value, str):
        yield names[0], value


def _set_below(data: Any) -> Iterator[_Value]:
    """Yield entries ``{name, value}``, members with one of the six names, and both in CEL expressions."""
    left = [data]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            name, value = node.get("name"), node.get("value")
            if name in PROXY_VARIABLES and isinstance(value, str):
                yield name, value
            for key, member in node.items():
                if key in PROXY_VARIABLES and isinstance(member, str):
                    yield key, member
            left += node.values()
        elif isinstance(node, list):
            left += node
        elif isinstance(node, str):
            yield from _of_expression(node)


def _of_expression(text: str) -> Iterator[_Value]:
    found = objects(text)
    for node in found:
        name, value = named(node), node.member("value")
        if name in PROXY_VARIABLES and value is not None:
            yield name, value.value.value
    for node in found:
        for member in node.members:
            if member.key in PROXY_VARIABLES and member.value.value is not None:
                yield member.key, member.value.value


def _is_equal(name: str, value: str, wanted: str) -> bool:
    """Return whether a value is the wanted one, as it is or escaped for the environment of a container."""
    if name.upper() == "NO_PROXY":
        return set(parse(value)) == set(parse(wanted))
    return value in (wanted, kubernetes_env(wanted))
