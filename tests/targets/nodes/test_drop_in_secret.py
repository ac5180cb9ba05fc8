"""Drop-ins whose text stands in the Secret of the Cluster: when an entry refers to it, and when it cannot."""

from __future__ import annotations

from typing import Any

import pytest
from kubeadm_objects import NONE, PLACES, PROXY, kubeadm, meaning, run, spec_of

from krm_fn.carriers.unit_text import fresh
from krm_fn.krm.results import Severity
from krm_fn.targets.nodes import containerd_drop_in, kubelet_drop_in

PATH = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
OF_ONE = PROXY._replace(cluster="mycluster", clusters=("mycluster",))
SHARED = PROXY._replace(cluster="a", clusters=("a", "b"))
PARTICULAR = OF_ONE._replace(differs_from_cluster=True)
GONE = NONE._replace(cluster="mycluster", clusters=("mycluster",))
SECRET = {"content": "Secret"}
INLINE = {"content": "Inline"}
CONTENT = fresh(PROXY.variables())
STRANGER = {"path": "/etc/stranger", "content": "x"}


def source(name: str = "mycluster-systemd-proxy", key: str = "containerdProxy") -> dict[str, Any]:
    return {"secret": {"name": name, "key": key}}


def entry(**more: Any) -> dict[str, Any]:
    return {"path": PATH, **more}


def files(*entries: Any) -> dict[str, Any]:
    return kubeadm({"files": list(entries)})


# What must not change.


@pytest.mark.parametrize("options", [{}, SECRET, INLINE], ids=["nobody says where", "Secret", "Inline"])
@pytest.mark.parametrize("settings", [OF_ONE, GONE], ids=["a proxy", "no proxy"])
@pytest.mark.parametrize(
    "content_from",
    [
        pytest.param(source("site"), id="a Secret of somebody else"),
        pytest.param(source("other-systemd-proxy"), id="the Secret of another Cluster"),
        pytest.param({}, id="a reference without a Secret"),
        pytest.param({"secret": []}, id="a reference of a wrong type"),
    ],
)
def test_a_foreign_reference_stays_and_is_a_warning(content_from: Any, settings: Any, options: Any) -> None:
    outcome = run(containerd_drop_in, files(entry(contentFrom=content_from)), settings, options)
    assert outcome.changes == []
    (warning,) = outcome.warnings
    assert "content comes from" in warning


def test_where_nobody_says_where_the_text_is_to_stand_it_stays_there() -> None:
    outcome = run(containerd_drop_in, files(entry(contentFrom=source())), OF_ONE)
    assert (outcome.changes, outcome.warnings, outcome.errors) == ([], [], [])
    (note,) = outcome.reported(Severity.INFO)
    assert "which the target `giantswarmSystemdProxy` fills if it is in the list" in note


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([entry(contentFrom=source())], id="as it is to be"),
        pytest.param([entry(contentFrom=source(), permissions="0644", owner="core")], id="its author's owner and mode"),
    ],
)
def test_a_reference_that_is_right_stays(entries: list[Any]) -> None:
    outcome = run(containerd_drop_in, files(*entries), OF_ONE, SECRET)
    assert (outcome.changes, outcome.findings) == ([], [])


def test_a_reference_to_a_secret_of_its_kind_stays_where_the_cluster_is_not_known() -> None:
    outcome = run(containerd_drop_in, files(entry(contentFrom=source("x-systemd-proxy"))), PROXY, SECRET)
    assert (outcome.changes, outcome.findings) == ([], [])


# What comes out.


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize(
    ("target", "unit"),
    [(containerd_drop_in, "containerd"), (kubelet_drop_in, "kubelet")],
    ids=["containerd", "kubelet"],
)
def test_a_new_entry_is_that_of_the_document(target: Any, unit: str, kind: str) -> None:
    (new,) = spec_of(run(target, kubeadm({}, kind), OF_ONE, SECRET).obj)["files"]
    assert new == {
        "path": f"/etc/systemd/system/{unit}.service.d/http-proxy.conf",
        "permissions": "0600",
        "contentFrom": {"secret": {"name": "mycluster-systemd-proxy", "key": f"{unit}Proxy"}},
    }
    assert list(new) == ["path", "permissions", "contentFrom"]
    assert list(new["contentFrom"]["secret"]) == ["name", "key"]


def test_the_options_of_a_new_entry() -> None:
    options = {"path": PATH.replace("http", "99-http"), "owner": "core", "permissions": "0400", **SECRET}
    (new,) = spec_of(run(containerd_drop_in, files(), OF_ONE, options).obj)["files"]
    assert new == {**{key: options[key] for key in ("path", "owner", "permissions")}, "contentFrom": source()}


