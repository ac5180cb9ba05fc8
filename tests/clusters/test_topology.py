"""Clusters of one namespace and name in several files: a folder of templates is many lists in one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from function_configs import list_with_config
from krm_fn.clusters import Topology
from krm_fn.krm.results import Result, Severity
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from manifests import (
    cluster,
    config_template,
    control_plane,
    machine_deployment,
    named,
    obj,
    reference,
    with_value,
    workload,
)

NAME = "${CLUSTER_NAME}"
LABEL = "cluster.x-k8s.io/cluster-name"
PATH = "internal.config.kubernetes.io/path"


def at(file: str, data: dict[str, Any]) -> dict[str, Any]:
    """The object as an orchestrator sends it, with the path of its file."""
    metadata = {**data["metadata"], "annotations": {PATH: file}}
    return {**data, "metadata": metadata}


def of_pods(pods: str) -> dict[str, Any]:
    """A Cluster with that network of pods."""
    network = {"pods": {"cidrBlocks": [pods]}, "services": {"cidrBlocks": ["10.43.0.0/16"]}}
    return cluster(NAME, clusterNetwork=network, infrastructureRef=reference("AWSCluster", NAME))


def patch_of(pods: str) -> dict[str, Any]:
    return cluster(NAME, clusterNetwork={"pods": {"cidrBlocks": [pods]}})


def workers(name: str = "workers") -> dict[str, Any]:
    return machine_deployment(f"{NAME}-md-0", of=NAME, uses=name)


PLANE = named("KubeadmControlPlane", "cp", labels={LABEL: NAME}, spec={"kubeadmConfigSpec": {}})
PODS_OF_A, PODS_OF_B = "10.1.0.0/16", "10.2.0.0/16"
TWO_FILES = [at("t/a.yaml", of_pods(PODS_OF_A)), at("t/b.yaml", of_pods(PODS_OF_B))]
TWO_FOLDERS = [at("t/a/cluster.yaml", of_pods(PODS_OF_A)), at("t/b/cluster.yaml", of_pods(PODS_OF_B))]


def pods_of(asked: dict[str, Any], *others: dict[str, Any]) -> list[str]:
    found = Topology(map(obj, [*others, asked])).of(obj(asked))
    return sorted({fact.value for each in found for fact in each.cluster.network.pod_cidrs})


@pytest.mark.parametrize(
    ("asked", "others", "expected"),
    [
        pytest.param(at("t/b.yaml", PLANE), TWO_FILES, [PODS_OF_B], id="by a label, that of its own file"),
        pytest.param(
            at("t/b.yaml", config_template("workers")),
            [
                *TWO_FILES,
                *(at(f"t/{one}.yaml", each) for one in "ab" for each in (workers(), config_template("workers"))),
            ],
            [PODS_OF_B],
            id="by a reference, which means the template of its own file",
        ),
        pytest.param(
            at("t/a.yaml", config_template("workers", namespace="${NAMESPACE}")),
            [
                *TWO_FILES,
                at("t/b.yaml", config_template("workers")),
                *(
                    at(f"t/{file}.yaml", {**workers(), "metadata": {"name": f"md-{file}", "namespace": "${NAMESPACE}"}})
                    for file in "ab"
                ),
            ],
            [PODS_OF_A],
            id="by a reference, whose own file has a template without a namespace",
        ),
        pytest.param(
            at("t/shared.yaml", config_template("workers")),
            [*TWO_FILES, at("t/a.yaml", workers()), at("t/b.yaml", workers())],
            [PODS_OF_A, PODS_OF_B],
            id="a template in a file of its own that both use",
        ),
        pytest.param(at("t/b/x/md.yaml", workers()), TWO_FOLDERS, [PODS_OF_B], id="else that of the nearest folder"),
        pytest.param(
            at("t/md.yaml", workers()),
            [at("t/cluster.yaml", of_pods(PODS_OF_A)), at("t/b/cluster.yaml", of_pods(PODS_OF_B))],
            [PODS_OF_A],
            id="its own folder goes before one below it",
        ),
        pytest.param(
            at("t/b/md.yaml", workers()),
            [at("t/cluster.yaml", of_pods(PODS_OF_A)), at("t/b/patch.yaml", patch_of(PODS_OF_B))],
            [PODS_OF_A],
            id="a patch is no Cluster of its own",
        ),
    ],
)
def test_the_nearest_cluster_counts(asked: dict[str, Any], others: list[dict[str, Any]], expected: list[str]) -> None:
    assert pods_of(asked, *others) == expected
    assert pods_of(asked, *reversed(others)) == expected or not asked["metadata"].get("annotations")


@pytest.mark.parametrize(
    ("file", "expected"), [("t/a.yaml", ["${PODS}", PODS_OF_A]), ("t/b.yaml", [PODS_OF_A])], ids=["its file", "another"]
)
def test_the_only_cluster_of_the_list_hands_no_placeholder_to_another_file(file: str, expected: list[str]) -> None:
    whole = with_value(of_pods(PODS_OF_A), ("spec", "clusterNetwork", "pods", "cidrBlocks"), ["${PODS}", PODS_OF_A])
    assert pods_of(at(file, workload()), at("t/a.yaml", whole)) == expected


def test_a_name_that_is_filled_in_later_is_no_cluster_of_another_file() -> None:
    whole = at("t/prod.yaml", with_value(of_pods(PODS_OF_A), ("metadata", "name"), "prod"))
    assert pods_of(at("t/a.yaml", workers()), whole) == []
    assert pods_of(at("t/prod.yaml", workers()), whole) == [PODS_OF_A]


SPEC = {
    "httpProxy": "http://svc:hunter2@proxy:1",
    "httpsProxy": "http://svc:hunter2@proxy:1",
    "clusterDefaults": {"endpoint": "10.0.0.1", "networks": ["10.0.0.0/24"]},
    "targets": {"nodes": {"kubelet": False, "commands": False}},
}


def run_over(files: dict[str, list[dict[str, Any]]], **targets: Any) -> Outcome:
    items = [at(file, data) for file, objects in files.items() for data in objects]
    outcome = run(list_with_config({**SPEC, **targets}, *items))
    assert outcome.exit_code == 0
    return outcome


def written(outcome: Outcome, file: str, kind: str) -> str:
    """The objects of a kind in a file, behind a run."""
    items = [item for item in json.loads(outcome.output)["items"] if item["kind"] == kind]
    return json.dumps([item for item in items if item["metadata"]["annotations"][PATH] == file])


def warnings(outcome: Outcome) -> list[Result]:
    return [result for result in outcome.results if result.severity is Severity.WARNING]


def template_file(pods: str) -> list[dict[str, Any]]:
    whole = of_pods(pods)
    whole["spec"]["controlPlaneRef"] = reference("KubeadmControlPlane", f"{NAME}-cp")
    return [whole, control_plane(f"{NAME}-cp")]


def test_the_system_of_one_file_is_not_that_of_another() -> None:
    of_oke = of_pods(PODS_OF_B)
    of_oke["spec"]["controlPlaneRef"] = reference("OCIManagedControlPlane", "x") | {
        "apiVersion": "controlplane.cluster.x-k8s.io/v1beta1"
    }
    outcome = run_over({"a.yaml": template_file(PODS_OF_A), "b.yaml": [of_oke]})

    left = [result.ref for result in warnings(outcome) if result.code == "NodesWithoutProxy"]
    assert [(ref.kind, ref.file_path) for ref in left] == [("Cluster", "b.yaml")]


def test_a_class_of_one_file_is_not_made_of_the_templates_of_another() -> None:
    to_plane = reference("KubeadmControlPlaneTemplate", "cp")
    spec = {"template": {"spec": {"kubeadmConfigSpec": {"files": []}}}}
    plane = named("KubeadmControlPlaneTemplate", "cp", spec=spec)
    its_class = named("ClusterClass", "c", spec={"controlPlane": {"ref": to_plane}})
    used = named("Machine", "m", spec={"bootstrap": {"configRef": to_plane}})
    files = {"a.yaml": [its_class, plane], "b.yaml": [plane, used]}
    outcome = run_over(files, targets={"nodes": {"classes": "Patch"}})

    assert "injectProxy" in written(outcome, "a.yaml", "ClusterClass")


def test_an_object_that_is_near_to_several_gets_what_all_of_them_need_and_is_named() -> None:
    files = {"t/a.yaml": template_file(PODS_OF_A), "t/b.yaml": template_file(PODS_OF_B)}
    template = with_value(config_template("w", labels={LABEL: NAME}), ("spec",), {"template": {"spec": {}}})
    outcome = run_over({**files, "t/c.yaml": [template]})

    (said,) = [result for result in outcome.results if result.code == "ClusterAmbiguous"]
    assert said.ref.file_path == "t/c.yaml"
    assert "`t/a.yaml`, `t/b.yaml`" in said.message
    assert "hunter2" not in said.message
    assert all(pods in written(outcome, "t/c.yaml", "KubeadmConfigTemplate") for pods in (PODS_OF_A, PODS_OF_B))
