"""What a cluster outside of Cluster API says of its network, and what holds where it says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.clusters import Cluster, ClusterNetwork, Topology
from krm_fn.krm.resourcelist import Object, reference

KUBEONE = "kubeone.k8c.io/v1beta2", "KubeOneCluster"
RANCHER = "provisioning.cattle.io/v1", "Cluster"
EC2 = "karpenter.k8s.aws/v1", "EC2NodeClass"
AKS = "containerservice.azure.com/v1api20240901", "ManagedCluster"


def alone(kind: tuple[str, str], data: dict[str, Any]) -> Cluster:
    data = {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "prod"}, **data}
    obj = Object((), data, reference(data))
    found = Topology([obj]).standalone_cluster(obj)
    assert found is not None
    return found


def values(network: ClusterNetwork) -> dict[str, str]:
    return {name: fact.value for name in network._fields for fact in getattr(network, name)}


SAID = [
    pytest.param(
        KUBEONE,
        {"cloudProvider": {"aws": {}}, "controlPlane": {"hosts": [{"publicAddress": "192.0.2.7"}]}},
        ["192.0.2.7", "AWSCluster"],
        id="hosts and cloud of KubeOne",
    ),
    pytest.param(AKS, {"spec": {}}, ["AzureManagedCluster"], id="AKS is on Azure"),
    pytest.param(EC2, {"spec": {}}, ["AWSManagedControlPlane"], id="Karpenter's nodes are on AWS"),
]


@pytest.mark.parametrize(("kind", "data", "expected"), SAID)
def test_what_it_says_counts(kind: tuple[str, str], data: dict[str, Any], expected: list[str]) -> None:
    assert [fact.value for facts in alone(kind, data).network for fact in facts] == expected


def test_nothing_is_assumed_of_a_cluster_that_rancher_did_not_make() -> None:
    assert values(alone(RANCHER, {"spec": {}}).assumed) == {}
