"""The files of nodes that set a proxy: the entry of ``files``, its text, and the Secret that may hold it."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from manifests import kubeadm, spec_of
from node_runs import HTTP_ONLY, NONE, PROXY, run

CONTAINERD = TARGETS["nodes.containerd"]
FOLDER = "/etc/systemd/system/containerd.service.d"
PATH = f"{FOLDER}/http-proxy.conf"
CONTENT = """[Service]
Environment="HTTP_PROXY=http://proxy:3128"
Environment="http_proxy=http://proxy:3128"
Environment="HTTPS_PROXY=http://proxy:3129"
Environment="https_proxy=http://proxy:3129"
Environment="NO_PROXY=localhost,.svc"
Environment="no_proxy=localhost,.svc"
"""
SETS = "[Service]\nEnvironment=HTTP_PROXY=old\n"
ENTRY = {"content": CONTENT, "owner": "root:root", "path": PATH, "permissions": "0640"}
STRANGER = {"path": "/etc/stranger", "content": "export HTTP_PROXY=x\n"}


def files(*entries: Any, **more: Any) -> dict[str, Any]:
    return kubeadm({"files": list(entries), **more})


def entry(content: str | None = CONTENT, path: str = PATH, **more: Any) -> dict[str, Any]:
    return {"path": path, **({} if content is None else {"content": content}), **more}


def after(obj: dict[str, Any], settings: ProxySettings = PROXY, **options: Any) -> Any:
    return (spec_of(run(CONTAINERD, obj, settings, {"containerd": options}).obj) or {}).get("files")


def reported(obj: dict[str, Any], settings: ProxySettings = PROXY, **options: Any) -> list[tuple[str, str]]:
    """The code of each finding, and the last step to its field."""
    outcome = run(CONTAINERD, obj, settings, {"containerd": options})
    return [(finding.code, finding.path[-1]) for finding in outcome.findings]


# What must not change.


@pytest.mark.parametrize(
    "old",
    [
        pytest.param(entry("x", encoding="rot13"), id="an encoding that does not exist"),
        pytest.param(entry(SETS, append=True), id="a text that is appended"),
        pytest.param(entry(SETS, contentFormat="Template"), id="a template"),
        pytest.param(entry(" ${DROP_IN}\n"), id="a text that is filled in later"),
        pytest.param(entry(contentFrom={}), id="content and contentFrom"),
        pytest.param(entry("[Service] # c\nUser=x\n"), id="a header that systemd rejects"),
    ],
)
def test_what_cannot_be_edited_stays_and_is_reported(old: Any) -> None:
    outcome = run(CONTAINERD, files(old), PROXY)
    assert spec_of(outcome.obj)["files"][0] == old
    assert [finding.code for finding in outcome.findings] == ["ByHand"]


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(files(entry("[Service]\n")), id="our path with an empty section that had no proxy"),
        pytest.param(files(entry(None, contentFrom={"secret": {"name": "s", "key": "k"}})), id="content from a Secret"),
        pytest.param(files(entry(path=PATH.replace("containerd", "kubelet"))), id="the drop-in of another service"),
    ],
)
def test_nothing_changes_without_a_proxy(obj: dict[str, Any]) -> None:
    assert run(CONTAINERD, obj, NONE).changes == []


# What is written.


def test_a_value_that_systemd_cannot_hold_is_an_error() -> None:
    assert reported(files(ENTRY), ProxySettings(no_proxy="a\nb")) == [("CannotWrite", "files")]
    assert after(files(ENTRY), ProxySettings(no_proxy="a\nb")) == [ENTRY]


def test_removal_takes_every_entry_that_the_service_may_read_and_no_other() -> None:
    """One that was hidden would come into effect."""
    hidden = entry(path=PATH.replace("/etc", "/usr/lib"))
    assert after(files(ENTRY, STRANGER, hidden, None, ENTRY), NONE) == [STRANGER, None]
    assert after(files(ENTRY, hidden), NONE, path=hidden["path"]) == [ENTRY]


# Other drop-ins of the service.


@pytest.mark.parametrize("folder", ["/usr/lib", "/run"])
def test_a_drop_in_of_our_name_in_any_folder_of_systemd_is_ours(folder: str) -> None:
    old = entry(SETS, PATH.replace("/etc", folder), owner="root:root")
    outcome = run(CONTAINERD, files(STRANGER, old), PROXY)
    assert spec_of(outcome.obj)["files"] == [STRANGER, {**old, "content": CONTENT}]
    assert outcome.findings == []
    assert after(outcome.obj, NONE) == [STRANGER]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(entry(SETS, PATH.replace("containerd", "docker")), id="another service"),
        pytest.param(entry(None, f"{FOLDER}/90.conf", contentFrom={}), id="a Secret under a name that says nothing"),
    ],
)
def test_other_files_say_nothing_against_ours(other: dict[str, Any]) -> None:
    assert reported(files(other, ENTRY)) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("UnsetEnvironment=HTTP_PROXY\n", "ProxySwitchedOff", id="a variable"),
        pytest.param("UnsetEnvironment=HTTP_PROXY\nUnsetEnvironment=\n", "", id="taken back"),
        pytest.param("UnsetEnvironment=HTTP_PROXY=http://old:1\n", "", id="only if it has another value"),
    ],
)
@pytest.mark.parametrize("path", [PATH, f"{FOLDER}/limits.conf"], ids=["in ours", "in another one"])
def test_a_variable_that_systemd_takes_away_is_reported(text: str, code: str, path: str) -> None:
    obj = files(entry(f"[Service]\n{text}", path))
    assert reported(obj, HTTP_ONLY) == ([(code, "content")] if code else [])
    assert reported(obj, NONE) == []


# The text in the Secret of the Cluster.

OF_ONE = PROXY._replace(cluster="mycluster", clusters=("mycluster",))
GONE = NONE._replace(cluster="mycluster", clusters=("mycluster",))
SECRET, INLINE = {"content": "Secret"}, {"content": "Inline"}


def referring(name: str) -> dict[str, Any]:
    return entry(None, contentFrom={"secret": {"name": name, "key": "containerdProxy"}})


@pytest.mark.parametrize("options", [{}, SECRET, INLINE], ids=["nobody says where", "Secret", "Inline"])
@pytest.mark.parametrize("settings", [OF_ONE, GONE], ids=["a proxy", "no proxy"])
def test_a_foreign_reference_stays_and_is_reported(settings: Any, options: Any) -> None:
    old = referring("site")
    assert after(files(old), settings, **options) == [old]
    assert reported(files(old), settings, **options) == [("ByHand", "contentFrom")]


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(PROXY, id="no Cluster"),
        pytest.param(PROXY._replace(cluster="a", clusters=("a", "b")), id="several Clusters"),
        pytest.param(OF_ONE._replace(differs_from_cluster=True), id="another proxy than the Cluster has"),
    ],
)
@pytest.mark.parametrize("entries", [[], [entry()], [entry("")]], ids=["no entry", "a text", "no text"])
def test_a_secret_that_cannot_be_named_is_an_error(entries: list[Any], settings: Any) -> None:
    assert after(files(*entries), settings, **SECRET) == entries
    assert reported(files(*entries), settings, **SECRET) == [("CannotWrite", "files")]


# What is read.


def values(*entries: Any, **options: Any) -> list[tuple[str | None, str]]:
    return [(reading.value, reading.place) for reading in CONTAINERD.read(files(*entries), {"containerd": options})]


def test_what_is_read_names_its_line_its_file_and_its_permissions() -> None:
    text = '[Service]\nEnvironment="NO_PROXY=a" \\\n# why\n  FOO=%h\n'
    (seen,) = CONTAINERD.read(files({"path": "/x"}, entry(text, permissions="0640")), {})
    assert seen.path == ("spec", "template", "spec", "files", "1", "content")
    assert seen.raw.startswith('Environment="NO_PROXY=a" \\')
    assert (seen.value, seen.place, seen.file, seen.permissions) == ("a", "the drop-in of containerd", PATH, "0640")


@pytest.mark.parametrize("more", [{"contentFrom": {}}, {"content": "?", "encoding": "base64"}, {"content": 7}])
def test_a_content_that_is_not_seen_may_set_all_six(more: dict[str, Any]) -> None:
    seen = list(CONTAINERD.read(files({"path": PATH, **more}), {}))
    assert [one.variable for one in seen] == [*PROXY_VARIABLES]
    assert all(one.value is None and one.why_unknown and not one.is_lost for one in seen)


def test_every_drop_in_of_the_service_is_a_place_of_its_own() -> None:
    other, number = f"{FOLDER}/99-x.conf", "[Service]\nEnvironment=NO_PROXY={}\n".format
    assert values(entry(number(0)), entry(number(1), other), entry(number(2), "/etc/x.conf")) == [
        ("0", "the drop-in of containerd"),
        ("1", f'the drop-in "{other}" in `files[1]`'),
    ]
    assert values(entry(number(0), "/elsewhere"), path="/elsewhere") == [("0", "the drop-in of containerd")]
