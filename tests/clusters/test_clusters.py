"""Which Clusters an object belongs to: stories of whole lists, and what must hold for any list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from growth import excess
from krm_fn.clusters import Cluster, Fact, Membership, Role, Topology, kinds
from krm_fn.krm.resourcelist import Object, ResourceList, objects
from krm_fn.patch import field_path
from krm_fn.products.cluster_api import CLUSTER
from manifests import cluster, config_template, control_plane, machine_deployment, named, obj, reference
from support import ROOT

STORIES = sorted((ROOT / "testdata" / "topology").iterdir())
SINGLE = ("service_domain", "endpoint", "region")


def read(story: Path) -> list[Object]:
    whole = ResourceList((story / "input.yaml").read_bytes())
    return [found for index in range(len(whole)) for found in objects(whole.read(index))]


def reported(found: Membership) -> dict[str, Any]:
    """A membership as the table of a story has it; what is empty, and ``sure: true``, is left out."""
    row = {
        "cluster": f"{found.cluster.namespace}/{found.cluster.name}",
        "role": found.role.value if found.role else "",
        "group": found.group,
        "workerClass": found.worker_class,
        "how": found.how,
        "claimedFrom": found.claimed_from,
    }
    return {key: value for key, value in row.items() if value} | ({} if found.is_certain else {"sure": False})


def fact_line(fact: Fact) -> str:
    return f"{fact.value} <- {fact.ref.kind}/{fact.ref.name} {field_path(fact.path)}"


def facts_of(found: Cluster) -> dict[str, Any]:
    """The facts of a Cluster, each with the place it was read from."""
    members = {**found.network._asdict(), "infrastructure": None}
    single = {name: fact_line(members.pop(name)[0]) for name in SINGLE if members[name]}
    lists = {name: [fact_line(fact) for fact in value] for name, value in members.items() if value}
    rest = {"labels": dict(found.labels), "infrastructure": found.network.infrastructure_kind}
    return {name: value for name, value in (rest | lists | single).items() if value}


def table(items: list[Object]) -> bytes:
    topology = Topology(found for found in items if found.ref.kind in kinds())
    clusters = [topology.of(item)[0].cluster for item in items if item.group_kind == CLUSTER]
    data = {
        "clusters": {f"{found.namespace}/{found.name}": facts_of(found) for found in clusters},
        "memberships": {
            f"{found.ref.kind}/{found.ref.namespace or '-'}/{found.ref.name}": [
                reported(each) for each in topology.of(found)
            ]
            for found in items
        },
    }
    return yaml.safe_dump(data, sort_keys=False, width=1000, allow_unicode=True).encode()


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_story(story: Path, golden: Callable[[Path, bytes], None]) -> None:
    golden(story / "expected.yaml", table(read(story)))


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_the_order_of_a_list_changes_no_membership(story: Path) -> None:
    def memberships(items: list[Object]) -> dict[str, list[str]]:
        topology = Topology(items)
        return {str(found.ref): sorted(str(reported(each)) for each in topology.of(found)) for found in read(story)}

    assert memberships(read(story)[::-1]) == memberships(read(story))


def classy(name: str, *groups: tuple[str, str], **topology: Any) -> dict[str, Any]:
    workers = {"machineDeployments": [{"class": of, "name": group} for of, group in groups]}
    return cluster(name, topology={"class": "small", "workers": workers, **topology})


SMALL = named(
    "ClusterClass",
    "small",
    spec={
        "controlPlane": {"ref": reference("KubeadmControlPlaneTemplate", "cp")},
        "workers": {
            "machineDeployments": [
                {"class": "w", "template": {"bootstrap": {"ref": reference("KubeadmConfigTemplate", "workers")}}}
            ]
        },
    },
)
LABEL = "cluster.x-k8s.io/cluster-name"


@pytest.mark.parametrize(
    ("others", "asked", "expected"),
    [
        pytest.param(
            [machine_deployment("a"), machine_deployment("b"), machine_deployment("a", of="other")],
            config_template(),
            [("prod", Role.WORKER, "a", ""), ("prod", Role.WORKER, "b", "")],
            id="a template that two groups share, and of two objects with one identity the first counts",
        ),
        pytest.param(
            [machine_deployment("a"), machine_deployment("b", of="other")],
            config_template(labels={LABEL: "other"}),
            [("other", Role.WORKER, "b", ""), ("prod", Role.WORKER, "a", "")],
            id="what uses an object goes before its label, and Clusters are in the order of their names",
        ),
        pytest.param(
            [SMALL, classy("one", ("w", "front"), ("w", "back"), ("v", "side")), classy("two")],
            config_template(),
            [("one", Role.WORKER, "front", "w"), ("one", Role.WORKER, "back", "w"), ("two", Role.WORKER, "", "w")],
            id="a class of workers has the names its Clusters give, and none where a Cluster makes no such group",
        ),
    ],
)
def test_memberships(others: list[dict[str, Any]], asked: dict[str, Any], expected: list[tuple[Any, ...]]) -> None:
    topology = Topology(map(obj, [cluster("prod"), cluster("other"), *others]))
    found = topology.of(obj(asked))
    assert [(each.cluster.name, each.role, each.group, each.worker_class) for each in found] == expected
    assert all(each.is_certain and each.how for each in found)


def owned(name: str, *owners: str) -> Object:
    return obj(named("MachineSet", name, owners=[reference("MachineSet", owner) for owner in owners], spec={}))


@pytest.mark.parametrize(
    "sets",
    [
        pytest.param([owned("0", "0")], id="an object that owns itself"),
        pytest.param([owned(str(n), str(n + 1)) for n in range(5000)], id="a chain longer than any stack"),
        pytest.param([owned(str(n), *map(str, range(60))) for n in range(60)], id="everything owns everything"),
    ],
)
def test_every_search_ends(sets: list[Object]) -> None:
    topology = Topology([obj(cluster()), obj(cluster("other")), *sets])
    assert topology.of(sets[0]) == ()


def landscape(size: int) -> list[Object]:
    """``size`` Clusters with a control plane, a MachineDeployment and a template each, one class among them all."""
    items = [SMALL]
    for number in range(size):
        name = f"cluster-{number}"
        ref = reference("KubeadmControlPlane", f"{name}-cp")
        items += [
            cluster(name, controlPlaneRef=ref, topology={"class": "small"}),
            control_plane(f"{name}-cp"),
            machine_deployment(f"{name}-md", of=name, uses=f"{name}-md"),
            config_template(f"{name}-md"),
        ]
    return [obj(item) for item in items]


def test_time_is_linear_in_the_number_of_clusters() -> None:
    def clusters_of_all(items: list[Object]) -> None:
        topology = Topology(items)
        for item in items:
            topology.of(item)

    assert excess(clusters_of_all, landscape, 800, in_steps=False) == ""


def places(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    members = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, member in members for place in [(*path, key), *places(member, (*path, key))]]
