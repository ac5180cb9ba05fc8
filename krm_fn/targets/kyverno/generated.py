"""The policy that inject-proxy generates: a MutatingPolicy, or a MutatingAdmissionPolicy with its binding.

It gives containers exactly the wanted variables and keeps all their others: a JSON Patch writes the whole ``env`` of
each container, the proxy variables first, so that others can refer to them. A second evaluation gives the same list.

Sources: ``MutatingPolicySpec`` (kyverno/api, ``api/policies.kyverno.io/v1``); ``MutatingAdmissionPolicySpec`` and
``MutatingAdmissionPolicyBindingSpec`` (Kubernetes, ``admissionregistration.k8s.io/v1``, stable in 1.36, with the same
fields as ``v1beta1`` of 1.34); the entries that come from ``kubeadm-config``: ``kyverno-policies-connectivity`` of
Giant Swarm. The answers of Kyverno's engine to these policies are recorded in ``tests/kyverno/generated``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields, NamedTuple, Variables
from krm_fn.package_files import text_of
from krm_fn.patch import lookup, text_at
from krm_fn.places.place import Place, Reading, Readings
from krm_fn.proxy_url import secret_key_ref, url_in_secret
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Data, NewObjects, Options
from krm_fn.targets.kyverno.cel import CelForm, read_expressions, text_literal
from krm_fn.yamledit import read

BINDING = "MutatingAdmissionPolicyBinding"
_POLICY, _NATIVE_POLICY = "MutatingPolicy", "MutatingAdmissionPolicy"
_GROUPS = {
    _POLICY: "policies.kyverno.io",
    _NATIVE_POLICY: "admissionregistration.k8s.io",
    BINDING: "admissionregistration.k8s.io",
}
# The option ``generate`` -> the kinds of the objects that it asks for.
_GENERATED_KINDS = {None: (), _POLICY: (_POLICY,), _NATIVE_POLICY: (_NATIVE_POLICY, BINDING)}
# With the value ``generated``: a generated policy has it, other objects that inject-proxy creates do not.
_LABEL = "fn.inject-proxy.io/policy"

# The members of ``spec`` that are ours; others stay.
_MEMBERS = (
    "failurePolicy",
    "reinvocationPolicy",
    "autogen",
    "paramKind",
    "matchConstraints",
    "matchConditions",
    "variables",
    "mutations",
    "policyName",
    "paramRef",
)

# An entry that refers to a Secret; CEL wants one type for all values of a map, or `dyn`.
_REFERENCE = '{{"name": dyn("{variable}"), "valueFrom": dyn({{"secretKeyRef": {{"name": "{name}", "key": "{key}"}}}})}}'
_REFERENCE_TEXT = r"""(?x)
    dyn\("(?P<variable>\w+)"\)[^\n]*"secretKeyRef":  # dyn("HTTP_PROXY"), "valueFrom": dyn({"secretKeyRef":
    [ ]\{"name":[ ]"(?P<name>[^"]+)",               # {"name": "proxy",
    [ ]"key":[ ]"(?P<key>[^"]+)"                    # "key": "http_proxy"
