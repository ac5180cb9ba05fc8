"""The commands that export the proxy and restart containerd: where they go, and what real shells make of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from all_targets import TARGETS
from certificates import ONE
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from manifests import kubeadm, spec_of
from node_runs import HTTP, HTTP_ONLY, NONE, OWN_RESTART, PROXY, commands, meaning, run
from node_runs import commands_after as after
from support import need

COMMANDS, TRUST_STORE = TARGETS["nodes.commands"], TARGETS["nodes.trustedCA"]
TRUSTED = PROXY._replace(trusted_ca=ONE.trusted_ca)
RESTART = "systemctl daemon-reload && systemctl restart containerd # inject-proxy"


# What must not change.


RELOAD = "systemctl daemon-reload"
BOTH = "export HTTP_PROXY=http://proxy:3128{}http_proxy=http://proxy:3128"


@pytest.mark.parametrize(
    ("texts", "added"),
    [
        pytest.param([*HTTP, "hostname x", RESTART], [], id="all in another order, among others"),
        pytest.param([*OWN_RESTART, BOTH.format(" ")], [], id="two in one"),
        pytest.param([*OWN_RESTART, BOTH.format(" \\\n  ")], [], id="two in one, continued"),
        pytest.param([*OWN_RESTART, "; ".join(HTTP)], [], id="two statements in one"),
        pytest.param([*OWN_RESTART, 'export "HTTP_PROXY=http://proxy:3128"', HTTP[1]], [], id="the whole word quoted"),
        pytest.param([RELOAD, "systemctl stop containerd", "systemctl start containerd"], HTTP, id="a restart of TKG"),
        pytest.param([f"/usr/bin/{RELOAD} -q\nsystemctl --no-block restart 'containerd'"], HTTP, id="with options"),
        pytest.param(["systemctl restart containerd", RELOAD], [RESTART, *HTTP], id="a restart before the reload"),
        pytest.param([RELOAD, "systemctl restart kubelet"], [RESTART, *HTTP], id="a restart of another unit"),
        pytest.param([RELOAD, "echo systemctl restart containerd"], [RESTART, *HTTP], id="an argument"),
    ],
)
def test_right_commands_stay_as_they_are_and_what_is_missing_is_added(texts: list[str], added: list[str]) -> None:
    assert after(commands(*texts), HTTP_ONLY) == [*texts, *added]


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["export HTTP_PROXY_HOST=x", "# export HTTP_PROXY=x", "export ALL_PROXY=x"], id="no variable"),
        pytest.param([None, 5, ["export HTTP_PROXY=x"]], id="entries that are no commands"),
    ],
)
def test_nothing_changes_without_a_proxy(texts: list[Any]) -> None:
    assert run(COMMANDS, commands(*texts), NONE).changes == []


# What is written.


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({"exports": False}, [RESTART], id="no exports"),
        pytest.param({"exports": False, "restart": False}, None, id="neither"),
    ],
)
def test_options_hold_for_new_and_for_existing_commands(options: dict[str, bool], expected: list[str] | None) -> None:
    assert after(kubeadm({}), HTTP_ONLY, **options) == expected
    assert after(commands(RESTART, *HTTP), HTTP_ONLY, **options) == expected


def test_ignition_needs_no_restart() -> None:
    assert after(commands(RESTART, "x", "curl a", format="ignition"), HTTP_ONLY) == ["x", *HTTP, "curl a"]


def test_an_older_form_of_our_restart_is_renewed_and_a_repeated_one_goes() -> None:
    assert after(commands("systemctl restart containerd # inject-proxy", "x", RESTART), HTTP_ONLY) == [
        RESTART,
        "x",
        *HTTP,
    ]


# Before the network.

APT = "apt-get update"
CONFIGURE = "sed -i s/a/b/ /etc/containerd/config.toml"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(["curl http://localhost:1", "x"], ["curl http://localhost:1", "x", RESTART, *HTTP], id="local"),
        pytest.param(
            ["if grep -q http://a b; then c; fi"], ["if grep -q http://a b; then c; fi", RESTART, *HTTP], id="read"
        ),
        pytest.param(["echo deb https://a >b"], ["echo deb https://a >b", RESTART, *HTTP], id="written"),
        pytest.param(["x", "${PREFIX}apt-get update"], ["x", RESTART, *HTTP, "${PREFIX}apt-get update"], id="a prefix"),
        pytest.param(
            [APT, CONFIGURE, "x", "crictl pull y"],
            [*HTTP, APT, CONFIGURE, "x", RESTART, "crictl pull y"],
            id="and behind what configures it, but before the next that needs the network",
        ),
        pytest.param([HTTP[0], APT], [HTTP[0], RESTART, HTTP[1], APT], id="an export stays in front of a restart"),
        pytest.param(
            [APT, "export HTTP_PROXY=old", "x"],
            [RESTART, *HTTP, APT, "x"],
            id="an export of somebody else that comes too late moves, too",
        ),
        pytest.param(
            [*HTTP, "unset http_proxy", "x"],
            ["unset http_proxy", "x", RESTART, *HTTP],
            id="exports move behind a command that unsets them",
        ),
        pytest.param(
            ["http_proxy=a apt-get update", "x"],
            ["http_proxy=a apt-get update", "x", RESTART, *HTTP],
            id="a command that has a proxy of its own needs none of ours",
        ),
    ],
)
def test_the_proxy_is_there_before_the_network_is_needed(old: list[str], new: list[str]) -> None:
    assert after(commands(*old), HTTP_ONLY) == new


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        pytest.param("Start", ["x", RESTART, *HTTP], [RESTART, *HTTP, "x"], id="Start moves those that are there"),
        pytest.param("Start", ["x", CONFIGURE, "y"], [*HTTP, "x", CONFIGURE, RESTART, "y"], id="Start and containerd"),
        pytest.param("End", [RESTART, *HTTP, "x", APT], ["x", APT, RESTART, *HTTP], id="End"),
    ],
)
def test_an_option_fixes_the_place(place: str, old: list[str], new: list[str]) -> None:
    assert after(commands(*old), HTTP_ONLY, place=place) == new


LINES = [APT, CONFIGURE, "x", "y", "sleep 1", "unset NO_PROXY", "crictl pull z", None, "export FOO=1", *OWN_RESTART]


@given(
    st.lists(st.sampled_from(LINES), max_size=8),
    st.sampled_from(["", "Start", "End"]),
    st.sampled_from([PROXY, HTTP_ONLY]),
)
def test_removal_gives_the_old_order_back(texts: list[Any], place: str, proxy: ProxySettings) -> None:
    options = {"commands": {"place": place} if place else {}}
    obj = commands(*texts)
    injected = run(COMMANDS, obj, proxy, options).obj
    assert meaning(run(COMMANDS, injected, NONE, options).obj) == meaning(obj) or not texts


# What is reported.


@pytest.mark.parametrize("command", ["bash -x /opt/a.sh", "true && . /opt/a.sh", "A=b /opt/a.sh", "env A=b /opt/a.sh"])
@pytest.mark.parametrize(
    "script",
    [{"contentFrom": {"secret": {"name": "a", "key": "a"}}}, {"content": "${SCRIPT}"}],
    ids=["Secret", "later"],
)
def test_a_script_whose_text_is_not_known_may_need_the_network(script: dict[str, Any], command: str) -> None:
    obj = commands("chmod +x /opt/a.sh", command, files=[{"path": "/opt/a.sh", **script}])
    assert after(obj, HTTP_ONLY) == ["chmod +x /opt/a.sh", RESTART, *HTTP, command]


# Judged by shells.


NETWORK = ("apt-get update", "curl -s https://example.com/x", "bash -c 'crictl pull a' | cat", "timeout 5 git clone b")
STAND_INS = (
    "apt-get", "curl", "crictl", "git", "systemctl", "sed", "wget", "ctr", "yum", "dnf", "zypper", "apk", "tdnf",
    "snap", "pip3", "python3", "aws", "kubeadm", "kubectl", "nodeadm", "rpm", "transactional-update", "rpm-ostree",
    "pip3.11", "dnf-3", "pro", "docker-compose", "buildah", "puppet", "salt-call", "mvn", "gradlew", "gem", "openssl",
    "brew", "nix-env", "oc", "rsync", "svn", "tool", "pip", "npm", "uv", "terraform", "yarn", "helm", "go",
)  # fmt: skip
SCRIPTS = st.sampled_from(
    [
        *NETWORK, "true", ": x", "# apt-get", "echo apt-get >/dev/null", "unset http_proxy", "unset NO_PROXY; true",
        "export FOO=1", "export HTTP_PROXY=old", "export no_proxy=a NO_PROXY=b", "(unset HTTP_PROXY)", "unset FOO",
        "systemctl daemon-reload", "sed -i s/a/b/ /etc/containerd/config.toml", "export HTTPS_PROXY=old && true",
    ]
)  # fmt: skip


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with programs that note the proxy variables they see, in place of those that need the network."""
    folder = tmp_path_factory.mktemp("stand-ins")
    for name in STAND_INS:
        program = folder / name
        program.write_text(f'#!/bin/sh\n{{ echo "= {name} $1"; env; }} >>"$SEEN"\n')
        program.chmod(0o755)
    sudo = folder / "sudo"
    sudo.write_text('#!/bin/sh\n[ "$1" = -E ] && shift\nexec "$@"\n')
    sudo.chmod(0o755)
    return folder


