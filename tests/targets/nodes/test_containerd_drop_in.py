from __future__ import annotations

import base64
import gzip
from typing import Any

import pytest
from kubeadm_objects import HTTP_ONLY, NONE, OTHER, PLACES, PROXY, kubeadm, meaning, run, spec_of

from judges import systemd_environment
from krm_fn.krm.results import Severity
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.nodes import containerd_drop_in as target

PATH = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
CONTENT = """[Service]
Environment="HTTP_PROXY=http://proxy:3128"
Environment="http_proxy=http://proxy:3128"
Environment="HTTPS_PROXY=http://proxy:3129"
Environment="https_proxy=http://proxy:3129"
Environment="NO_PROXY=localhost,.svc"
Environment="no_proxy=localhost,.svc"
"""
ENTRY = {"content": CONTENT, "owner": "root:root", "path": PATH, "permissions": "0640"}
STRANGER = {"path": "/etc/stranger", "content": "export HTTP_PROXY=x\n"}


def files(*entries: Any, **more: Any) -> dict[str, Any]:
    return kubeadm({"files": list(entries), **more})


def entry(content: str | None = CONTENT, **more: Any) -> dict[str, Any]:
    return {"path": PATH, **({} if content is None else {"content": content}), **more}


def packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# what must not change


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(files(ENTRY), id="the entry as we write it"),
        pytest.param(
            files(STRANGER, entry(owner="core", permissions="0644"), STRANGER), id="the author's owner and mode"
        ),
        pytest.param(files(entry(CONTENT.rstrip("\n"))), id="no final newline"),
        pytest.param(files(entry(CONTENT.replace("\n", "\r\n"))), id="the line ends of Windows"),
        pytest.param(files(entry(base64_of(CONTENT), encoding="base64")), id="base64 that means the same"),
        pytest.param(
            files(entry(base64_of(CONTENT)[:40] + "\n" + base64_of(CONTENT)[40:], encoding="base64")), id="wrapped"
        ),
        pytest.param(files(entry(packed(CONTENT), encoding="gzip+base64")), id="packed content that means the same"),
        pytest.param(files(entry(CONTENT, append=True)), id="appended content"),
        pytest.param(files(entry(None, contentFrom={"secret": {"name": "s", "key": "k"}})), id="content from a Secret"),
        pytest.param(files(entry("H4s", encoding="gzip")), id="raw gzip"),
        pytest.param(files(entry("no base64!", encoding="base64")), id="content that is no base64"),
        pytest.param(files(entry(base64_of("\x00")[:-2] + "/w", encoding="gzip+base64")), id="content that is no gzip"),
        pytest.param(files(entry("x", encoding="rot13")), id="an encoding that does not exist"),
        pytest.param({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"files": []}}, id="another kind"),
        pytest.param({}, id="an object without anything"),
    ],
)
def test_nothing_changes_with_a_proxy(obj: dict[str, Any]) -> None:
    assert run(target, obj, PROXY).changes == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(kubeadm({}), id="an empty spec"),
        pytest.param(kubeadm(None), id="a spec that is null"),
        pytest.param(files(), id="an empty list"),
        pytest.param(kubeadm({"files": None}), id="a list that is null"),
        pytest.param(files(STRANGER), id="a file of somebody else"),
        pytest.param(files(entry("[Service]\nEnvironment=FOO=1\n")), id="our path without a proxy"),
        pytest.param(files(entry("[Service]\n")), id="our path with an empty section that had no proxy"),
        pytest.param(files(entry(None)), id="our path without content"),
        pytest.param(files(entry(None, contentFrom={"secret": {"name": "s", "key": "k"}})), id="content from a Secret"),
        pytest.param({"kind": "KubeadmConfig"}, id="no spec at all"),
    ],
)
def test_nothing_changes_without_a_proxy(obj: dict[str, Any]) -> None:
    assert run(target, obj, NONE).changes == []


# what is set


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("version", ["v1alpha3", "v1alpha4", "v1beta1", "v1beta2"])
@pytest.mark.parametrize("spec", [{}, None, {"files": []}, {"files": None}])
def test_every_kind_and_version_gets_the_entry(kind: str, version: str, spec: Any) -> None:
    outcome = run(target, kubeadm(spec, kind, version), PROXY)
    assert spec_of(outcome.obj) == {"files": [ENTRY]}
    assert outcome.findings == []


@pytest.mark.parametrize("kind", PLACES)
def test_an_object_without_the_place_may_be_a_patch_and_is_left_alone(kind: str) -> None:
    """The `files` of a patch would take the place of those in the object it is for."""
    patch = kubeadm({}, kind)
    del patch["spec"]
    outcome = run(target, patch, PROXY)
    assert outcome.obj == patch
    (warning,) = outcome.warnings
    assert f"`{'.'.join(PLACES[kind])}` is missing" in warning
    assert run(target, patch, NONE).findings == []


