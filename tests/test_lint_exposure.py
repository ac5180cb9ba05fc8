"""Passwords that a run takes from a Secret and writes into objects of other kinds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krm_fn.krm.results import Severity
from krm_fn.pipeline import run

PASSWORD = "s3cr3t"
URL = f"http://robot:{PASSWORD}@proxy.corp.example:3128"
PATCH = f'proxy:\n  noProxy: "corp.example"\n  http: "{URL}"\n  https: "{URL}"\n'
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "source"}, "stringData": {"values": PATCH}}
FROM_SECRET = {"from": [{"kind": "Secret", "name": "source", "format": "GiantSwarm"}]}
VALUES = "cluster:\n  proxy:\n    http: http://old.corp.example:1\n    https: http://old.corp.example:1\n"
RELEASE = {
    "apiVersion": "helm.toolkit.fluxcd.io/v2",
    "kind": "HelmRelease",
    "metadata": {"name": "cert-manager", "namespace": "apps"},
    "spec": {"chart": {"spec": {"chart": "cert-manager"}}, "values": {"http_proxy": "http://old.corp.example:1"}},
}
CONTROL_PLANE = {
    "apiVersion": "controlplane.cluster.x-k8s.io/v1beta1",
    "kind": "KubeadmControlPlane",
    "metadata": {"name": "one"},
    "spec": {"kubeadmConfigSpec": {}},
}
RKE2 = {**CONTROL_PLANE, "kind": "RKE2ControlPlane", "spec": {}}


def of_class(kind: str) -> dict[str, Any]:
    """A ClusterClass whose control plane has a template of that kind."""
    template = {"apiVersion": CONTROL_PLANE["apiVersion"], "kind": f"{kind}Template", "name": "cp"}
    spec = {"controlPlane": {"ref": template}}
    return {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "ClusterClass", "metadata": {"name": "c"}, "spec": spec}


def template_of(kind: str, spec: Any) -> dict[str, Any]:
    return {
        **CONTROL_PLANE,
        "kind": f"{kind}Template",
        "metadata": {"name": "cp"},
        "spec": {"template": {"spec": spec}},
    }


DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "chart-operator", "labels": {"app": "chart-operator"}},
    "spec": {"template": {"spec": {"containers": [{"name": "chart-operator"}]}}},
}


def values(kind: str) -> dict[str, Any]:
    field = "data" if kind == "ConfigMap" else "stringData"
    metadata = {"name": "test-cluster-values", "namespace": "org"}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, field: {"values": VALUES}}


def warnings(spec: dict[str, Any], *items: dict[str, Any]) -> list[tuple[str, str]]:
    """Kind and advice of each warning about a password."""
    config = {"apiVersion": "fn.inject-proxy.io/v1alpha1", "kind": "ProxyConfig", "spec": spec}
    whole = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": [SECRET, *items],
        "functionConfig": config,
    }
    results = run(json.dumps(whole).encode()).results
    assert not [one for one in results if one.severity is Severity.ERROR]
    assert PASSWORD not in "".join(one.line() for one in results)
    found = [one for one in results if "holds the password of the proxy in clear text" in one.message]
    assert {one.severity for one in found} <= {Severity.WARNING}
    return [(one.ref.kind, one.message.partition("Secret: ")[2]) for one in found]


APPLICATION = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Application",
    "metadata": {"name": "velero", "annotations": {"fn.inject-proxy.io/proxy": "true"}},
    "spec": {"source": {"chart": "velero"}},
}


@pytest.mark.parametrize(
    ("obj", "advice"),
    [
        pytest.param(APPLICATION, "Argo CD takes no values of a chart from a Secret, so give", id="an Application"),
        pytest.param(values("ConfigMap"), "move these values to a Secret, which charts", id="a ConfigMap with values"),
        pytest.param(RELEASE, "move these values to a Secret, and name it in `spec.valuesFrom`", id="a HelmRelease"),
        pytest.param(CONTROL_PLANE, "set `content: Secret` for the targets", id="files of nodes"),
        pytest.param(RKE2, "give the target `rke2` a proxy without a password", id="nodes that read no Secret"),
        pytest.param(DEPLOYMENT, "give the target `chartOperator` a proxy without a password", id="a Deployment"),
    ],
)
def test_an_object_that_gets_a_password_from_a_secret_is_one_warning(obj: dict[str, Any], advice: str) -> None:
    ((kind, text),) = warnings(FROM_SECRET, obj)
    assert kind == obj["kind"]
    assert text.startswith(advice)


@pytest.mark.parametrize(
    ("kind", "spec", "advice"),
    [
        ("KubeadmControlPlane", {"kubeadmConfigSpec": {}}, "set `content: Secret` for the targets"),
        ("RKE2ControlPlane", {}, "give the target `clusterClass` a proxy without a password"),
    ],
)
def test_the_advice_for_a_class_is_what_its_nodes_can_do(kind: str, spec: Any, advice: str) -> None:
    patched = {**FROM_SECRET, "targets": {"clusterClass": {"sharedTemplates": "Patch"}}}
    ((found, text),) = warnings(patched, of_class(kind), template_of(kind, spec))
    assert found == "ClusterClass"
    assert text.startswith(advice)


@pytest.mark.parametrize(
    ("spec", "obj"),
    [
        pytest.param(FROM_SECRET, values("Secret"), id="another Secret"),
        pytest.param({"httpProxy": URL, "httpsProxy": URL}, CONTROL_PLANE, id="a password of the ProxyConfig itself"),
        pytest.param(
            {**FROM_SECRET, "httpProxy": "http://p.corp.example:1", "httpsProxy": "http://p.corp.example:1"},
            CONTROL_PLANE,
            id="a proxy of the ProxyConfig in its place",
        ),
        pytest.param({**FROM_SECRET, "mode": "Remove"}, CONTROL_PLANE, id="removal"),
    ],
)
def test_no_other_password_is_one(spec: dict[str, Any], obj: dict[str, Any]) -> None:
    assert warnings(spec, obj) == []