def executed(texts: list[str], stand_ins: Path) -> tuple[list[tuple[str, dict[str, str]]], dict[str, str]]:
    """Each call of a stand-in with the proxy variables it saw, and those that kubeadm would see in the end."""
    seen = stand_ins / "seen"
    seen.write_text("")
    script = "\n".join([*texts, 'echo "= end" >>"$SEEN"; env >>"$SEEN"'])
    environment = {"PATH": f"{stand_ins}{os.pathsep}{os.defpath}", "SEEN": str(seen)}
    subprocess.run([need("sh")], input=script.encode(), capture_output=True, env=environment, check=True)
    calls: list[tuple[str, dict[str, str]]] = []
    for line in seen.read_text().splitlines():
        if line.startswith("= "):
            calls.append((line[2:], {}))
        elif line.partition("=")[0] in PROXY_VARIABLES:
            calls[-1][1][line.partition("=")[0]] = line.partition("=")[2]
    return calls[:-1], calls[-1][1]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(SCRIPTS, max_size=7), proxy=st.sampled_from([PROXY, HTTP_ONLY, NONE]))
def test_each_program_of_the_network_sees_the_proxy(stand_ins: Path, texts: list[str], proxy: ProxySettings) -> None:
    _, in_the_end = executed(texts, stand_ins)
    read = {one.variable: one.value for one in COMMANDS.read(commands(*texts), {})}
    assert {name: in_the_end.get(name) for name, value in read.items() if value is not None} == {
        name: value for name, value in read.items() if value is not None
    }
    outcome = run(COMMANDS, commands(*texts), proxy)
    calls, in_the_end = executed((spec_of(outcome.obj) or {}).get("preKubeadmCommands", []), stand_ins)
    wanted = proxy.variables
    # What a user's own command unsets or sets again is held against the warnings below.
    if not any(word in text for text in texts for word in ("unset", "HTTPS_PROXY=old")):
        assert all(seen == wanted for name, seen in calls if not name.startswith(("systemctl ", "sed ")))
    if not outcome.warnings:
        assert in_the_end == wanted


