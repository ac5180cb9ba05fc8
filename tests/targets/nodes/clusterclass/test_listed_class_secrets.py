"""ClusterClasses whose nodes take their drop-ins from the Secret of their Cluster: no URL is in class or Cluster.

Cluster API's engine judges what nodes get.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from class_objects import (
    CONTAINERD,
    FILE,
    KUBELET,
    VERSIONS,
    add,
    class_and_templates,
    cluster,
    contents,
    judged,
    of_kind,
    patch,
)
from class_objects import answer as answer_of
from function_configs import list_with_config
from krm_fn.pipeline import run as pipeline

WORKERS = {"machineDeployments": [{"class": "md", "name": "group"}, {"class": "md", "name": "other"}]}
HASHED = re.compile(r"one-systemd-proxy-[0-9a-f]{10}")
ERASER = "/spec/template/spec/files"
DROP_INS = {"containerd": {"content": "Secret"}, "kubelet": {"content": "Secret"}}
IN_SECRET: dict[str, Any] = {**DROP_INS, "commands": {"exports": False}}
GENERATE = {"giantswarm": {"generate": ["systemdProxy"]}}
NETWORK = {"pods": {"cidrBlocks": ["10.1.0.0/16"]}, "services": {"cidrBlocks": ["10.2.0.0/16"]}}
ELSEWHERE = {"match": {"workerGroups": ["group"]}, "httpProxy": "http://elsewhere:1"}
MISSING = "SecretMissing"
HASH_NAMES = {"rollout": {"hashNames": True}}


def erasing(version: str) -> list[Any]:
    return [patch("theirs", version, add(ERASER, [FILE]))]


def objects(version: str = "v1beta2", *clusters: Any, patches: Any = None) -> list[Any]:
    """A class with its templates, and Clusters; one without an own variable where none is given."""
    held = {"files": [FILE]}
    own = {"patches": erasing(version) if patches is None else patches}
    its_clusters = clusters or (cluster(version, network=NETWORK, workers=WORKERS),)
    return class_and_templates(version, held, held, *its_clusters, **(own if own["patches"] else {}))


def secret(name: str = "one-systemd-proxy", **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "ns", **metadata},
        "stringData": {"containerdProxy": "", "kubeletProxy": ""},
    }


def answer(items: list[Any], targets: Any = None, **spec: Any) -> tuple[list[Any], list[str]]:
    """The items after a run over a copy, and the lines of errors and warnings."""
    others = {"nodes": IN_SECRET} if targets is None else targets
    wanted = {**others, "nodes": {"classes": "Union", **others.get("nodes", {})}}
    policy = {"without": ["networks", "endpoint"]}
    return answer_of(copy.deepcopy(items), targets=wanted, **{"noProxyPolicy": policy, **spec})


def variable(obj: Any) -> Any:
    """The value of ours: the default of a class, or what a Cluster says; None where there is none."""
    if obj["kind"] == "ClusterClass":
        found = [one["schema"]["openAPIV3Schema"]["default"] for one in obj["spec"]["variables"]]
    else:
        entries = obj["spec"]["topology"].get("variables", [])
        found = [one["value"] for one in entries if one["name"] == "injectProxy"]
    return found[0] if found else None


def secrets_of(items: list[Any]) -> set[Any]:
    """The names of the Secrets that nodes of the Cluster take files from."""
    nodes = judged(items, "one")
    for node in nodes.values():
        assert {CONTAINERD, KUBELET} <= contents(node).keys()
    files = [file for node in nodes.values() for file in node["files"]]
    return {file["contentFrom"]["secret"]["name"] for file in files if "contentFrom" in file}


# No URL where no patch needs one.


@pytest.mark.judged
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("shared", "patches"), [("Union", None), ("Patch", [])], ids=["an eraser", "Patch"])
def test_without_a_need_for_the_url_neither_class_nor_cluster_holds_it(version: str, shared: str, patches: Any) -> None:
    before = [*objects(version, patches=patches), secret()]
    targets = {"nodes": {**IN_SECRET, "classes": shared}}
    items, reported = answer(before, targets)
    assert not any("PasswordExposed" in line for line in reported)
    assert "corp.example" not in json.dumps(items[:4])
    assert "corp.example" in json.dumps(items[4])
    assert variable(items[0]) == {"enabled": True}
    assert variable(items[3]) is None
    assert secrets_of(items) == {"one-systemd-proxy"}
    assert answer(items, targets)[0] == items
    assert answer(items, targets, mode="Remove")[0][:4] == before[:4]
    other, _ = answer(items, targets, httpProxy="http://new:1")
    assert other[:4] == items[:4]
    assert "http://new:1" in json.dumps(other[4])


def test_a_password_from_a_secret_in_a_class_is_a_warning_that_says_how_it_stays_out() -> None:
    values = "cluster:\n  proxy:\n    http: http://user:word@proxy.corp.example:3128\n"
    source = {**secret("source"), "stringData": {"values": values}}
    found = [{"kind": "Secret", "name": "source", "format": "GiantSwarm"}]
    taken: dict[str, Any] = {"httpProxy": None, "httpsProxy": None, "from": found}
    _, reported = answer([*objects(), source], {}, **taken)
    assert [line for line in reported if "PasswordExposed" in line]
    _, reported = answer([*objects(), source, secret()], **taken)
    assert not any("PasswordExposed" in line for line in reported)


@pytest.mark.judged
@pytest.mark.parametrize("version", VERSIONS)
def test_a_cluster_and_a_group_without_a_proxy_have_no_drop_ins(version: str) -> None:
    clusters = [cluster(version, workers=WORKERS), cluster(version, "free", workers=WORKERS)]
    overrides = [
        {"match": {"clusters": ["free"]}, "disabled": True},
        {"match": {"workerGroups": ["group"]}, "disabled": True},
    ]
    items, reported = answer(objects(version, *clusters), overrides=overrides)
    assert not any("free-systemd-proxy" in line or line.startswith("error") for line in reported)
    nodes = judged(items, "one")
    assert [CONTAINERD in contents(node) for node in nodes.values()] == [True, False, True]
    assert not any(CONTAINERD in contents(node) for node in judged(items, "free").values())


@pytest.mark.judged
@pytest.mark.parametrize("version", VERSIONS)
def test_from_text_to_secret_and_back(version: str) -> None:
    before = [*objects(version), secret()]
    text, _ = answer(before, {})
    there, _ = answer(text)
    assert there == answer(before)[0]
    assert answer(there, {})[0] == text
    running = copy.deepcopy(there)
    value = {"name": "injectProxy", "value": variable(text[0])}  # Cluster API copied the default into the Cluster
    running[3]["spec"]["topology"]["variables"] = [value]
    assert secrets_of(running) == {"one-systemd-proxy"}


def test_a_group_with_another_proxy_cannot_take_it_from_the_secret_of_its_cluster() -> None:
    before = objects()
    items, reported = answer(before, overrides=[ELSEWHERE])
    assert items == before
    assert any(line.startswith("error CannotWrite: the Secret `<cluster>-systemd-proxy`") for line in reported)


# The Secret that nodes wait for.


def reports(items: list[Any], code: str, targets: Any = None, **spec: Any) -> list[str]:
    """Severity, kind and name of each result with a code."""
    declared = {"httpProxy": "http://proxy:1", "targets": {"nodes": IN_SECRET, **(targets or {})}, **spec}
    found = pipeline.run(list_with_config(declared, *items)).results
    return [f"{one.severity.value} {one.ref.kind}/{one.ref.name}" for one in found if one.code == code]


@pytest.mark.parametrize(
    ("others", "targets", "said"),
    [
        pytest.param([], {}, ["warning Cluster/one"], id="no Secret"),
        pytest.param([secret()], {}, [], id="a Secret"),
        pytest.param([], GENERATE, [], id="a Secret that is made"),
    ],
)
def test_a_cluster_whose_class_refers_to_a_secret_that_is_not_there(others: Any, targets: Any, said: Any) -> None:
    assert reports([*objects(), *others], MISSING, targets) == said


# Names with a hash.


@pytest.mark.judged
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "targets",
    [
        pytest.param({"nodes": IN_SECRET, **GENERATE}, id="no URL in the class"),
        pytest.param({"nodes": DROP_INS, **GENERATE}, id="exports beside the Secret"),
    ],
)
def test_nodes_take_the_secret_by_the_name_with_its_hash(version: str, targets: Any) -> None:
    def run(items: list[Any], **spec: Any) -> list[Any]:
        return answer(items, targets, **{"rollout": {"hashNames": True}, **spec})[0]

    before = objects(version)
    once = run(before)
    name = of_kind(once, "Secret")["metadata"]["name"]
    assert HASHED.fullmatch(name)
    assert variable(once[3])["secret"] == name
    assert secrets_of(once) == {name}
    assert run(once) == once

    other = run(once, httpProxy="http://new:1")
    renamed = of_kind(other, "Secret")["metadata"]["name"]
    assert renamed != name
    assert secrets_of(other) == {renamed}
    assert run(other) == once

    plain = run(once, rollout={"hashNames": False})
    assert plain == run(before, rollout={"hashNames": False})
    assert secrets_of(plain) == {"one-systemd-proxy"}
    assert run(once, mode="Remove") == before


@pytest.mark.judged
def test_groups_that_differ_name_the_secret_too() -> None:
    overrides = [
        {"match": {"roles": ["ControlPlane"]}, "disabled": True},
        {"match": {"workerGroups": ["other"]}, "disabled": True},
    ]
    targets = {"nodes": IN_SECRET, **GENERATE}
    items, reported = answer(objects(), targets, rollout={"hashNames": True}, overrides=overrides)
    assert reported == []
    name = of_kind(items, "Secret")["metadata"]["name"]
    nodes = judged(items, "one")
    assert [CONTAINERD in contents(node) for node in nodes.values()] == [False, True, False]
    assert contents(nodes["group"])[CONTAINERD]["secret"]["name"] == name
    assert answer(items, targets, rollout={"hashNames": True}, overrides=overrides)[0] == items


@pytest.mark.judged
def test_a_secret_of_a_person_gets_its_hash_and_its_name_back() -> None:
    before = [*objects(), secret()]
    once, reported = answer(before, **HASH_NAMES)
    assert reported == []
    assert HASHED.fullmatch(once[4]["metadata"]["name"])
    assert secrets_of(once) == {once[4]["metadata"]["name"]}
    assert answer(once, **HASH_NAMES)[0] == once
    assert variable(answer(once)[0][3]) is None


def test_nodes_of_a_class_that_is_patched_for_the_first_time_are_rolled() -> None:
    assert reports([*objects(patches=[]), secret()], "NodesKept", {"nodes": {"classes": "Patch"}}) == []
