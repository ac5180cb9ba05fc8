"""ClusterClasses whose own patches write whole lists, which erases what their templates hold.

The classes have the structure of public ones; Cluster API's engine judges what nodes get.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from certificates import A
from class_objects import (
    CONTAINERD,
    FILE,
    KUBELET,
    PROXY,
    VERSIONS,
    add,
    class_and_templates,
    cluster,
    contents,
    judged,
    patch,
    templated,
)
from class_objects import answer as answer_of
from judges import systemd_environment

UNION = {"nodes": {"classes": "Union"}}
WORKERS = {"machineDeployments": [{"class": "md", "name": "group"}]}
NETWORK = {"pods": {"cidrBlocks": ["10.244.0.0/16"]}, "services": {"cidrBlocks": ["10.96.0.0/12"]}}
OURS = ["inject-proxy-empty-lists", "inject-proxy-files", "inject-proxy-lists", "inject-proxy-nodes"]
CP_FILES = "/spec/template/spec/kubeadmConfigSpec/files"
MD_FILES = "/spec/template/spec/files"
MD_COMMANDS = "/spec/template/spec/preKubeadmCommands"


AZURE_JSON = "- path: /etc/kubernetes/azure.json\n  owner: root:root\n  content: '{{ .builtin.cluster.name }}'\n"
FLAG = {"name": "flag", "required": True, "schema": {"openAPIV3Schema": {"type": "boolean", "default": True}}}
FILES = {
    "name": "files",
    "required": True,
    "schema": {
        "openAPIV3Schema": {
            "type": "array",
            "default": [],
            "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        }
    },
}


def vsphere(version: str) -> list[Any]:
    return [
        patch("createEmptyArrays", version, add(CP_FILES, []), add(MD_FILES, [])),
        patch("kubeVip", version, templated("add", f"{CP_FILES}/-", "path: /etc/kube-vip\ncontent: x\n")),
    ]


def azure(version: str) -> list[Any]:
    return [
        patch("controlPlaneAzureJson", version, templated("replace", CP_FILES, AZURE_JSON)),
        patch("workerAzureJson", version, templated("replace", MD_FILES, AZURE_JSON)),
    ]


def quick_start(version: str) -> list[Any]:
    text = "- path: /etc/pss.yaml\n  content: x\n"
    return [patch("podSecurityStandard", version, templated("add", CP_FILES, text), enabled_if="{{ .flag }}")]


def of_a_variable(version: str) -> list[Any]:
    return [patch("files", version, {"op": "replace", "path": MD_FILES, "valueFrom": {"variable": "files"}})]


def only_workers(version: str) -> list[Any]:
    return [patch("md", version, add(MD_FILES, [FILE]), enabled_if="{{ .flag }}")]


def commands(version: str) -> list[Any]:
    return [patch("md", version, add(MD_COMMANDS, ["systemctl daemon-reload && systemctl restart containerd"]))]


SYSEXT = """
preKubeadmCommands:
- export COREOS_OPENSTACK_HOSTNAME={{ .builtin.cluster.name }}
joinConfiguration:
  nodeRegistration:
    name: x
format: ignition
ignition:
  containerLinuxConfig:
    additionalConfig: |
      {{- $version := semver "1.34.0" }}
      storage:
        files:
          - path: /etc/sysupdate.d/{{ $version.Major }}.conf
