"""What a person should look at in a policy that sets a proxy.

It only warns. Each warning says what is wrong, where, and what can be done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.carriers.site import quoted
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.kyverno import json_patches
from krm_fn.targets.kyverno import rules as policy_rules
from krm_fn.targets.kyverno.values import find_place, is_dynamic

# kyverno/kyverno charts/kyverno/values.yaml: `config.resourceFilters` and `config.webhooks` leave it out, both.
_PASSED_BY = "kube-system"


def other_forms(rule: policy_rules.PolicyRule) -> Iterator[Finding]:
    """Yield a warning for each form of setting a proxy that is neither filled nor compared."""
    for patch in policy_rules.patches(rule):
        for path in policy_rules.env_from(patch):
            yield warning(
                f"`envFrom` of {rule.title} is not filled: set a proxy in what it refers to",
                path,
                code="PolicyNotFilled",
            )
        names = policy_rules.mentioned(patch.body)
        if names and not any(policy_rules.slots(patch)):
            are = "is" if len(names) == 1 else "are"
            message = f"{quoted(names)} of {rule.title} {are} mentioned where no `env` value is set"
            yield warning(f"{message}: nothing is filled there", patch.path, code="PolicyNotFilled")


def without_effect(
    rule: policy_rules.PolicyRule,
    slots: Sequence[policy_rules.VariableSlot],
    *,
    policy: Mapping[str, Any],
) -> Iterator[Finding]:
    """Warnings for a rule that is filled and still does not do what its author wants."""
    if slots and _PASSED_BY in policy_rules.namespaces(rule, policy):
        message = (
            f'{rule.title} is about the namespace "{_PASSED_BY}", which Kyverno passes by unless its `resourceFilters` '
            "and its webhooks are changed: set the proxy in the workloads there"
        )
        yield warning(message, rule.path, code="PolicyNamespaceSkipped")
    in_template = [slot for slot in slots if slot.in_template]
    if in_template and policy_rules.kinds(rule) == {"Pod"}:
        message = f"{rule.title} is about pods and patches `spec.template`, which a pod does not have: patch `spec`"
        yield warning(message, in_template[0].path, code="PolicyPatchesTemplate")
    literal = [slot for slot in slots if slot.container == "*"]
    if literal:
        message = (
            f'{rule.title} patches a container that is literally named "*": write `(name): '
            '"*"` for all containers'
        )
        yield warning(message, literal[0].path[:-3], code="PolicyContainerName")
    if slots and not any(slot.name.upper() == "NO_PROXY" for slot in slots):
        message = f"in-cluster traffic would go through the proxy: add `NO_PROXY` and `no_proxy` to {rule.title}"
        yield warning(message, rule.path, code="PolicyWithoutNoProxy")


def two_proxies(
    rules: Sequence[tuple[policy_rules.PolicyRule, Sequence[policy_rules.VariableSlot]]],
) -> Finding | None:
    """Return an error if two rules set different proxies: one value of the settings must not replace both.

    Args:
        rules: the rules of one policy, each with its entries. Only values that are plain text count.
    """
    first: dict[str, tuple[policy_rules.PolicyRule, set[str]]] = {}
    for rule, slots in rules:
        for variable, (values, path) in _proxies(rule, slots).items():
            other, known = first.setdefault(variable, (rule, values))
            if known.isdisjoint(values):
                message = (
                    f"{other.title} and {rule.title} set two different proxies in `{variable}`, and one ProxyConfig"
                    " writes one value to both: give one of them a proxy of its own with an entry of"
                    " `spec.overrides` that matches it by `rules`, or write the same proxy in both"
                )
                return Finding(Severity.ERROR, message, path)
    return None


def _proxies(
    rule: policy_rules.PolicyRule, slots: Sequence[policy_rules.VariableSlot]
) -> dict[str, tuple[set[str], Pointer]]:
    """Return ``HTTP_PROXY``, ``HTTPS_PROXY`` -> the plain values that one rule sets, and where the first of them is."""
    values: list[tuple[str, Any, Pointer]] = []
    for slot in slots:
        place = find_place(slot)
        values.append((slot.name, getattr(place, "value", None), slot.path))
    for path, _ in policy_rules.text_patches(rule):
        text = lookup(rule.fields, path[len(rule.path) :])
        entries = json_patches.entries(json_patches.parsed(text))
        values += ((entry.name, entry.value, path) for entry in entries)
    found: dict[str, tuple[set[str], Pointer]] = {}
    for name, value, path in values:
        is_plain = isinstance(value, str) and bool(value.strip()) and not is_dynamic(value)
        if name.upper() != "NO_PROXY" and is_plain:
            proxies, _ = found.setdefault(name.upper(), (set(), path))
            proxies.add(value.strip().rstrip("/"))
    return found


def warning(message: str, path: Pointer, *, code: str) -> Finding:
    """Return a finding for a person to look at."""
    return Finding(Severity.WARNING, message, path, code=code)
