"""A MutatingPolicy around its expressions: which objects it is about, and when it runs.

Source: ``api/policies.kyverno.io/v1`` (``MutatingPolicySpec``); which policies Kyverno extends to controllers of pods:
``pkg/cel/autogen/support.go`` (``CanAutoGen``), ``pkg/cel/policies/mpol/autogen/autogen.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.kyverno import policy_rules
from krm_fn.targets.kyverno.cel_nodes import Expression
from krm_fn.targets.kyverno.cel_parser import objects

_OF_KYVERNO = ("MutatingPolicy", "NamespacedMutatingPolicy")
EXPRESSIONS = {
    "variables": (("expression",),),
    "mutations": (("jsonPatch", "expression"), ("applyConfiguration", "expression")),
}
"""Members of ``spec`` whose items decide what is set -> what leads to the expressions of an item."""

_OTHER_OPERATIONS = ("request.operation", "oldObject")


def expressions_of(spec: Any) -> Iterator[tuple[Pointer, str, str]]:
    """Yield path, text and variable of each expression of the variables and mutations of a policy.

    Args:
        spec: that of the policy.

    Yields:
        The variable is "" for an expression of a mutation, and for a variable without a name.
    """
    for key, steps_of in EXPRESSIONS.items():
        for index, one in enumerate(policy_rules.list_or_empty(lookup(spec, (key,)))):
            name = lookup(one, ("name",)) if key == "variables" else ""
            variable = name if isinstance(name, str) else ""
            for steps in steps_of:
                text = lookup(one, steps)
                if isinstance(text, str):
                    yield ("spec", key, str(index), *steps), text, variable


def _has_update(resource_rule: Any) -> bool:
    """Return whether an entry of ``resourceRules`` runs on more than CREATE."""
    operations = policy_rules.list_or_empty(lookup(resource_rule, ("operations",)))
    return any(operation in operations for operation in ("UPDATE", "*"))


class CelPolicy:
    """What a policy with CEL expressions says about objects; any field may be missing or of a wrong type.

    Args:
        policy: a MutatingPolicy, NamespacedMutatingPolicy or MutatingAdmissionPolicy.
    """

    def __init__(self, policy: Mapping[str, Any]) -> None:
        self._kind = policy.get("kind")
        self._spec = policy.get("spec")

    @property
    def runs_on_update(self) -> bool:
        """Whether it sets a proxy in pods that are updated; one whose expressions ask for the operation does not."""
        if not policy_rules.mentioned(self._spec):
            return False
        if any(policy_rules.mentions(self._spec, word) for word in _OTHER_OPERATIONS):
            return False
        for one in self._resource_rules():
            if "pods" in policy_rules.list_or_empty(one.get("resources")) and _has_update(one):
                return True
        return False

    @property
    def fails_on_controllers(self) -> bool:
        """Whether Kyverno extends it to controllers of pods, where its JSON Patch finds no containers.

        Kyverno rewrites ``applyConfiguration`` for them, not ``jsonPatch``. An expression that asks for
        ``object.kind`` is left to its author.
        """
        if self._kind not in _OF_KYVERNO or not self._is_extended():
            return False
        sets_proxy = any(policy_rules.mentioned(text) for _, text in self._mutations("jsonPatch"))
        return sets_proxy and not policy_rules.mentions(self._spec, "object.kind")

    @cached_property
    def expressions(self) -> list[Expression]:
        """The expressions of its variables and mutations whose structure can be read."""
        every = [Expression.read(*one) for one in expressions_of(self._spec)]
        return [one for one in every if one is not None]

    @property
    def unread_expressions(self) -> list[tuple[Pointer, str]]:
        """Path and text of those that mention a proxy variable and whose structure cannot be read."""
        read = {one.path for one in self.expressions}
        every = expressions_of(self._spec)
        return [
            (path, text)
            for path, text, _ in every
            if path not in read and policy_rules.mentioned(text)
        ]

    @property
    def merged_entries(self) -> Iterator[Pointer]:
        """The expressions that set proxy variables by ``applyConfiguration``, whose entries Kyverno merges by name."""
        for path, text in self._mutations("applyConfiguration"):
            if self._kind in _OF_KYVERNO and policy_rules.mentioned(text):
                yield path

    @property
    def replaced_env_from(self) -> Iterator[Pointer]:
        """The expressions that set ``envFrom`` of containers by ``applyConfiguration``."""
        for path, text in self._mutations("applyConfiguration"):
            if any(one.text and one.member("envFrom") for one in objects(text)):
                yield path

    def _is_extended(self) -> bool:
        controllers = lookup(self._spec, ("autogen", "podControllers", "controllers"))
        if controllers == []:
            return False
        match = lookup(self._spec, ("matchConstraints",))
        selector = lookup(match, ("objectSelector",))
        if isinstance(selector, Mapping) and any(selector.values()):
            return False
        if lookup(match, ("excludeResourceRules",)):
            return False
        found = self._resource_rules()
        if len(found) != 1:
            return False
        wanted = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}
        of_pods = all(found[0].get(key) == value for key, value in wanted.items())
        return of_pods and not found[0].get("resourceNames")

    def _resource_rules(self) -> list[Mapping[str, Any]]:
        found = policy_rules.list_or_empty(
            lookup(self._spec, ("matchConstraints", "resourceRules"))
        )
        return [one for one in found if isinstance(one, Mapping)]

    def _mutations(self, form: str) -> Iterator[tuple[Pointer, str]]:
        """Yield path and text of the expressions of mutations in one form."""
        for path, text, _ in expressions_of(self._spec):
            if form in path:
                yield path, text