# Whatever needs the network runs behind certificates and exports.


NETWORK_SPELLINGS = [
    "mvn -q dependency:get", "sudo -E FOLDER/gradlew build", "env X=1 gem sources -a https://files.example",
    "nix-env -iA x", "openssl s_client -connect files.example:443", "brew install x", "oc login x",
    "rsync -a files.example::x /x", "yarn", "svn co https://files.example/x",
    "sudo -E tool --url=https://files.example", "pip -q install x", "npm -g install x", "uv sync", "terraform init",
    "helm show values x", "go mod download", "bash FOLDER/setup-node.sh", "apt-get update",
    "DEBIAN_FRONTEND=noninteractive apt-get install -y x", "sudo apt-get update", "sudo -E apt-get update",
    "test -e /nowhere || apt-get update", "curl -fsSO https://files.example/tool",
    "curl -sfL https://get.example | sh -", "/usr/bin/env curl https://files.example",
    "sh -c 'curl https://files.example'", "bash -c \"wget https://files.example\"",
    "if ! curl https://files.example; then exit 1; fi", "for i in 1 2; do wget https://files.example; done",
    "(curl https://files.example)", "{ curl https://files.example; }", "true; wget https://files.example",
    "! curl https://files.example", "echo $(curl https://files.example)", "echo `curl https://files.example`",
    "timeout 5 curl https://files.example", "URL=https://files.example; wget \"$URL\"",
    "GET=curl; $GET https://files.example", "GET=\"curl -sfL\"; $GET https://files.example",
    "crictl pull registry.example/pause:3.10", "crictl --config /etc/crictl.yaml pull registry.example/pause:3.10",
    "ctr -n k8s.io images pull registry.example/pause:3.10", "yum install -y x", "dnf -y install x",
    "zypper --non-interactive install x", "apk add x", "tdnf install -y x", "snap install x", "pip3 install x",
    "python3 -m pip install x", "git clone https://files.example/x", "aws s3 cp s3://x y",
    "kubeadm config images pull", "kubectl apply -f https://files.example/x.yaml", "kubeadm upgrade node",
    "nodeadm install 1.33", "rpm -Uvh https://files.example/x.rpm", "sudo rpm --import https://files.example/key",
    "python3 -c 'from urllib.request import *; urlopen(\"https://files.example\")'",
    "transactional-update -n pkg install x", "rpm-ostree install x", "pip3.11 install x", "dnf-3 -y install x",
    "pro attach x", "docker-compose pull", "buildah pull x", "puppet agent --test", "salt-call state.apply",
    "\\curl https://files.example", "INSTALL_RKE2_VERSION=v1 sh FOLDER/rke2-install.sh",
    "sudo -E FOLDER/bootstrap-node.sh prod", "FOLDER/install.sh", "bash FOLDER/install.sh", ". FOLDER/install.sh",
    "sudo -E FOLDER/install.sh", "FOLDER/unknown.sh", "cd FOLDER && ./calls.sh", "A=FOLDER; $A/calls.sh",
    "sh FOLDER/calls.sh",
]  # fmt: skip


