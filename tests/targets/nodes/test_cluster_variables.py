"""The variables of a Cluster that is made of a ClusterClass."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.carriers.cluster_variables import class_of
from krm_fn.clusters import Topology
from krm_fn.krm.resourcelist import objects


@pytest.mark.parametrize(
    ("topology", "name", "namespace"),
    [
        pytest.param(None, "", "", id="no topology"),
        pytest.param({"class": {"name": "a"}, "classRef": "b"}, "", "", id="wrong types"),
        pytest.param({"class": "", "classRef": {"name": " "}}, "", "", id="empty names"),
        pytest.param({"class": "a"}, "a", "org", id="v1beta1"),
        pytest.param({"class": "a", "classNamespace": "b"}, "a", "b", id="v1beta1 with a namespace"),
        pytest.param({"class": "a", "classRef": {"name": "b", "namespace": "c"}}, "b", "c", id="v1beta2 comes first"),
    ],
)
def test_targets_and_topology_read_one_class_of_a_cluster(topology: Any, name: str, namespace: str) -> None:
    metadata = {"name": "one", "namespace": "org"}
    data = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": metadata}
    (obj,) = objects({**data, "spec": {"topology": topology}})
    key = Topology([obj]).class_of(obj)

    assert class_of(obj.data) == name
    assert key == (("cluster.x-k8s.io", "ClusterClass", namespace, name, "") if name else None)