def test_a_new_entry_stands_at_the_end_with_its_keys_in_the_order_of_the_tanzu_document() -> None:
    new = spec_of(run(target, files(STRANGER), PROXY).obj)["files"]
    assert new == [STRANGER, ENTRY]
    assert list(new[1]) == ["content", "owner", "path", "permissions"]


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        pytest.param(HTTP_ONLY, ["HTTP_PROXY", "http_proxy"], id="http only"),
        pytest.param(ProxySettings(https_proxy="http://p:1"), ["HTTPS_PROXY", "https_proxy"], id="https only"),
        pytest.param(ProxySettings(no_proxy="a"), ["NO_PROXY", "no_proxy"], id="exceptions only"),
    ],
)
def test_only_variables_that_are_set_are_written(settings: ProxySettings, names: list[str]) -> None:
    content = spec_of(run(target, files(), settings).obj)["files"][0]["content"]
    assert [line.split("=")[1].strip('"') for line in content.splitlines()[1:]] == names


def test_the_options_of_a_new_entry() -> None:
    options = {"path": "/etc/systemd/system/containerd.service.d/90.conf", "owner": "core", "permissions": "0600"}
    assert spec_of(run(target, files(), PROXY, options).obj)["files"] == [{"content": CONTENT, **options}]


@pytest.mark.parametrize("password", ["p%40ss", "caf%C3%A9", "a'b", "a$b", 'a"b', "a\\b"])
def test_systemd_reads_back_what_went_in(password: str) -> None:
    settings = ProxySettings(f"http://u:{password}@p:1", f"http://u:{password}@p:2", f"localhost,{password}")
    content = spec_of(run(target, files(), settings).obj)["files"][0]["content"]
    read = systemd_environment(content)
    assert {name: read.get(name) for name in PROXY_VARIABLES} == settings.variables()


# what is updated in place


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            entry('[Service]\nEnvironment="HTTP_PROXY=old"\n'),
            entry(
                '[Service]\nEnvironment="HTTP_PROXY=http://proxy:3128"\nEnvironment="http_proxy=http://proxy:3128"\n'
            ),
            id="a wrong value",
        ),
        pytest.param(
            entry("[Service]\nEnvironment=HTTPS_PROXY=x\nUser=y\n"),
            entry(
                '[Service]\nEnvironment="HTTP_PROXY=http://proxy:3128"\nEnvironment="http_proxy=http://proxy:3128"\nUser=y\n'
            ),
            id="a variable that is not wanted",
        ),
        pytest.param(
            entry("[Service]\n", owner="core"),
            entry(
                '[Service]\nEnvironment="HTTP_PROXY=http://proxy:3128"\nEnvironment="http_proxy=http://proxy:3128"\n',
                owner="core",
            ),
            id="an entry without a proxy keeps its owner and its place",
        ),
    ],
)
def test_an_entry_of_our_path_is_edited(old: dict[str, Any], new: dict[str, Any]) -> None:
    outcome = run(target, files(STRANGER, old, STRANGER), HTTP_ONLY)
    assert spec_of(outcome.obj)["files"] == [STRANGER, new, STRANGER]
    (change,) = outcome.changes
    assert [operation.path[-2:] for operation in change.operations] == [("1", "content")]


@pytest.mark.parametrize("content", [None, "", "  \n"])
def test_an_entry_of_our_path_without_content_is_filled(content: str | None) -> None:
    assert spec_of(run(target, files(entry(content)), PROXY).obj)["files"] == [entry(CONTENT)]


@pytest.mark.parametrize(("encoding", "encoded"), [("base64", base64_of), ("gzip+base64", packed)])
def test_an_encoded_content_is_edited_and_shown_decoded(encoding: str, encoded: Any) -> None:
    old = "[Service]\n# keep\nEnvironment=HTTP_PROXY=old\n"
    outcome = run(target, files(entry(encoded(old), encoding=encoding)), PROXY)
    assert spec_of(outcome.obj)["files"] == [
        entry(encoded(CONTENT.replace("[Service]", "[Service]\n# keep")), encoding=encoding)
    ]
    (change,) = outcome.changes
    assert change.current == {"HTTP_PROXY": "old"}
    assert change.proposed == PROXY.variables()


def test_owner_and_permissions_of_an_entry_follow_an_option_that_is_given() -> None:
    outcome = run(target, files(entry(owner="core")), PROXY, {"owner": "root", "permissions": "0600"})
    assert spec_of(outcome.obj)["files"] == [entry(owner="root", permissions="0600")]


