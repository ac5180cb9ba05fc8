"""ClusterClass: a variable and patches that Cluster API itself makes the right nodes of."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from class_objects import (
    CONTAINERD,
    FILE,
    KUBELET,
    PROXY,
    VERSIONS,
    add,
    answer,
    cluster,
    cluster_class,
    contents,
    judged,
    of_kind,
    patch,
)
from class_objects import template as template_of
from judges import shell_environment, systemd_environment
from krm_fn.pipeline.audit import ReadableManifests, audit
from manifests import machine_deployment

IPV4 = {"pods": {"cidrBlocks": ["10.244.0.0/16"]}, "services": {"cidrBlocks": ["10.96.0.0/12"]}}
DUAL = {
    "pods": {"cidrBlocks": ["10.128.0.0/14", "fd00:10::/56"]},
    "services": {"cidrBlocks": ["172.30.0.128/25", "fd00:172::/112"]},
    "serviceDomain": "dual.example",
}
UNALIGNED = {"pods": {"cidrBlocks": ["10.1.2.3/16"]}, "services": {"cidrBlocks": ["10.100.0.7/16"]}}
WORKERS = {
    "machineDeployments": [{"class": "bare", "name": "md-bare"}, {"class": "full", "name": "md-full"}],
    "machinePools": [{"class": "pool", "name": "mp"}],
}
UNION = {"nodes": {"classes": "Union"}}
RESTART = "systemctl daemon-reload && systemctl restart containerd # inject-proxy"


def objects(version: str = "v1beta1", *clusters: Any, **spec: Any) -> list[Any]:
    """Templates with and without lists, the class that names them, and Clusters."""
    made = {
        "cp": template_of("cp", {"files": [FILE]}, version),
        "bare": template_of("bare", {"joinConfiguration": {}}, version),
        "full": template_of("full", {"files": [FILE], "preKubeadmCommands": ["true"]}, version),
        "pool": template_of("pool", {"format": "ignition", "files": [FILE]}, version),
    }
    machines = {name: made[name] for name in ("bare", "full")}
    its_class = cluster_class(version, made["cp"], machines, {"pool": made["pool"]}, **spec)
    return [its_class, *made.values(), *clusters]


# What must not change comes first.


@pytest.mark.parametrize("version", VERSIONS)
def test_a_disabled_target_leaves_even_what_is_its_own(version: str) -> None:
    there, _ = answer(objects(version, cluster(version)))
    items, _ = answer(there, targets={"nodes": {"classes": False}})
    assert of_kind(items, "ClusterClass") == of_kind(there, "ClusterClass")


@pytest.mark.parametrize("services", ["10.96.0.0/12", "${SERVICE_CIDR}"])
def test_a_cluster_that_needs_nothing_but_what_cluster_api_knows_has_no_variable(services: str) -> None:
    before = cluster("v1beta1", network={**IPV4, "services": {"cidrBlocks": [services]}})
    policy = {"without": ["endpoint", "networks"]}
    items, reported = answer(objects("v1beta1", copy.deepcopy(before)), noProxyPolicy=policy)
    assert of_kind(items, "Cluster") == before
    assert reported == []


def test_a_template_that_something_else_uses_as_well_keeps_its_class_from_being_patched() -> None:
    machines = machine_deployment(uses="bare")
    machines["metadata"]["namespace"] = "ns"
    _, reported = answer([*objects("v1beta1", cluster("v1beta1")), machines])
    assert any("ByHand" in line and '"bare"' in line for line in reported)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_cluster_of_no_class_stays_whatever_one_of_the_same_name_needs(version: str) -> None:
    other = cluster(version)
    del other["spec"]["topology"]
    for given in ([cluster(version, network=DUAL), other], [other, cluster(version, network=DUAL)]):
        items, _ = answer(objects(version, *copy.deepcopy(given)))
        assert other in items


# What has to come out, as Cluster API sees it.


def environments(spec: Any) -> list[dict[str, str]]:
    """What containerd, the kubelet and kubeadm run with."""
    files = contents(spec)
    commands = [command for command in spec["preKubeadmCommands"] if "systemctl" not in command]
    shell = {name: value for name, value in shell_environment("sh", commands).items() if "proxy" in name.lower()}
    return [systemd_environment(files[CONTAINERD]), systemd_environment(files[KUBELET]), shell]


def as_sets(environment: dict[str, str]) -> dict[str, Any]:
    return {name: frozenset(value.split(",")) for name, value in environment.items()}


NETWORKS = {
    "one family": IPV4,
    "two families and a domain": DUAL,
    "CIDRs that do not begin at their network": UNALIGNED,
    "nothing declared": {},
}
STYLES = ["Portable", "GiantSwarm", "TKG", "Sorted", "Verbatim"]
STYLES_OF_NETWORKS = [
    pytest.param(VERSIONS[number % 2], style, network, id=f"{name}, {style}, {VERSIONS[number % 2]}")
    for at, style in enumerate(STYLES)
    for number, (name, network) in enumerate(NETWORKS.items(), at)
]
"""Each style with each network, and each of both with each version."""


@pytest.mark.judged
@pytest.mark.parametrize(("version", "style", "network"), STYLES_OF_NETWORKS)
def test_every_node_gets_the_entries_that_its_cluster_would_get_alone(version: str, style: str, network: Any) -> None:
    policy = {"style": style}
    defaults = {"podCIDRs": ["10.9.0.0/16"], "endpoint": "api.corp.example"}
    one = cluster(version, network=network, workers=WORKERS)
    other = cluster(version, "other", network={"pods": {"cidrBlocks": ["10.77.0.0/16"]}})
    alone, _ = answer(
        objects(version, copy.deepcopy(one)), targets=UNION, noProxyPolicy=policy, clusterDefaults=defaults
    )
    items, _ = answer(objects(version, one, other), noProxyPolicy=policy, clusterDefaults=defaults)

    wanted = [as_sets(each) for each in environments(alone[1]["spec"]["template"]["spec"]["kubeadmConfigSpec"])]
    nodes = judged(items, "one")
    assert set(nodes) == {"controlPlane", "md-bare", "md-full", "mp"}
    for name in ("controlPlane", "md-bare"):
        assert [as_sets(each) for each in environments(nodes[name])] == wanted
    assert wanted[0]["HTTP_PROXY"] == {PROXY}


NASTY = [
    pytest.param("http://u:p%40ss%25@proxy:3128", id="percent signs"),
    pytest.param("a\"b'c", id="both quotes"),
    pytest.param("back\\slash\\n \\", id="backslashes"),
    pytest.param("$HOME $(id) `id` ${x} $$", id="what a shell would expand"),
    pytest.param("{{ .builtin }} {% x %} # no: comment & <tag> - | >", id="what YAML and templates would read"),
]


@pytest.mark.judged
@pytest.mark.parametrize("value", NASTY)
@pytest.mark.parametrize("version", VERSIONS)
def test_any_value_of_the_variable_reaches_the_nodes_as_it_is(version: str, value: str) -> None:
    items, _ = answer(objects(version, cluster(version)))
    variable = {"name": "injectProxy", "value": {"httpProxy": value, "noProxy": [value]}}
    nodes = judged([*items[:-1], cluster(version, variables=[variable])], "one")
    wanted = dict.fromkeys(("HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"), value)
    assert environments(nodes["controlPlane"]) == [wanted, wanted, wanted]


@pytest.mark.judged
@pytest.mark.parametrize("version", VERSIONS)
def test_a_cluster_without_a_proxy_and_a_group_with_another_one(version: str) -> None:
    overrides = [
        {"match": {"clusters": ["free"]}, "disabled": True},
        {"match": {"workerGroups": ["md-full"]}, "httpProxy": "http://other:1"},
        {"match": {"workerGroups": ["mp"]}, "disabled": True},
    ]
    clusters = [cluster(version, network=IPV4, workers=WORKERS), cluster(version, "free")]
    items, _ = answer(objects(version, *clusters), overrides=overrides)
    nodes, free = judged(items, "one"), judged(items, "free")
    assert contents(free["controlPlane"]) == contents(nodes["mp"]) == {"/etc/motd": "Hello"}
    assert systemd_environment(contents(nodes["md-full"])[CONTAINERD])["HTTP_PROXY"] == "http://other:1"
    assert systemd_environment(contents(nodes["md-bare"])[CONTAINERD])["HTTP_PROXY"] == PROXY


@pytest.mark.judged
def test_options_of_the_node_targets_hold_for_the_patches() -> None:
    targets = {
        "nodes": {
            "containerd": {"content": "Secret"},
            "kubelet": {"path": "/etc/systemd/system/kubelet.service.d/\"ü'.conf"},
            "commands": {"exports": False},
        }
    }
    items, _ = answer(objects("v1beta2", cluster("v1beta2", workers=WORKERS)), targets=targets)
    nodes = judged(items, "one")
    assert contents(nodes["md-bare"])[CONTAINERD] == {"secret": {"name": "one-systemd-proxy", "key": "containerdProxy"}}
    assert nodes["md-bare"]["files"][1]["path"] == targets["nodes"]["kubelet"]["path"]
    assert nodes["md-bare"]["preKubeadmCommands"] == [RESTART]
    assert "preKubeadmCommands" not in nodes["mp"]


def test_a_variable_that_was_changed_by_hand_is_brought_back() -> None:
    there, _ = answer(objects("v1beta1", cluster("v1beta1")))
    changed = copy.deepcopy(there)
    changed[0]["spec"]["variables"][0]["schema"] = {"openAPIV3Schema": {"type": "string"}}
    changed[0]["spec"]["variables"].append({"name": "injectProxy"})
    assert answer(changed)[0] == there


def test_lint_finds_no_difference_between_a_class_and_a_cluster_that_needs_more_than_the_default() -> None:
    items, _ = answer(objects("v1beta1", cluster("v1beta1", network=DUAL)))
    assert "injectProxy" in str(of_kind(items, "Cluster"))
    found = audit(ReadableManifests({f"{at}.json": json.dumps(item).encode() for at, item in enumerate(items)}))
    assert "PlacesDiffer" not in {result.code for result in found.results}


# What cannot be done is reported.


def broken(**changes: Any) -> list[Any]:
    """The list with one member of a template, by the template's name, changed: None takes the template away."""
    made = objects("v1beta1", cluster("v1beta1"))
    for name, spec in changes.items():
        at = next(index for index, obj in enumerate(made) if index and obj["metadata"]["name"] == name)
        made[at : at + 1] = [] if spec is None else [template_of(name, spec)]
    return made


