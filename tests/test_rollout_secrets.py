"""The Secret of a Cluster's drop-ins: a name that says what is in it, and nodes that would not follow."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from krm_fn.pipeline import Outcome, run

CONTAINERD = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
HASHED = re.compile(r"one-systemd-proxy-[0-9a-f]{10}")
BASE_NAME = "fn.inject-proxy.io/base-name"
TARGETS = {
    "containerdDropIn": {"content": "Secret"},
    "kubeletDropIn": {"enabled": False},
    "kubeadmCommands": {"enabled": False},
}
GENERATE = {**TARGETS, "giantswarmSystemdProxy": {"generate": True}}
CLUSTER: dict[str, Any] = {
    "apiVersion": "cluster.x-k8s.io/v1beta1",
    "kind": "Cluster",
    "metadata": {"name": "one", "namespace": "org"},
    "spec": {},
}


def secret(**members: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "one-systemd-proxy", "namespace": "org"},
        "stringData": {"containerdProxy": '[Service]\nEnvironment="HTTP_PROXY=http://old:1"\n', "own": "x"},
        **members,
    }


def holder(kind: str = "KubeadmControlPlane", *files: Any, name: str = "one-cp") -> dict[str, Any]:
    group = "controlplane" if "ControlPlane" in kind else "bootstrap"
    spec: dict[str, Any] = {"files": [*files]} if files else {}
    inner = {"kubeadmConfigSpec": spec} if "ControlPlane" in kind else spec
    return {
        "apiVersion": f"{group}.cluster.x-k8s.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "org", "labels": {"cluster.x-k8s.io/cluster-name": "one"}},
        "spec": {"template": {"spec": inner}} if kind.endswith("Template") else inner,
    }


def file(name: str = "one-systemd-proxy", path: str = CONTAINERD, key: str = "containerdProxy") -> dict[str, Any]:
    return {"path": path, "permissions": "0600", "contentFrom": {"secret": {"name": name, "key": key}}}


def ran(*items: Any, hashed: bool | None = True, **spec: Any) -> Outcome:
    wish = {} if hashed is None else {"rollout": {"hashNames": hashed}}
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "proxy"},
        "spec": {"httpProxy": "http://proxy:1", "targets": TARGETS, **wish, **spec},
    }
    listed = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": copy.deepcopy(list(items)),
        "functionConfig": config,
    }
    return run(json.dumps(listed).encode())


def items(outcome: Outcome) -> list[Any]:
    found: list[Any] = json.loads(outcome.output)["items"]
    return found


def names_in(item: Any) -> list[str]:
    """The names of the Secrets that an object refers to."""
    return re.findall(r'"secret": {"name": "([^"]+)"', json.dumps(item))


def warnings(outcome: Outcome, part: str) -> list[tuple[str, str]]:
    found = [one for one in outcome.results if part in one.message]
    return [(one.severity.value, f"{one.ref.kind}/{one.ref.name} {'/'.join(one.path)}") for one in found]


KINDS = ["KubeadmControlPlane", "KubeadmConfigTemplate"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_name_of_the_secret_says_what_is_in_it_and_references_follow(kind: str) -> None:
    own = file(path="/etc/own", key="own")
    before = [CLUSTER, secret(), holder(kind, {"path": "/etc/motd", "content": "x"}, own, file())]
    once = items(ran(*before))
    name = once[1]["metadata"]["name"]
    assert HASHED.fullmatch(name)
    assert once[1]["metadata"]["annotations"] == {BASE_NAME: "one-systemd-proxy"}
    assert names_in(once[2]) == [name, name]

    assert items(ran(*once)) == once
    other = items(ran(*once, httpProxy="http://other:1"))
    assert HASHED.fullmatch(other[1]["metadata"]["name"])
    assert other[1]["metadata"]["name"] != name
    assert names_in(other[2]) == [other[1]["metadata"]["name"]] * 2
    assert items(ran(*other)) == once


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hashed", [None, False])
def test_without_the_wish_secret_and_references_have_the_name_that_they_had(kind: str, hashed: bool | None) -> None:
    before = [CLUSTER, secret(), holder(kind, file())]
    plain = items(ran(*before, hashed=hashed))
    assert plain[1]["metadata"] == before[1]["metadata"]
    assert items(ran(*items(ran(*before)), hashed=hashed)) == plain


def test_removal_gives_the_name_back_and_takes_the_reference_out() -> None:
    before = [CLUSTER, secret(stringData={"own": "x"}), holder("KubeadmControlPlane", file(path="/etc/own", key="own"))]
    once = items(ran(*before))
    assert names_in(once[2]) == [once[1]["metadata"]["name"]] * 2
    assert items(ran(*once, mode="Remove")) == before


def test_a_secret_that_is_made_has_its_hash_at_once_and_is_made_once() -> None:
    before = [CLUSTER, holder()]
    once = items(ran(*before, targets=GENERATE))
    assert [item["kind"] for item in once].count("Secret") == 1
    (made,) = (item for item in once if item["kind"] == "Secret")
    assert HASHED.fullmatch(made["metadata"]["name"])
    assert names_in(once[1]) == [made["metadata"]["name"]]
    assert items(ran(*once, targets=GENERATE)) == once
    other = items(ran(*once, targets=GENERATE, httpProxy="http://other:1"))
    assert [item["kind"] for item in other].count("Secret") == 1
    assert items(ran(*once, targets=GENERATE, mode="Remove")) == before


def test_a_secret_to_which_nothing_refers_keeps_its_name() -> None:
    found = ran(CLUSTER, secret())
    assert items(found)[1]["metadata"]["name"] == "one-systemd-proxy"
    assert warnings(found, "no object of the list refers to it") == [
        ("warning", "Secret/one-systemd-proxy metadata/name"),
    ]


def test_what_sops_has_encrypted_keeps_its_name_and_reference() -> None:
    encrypted = {**holder("KubeadmControlPlane", file()), "sops": {"mac": "x", "version": "3.9.0"}}
    found = items(ran(CLUSTER, secret(), encrypted))
    assert found[1]["metadata"]["name"] == "one-systemd-proxy"
    assert found[2] == encrypted


# Nodes that would not follow.


FIELD = "spec/kubeadmConfigSpec/files/0/contentFrom/secret/name"


@pytest.mark.parametrize(("hashed", "severity"), [(None, "warning"), (False, "info")])
def test_a_control_plane_that_keeps_the_old_content_is_reported(hashed: bool | None, severity: str) -> None:
    found = ran(CLUSTER, secret(), holder("KubeadmControlPlane", file()), hashed=hashed)
    assert warnings(found, "nodes keep what they have") == [(severity, f"KubeadmControlPlane/one-cp {FIELD}")]
    again = ran(*items(found), hashed=hashed)
    assert warnings(again, "nodes keep what they have") == []


# A Secret that is not there.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hashed", [None, True])
def test_a_reference_to_a_secret_that_is_neither_there_nor_made_is_a_warning(kind: str, hashed: bool | None) -> None:
    found = ran(CLUSTER, holder(kind), hashed=hashed)
    (said,) = warnings(found, "is neither in the list nor created")
    assert said[0] == "warning"
    assert said[1].startswith(f"{kind}/one-cp spec/")
    assert said[1].endswith("/files/0/contentFrom/secret/name")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(secret(), id="the Secret"),
        pytest.param({**secret(), "kind": "SealedSecret", "apiVersion": "bitnami.com/v1alpha1"}, id="a SealedSecret"),
        pytest.param(
            {
                "apiVersion": "external-secrets.io/v1",
                "kind": "ExternalSecret",
                "metadata": {"name": "x", "namespace": "org"},
                "spec": {"target": {"name": "one-systemd-proxy"}},
            },
            id="an ExternalSecret with another name",
        ),
    ],
)
def test_a_secret_that_is_there_or_becomes_one_is_none(other: Any) -> None:
    assert warnings(ran(CLUSTER, other, holder()), "is neither in the list nor created") == []


def test_removal_says_nothing_of_a_missing_secret() -> None:
    found = ran(CLUSTER, holder("KubeadmControlPlane", file()), mode="Remove")
    assert warnings(found, "is neither in the list nor created") == []
