"""Random lists of commands, run by the real ``sh`` with stand-ins for what needs the network: who saw which proxy."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kubeadm_objects import HTTP_ONLY, NONE, PROXY, kubeadm, run, spec_of

from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.nodes import kubeadm_commands, shell_exports
from support import need

NETWORK = ("apt-get update", "curl -s https://example.com/x", "bash -c 'crictl pull a' | cat", "timeout 5 git clone b")
STAND_INS = ("apt-get", "curl", "crictl", "git", "systemctl", "sed")
LINES = st.sampled_from(
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
        program.write_text(f'#!/bin/sh\n{{ echo "= {name}"; env; }} >>"$SEEN"\n')
        program.chmod(0o755)
    return folder


def executed(commands: list[str], stand_ins: Path) -> tuple[list[tuple[str, dict[str, str]]], dict[str, str]]:
    """Each call of a stand-in with the proxy variables it saw, and those that kubeadm would see in the end."""
    seen = stand_ins / "seen"
    seen.write_text("")
    script = "\n".join([*commands, 'echo "= kubeadm" >>"$SEEN"; env >>"$SEEN"'])
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
@given(commands=st.lists(LINES, max_size=7), proxy=st.sampled_from([PROXY, HTTP_ONLY, NONE]))
def test_every_program_that_needs_the_network_sees_the_proxy(
    stand_ins: Path, commands: list[str], proxy: ProxySettings
) -> None:
    before = kubeadm({"preKubeadmCommands": commands})
    _, in_the_end = executed(commands, stand_ins)
    known = {one.name: one.value for _, one in shell_exports.live(commands) if one.value is not None}
    unknown = {one.name for _, one in shell_exports.live(commands) if one.value is None}
    assert {name: value for name, value in in_the_end.items() if name not in unknown} == known
    outcome = run(kubeadm_commands, before, proxy)
    calls, in_the_end = executed((spec_of(outcome.obj) or {}).get("preKubeadmCommands", []), stand_ins)
    mixed = any(word in text for text in commands for word in ("unset", "HTTPS_PROXY=old"))
    wanted = proxy.variables()
    # What a user's own command unsets or sets again is held against the warnings below.
    if not mixed and not any("stay at the end" in text for text in outcome.warnings):
        assert all(seen == wanted for name, seen in calls if name not in ("systemctl", "sed"))
    if not outcome.warnings:
        assert in_the_end == wanted
