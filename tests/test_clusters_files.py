"""Clusters of one namespace and name in several files: a folder of templates is many lists in one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml

from cluster_objects import (
    cluster,
    config_template,
    control_plane,
    deployment,
    machine_deployment,
    named,
    obj,
    reference,
    with_value,
)
from krm_fn.clusters import Topology
from krm_fn.krm.manifests import ManifestList
from krm_fn.krm.results import Result, Severity
from krm_fn.pipeline import Outcome, run_list
from krm_fn.plan.sources import Objects

NAME = "${CLUSTER_NAME}"
LABEL = "cluster.x-k8s.io/cluster-name"
PATH = "internal.config.kubernetes.io/path"


def at(file: str, data: dict[str, Any]) -> dict[str, Any]:
    """The object as an orchestrator sends it, with the path of its file."""
    metadata = {**data["metadata"], "annotations": {PATH: file}}
    return {**data, "metadata": metadata}


def of_pods(pods: str, name: str = NAME, kind: str = "AWSCluster") -> dict[str, Any]:
    """A Cluster with that network of pods."""
    network = {"pods": {"cidrBlocks": [pods]}, "services": {"cidrBlocks": ["10.43.0.0/16"]}}
    return cluster(name, clusterNetwork=network, infrastructureRef=reference(kind, name))


def patch_of(pods: str) -> dict[str, Any]:
    return cluster(NAME, clusterNetwork={"pods": {"cidrBlocks": [pods]}})


def workers(name: str = "workers") -> dict[str, Any]:
    return machine_deployment(f"{NAME}-md-0", of=NAME, uses=name)


PLANE = named("KubeadmControlPlane", "cp", labels={LABEL: NAME}, spec={"kubeadmConfigSpec": {}})
OWNED = config_template("x", owners=[reference("Cluster", NAME)])
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
        pytest.param(at("t/b.yaml", workers()), TWO_FILES, [PODS_OF_B], id="by `spec.clusterName`"),
        pytest.param(at("t/b.yaml", OWNED), TWO_FILES, [PODS_OF_B], id="by an owner reference"),
        pytest.param(at("t/b.yaml", deployment()), TWO_FILES, [PODS_OF_B], id="as the only Cluster of the list"),
        pytest.param(at("t/b.yaml", TWO_FILES[1]), TWO_FILES[:1], [PODS_OF_B], id="a Cluster is its own"),
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
            at("t/shared.yaml", config_template("workers")),
            [*TWO_FILES, at("t/a.yaml", workers()), at("t/b.yaml", workers())],
            [PODS_OF_A, PODS_OF_B],
            id="a template in a file of its own that both use",
        ),
        pytest.param(at("t/b/md.yaml", workers()), TWO_FOLDERS, [PODS_OF_B], id="else that of its own folder"),
        pytest.param(at("t/b/x/md.yaml", workers()), TWO_FOLDERS, [PODS_OF_B], id="else that of the nearest folder"),
        pytest.param(
            at("t/md.yaml", workers()),
            [at("t/cluster.yaml", of_pods(PODS_OF_A)), at("t/b/cluster.yaml", of_pods(PODS_OF_B))],
            [PODS_OF_A],
            id="its own folder goes before one below it",
        ),
        pytest.param(at("t/c.yaml", workers()), TWO_FILES, [PODS_OF_A, PODS_OF_B], id="all that are equally near"),
        pytest.param(
            at("t/b/md.yaml", workers()),
            [at("t/cluster.yaml", of_pods(PODS_OF_A)), at("t/b/patch.yaml", patch_of(PODS_OF_B))],
            [PODS_OF_A],
            id="a patch is no Cluster of its own",
        ),
        pytest.param(
            at("t/b/patch.yaml", patch_of(PODS_OF_B)),
            [at("t/cluster.yaml", of_pods(PODS_OF_A))],
            [PODS_OF_A],
            id="a patch belongs to the Cluster that it changes",
        ),
        pytest.param(
            at("t/overlay/patch.yaml", config_template("workers")),
            [
                at("t/base.yaml", of_pods(PODS_OF_A)),
                at("t/base.yaml", workers()),
                at("t/base.yaml", config_template("workers")),
            ],
            [PODS_OF_A],
            id="a patch of a template belongs to what uses the template",
        ),
        pytest.param(
            at("apps/web.yaml", deployment()), TWO_FILES, [], id="a workload elsewhere belongs to none of several"
        ),
        pytest.param(
            at("apps/md.yaml", workers()),
            [at("t/cluster.yaml", of_pods(PODS_OF_A)), at("t/b/cluster.yaml", of_pods(PODS_OF_B))],
            [PODS_OF_A, PODS_OF_B],
            id="a folder elsewhere is not nearer for being flatter",
        ),
        pytest.param(PLANE, [of_pods(PODS_OF_A), of_pods(PODS_OF_B)], [PODS_OF_A], id="without files the first counts"),
    ],
)
def test_an_object_belongs_to_the_nearest_cluster(
    asked: dict[str, Any], others: list[dict[str, Any]], expected: list[str]
) -> None:
    assert pods_of(asked, *others) == expected
    assert pods_of(asked, *reversed(others)) == expected or not asked["metadata"].get("annotations")


def test_clusters_that_say_the_same_are_one() -> None:
    twins = [at("t/a.yaml", of_pods(PODS_OF_A)), at("t/b.yaml", of_pods(PODS_OF_A))]
    asked = at("t/c.yaml", workers())
    assert len(Topology(map(obj, [*twins, asked])).of(obj(asked))) == 1


def test_an_infrastructure_says_the_network_of_the_cluster_in_its_file() -> None:
    def vpc(cidr: str) -> dict[str, Any]:
        return named("AWSCluster", NAME, spec={"network": {"vpc": {"cidrBlock": cidr}}})

    files = [("t/a.yaml", "10.8.0.0/16"), ("t/b.yaml", "10.9.0.0/16")]
    items = [at(file, data) for file, cidr in files for data in (of_pods(PODS_OF_A), vpc(cidr))]
    found = Topology(map(obj, items)).clusters
    assert [[fact.value for fact in one.network.networks] for one in found] == [["10.8.0.0/16"], ["10.9.0.0/16"]]


CONFIG = {
    "apiVersion": "fn.inject-proxy.io/v1alpha1",
    "kind": "ProxyConfig",
    "metadata": {"name": "p"},
    "spec": {
        "httpProxy": "http://svc:hunter2@proxy:1",
        "httpsProxy": "http://svc:hunter2@proxy:1",
        "clusterDefaults": {"endpoint": "10.0.0.1", "networks": ["10.0.0.0/24"]},
        "targets": {"kubeletDropIn": {"enabled": False}, "kubeadmCommands": {"enabled": False}},
    },
}


def run_over(files: dict[str, list[dict[str, Any]]]) -> tuple[Outcome, ManifestList]:
    manifests = ManifestList({name: yaml.safe_dump_all(items).encode() for name, items in files.items()})
    manifests.function_config = CONFIG
    return run_list(manifests, Objects(manifests)), manifests


def warnings(outcome: Outcome) -> list[Result]:
    assert outcome.exit_code == 0
    return [one for one in outcome.results if one.severity is Severity.WARNING]


def template_file(pods: str, **plane: Any) -> list[dict[str, Any]]:
    whole = of_pods(pods)
    whole["spec"]["controlPlaneRef"] = reference("KubeadmControlPlane", f"{NAME}-cp")
    return [whole, control_plane(f"{NAME}-cp", **plane)]


def test_each_file_of_templates_gets_the_network_of_its_own_cluster() -> None:
    outcome, manifests = run_over({"a.yaml": template_file(PODS_OF_A), "b.yaml": template_file(PODS_OF_B)})
    assert warnings(outcome) == []
    a, b = (manifests.changed[name] or b"" for name in ("a.yaml", "b.yaml"))
    assert (PODS_OF_A.encode() in a.split(b"KubeadmControlPlane\nmeta")[1], PODS_OF_B.encode() in a) == (True, False)
    assert (PODS_OF_B.encode() in b.split(b"KubeadmControlPlane\nmeta")[1], PODS_OF_A.encode() in b) == (True, False)


def test_the_system_of_one_file_is_not_that_of_another() -> None:
    of_oke = of_pods(PODS_OF_B)
    of_oke["spec"]["controlPlaneRef"] = reference("KubeadmControlPlane", "x") | {
        "kind": "OCIManagedControlPlane",
        "apiVersion": "controlplane.cluster.x-k8s.io/v1beta1",
    }
    outcome, _ = run_over({"a.yaml": template_file(PODS_OF_A), "b.yaml": [of_oke]})
    found = [(one.ref.kind, one.ref.file_path) for one in warnings(outcome) if one.code == "NodeSystemUnsupported"]
    assert found == [("Cluster", "b.yaml")]


def test_a_class_of_one_file_is_not_made_of_the_templates_of_another() -> None:
    plane = named(
        "KubeadmControlPlaneTemplate", "cp", spec={"template": {"spec": {"kubeadmConfigSpec": {"files": []}}}}
    )
    its_class = named(
        "ClusterClass", "c", spec={"controlPlane": {"ref": reference("KubeadmControlPlaneTemplate", "cp")}}
    )
    used = named("Machine", "m", spec={"bootstrap": {"configRef": reference("KubeadmControlPlaneTemplate", "cp")}})
    patched = {**CONFIG, "spec": {**CONFIG["spec"], "targets": {"clusterClass": {"sharedTemplates": "Patch"}}}}
    files = {"a.yaml": [its_class, plane], "b.yaml": [plane, used]}
    manifests = ManifestList({name: yaml.safe_dump_all(items).encode() for name, items in files.items()})
    manifests.function_config = patched
    outcome = run_list(manifests, Objects(manifests))
    assert [one.code for one in outcome.results if one.severity is Severity.ERROR] == []
    assert b"injectProxy" in (manifests.changed["a.yaml"] or b"")


def test_an_object_that_is_near_to_several_gets_what_all_of_them_need_and_a_warning() -> None:
    files = {"t/a.yaml": template_file(PODS_OF_A), "t/b.yaml": template_file(PODS_OF_B)}
    template = with_value(config_template("w", labels={LABEL: NAME}), ("spec",), {"template": {"spec": {}}})
    other = with_value(template, ("metadata", "name"), "v")
    outcome, manifests = run_over({**files, "t/c.yaml": [template, other]})
    (said,) = [one for one in warnings(outcome) if one.code == "ClusterNameTaken"]
    assert said.ref.file_path == "t/c.yaml"
    assert all(word in said.message for word in ("t/a.yaml and t/b.yaml", "1 more object"))
    assert "hunter2" not in said.message
    written = manifests.changed["t/c.yaml"] or b""
    assert Counter(pods.encode() in written for pods in (PODS_OF_A, PODS_OF_B)) == {True: 2}


def test_a_second_run_changes_nothing_and_a_removal_gives_back_what_was_there() -> None:
    files = {"t/a.yaml": template_file(PODS_OF_A), "t/b.yaml": template_file(PODS_OF_B), "t/c.yaml": [workers()]}
    before = {name: yaml.safe_dump_all(items).encode() for name, items in files.items()}
    _, manifests = run_over(files)
    after = {name: manifests.changed.get(name) or data for name, data in before.items()}
    for spec, expected in ((CONFIG["spec"], after), ({"mode": "Remove"}, before)):
        again = ManifestList(after)
        again.function_config = {**CONFIG, "spec": spec}
        assert run_list(again, Objects(again)).exit_code == 0
        assert {name: again.changed.get(name) or data for name, data in after.items()} == expected
