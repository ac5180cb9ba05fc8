"""Kyverno policies as the world writes them, reduced to what matters here; each says where its shape comes from.

They are limited to CREATE and say `valueFrom: null`, which none of the public ones does: what happens without that has
tests of its own.
"""

from __future__ import annotations

import json
from typing import Any

import proposals
from krm_fn.krm.results import Result
from krm_fn.settings import ProxySettings
from manifests import named
from proposals import FULL, env

UPPER = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
SIX = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")
LISTS = ("containers", "initContainers", "ephemeralContainers")
CONTROLLERS = ("Deployment", "StatefulSet", "DaemonSet", "Job")


def findings(target: Any, obj: Any, settings: ProxySettings = FULL, **options: Any) -> list[Result]:
    """What is found in a policy, but for the end of its API."""
    found = proposals.findings(target, obj, settings, **options)
    return [one for one in found if one.code != "PolicyDeprecated"]


def policy(*rules: Any, kind: str = "ClusterPolicy") -> Any:
    """A policy with these rules; nothing in it is shared with another, as if it were read from a file."""
    written = json.dumps(
        named(
            kind,
            "inject-proxy-env",
            api="kyverno.io/v1",
            spec={"validationFailureAction": "Enforce", "rules": list(rules)},
        )
    )
    return json.loads(written)


def rule(mutate: Any, *kinds: str, name: str = "add-proxies", **more: Any) -> Any:
    match = {"any": [{"resources": {"kinds": list(kinds or ("Pod",)), "operations": ["CREATE"]}}]}
    return {"name": name, "match": match, **more, "mutate": mutate}


def pods(entries: Any, *lists: str, anchor: str = "(name)") -> Any:
    """A patch of pods that gives ``entries`` to all containers of the lists."""
    entries = [settled(one) for one in entries] if isinstance(entries, list) else entries
    return {"spec": {name: [{anchor: "*", "env": entries}] for name in lists or ("containers",)}}


def settled(entry: Any) -> Any:
    """The entry with `valueFrom: null`, if it is one of a proxy variable."""
    names = {entry.get(key) for key in ("name", "(name)")} if isinstance(entry, dict) else set()
    return {"valueFrom": None, **entry} if names & set(SIX) else entry


def smp(body: Any) -> Any:
    return {"patchStrategicMerge": body}


def variable(name: str, value: Any) -> Any:
    return {"name": name, "variable": {"value": value}}


def p1() -> Any:
    """kyverno/policies, other/add-pod-proxies."""
    old = ("http://proxy.corp.domain:8080", "https://secureproxy.corp.domain:8080", "localhost,*.example.com")
    return policy(rule(smp(pods(env(dict(zip(UPPER, old, strict=True)))))))


KUBEADM = [
    {"name": "kubeadmConfig", "configMap": {"name": "kubeadm-config", "namespace": "kube-system"}},
    variable("clusterConfiguration", "{{ kubeadmConfig.data.ClusterConfiguration | parse_yaml(@) }}"),
    variable("apiEndpoint", "{{ clusterConfiguration.controlPlaneEndpoint | split(@, ':') | [0] }}"),
    variable("dnsDomain", "{{ clusterConfiguration.networking.dnsDomain }}"),
    variable("dnsDomainRoot", "{{ clusterConfiguration.networking.dnsDomain }}."),
    variable("dynamicNoProxy", "{{apiEndpoint}},{{dnsDomain}},{{dnsDomainRoot}}"),
]


def p2(static: str = "10.0.0.0/8,svc,127.0.0.1,localhost") -> Any:
    """giantswarm/kyverno-policies-connectivity 0.10.1 and later."""
    values = ("http://old:1", "http://old:1", "http://old:1", "http://old:1", "{{ fullNoProxy }}", "{{ fullNoProxy }}")
    context = [*KUBEADM, variable("fullNoProxy", f"{static},{{{{dynamicNoProxy}}}}")]
    body = pods(env(dict(zip(SIX, values, strict=True))), *LISTS)
    exclude = {"any": [{"resources": {"kinds": ["Pod"], "names": ["capi-*", "dex-k8s-*"]}}]}
    return policy(rule(smp(body), context=context, exclude=exclude))


def p3() -> Any:
    """The same chart, 0.4 to 0.9: controllers, and a second rule for the pods of CloudNativePG."""
    body = pods(env(dict.fromkeys(SIX, "old")), *LISTS)
    return policy(rule(smp({"spec": {"template": body}}), *CONTROLLERS), rule(smp(body), "Pod", name="postgresql"))


def p4() -> Any:
    """The same chart, 0.10.0: it matches pods and patches what only controllers have."""
    return policy(rule(smp({"spec": {"template": pods(env(dict.fromkeys(SIX, "old")), *LISTS)}})))


def p5() -> Any:
    """A wuxing document: lower case first, a selector for namespaces."""
    match = {"resources": {"kinds": ["Pod"], "namespaceSelector": {"matchLabels": {"egress-proxy": "enabled"}}}}
    match["resources"]["operations"] = ["CREATE"]
    names = [name for pair in zip(SIX[1::2], SIX[::2], strict=True) for name in pair]
    return policy({**rule(smp(pods(env(dict.fromkeys(names, "old"))))), "match": {"any": [match]}})


def p7() -> Any:
    """A public cluster repository: the legacy match, and foreach."""
    entries = [settled(one) for one in env(dict.fromkeys(UPPER, "old"))]
    patch = {"spec": {"containers": [{"name": "{{ element.name }}", "env": entries}]}}
    foreach = [{"list": "request.object.spec.containers", **smp(patch)}]
    fields = rule({"foreach": foreach}, name="add-proxy-env-vars")
    return policy({**fields, "match": {"resources": {"kinds": ["Pod"], "operations": ["CREATE"]}}})


def p10() -> Any:
    """kyverno/policies, other-mpol/add-pod-proxies: the values stand in CEL text."""
    entries = '[{"name": "HTTP_PROXY", "value": "http://proxy:8080"}]'
    kept = 'c.?env.orValue([]).filter(e, e.name != "HTTP_PROXY")'
    expression = f'object.spec.containers.map(c, JSONPatch{{op: "add", path: "/env", value: {entries} + {kept}}})'
    return named(
        "MutatingPolicy",
        "add-pod-proxies",
        api="policies.kyverno.io/v1",
        annotations={"title": "sets HTTP_PROXY"},
        spec={"mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}]},
    )


def p13() -> Any:
    """Seen in public: the anchor forgotten."""
    return policy(rule(smp(pods(env(dict.fromkeys(UPPER, "old")), anchor="name"))))


SHAPES = {"P1": p1, "P2": p2, "P3": p3, "P4": p4, "P5": p5, "P7": p7, "P13": p13}
