"""The Secret with the drop-ins of a Cluster: filled where it is, made where it is wanted, gone when it is empty."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges import systemd_environment
from krm_fn import patch
from krm_fn.krm.results import Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets.giantswarm import systemd_proxy as target
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, findings, proposals

NAME = "mycluster-systemd-proxy"
TEXT = f"""[Service]
Environment="HTTP_PROXY={HTTP}"
Environment="http_proxy={HTTP}"
Environment="HTTPS_PROXY={HTTPS}"
Environment="https_proxy={HTTPS}"
Environment="NO_PROXY={NO}"
Environment="no_proxy={NO}"
"""
OLD = '[Service]\nEnvironment="HTTP_PROXY=http://old:1"\n'
CLUSTER = {
    "apiVersion": "cluster.x-k8s.io/v1beta1",
    "kind": "Cluster",
    "metadata": {"name": "mycluster", "namespace": "org-giantswarm"},
}


def secret(name: str = NAME, **members: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "org"}, **members}


def made(**members: Any) -> dict[str, Any]:
    (data,) = target.TARGET.companions(CLUSTER, FULL, {})
    return {**data, **members}


def packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# What must not change.


@pytest.mark.parametrize(
    ("obj", "settings"),
    [
        pytest.param(secret("mycluster-cluster-values", stringData={"containerdProxy": OLD}), FULL, id="another name"),
        pytest.param(secret("-systemd-proxy", stringData={"containerdProxy": OLD}), FULL, id="no Cluster in its name"),
        pytest.param(secret("", stringData={"containerdProxy": OLD}), FULL, id="no name"),
        pytest.param({"kind": "Secret"}, FULL, id="nothing in it at all"),
        pytest.param(secret(stringData={"containerdProxy": TEXT}), FULL, id="what is right already"),
        pytest.param(secret(data={"containerdProxy": packed(TEXT)}), FULL, id="what is right already in base64"),
        pytest.param(
            secret(data={"containerdProxy": packed(OLD)}, stringData={"containerdProxy": TEXT}),
            FULL,
            id="data that stringData stands before",
        ),
        pytest.param(secret(), NONE, id="no text and no proxy"),
        pytest.param(secret(stringData={"containerdProxy": ""}), NONE, id="an empty text and no proxy"),
        pytest.param(secret(stringData={"containerdProxy": "[Service]\nUser=x\n"}), NONE, id="a text without a proxy"),
        pytest.param(made(), NONE, id="one that is made and not filled yet"),
    ],
)
def test_nothing_changes(obj: dict[str, Any], settings: ProxySettings) -> None:
    assert proposals(target, obj, settings) == []


# What comes out.


def test_the_secret_of_a_cluster_is_made_in_its_namespace_with_both_drop_ins() -> None:
    assert apply(target, made()) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": NAME,
            "namespace": "org-giantswarm",
            "labels": {"app.kubernetes.io/managed-by": "inject-proxy", "giantswarm.io/cluster": "mycluster"},
        },
        "type": "Opaque",
        "stringData": {"containerdProxy": TEXT, "kubeletProxy": TEXT},
    }


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        pytest.param({}, {"stringData": {"containerdProxy": TEXT}}, id="a Secret without any text"),
        pytest.param({"stringData": None}, {"stringData": {"containerdProxy": TEXT}}, id="null in the place of texts"),
        pytest.param(
            {"stringData": {"other": "x"}}, {"stringData": {"other": "x", "containerdProxy": TEXT}}, id="another key"
        ),
        pytest.param(
            {"data": {"other": "eA=="}},
            {"data": {"other": "eA=="}, "stringData": {"containerdProxy": TEXT}},
            id="another key in base64",
        ),
        pytest.param(
            {"stringData": {"containerdProxy": OLD, "kubeletProxy": OLD}},
            {"stringData": {"containerdProxy": TEXT, "kubeletProxy": TEXT}},
            id="both drop-ins",
        ),
        pytest.param(
            {"data": {"containerdProxy": packed(OLD)}}, {"data": {"containerdProxy": packed(TEXT)}}, id="base64"
        ),
        pytest.param(
            {"stringData": {"containerdProxy": "# keep\n[Service]\nUser=x\n"}},
            {"stringData": {"containerdProxy": "# keep\n[Service]\nUser=x\n" + TEXT.removeprefix("[Service]\n")}},
            id="lines of somebody else",
        ),
    ],
)
def test_an_existing_secret_is_filled(members: dict[str, Any], expected: dict[str, Any]) -> None:
    assert apply(target, secret(**members)) == secret(**expected)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(secret(stringData={"containerdProxy": TEXT}), secret(), id="the only key, and the mapping"),
        pytest.param(
            secret(stringData={"containerdProxy": TEXT, "other": "x"}), secret(stringData={"other": "x"}), id="one key"
        ),
        pytest.param(
            secret(data={"kubeletProxy": packed(TEXT)}, stringData={"containerdProxy": TEXT}),
            secret(),
            id="both places",
        ),
        pytest.param(
            secret(data={"containerdProxy": packed(OLD), "other": "eA=="}, stringData={"containerdProxy": TEXT}),
            secret(data={"other": "eA=="}),
            id="one key in both places",
        ),
        pytest.param(
            secret(data={"containerdProxy": None}, stringData={"containerdProxy": TEXT}),
            secret(data={"containerdProxy": None}),
            id="null in data, which injection left there",
        ),
        pytest.param(
            secret(stringData={"containerdProxy": TEXT + "User=x\n"}),
            secret(stringData={"containerdProxy": "[Service]\nUser=x\n"}),
            id="a line of somebody else stays",
        ),
        pytest.param(
            made(stringData={"containerdProxy": TEXT, "notes": "x"}),
            made(stringData={"notes": "x"}),
            id="one that was made, and holds something else by now",
        ),
    ],
)
def test_removal_leaves_what_is_not_ours(obj: dict[str, Any], expected: dict[str, Any]) -> None:
    assert apply(target, obj, NONE) == expected


@pytest.mark.parametrize(
    "members",
    [
        pytest.param({}, id="as it was made"),
        pytest.param({"data": {"containerdProxy": packed(OLD)}}, id="with another text under a key of it in data"),
    ],
)
def test_removal_takes_out_a_secret_that_was_made(members: dict[str, Any]) -> None:
    (change,) = changes(target, {**apply(target, made()), **members}, NONE)
    assert change.operations == (patch.remove(),)


@pytest.mark.parametrize("value", ["a&b", "a+b", "a'b", "a<b>", 'a"b', "a%b", "a\\b", "a$b", "&+'<\"%"])
def test_systemd_reads_what_html_would_have_spoilt(value: str) -> None:
    """``cluster-apps-operator`` escapes the drop-in for HTML."""
    settings = ProxySettings(f"http://u:{value}@p:1", "", f"localhost,{value}")
    text = apply(target, made(), settings)["stringData"]["containerdProxy"]
    assert systemd_environment(text).items() >= settings.variables().items()


@given(st.text(st.characters(codec="ascii", exclude_categories=["C"]), min_size=1))
def test_no_character_is_escaped_for_html(value: str) -> None:
    text = apply(target, made(), ProxySettings(value))["stringData"]["containerdProxy"]
    seen = {one.variable: one.value for one in target.TARGET.read(secret(stringData={"containerdProxy": text}), {})}
    assert seen["HTTP_PROXY"] == value


# What is reported.


@pytest.mark.parametrize(
    ("members", "path", "severity"),
    [
        pytest.param({"stringData": []}, ("stringData",), Severity.ERROR, id="stringData"),
        pytest.param({"data": "x"}, ("data",), Severity.ERROR, id="data"),
        pytest.param(
            {"stringData": {"containerdProxy": 7}},
            ("stringData", "containerdProxy"),
            Severity.ERROR,
            id="a text that is none",
        ),
        pytest.param(
            {"data": {"containerdProxy": "no base64!"}},
            ("data", "containerdProxy"),
            Severity.WARNING,
            id="a text that is no base64",
        ),
    ],
)
def test_what_is_wrong_is_reported_and_left(members: dict[str, Any], path: tuple[str, ...], severity: Severity) -> None:
    assert changes(target, secret(**members)) == []
    assert [(finding.path, finding.severity) for finding in findings(target, secret(**members))] == [(path, severity)]


def test_what_is_wrong_with_another_key_is_its_authors() -> None:
    assert findings(target, secret(data={"other": "no base64!", "containerdProxy": packed(OLD)})) == []


def test_a_value_that_no_unit_file_can_carry_is_an_error() -> None:
    (finding,) = findings(target, secret(), ProxySettings("http://p:1\n"))
    assert finding.severity is Severity.ERROR


def test_a_change_in_base64_is_reported_as_text() -> None:
    (change,) = changes(target, secret(data={"containerdProxy": packed(OLD)}), ProxySettings(HTTP))
    assert (change.current, change.proposed) == (
        {"HTTP_PROXY": "http://old:1"},
        {"HTTP_PROXY": HTTP, "http_proxy": HTTP},
    )


def test_both_texts_are_seen_each_as_a_place_of_its_own() -> None:
    obj = secret(stringData={"containerdProxy": OLD, "other": OLD}, data={"kubeletProxy": packed(OLD)})
    seen = list(target.TARGET.read(obj, {}))
    assert [(one.variable, one.value, one.path) for one in seen] == [
        ("HTTP_PROXY", "http://old:1", ("stringData", "containerdProxy")),
        ("HTTP_PROXY", "http://old:1", ("data", "kubeletProxy")),
    ]
    assert len({one.place for one in seen}) == 2
    assert list(target.TARGET.read(secret("x", stringData={"containerdProxy": OLD}), {})) == []


@pytest.mark.parametrize("settings", [pytest.param(FULL, id="set"), pytest.param(NONE, id="removed")])
def test_a_text_with_a_section_header_that_systemd_rejects_stays_with_a_warning(settings: ProxySettings) -> None:
    obj = secret(stringData={"containerdProxy": OLD.replace("]", "] # proxy")})
    assert changes(target, obj, settings) == []
    (finding,) = findings(target, obj, settings)
    assert (finding.code, finding.path) == ("TextUnreadable", ("stringData", "containerdProxy"))