"""


def openstack(version: str) -> list[Any]:
    outer = [CP_FILES.rpartition("/")[0], MD_FILES.rpartition("/")[0]]
    return [patch("sysext", version, *(templated("add", path, SYSEXT) for path in outer), enabled_if="{{ .flag }}")]


def removes(version: str) -> list[Any]:
    return [patch("md", version, {"op": "remove", "path": MD_FILES})]


def whole_spec(version: str) -> list[Any]:
    return [patch("md", version, add("/spec/template/spec", {"joinConfiguration": {}}))]


HELD = {"files": [FILE], "preKubeadmCommands": ["true"]}
BARE: dict[str, Any] = {"joinConfiguration": {}}
CLASSES = [
    pytest.param(vsphere, BARE, id="an empty list is written first, as CAPV does"),
    pytest.param(vsphere, HELD, id="an empty list is written over entries"),
    pytest.param(azure, HELD, id="a list is replaced by a template, as CAPZ does"),
    pytest.param(quick_start, BARE, id="a list is written if a variable says so, as the quick start does"),
    pytest.param(quick_start, HELD, id="the same over entries"),
    pytest.param(openstack, BARE, id="the mapping around the lists is that of a template, as CAPO does"),
    pytest.param(of_a_variable, HELD, id="a list is that of a variable"),
    pytest.param(only_workers, BARE, id="a list of the workers only, if a variable says so"),
    pytest.param(only_workers, HELD, id="the same over entries"),
    pytest.param(commands, HELD, id="the commands are written"),
    pytest.param(removes, HELD, id="a list is removed"),
    pytest.param(whole_spec, HELD, id="the mapping around the lists is written"),
]


def in_turns(first: int) -> pytest.MarkDecorator:
    """Each class in one version of Cluster API by turns; ``first``: which one comes first."""
    rows = enumerate(CLASSES, first)
    return pytest.mark.parametrize(
        ("version", "patches", "spec"), [pytest.param(VERSIONS[n % 2], *row.values, id=row.id) for n, row in rows]
    )


def objects(version: str, patches: list[Any], spec: Any = None) -> list[Any]:
    """A class with these patches, its templates, and a Cluster for each value of the flag."""
    held = HELD if spec is None else spec
    clusters = [
        cluster(version, name, network=NETWORK, workers=WORKERS, variables=[{"name": "flag", "value": value}])
        for name, value in (("on", True), ("off", False))
    ]
    return class_and_templates(version, held, held, *clusters, patches=patches, variables=[FLAG, FILES])


def answer(items: list[Any], **spec: Any) -> tuple[list[Any], list[str]]:
    """The items after a run, and the warnings; no Cluster says where its machines and its endpoint are."""
    policy = {"without": ["networks", "endpoint"]}
    return answer_of(items, **{"noProxyPolicy": policy, **spec})


def names(items: list[Any]) -> list[str]:
    return [one["name"] for one in items[0]["spec"].get("patches", [])]


def nodes(items: list[Any]) -> list[Any]:
    """Control plane and workers of both Clusters."""
    return [spec for name in ("on", "off") for spec in judged(items, name).values()]


@pytest.mark.judged
@in_turns(0)
def test_all_nodes_of_a_class_that_erases_have_the_drop_ins(version: str, patches: Any, spec: Any) -> None:
    before = objects(version, patches(version), spec)
    items, reported = answer(copy.deepcopy(before), targets=UNION)
    assert reported == []
    found = nodes(items)
    assert len(found) == 4
    for node in found:
        files = contents(node)
        assert systemd_environment(files[CONTAINERD])["HTTP_PROXY"] == PROXY
        assert systemd_environment(files[KUBELET])["HTTPS_PROXY"] == PROXY
        assert any("HTTP_PROXY" in command for command in node["preKubeadmCommands"])
        assert any("restart containerd" in command for command in node["preKubeadmCommands"])
    assert answer(copy.deepcopy(items), targets=UNION)[0] == items
    assert answer(copy.deepcopy(items), targets=UNION, mode="Remove")[0] == before


@pytest.mark.judged
@in_turns(1)
def test_what_a_class_writes_itself_is_on_its_nodes_as_before(version: str, patches: Any, spec: Any) -> None:
    before = objects(version, patches(version), spec)
    items, _ = answer(copy.deepcopy(before))
    for theirs, node in zip(nodes(before), nodes(items), strict=True):
        files = node["files"]
        assert [file for file in files if file["path"] not in (CONTAINERD, KUBELET)] == (theirs.get("files") or [])
        assert node["preKubeadmCommands"][: len(theirs.get("preKubeadmCommands") or [])] == (
            theirs.get("preKubeadmCommands") or []
        )


# Only where it has to be.


@pytest.mark.parametrize("version", VERSIONS)
def test_a_class_that_erases_nothing_is_left_to_its_templates(version: str) -> None:
    theirs = [patch("motd", version, add(f"{MD_FILES}/-", FILE), enabled_if="{{ .flag }}")]
    items, _ = answer(objects(version, theirs), targets=UNION)
    assert names(items) == ["motd"]
    assert "corp.example" in str(items[1])


def test_a_class_that_shares_a_template_with_one_that_erases_is_patched_too() -> None:
    before = objects("v1beta1", vsphere("v1beta1"))
    other = copy.deepcopy(before[0])
    other["metadata"]["name"] = "other"
    other["spec"]["patches"] = []
    items, reported = answer([*before, other], targets=UNION)
    assert reported == []
    assert [one["name"] for one in items[-1]["spec"]["patches"]] == ["inject-proxy-lists", "inject-proxy-nodes"]
    assert "corp.example" not in str(items[1:3])


def test_a_list_that_our_targets_do_not_write_may_be_erased() -> None:
    targets = {"nodes": {**UNION["nodes"], "commands": False}}
    items, _ = answer(objects("v1beta1", commands("v1beta1")), targets=targets)
    assert names(items) == ["md"]


ONLY_CERTIFICATES = {"httpProxy": "", "httpsProxy": "", "noProxy": [], "trustedCA": {"pem": A}}


@pytest.mark.judged
def test_without_a_proxy_nodes_get_certificates_by_a_patch() -> None:
    items, reported = answer(objects("v1beta1", vsphere("v1beta1")), targets=UNION, **ONLY_CERTIFICATES)
    assert reported == []
    assert all(A in contents(node).values() for node in nodes(items))


def test_without_a_proxy_only_what_is_the_same_for_all_clusters_is_patched() -> None:
    before = objects("v1beta1", vsphere("v1beta1"))
    items, _ = answer(copy.deepcopy(before), targets=UNION, **ONLY_CERTIFICATES)
    assert names(items) == ["createEmptyArrays", "kubeVip", "inject-proxy-files"]
    assert items[0]["spec"]["variables"] == before[0]["spec"]["variables"]
    assert answer(copy.deepcopy(items), targets=UNION, **ONLY_CERTIFICATES)[0] == items


def test_without_a_proxy_a_class_keeps_the_variable_of_an_earlier_run() -> None:
    proxy = {**ONLY_CERTIFICATES, "httpProxy": PROXY, "httpsProxy": PROXY}
    there, _ = answer(objects("v1beta1", vsphere("v1beta1")), targets=UNION, **proxy)
    items, _ = answer(copy.deepcopy(there), targets=UNION, **ONLY_CERTIFICATES)
    assert items[0]["spec"]["variables"] == there[0]["spec"]["variables"]
    assert [name for name in names(items) if name in OURS] == OURS[1:]


# Changes.


@pytest.mark.parametrize("version", VERSIONS)
def test_where_the_eraser_is_gone_the_templates_hold_the_proxy_again(version: str) -> None:
    there, _ = answer(objects(version, quick_start(version), BARE), targets=UNION)
    there[0]["spec"]["patches"] = [one for one in there[0]["spec"]["patches"] if one["name"] in OURS]
    items, reported = answer(copy.deepcopy(there), targets=UNION)
    assert "patches" not in items[0]["spec"]
    assert [one["name"] for one in items[0]["spec"]["variables"]] == ["flag", "files"]
    assert all("corp.example" in str(item) for item in items[1:3])
    assert not any(line.startswith("error") for line in reported)


@pytest.mark.judged
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shared", ["Union", "Patch"])
def test_a_patch_that_erases_behind_ours_makes_ours_move_behind_it(version: str, shared: str) -> None:
    targets = {"nodes": {"classes": shared}}
    there, _ = answer(objects(version, vsphere(version)), targets=targets)
    there[0]["spec"]["patches"] += only_workers(version)
    items, reported = answer(copy.deepcopy(there), targets=targets)
    assert reported == []
    assert names(items) == ["createEmptyArrays", "kubeVip", "md", "inject-proxy-lists", "inject-proxy-nodes"]
    assert all({CONTAINERD, KUBELET} <= contents(node).keys() for node in nodes(items))
    assert answer(copy.deepcopy(items), targets=targets)[0] == items


@pytest.mark.judged
@in_turns(0)
def test_certificates_and_mirror_go_behind_the_patches_too(version: str, patches: Any, spec: Any) -> None:
    more = {
        "trustedCA": {"pem": A},
        "registryMirror": {"url": "https://mirror.corp.example"},
        "overrides": [{"match": {"clusters": ["off"]}, "disabled": True}],
    }
    before = objects(version, patches(version), spec)
    items, reported = answer(copy.deepcopy(before), targets=UNION, **more)
    assert not any(line.startswith("error") for line in reported)
    for name in ("on", "off"):
        for node in judged(items, name).values():
            files = contents(node)
            assert files["/etc/inject-proxy/trusted-ca/inject-proxy-0.pem"] == A
            assert "mirror.corp.example" in files["/etc/containerd/certs.d/_default/hosts.toml"]
            assert any(command.endswith("# inject-proxy: trust store") for command in node["preKubeadmCommands"])
            assert (CONTAINERD in files) is (name == "on")
    assert answer(copy.deepcopy(items), targets=UNION, **more)[0] == items
    assert answer(copy.deepcopy(items), targets=UNION, mode="Remove")[0] == before


# What cannot be done is said.


MAY_REMOVE = patch("may", "v1beta1", {"op": "remove", "path": MD_FILES}, enabled_if="{{ .flag }}")
OF_VARIABLE = patch(
    "md", "v1beta1", {"op": "replace", "path": "/spec/template/spec", "valueFrom": {"variable": "nodes"}}
)
OUR_PATH = patch("md", "v1beta1", templated("add", MD_FILES, f"- path: {CONTAINERD}\n"))
MORE = [{"path": path, "content": "[Service]\nLimitNOFILE=1\n"} for path in (CONTAINERD, KUBELET)]


@pytest.mark.parametrize(
    ("patches", "spec"),
    [
        pytest.param([MAY_REMOVE], None, id="a list that a patch may remove"),
        pytest.param([OF_VARIABLE], None, id="a list in a mapping of a variable"),
        pytest.param([OUR_PATH], None, id="a patch that writes a file of our path"),
        pytest.param(vsphere("v1beta1"), {"files": MORE}, id="a drop-in with more in it that goes"),
    ],
)
def test_what_no_patch_can_do_is_said(patches: list[Any], spec: Any) -> None:
    _, reported = answer(objects("v1beta1", patches, spec), targets=UNION)
    assert any(line.startswith("warning ByHand") for line in reported)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"targets": {"nodes": {"classes": False}}}, id="the target is off"),
        pytest.param({"targets": UNION, "selector": {"exclude": [{"kinds": ["ClusterClass"]}]}}, id="left out"),
    ],
)
def test_a_class_that_may_not_be_patched_is_a_warning_at_its_templates(spec: Any) -> None:
    _, reported = answer(objects("v1beta1", vsphere("v1beta1")), **spec)
    assert [line for line in reported if line.startswith("warning ClassPatchErases")] != []
