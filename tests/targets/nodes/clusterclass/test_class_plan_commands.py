"""Exports and restart of a patched ClusterClass: before the first command that needs the network.

Cluster API's webhooks and engine judge what nodes get; a patch adds to a list at its two ends only.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from certificates import A
from class_objects import VERSIONS, class_and_templates, cluster, judged, patch
from class_objects import answer as answer_of

WORKERS = {"machineDeployments": [{"class": "md", "name": "group"}]}
NETWORK = {"pods": {"cidrBlocks": ["10.1.0.0/16"]}, "services": {"cidrBlocks": ["10.2.0.0/16"]}}
COMMANDS = "/spec/template/spec/preKubeadmCommands"
INSTALL = "apt-get install -y nfs-common"
CONTAINERD = "sed -i s/a/b/ /etc/containerd/config.toml"
PULL = "crictl pull registry.k8s.io/pause:3.10"
RESTART, EXPORTS = "restart", "exports"
LATE = "NetworkBeforeProxy"


def objects(version: str, commands: list[str], *operations: Any, enabled_if: str = "") -> list[Any]:
    files = [{"path": "/opt/setup.sh", "content": "#!/bin/sh\ncurl -O https://example.com/x\n"}]
    md = {"files": files, "preKubeadmCommands": commands}
    patches = {"patches": [patch("theirs", version, *operations, enabled_if=enabled_if)]} if operations else {}
    its_cluster = cluster(version, network=NETWORK, workers=WORKERS)
    return class_and_templates(version, {"preKubeadmCommands": ["true"]}, md, its_cluster, **patches)


def answer(items: list[Any], **spec: Any) -> tuple[list[Any], list[str]]:
    return answer_of(copy.deepcopy(items), noProxyPolicy={"without": ["networks", "endpoint"]}, **spec)


def commands_of(items: list[Any], node: str = "group") -> list[str]:
    """The commands of a node, in short."""
    short = []
    for text in judged(items, "one")[node]["preKubeadmCommands"]:
        is_export = text.startswith("export HTTP_PROXY='http://user")
        short.append(EXPORTS if is_export else RESTART if text.endswith("# inject-proxy") else text)
    return short


def add(place: str, value: str) -> dict[str, Any]:
    return {"op": "add", "path": f"{COMMANDS}/{place}", "value": value}


OF_GO = {
    "op": "add",
    "path": f"{COMMANDS}/-",
    "valueFrom": {"template": f'"{INSTALL} {{{{ .builtin.cluster.name }}}}"'},
}
WHOLE = {"op": "add", "path": COMMANDS, "value": ["true", INSTALL]}
GONE = {"op": "add", "path": COMMANDS, "value": ["true"]}


@pytest.mark.judged
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("commands", "operations", "wanted"),
    [
        pytest.param(["true"], [], ["true", RESTART, EXPORTS], id="no command needs the network"),
        pytest.param(["true", INSTALL], [], [EXPORTS, RESTART, "true", INSTALL], id="one of the template does"),
        pytest.param(["/opt/setup.sh"], [], [EXPORTS, RESTART, "/opt/setup.sh"], id="a script of the template does"),
        pytest.param(["true"], [add("-", INSTALL)], [EXPORTS, RESTART, "true", INSTALL], id="one of a patch does"),
        pytest.param(["true"], [add("0", INSTALL)], [EXPORTS, RESTART, INSTALL, "true"], id="one that is put first"),
        pytest.param(["x"], [OF_GO], [EXPORTS, RESTART, "x", f"{INSTALL} one"], id="one of a Go template does"),
        pytest.param(["x"], [WHOLE], [EXPORTS, RESTART, "true", INSTALL], id="one of a list that a patch writes"),
        pytest.param([INSTALL], [GONE], ["true", RESTART, EXPORTS], id="one that a patch erases"),
        pytest.param(
            [INSTALL, CONTAINERD],
            [],
            [EXPORTS, INSTALL, CONTAINERD, RESTART],
            id="the restart stays behind what configures containerd",
        ),
        pytest.param(
            ["true"],
            [add("-", INSTALL), add("0", CONTAINERD)],
            [EXPORTS, CONTAINERD, "true", INSTALL, RESTART],
            id="which a patch puts first",
        ),
    ],
)
def test_exports_are_before_the_first_command_that_needs_the_network(
    version: str, commands: list[str], operations: list[Any], wanted: list[str]
) -> None:
    before = objects(version, commands, *operations)
    items, _ = answer(before)
    assert commands_of(items) == wanted
    assert commands_of(items, "controlPlane") == ["true", RESTART, EXPORTS]
    assert answer(items)[0] == items
    assert answer(items, mode="Remove")[0] == before


@pytest.mark.judged
def test_a_command_that_may_be_there_counts() -> None:
    erased = {"op": "add", "path": COMMANDS, "value": ["true"]}
    items, _ = answer(objects("v1beta2", [INSTALL], erased, enabled_if='{{ eq .builtin.cluster.name "x" }}'))
    assert commands_of(items) == [EXPORTS, RESTART, INSTALL]


@pytest.mark.judged
@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        pytest.param("Start", [EXPORTS, RESTART, "true", INSTALL], id="Start"),
        pytest.param("End", ["true", INSTALL, RESTART, EXPORTS], id="End"),
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_an_option_fixes_the_place(version: str, place: str, wanted: list[str]) -> None:
    there, _ = answer(objects(version, ["true", INSTALL]))
    items, reported = answer(there, targets={"nodes": {"commands": {"place": place}}})
    assert commands_of(items) == wanted
    assert reported == []
    assert answer(items)[0] == there


@pytest.mark.judged
def test_a_restart_at_the_start_stays_behind_what_configures_containerd() -> None:
    items, reported = answer(objects("v1beta2", [CONTAINERD]), targets={"nodes": {"commands": {"place": "Start"}}})
    assert commands_of(items) == [EXPORTS, CONTAINERD, RESTART]
    assert reported == []


@pytest.mark.judged
@pytest.mark.parametrize(
    ("commands", "wanted"),
    [
        pytest.param(
            ["unset HTTP_PROXY", INSTALL],
            [RESTART, "unset HTTP_PROXY", INSTALL, EXPORTS],
            id="exports would have to be between an unset and the network",
        ),
        pytest.param(
            [CONTAINERD, PULL],
            [EXPORTS, CONTAINERD, PULL, RESTART],
            id="the restart would have to be between the configuration and the pull",
        ),
    ],
)
def test_what_would_have_to_be_between_two_commands_is_a_warning(commands: list[str], wanted: list[str]) -> None:
    before = objects("v1beta2", commands)
    items, reported = answer(before)
    assert commands_of(items) == wanted
    assert len([line for line in reported if line.startswith("warning") and LATE in line]) == 1
    fixed = {"nodes": {"commands": {"place": "End"}}}
    assert not any(LATE in line for line in answer(before, targets=fixed)[1])
    off = {"nodes": {"commands": False}}
    assert not any(LATE in line for line in answer(before, targets=off)[1])


@pytest.mark.judged
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("operation", "is_first"),
    [
        pytest.param(WHOLE, True, id="a list of a patch needs the network"),
        pytest.param(GONE, False, id="no command needs it"),
    ],
)
def test_where_commands_are_erased_certificates_come_first(version: str, operation: Any, is_first: bool) -> None:
    before = objects(version, [INSTALL], operation)
    items, _ = answer(before, trustedCA={"pem": A})
    texts = judged(items, "one")["group"]["preKubeadmCommands"]
    trust = [number for number, text in enumerate(texts) if text.endswith("# inject-proxy: trust store")]
    assert "try-restart" in texts[trust[-1]]
    assert (trust[-1] < texts.index("true")) is is_first
    assert answer(items, trustedCA={"pem": A})[0] == items
    assert answer(items, mode="Remove")[0] == before


# The ends at which our patches add.


@pytest.mark.parametrize(
    ("commands", "operations", "ends"),
    [
        pytest.param(["true"], [], "--", id="no command needs the network"),
        pytest.param(["true", INSTALL], [], "00", id="one of the template does"),
        pytest.param(["true"], [add("-", INSTALL)], "00", id="one of a patch does"),
        pytest.param(["x"], [OF_GO], "00", id="one of a Go template does"),
        pytest.param(["x"], [WHOLE], "00", id="one of a list that a patch writes"),
        pytest.param(["x"], [add("-", 5)], "--", id="a patch adds a number"),
        pytest.param([INSTALL, CONTAINERD], [], "0-", id="the restart stays behind what configures containerd"),
    ],
)
def test_a_patch_adds_before_a_command_of_the_network(commands: list[str], operations: list[Any], ends: str) -> None:
    items, _ = answer(objects("v1beta2", commands, *operations))
    ours = {one["name"]: one for one in items[0]["spec"]["patches"]}
    for name, end in zip(("inject-proxy-nodes", "inject-proxy-lists"), ends, strict=True):
        written = [operation["path"] for part in ours[name]["definitions"] for operation in part["jsonPatches"]]
        assert f"{COMMANDS}/{end}" in written
