"""Clusters that are named but not in the list: who belongs to them, and what is known of them."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.clusters import Topology
from manifests import cluster, config_template, control_plane, machine_deployment, obj, with_value, workload


def secret(name: str, namespace: str = "") -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}}


def node_file(secret_name: str) -> dict[str, Any]:
    return {"path": "/x", "contentFrom": {"secret": {"name": secret_name, "key": "containerdProxy"}}}


def in_org(data: dict[str, Any]) -> dict[str, Any]:
    return with_value(data, ("metadata", "namespace"), "org")


NAMED = [
    pytest.param([], in_org(machine_deployment(of="gone")), "org/gone", id="`spec.clusterName` names it"),
    pytest.param(
        [in_org(machine_deployment(of="gone"))],
        config_template(namespace="org"),
        "org/gone",
        id="a MachineDeployment that names it uses the template",
    ),
    pytest.param(
        [],
        in_org(control_plane(files=[node_file("gone-systemd-proxy")])),
        "org/gone",
        id="a file of a control plane is in the Secret that is named after it",
    ),
    pytest.param([], secret("gone-pinniped-addon", "org"), "org/gone", id="a Secret has the name that TKG gives it"),
    pytest.param(
        [],
        workload(
            namespace="org",
            labels={"cluster.x-k8s.io/cluster-name": "gone"},
            annotations={"cluster.x-k8s.io/cluster-namespace": "org"},
        ),
        "org/gone",
        id="a label names it, and an annotation its namespace",
    ),
]


@pytest.mark.parametrize(("others", "asked", "expected"), NAMED)
@pytest.mark.parametrize("listed", [[], [cluster("prod")], [cluster("prod"), cluster("test")]], ids=len)
def test_a_cluster_that_is_named(listed: list[Any], others: list[Any], asked: dict[str, Any], expected: str) -> None:
    (found,) = Topology(map(obj, [*listed, *others, asked])).of(obj(asked))

    assert f"{found.cluster.namespace}/{found.cluster.name}" == expected
    assert (found.cluster.is_listed, found.is_certain, found.claimed_from) == (False, True, "")
    assert found.cluster.labels == {}


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        pytest.param([cluster("prod")], "prod", id="the only Cluster of the list goes before a name filled in later"),
        pytest.param([cluster("${CLUSTER_NAME}"), cluster("test")], "${CLUSTER_NAME}", id="the same name in the list"),
    ],
)
def test_a_name_that_is_filled_in_later(listed: list[Any], expected: str) -> None:
    asked = machine_deployment(of="${CLUSTER_NAME}")
    (found,) = Topology(map(obj, [*listed, asked])).of(obj(asked))

    assert found.cluster.name == expected
