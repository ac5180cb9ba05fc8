"""A ClusterClass that is patched gives its nodes what its templates would hold without patches, on every node system.

With ``classes: Union`` the templates hold files and commands; with ``Patch`` Cluster API's engine makes them.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

import pytest

from certificates import A
from class_objects import CONTAINERD, FILE, VERSIONS, answer, cluster, cluster_class, judged
from class_objects import template as template_of

NETWORK = {"pods": {"cidrBlocks": ["10.1.0.0/16"]}, "services": {"cidrBlocks": ["10.2.0.0/16"]}}
_NODE = {"nodeRegistration": {"criSocket": "unix:///var/run/crio/crio.sock"}}
_OLD = '[Service]\nEnvironment="HTTP_PROXY=http://old:1"\n'
_TRUST = "# inject-proxy: trust store"
_EXPORT = re.compile(r"(\w+)='([^']*)'")
_LINE = re.compile(r'Environment="(\w+)=(.*)"')

SYSTEMS = [
    pytest.param({"joinConfiguration": {}}, id="containerd, without lists"),
    pytest.param({"files": [FILE]}, id="containerd, with files"),
    pytest.param({"preKubeadmCommands": ["true"]}, id="containerd, with commands"),
    pytest.param({"files": [], "preKubeadmCommands": []}, id="containerd, with empty lists"),
    pytest.param({"initConfiguration": _NODE}, id="CRI-O, by the first node"),
    pytest.param(
        {"joinConfiguration": _NODE, "files": [{"path": CONTAINERD, "content": _OLD}]},
        id="CRI-O, with a drop-in of containerd from before",
    ),
    pytest.param(
        {"joinConfiguration": _NODE, "preKubeadmCommands": ["systemctl daemon-reload && systemctl restart crio"]},
        id="CRI-O that its author restarts",
    ),
    pytest.param(
        {"joinConfiguration": _NODE, "preKubeadmCommands": ["systemctl daemon-reload && systemctl restart containerd"]},
        id="CRI-O, where its author restarts containerd",
    ),
    pytest.param(
        {"preKubeadmCommands": ["true", "systemctl daemon-reload", "systemctl restart containerd"]},
        id="containerd that its author restarts",
    ),
    pytest.param({"format": "ignition", "files": [FILE]}, id="Ignition"),
    pytest.param({"format": "ignition", "joinConfiguration": _NODE}, id="Ignition, with CRI-O"),
    pytest.param(
        {"format": "ignition", "ignition": {"containerLinuxConfig": {"additionalConfig": "systemd:\n  units: []\n"}}},
        id="Flatcar",
    ),
    pytest.param({"format": "cloud-config", "users": [{"name": "capv"}]}, id="cloud-init, by its name"),
    pytest.param({"files": [{"path": "C:/k/azure.json", "content": "x"}]}, id="Windows, by a drive"),
    pytest.param({"preKubeadmCommands": ["powershell C:/x.ps1"]}, id="Windows, by PowerShell"),
    pytest.param(
        {"joinConfiguration": {"nodeRegistration": {"criSocket": "npipe:////./pipe/containerd-containerd"}}},
        id="Windows, by a named pipe",
    ),
    pytest.param({"format": "bottlerocket"}, id="Bottlerocket"),
    pytest.param({"preKubeadmCommands": ["true", "apt-get install -y curl"]}, id="a command that needs the network"),
    pytest.param(
        {"preKubeadmCommands": ["apt-get install -y containerd", "containerd config default > /etc/containerd/x"]},
        id="commands that install and configure containerd",
    ),
    pytest.param({"preKubeadmCommands": ["export HTTP_PROXY='http://old:1'", "true"]}, id="an export of another proxy"),
]
OPTIONS = [
    pytest.param({}, id="no options"),
    pytest.param({"targets": {"nodes": {"containerd": {"content": "Secret"}}}}, id="a drop-in in a Secret"),
    pytest.param(
        {"targets": {"nodes": {"containerd": {"path": "/etc/systemd/system/containerd.service.d/10-proxy.conf"}}}},
        id="another path",
    ),
    pytest.param({"targets": {"nodes": {"containerd": False}}}, id="no drop-in of containerd"),
    pytest.param({"targets": {"nodes": {"commands": {"exports": False}}}}, id="no exports"),
    pytest.param({"targets": {"nodes": {"commands": {"restart": False}}}}, id="no restart"),
    pytest.param({"targets": {"nodes": {"commands": {"place": "Start"}}}}, id="commands at the start"),
    pytest.param({"targets": {"nodes": {"commands": {"place": "End"}}}}, id="commands at the end"),
    pytest.param({"trustedCA": {"pem": A}, "registryMirror": {"url": "https://mirror.corp.example"}}, id="trust store"),
]


NAMED = {str(one.id): one.values[0] for one in SYSTEMS}


def objects(version: str, cp: Mapping[str, Any], machines: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """A class with these KubeadmConfigSpecs for its control plane and its classes of workers, and one Cluster."""
    of_cp = template_of("cp", cp, version)
    made = {name: template_of(name, spec, version) for name, spec in machines.items()}
    groups = [{"class": name, "name": name} for name in made]
    one = cluster(version, network=NETWORK, workers={"machineDeployments": groups})
    one["spec"]["controlPlaneEndpoint"] = {"host": "10.3.0.1", "port": 6443}
    return [cluster_class(version, of_cp, made, {}), of_cp, *made.values(), one]


def run(items: list[Any], shared: str, given: Mapping[str, Any]) -> list[Any]:
    options = given.get("targets", {})
    targets = {**options, "nodes": {**options.get("nodes", {}), "classes": shared}}
    policy = {"without": ["networks", "metadata", "provider"]}
    made, reported = answer(copy.deepcopy(items), **{"noProxyPolicy": policy, **given, "targets": targets})
    assert [line for line in reported if line.startswith("error")] == []
    return made


def file_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of ``files``; of a drop-in what it sets, with the entries of lists in any order."""
    content = str(entry.get("content", ""))
    sets = {name: frozenset(value.split(",")) for name, value in _LINE.findall(content)}
    return {**entry, "content": sets or content}