def with_patch(theirs: Any) -> list[Any]:
    return objects("v1beta1", cluster("v1beta1"), patches=[theirs])


WHOLE_LIST = patch("theirs", "v1beta1", add("/spec/template/spec/files", []), md="bare")
MAY_REMOVE = patch(
    "theirs",
    "v1beta1",
    {"op": "remove", "path": "/spec/template/spec/kubeadmConfigSpec/files"},
    enabled_if='{{ eq .builtin.cluster.name "x" }}',
)
MORE_IN_IT = {"files": [{"path": CONTAINERD, "content": "[Service]\nLimitNOFILE=1\n"}]}


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(broken(full=None), id="a template that is not there"),
        pytest.param(broken(full=MORE_IN_IT), id="a drop-in of ours with other lines"),
        pytest.param(with_patch(MAY_REMOVE), id="a list that a patch may remove"),
    ],
)
def test_a_class_that_cannot_be_patched_stays_with_its_clusters_and_stops_nothing_else(given: list[Any]) -> None:
    other = objects("v1beta1", cluster("v1beta1"))
    for obj in other:
        obj["metadata"]["namespace"] = "other"
    items, reported = answer([*copy.deepcopy(given), *other])
    assert [items[0], items[len(given) - 1]] == [given[0], given[-1]]
    assert of_kind(items[len(given) :], "ClusterClass")["spec"]["patches"][-1]["name"] == "inject-proxy-nodes"
    assert [line for line in reported if line.startswith("warning ByHand")] != []
    assert answer(copy.deepcopy(items))[0] == items


