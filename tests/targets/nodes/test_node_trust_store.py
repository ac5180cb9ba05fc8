"""The trust store of the nodes: files, commands, and what a shell really does with them on each node image."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from all_targets import TARGETS
from certificates import BOTH, NONE, ONE, A, B
from krm_fn.settings import ProxySettings
from krm_fn.target_table import ROWS
from krm_fn.targets.nodes.node_commands import TRUST_MARK
from krm_fn.targets.nodes.node_trust_store import commands as commands_for
from manifests import kubeadm, spec_of
from node_runs import PROXY, run
from support import TIME_LIMIT, need

target = TARGETS["nodes.trustedCA"]
FOLDER = "/etc/inject-proxy/trusted-ca"
RESTART = "systemctl try-restart containerd || true # inject-proxy: trust store"
IMAGES = ("Debian", "RHEL", "Photon", "Flatcar")
ALL = commands_for(IMAGES)
USERS = ["swapoff -a", "systemctl daemon-reload", "systemctl restart containerd"]
THEIRS = [{"path": "/etc/ssl/certs/tkg-custom-ca.pem", "content": A}]


def entry(number: int, content: str, **more: str) -> dict[str, str]:
    path = f"{FOLDER}/inject-proxy-{number}.pem"
    return {"content": content, "owner": "root:root", "path": path, "permissions": "0644", **more}


def after(obj: dict[str, Any], settings: ProxySettings = BOTH, **options: Any) -> Any:
    return spec_of(run(target, obj, settings, options).obj)


# What must not change.


@pytest.mark.parametrize("settings", [NONE, PROXY], ids=["no settings", "a proxy and no certificates"])
@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"files": THEIRS, "preKubeadmCommands": USERS}, id="files and commands of others"),
        pytest.param({"files": "x", "preKubeadmCommands": {"a": 1}}, id="lists that are none"),
    ],
)
def test_without_certificates_nothing_is_said_or_done(spec: Any, settings: ProxySettings) -> None:
    done = run(target, kubeadm(spec), settings)
    assert (done.changes, done.findings) == ([], [])


@given(st.lists(st.sampled_from([*USERS, *ALL, RESTART, "export HTTP_PROXY=x", "true # inject-proxy", None, 7, {}])))
def test_what_others_wrote_stays_and_in_its_order(commands: list[Any]) -> None:
    def others(texts: Sequence[Any] | None) -> list[Any]:
        return [text for text in texts or () if not (isinstance(text, str) and text.endswith(TRUST_MARK))]

    done = after(kubeadm({"preKubeadmCommands": commands}))["preKubeadmCommands"]
    assert others(done) == others(commands)
    assert len(done) == len(others(commands)) + len(ALL)


@pytest.mark.parametrize(
    ("text", "is_ours"),
    [
        *(pytest.param(command, True, id=f"command {number}") for number, command in enumerate(ALL)),
        pytest.param(entry(0, A)["path"], True, id="a file"),
        pytest.param("systemctl restart containerd # inject-proxy", False, id="the restart that nodes.commands writes"),
    ],
)
def test_the_table_names_words_of_what_removal_takes_out_and_of_nothing_else(text: str, is_ours: bool) -> None:
    assert any(word in text for word in ROWS["nodes.trustedCA"].traces) == is_ours


# What has to come out.


def test_results_show_fingerprints_and_never_a_certificate() -> None:
    done = run(target, kubeadm({"files": [entry(0, B)]}), ONE)
    shown = [change.message for change in done.changes]
    assert "1 certificate, SHA-256 17:6A:89:E5:1A:77:B1:4B…" in shown[0]
    assert [line for line in shown if "BEGIN" in line] == []


# What a shell makes of the commands.


@pytest.mark.parametrize("command", ALL)
def test_no_command_holds_what_a_template_engine_or_the_script_around_it_would_trip_over(command: str) -> None:
    assert [mark for mark in ("$", "%", "'", "{{", "{#", "exit", "\n", "`") if mark in command] == []
    assert len(command) < 10_240


TOOLS = {
    "Debian": ("update-ca-certificates",),
    "RHEL": ("update-ca-trust",),
    "Photon": ("rehash_ca_certificates.sh",),
    "Flatcar": ("update-ca-certificates",),
    "unknown": (),
}
STORES = {
    "Debian": ("/usr/local/share/ca-certificates", ".pem.crt"),
    "RHEL": ("/etc/pki/ca-trust/source/anchors", ".pem"),
    "Photon": ("/etc/ssl/certs", ".pem"),
    "Flatcar": ("/etc/ssl/certs", ".pem"),
}
RELEASES = {"Debian": "ID=ubuntu\nID_LIKE=debian\n", "Flatcar": "NAME=Flatcar\nID=flatcar\nID_LIKE=coreos\n"}


class Node:
    """A folder that stands for the root of a node, with the tools of its image; each notes that it was called."""

    def __init__(self, root: Path, image: str, *, works: bool = True) -> None:
        self.root, self.log, self.bin = root, root / "log", root / "bin"
        self.fails = not works and bool(TOOLS[image])
        for folder in ("bin", "etc/pki/ca-trust/source/anchors", "etc/ssl/certs", FOLDER[1:]):
            (root / folder).mkdir(parents=True)
        for tool in ("cp", "ls", "xargs", "mkdir", "grep"):
            (self.bin / tool).symlink_to(need(tool))
        for tool in (*TOOLS[image], "systemctl"):
            self.add(tool, works=works)
        (root / "etc/os-release").write_text(RELEASES.get(image, "ID=other\n"))
        if image == "Debian":
            (root / "etc/debian_version").write_text("12.5\n")
        for number, text in enumerate((A, B)):
            (root / FOLDER[1:] / f"inject-proxy-{number}.pem").write_text(text)

    def add(self, tool: str, *, works: bool) -> None:
        script = self.bin / tool
        script.write_text(f'#!/bin/sh\necho "{tool} $*" >> {self.log}\nexit {int(not works)}\n')
        script.chmod(0o755)

    def boot(self, shell: str, commands: Sequence[str], *flags: str) -> str:
        """Run the commands as one script, and say what was called; it must reach its end."""
        self.log.write_text("")
        here = [text.replace("/etc/", f"{self.root}/etc/").replace("/usr/", f"{self.root}/usr/") for text in commands]
        script = "\n".join([*here, "echo kubeadm init"])
        environment = {"PATH": str(self.bin)}
        done = subprocess.run(
            [need(shell), *flags],
            input=script,
            capture_output=True,
            text=True,
            env=environment,
            timeout=TIME_LIMIT,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "kubeadm init\n"), done.stderr
        assert ("the trust store is not updated" in done.stderr) is self.fails
        return self.log.read_text()

    def store(self, image: str) -> dict[str, str]:
        folder, _ = STORES[image]
        return {path.name: path.read_text() for path in (self.root / folder[1:]).iterdir()}


@pytest.mark.parametrize("flags", [("-e",), ("-eu",), ()], ids=["Ignition", "with undefined variables", "cloud-init"])
@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("image", STORES)
def test_each_boot_fills_the_store_of_each_image(
    tmp_path: Path, image: str, shell: str, flags: tuple[str, ...]
) -> None:
    node = Node(tmp_path, image)
    (tool,) = TOOLS[image]
    extract = "extract" if image == "RHEL" else ""
    for _ in range(2):
        assert node.boot(shell, ALL, *flags) == f"{tool} {extract}\nsystemctl try-restart containerd\n"
        _, ending = STORES[image]
        assert node.store(image) == {f"inject-proxy-0{ending}": A, f"inject-proxy-1{ending}": B}


@pytest.mark.parametrize("image", STORES)
def test_the_command_of_one_image_is_enough_for_it_and_does_nothing_on_the_others(tmp_path: Path, image: str) -> None:
    commands = commands_for([image])
    for other, tools in TOOLS.items():
        called = Node(tmp_path / other, other).boot("sh", commands, "-e")
        assert bool(tools and called.startswith(tools)) is (other == image)


@pytest.mark.parametrize("image", TOOLS)
def test_a_tool_that_is_missing_or_fails_does_not_keep_the_node_from_joining(tmp_path: Path, image: str) -> None:
    node = Node(tmp_path, image, works=False)
    assert node.boot("sh", ALL, "-e").endswith("systemctl try-restart containerd\n")
