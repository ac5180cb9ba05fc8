"""The policy that inject-proxy generates: a MutatingPolicy, or a MutatingAdmissionPolicy with its binding.

Sources: ``MutatingPolicySpec`` (kyverno/api, ``api/policies.kyverno.io/v1``); ``MutatingAdmissionPolicySpec`` and
``MutatingAdmissionPolicyBindingSpec`` (Kubernetes, ``admissionregistration.k8s.io/v1``, stable in 1.36, with the same
fields as ``v1beta1`` of 1.34); the entries that come from ``kubeadm-config``: ``kyverno-policies-connectivity`` of
Giant Swarm. That Kyverno's engine does with the policies what is said here is recorded in ``tests/kyverno/generated``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from krm_fn.carriers import chosen_containers
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables
from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.patch import lookup
from krm_fn.targets import created_objects
from krm_fn.targets.kyverno import cel_text
from krm_fn.targets.kyverno.cel_site import CelExpressions

POLICY, NATIVE_POLICY = "MutatingPolicy", "MutatingAdmissionPolicy"
BINDING = "MutatingAdmissionPolicyBinding"
_GROUPS = {
    POLICY: "policies.kyverno.io",
    NATIVE_POLICY: "admissionregistration.k8s.io",
    BINDING: "admissionregistration.k8s.io",
}
MARK = "fn.inject-proxy.io/policy"
"""A label, with the value ``generated``: a generated policy has it, other objects that inject-proxy creates do not."""

PODS, WORKLOADS = "Pods", "Workloads"
KUBEADM_CONFIG = "KubeadmConfig"
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

_TEMPLATE = (
    '(object.kind == "CronJob" ? object.spec.jobTemplate.spec.template : object.spec.template)'
)
_TEMPLATE_PATH = """\
object.kind == "CronJob"
  ? "/spec/jobTemplate/spec/template/spec"
  : "/spec/template/spec\""""
_CHOSEN = """\
variables.annotations
  .map(a, [{names}]
    .map(key, a[?key].orValue("true"))
    .filter(value, value != "true")
    .join(","))
  .join(",").split(",").map(name, name.trim()).filter(name, name != "")"""