def test_what_is_in_the_way_of_a_class_is_in_the_way_of_one_that_shares_a_template() -> None:
    given = with_patch(MAY_REMOVE)
    sibling = copy.deepcopy(given[0])
    sibling["metadata"]["name"] = "sibling"
    del sibling["spec"]["patches"]
    items, _ = answer([*given, sibling])
    assert items[-1] == sibling
    assert CONTAINERD in str(items[1])


@pytest.mark.parametrize(("targets", "patches"), [({}, []), (UNION, [WHOLE_LIST])], ids=["Patch", "an eraser"])
def test_a_template_without_spec_stays_where_it_is_in_the_way_of_a_patch(targets: Any, patches: Any) -> None:
    """What a run wrote into it would be no longer in the way of the next run, which would patch the class."""
    made = objects("v1beta1", cluster("v1beta1", network=IPV4), patches=patches)
    del made[2]["spec"]
    once, reported = answer(copy.deepcopy(made), targets=targets)
    assert (once[0], once[2]) == (made[0], made[2])
    assert any("ByHand" in line and '"bare"' in line for line in reported)
    assert answer(copy.deepcopy(once), targets=targets)[0] == once
    once[2]["spec"] = {"template": {"spec": {}}}
    patched, _ = answer(once, targets=targets)
    assert [one["name"] for one in patched[0]["spec"]["patches"]][-1] == "inject-proxy-nodes"


