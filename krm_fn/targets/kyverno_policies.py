"""Kyverno policies: those that set proxy variables on pods get the values; a policy is filled, never built.

What it sets: the ``value`` of every ``env`` entry named ``HTTP_PROXY``, ``http_proxy``, ``HTTPS_PROXY``,
``https_proxy``, ``NO_PROXY`` or ``no_proxy``. A value that holds ``{{ }}`` is not overwritten: of a list, the static
entries are replaced by ours, first, and the computed ones stay behind them; a value that is only ``{{ name }}`` is
followed to the context variable ``name``, whose ``variable.value`` is edited. ``$`` is written ``$$``, because the
value lands in pods.

Where: ClusterPolicy and Policy (``kyverno.io``, any version), ``spec.rules[].mutate``: ``patchStrategicMerge`` and
``foreach[].patchStrategicMerge`` at any depth, rules for existing objects (``targets``) too; in ``containers``,
``initContainers`` and ``ephemeralContainers`` under ``spec``, ``spec.template.spec`` or
``spec.jobTemplate.spec.template.spec``, with or without the anchors ``+(key)`` and ``=(key)``.

What it leaves alone: everything else. An injection adds no entry, container list or rule and takes none out, so the
policy's author decides which names and containers get a proxy; a variable that no setting gives a value becomes
``""``. A removal takes the entries out, because an empty value would overwrite the proxy that a pod sets for itself;
the static part of a context variable becomes empty. A rule that sets nothing else afterwards stays, with a warning to
delete it: a later injection does not fill it again. Rules named ``autogen-*`` and ``status`` are Kyverno's. Two rules
with two different proxies are an error, because one value would replace both. What cannot be filled is a warning that
says why: ``envFrom``, ``valueFrom``, values from a ConfigMap, an API call or an expression. So is a policy that is
filled and still does no good: pods patched under ``spec.template``, a container named ``*`` without an anchor, URLs
without ``NO_PROXY``, the namespace ``kube-system``. ``patchesJson6902`` and the CEL text of MutatingPolicy and
NamespacedMutatingPolicy (``policies.kyverno.io``) are compared, not edited: equal values are no finding, others a
warning, with ``mode: Check`` an error.

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

Options: none.

Why: a policy reaches every pod of a cluster, and its values are the same that the nodes get. The shapes are those of
``kyverno/policies`` (``other/add-pod-proxies``) and of Giant Swarm's ``kyverno-policies-connectivity``, whose NO_PROXY
takes the cluster's own part from ``kubeadm-config`` while Kyverno runs. Kyverno reads ``{{ }}`` and ``$( )`` in a
policy as references (Kyverno documentation, "Variables"), so a value of the settings that holds one is not written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import quoted
from krm_fn.krm.results import Change, Finding
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets import _kyverno as kyverno
from krm_fn.targets import _kyverno_remove, _kyverno_seen, _kyverno_texts
from krm_fn.targets._kyverno_checks import other_forms, two_proxies, warning, without_effect
from krm_fn.targets._kyverno_fill import FillableText, Reasons, fill, note
from krm_fn.targets._kyverno_values import Unfillable, find_place
from krm_fn.targets.base import Target


def propose(
    obj: Mapping[str, Any],
    settings: ProxySettings,
    options: Mapping[str, Any],
) -> Iterator[Change | Finding]:
    """Yield the values a policy lacks, and a warning for each that it cannot get; see the module's text."""
    if str(obj.get("kind")).endswith("MutatingPolicy"):
        yield from _kyverno_texts.compare(
            _kyverno_texts.in_cel(obj), settings, "the CEL expression"
        )
        return
    rules: list[_kyverno_remove.RuleSlots] = []
    for rule in kyverno.rules(obj):
        if isinstance(rule, Finding):
            yield rule
            continue
        slots = [slot for patch in kyverno.patches(rule) for slot in kyverno.slots(patch)]
        rules.append((rule, slots))
        yield from _kyverno_texts.compare(
            _kyverno_texts.in_json_patches(rule), settings, "`patchesJson6902`"
        )
        yield from other_forms(rule)
        if settings.variables():
            yield from without_effect(rule, slots, policy=obj)
    reasons: Reasons = {}
    if settings.variables():
        conflict = two_proxies(rules)
        if conflict:
            yield conflict
            return
        yield from _filled(rules, settings, reasons)
    else:
        yield from _kyverno_remove.remove(obj, rules, reasons)
    for (title, reason), (path, names) in reasons.items():
        yield warning(
            f"{quoted(names)} of {title} cannot be set: {reason}", path, code="PolicyNotFilled"
        )


def _filled(
    rules: Sequence[_kyverno_remove.RuleSlots], settings: ProxySettings, reasons: Reasons
) -> Iterator[Change]:
    texts: dict[Pointer, FillableText] = {}
    for rule, slots in rules:
        for slot in slots:
            place = find_place(slot)
            if isinstance(place, Unfillable):
                note(reasons, rule.title, place, slot.name)
            else:
                texts.setdefault(place.path, FillableText(place, rule.title)).names.append(
                    slot.name
                )
    yield from fill(texts.values(), settings, reasons)


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what the rules set in the containers that they patch, as far as the policy itself tells."""
    return _kyverno_seen.observe(obj)


TARGET = Target(
    id="kyvernoPolicies",
    kinds=frozenset(
        {
            ("kyverno.io", "ClusterPolicy"),
            ("kyverno.io", "Policy"),
            ("policies.kyverno.io", "MutatingPolicy"),
            ("policies.kyverno.io", "NamespacedMutatingPolicy"),
        }
    ),
    audience=Audience.POD,
    text_hints=PROXY_VARIABLES,
    propose=propose,
    observe=observe,
    has_names_of_its_author=True,
)
