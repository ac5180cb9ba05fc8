from __future__ import annotations

from typing import Any

import pytest
from kubeadm_objects import HTTP_ONLY, NONE, OTHER, PLACES, PROXY, kubeadm, run, spec_of

from krm_fn.targets.nodes import containerd_drop_in
from krm_fn.targets.nodes import kubelet_drop_in as target

PATH = "/etc/systemd/system/kubelet.service.d/http-proxy.conf"
TANZU_PATH = "/usr/lib/systemd/system/kubelet.service.d/http-proxy.conf"
TANZU_CONTENT = """[Service]
Environment="HTTP_PROXY=http://asdf"
Environment="HTTPS_PROXY=https://asdf2"
Environment="NO_PROXY=.svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11"
"""
CONTENT = '[Service]\nEnvironment="HTTP_PROXY=http://proxy:3128"\nEnvironment="http_proxy=http://proxy:3128"\n'
ENTRY = {"content": CONTENT, "owner": "root:root", "path": PATH, "permissions": "0640"}
KUBEADM_CONF = {
    "path": "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf",
    "content": '[Service]\nEnvironment="KUBELET_KUBECONFIG_ARGS=--kubeconfig=/etc/kubernetes/kubelet.conf"\n',
}


def tanzu(unit: str = "kubelet", path: str = TANZU_PATH) -> dict[str, Any]:
    """An entry of the Tanzu document."""
    return {"content": TANZU_CONTENT, "owner": "root:root", "path": path, "permissions": "0640"}


@pytest.mark.parametrize(
    ("obj", "settings"),
    [
        pytest.param(kubeadm({"files": [KUBEADM_CONF, ENTRY]}), HTTP_ONLY, id="the entry as we write it"),
        pytest.param(kubeadm({"files": [KUBEADM_CONF]}), NONE, id="kubeadm's own drop-in, no proxy"),
        pytest.param(
            kubeadm({"files": [tanzu(path=TANZU_PATH.replace("http-proxy", "proxy"))]}),
            NONE,
            id="a drop-in of another name is not ours to remove",
        ),
        pytest.param(
            kubeadm({"files": [tanzu(path="/opt/systemd/system/kubelet.service.d/http-proxy.conf")]}),
            NONE,
            id="a file of our name in a folder that systemd does not read",
        ),
        pytest.param(
            kubeadm({"files": [{**ENTRY, "path": PATH.replace("kubelet", "containerd")}]}),
            NONE,
            id="that of containerd",
        ),
        pytest.param({"apiVersion": "v1", "kind": "ConfigMap", "data": {"files": "x"}}, PROXY, id="another kind"),
    ],
)
def test_nothing_changes(obj: dict[str, Any], settings: Any) -> None:
    assert run(target, obj, settings).changes == []


@pytest.mark.parametrize("kind", PLACES)
def test_every_kind_gets_the_entry_behind_what_is_there(kind: str) -> None:
    outcome = run(target, kubeadm({"files": [KUBEADM_CONF]}, kind), HTTP_ONLY)
    assert spec_of(outcome.obj)["files"] == [KUBEADM_CONF, ENTRY]
    assert outcome.findings == []


def test_containerd_and_kubelet_do_not_get_in_each_others_way() -> None:
    both = run(target, run(containerd_drop_in, kubeadm({}), HTTP_ONLY).obj, HTTP_ONLY).obj
    assert [entry["path"] for entry in spec_of(both)["files"]] == [PATH.replace("kubelet", "containerd"), PATH]
    assert run(containerd_drop_in, both, HTTP_ONLY).findings == []
    assert run(target, run(containerd_drop_in, both, NONE).obj, NONE).obj == kubeadm({})


def test_the_path_of_the_tanzu_document_can_be_chosen() -> None:
    outcome = run(target, kubeadm({"files": [tanzu()]}), HTTP_ONLY, {"path": TANZU_PATH})
    assert spec_of(outcome.obj)["files"] == [{**tanzu(), "content": CONTENT}]
    assert outcome.findings == []


