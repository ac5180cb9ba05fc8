"""What a person should look at in a policy that sets a proxy.

The law of this room: it only warns. Each warning says what is wrong, where, and what can be done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.patch import Pointer
from krm_fn.results import Finding, Severity
from krm_fn.targets import _kyverno as kyverno
from krm_fn.targets._env import quoted

# kyverno/kyverno charts/kyverno/values.yaml: `config.resourceFilters` and `config.webhooks` leave it out, both.
_PASSED_BY = "kube-system"


def other_forms(rule: kyverno.Rule) -> Iterator[Finding]:
    """A warning for each form of setting a proxy that is not filled."""
    for path, names in kyverno.text_patches(rule):
        message = f"{_standing(names, f' of {rule.title}')} in `patchesJson6902`, which is not edited: "
        yield warning(message + f"set {_them(names)} there, or write the rule with `patchStrategicMerge`", path)
    for patch in kyverno.patches(rule):
        for path in kyverno.env_from(patch):
            yield warning(f"`envFrom` of {rule.title} is not filled: set a proxy in what it refers to", path)
        names = kyverno.mentioned(patch.body)
        if names and not any(kyverno.slots(patch)):
            are = "is" if len(names) == 1 else "are"
            message = f"{quoted(names)} of {rule.title} {are} mentioned where no `env` value is set"
            yield warning(f"{message}: nothing is filled there", patch.path)


def without_effect(
    rule: kyverno.Rule, slots: Sequence[kyverno.Slot], *, policy: Mapping[str, Any]
) -> Iterator[Finding]:
    """Warnings for a rule that is filled and still does not do what its author wants."""
    if slots and _PASSED_BY in kyverno.namespaces(rule, policy):
        message = (
            f'{rule.title} is about the namespace "{_PASSED_BY}", which Kyverno passes by unless its `resourceFilters` '
            "and its webhooks are changed: set the proxy in the workloads there"
        )
        yield warning(message, rule.path)
    in_template = [slot for slot in slots if slot.in_template]
    if in_template and kyverno.kinds(rule) == {"Pod"}:
        message = f"{rule.title} is about pods and patches `spec.template`, which a pod does not have: patch `spec`"
        yield warning(message, in_template[0].path)
    literal = [slot for slot in slots if slot.container == "*"]
    if literal:
        message = (
            f'{rule.title} patches a container that is literally named "*": write `(name): "*"` for all containers'
        )
        yield warning(message, literal[0].path[:-3])
    if slots and not any(slot.name.upper() == "NO_PROXY" for slot in slots):
        message = f"in-cluster traffic would go through the proxy: add `NO_PROXY` and `no_proxy` to {rule.title}"
        yield warning(message, rule.path)


def cel_texts(obj: Mapping[str, Any]) -> Iterator[Finding]:
    """A warning for each CEL expression of a MutatingPolicy that mentions one of the six names."""
    for path, names in kyverno.mentioning_texts(obj.get("spec"), ("spec",)):
        message = f"{_standing(names)} in CEL text, which is not edited: "
        yield warning(message + f"set {_them(names)} there, or use a ClusterPolicy", path)


def _standing(names: Sequence[str], whose: str = "") -> str:
    return f"{quoted(names)}{whose} {'stands' if len(names) == 1 else 'stand'}"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def warning(message: str, path: Pointer) -> Finding:
    """A finding for a person to look at."""
    return Finding(Severity.WARNING, message, path)
