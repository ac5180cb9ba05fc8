"""Classes of CAREN and TKG, which write the proxy of a topology variable on their nodes: one writer for each file."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from class_objects import (
    CONTAINERD,
    FILE,
    PROXY,
    VERSIONS,
    answer,
    class_and_templates,
    cluster,
    contents,
    judged,
    patch,
    templated,
)

MIRROR = "https://mirror.corp.example"
HOSTS = "/etc/containerd/certs.d/_default/hosts.toml"
EXTENSION = {"name": "cluster-config", "external": {"generatePatchesExtension": "x.cluster-api-runtime-extensions"}}


def tkg_patch(version: str) -> dict[str, Any]:
    """The patch of a TKG class, in short."""
    text = f"path: {CONTAINERD}\ncontent: |\n  [Service]\n  Environment=HTTP_PROXY={{{{ .proxy.httpProxy }}}}\n"
    operation = templated("add", "/spec/template/spec/kubeadmConfigSpec/files/-", text)
    return patch("proxy", version, operation, enabled_if="{{ not (empty .proxy) }}")


def objects(version: str, patch: Any, values: Any, **definitions: Any) -> list[Any]:
    held, workers = {"files": [FILE]}, {"machineDeployments": [{"class": "md", "name": "md"}]}
    its_cluster = cluster(version, workers=workers, variables=values)
    return class_and_templates(version, held, held, its_cluster, patches=[patch], **definitions)


def caren(version: str = "v1beta1", **value: Any) -> list[Any]:
    return objects(version, EXTENSION, [{"name": "clusterConfig", "value": {"dns": {}, **value}}])


def tkg(version: str = "v1beta1") -> list[Any]:
    """A class that its author renamed, and a Cluster with a proxy."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    definition = {"name": "proxy", "required": False, "schema": {"openAPIV3Schema": schema}}
    value = {"httpProxy": "http://old:1", "httpsProxy": "http://old:1", "noProxy": []}
    return objects(version, tkg_patch(version), [{"name": "proxy", "value": value}], variables=[definition])


def run(items: list[Any], shared: str = "Union", **spec: Any) -> tuple[list[Any], list[str]]:
    given = spec.pop("targets", {})
    targets = {**given, "nodes": {**given.get("nodes", {}), "classes": shared}}
    policy = {"without": ["networks", "endpoint", "metadata", "provider"]}
    return answer(copy.deepcopy(items), **{"noProxyPolicy": policy, **spec, "targets": targets})


def value_of(items: list[Any]) -> Any:
    return items[3]["spec"]["topology"]["variables"][0]["value"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shared", ["Union", "Patch"])
@pytest.mark.parametrize(
    ("made", "has_proxy"),
    [
        pytest.param(caren, lambda value: value["proxy"]["http"] == PROXY.replace("%", "%%"), id="CAREN"),
        pytest.param(tkg, lambda value: value["httpProxy"] == PROXY, id="TKG"),
    ],
)
def test_what_a_class_writes_itself_is_in_no_text_of_ours(version: str, shared: str, made: Any, has_proxy: Any) -> None:
    before = made(version)
    items, reported = run(before, shared)
    assert items[:3] == before[:3]
    assert has_proxy(value_of(items))
    assert ("ValueLost" in str(reported)) is (made is tkg)  # of `%`, which the class does not escape
    assert [line for line in reported if "ProxyReplaced" not in line and "ValueLost" not in line] == []
    assert run(items, shared)[0] == items
    without_proxy = copy.deepcopy(before)
    if made is tkg:
        del without_proxy[3]["spec"]["topology"]["variables"]
    assert run(items, shared, mode="Remove")[0] == without_proxy


@pytest.mark.parametrize("shared", ["Union", "Patch"])
def test_a_template_that_a_class_without_the_variable_shares_holds_none_either(shared: str) -> None:
    """The nodes of the class that fills it itself would have the file twice."""
    before = caren()
    sibling = copy.deepcopy(before[0])
    sibling["metadata"]["name"] = "sibling"
    del sibling["spec"]["patches"]
    items, _ = run([*before, sibling], shared)
    assert items[:3] == before[:3]
    assert items[-1] == sibling


@pytest.mark.judged
def test_nodes_of_tkg_have_the_file_once() -> None:
    items, _ = run(tkg())
    nodes = judged(items, "one")
    assert PROXY in contents(nodes["controlPlane"])[CONTAINERD]


@pytest.mark.parametrize("made", [pytest.param(caren, id="CAREN"), pytest.param(tkg, id="TKG")])
@pytest.mark.parametrize("shared", ["Union", "Patch"])
def test_what_an_earlier_version_wrote_beside_the_variable_goes(made: Any, shared: str) -> None:
    before = made()
    alone, _ = run(before[:3], shared)
    assert "corp.example" in str(alone)
    items, _ = run([*alone, before[3]], shared)
    assert items[:3] == before[:3]


@pytest.mark.parametrize("shared", ["Union", "Patch"])
def test_a_class_that_writes_our_file_and_comes_without_its_clusters_is_a_warning(shared: str) -> None:
    _, reported = run(tkg()[:3], shared)
    assert len([line for line in reported if "takes a path once" in line]) == 1
    given = {"nodes": {"containerd": {"path": "/etc/systemd/system/containerd.service.d/10.conf"}}}
    assert not any("takes a path once" in line for line in run(tkg()[:3], shared, targets=given)[1])


@pytest.mark.parametrize(
    ("off", "is_said"),
    [
        pytest.param(["kubelet", "commands"], True, id="others"),
        pytest.param(["containerd"], False, id="the target that writes the file"),
    ],
)
def test_the_file_that_a_class_writes_too_is_a_warning_of_its_target_alone(off: list[str], is_said: bool) -> None:
    _, reported = run(tkg()[:3], targets={"nodes": dict.fromkeys(off, False)})
    assert any("takes a path once" in line for line in reported) is is_said


@pytest.mark.parametrize("off", [["containerd"], ["containerd", "kubelet"]])
def test_that_a_class_writes_the_proxy_itself_is_said_whichever_targets_are_off(off: list[str]) -> None:
    nodes = dict.fromkeys(off, False)
    _, reported = run(caren(proxy={"http": "http://old:1"}), targets={"nutanix": False, "nodes": nodes})
    assert len([line for line in reported if "`clusterConfig`" in line]) == 2  # one for each template


def test_a_proxy_in_a_variable_that_nothing_fills_is_a_warning() -> None:
    given = caren(proxy={"http": "http://old:1"})
    items, reported = run(given, targets={"nutanix": False})
    assert items == given
    assert {line.split(":")[0] for line in reported if "`clusterConfig`" in line} == {"warning OtherProxy"}


@pytest.mark.parametrize(
    ("value", "is_written"),
    [
        pytest.param({}, True, id="none"),
        pytest.param({"globalImageRegistryMirror": {"url": MIRROR}}, False, id="one of CAREN"),
    ],
)
def test_a_mirror_is_written_once_too(value: Any, is_written: bool) -> None:
    items, _ = run(caren(**value), registryMirror={"url": MIRROR})
    assert [HOSTS in str(item) for item in items[1:3]] == [is_written, is_written]
