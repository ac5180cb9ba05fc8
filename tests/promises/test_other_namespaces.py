"""What an object of another namespace says changes nothing in a namespace: nothing goes, nothing comes, no run ends."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from function_configs import list_with_config
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from krm_fn.yamledit import read
from manifests import API_VERSIONS, named, reference, with_value

PLAIN = {"httpProxy": "http://plain.example:1", "httpsProxy": "http://plain.example:1"}
OF_TEAM_A = {"httpProxy": "http://svc:hunter2@a.example:1", "httpsProxy": "http://svc:hunter2@a.example:1"}
OF_TEAM_B = {"httpProxy": "http://b.example:1", "httpsProxy": "http://b.example:1"}
SPEC = {
    **PLAIN,
    "noProxy": [".corp.example"],
    "overrides": [{"match": {"clusters": ["a"]}, **OF_TEAM_A}, {"match": {"namespaces": ["team-b"]}, **OF_TEAM_B}],
}
LABEL = "cluster.x-k8s.io/cluster-name"
NAMESPACE_NOTE = "cluster.x-k8s.io/cluster-namespace"
SIZES = {"pods": {"cidrBlocks": ["192.168.0.0/16"]}, "services": {"cidrBlocks": ["10.43.0.0/16"]}}
FOREIGN_VPC = {"network": {"vpc": {"cidrBlock": "203.0.113.0/24"}}}
FOREIGN = {"pods": {"cidrBlocks": ["203.0.113.0/24"]}, "services": {"cidrBlocks": ["10.99.0.0/16"]}}


def machines(name: str, where: str, of: str, **to: str) -> dict[str, Any]:
    config = reference("KubeadmConfigTemplate", "a-md-0", **to)
    spec = {"clusterName": of, "template": {"spec": {"clusterName": of, "bootstrap": {"configRef": config}}}}
    return named("MachineDeployment", name, namespace=where, spec=spec)


def of_class(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    return named("Cluster", name, namespace=namespace, spec=spec)


def small_class(where: str, patches: list[Any] | None = None, **to: str) -> dict[str, Any]:
    plane = {"ref": reference("KubeadmControlPlaneTemplate", "small-cp", **to)}
    return named("ClusterClass", "small", namespace=where, spec={"controlPlane": plane, "patches": patches or []})


ERASES = {
    "name": "x",
    "definitions": [
        {
            "selector": {
                "apiVersion": API_VERSIONS["KubeadmControlPlaneTemplate"],
                "kind": "KubeadmControlPlaneTemplate",
                "matchResources": {"controlPlane": True},
            },
            "jsonPatches": [
                {"op": "replace", "path": "/spec/template/spec/kubeadmConfigSpec/preKubeadmCommands", "value": ["x"]}
            ],
        }
    ],
}
HOME = [
    named(
        "Cluster",
        "a",
        namespace="team-a",
        spec={
            "clusterNetwork": SIZES,
            "controlPlaneRef": reference("KubeadmControlPlane", "a-cp"),
            "infrastructureRef": reference("AWSCluster", "a"),
        },
    ),
    named("KubeadmControlPlane", "a-cp", namespace="team-a", spec={"kubeadmConfigSpec": {}}),
    named("AWSCluster", "a", namespace="team-a", spec={"network": {"vpc": {"cidrBlock": "10.1.0.0/16"}}}),
    machines("a-md-0", "team-a", "a"),
    named("KubeadmConfigTemplate", "a-md-0", namespace="team-a", spec={"template": {"spec": {}}}),
    small_class("team-a"),
    named(
        "KubeadmControlPlaneTemplate",
        "small-cp",
        namespace="team-a",
        spec={"template": {"spec": {"kubeadmConfigSpec": {}}}},
    ),
    of_class("a-small", "team-a", clusterNetwork=SIZES, topology={"class": "small"}),
]
"""All that team A has."""

STRANGERS = [
    pytest.param([machines("x", "team-b", "a", namespace="team-a")], id="machines of the same Cluster name"),
    pytest.param(
        [
            named(
                "Cluster",
                "b",
                namespace="team-b",
                spec={
                    "clusterNetwork": FOREIGN,
                    "controlPlaneRef": reference("KubeadmControlPlane", "a-cp", namespace="team-a"),
                    "infrastructureRef": reference("AWSCluster", "a", namespace="team-a"),
                },
            )
        ],
        id="a Cluster that names the control plane and the infrastructure",
    ),
    pytest.param(
        [of_class("b", "team-b", clusterNetwork=FOREIGN, topology={"class": "small", "classNamespace": "team-a"})],
        id="a Cluster of the class, with another proxy",
    ),
    pytest.param([small_class("team-b", [ERASES], namespace="team-a")], id="a class that erases what they hold"),
    pytest.param(
        [
            named(
                "KubeadmControlPlane",
                "x",
                namespace="team-b",
                labels={LABEL: "a"},
                spec={"kubeadmConfigSpec": {"clusterConfiguration": {"networking": {"podSubnet": "203.0.113.0/24"}}}},
            )
        ],
        id="a control plane with the label of the Cluster",
    ),
    pytest.param(
        [
            with_value(
                named("AWSCluster", "a", namespace="team-b", labels={LABEL: "a"}, spec=FOREIGN_VPC),
                ("metadata", "annotations"),
                {NAMESPACE_NOTE: "team-a"},
            )
        ],
        id="an infrastructure that names the namespace, too",
    ),
]
MODES = [
    pytest.param({}, id="as it is"),
    pytest.param({"rollout": {"hashNames": True}}, id="with hashed names"),
    pytest.param({"targets": {"nodes": {"classes": "Patch"}}}, id="with patches"),
]


def outcome_of(items: list[dict[str, Any]], spec: dict[str, Any]) -> Outcome:
    return outcome_of_bytes(list_with_config(spec, *items))


@functools.cache
def outcome_of_bytes(data: bytes) -> Outcome:
    """What a run makes of a list; what team A has alone is asked for by many tests."""
    return run(data)


def of_team_a(outcome: Outcome) -> list[dict[str, Any]]:
    items = read(outcome.output.decode())["items"]
    return [item for item in items if item["metadata"]["namespace"] == "team-a"]


HOMES = {"two Clusters": HOME, "one Cluster": HOME[:5]}
CASES = [
    pytest.param(home, *strangers.values, *mode.values, id=f"{strangers.id}, {mode.id}, {name}")
    for row, strangers in enumerate(STRANGERS)
    for column, mode in enumerate(MODES)
    for name, home in [list(HOMES.items())[(row + column) % 2]]
]
"""Each stranger in each mode, beside one Cluster or two by turns."""


@pytest.mark.parametrize(("home", "strangers", "mode"), CASES)
def test_others_have_no_say(home: list[dict[str, Any]], strangers: list[dict[str, Any]], mode: dict[str, Any]) -> None:
    spec = {**SPEC, **mode}
    alone, together = outcome_of(home, spec), outcome_of([*strangers, *home], spec)
    assert (alone.exit_code, together.exit_code) == (0, 0)
    assert alone.changed
    assert of_team_a(together) == of_team_a(alone)


@pytest.mark.parametrize(
    ("trusted", "code"), [([], "OtherNamespace"), (["team-*"], "SharedObject")], ids=["a stranger", "it is trusted"]
)
@pytest.mark.parametrize("home", [HOME, [item for item in HOME if item["kind"] != "Cluster"]], ids=len)
def test_networks_of_a_cluster_with_a_class_elsewhere(home: list[Any], trusted: list[str], code: str) -> None:
    guest = of_class("b", "team-b", clusterNetwork=FOREIGN, topology={"class": "small", "classNamespace": "team-a"})
    outcome = outcome_of([guest, *home], {**SPEC, "trustedNamespaces": trusted})
    (plane,) = (item for item in of_team_a(outcome) if item["kind"] == "KubeadmControlPlaneTemplate")
    assert ("203.0.113.0/24" in json.dumps(plane)) == bool(trusted)
    said = [result for result in outcome.results if result.code == code]
    assert home is not HOME or ("small-cp", "team-a") in [(result.ref.name, result.ref.namespace) for result in said]
    assert all("`Cluster/team-b/b`" in result.message and "hunter2" not in result.message for result in said)
