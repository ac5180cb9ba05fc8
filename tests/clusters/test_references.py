"""Which object a reference, a name or a label means: the nearest one, and one whose namespace is open may be any."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.clusters import Folders, Key, ObjectIndex, Topology
from manifests import cluster, config_template, machine_deployment, named, obj, reference, with_value, workload

CLUSTER_LABEL = "cluster.x-k8s.io/cluster-name"
LATER = "${NAMESPACE}"


def put(data: dict[str, Any], namespace: str) -> dict[str, Any]:
    return with_value(data, ("metadata", "namespace"), namespace)


def clusters_of(asked: dict[str, Any], *others: dict[str, Any]) -> list[str]:
    found = Topology(map(obj, [*others, asked])).of(obj(asked))
    return [f"{membership.cluster.namespace}/{membership.cluster.name}" for membership in found]


def class_of_everything(namespace: str) -> list[dict[str, Any]]:
    """A class, and the template of its control plane."""
    spec = {"controlPlane": {"ref": reference("KubeadmControlPlaneTemplate", "cp")}}
    return [put(named("ClusterClass", "small", spec=spec), namespace)]


OPEN = [pytest.param("", id="without a namespace"), pytest.param(LATER, id="with a namespace that is filled in later")]
OTHER = cluster("other")  # so that no object belongs to the only Cluster of the list


@pytest.mark.parametrize("left_out", OPEN)
class TestBothDirections:
    def test_a_machine_deployment_refers_to_its_bootstrap_template(self, left_out: str) -> None:
        template, workers = config_template("workers"), machine_deployment()

        for one, other in (("a", left_out), (left_out, "a")):
            assert clusters_of(put(template, one), put(workers, other), put(cluster(), other), OTHER) == [
                f"{other}/prod"
            ]
            assert clusters_of(put(template, one), put(workers, one), put(cluster(), other), OTHER) == [f"{other}/prod"]

    def test_a_cluster_is_made_of_a_class_and_a_class_of_templates(self, left_out: str) -> None:
        whole = cluster(topology={"class": "small"})
        template = named("KubeadmControlPlaneTemplate", "cp")

        for one, other in (("a", left_out), (left_out, "a")):
            (its_class,) = class_of_everything(one)
            assert clusters_of(its_class, put(whole, other), OTHER) == [f"{other}/prod"]
            assert clusters_of(put(template, other), its_class, put(whole, other), OTHER) == [f"{other}/prod"]
            assert clusters_of(put(template, one), its_class, put(whole, other), OTHER) == [f"{other}/prod"]

    def test_a_label_and_an_owner(self, left_out: str) -> None:
        labelled = config_template("x", labels={CLUSTER_LABEL: "prod"})
        owned = config_template("x", owners=[reference("Cluster", "prod")])

        for data in (labelled, owned):
            assert clusters_of(put(data, "a"), put(cluster(), left_out), OTHER) == [f"{left_out}/prod"]
            assert clusters_of(put(data, left_out), put(cluster(), "a"), OTHER) == ["a/prod"]


TWO = [put(cluster("prod"), "a"), put(cluster("prod"), "b")]


def test_one_name_in_two_namespaces() -> None:
    memberships = Topology(map(obj, TWO)).of(obj(workload(namespace="x", labels={CLUSTER_LABEL: "prod"})))

    assert [f"{member.cluster.namespace}/{member.cluster.name}" for member in memberships] == ["a/prod", "b/prod"]
    assert {member.is_certain for member in memberships} == {False}


@pytest.mark.parametrize(
    ("namespace", "expected"),
    [pytest.param("org-b", ["org-b/prod"], id="its namespace"), pytest.param("evil", [], id="another namespace")],
)
def test_the_only_cluster_of_the_list_has_no_nodes_in_another_namespace(namespace: str, expected: list[str]) -> None:
    """An override for this Cluster, and the password in it, is not for whoever leaves the label out."""
    only = put(cluster("prod"), "org-b")
    assert clusters_of(put(named("KubeadmConfig", "x"), namespace), only) == expected


def key(file: str, namespace: str = "org", name: str = "a") -> Key:
    return Key("", "ConfigMap", namespace, name, file)


@pytest.mark.parametrize(
    ("files", "file", "meant"),
    [
        pytest.param(["a.yaml", "x/a.yaml"], "x/b.yaml", ["x/a.yaml"], id="its own folder"),
        pytest.param(["a.yaml", "x/a.yaml"], "x/a.yaml", ["x/a.yaml"], id="its own file"),
        pytest.param(["a.yaml", "y/a.yaml"], "x/z/b.yaml", ["a.yaml"], id="the folder around it before one beside it"),
        pytest.param(["x/a.yaml", "y/a.yaml"], "b.yaml", ["x/a.yaml", "y/a.yaml"], id="both that are equally near"),
        pytest.param(["x/y/a.yaml", "x/a.yaml"], "x/b.yaml", ["x/a.yaml"], id="beside it before below it"),
        pytest.param(["x/a.yaml"], "xy/b.yaml", ["x/a.yaml"], id="a folder is known by its whole name"),
        pytest.param(["/r/x/a.yaml", "/r/y/a.yaml"], "/r/x/b.yaml", ["/r/x/a.yaml"], id="absolute names"),
        pytest.param(["../x/a.yaml", "y/a.yaml"], "../x/b.yaml", ["../x/a.yaml"], id="names above"),
    ],
)
def test_a_reference_means_the_nearest(files: list[str], file: str, meant: list[str]) -> None:
    index = ObjectIndex((key(name), None) for name in files)
    assert [found.file for found in index.candidates(key(file))] == meant


@pytest.mark.parametrize(
    ("near", "far", "meant"),
    [
        pytest.param("", "org", "x/near.yaml", id="one without a namespace, which may be any"),
        pytest.param("other", "org", "far.yaml", id="none of another namespace"),
        pytest.param("${NAMESPACE}", "org", "x/near.yaml", id="a placeholder"),
    ],
)
def test_the_nearest_counts_before_the_one_of_the_very_namespace(near: str, far: str, meant: str) -> None:
    index = ObjectIndex([(key("x/near.yaml", near), None), (key("far.yaml", far), None)])
    assert [found.file for found in index.candidates(key("x/b.yaml"))] == [meant]


@pytest.mark.parametrize(
    ("clusters", "objects", "is_reached"),
    [
        pytest.param([], [], True, id="no Clusters and no object in common"),
        pytest.param(["dev/c.yaml"], [], True, id="one has a Cluster"),
        pytest.param(["dev/c.yaml", "prod/c.yaml"], [], False, id="both have a Cluster"),
        pytest.param([], ["dev/web.yaml", "prod/web.yaml"], False, id="both hold one object"),
        pytest.param([], ["dev/web.yaml", "other/web.yaml"], True, id="a third one holds the same object"),
    ],
)
def test_a_folder_of_another_cluster_is_out_of_reach(clusters: list[str], objects: list[str], is_reached: bool) -> None:
    folders = Folders(key(file, name="cluster") for file in clusters)
    for file in objects:
        folders.add(key(file, name="web"))
    index = ObjectIndex([(key("dev/a.yaml"), None)], folders)
    assert bool(index.candidates(key("prod/b.yaml"))) is is_reached
