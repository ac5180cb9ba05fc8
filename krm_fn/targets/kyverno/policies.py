"""Kyverno policies: those that set proxy variables on pods get the values of the ProxyConfig.

What it sets: the ``value`` of every ``env`` entry named ``HTTP_PROXY``, ``http_proxy``, ``HTTPS_PROXY``,
``https_proxy``, ``NO_PROXY`` or ``no_proxy``. A value that holds ``{{ }}`` is not overwritten: of a list, the static
entries are replaced by ours, first, and the computed ones stay behind them; a value that is only ``{{ name }}`` is
followed to the context variable ``name``, whose ``variable.value`` is edited. One that is only ``{{ name.data.key }}``
of a ConfigMap in the list stays, and the target ``proxyData`` fills the ConfigMap. ``$`` is written ``$$``, because
the value lands in pods.

Where: ClusterPolicy and Policy (``kyverno.io``, any version), ``spec.rules[].mutate``: ``patchStrategicMerge`` and
``patchesJson6902``, those of ``foreach`` at any depth and of rules for existing objects (``targets``) too. A strategic
merge patch is filled in ``containers``, ``initContainers`` and ``ephemeralContainers`` under ``spec``,
``spec.template.spec`` or ``spec.jobTemplate.spec.template.spec``, with or without the anchors ``+(key)`` and
``=(key)``. In the text of a JSON Patch, YAML or JSON, each entry ``{name, value}`` is filled, and comments, ``{{ }}``
and flow style stay. MutatingPolicy and NamespacedMutatingPolicy (``policies.kyverno.io``) and MutatingAdmissionPolicy
(``admissionregistration.k8s.io``), any version: the string literals of ``{"name": ..., "value": ...}`` in the CEL
expressions of ``spec.mutations`` and ``spec.variables``, also where a condition or a list says which names are meant,
and of members such as ``{"HTTP_PROXY": ...}``; every other byte stays. All of them
inside other objects, too, as a part of their data or in a text: in a Policy and a ConfigurationPolicy of RHACM
(``policy.open-cluster-management.io``) and its ManifestWork, the values of a HelmRelease of Flux or an Application of
Argo CD, a ConfigMap, and a Secret of ``stringData`` or for a ClusterResourceSet. With
``generate`` a complete policy is added to the list, without any policy of yours.

What it leaves alone: everything else. Without ``fill: Complete`` an injection adds no entry, container list or rule and
takes none out, so the policy's author decides which names and containers get a proxy; a variable that no setting gives
a value becomes ``""``. A removal takes the entries out, because an empty value would overwrite the proxy that a pod
sets for itself; the static part of a context variable becomes empty. A rule that sets nothing else afterwards stays,
with a warning to delete it: a later injection does not fill it again. So does a policy with CEL expressions, whose
entries leave their lists, and their names the filters beside them (``docs/removal.md``), where they have a form that
``generate`` or ``convert`` writes; one of any other form stays as it is, with a warning that says what to delete, or
with an error if there is a password in it.
Rules named ``autogen-*`` and ``status`` are Kyverno's. Two rules with two different proxies are an error, because one
value would replace both, unless an override matches one of them by ``rules``. What cannot be filled is a warning that
says why: ``envFrom``, ``valueFrom``, values from a ConfigMap, an API call or an expression. So is a policy that is
filled and still does no good, or does harm, in the engine: the codes ``Policy*`` of ``docs/messages.md`` list these
shapes.

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

Options:

* ``fill``. ``Values`` (default): as above. ``Complete``: what a strategic merge patch leaves out is added, too: the
  other variables of the six behind those that are there (with what the same variable has in the other case),
  ``initContainers`` beside ``containers`` that are patched by an anchor, and ``valueFrom: null``, because Kyverno
  keeps the ``valueFrom`` of a pod beside the ``value`` of the policy. Rules on pods get
  ``operations: [CREATE]``, unless they ask for the operation themselves. CEL expressions are not extended: ``generate``
  adds a policy that sets all of it. What cannot be added is an information. A removal takes out what was added; of
  ``operations`` nobody knows who wrote it, so it stays, with an information.
* ``generate`` (default: no policy). ``MutatingPolicy`` adds one for Kyverno 1.17 or newer, ``MutatingAdmissionPolicy``
  one for Kubernetes 1.36 or newer and its binding. In every container and init container, those of other webhooks too,
  the six variables become the ones of the settings, also in place of a ``valueFrom``; all other entries of ``env``
  stay. The policy never refuses an object (``failurePolicy: Ignore``). A pod or workload with one of the annotations
  that mean ``"false"`` to the target ``workloads`` stays as it is; one whose ``fn.inject-proxy.io/proxy`` names
  containers gets the variables in these. The labels ``app.kubernetes.io/managed-by: inject-proxy`` and
  ``fn.inject-proxy.io/policy: generated`` mark the objects as ours: they follow the settings and the options, and are
  removed when no option or no proxy asks for them. An object of that kind and name without the labels is an error.
* ``generated``: what that policy is like. ``name`` (default ``inject-proxy``). ``apiVersion``: ``v1`` (default), or
  ``v1beta1``, which is the one of a MutatingAdmissionPolicy in Kubernetes 1.34 and 1.35. ``level``: ``Pods`` (default),
  when they are created; or ``Workloads``: Deployments, StatefulSets, DaemonSets and CronJobs, when they are created or
  changed, and Jobs, when they are created. A change rolls the pods of a workload that had no proxy; pods that nothing
  of these makes get none. ``excludeNamespaces`` (default ``kyverno`` and ``kube-system``). ``noProxyFrom``:
  ``Settings`` (default), or ``KubeadmConfig``: NO_PROXY also gets the host of the API server, the pod and service
  networks and the DNS domain that the ConfigMap ``kubeadm-config`` of the cluster names when an object is admitted;
  where a cluster has no such ConfigMap, the policy does nothing.

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
shapes that are dead, a policy that a PolicyException of the list names. Kyverno 1.17 or newer executes the new policy,
and does the same with both (``tests/kyverno/converted``), with five exceptions: Jobs that exist are left out, because
the API server accepts no other ``env`` for them; where several items of one list have ``(name)``, the ClusterPolicy
deletes containers or their images (kyverno#16862), and the new one sets what each item asks for; the ClusterPolicy
moves the containers that it patches to the front, and the new one keeps their order; it keeps the ``valueFrom`` of a
pod beside its ``value``, which the API server rejects, and the new one replaces the entry; and of a name that a
container has twice in ``env`` it keeps one entry. That a NamespacedMutatingPolicy is about objects of its namespace
alone, as a Policy is, is known from Kyverno's source (``MutateNamespaced`` in
``pkg/webhooks/resource/mpol/handler.go``); its command line tool applies it to all namespaces.

Why: a policy reaches every pod of a cluster, and its values are the same that the nodes get. The shapes are those of
``kyverno/policies`` (``other/add-pod-proxies``) and of Giant Swarm's ``kyverno-policies-connectivity``, whose NO_PROXY
takes the cluster's own part from ``kubeadm-config`` while Kyverno runs. Kyverno reads ``{{ }}`` and ``$( )`` in a
policy as references (Kyverno documentation, "Variables"), so a value of the settings that holds one is not written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers.data_uses import DataUsesReader
from krm_fn.carriers.site import Places
from krm_fn.engine import Draft
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Finding
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.targets import text_hints_of
from krm_fn.targets.base import Context, DataReferences, GroupKind, Target
from krm_fn.targets.kyverno import compared, generated, rules
from krm_fn.targets.kyverno.cel_expressions import CelExpressions
from krm_fn.targets.kyverno.checks import (
    harmful_expressions,
    other_forms,
    two_proxies,
    without_effect,
)
from krm_fn.targets.kyverno.compared import ComparedPolicy, generating_rules
from krm_fn.targets.kyverno.completion import report_expressions
from krm_fn.targets.kyverno.config_maps import config_map_of, keys_read
from krm_fn.targets.kyverno.convert import EXCEPTION, Conversion, deprecated, excepted_policies
from krm_fn.targets.kyverno.generated import GeneratedObject
from krm_fn.targets.kyverno.rule_site import RuleSite
from krm_fn.targets.kyverno.wrapped import (
    POLICIES,
    WRAPPERS,
    policies,
    wrapped,
)

_BINDING = ("admissionregistration.k8s.io", generated.BINDING)
_WITH_CEL = ("MutatingPolicy", "NamespacedMutatingPolicy", "MutatingAdmissionPolicy")

COMPLETE = "Complete"
"""A value of the option ``fill``: what a policy leaves out is added."""


CONVERT = "MutatingPolicy"
"""A value of the option ``convert``: a ClusterPolicy or Policy becomes a policy with CEL expressions."""


def sites(draft: Draft, context: Context) -> Places:
    """Yield the rules of a policy, or the CEL expressions of one that has no rules; those of policies in an object."""
    if generated.is_generated(draft.data):
        return iter([GeneratedObject(draft, context.options)])
    if context.settings.variables() and generated.is_in_the_way(draft.data, context.options):
        generated.report_in_the_way(draft)
        return iter(())
    kind = group_kind(draft.data)
    if kind == _BINDING:
        return iter(())
    if kind in WRAPPERS:
        return wrapped(draft, lambda policy: _sites(policy, context, is_wrapped=True))
    return _sites(draft, context)


def _sites(
    draft: Draft, context: Context, *, is_wrapped: bool = False
) -> Iterator[RuleSite | CelExpressions | ComparedPolicy | Conversion]:
    """Yield the sites of one policy; one inside another object is not converted."""
    kind = group_kind(draft.data)
    if kind in compared.KINDS:
        yield ComparedPolicy(draft, ("spec",), f"this {kind[1]}")
        return
    for path, title in generating_rules(draft.data):
        yield ComparedPolicy(draft, path, title)
    is_complete = context.options.get("fill") == COMPLETE
    if kind[1] in _WITH_CEL:
        if context.settings.variables():
            draft.findings += harmful_expressions(draft.data)
            if is_complete:
                report_expressions(draft)
        yield CelExpressions(draft)
        return
    yield from _sites_of_rules(draft, context, is_wrapped=is_wrapped, is_complete=is_complete)


def _sites_of_rules(
    draft: Draft, context: Context, *, is_wrapped: bool, is_complete: bool
) -> Iterator[RuleSite | Conversion]:
    """Yield the rules of a policy, and the policy as a whole, which may be converted."""
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
        yield RuleSite(
            draft,
            rule,
            is_complete=is_complete,
            own=own[rule.path],
            is_filled=lambda source: context.uses.fills(
                config_map_of(draft.data, source), source.key
            ),
        )
    if found:
        is_wanted = context.options.get("convert") == CONVERT
        yield Conversion(
            draft,
            is_wanted=is_wanted,
            is_wrapped=is_wrapped,
            own=tuple(own.values()),
            names_in_use=context.names_in_use,
        )


def _own_variables(rule: rules.PolicyRule, context: Context) -> dict[str, str] | None:
    """Return the variables that an override gives to a rule; None where it has those of the policy."""
    if context.settings_of_rule is None:
        return None
    return context.settings_of_rule(rule.name).variables()


def _key(variables: dict[str, str] | None) -> tuple[tuple[str, str], ...]:
    return tuple((variables or {}).items())


def _names_of_rules(obj: Mapping[str, Any]) -> list[str]:
    every = [rule for one in policies(obj) for rule in rules.rules(one)]
    return [rule.name for rule in every if isinstance(rule, rules.PolicyRule)]


_HINTS = text_hints_of("kyvernoPolicies")


def hints_from(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the text hints, and the names of the objects to generate: one of them may be in the way."""
    names = [str(lookup(one, ("metadata", "name"))) for one in generated.objects(options)]
    return (*_HINTS, *names)


def _converts_to(options: Mapping[str, Any]) -> frozenset[GroupKind]:
    if options.get("convert") != CONVERT:
        return frozenset()
    return frozenset({EXCEPTION, *(("policies.kyverno.io", kind) for kind in _WITH_CEL[:2])})


def note_references(
    uses: DataUsesReader, obj: Mapping[str, Any], options: Mapping[str, Any]
) -> None:
    """Note the keys of ConfigMaps that the rules of a policy read."""
    uses.note_keys(keys_read(obj))


TARGET = Target(
    id="kyvernoPolicies",
    kinds=POLICIES | WRAPPERS | {_BINDING},
    audience=Audience.POD,
    text_hints=_HINTS,
    hints_from=hints_from,
    sites=sites,
    generates=generated.objects,
    has_names_of_its_author=True,
    references=DataReferences(note_references),
    names_of_rules=_names_of_rules,
    outdated=deprecated,
    converts_to=_converts_to,
    names_kept=excepted_policies,
    drops=generated.is_dropped,
)
