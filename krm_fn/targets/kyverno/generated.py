"""The policy that inject-proxy generates: a MutatingPolicy, or a MutatingAdmissionPolicy with its binding.

It gives containers exactly the wanted variables and keeps all their others: a JSON Patch writes the whole ``env`` of
each container, the proxy variables first, so that others can refer to them. A second evaluation gives the same list.

Sources: ``MutatingPolicySpec`` (kyverno/api, ``api/policies.kyverno.io/v1``); ``MutatingAdmissionPolicySpec`` and
``MutatingAdmissionPolicyBindingSpec`` (Kubernetes, ``admissionregistration.k8s.io/v1``, stable in 1.36, with the same
fields as ``v1beta1`` of 1.34); the entries that come from ``kubeadm-config``: ``kyverno-policies-connectivity`` of
Giant Swarm. That Kyverno's engine does with the policies what is said here is recorded in ``tests/kyverno/generated``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import lookup
from krm_fn.places import choice
from krm_fn.places.place import Place
from krm_fn.places.reading import Reading, Variables
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Data, NewObjects, Options
from krm_fn.targets.kyverno.cel import text_literal
from krm_fn.targets.kyverno.cel_form import CelForm

BINDING = "MutatingAdmissionPolicyBinding"
_POLICY, _NATIVE_POLICY = "MutatingPolicy", "MutatingAdmissionPolicy"
_GROUPS = {
    _POLICY: "policies.kyverno.io",
    _NATIVE_POLICY: "admissionregistration.k8s.io",
    BINDING: "admissionregistration.k8s.io",
}
_ASKED = {None: (), _POLICY: (_POLICY,), _NATIVE_POLICY: (_NATIVE_POLICY, BINDING)}
"""The option ``generate`` -> the kinds of the objects that it asks for."""
_Wanted = Mapping[str, Any]
"""The options ``generated``, all of them."""

_LABEL = "fn.inject-proxy.io/policy"
"""With the value ``generated``: a generated policy has it, other objects that inject-proxy creates do not."""

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
"""The members of ``spec`` that are ours; others stay."""

_KUBEADM_CONFIG = "KubeadmConfig"
_RESOURCES = {
    "Pods": [("", ["CREATE"], ["pods"])],
    "Workloads": [
        ("apps", ["CREATE", "UPDATE"], ["deployments", "statefulsets", "daemonsets"]),
        ("batch", ["CREATE", "UPDATE"], ["cronjobs"]),
        ("batch", ["CREATE"], ["jobs"]),
    ],
}
"""Level -> group, operations and resources.

The API server accepts no other ``env`` for a Pod or a Job that exists, so these are only about CREATE. Other workloads
are changed later, too, often by tools that send them without the proxy.
"""
_ANNOTATIONS = {
    "Pods": "[object.metadata].map(metadata, metadata.?annotations.orValue({}))",
    "Workloads": """\
[
  object.metadata,
  (object.kind == "CronJob" ? object.spec.jobTemplate.spec.template : object.spec.template).?metadata.orValue({})
].map(metadata, metadata.?annotations.orValue({}))""",
}
_POD_SPEC = {
    "Pods": "object.spec",
    "Workloads": """\
(object.kind == "CronJob" ? object.spec.jobTemplate.spec.template : object.spec.template)
  .spec""",
}
_POD_SPEC_PATH = {
    "Pods": "'/spec'",
    "Workloads": """\
object.kind == "CronJob"
  ? "/spec/jobTemplate/spec/template/spec"
  : "/spec/template/spec\"""",
}
_CHOSEN = """\
variables.annotations
  .map(a, [{names}]
    .map(key, a[?key].orValue("true"))
    .filter(value, value != "true")
    .join(","))
  .join(",").split(",").map(name, name.trim()).filter(name, name != "")"""
_PATCH = """\
variables.podSpec.?{list}.orValue([])
  .filter(c, variables.chosen.size() == 0 || c.name in variables.chosen)
  .map(c, JSONPatch{{
    op: "add",
    path: variables.podSpecPath + "/{list}/"
      + string(variables.podSpec.{list}.map(one, one.name).indexOf(c.name)) + "/env",
    value: variables.proxy + c.?env.orValue([]).filter(e, !(e.name in variables.names))
  }})"""
