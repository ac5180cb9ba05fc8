"""Kyverno policies: those that set proxy variables on pods get the values of the ProxyConfig.

What it sets: the ``value`` of every ``env`` entry named ``HTTP_PROXY``, ``http_proxy``, ``HTTPS_PROXY``,
``https_proxy``, ``NO_PROXY`` or ``no_proxy``. A value that holds ``{{ }}`` is not overwritten: of a list, the static
entries are replaced by ours, first, and the computed ones stay behind them; a value that is only ``{{ name }}`` is
followed to the context variable ``name``, whose ``variable.value`` is edited. ``$`` is written ``$$``, because the
value lands in pods.

Where: ClusterPolicy and Policy (``kyverno.io``, any version), ``spec.rules[].mutate``: ``patchStrategicMerge`` and
``patchesJson6902``, those of ``foreach`` at any depth and of rules for existing objects (``targets``) too. A strategic
merge patch is filled in ``containers``, ``initContainers`` and ``ephemeralContainers`` under ``spec``,
``spec.template.spec`` or ``spec.jobTemplate.spec.template.spec``, with or without the anchors ``+(key)`` and
``=(key)``. In the text of a JSON Patch, YAML or JSON, each entry ``{name, value}`` is filled, and comments, ``{{ }}``
and flow style stay. MutatingPolicy and NamespacedMutatingPolicy (``policies.kyverno.io``) and MutatingAdmissionPolicy
(``admissionregistration.k8s.io``), any version: the string literals of ``{"name": ..., "value": ...}`` in the CEL
expressions of ``spec.mutations``, and of ``spec.variables`` that they refer to; every other byte stays.

What it leaves alone: everything else. Without ``fill: Complete`` an injection adds no entry, container list or rule and
takes none out, so the policy's author decides which names and containers get a proxy; a variable that no setting gives
a value becomes ``""``. A removal takes the entries out, because an empty value would overwrite the proxy that a pod
sets for itself; the static part of a context variable becomes empty. A rule that sets nothing else afterwards stays,
with a warning to delete it: a later injection does not fill it again. From CEL, only entries of plain lists in
``spec.variables`` are removed, if nothing else in the policy names them; of the rest, a warning says what is to be
removed there. Rules named ``autogen-*`` and ``status`` are Kyverno's. Two rules with two different proxies are an
error, because one value would replace both, unless an override matches one of them by ``rules``. What cannot be filled
is a warning that says why: ``envFrom``, ``valueFrom``, values from a ConfigMap, an API call or an expression. So is a
policy that is filled and still does no good, or does harm, in the engine: the codes ``Policy*`` of ``docs/messages.md``
list these shapes.

Before and after:

```diff
       context:
       - name: fullNoProxy
         variable:
-          value: "10.0.0.0/8,svc,{{dynamicNoProxy}}"
+          value: "localhost,127.0.0.1,.svc,.cluster.local,{{dynamicNoProxy}}"
       mutate:
         patchStrategicMerge:
           spec:
             containers:
             - (name): "*"
               env:
               - name: HTTP_PROXY
-                value: http://old.corp.example:3128
+                value: http://proxy.corp.example:3128
               - name: NO_PROXY
                 value: "{{ fullNoProxy }}"
```

Options: ``fill``. ``Values`` (default): as above. ``Complete``: what a strategic merge patch leaves out is added, too:
the other variables of the six behind those that are there (with what the same variable has in the other case),
``initContainers`` beside ``containers`` that are patched by an anchor, and ``valueFrom: null``, because Kyverno keeps
the ``valueFrom`` of a pod beside the ``value`` of the policy. Rules and MutatingPolicies on pods get
``operations: [CREATE]``, unless they ask for the operation themselves. A removal takes out what was added; of
``operations`` nobody knows who wrote it, so it stays, with an information.

``convert: MutatingPolicy`` (default: never): after it is filled, a ClusterPolicy becomes a MutatingPolicy, and a Policy
a NamespacedMutatingPolicy, ``policies.kyverno.io/v1``, which Kyverno 1.20 and later execute. It takes the place of the
old one in the same file, with its name, labels, annotations and the comments of its ``metadata``; those of ``spec`` are
lost. Later runs fill its CEL expressions. Where nothing prunes what was applied, delete the old policy from the
cluster, as a warning says. ``mode: Remove`` takes the entries out, and does not convert it back. Converted are patches
of ``env`` of containers and init containers (strategic merge, ``foreach`` through a list, JSON Patches that add),
``match`` and ``exclude``, but for who makes the request, and preconditions about the operation, the namespace, the
name, labels, annotations and a few texts of ``spec``. Kyverno's extension to Deployments and other controllers is
written out. All else is refused by the name of its rule, with the reason, and the policy is filled as without the
option: volumes, contexts that read something, values that Kyverno computes, ``targets``, rules that do not mutate,
shapes that are dead or do harm. Kyverno does the same with both (``tests/kyverno/converted``), with three exceptions:
the ClusterPolicy moves the containers that it patches to the front, and the new one keeps their order; it keeps the
``valueFrom`` of a pod beside its ``value``, which the API server rejects, and the new one replaces the entry; and of a
name that a container has twice in ``env`` it keeps one entry.

Why: a policy reaches every pod of a cluster, and its values are the same that the nodes get. The shapes are those of
``kyverno/policies`` (``other/add-pod-proxies``) and of Giant Swarm's ``kyverno-policies-connectivity``, whose NO_PROXY
takes the cluster's own part from ``kubeadm-config`` while Kyverno runs. Kyverno reads ``{{ }}`` and ``$( )`` in a
policy as references (Kyverno documentation, "Variables"), so a value of the settings that holds one is not written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.engine import Draft
from krm_fn.krm.results import Finding
from krm_fn.noproxy import Audience
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.base import Context, GroupKind, Target
from krm_fn.targets.kyverno import rules
from krm_fn.targets.kyverno.cel_expressions import CelExpressions
from krm_fn.targets.kyverno.checks import (
    harmful_expressions,
    other_forms,
    two_proxies,
    without_effect,
)
from krm_fn.targets.kyverno.convert import Conversion
from krm_fn.targets.kyverno.rule_site import RuleSite

_WITH_CEL = ("MutatingPolicy", "NamespacedMutatingPolicy", "MutatingAdmissionPolicy")

COMPLETE = "Complete"
"""A value of the option ``fill``: what a policy leaves out is added."""


CONVERT = "MutatingPolicy"
"""A value of the option ``convert``: a ClusterPolicy or Policy becomes a policy with CEL expressions."""


def sites(draft: Draft, context: Context) -> Iterator[RuleSite | CelExpressions | Conversion]:
    """Yield the rules of a policy and the policy as a whole, or the CEL expressions of one that has no rules."""
    is_complete = context.options.get("fill") == COMPLETE
    if draft.data.get("kind") in _WITH_CEL:
        if context.settings.variables():
            draft.findings += harmful_expressions(draft.data, is_complete=is_complete)
        yield CelExpressions(draft, is_complete=is_complete)
        return
    found: list[tuple[rules.PolicyRule, list[rules.VariableSlot]]] = []
    for rule in rules.rules(draft.data):
        if isinstance(rule, Finding):
            draft.findings.append(rule)
            continue
        slots = [slot for patch in rules.patches(rule) for slot in rules.slots(patch)]
        found.append((rule, slots))
        draft.findings += other_forms(rule)
        if context.settings.variables():
            draft.findings += without_effect(
                rule, slots, policy=draft.data, is_complete=is_complete
            )
    own = {rule.path: _own_variables(rule, context) for rule, _ in found}
    for wanted in dict.fromkeys(map(_key, own.values())):
        together = [pair for pair in found if _key(own[pair[0].path]) == wanted]
        conflict = two_proxies(together) if context.settings.variables() else None
        if conflict:
            draft.findings.append(conflict)
            return
    for rule, _ in found:
        yield RuleSite(draft, rule, is_complete=is_complete, own=own[rule.path])
    if found:
        is_wanted = context.options.get("convert") == CONVERT
        yield Conversion(draft, is_wanted=is_wanted, own=tuple(own.values()), taken=context.taken)


def _own_variables(rule: rules.PolicyRule, context: Context) -> dict[str, str] | None:
    """Return the variables that an override gives to a rule; None where it has those of the policy."""
    if context.settings_of_rule is None:
        return None
    return context.settings_of_rule(rule.name).variables()


def _key(variables: dict[str, str] | None) -> tuple[tuple[str, str], ...]:
    return tuple((variables or {}).items())


def _names_of_rules(policy: Mapping[str, Any]) -> list[str]:
    found = [rule for rule in rules.rules(policy) if isinstance(rule, rules.PolicyRule)]
    return [rule.name for rule in found]


def _converts_to(options: Mapping[str, Any]) -> frozenset[GroupKind]:
    kinds = _WITH_CEL[:2] if options.get("convert") == CONVERT else ()
    return frozenset(("policies.kyverno.io", kind) for kind in kinds)


TARGET = Target(
    id="kyvernoPolicies",
    kinds=frozenset(
        {
            ("kyverno.io", "ClusterPolicy"),
            ("kyverno.io", "Policy"),
            ("policies.kyverno.io", "MutatingPolicy"),
            ("policies.kyverno.io", "NamespacedMutatingPolicy"),
            ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
        }
    ),
    audience=Audience.POD,
    text_hints=PROXY_VARIABLES,
    sites=sites,
    has_names_of_its_author=True,
    names_of_rules=_names_of_rules,
    converts_to=_converts_to,
)