@pytest.mark.parametrize(
    "spec", [{}, {"files": [STRANGER]}, {"files": [entry("[Service]\nUser=x\n")]}, {"files": [ENTRY]}]
)
@pytest.mark.parametrize("first", [PROXY, HTTP_ONLY, ProxySettings("", "http://b:1"), ProxySettings("a", "", "c")])
def test_a_changed_proxy_gives_what_it_would_have_given_at_first(spec: dict[str, Any], first: ProxySettings) -> None:
    obj = kubeadm(spec)
    assert run(target, run(target, obj, first).obj, OTHER).obj == run(target, obj, OTHER).obj


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize(
    "spec", [None, {"files": [STRANGER]}, {"files": [entry("[Service]\nUser=x")]}, {"format": "ignition"}]
)
def test_removal_restores_what_had_nothing_of_ours(kind: str, spec: dict[str, Any]) -> None:
    obj = kubeadm(spec, kind)
    injected = run(target, obj, PROXY).obj
    assert injected != obj
    assert meaning(run(target, injected, NONE).obj) == meaning(obj)


def test_removal_takes_every_entry_of_our_path_that_holds_nothing_else() -> None:
    outcome = run(target, files(ENTRY, STRANGER, ENTRY), NONE)
    assert spec_of(outcome.obj)["files"] == [STRANGER]
    (change,) = outcome.changes
    assert [operation.path[-1] for operation in change.operations] == ["2", "0"]


def test_entries_of_a_wrong_type_stay_and_are_reported_at_the_places_that_they_have_then() -> None:
    outcome = run(target, files(None, ENTRY, 5, {"path": 7}), NONE)
    assert spec_of(outcome.obj)["files"] == [None, 5, {"path": 7}]
    assert [finding.path[len(PLACES["KubeadmConfigTemplate"]) :] for finding in outcome.findings] == [
        ("files", "0"),
        ("files", "1"),
        ("files", "2", "path"),
    ]


# what is reported


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        pytest.param(
            files(entry(None, contentFrom={"secret": {"name": "site", "key": "containerdProxy"}})),
            ['key "containerdProxy" of Secret "site"', "content comes from"],
            id="content from a foreign Secret",
        ),
        pytest.param(files(ENTRY, ENTRY), ["must be unique", PATH], id="the same path twice"),
        pytest.param(files(entry("x", encoding="gzip")), ['cannot be read as "gzip"'], id="raw gzip"),
        pytest.param(files(entry("%%", encoding="base64")), ['cannot be read as "base64"'], id="broken base64"),
        pytest.param(files(entry("#" * 2**21)), ["must not be longer than 1048576 characters"], id="an endless text"),
        pytest.param(files(entry(packed("x" * 2**21), encoding="gzip+base64")), ["cannot be read"], id="a gzip bomb"),
        pytest.param(
            files(entry(packed(CONTENT), encoding="gzip+base64"), format="ignition"),
            ["`encoding` must not be", "Ignition"],
            id="packed content for Ignition",
        ),
        pytest.param(
            files(STRANGER, {**ENTRY, "path": PATH.replace("http-proxy", "99-http-proxy")}),
            [f'the name of "{PATH}" sorts last', "spec.targets.containerdDropIn.path", "remove it"],
            id="a drop-in with a number loses against http-proxy.conf",
        ),
        pytest.param(
            files({**ENTRY, "path": PATH.replace("http-", "")}),
            [f'the name of "{PATH.replace("http-", "")}" sorts last'],
            id="a drop-in whose name sorts behind ours wins",
        ),
        pytest.param(
            files({**ENTRY, "path": PATH.replace("/etc", "/usr/lib")}, ENTRY),
            [f'of two with the same name systemd reads only "{PATH}"'],
            id="a drop-in of the same name under /usr is hidden",
        ),
        pytest.param(
            files({"path": PATH.replace("http-", "99-http-"), "contentFrom": {"secret": {"name": "a", "key": "b"}}}),
            ["judged by its name"],
            id="a drop-in from a Secret is judged by its name",
        ),
        pytest.param(
            kubeadm({"files": "${FILES}"}),
            ["`files` must be a list", "a later step fills it in"],
            id="a list yet to be filled in",
        ),
    ],
)
def test_warnings(obj: dict[str, Any], words: list[str]) -> None:
    outcome = run(target, obj, PROXY)
    (message,) = outcome.warnings
    assert all(word in message for word in words), message
    assert outcome.errors == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        pytest.param(PATH.replace("http-", "10-"), "[Service]\nEnvironment=FOO=1\n", id="one that sets no proxy"),
        pytest.param(PATH.replace("containerd", "docker"), CONTENT, id="one of another service"),
        pytest.param(PATH.replace(".conf", ".bak"), CONTENT, id="one that systemd does not read"),
        pytest.param("/opt/containerd.service.d/http-proxy.conf", CONTENT, id="one in a folder systemd does not know"),
    ],
)
def test_other_files_are_no_rivals(path: str, content: str) -> None:
    assert run(target, files({"path": path, "content": content}), PROXY).findings == []


