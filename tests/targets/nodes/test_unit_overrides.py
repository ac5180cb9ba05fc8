"""What systemd reads from elsewhere than our assignments: found, and reported with the field that is in the way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kubeadm_objects import HTTP_ONLY, NONE, PROXY, kubeadm, run

from judges import systemd_environment
from krm_fn.carriers import unit_text
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.nodes import containerd_drop_in

OURS = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
OTHER = "/etc/systemd/system/containerd.service.d/limits.conf"


def files(*entries: tuple[str, str]) -> dict[str, Any]:
    return kubeadm({"files": [{"path": path, "content": content} for path, content in entries]})


@pytest.mark.parametrize(
    ("entries", "words", "index"),
    [
        pytest.param(
            [(OURS, "[Service]\nUnsetEnvironment=HTTP_PROXY\n")], "takes `HTTP_PROXY` away", "0", id="in our own file"
        ),
        pytest.param(
            [("/x", ""), (OTHER, '[Service]\nUnsetEnvironment="http_proxy" FOO\n')],
            "takes `http_proxy` away",
            "1",
            id="in another drop-in of the unit",
        ),
        pytest.param([(OURS, "[Service] # c\nUser=x\n")], "rejects a section header", "0", id="a rejected header"),
        pytest.param(
            [(OTHER, "[Service]\nEnvironmentFile=-/etc/environment\n")], "not in `files`", "0", id="an unseen file"
        ),
        pytest.param(
            [(OTHER, "[Service]\nEnvironmentFile=/etc/x\n"), ("/etc/x", "HTTP_PROXY=http://old:1\n")],
            "sets `HTTP_PROXY` to another value",
            "0",
            id="a file of the same object",
        ),
    ],
)
def test_what_wins_over_the_drop_in_is_a_warning(entries: list[tuple[str, str]], words: str, index: str) -> None:
    outcome = run(containerd_drop_in, files(*entries), HTTP_ONLY)
    (finding,) = outcome.findings
    assert words in finding.message
    assert finding.path[-3:] == ("files", index, "content")
    assert run(containerd_drop_in, files(*entries), NONE).findings == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[Service]\nUnsetEnvironment=FOO ALL_PROXY\n", id="other variables"),
        pytest.param("[Service]\nUnsetEnvironment=HTTP_PROXY\nUnsetEnvironment=\n", id="taken back"),
        pytest.param("[Service]\nUnsetEnvironment=HTTP_PROXY=http://old:1\n", id="only if it has another value"),
        pytest.param("[Unit]\nUnsetEnvironment=HTTP_PROXY\n", id="in a section where systemd ignores it"),
        pytest.param("[Service]\nEnvironmentFile=-/etc/default/containerd\n", id="a file of which nothing is known"),
    ],
)
def test_what_does_not_is_none(text: str) -> None:
    assert run(containerd_drop_in, files((OTHER, text)), HTTP_ONLY).findings == []


def test_lint_sees_that_a_variable_does_not_arrive() -> None:
    text = "[Service]\nEnvironment=HTTP_PROXY=http://p:1\nUnsetEnvironment=HTTP_PROXY\n"
    (seen,) = containerd_drop_in.TARGET.read(files((OURS, text)), {})
    assert (seen.value, seen.is_lost) == (None, True)
    text = "[Service] # x\nEnvironment=HTTP_PROXY=http://p:1\n"
    (seen,) = containerd_drop_in.TARGET.read(files((OURS, text)), {})
    assert "rejects a section header" in seen.why_unknown


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[Service] # x\nEnvironment=HTTP_PROXY=http://p:1\n", id="nothing of it is read"),
        pytest.param("[Service]\nEnvironment=HTTP_PROXY=http://p:1\n[Install\n", id="its end is not read"),
    ],
)
@pytest.mark.parametrize("proxy", [pytest.param(PROXY, id="set"), pytest.param(NONE, id="removed")])
def test_a_drop_in_with_a_rejected_header_is_left_alone_with_a_warning(text: str, proxy: ProxySettings) -> None:
    outcome = run(containerd_drop_in, files((OURS, text)), proxy)
    assert outcome.obj == files((OURS, text))
    (finding,) = outcome.findings
    assert (finding.code, finding.path[-3:]) == ("SectionRejected", ("files", "0", "content"))


# fmt: off
LINES = st.sampled_from([
    "", "# note", "User=daemon", "Environment=FOO=1", "Environment=", "[Unit]", "[Service]", "[Service]  # proxy",
    "[Service", "[Install", "UnsetEnvironment=NO_PROXY FOO", "UnsetEnvironment=", "UnsetEnvironment=HTTP_PROXY=old",
    "UnsetEnvironment=NO_PROXY=localhost,.svc", "EnvironmentFile=-/nonexistent", "Environment=HTTP_PROXY=old",
    'Environment="no_proxy=a,b" FOO=2',
    "Environment=https_proxy=x \\", "Environment=HTTPS_PROXY=p%%41", "Environment=HTTP_PROXY=\\q", "junk",
])
# fmt: on
SETTINGS = st.sampled_from([PROXY, HTTP_ONLY, NONE, ProxySettings("http://u:p%40ss@p:1", "", "a,b")])


@settings(max_examples=120, deadline=None)
@given(st.lists(LINES, max_size=9), SETTINGS)
def test_the_real_systemd_agrees_before_and_after(lines: list[str], proxy: ProxySettings) -> None:
    text = "\n".join(["[Service]", *lines, ""])
    known = {one.name: one.value for one in unit_text.settings_of(text) if one.value is not None}
    unset = unit_text.unset_by(text, known)
    read = systemd_environment(text)
    if not unit_text.has_rejected_header(text):
        assert {name: read[name] for name in PROXY_VARIABLES if name in read} == {
            name: value for name, value in known.items() if name not in unset
        }
    edited = unit_text.edit(text, proxy.variables())
    if unit_text.has_rejected_header(text):
        assert edited == text
        return
    read, unset = systemd_environment(edited), unit_text.unset_by(edited, proxy.variables())
    wanted = {name: value for name, value in proxy.variables().items() if name not in unset}
    assert {name: read[name] for name in PROXY_VARIABLES if name in read} == wanted