def commands_of(commands: list[str]) -> list[Any]:
    """The commands, what is ours as one where it is together, with the entries of lists in any order.

    Those that do nothing are left out: a patch cannot put a command between two others.
    """
    found: list[Any] = []
    for command in commands:
        is_ours = command.startswith("export ") or command.endswith("# inject-proxy")
        if is_ours and not (found and isinstance(found[-1], dict)):
            found.append({})
        if command.startswith("export "):
            found[-1].update({name: frozenset(value.split(",")) for name, value in _EXPORT.findall(command)})
        elif is_ours:
            found[-1]["restart"] = command
        elif command != "true":
            found.append(command)
    return found


def node_of(spec: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in spec.items() if key not in ("files", "preKubeadmCommands")}
    files = spec.get("files") or []
    by_path = {file["path"]: file_of(file) for file in files}
    assert len(by_path) == len(files)
    commands = spec.get("preKubeadmCommands") or []
    trust = [command for command in commands if command.endswith(_TRUST)]
    others = [command for command in commands if not command.endswith(_TRUST)]
    return {**rest, "files": by_path, "trust store": trust, "commands": commands_of(others)}


def assert_alike(before: list[Any], given: Mapping[str, Any]) -> None:
    """Assert that nodes hold the same with ``Patch`` as their templates do with ``Union``."""
    filled, patched = run(before, "Union", given), run(before, "Patch", given)
    specs = {item["metadata"]["name"]: item["spec"]["template"]["spec"] for item in filled[1:-1]}
    wanted = {name: node_of(spec.get("kubeadmConfigSpec", spec)) for name, spec in specs.items()}
    nodes = judged(patched, "one")
    found = {"cp": nodes.pop("controlPlane"), **nodes}
    assert {name: node_of(spec) for name, spec in found.items()} == wanted


def in_turns(table: list[Any]) -> pytest.MarkDecorator:
    """Each row in one of the versions of Cluster API by turns: `test_cluster_class.py` has each step in both."""
    rows = enumerate(table)
    return pytest.mark.parametrize(
        ("version", "given"), [pytest.param(VERSIONS[n % 2], *row.values, id=row.id) for n, row in rows]
    )


@pytest.mark.judged
@in_turns(SYSTEMS)
def test_a_control_plane_of_a_patched_class_is_as_its_template(version: str, given: Mapping[str, Any]) -> None:
    assert_alike(objects(version, given, {}), {})


@pytest.mark.judged
@in_turns(OPTIONS)
def test_workers_of_all_systems_in_a_patched_class_are_as_templates(version: str, given: Mapping[str, Any]) -> None:
    assert_alike(objects(version, {"files": [FILE]}, NAMED), given)
