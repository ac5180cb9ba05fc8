"""Commands that export variables: read as the shell does, and edited in place."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.krm.codes import Severity
from krm_fn.settings import ProxySettings
from manifests import kubeadm, spec_of
from node_runs import HTTP, HTTP_ONLY, OWN_RESTART, commands, run
from node_runs import commands_after as after

COMMANDS = TARGETS["nodes.commands"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(["export HTTP_PROXY=old", "x"], [HTTP[0], "x", HTTP[1]], id="a wrong value keeps its place"),
        pytest.param(["export HTTP_PROXY=$P", HTTP[1]], HTTP, id="a value the shell would expand is not right"),
        pytest.param([*HTTP, HTTP[0], "x", *HTTP], [*HTTP, "x"], id="repeated exports go"),
        pytest.param(
            ["export HTTP_PROXY=old  HTTPS_PROXY=x  http_proxy=old # why"],
            [" && ".join(HTTP)],
            id="one command with several keeps what is wanted",
        ),
    ],
)
def test_exports_are_updated_in_place(old: list[str], new: list[str]) -> None:
    assert after(commands(*OWN_RESTART, *old), HTTP_ONLY) == [*OWN_RESTART, *new]


APT = "apt-get update"


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        pytest.param("HTTP_PROXY=old kubeadm config images pull", Severity.WARNING, id="a proxy for one command"),
        pytest.param("export HTTP_PROXY=$(cat /etc/proxy)", Severity.WARNING, id="the output of a program"),
        pytest.param("export HTTP_PROXY='it's'", Severity.WARNING, id="an open quote"),
        pytest.param('echo "export HTTP_PROXY=http://proxy:3128" >> /etc/profile', Severity.INFO, id="what is wanted"),
    ],
)
def test_a_command_that_does_more_than_exporting_is_reported_and_left_alone(text: str, severity: Severity) -> None:
    outcome = run(COMMANDS, commands(*OWN_RESTART, text), HTTP_ONLY)
    assert spec_of(outcome.obj)["preKubeadmCommands"] == [*OWN_RESTART, text, *HTTP]
    (finding,) = outcome.findings
    assert (finding.code, finding.severity, finding.path[-1]) == ("ByHand", severity, "2")


def test_an_unset_behind_the_network_is_reported() -> None:
    outcome = run(COMMANDS, commands(APT, "unset http_proxy https_proxy; foo"), HTTP_ONLY)
    assert [(one.code, one.path[-1]) for one in outcome.findings] == [("OtherProxy", "4")]


def test_a_value_that_a_shell_cannot_hold_is_an_error() -> None:
    outcome = run(COMMANDS, kubeadm({}), ProxySettings(no_proxy="a\x00b"))
    assert outcome.changes == []
    assert [one.code for one in outcome.findings] == ["CannotWrite"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param(["true && export NO_PROXY=a; x"], {"NO_PROXY": None}, id="among others"),
        pytest.param(["if x; then export NO_PROXY=a; fi"], {"NO_PROXY": None}, id="under a condition"),
        pytest.param([None, 7, "export 'NO_PROXY=a b'"], {"NO_PROXY": "a b"}, id="behind what is no command"),
        pytest.param(['export HTTP_PROXY="$PROXY"'], {"HTTP_PROXY": None}, id="a reference"),
        pytest.param(["# export NO_PROXY=x", "NO_PROXY=x kubeadm", "echo NO_PROXY=x >> /etc/x"], {}, id="no export"),
    ],
)
def test_exports_are_read_as_the_shell_reads_them(texts: list[Any], expected: dict[str, str | None]) -> None:
    assert {one.variable: one.value for one in COMMANDS.read(commands(*texts), {})} == expected
