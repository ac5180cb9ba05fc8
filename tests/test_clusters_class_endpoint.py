"""The endpoint of a Cluster that only a variable of its ClusterClass says, and what is asked of such a Cluster."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from cluster_objects import cluster, named, obj, reference
from krm_fn.clusters import Topology
from krm_fn.krm.results import Result
from krm_fn.patch import field_path
from krm_fn.pipeline import run

ENDPOINT = "/spec/template/spec/controlPlaneEndpoint"
CAPV = "host: '{{ .controlPlaneIpAddr }}'\nport: {{ .controlPlanePort }}\n"


def class_with(*patches: dict[str, Any], name: str = "vs", **variables: Any) -> dict[str, Any]:
    """A class with those JSON Patches, and variables with those defaults."""
    schemas = [
        {"name": key, "schema": {"openAPIV3Schema": {"type": "string"} | ({"default": value} if value else {})}}
        for key, value in variables.items()
    ]
    spec = {
        "controlPlane": {"ref": reference("KubeadmControlPlaneTemplate", "cp")},
        "infrastructure": {"ref": reference("VSphereClusterTemplate", "vs")},
        "patches": [{"name": "x", "definitions": [{"jsonPatches": list(patches)}]}],
        "variables": schemas,
    }
    return named("ClusterClass", name, spec=spec)


def patch(path: str, **source: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, **source}


def of_class(name: str = "vs", endpoint: str = "", **variables: Any) -> dict[str, Any]:
    entries = [{"name": key, "value": value} for key, value in variables.items()]
    spec: dict[str, Any] = {"topology": {"class": name, "variables": entries}}
    if endpoint:
        spec["controlPlaneEndpoint"] = {"host": endpoint}
    return cluster(**spec)


BY_TEMPLATE = class_with(patch(ENDPOINT, valueFrom={"template": CAPV}))


@pytest.mark.parametrize(
    ("its_class", "one", "expected"),
    [
        pytest.param(
            BY_TEMPLATE,
            of_class(controlPlaneIpAddr="10.0.0.9"),
            ("10.0.0.9", "spec.topology.variables[0].value"),
            id="in a Go template for the whole endpoint, as in the class of vSphere",
        ),
        pytest.param(
            class_with(patch(f"{ENDPOINT}/host", valueFrom={"template": "{{ .vip }}"})),
            of_class(port=1, vip="10.0.0.9"),
            ("10.0.0.9", "spec.topology.variables[1].value"),
            id="in a Go template for the host",
        ),
        pytest.param(
            class_with(patch(f"{ENDPOINT}/host", valueFrom={"variable": "net.vip"})),
            of_class(net={"vip": "api.corp.example"}),
            ("api.corp.example", "spec.topology.variables[0].value.vip"),
            id="a member of a variable",
        ),
        pytest.param(
            class_with(patch(ENDPOINT, valueFrom={"variable": "endpoint"})),
            of_class(),
            None,
            id="a variable that the Cluster does not set",
        ),
        pytest.param(
            class_with(patch(f"{ENDPOINT}/host", valueFrom={"variable": "vip"}), vip="10.0.0.7"),
            of_class(),
            ("10.0.0.7", "spec.variables[0].schema.openAPIV3Schema.default"),
            id="the default of the class",
        ),
        pytest.param(
            BY_TEMPLATE,
            of_class(endpoint="10.0.0.1", controlPlaneIpAddr="10.0.0.9"),
            ("10.0.0.1", "spec.controlPlaneEndpoint.host"),
            id="what the Cluster says itself goes before",
        ),
        pytest.param(
            class_with(patch(ENDPOINT, valueFrom={"template": 'host: {{ printf "%s.x" .vip }}'})),
            of_class(vip="a"),
            None,
            id="what a template works out is not known",
        ),
        pytest.param(
            class_with(patch(f"{ENDPOINT}/host", valueFrom={"variable": "builtin.cluster.name"})),
            of_class(builtin={"cluster": {"name": "x"}}),
            None,
            id="a builtin variable is none of the Cluster",
        ),
        pytest.param(BY_TEMPLATE, of_class(controlPlaneIpAddr="svc:hunter2@host"), None, id="never a credential"),
        pytest.param(BY_TEMPLATE, of_class(controlPlaneIpAddr=["a"]), None, id="a value of another type"),
        pytest.param(
            named("ClusterClass", "unused", spec={}),
            of_class("tkg-vsphere-default-v1.1.0", apiServerEndpoint="10.0.0.9"),
            ("10.0.0.9", "spec.topology.variables[0].value"),
            id="a class of TKG that is not in the list",
        ),
        pytest.param(
            named("ClusterClass", "unused", spec={}),
            of_class("own", apiServerEndpoint="10.0.0.9"),
            None,
            id="the same variable of another class",
        ),
    ],
)
def test_the_endpoint_that_a_variable_says(
    its_class: dict[str, Any], one: dict[str, Any], expected: tuple[str, str] | None
) -> None:
    (found,) = Topology(map(obj, [its_class, one])).clusters
    said = [(fact.value, field_path(fact.path)) for fact in found.network.endpoint]
    assert said == ([expected] if expected else [])


def results(*items: dict[str, Any]) -> list[Result]:
    spec = {
        "httpProxy": "http://svc:hunter2@proxy:1",
        "httpsProxy": "http://svc:hunter2@proxy:1",
        "noProxyPolicy": {"derive": {"networks": False}},
        "targets": {"clusterClass": {"sharedTemplates": "Patch"}},
    }
    config = {"apiVersion": "fn.inject-proxy.io/v1alpha1", "kind": "ProxyConfig", "metadata": {"name": "p"}}
    data = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": list(items)}
    outcome = run(yaml.safe_dump({**data, "functionConfig": {**config, "spec": spec}}).encode())
    assert outcome.exit_code == 0
    return [one for one in outcome.results if one.code == "NP038"]


SIZES = {"pods": {"cidrBlocks": ["192.168.0.0/16"]}, "services": {"cidrBlocks": ["10.43.0.0/16"]}}
PLANE = named("KubeadmControlPlaneTemplate", "cp", spec={"template": {"spec": {"kubeadmConfigSpec": {"files": []}}}})


def with_sizes(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "spec": {**data["spec"], "clusterNetwork": SIZES}}


def test_a_cluster_whose_list_is_that_of_its_class_is_asked_for_its_endpoint() -> None:
    (said,) = results(BY_TEMPLATE, PLANE, with_sizes(of_class()))
    assert said.ref.kind == "Cluster"
    assert "`endpoint` of `Cluster/prod`" in said.message
    assert results(BY_TEMPLATE, PLANE, with_sizes(of_class(controlPlaneIpAddr="10.0.0.9"))) == []