@pytest.mark.parametrize("settings", [PROXY, TRUSTED], ids=["without certificates", "with certificates"])
@pytest.mark.parametrize("command", NETWORK_SPELLINGS)
def test_a_command_of_the_network_runs_behind_all_ours(stand_ins: Path, command: str, settings: ProxySettings) -> None:
    script = stand_ins / "install.sh"
    script.write_text("curl https://files.example\n")
    script.chmod(0o755)
    for name in ("unknown.sh", "rke2-install.sh", "bootstrap-node.sh", "setup-node.sh"):
        (stand_ins / name).write_text(script.read_text())
        (stand_ins / name).chmod(0o755)
    (stand_ins / "calls.sh").write_text(f"{script}\n")
    (stand_ins / "calls.sh").chmod(0o755)
    files = [
        {"path": str(script), "content": script.read_text()},
        {"path": str(stand_ins / "calls.sh"), "content": f"{script}\n"},
        {"path": str(stand_ins / "unknown.sh"), "contentFrom": {"secret": {"name": "a", "key": "a"}}},
    ]
    obj = commands("true", command.replace("FOLDER", str(stand_ins)), "echo end", files=files)
    for target in (TRUST_STORE, COMMANDS):
        obj = run(target, obj, settings).obj
    calls, _ = executed(spec_of(obj)["preKubeadmCommands"], stand_ins)
    network = [number for number, (name, _) in enumerate(calls) if not name.startswith("systemctl ")]
    assert network
    assert all(calls[number][1] == settings.variables for number in network)
    trusted = [number for number, (name, _) in enumerate(calls) if name == "systemctl try-restart"]
    assert bool(trusted) is bool(settings.trusted_ca.pem)
    assert all(number < network[0] for number in trusted)