@pytest.mark.parametrize(
    "old",
    [
        pytest.param(entry(content=CONTENT, owner="root:root"), id="what we wrote"),
        pytest.param(entry(content="", owner="root:root"), id="an empty content"),
        pytest.param(entry(owner="root:root"), id="no content"),
        pytest.param(entry(content=None, contentFrom=None, owner="root:root"), id="both null"),
        pytest.param(entry(contentFrom=source(key="containerd"), owner="root:root"), id="another key"),
        pytest.param(
            entry(content="W1NlcnZpY2VdCkVudmlyb25tZW50PUhUVFBfUFJPWFk9eAo=", encoding="base64", owner="root:root"),
            id="base64",
        ),
    ],
)
def test_an_entry_of_ours_becomes_a_reference(old: dict[str, Any]) -> None:
    outcome = run(containerd_drop_in, files(STRANGER, old), OF_ONE, SECRET)
    assert spec_of(outcome.obj)["files"] == [STRANGER, entry(owner="root:root", contentFrom=source())]
    assert outcome.findings == []


@pytest.mark.parametrize("content", [{}, {"content": ""}])
def test_a_reference_becomes_a_text_again(content: dict[str, Any]) -> None:
    old = files(entry(permissions="0600", contentFrom=source(), **content))
    outcome = run(containerd_drop_in, old, OF_ONE, INLINE)
    assert spec_of(outcome.obj)["files"] == [entry(permissions="0600", content=CONTENT)]


def test_a_text_that_holds_more_stays_and_is_a_warning() -> None:
    old = files(entry(content="[Service]\nUser=x\nEnvironment=HTTP_PROXY=old\n"))
    outcome = run(containerd_drop_in, old, OF_ONE, SECRET)
    (kept,) = spec_of(outcome.obj)["files"]
    assert "User=x" in kept["content"]
    assert 'HTTP_PROXY=http://proxy:3128"' in kept["content"]
    (warning,) = outcome.warnings
    assert "holds more than proxy variables" in warning


def test_a_text_that_cannot_be_read_is_reported_once() -> None:
    outcome = run(containerd_drop_in, files(entry(content="%%", encoding="base64")), OF_ONE, SECRET)
    assert outcome.changes == []
    (warning,) = outcome.warnings
    assert "cannot be read" in warning


def test_owner_and_permissions_of_a_reference_follow_an_option_that_is_given() -> None:
    old = files(entry(permissions="0644", contentFrom=source()))
    outcome = run(containerd_drop_in, old, OF_ONE, {**SECRET, "permissions": "0600"})
    assert spec_of(outcome.obj)["files"] == [entry(permissions="0600", contentFrom=source())]


@pytest.mark.parametrize("options", [SECRET, INLINE], ids=["Secret", "Inline"])
@pytest.mark.parametrize("settings", [GONE, NONE], ids=["the Cluster is known", "it is not"])
def test_removal_takes_a_reference_out_that_is_ours(settings: Any, options: Any) -> None:
    injected = run(containerd_drop_in, files(STRANGER), OF_ONE, options).obj
    assert meaning(run(containerd_drop_in, injected, settings, options).obj) == files(STRANGER)


def test_a_text_that_takes_the_place_of_a_reference_has_no_encoding() -> None:
    """An encoding is that of the content of the Secret, and the text is plain."""
    old = files(entry(encoding="base64", contentFrom=source()))
    (new,) = spec_of(run(containerd_drop_in, old, OF_ONE, INLINE).obj)["files"]
    assert new["content"].startswith("[Service]\n")
    assert "encoding" not in new


def test_a_reference_is_said_to_take_the_drop_in_from_a_secret_and_not_to_set_variables() -> None:
    (change,) = run(containerd_drop_in, files(entry(content=CONTENT)), OF_ONE, SECRET).changes
    assert change.message == "takes the drop-in of containerd from the Secret of its Cluster"


# What cannot be.


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(PROXY, "the Cluster is not known", id="no Cluster"),
        pytest.param(SHARED, '"a" and "b" share', id="several Clusters"),
        pytest.param(PARTICULAR, "asks for another one here", id="another proxy than the Cluster has"),
    ],
)
@pytest.mark.parametrize(
    "entries", [[], [entry(content=CONTENT)], [entry(content="")]], ids=["no entry", "a text", "no text"]
)
def test_a_secret_that_cannot_be_named_is_an_error(entries: list[Any], settings: Any, words: str) -> None:
    outcome = run(containerd_drop_in, files(*entries), settings, SECRET)
    assert outcome.changes == []
    (error,) = outcome.errors
    assert words in error
    assert "set `spec.targets.containerdDropIn.content` to `Inline`" in error


@pytest.mark.parametrize("settings", [SHARED, PARTICULAR], ids=["shared", "particular"])
def test_a_reference_that_is_there_is_judged_too(settings: Any) -> None:
    name = f"{settings.clusters[0]}-systemd-proxy"
    outcome = run(containerd_drop_in, files(entry(contentFrom=source(name))), settings, SECRET)
    assert outcome.changes == []
    assert len(outcome.errors) == 1


def test_ignition_cannot_write_a_reference_below_usr_either() -> None:
    options = {"path": "/usr/lib/systemd/system/containerd.service.d/http-proxy.conf", **SECRET}
    outcome = run(containerd_drop_in, kubeadm({"format": "ignition"}), OF_ONE, options)
    (error,) = outcome.errors
    assert "must not be under /usr" in error