@pytest.mark.parametrize(
    ("obj", "field", "words"),
    [
        pytest.param({**kubeadm({}), "spec": []}, "spec", "`spec` must be a mapping, not a list", id="spec"),
        pytest.param(kubeadm(5), "spec", "`spec` must be a mapping, not a number", id="the nested spec"),
        pytest.param(kubeadm({"files": {}}), "files", "`files` must be a list, not a mapping", id="files"),
        pytest.param(files("x"), "0", "an entry of `files` must be a mapping, not a string", id="an entry"),
        pytest.param(files(None), "0", "an entry of `files` must be a mapping, not null", id="an entry that is null"),
        pytest.param(files({"path": 5}), "path", "`path` must be a string, not a number", id="path"),
        pytest.param(files(entry(7)), "content", "`content` must be a string", id="content"),  # type: ignore[arg-type]
        pytest.param(
            files(entry(encoding=True)), "encoding", "`encoding` must be a string, not a boolean", id="encoding"
        ),
        pytest.param(files(entry(None, contentFrom="s")), "contentFrom", "must be a mapping", id="contentFrom"),
        pytest.param(kubeadm({"format": 1}), "format", "`format` must be a string", id="format"),
        pytest.param(files(entry(contentFrom={})), "0", "must not both be set", id="content and contentFrom"),
    ],
)
def test_errors(obj: dict[str, Any], field: str, words: str) -> None:
    outcome = run(target, obj, PROXY)
    (finding,) = outcome.findings
    assert finding.severity is Severity.ERROR
    assert words in finding.message
    assert finding.path[-1] == field


def test_ignition_has_no_place_under_usr() -> None:
    path = PATH.replace("/etc", "/usr/lib")
    (message,) = run(target, kubeadm({"format": "ignition"}), PROXY, {"path": path}).errors
    assert "must not be under /usr with Ignition" in message
    assert run(target, kubeadm({}), PROXY, {"path": path}).findings == []


@pytest.mark.parametrize(
    ("version", "severity"),
    [("v1alpha4", None), ("v1beta1", Severity.WARNING), ("v1beta2", Severity.ERROR), ("v2", Severity.ERROR)],
)
def test_a_content_that_is_too_long(version: str, severity: Severity | None) -> None:
    long = ProxySettings(no_proxy=",".join(["host.corp.example"] * 400))
    outcome = run(target, kubeadm({}, version=version), long)
    reported = [finding for finding in outcome.findings if finding.severity is not Severity.INFO]
    assert [finding.severity for finding in reported] == [severity] * bool(severity)
    assert all("10240" in finding.message and "shorten `noProxy`" in finding.message for finding in reported)


@pytest.mark.parametrize("version", ["v1alpha2", "v3", "${VERSION}"])
def test_an_unknown_version_is_treated_as_the_newest(version: str) -> None:
    outcome = run(target, kubeadm({}, version=version), PROXY)
    assert spec_of(outcome.obj) == {"files": [ENTRY]}
    (message,) = outcome.reported(Severity.INFO)
    assert "v1beta2" in message


def test_jinja_marks_are_reported_where_cloud_init_renders_them() -> None:
    settings = ProxySettings("http://p:1", no_proxy="{{ ds.meta_data.local_ipv4 }}")
    (message,) = run(target, kubeadm({}), settings).warnings
    assert '`NO_PROXY` holds "{{"' in message
    assert run(target, kubeadm({"format": "ignition"}), settings).warnings == []
    assert run(target, files(entry("", encoding="base64")), settings).warnings == []


def test_a_value_that_systemd_cannot_hold_is_an_error() -> None:
    outcome = run(target, files(ENTRY), ProxySettings(no_proxy="a\nb"))
    assert outcome.changes == []
    assert "must not hold a line break" in outcome.errors[0]


def test_messages_name_variables_and_never_hold_a_value() -> None:
    outcome = run(target, files(ENTRY), ProxySettings("http://u:secret@p:1"))
    (change,) = outcome.changes
    gone = "`HTTPS_PROXY`, `https_proxy`, `NO_PROXY`, `no_proxy`"
    where = "in the drop-in of containerd"
    assert change.message == f"sets the proxy {where}, removes {gone} {where}"