"""
# The option ``excludeNamespaces`` where it is left out.
_EXCLUDED = ("kyverno", "kube-system")


def objects(options: Options) -> NewObjects:
    """Yield the objects that the options ask for, without a specification."""
    labels = {_LABEL: "generated"}
    for created in _GENERATED_KINDS[options.get("generate")]:
        obj = created_objects.skeleton(created, created_objects.OURS, labels=labels)
        yield {**obj, "apiVersion": f"{_GROUPS[created]}/v1"}


def is_generated(data: Data) -> bool:
    """Return whether inject-proxy generated an object, by its labels."""
    label = lookup(data, ("metadata", "labels", _LABEL))
    return created_objects.was_created(data) and label == "generated"


def name_taken(data: Data, options: Options) -> Result | None:
    """Return an error if an object of another author has kind and name of one that the options ask for."""
    if is_generated(data) or not _is_wanted(data, options):
        return None
    return Result(
        "CannotWrite",
        "inject-proxy did not create this object, and the policy that `spec.targets.kyverno.generate` "
        "asks for has the same kind and name: rename or remove this object",
        ("metadata", "name"),
    )


def _is_wanted(data: Data, options: Options) -> bool:
    """Return whether an object has a kind and the name that the options ask for."""
    kind = data.get("kind")
    if kind not in _GENERATED_KINDS[options.get("generate")]:
        return False
    return bool(lookup(data, ("metadata", "name")) == created_objects.OURS)


class GeneratedForm(NamedTuple):
    """A policy, or the binding of one, that inject-proxy generated; without ``spec`` it is created.

    ``options`` are those of the target; an object that they do not ask for any more is removed.
    """

    options: Options

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables that the expressions set, as far as they are known."""
        yield from CelForm().read(data, place)
        for expression in read_expressions(data):
            for match in re.finditer(_REFERENCE_TEXT, text_at(data, expression.path)):
                url = url_in_secret(match["name"], match["key"])
                yield Reading(match["variable"], url, expression.path, match[0], place.label)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Write the specification for the options and the settings, or remove the object."""
        kind = draft.data["kind"]
        variables = settings.variables
        if not variables or not _is_wanted(draft.data, self.options):
            if "spec" in draft.data:
                draft.remove(())
                draft.describe(f"removes the {kind}, which inject-proxy generated")
            return
        if kind == BINDING:
            draft.describe(f'binds the MutatingAdmissionPolicy "{created_objects.OURS}"')
        spec = _specification(kind, self.options, variables)
        draft.set(("apiVersion",), f"{_GROUPS[kind]}/v1")
        for key in _MEMBERS:
            if key in spec:
                draft.set(("spec", key), spec[key])
            else:
                draft.remove(("spec", key), keep=1)


def _specification(kind: str, options: Options, variables: Variables) -> Fields:
    """Return the specification of a policy, or of the binding of one."""
    parts = read(text_of("targets/kyverno/generated.yaml"))
    of_cluster = {}
    if options.get("noProxyFrom") == "KubeadmConfig":
        of_cluster = parts.get(kind, {})
    if kind == BINDING:
        return {"policyName": created_objects.OURS, **of_cluster}
    spec = {**parts["spec"], **of_cluster}
    if kind != _POLICY:
        spec.pop("autogen", None)
    expressions = [*parts["spec"]["variables"]]
    if of_cluster:
        entries = [_literal(entry) for entry in variables.get("NO_PROXY", "").split(",") if entry]
        expressions.append({"name": "settings", "expression": _list(entries)})
        expressions += of_cluster["variables"]
    proxy = []
    for name, text in variables.items():
        value = _literal(text)
        if of_cluster and name.upper() == "NO_PROXY":
            value = "variables.noProxy"
        entry = f'{{"name": "{name}", "value": {value}}}'
        in_secret = secret_key_ref(text)
        if in_secret:
            entry = _REFERENCE.format(variable=name, **in_secret)
        proxy.append(f"dyn({entry})" if "namespaces" in options else entry)
    expressions.append({"name": "proxy", "expression": _list(proxy)})
    spec["variables"] = expressions
    conditions = []
    excluded = options.get("excludeNamespaces", _EXCLUDED)
    for operator, names in (("NotIn", excluded), ("In", options.get("namespaces"))):
        if names:
            condition = {"key": "kubernetes.io/metadata.name", "operator": operator}
            conditions.append({**condition, "values": [*names]})
    if conditions:
        selector = {"namespaceSelector": {"matchExpressions": conditions}}
        spec["matchConstraints"] = {**selector, **spec["matchConstraints"]}
    return spec


def _literal(value: str) -> str:
    return text_literal(kubernetes_env(value))


def _list(items: Iterable[str]) -> str:
    """Return a list in CEL, with one item in each line."""
    lines = ",\n  ".join(items)
    return f"[\n  {lines}\n]"
