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


@pytest.mark.parametrize(
    ("kind", "spec", "assumed"),
    [
        pytest.param(RANCHER, {}, {}, id="Rancher did not make it"),
        pytest.param(AKS, {}, {"service_cidrs": "10.0.0.0/16"}, id="AKS"),
        pytest.param(KUBEONE, {}, {"pod_cidrs": "10.244.0.0/16", "service_cidrs": "10.96.0.0/12"}, id="KubeOne"),
        pytest.param(
            RANCHER, {"rkeConfig": {}}, {"pod_cidrs": "10.42.0.0/16", "service_cidrs": "10.43.0.0/16"}, id="Rancher"
        ),
    ],
)
def test_what_it_leaves_out_has_a_default(kind: tuple[str, str], spec: dict[str, Any], assumed: dict[str, str]) -> None:
    assert values(alone(kind, {"spec": spec}).assumed) == assumed


INSTALL = "extensions.hive.openshift.io/v1beta1", "AgentClusterInstall"
ENVIRONMENT = "agent-install.openshift.io/v1beta1", "InfraEnv"
NETWORKING = {
    "clusterNetwork": [{"cidr": "10.132.0.0/14"}, {"cidr": "fd01::/48"}],
    "serviceNetwork": ["172.31.0.0/16"],
    "machineNetwork": [{"cidr": "192.168.111.0/24"}],
}


def made(kind: tuple[str, str], name: str, spec: dict[str, Any], namespace: str = "d") -> Object:
    metadata = {"name": name, "namespace": namespace}
    data = {"apiVersion": kind[0], "kind": kind[1], "metadata": metadata, "spec": spec}
    return Object((), data, reference(data))


@pytest.mark.parametrize(
    ("install", "its_namespace", "named", "is_known"),
    [
        pytest.param("ha", "d", {"name": "ha", "namespace": "d"}, True, id="as the wizard writes it"),
        pytest.param("install-of-ha", "d", {"name": "ha", "namespace": "d"}, True, id="an install of another name"),
        pytest.param("ha", "d", {"name": "ha"}, True, id="in its own namespace"),
        pytest.param("ha", "e", {"name": "ha", "namespace": "e"}, False, id="in another namespace"),
        pytest.param("ha", "d", {"name": "hb", "namespace": "d"}, False, id="another cluster"),
        pytest.param("ha", "d", "ha", False, id="no reference"),
    ],
)
def test_an_infra_env_has_its_install_networks(install: str, its_namespace: str, named: object, is_known: bool) -> None:
    spec = {"clusterDeploymentRef": {"name": "ha"}, "networking": NETWORKING, "apiVIPs": ["192.168.111.5"]}
    its_install = made(INSTALL, install, spec, its_namespace)
    environment = made(ENVIRONMENT, "ie", {"clusterRef": named})
    topology = Topology([environment, its_install])
    found = topology.standalone_cluster(environment)
    assert (found is not None) == is_known
    own = topology.standalone_cluster(its_install)
    assert own is not None
    assert found in (own, None)
    assert [fact.value for facts in own.network for fact in facts] == [
        *("10.132.0.0/14", "fd01::/48", "172.31.0.0/16", "192.168.111.5", "192.168.111.0/24")
    ]
    assumed = alone(INSTALL, {"spec": {}}).assumed
    assert values(assumed) == {"pod_cidrs": "10.128.0.0/14", "service_cidrs": "172.30.0.0/16"}