_KUBEADM = {
    _POLICY: {
        "clusterConfiguration": """\
yaml.parse(
  resource.Get("v1", "configmaps", "kube-system", "kubeadm-config").data.ClusterConfiguration
)""",
        "kubeadm": """\
[
  variables.clusterConfiguration.?controlPlaneEndpoint,
  variables.clusterConfiguration.?networking.?podSubnet,
  variables.clusterConfiguration.?networking.?serviceSubnet,
  variables.clusterConfiguration.?networking.?dnsDomain
].map(field, string(field.orValue("")))""",
    },
    # Kubernetes reads no YAML in CEL. kubeadm writes this text: each of these keys is there once, with a plain value.
    _NATIVE_POLICY: {
        "clusterConfiguration": "params.data.ClusterConfiguration",
        "kubeadm": """\
["controlPlaneEndpoint: ", "podSubnet: ", "serviceSubnet: ", "dnsDomain: "]
  .map(key, variables.clusterConfiguration.find(key + ".*").replace(key, ""))
  .map(value, value.replace("'", "").replace("\\"", "").trim())""",
    },
}
_OF_CLUSTER = """\
[
  url("https://" + variables.kubeadm[0]).getHostname(),
  variables.kubeadm[1],
  variables.kubeadm[2],
  variables.kubeadm[3],
  "." + variables.kubeadm[3],
  variables.kubeadm[3] + "."
]"""
_NO_PROXY = """\
(
  variables.settings
  + variables.cluster.filter(entry, !(entry in ["", "."]) && !(entry in variables.settings))
).join(",")"""


_DEFAULTS: Mapping[str, Any] = {
    "name": created_objects.OURS,
    "apiVersion": "v1",
    "level": "Pods",
    "excludeNamespaces": ["kyverno", "kube-system"],
    "noProxyFrom": "Settings",
}
"""The options ``generated`` of the target, where they are left out."""


def objects(options: Options) -> NewObjects:
    """Yield the objects that the options ask for, without a specification."""
    wanted = _wanted(options)
    for created in _ASKED[options.get("generate")]:
        obj = created_objects.skeleton(created, wanted["name"], {}, labels={_LABEL: "generated"})
        yield {**obj, "apiVersion": f"{_GROUPS[created]}/{wanted['apiVersion']}"}


def is_generated(obj: Data) -> bool:
    """Return whether inject-proxy generated an object, by its labels."""
    label = lookup(obj, ("metadata", "labels", _LABEL))
    return created_objects.was_created(obj) and label == "generated"


def name_taken(obj: Data, options: Options) -> Result | None:
    """Return an error if an object of another author has kind and name of one that the options ask for."""
    if is_generated(obj) or not _is_wanted(obj, options):
        return None
    message = (
        "inject-proxy did not create this object, and the policy that `spec.targets.kyvernoPolicies.generate` "
        "asks for has the same kind and name: choose another `generated.name`, or remove this object"
    )
    return Result.of("CannotWrite", message, ("metadata", "name"))


def _wanted(options: Options) -> _Wanted:
    return {**_DEFAULTS, **options.get("generated", {})}


def _is_wanted(obj: Data, options: Options) -> bool:
    """Return whether an object has a kind and the name that the options ask for."""
    kind, name = obj.get("kind"), lookup(obj, ("metadata", "name"))
    return any(
        (asked["kind"], asked["metadata"]["name"]) == (kind, name) for asked in objects(options)
    )


class GeneratedForm(NamedTuple):
    """A policy, or the binding of one, that inject-proxy generated; without ``spec`` it is created.

    ``options`` are those of the target; an object that they do not ask for any more is removed.
    """

    options: Options

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the expressions set, as far as they say it."""
        return CelForm().read(data, place)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the specification what is wanted, or remove the object."""
        kind, variables = draft.data["kind"], settings.variables()
        wanted = _wanted(self.options)
        if not variables or not _is_wanted(draft.data, self.options):
            if "spec" in draft.data:
                draft.remove(())
                draft.describe(f"removes the {kind}, which inject-proxy generated")
            return
        if kind == BINDING:
            spec = _binding_spec(wanted)
            draft.describe(f'binds the MutatingAdmissionPolicy "{wanted["name"]}"')
        else:
            spec = _policy_spec(kind, wanted, variables)
        draft.set(("apiVersion",), f"{_GROUPS[kind]}/{wanted['apiVersion']}")
        for key in _MEMBERS:
            if key in spec:
                draft.set(("spec", key), spec[key])
            else:
                draft.remove(("spec", key), keep=1)