def test_a_class_that_can_no_longer_be_patched_keeps_what_an_earlier_run_wrote_until_it_is_removed() -> None:
    before = objects("v1beta1", cluster("v1beta1", network=DUAL))
    there, _ = answer(copy.deepcopy(before))
    there[0]["spec"]["patches"].insert(0, copy.deepcopy(MAY_REMOVE))
    items, reported = answer(copy.deepcopy(there), httpProxy="http://new:1")
    assert items == there
    assert [line for line in reported if "ByHand" in line] != []
    before[0]["spec"]["patches"] = [there[0]["spec"]["patches"][0]]
    assert answer(copy.deepcopy(there), mode="Remove")[0] == before


@pytest.mark.parametrize(("mode", "severity"), [("Inject", "warning"), ("Check", "error")])
def test_what_is_in_the_way_of_a_patch_fails_a_check(mode: str, severity: str) -> None:
    _, reported = answer(with_patch(MAY_REMOVE), mode=mode)
    assert [line.split()[0] for line in reported if "ByHand" in line] == [severity]


def test_a_cluster_whose_class_is_not_in_the_list_is_reported_and_left_alone() -> None:
    before = cluster("v1beta1")
    items, reported = answer([copy.deepcopy(before)])
    assert items == [before]
    assert [line for line in reported if "NodesWithoutProxy" in line] != []


OTHER_NODES = [
    pytest.param("OCIManagedControlPlaneTemplate", "GKEConfigTemplate", id="managed nodes"),
    pytest.param("EtcdadmControlPlaneTemplate", "EtcdadmConfigTemplate", id="etcdadm"),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("control_plane", "workers"), OTHER_NODES)
def test_a_cluster_has_the_variable_where_its_class_defines_it(version: str, control_plane: str, workers: str) -> None:
    cp, md = template_of("cp", {}, version), template_of("bare", {}, version)
    cp["kind"], md["kind"] = control_plane, workers
    before = [cluster_class(version, cp, {"bare": md}, {}), cp, md, cluster(version, network=DUAL)]
    there = copy.deepcopy(before)
    there[-1]["spec"]["topology"]["variables"] = [{"name": "injectProxy", "value": {"httpProxy": PROXY}}]
    for given in (before, there):
        items, reported = answer(copy.deepcopy(given))
        assert items == before
        assert any("NodesWithoutProxy" in line for line in reported)
        assert not any(line.startswith("error") for line in reported)


@pytest.mark.judged
def test_a_cluster_has_the_variable_where_some_nodes_of_its_class_get_the_proxy() -> None:
    cp, md = template_of("cp", {}), template_of("bare", {"format": "bottlerocket"})
    one = cluster("v1beta1", network=DUAL, workers={"machineDeployments": [{"class": "bare", "name": "md"}]})
    items, reported = answer([cluster_class("v1beta1", cp, {"bare": md}, {}), cp, md, one])
    nodes = judged(items, "one")
    assert CONTAINERD in contents(nodes["controlPlane"])
    assert nodes["md"] == {"format": "bottlerocket"}
    assert [line for line in reported if "NodesWithoutProxy" in line] != []


def test_what_no_node_of_a_template_can_hold_is_an_error_at_the_class() -> None:
    targets = {"nodes": {"kubelet": {"path": "/usr/lib/systemd/system/kubelet.service.d/10-proxy.conf"}}}
    _, reported = answer(objects("v1beta1", cluster("v1beta1")), targets=targets)  # the pool has Ignition
    assert [line.split(":")[0] for line in reported if "/usr" in line] == ["error CannotWrite"]
