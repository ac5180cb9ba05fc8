"""The kinds to which Kyverno extends the rules of a ClusterPolicy or Policy on pods: Deployments and others.

Source: ``pkg/autogen/v1`` (``CanAutoGen``, ``computeRules``, ``generateRuleForControllers``) of Kyverno 1.19. It looks
at all rules of a policy: one that is not fit for controllers keeps the others from being extended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.kyverno.policy_rules import (
    RESOURCES,
    PolicyRule,
    kinds,
    kinds_of,
    list_or_empty,
)

ANNOTATION: Pointer = (
    "metadata",
    "annotations",
    "pod-policies.kyverno.io/autogen-controllers",
)
"""Leads to the annotation of a policy that names the kinds, separated by commas; ``none``: no kind."""

CONTROLLERS = frozenset(RESOURCES) - {"Pod"}
"""The kinds to which Kyverno extends a policy without that annotation."""

ALL = "all"
"""A name in the annotation that Kyverno reads in several ways."""


def derived_kinds(policy: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the kinds to which Kyverno extends the rules of a policy on pods.

    None where the annotation of the policy is no text, or names ``all``.
    """
    if not _is_extensible(policy):
        return frozenset()
    annotation = lookup(policy, ANNOTATION)
    if annotation is None:
        return CONTROLLERS
    names = annotation.split(",") if isinstance(annotation, str) else [ALL]
    return None if ALL in names else CONTROLLERS.intersection(names)


def is_about_pods(matched: Collection[str], excluded: Collection[str]) -> bool:
    """Return whether a rule can be extended.

    Args:
        matched: the kinds that it matches.
        excluded: those that it excludes.
    """
    return "Pod" in matched and (not excluded or "Pod" in excluded)


def is_extended(rule: PolicyRule, policy: Mapping[str, Any]) -> bool:
    """Return whether Kyverno derives rules for Deployments and other controllers from a rule on pods."""
    excluded = {kind for block in _blocks(rule.fields.get("exclude")) for kind in kinds_of(block)}
    return is_about_pods(kinds(rule), excluded) and derived_kinds(policy) != frozenset()


def _is_extensible(policy: Mapping[str, Any]) -> bool:
    """Return whether no rule of a policy is unfit for controllers, and one is about pods or these kinds."""
    is_needed = False
    for rule in list_or_empty(lookup(policy, ("spec", "rules"))):
        mutate = lookup(rule, ("mutate",))
        entries = [mutate, *list_or_empty(lookup(mutate, ("foreach",)))]
        if any(lookup(one, ("patchesJson6902",)) for one in entries):
            return False
        for side in ("match", "exclude"):
            for block in _blocks(lookup(rule, (side,))):
                resources = lookup(block, ("resources",))
                names = list_or_empty(lookup(resources, ("kinds",)))
                if _is_unfit(resources) or (len(names) > 1 and "Pod" in kinds_of(block)):
                    return False
                is_needed = is_needed or not {"Pod", *CONTROLLERS}.isdisjoint(map(str, names))
    return is_needed


def _is_unfit(resources: Any) -> bool:
    """Return whether a block asks for what controllers have of their own; an empty mapping does so, too."""
    if lookup(resources, ("name",)) or lookup(resources, ("names",)):
        return True
    return any(lookup(resources, (key,)) is not None for key in ("selector", "annotations"))


def _blocks(given: Any) -> Iterator[Any]:
    """Yield ``match`` or ``exclude`` itself, and the entries of its ``any`` and ``all``."""
    yield given
    for key in ("any", "all"):
        yield from list_or_empty(lookup(given, (key,)))