def test_the_tanzu_document_gets_the_lower_case_beside_the_upper_case() -> None:
    outcome = run(target, kubeadm({"files": [tanzu(path=PATH)]}), OTHER)
    content = spec_of(outcome.obj)["files"][0]["content"]
    assert content.splitlines() == [
        "[Service]",
        'Environment="HTTP_PROXY=http://u:p%%40ss@other:1"',
        'Environment="http_proxy=http://u:p%%40ss@other:1"',
        'Environment="HTTPS_PROXY=http://other:2"',
        'Environment="https_proxy=http://other:2"',
        'Environment="NO_PROXY=localhost,10.0.0.0/8"',
        'Environment="no_proxy=localhost,10.0.0.0/8"',
    ]


FOLDERS = [
    pytest.param("/usr/lib", id="that of the Tanzu document"),
    pytest.param("/lib", id="lib"),
    pytest.param("/run", id="run"),
    pytest.param("/usr/local/lib", id="that of the administrator under usr"),
]


@pytest.mark.parametrize("unit_target", [target, containerd_drop_in])
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_drop_in_of_our_name_in_any_folder_of_systemd_is_the_place(folder: str, unit_target: Any) -> None:
    unit = "kubelet" if unit_target is target else "containerd"
    path = PATH.replace("/etc", folder).replace("kubelet", unit)
    obj = kubeadm({"files": [KUBEADM_CONF, tanzu(path=path)]})
    outcome = run(unit_target, obj, HTTP_ONLY)
    assert spec_of(outcome.obj)["files"] == [KUBEADM_CONF, {**tanzu(path=path), "content": CONTENT}]
    assert outcome.findings == []
    removed = run(unit_target, outcome.obj, NONE)
    assert (spec_of(removed.obj)["files"], removed.findings) == ([KUBEADM_CONF], [])


@pytest.mark.parametrize("folder", FOLDERS)
def test_of_two_of_our_name_the_one_under_etc_is_the_place_and_the_other_is_reported(folder: str) -> None:
    other = tanzu(path=PATH.replace("/etc", folder))
    outcome = run(target, kubeadm({"files": [other, tanzu(path=PATH)]}), HTTP_ONLY)
    assert spec_of(outcome.obj)["files"] == [other, ENTRY]
    (message,) = outcome.warnings
    assert message == (
        f'"{other["path"]}" sets proxy variables for kubelet too; '
        f'of two with the same name systemd reads only "{PATH}"; remove it'
    )
    assert {seen.path[-2] for seen in getattr(target, "TARGET", target).read(outcome.obj, {})} == {"1"}


def test_removal_takes_all_of_our_name_because_the_hidden_one_would_come_into_effect() -> None:
    args = '[Service]\nEnvironment="KUBELET_EXTRA_ARGS=--v=4"\n'
    mixed = {**tanzu(), "content": f"{TANZU_CONTENT}{args.splitlines()[1]}\n"}
    outcome = run(target, kubeadm({"files": [mixed, tanzu(path=PATH)]}), NONE)
    assert (spec_of(outcome.obj)["files"], outcome.findings) == ([{**mixed, "content": args}], [])


def test_where_the_path_is_given_another_place_stays_and_is_reported() -> None:
    outcome = run(target, kubeadm({"files": [tanzu(path=PATH)]}), PROXY, {"path": TANZU_PATH})
    assert spec_of(outcome.obj)["files"][0] == tanzu(path=PATH)
    (message,) = outcome.warnings
    assert message.startswith(f'"{PATH}" sets proxy variables for kubelet too')
    assert f'reads only "{PATH}"; remove it, or set `spec.targets.kubeletDropIn.path` to its path' in message


def test_a_place_under_usr_is_an_error_with_ignition() -> None:
    (message,) = run(target, kubeadm({"format": "ignition", "files": [tanzu()]}), PROXY).errors
    assert message == "`path` must not be under /usr with Ignition (read-only); write one under /etc"


def test_where_the_path_is_given_a_drop_in_that_stays_is_reported_when_no_proxy_is_wanted() -> None:
    (message,) = run(target, kubeadm({"files": [tanzu()]}), NONE, {"path": PATH}).warnings
    assert f'"{TANZU_PATH}" still sets proxy variables for kubelet' in message
    assert "remove it, or set `spec.targets.kubeletDropIn.path` to its path" in message


@pytest.mark.parametrize("kind", PLACES)
def test_removal_restores_what_had_nothing_of_ours(kind: str) -> None:
    obj = kubeadm({"files": [KUBEADM_CONF]}, kind)
    assert run(target, run(target, obj, PROXY).obj, NONE).obj == obj
