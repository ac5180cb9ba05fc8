"""Where the configuration of nodes is in an object of any shape, what its nodes allow, and texts in its files."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from all_targets import TARGETS
from certificates import A
from function_configs import list_with_config
from krm_fn.config import Certificates, Mirror
from krm_fn.krm.results import Result
from krm_fn.patch import lookup
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run as run_list
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets import Context
from krm_fn.targets.base import Target
from krm_fn.targets.nodes.node_config import FileEntry
from manifests import (
    KUBEADM_SPECS,
    cluster,
    config_template,
    kubeadm,
    machine_deployment,
    named,
    reference,
    spec_of,
    with_value,
)
from node_runs import HTTP_ONLY, NONE, PROXY, meaning, run

OF_PROXY = [TARGETS[name] for name in ("nodes.containerd", "nodes.kubelet", "nodes.commands")]
OF_NODES = [*OF_PROXY, TARGETS["nodes.files"], TARGETS["nodes.mirror"]]
PATH = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
MIRRORED = PROXY._replace(mirror=Mirror("https://m.example:5000", "m.example", Certificates("x\n")))

# Objects of any shape.

JUNK = st.sampled_from(
    [None, True, 0, 0.5, "", "x", "${X}", [], {}, [None], {"x": 1}, "[Service]\nEnvironment=NO_PROXY=\\q\n"]
)
KEYS = ["path", "content", "contentFrom", "encoding", "owner", "permissions", "append", "secret", "name", "key"]
ENTRIES = st.one_of(JUNK, st.dictionaries(st.sampled_from(KEYS), st.one_of(JUNK, st.just(PATH), st.just("base64"))))
COMMANDS = st.lists(st.one_of(JUNK, st.just("export HTTP_PROXY=x")), max_size=4)
SPECS = st.one_of(
    JUNK,
    st.fixed_dictionaries(
        {},
        optional={
            "files": st.one_of(JUNK, st.lists(ENTRIES, max_size=4)),
            "preKubeadmCommands": st.one_of(JUNK, COMMANDS),
            "format": st.one_of(JUNK, st.just("ignition")),
            "joinConfiguration": JUNK,
        },
    ),
)


@pytest.mark.parametrize("target", OF_NODES, ids=lambda target: target.id)
@settings(max_examples=60)
@given(
    spec=SPECS, kind=st.sampled_from([*KUBEADM_SPECS]), version=JUNK, proxy=st.sampled_from([MIRRORED, HTTP_ONLY, NONE])
)
def test_any_shape_twice_is_once(target: Target, spec: Any, kind: str, version: Any, proxy: ProxySettings) -> None:
    obj = {**kubeadm(spec, kind), "apiVersion": version}
    for reading in target.read(obj, {}):
        assert reading.variable in PROXY_VARIABLES
        assert (reading.value is None) == bool(reading.why_unknown)
    outcome = run(target, obj, proxy, {"files": ["environment", "apt"]} if target.id == "nodes.files" else {})
    assert all(isinstance(one, Result) and one.message and "\n" not in one.message for one in outcome.findings)


@pytest.mark.parametrize("target", OF_PROXY, ids=lambda target: target.id)
@pytest.mark.parametrize("kind", KUBEADM_SPECS)
@pytest.mark.parametrize("form", ["cloud-config", "ignition"])
@pytest.mark.parametrize("proxy", [MIRRORED, HTTP_ONLY, NONE], ids=["all", "http", "none"])
def test_what_is_written_is_read_back_and_goes(target: Target, kind: str, form: str, proxy: ProxySettings) -> None:
    obj = kubeadm({"format": form}, kind)
    written = run(target, obj, proxy).obj
    assert {one.variable: one.value for one in target.read(written, {})} == proxy.variables
    assert run(target, written, NONE).obj == obj


@pytest.mark.parametrize("target", ["nodes.containerd", "nodes.commands", "nodes.trustedCA", "nodes.mirror"])
def test_what_is_longer_than_cluster_api_takes_is_a_warning(target: str) -> None:
    certificates = Certificates(A.replace("M", "M" * 10_300, 1))
    mirror = Mirror("https://m.example:5000", "m.example", certificates)
    long = ProxySettings(no_proxy=",".join(["host.corp.example"] * 700), trusted_ca=certificates, mirror=mirror)
    codes = [finding.code for finding in run(TARGETS[target], kubeadm({}), long).findings]
    assert "ProviderRefuses" in codes
    other = {**kubeadm({}), "kind": "RKE2ConfigTemplate"}
    assert "ProviderRefuses" not in [finding.code for finding in run(TARGETS[target], other, long).findings]


@pytest.mark.parametrize("target", OF_NODES, ids=lambda target: target.id)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 5_000_000, id="one line of five megabytes"),
        pytest.param("[Service]\nEnvironment=" + "\\\n" * 30_000, id="thirty thousand continued lines"),
        pytest.param("[Service]\n" + 'Environment="HTTP_PROXY=x"\n' * 5_000, id="five thousand assignments"),
        pytest.param("x | export HTTP_PROXY=" + " " * 1_000_000, id="a mebibyte of blanks behind a pipe"),
    ],
)
def test_large_texts_come_to_an_end(target: Target, text: str) -> None:
    obj = kubeadm({"files": [{"path": PATH, "content": text}], "preKubeadmCommands": [text]})
    list(target.edit(obj, Context({}, HTTP_ONLY)))
    list(target.read(obj, {}))


# Objects without a configuration.


ANNOTATION = "internal.config.kubernetes.io/path"
MACHINES = machine_deployment()
BARE = config_template("workers")
POOL = {**machine_deployment(), "kind": "MachinePool"}
POOL = with_value(POOL, ("spec", "template", "spec", "bootstrap", "configRef", "kind"), "KubeadmConfig")
BARE_PLANE = named("KubeadmControlPlaneTemplate", "cp", spec={"template": {"spec": {}}})
CLASS = named("ClusterClass", "c", spec={"controlPlane": {"ref": reference("KubeadmControlPlaneTemplate", "cp")}})
URLS = {"httpProxy": "http://svc:hunter2@proxy:1", "httpsProxy": "http://svc:hunter2@proxy:1"}


def outcome_of(items: list[dict[str, Any]], **spec: Any) -> Outcome:
    outcome = run_list(list_with_config({**URLS, **spec}, *items))
    assert outcome.exit_code == 0
    return outcome


def items_of(outcome: Outcome) -> list[dict[str, Any]]:
    return list(yaml.safe_load(outcome.output)["items"])


def in_file(file: str, data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "metadata": {**data["metadata"], "annotations": {ANNOTATION: file}}}


@pytest.mark.parametrize(
    ("user", "bare", "empty"),
    [
        pytest.param(MACHINES, BARE, {"template": {"spec": {}}}, id="a template without spec"),
        pytest.param(MACHINES, {**BARE, "spec": {"template": {}}}, {"template": {"spec": {}}}, id="an empty one"),
        pytest.param(MACHINES, {**BARE, "spec": {"template": None}}, {"template": {"spec": {}}}, id="null in it"),
        pytest.param(POOL, {**BARE, "kind": "KubeadmConfig"}, {}, id="what a pool names"),
        pytest.param(CLASS, BARE_PLANE, {"template": {"spec": {"kubeadmConfigSpec": {}}}}, id="what a class names"),
    ],
)
def test_what_something_refers_to_gets_its_spec_and_all_that_belongs_there(user: Any, bare: Any, empty: Any) -> None:
    items = [cluster(), user, bare]
    once = outcome_of(items)
    spec = lookup(items_of(once)[2], KUBEADM_SPECS[bare["kind"]])
    assert [file["path"].split("/")[4] for file in spec["files"]] == ["containerd.service.d", "kubelet.service.d"]
    assert any("export" in command for command in spec["preKubeadmCommands"])
    assert "ByHand" not in [one.code for one in once.results]
    assert outcome_of(items_of(once)).changed == 0
    assert items_of(outcome_of(items_of(once), mode="Remove")) == [cluster(), user, {**bare, "spec": empty}]


def test_flavors_of_one_folder_that_have_the_same_names_get_it_in_each_file() -> None:
    items = [in_file(file, data) for file in ("a.yaml", "b.yaml") for data in (cluster(), MACHINES, BARE)]
    once = items_of(outcome_of(items))
    assert [("spec" in item) for item in once] == [("spec" in item) or item["kind"] == BARE["kind"] for item in items]
    assert outcome_of(once).changed == 0


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([cluster(), BARE], id="nothing refers to it"),
        pytest.param(
            [
                cluster(),
                MACHINES,
                in_file("base.yaml", {**BARE, "spec": {"template": {"spec": {"files": []}}}}),
                in_file("overlay/patch.yaml", BARE),
            ],
            id="another file has the template",
        ),
        pytest.param(
            [cluster(), MACHINES, {**BARE, "spec": {"template": {"metadata": {"labels": {"a": "b"}}}}}],
            id="it says something else",
        ),
    ],
)
def test_what_may_be_a_patch_stays_without(items: list[dict[str, Any]]) -> None:
    outcome = outcome_of(items)
    assert items_of(outcome)[-1] == items[-1]
    assert "ByHand" in [one.code for one in outcome.results]


# What the nodes are.

SOCKET = {"nodeRegistration": {"criSocket": "unix:///var/run/crio/crio.sock"}}


@pytest.mark.parametrize("target", OF_PROXY, ids=lambda target: target.id)
@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"files": [{"path": "C:\\k\\x.ps1", "content": ""}]}, id="a path with a drive"),
        pytest.param({"preKubeadmCommands": ["powershell C:/create-external-network.ps1"]}, id="PowerShell"),
        pytest.param(
            {"joinConfiguration": {"nodeRegistration": {"criSocket": "npipe:////./pipe/containerd-containerd"}}},
            id="a named pipe",
        ),
        pytest.param({"format": "bottlerocket"}, id="Bottlerocket"),
    ],
)
def test_nodes_that_cannot_be_written_lose_what_was_and_a_line_says_so(target: Target, spec: dict[str, Any]) -> None:
    outcome = run(target, kubeadm(spec), HTTP_ONLY)
    assert outcome.changes == []
    assert [result.code for result in outcome.findings] == ["NodesWithoutProxy"]
    assert run(target, kubeadm(spec), NONE).findings == []
    written = run(target, kubeadm({}), HTTP_ONLY).obj
    before = spec_of(written)
    for key, value in spec.items():
        before[key] = [*before.get(key, []), *value] if isinstance(value, list) else value
    assert meaning(spec_of(run(target, written, HTTP_ONLY).obj)) == meaning(spec)


@pytest.mark.parametrize("provisioner", [{"type": "powershell-xml"}, {"platform": "windows"}], ids=["type", "platform"])
def test_k0s_says_windows_in_a_field(provisioner: dict[str, str]) -> None:
    obj = {**kubeadm({"provisioner": provisioner}), "kind": "K0sWorkerConfigTemplate"}
    outcome = run(TARGETS["nodes.k0s"], obj, HTTP_ONLY)
    assert outcome.changes == []
    assert [result.code for result in outcome.findings] == ["NodesWithoutProxy"]


def test_a_drive_inside_a_path_is_none_of_windows() -> None:
    written = run(OF_PROXY[0], kubeadm({"files": [{"path": "/etc/windows/C:/x"}]}), HTTP_ONLY).obj
    assert spec_of(written)["files"][-1]["path"] == PATH


def test_cri_o_gets_a_drop_in_and_a_restart_of_its_own() -> None:
    obj = kubeadm({"joinConfiguration": SOCKET})
    written = run(OF_PROXY[2], run(OF_PROXY[0], obj, HTTP_ONLY).obj, HTTP_ONLY).obj
    spec = spec_of(written)
    assert [file["path"] for file in spec["files"]] == [PATH.replace("containerd", "crio")]
    assert spec["preKubeadmCommands"][0] == "systemctl daemon-reload && systemctl restart crio # inject-proxy"
    assert run(OF_PROXY[2], run(OF_PROXY[0], written, NONE).obj, NONE).obj == obj


def base64_of(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        pytest.param("dGV4\n  dA==\n", "base64", "text", id="base64 on several lines"),
        pytest.param("dGV4*A==", "base64", None, id="a character that is not of base64"),
        pytest.param(base64_of(b"\xff"), "base64", None, id="bytes that are no UTF-8"),
        pytest.param("x" * (2**20 + 1), None, None, id="more than a mebibyte"),
    ],
)
def test_text_of_a_file(content: Any, encoding: Any, text: str | None) -> None:
    entry = FileEntry((), "/a", {"content": content, "encoding": encoding})
    assert entry.text == text