def _policy_spec(kind: str, wanted: _Wanted, variables: Variables) -> dict[str, Any]:
    """Return the specification of a policy, in the order of ``_MEMBERS``."""
    spec: dict[str, Any] = {
        # A pod without a proxy can be repaired; a cluster in which no pod starts cannot.
        "failurePolicy": "Ignore",
        # Other webhooks add containers, which need the proxy, too.
        "reinvocationPolicy": "IfNeeded",
    }
    if kind == _POLICY and wanted["level"] == "Pods":
        # Kyverno would extend the policy to Deployments, where a JSON Patch finds no containers.
        spec["autogen"] = {"podControllers": {"controllers": []}}
    if kind == _NATIVE_POLICY and wanted["noProxyFrom"] == _KUBEADM_CONFIG:
        spec["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
    spec["matchConstraints"] = _match_constraints(wanted)
    spec["matchConditions"] = [{"name": "no-opt-out", "expression": _no_opt_out(wanted)}]
    spec["variables"] = [
        {"name": name, "expression": expression}
        for name, expression in _expressions(kind, wanted, variables).items()
    ]
    spec["mutations"] = [
        {"patchType": "JSONPatch", "jsonPatch": {"expression": _PATCH.format(list=containers)}}
        for containers in ("initContainers", "containers")
    ]
    return spec


def _binding_spec(wanted: _Wanted) -> dict[str, Any]:
    spec: dict[str, Any] = {"policyName": wanted["name"]}
    if wanted["noProxyFrom"] == _KUBEADM_CONFIG:
        spec["paramRef"] = {
            "name": "kubeadm-config",
            "namespace": "kube-system",
            "parameterNotFoundAction": "Deny",  # the `failurePolicy` decides
        }
    return spec


def _match_constraints(wanted: _Wanted) -> dict[str, Any]:
    """Return which requests the policy is about."""
    constraints: dict[str, Any] = {}
    if wanted["excludeNamespaces"]:
        excluded = {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": wanted["excludeNamespaces"],
        }
        constraints["namespaceSelector"] = {"matchExpressions": [excluded]}
    constraints["resourceRules"] = [
        {
            "apiGroups": [group],
            "apiVersions": ["v1"],
            "operations": operations,
            "resources": resources,
        }
        for group, operations, resources in _RESOURCES[wanted["level"]]
    ]
    return constraints


def _no_opt_out(wanted: _Wanted) -> str:
    """Return the condition that no annotation refuses the proxy.

    It uses no variable, because a MutatingAdmissionPolicy has none in ``matchConditions``.
    """
    tests = " &&\n  ".join(
        f'a[?{text_literal(name)}].orValue("") != {text_literal(value)}'
        for name, value in choice.REFUSALS.items()
    )
    return f"{_ANNOTATIONS[wanted['level']]}.all(a,\n  {tests})"


def _expressions(kind: str, wanted: _Wanted, variables: Variables) -> dict[str, str]:
    """Return name -> expression of ``spec.variables``; each refers only to those before it."""
    level = wanted["level"]
    values = {name: text_literal(kubernetes_env(value)) for name, value in variables.items()}
    expressions = {
        "annotations": _ANNOTATIONS[level],
        "names": _list(map(text_literal, PROXY_VARIABLES)),
        "podSpec": _POD_SPEC[level],
        "podSpecPath": _POD_SPEC_PATH[level],
        "chosen": _CHOSEN.format(names=", ".join(map(text_literal, choice.LISTS))),
    }
    if wanted["noProxyFrom"] == _KUBEADM_CONFIG:
        entries = [entry for entry in variables.get("NO_PROXY", "").split(",") if entry]
        expressions["settings"] = _list(text_literal(kubernetes_env(entry)) for entry in entries)
        expressions |= _KUBEADM[kind]
        expressions |= {"cluster": _OF_CLUSTER, "noProxy": _NO_PROXY}
        values |= {"NO_PROXY": "variables.noProxy", "no_proxy": "variables.noProxy"}
    expressions["proxy"] = _list(
        f'{{"name": {text_literal(name)}, "value": {value}}}' for name, value in values.items()
    )
    return expressions


def _list(items: Iterable[str]) -> str:
    """Return a list in CEL, with one item in each line."""
    lines = ",\n".join(f"  {item}" for item in items)
    return f"[\n{lines}\n]"
