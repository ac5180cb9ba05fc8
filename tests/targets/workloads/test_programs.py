"""Well-known programs: every generation of their manifests, and what only looks like one."""

from __future__ import annotations

from typing import Any

import pytest

import manifests
from all_targets import TARGETS
from manifests import container
from proposals import FULL, NONE, apply, changes, env, findings, proposals

OURS = env(FULL.variables)
WORKLOADS = TARGETS["workloads"]
POD_NAMESPACE = {"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}


def workload(labels: Any, *listed: Any, **rest: Any) -> Any:
    """A workload as Helm renders it: the same labels on the object and on the pod template."""
    return manifests.workload(*listed, namespace="kube-system", labels=labels, pod={"labels": labels}, **rest)


def labelled(app: str, component: str | None = None) -> dict[str, str]:
    labels = {"app": app, "app.kubernetes.io/name": app}
    return {**labels, "app.kubernetes.io/component": component} if component else labels


def environments(obj: Any) -> dict[str, Any]:
    spec = obj["spec"]["template"]["spec"]
    return {one["name"]: one.get("env") for one in [*(spec.get("initContainers") or []), *spec["containers"]]}


def chart_operator(label: str = "chart-operator") -> Any:
    return workload(labelled(label), container("chart-operator"), container("side"), init=[container("wait-for-quay")])


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(
            workload(labelled("cert-manager-webhook-ovh"), container("cert-manager-webhook-ovh")),
            id="a DNS webhook of someone else",
        ),
        pytest.param(
            workload(labelled("cert-manager-csi-driver", "controller"), container("cert-manager-csi-driver")),
            id="the CSI driver",
        ),
        pytest.param(workload(labelled("ingress-nginx", "controller"), container("controller")), id="a controller"),
        pytest.param(workload(labelled("webhook"), container("webhook")), id="a webhook, as Knative has one"),
        pytest.param(
            workload(labelled("cert-manager-app", "crd-install"), container("cert-manager-crd-install"), kind="Job"),
            id="the Job of the Giant Swarm app that installs CRDs",
        ),
        pytest.param(chart_operator(label="app-operator"), id="another operator with a container of that name"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(WORKLOADS, obj) == []


@pytest.mark.parametrize(
    ("app", "component", "name"),
    [
        pytest.param("cert-manager", "controller", "cert-manager-controller", id="upstream controller"),
        pytest.param("cainjector", "cainjector", "cert-manager", id="upstream before 1.10, cainjector"),
        pytest.param("cert-manager", "webhook", "webhook", id="app v2 webhook"),
        pytest.param("cert-manager-app", "controller", "cert-manager-app-controller", id="app v3 controller"),
        pytest.param("cert-manager", "cert-manager", "cert-manager", id="Kubeflow, whose labels are all alike"),
        pytest.param("renamed", "controller", "cert-manager-controller", id="a chart with another name"),
        pytest.param("startupapicheck", "startupapicheck", "cert-manager-startupapicheck", id="the check at start"),
    ],
)
@pytest.mark.parametrize("only", ["metadata", "template", "both"])
def test_every_generation_of_cert_manager_is_recognised(app: str, component: str | None, name: str, only: str) -> None:
    labels = labelled(app, component)
    obj = workload(labels, container(name, POD_NAMESPACE), container("istio-proxy", POD_NAMESPACE), init=[])
    if only == "template":
        del obj["metadata"]["labels"]
    elif only == "metadata":
        del obj["spec"]["template"]["metadata"]

    result = apply(WORKLOADS, obj)

    assert environments(result) == {name: [POD_NAMESPACE, *OURS], "istio-proxy": [POD_NAMESPACE]}
    assert apply(WORKLOADS, result, NONE) == obj


@pytest.mark.parametrize(
    "image",
    [
        "quay.io/jetstack/cert-manager-controller:v1.19.4",
        "registry.corp.example:5000/mirror/cert-manager-webhook@sha256:0",
    ],
)
def test_images_of_cert_manager_are_recognised_under_any_name(image: str) -> None:
    obj = workload(labelled("tls", "issuing"), {"name": "main", "image": image}, container("side"))

    assert environments(apply(WORKLOADS, obj)) == {"main": OURS, "side": None}
    assert findings(WORKLOADS, obj) == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(workload(labelled("cert-manager"), container("cert-manager")), id="cert-manager"),
        pytest.param(chart_operator(), id="chart-operator"),
    ],
)
def test_a_refusal_holds_and_options_reach_the_containers(obj: Any) -> None:
    assert changes(WORKLOADS, obj) != []
    obj["spec"]["template"]["spec"]["containers"][0]["env"] = env({"HTTP_PROXY": "http://old:1"})
    assert [finding.code for finding in findings(WORKLOADS, obj, conflict="Keep")] == ["ValueKept"]
    obj["metadata"]["annotations"] = {"fn.inject-proxy.io/proxy": "false"}
    assert proposals(WORKLOADS, obj) == []


# Presets of `workloads`.

FLUX, ARGO_CD = {"app.kubernetes.io/part-of": "flux"}, {"app.kubernetes.io/part-of": "argocd"}
PRESETS = [
    pytest.param("flux", workload(FLUX, container("manager"), container("side")), ["manager"], id="Flux"),
    pytest.param(
        "flux",
        workload({}, container("manager", image="registry.corp.example:5000/fluxcd/source-controller:v1.6@sha256:0")),
        ["manager"],
        id="Flux by its image in a mirror",
    ),
    pytest.param(
        "argocd",
        workload(ARGO_CD, container("argocd-repo-server"), init=[container("copyutil")]),
        ["argocd-repo-server"],
        id="the repo server of Argo CD",
    ),
    pytest.param(
        "argocd",
        workload({"app.kubernetes.io/name": "argocd-repo-server"}, container("argocd-repo-server")),
        ["argocd-repo-server"],
        id="a part of Argo CD by its name alone",
    ),
    pytest.param("argocd", workload(ARGO_CD, container("redis")), [], id="redis of Argo CD"),
    pytest.param(
        "clusterAPIProviders",
        workload({"cluster.x-k8s.io/provider": "infrastructure-aws"}, container("manager")),
        ["manager"],
        id="a released manager",
    ),
    pytest.param(
        "clusterAPIProviders",
        workload({"control-plane": "capo-controller-manager"}, container("manager")),
        ["manager"],
        id="a manager by its label",
    ),
    pytest.param(
        "clusterAPIProviders",
        workload({}, container("manager", args=["--leader-elect", "--diagnostics-address=${X:=:8443}"])),
        ["manager"],
        id="a manager by a flag of Cluster API",
    ),
    pytest.param(
        "clusterAPIProviders",
        workload({}, container("manager", image="vmware/cluster-api-provider-cloud-director:v1.4.0")),
        ["manager"],
        id="a manager by its image",
    ),
]


@pytest.mark.parametrize(("preset", "obj", "expected"), PRESETS)
def test_a_preset_chooses_the_containers_that_need_it(preset: str, obj: Any, expected: list[str]) -> None:
    def chosen(presets: list[str]) -> list[str]:
        return [name for name, entries in environments(apply(WORKLOADS, obj, presets=presets)).items() if entries]

    assert chosen([preset]) == expected
    assert chosen(sorted({"flux", "argocd", "clusterAPIProviders"} - {preset})) == []
