"""Files of other programs on the nodes: written on request, and judged by the programs that read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from all_targets import TARGETS
from class_objects import answer, cluster, cluster_class, contents, judged, template
from judges import (
    apt_configuration,
    dnf_configuration,
    environment_file,
    pam_environment,
    shell_environment,
    systemd_environment,
)
from krm_fn.patch import lookup
from krm_fn.products.node_kinds import NODE_KINDS, NodeConfigKind
from krm_fn.settings import ProxySettings
from krm_fn.targets.nodes.node_files import NODE_FILES
from manifests import kubeadm, spec_of
from node_runs import NONE, OTHER, run

node_files = TARGETS["nodes.files"]
ALL = {"files": [*NODE_FILES]}
HARD = ProxySettings(
    "http://us%40er:p%25ss%3A%C3@[fd00::1]:3128/", "http://it's:a&b;c|d(e)*f~!?@proxy:1", "localhost,*.corp,fd00::/8"
)
ENTRY = {"path": "/etc/environment", "content": 'PATH="/bin"\n# HTTP_PROXY=x\nhttp_proxy=http://old:1 \nLANG=C'}


def _exported(text: str) -> dict[str, str]:
    return shell_environment("sh", [text])


def _of_apt(text: str) -> dict[str, str]:
    found = apt_configuration(text)
    names = {"Acquire::http::Proxy": "HTTP_PROXY", "Acquire::https::Proxy": "HTTPS_PROXY"}
    return {variable: found[name] for name, variable in names.items() if name in found}


def _of_sysconfig(text: str) -> dict[str, str]:
    """What a shell reads, and systemd the same; libzypp takes the text between the quotes."""
    assert text.startswith('PROXY_ENABLED="yes"\n')
    lines = [line.split("=", 1) for line in text.splitlines()[1:]]
    assert environment_file(text) == {name: value[1:-1] for name, value in lines} | {"PROXY_ENABLED": "yes"}
    return {name: value[1:-1] for name, value in lines}


JUDGES: dict[str, Callable[[str], dict[str, str]]] = {
    "environment": pam_environment,
    "profile": _exported,
    "apt": _of_apt,
    "dnf": dnf_configuration,
    "zypper": _of_sysconfig,
    "docker": systemd_environment,
}


def said(name: str, text: str) -> dict[str, str]:
    """What the program that reads a file makes of it, without what is none of our variables."""
    return {key: value for key, value in JUDGES[name](text).items() if key.upper().endswith("_PROXY")}


@pytest.mark.parametrize("settings", [OTHER, HARD], ids=["a password", "what a shell would do something with"])
@pytest.mark.parametrize("name", NODE_FILES)
def test_its_program_reads_what_was_meant(name: str, settings: ProxySettings) -> None:
    outcome = run(node_files, kubeadm({}), settings, {"files": [name]})
    (entry,) = spec_of(outcome.obj)["files"]
    file = NODE_FILES[name]
    known = file.lines.names if file.lines else settings.variables
    assert said(name, entry["content"]) == {key: settings.variables[key] for key in known}
    assert (entry["path"], entry.get("append")) == (file.paths[0], True if name in ("environment", "dnf") else None)
    again = run(node_files, outcome.obj, OTHER, {"files": [name]})
    assert said(name, spec_of(again.obj)["files"][0]["content"]).items() <= OTHER.variables.items()
    assert spec_of(run(node_files, outcome.obj, NONE, {"files": [name]}).obj) in ({}, {"files": []})
    assert [one.value for one in node_files.read(outcome.obj, ALL) if one.value] == [
        value for key, value in settings.variables.items() if key in known or key.upper() in known
    ]


@pytest.mark.parametrize("name", NODE_FILES)
def test_a_placeholder_is_filled_in_before_its_program_reads_it(name: str) -> None:
    later = ProxySettings("${PROXY}", "http://other:2", "localhost,${VIP:=10.0.0.5}")
    wanted = ProxySettings("http://u:p@proxy:1", "http://other:2", "localhost,10.0.0.6").variables
    written = run(node_files, kubeadm({}), later, {"files": [name]}).obj
    text = spec_of(written)["files"][0]["content"].replace("${PROXY}", "http://u:p@proxy:1")
    read = said(name, text.replace("${VIP:=10.0.0.5}", "10.0.0.6"))
    assert read == {key: wanted[key] for key in NODE_FILES[name].form.names}
    assert run(node_files, written, NONE, {"files": [name]}).obj == kubeadm({})


def test_nothing_is_written_that_nobody_asked_for() -> None:
    assert run(node_files, kubeadm({}), OTHER).changes == []
    asked_for_apt = run(node_files, kubeadm({"files": [ENTRY]}), OTHER, {"files": ["apt"]})
    assert [*contents(spec_of(asked_for_apt.obj))] == [ENTRY["path"], NODE_FILES["apt"].paths[0]]
    assert spec_of(asked_for_apt.obj)["files"][0] == ENTRY


@pytest.mark.parametrize(
    "kind", [kind for kind in NODE_KINDS.values() if kind.system.commands], ids=lambda kind: kind.kind
)
def test_a_system_whose_files_cannot_append_gets_no_environment(kind: NodeConfigKind) -> None:
    spec: dict[str, Any] = {}
    for key in reversed(kind.path):
        spec = {key: spec}
    given = {"apiVersion": f"{kind.group}/v1beta1", "kind": kind.kind, **spec}
    outcome = run(node_files, given, OTHER, {"files": ["environment"]})
    if kind.system.name in ("kubeadm", "nodeadm", "EKS"):
        assert outcome.findings == []
        assert lookup(outcome.obj, (*kind.path, "files"))[0]["append"] is True
    else:
        assert [said.code for said in outcome.findings] == ["ByHand"]
        assert outcome.changes == []


def test_ignition_cannot_append_either() -> None:
    outcome = run(node_files, kubeadm({"format": "ignition"}), OTHER, ALL)
    assert "ByHand" in [said.code for said in outcome.findings]
    assert "/etc/environment" not in contents(spec_of(outcome.obj))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("profile", "if true; then export HTTP_PROXY=http://old:1; fi\n", id="a condition"),
        pytest.param("profile", 'P=http://old:1\nexport http_proxy="$P"\n', id="what a shell expands"),
        pytest.param("environment", "HTTP_PROXY=http://old:1 # was ours\n", id="a comment behind a value"),
        pytest.param("environment", "A=b\\\n", id="a line that goes on"),
        pytest.param("apt", 'Acquire { http::Proxy "http://old:1"; };\n', id="a block of apt"),
        pytest.param("dnf", "[main]\nproxy=http://old:1\n[fedora]\nenabled=1\n", id="a section of a repository"),
        pytest.param("dnf", "[main]\nproxy=http://old:1\nproxy_username=svc\n", id="a user of the old proxy"),
        pytest.param("dnf", "[main]\nproxy=http://old:1\n  more\n", id="a value that goes on in the next line"),
        pytest.param("dnf", "[main]\n proxy=http://old:1\n", id="a name behind a blank, which dnf does not see"),
    ],
)
def test_a_text_with_other_lines_is_left_alone(name: str, text: str) -> None:
    given = kubeadm({"files": [{"path": NODE_FILES[name].paths[0], "content": text}]})
    outcome = run(node_files, given, OTHER, {"files": [name]})
    assert outcome.changes == []
    assert [said.code for said in outcome.findings] == ["ByHand"]


IMAGE = "[main]\ngpgcheck=1\nbest=True\n"


@pytest.mark.parametrize(
    ("text", "expected", "removed"),
    [
        pytest.param(IMAGE, f"{IMAGE}[main]\nproxy=URL\n", IMAGE, id="another section with our line"),
        pytest.param(f"{IMAGE}proxy = http://old:1\n", f"{IMAGE}proxy = URL\n", IMAGE, id="a proxy that is there"),
        pytest.param(
            "[main]\nproxy=http://old:1\ngpgcheck=1\n",
            "[main]\nproxy=URL\ngpgcheck=1\n",
            "[main]\ngpgcheck=1\n",
            id="one at the beginning of the section",
        ),
        pytest.param("[main]\nproxy=http://old:1\n", "[main]\nproxy=URL\n", None, id="nothing else"),
    ],
)
def test_a_file_of_dnf_keeps_its_other_lines(text: str, expected: str, removed: str | None) -> None:
    path = NODE_FILES["dnf"].paths[0]
    written = run(node_files, kubeadm({"files": [{"path": path, "content": text}]}), OTHER, {"files": ["dnf"]})
    (content,) = contents(spec_of(written.obj)).values()
    assert content == expected.replace("URL", OTHER.https_proxy)
    assert dnf_configuration(content) == {"HTTPS_PROXY": OTHER.https_proxy}
    assert run(node_files, written.obj, OTHER, {"files": ["dnf"]}).changes == []
    left = run(node_files, written.obj, NONE, {"files": ["dnf"]}).obj
    assert contents(spec_of(left)) == ({} if removed is None else {path: removed})


@pytest.mark.parametrize("char", ['"', "$", "#", "`", "\\"])
def test_what_pam_cannot_quote_is_an_error(char: str) -> None:
    settings = ProxySettings(f"http://u:a{char}b@proxy:1")
    outcome = run(node_files, kubeadm({}), settings, {"files": ["environment"]})
    assert outcome.changes == []
    assert [said.code for said in outcome.findings] == ["CannotWrite"]
    assert "a" + char + "b" not in outcome.findings[0].message
    assert pam_environment(f'A="a{char}b"\n') == {"A": f"a{char}b".partition("#")[0].removesuffix('"')}


def test_one_writer_of_a_file() -> None:
    old = {"path": NODE_FILES["apt"].paths[0], "content": 'Acquire::http::Proxy "http://old:1";\n'}
    of_docker = {
        "path": "/etc/systemd/system/docker.service.d/other.conf",
        "content": "[Service]\nEnvironment=HTTP_PROXY=http://old:1\n",
    }
    given = kubeadm({"files": [old, of_docker]})
    written = run(node_files, given, OTHER, {"files": ["apt", "docker"]})
    assert [said.code for said in written.findings] == ["OtherProxy"]
    assert "spec.targets" not in written.findings[0].message
    assert said("apt", contents(spec_of(written.obj))[old["path"]]).items() <= OTHER.variables.items()


@pytest.mark.judged
@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_patches_of_a_class_write_the_files(version: str) -> None:
    cp = template("cp", {}, version)
    md = template("md", {"files": [{"path": "/etc/motd", "content": "Hello"}]}, version)
    workers = {"machineDeployments": [{"class": "md", "name": "md"}]}
    given = [cluster_class(version, cp, {"md": md}, {}), cp, md, cluster(version, workers=workers)]
    password = "http://us%40er:p%25ss%3A@proxy.corp.example:3128"
    items, _ = answer(given, httpProxy=password, httpsProxy=password, targets={"nodes": ALL})
    assert items[1:3] == [cp, md]
    for spec in judged(items, "one").values():
        appended = {one["path"] for one in spec["files"] if one.get("append")}
        assert appended == {"/etc/environment", "/etc/dnf/dnf.conf"}
        found = contents(spec)
        for name, file in NODE_FILES.items():
            read = said(name, found[file.paths[0]])
            assert read["HTTPS_PROXY"] == password
            assert name in ("apt", "dnf") or read["NO_PROXY"].startswith(".corp.example,")
    again, _ = answer(items, httpProxy=password, httpsProxy=password, targets={"nodes": ALL})
    assert again == items