_KUBEADM = {
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
}
# Kubernetes reads no YAML in CEL. kubeadm writes this text: each of these keys is there once, with a plain value.
_NATIVE_KUBEADM = {
    "clusterConfiguration": "params.data.ClusterConfiguration",
    "kubeadm": """\
["controlPlaneEndpoint: ", "podSubnet: ", "serviceSubnet: ", "dnsDomain: "]
  .map(key, variables.clusterConfiguration.find(key + ".*").replace(key, ""))
  .map(value, value.replace("'", "").replace("\\"", "").trim())""",
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


@dataclass(frozen=True)
class Wanted:
    """What ``generate`` and ``generated`` ask for, with their defaults."""

    kind: str
    name: str
    version: str
    level: str
    exclude_namespaces: tuple[str, ...]
    reads_kubeadm_config: bool

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Wanted | None:
        """Return what the options of the target ask for; None: no policy."""
        if "generate" not in options:
            return None
        given = options.get("generated", {})
        return cls(
            options["generate"],
            given.get("name", created_objects.OURS),
            given.get("apiVersion", "v1"),
            given.get("level", PODS),
            tuple(given.get("excludeNamespaces", ("kyverno", "kube-system"))),
            given.get("noProxyFrom") == KUBEADM_CONFIG,
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the objects that it takes."""
        return (POLICY,) if self.kind == POLICY else (NATIVE_POLICY, BINDING)

    @classmethod
    def of_object(cls, options: Mapping[str, Any], obj: Mapping[str, Any]) -> Wanted | None:
        """Return what the options ask for, if an object has a kind and the name of it; else None."""
        wanted = cls.of(options)
        if wanted is None or obj.get("kind") not in wanted.kinds:
            return None
        return wanted if lookup(obj, ("metadata", "name")) == wanted.name else None


def objects(options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects that the options ask for, without a specification."""
    wanted = Wanted.of(options)
    if wanted is None:
        return
    for kind in wanted.kinds:
        created = created_objects.skeleton(kind, wanted.name, {}, labels={MARK: "generated"})
        yield {**created, "apiVersion": f"{_GROUPS[kind]}/{wanted.version}"}


def is_generated(obj: Mapping[str, Any]) -> bool:
    """Return whether inject-proxy generated an object, by its labels."""
    return (
        created_objects.was_created(obj)
        and lookup(obj, ("metadata", "labels", MARK)) == "generated"
    )


def is_in_the_way(obj: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Return whether an object of another author has kind and name of one that the options ask for."""
    return Wanted.of_object(options, obj) is not None and not is_generated(obj)


def is_dropped(obj: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Return whether inject-proxy generated an object, and the options do not ask for it any more."""
    return is_generated(obj) and Wanted.of_object(options, obj) is None


def report_in_the_way(draft: Draft) -> None:
    """Add an error: the object is not overwritten, and nothing else is written."""
    message = (
        "inject-proxy did not create this object, and the policy that `spec.targets.kyvernoPolicies.generate` "
        "asks for has the same kind and name: choose another `generated.name`, or remove this object"
    )
    draft.report(Severity.ERROR, message, ("metadata", "name"), code="PolicyNameTaken")


class GeneratedObject:
    """A policy, or the binding of one, that inject-proxy generated, as a site.

    Args:
        draft: the data of the object; without ``spec`` it is created.
        options: those of the target; an object that they do not ask for any more is removed.
    """

    label = "the CEL expressions"

    def __init__(self, draft: Draft, options: Mapping[str, Any]) -> None:
        self._draft = draft
        self._options = options

    def read(self) -> Iterator[Reading]:
        """Yield what the expressions set, as far as they say it."""
        yield from CelExpressions(self._draft).read()

    def write(self, variables: Variables) -> None:
        """Make the specification what is wanted, or remove the object."""
        obj = self._draft.data
        wanted = Wanted.of_object(self._options, obj)
        if not variables or wanted is None:
            if "spec" in obj:
                self._draft.remove(())
                self._draft.describe(f"removes the {obj['kind']}, which inject-proxy generated")
            return
        is_binding = obj["kind"] == BINDING
        if wanted.reads_kubeadm_config and not is_binding and "spec" not in obj:
            self._draft.describe(
                "takes entries of NO_PROXY from the `kubeadm-config` of its cluster"
            )
        self._draft.set(("apiVersion",), f"{_GROUPS[obj['kind']]}/{wanted.version}")
        spec = _binding_spec(wanted) if is_binding else _policy_spec(wanted, variables)
        for key in _MEMBERS:
            if key in spec:
                self._draft.set(("spec", key), spec[key])
            else:
                self._draft.remove(("spec", key), keep=1)
        if is_binding:
            self._draft.describe(f'binds the MutatingAdmissionPolicy "{wanted.name}"')


def _policy_spec(wanted: Wanted, variables: Variables) -> dict[str, Any]:
    """Return the specification of a policy, in the order of ``_MEMBERS``."""
    spec: dict[str, Any] = {
        # A pod without a proxy can be repaired; a cluster in which no pod starts cannot.
        "failurePolicy": "Ignore",
        # Other webhooks add containers, which need the proxy, too.
        "reinvocationPolicy": "IfNeeded",
    }
    if wanted.kind == POLICY and wanted.level == PODS:
        # Kyverno would extend the policy to Deployments, where a JSON Patch finds no containers.
        spec["autogen"] = {"podControllers": {"controllers": []}}
    if wanted.kind == NATIVE_POLICY and wanted.reads_kubeadm_config:
        spec["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
    expressions = _expressions(wanted, variables)
    spec["matchConstraints"] = _match_constraints(wanted)
    spec["matchConditions"] = [{"name": "no-opt-out", "expression": _no_opt_out(wanted)}]
    spec["variables"] = [
        {"name": name, "expression": expression} for name, expression in expressions.items()
    ]
    spec["mutations"] = [
        {"patchType": "JSONPatch", "jsonPatch": {"expression": cel_text.patch(containers)}}
        for containers in cel_text.LISTS
    ]
    return spec


def _binding_spec(wanted: Wanted) -> dict[str, Any]:
    spec: dict[str, Any] = {"policyName": wanted.name}
    if wanted.reads_kubeadm_config:
        spec["paramRef"] = {
            "name": "kubeadm-config",
            "namespace": "kube-system",
            "parameterNotFoundAction": "Deny",  # the `failurePolicy` decides
        }
    return spec


def _match_constraints(wanted: Wanted) -> dict[str, Any]:
    """Return which requests the policy is about.

    The API server accepts no other ``env`` for a Pod or a Job that exists, so these are only about CREATE. Other
    workloads are changed later, too, often by tools that send them without the proxy.
    """
    constraints: dict[str, Any] = {}
    if wanted.exclude_namespaces:
        excluded = {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": list(wanted.exclude_namespaces),
        }
        constraints["namespaceSelector"] = {"matchExpressions": [excluded]}
    if wanted.level == WORKLOADS:
        constraints["resourceRules"] = [
            _rule("apps", ("deployments", "statefulsets", "daemonsets"), ("CREATE", "UPDATE")),
            _rule("batch", ("cronjobs",), ("CREATE", "UPDATE")),
            _rule("batch", ("jobs",), ("CREATE",)),
        ]
    else:
        constraints["resourceRules"] = [_rule("", ("pods",), ("CREATE",))]
    return constraints


def _rule(group: str, resources: tuple[str, ...], operations: tuple[str, ...]) -> dict[str, Any]:
    return {
        "apiGroups": [group],
        "apiVersions": ["v1"],
        "operations": list(operations),
        "resources": list(resources),
    }


def _no_opt_out(wanted: Wanted) -> str:
    """Return the condition that no annotation refuses the proxy.

    It uses no variable, because a MutatingAdmissionPolicy has none in ``matchConditions``.
    """
    tests = " &&\n  ".join(
        f'a[?{cel_text.text(name)}].orValue("") != {cel_text.text(value)}'
        for name, value in chosen_containers.REFUSALS.items()
    )
    return f"{_annotations(wanted)}.all(a,\n  {tests})"


def _annotations(wanted: Wanted) -> str:
    """Return an expression for the annotations of the object and of its pod template, a list."""
    objects = "object.metadata"
    if wanted.level == WORKLOADS:
        objects = f"\n  object.metadata,\n  {_TEMPLATE}.?metadata.orValue({{}})\n"
    return f"[{objects}].map(metadata, metadata.?annotations.orValue({{}}))"


def _expressions(wanted: Wanted, variables: Variables) -> dict[str, str]:
    """Return name -> expression of ``spec.variables``; each refers only to those before it."""
    is_of_pods = wanted.level == PODS
    names = ", ".join(map(cel_text.text, chosen_containers.LISTS))
    expressions = {
        "annotations": _annotations(wanted),
        **cel_text.patch_variables(
            pod_spec="object.spec" if is_of_pods else f"{_TEMPLATE}\n  .spec",
            path="'/spec'" if is_of_pods else _TEMPLATE_PATH,
            chosen=_CHOSEN.format(names=names),
        ),
    }
    values = {name: cel_text.text(kubernetes_env(value)) for name, value in variables.items()}
    if wanted.reads_kubeadm_config:
        entries = [kubernetes_env(one) for one in variables.get("NO_PROXY", "").split(",") if one]
        is_native = wanted.kind == NATIVE_POLICY
        expressions |= {
            "settings": cel_text.texts(entries),
            **(_NATIVE_KUBEADM if is_native else _KUBEADM),
            "cluster": _OF_CLUSTER,
            "noProxy": _NO_PROXY,
        }
        values |= {"NO_PROXY": "variables.noProxy", "no_proxy": "variables.noProxy"}
    return {**expressions, "proxy": cel_text.entries(values.items())}
