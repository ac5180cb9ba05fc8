"""The values of a Giant Swarm cluster: three shapes of one proxy in one text, and objects that are made."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import patch
from krm_fn.pipeline import run
from krm_fn.settings import ProxySettings
from krm_fn.targets.giantswarm import cluster_values as target
from krm_fn.yamledit import read
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, findings, messages, proposals
from stories import items, meaning, stories_of
from value_shapes import VALUES

CLUSTER = {"kind": "Cluster", "metadata": {"name": "mycluster", "namespace": "org-giantswarm"}}
ALL: dict[str, Any] = {
    "cluster": {"proxy": {"http": HTTP, "https": HTTPS, "noProxy": NO}},
    "env": [
        {"name": "NO_PROXY", "value": NO},
        {"name": "HTTP_PROXY", "value": HTTP},
        {"name": "HTTPS_PROXY", "value": HTTPS},
    ],
    "http_proxy": HTTP,
    "https_proxy": HTTPS,
    "no_proxy": NO,
}
TEXT = f"""\
cluster:
  proxy:
    http: {HTTP}
    https: {HTTPS}
    noProxy: {NO}
env:
- name: NO_PROXY
  value: {NO}
- name: HTTP_PROXY
  value: {HTTP}
- name: HTTPS_PROXY
  value: {HTTPS}
http_proxy: {HTTP}
https_proxy: {HTTPS}
no_proxy: {NO}
"""


OF_THE_DOCUMENT = """\
cluster:
  proxy:
    http: http://myProxyUser:mySuperSecretPassword@192.168.52.220:3128
    https: http://myProxyUser:mySuperSecretPassword@192.168.52.220:3128
    noProxy: cluster.local,100.64.0.0/13,100.96.0.0/11,178.170.32.59,172.16.0.0/16,\
internal.corpdomain.net,example.com,svc,127.0.0.1,localhost
"""


def secret(text: str | None = None, *, name: str = "mycluster-cluster-values", kind: str = "Secret") -> Any:
    obj: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}
    if text is not None:
        obj["stringData" if kind == "Secret" else "data"] = {"values": text}
    return obj


def encoded(text: str) -> Any:
    return secret() | {"data": {"values": base64.b64encode(text.encode()).decode()}}


def text_of(obj: Any) -> str:
    if "stringData" in obj or obj["kind"] == "ConfigMap":
        return str((obj.get("stringData") or obj["data"])["values"])
    return base64.b64decode(obj["data"]["values"]).decode()


def made(settings: ProxySettings = FULL) -> list[Any]:
    return list(target.TARGET.companions(CLUSTER, settings, {}))


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret("a: 1\n", name="mycluster-kubeconfig"), id="a Secret of another name"),
        pytest.param(secret("a: 1\n", name="-cluster-values"), id="a name without a Cluster"),
        pytest.param(secret(TEXT), id="a Secret that has its proxy"),
        pytest.param(encoded(TEXT), id="a Secret that has it in base64"),
        pytest.param(secret("cluster: {private: true}\n", kind="ConfigMap"), id="a ConfigMap without a proxy"),
        pytest.param(secret(kind="ConfigMap"), id="a ConfigMap without values"),
        pytest.param({"kind": "Secret", "metadata": None}, id="no name"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(target, obj) == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret("{}\n"), id="a Secret that says nothing"),
        pytest.param(secret("env:\n- {name: LOG, value: debug}\ncluster: {private: true}\n"), id="values of others"),
        pytest.param(secret(), id="a Secret without values"),
    ],
)
def test_without_a_proxy_nothing_is_to_go_from_what_holds_none(obj: Any) -> None:
    assert proposals(target, obj, NONE) == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(), id="no values"),
        pytest.param(secret(""), id="an empty text"),
        pytest.param(secret() | {"stringData": None}, id="null in the place of values"),
        pytest.param(secret() | {"data": {}}, id="data without the key"),
        pytest.param(encoded(""), id="an empty text in base64"),
        pytest.param(secret() | {"stringData": {"values": None}}, id="null in the place of the text"),
    ],
)
def test_a_secret_without_values_gets_the_text_of_cluster_apps_operator(obj: Any) -> None:
    assert text_of(apply(target, obj)) == TEXT


@pytest.mark.parametrize("make", [pytest.param(secret, id="as text"), pytest.param(encoded, id="in base64")])
def test_other_values_comments_and_order_stay(make: Any) -> None:
    before = "# of the provider\nglobal: {vcd: {}}\ncluster:\n  private: true # behind it\n"

    after = text_of(apply(target, make(before)))
    assert after.startswith("# of the provider\nglobal: {vcd: {}}\ncluster:\n  private: true # behind it\n")
    assert read(after) == {"global": {"vcd": {}}, **ALL, "cluster": {"private": True, **ALL["cluster"]}}
    assert text_of(apply(target, apply(target, make(before)), NONE)) == before


def test_entries_of_the_environment_are_found_by_name() -> None:
    before = (
        "env:\n- name: https_proxy\n  valueFrom: {secretKeyRef: {name: p, key: q}}\n- {name: LOG, value: debug}\n"
        "- {name: NO_PROXY, value: old}\n- {name: NO_PROXY, value: older}\n"
    )

    after = read(text_of(apply(target, secret(before))))
    assert after["env"] == [
        {"name": "https_proxy", "value": HTTPS},
        {"name": "LOG", "value": "debug"},
        *ALL["env"],
    ]


def test_removal_after_injection_gives_the_original() -> None:
    for obj in (secret(), secret("a: 1\n"), encoded("# c\na: 1\n")):
        assert apply(target, apply(target, obj), NONE) == obj


def test_a_config_map_is_filled_where_it_holds_a_proxy_already() -> None:
    before = "cluster: {private: true, proxy: {http: ''}}\nno_proxy: old\n"

    after = read(text_of(apply(target, secret(before, kind="ConfigMap"))))
    assert after == {
        "cluster": {"private": True, "proxy": ALL["cluster"]["proxy"]},
        **{name: ALL[name] for name in ("http_proxy", "https_proxy", "no_proxy")},
    }


def test_the_block_of_giant_swarms_document_comes_out_byte_for_byte() -> None:
    story = stories_of(target.TARGET.id) / "the-secret-of-the-document" / "input.yaml"
    filled = meaning(items(run(story.read_bytes()).output)[1])
    assert text_of(filled).startswith(OF_THE_DOCUMENT)


@given(data=VALUES, kind=st.sampled_from(["Secret", "ConfigMap"]))
def test_values_of_any_shape_are_filled_once_and_emptied_once(data: dict[str, Any], kind: str) -> None:
    obj = secret(json.dumps(data), kind=kind)

    apply(target, apply(target, obj), NONE)


def test_a_secret_and_a_config_map_are_made_if_that_is_asked_for() -> None:
    labels = {"app.kubernetes.io/managed-by": "inject-proxy", "giantswarm.io/cluster": "mycluster"}
    metadata = {"name": "mycluster-cluster-values", "namespace": "org-giantswarm", "labels": labels}
    assert made(NONE) == []
    assert [(obj["kind"], obj["metadata"]) for obj in made()] == [
        ("Secret", metadata),
        ("ConfigMap", metadata),
    ]
    assert [text_of(apply(target, obj)) for obj in made()] == [TEXT, "cluster:\n  private: true\n"]


@pytest.mark.parametrize("index", [pytest.param(0, id="the Secret"), pytest.param(1, id="the ConfigMap")])
def test_what_was_made_goes_with_the_proxy(index: int) -> None:
    obj = apply(target, made()[index])
    assert [change.operations for change in changes(target, obj, NONE)] == [(patch.remove(),)]


@pytest.mark.parametrize("index", [pytest.param(0, id="the Secret"), pytest.param(1, id="the ConfigMap")])
def test_what_was_made_stays_if_somebody_added_to_it(index: int) -> None:
    obj = apply(target, made()[index])
    field = "stringData" if index == 0 else "data"
    more = copy.deepcopy(obj)
    more[field]["values"] += "baseDomain: example.com\n"
    obj[field]["other"] = "x"
    assert read(text_of(apply(target, more, NONE))) == {"baseDomain": "example.com"}
    assert apply(target, obj, NONE)[field] == {"other": "x"}


@pytest.mark.parametrize(
    ("obj", "code"),
    [
        pytest.param(secret("- a\n"), "CannotWrite", id="values that are a list"),
        pytest.param(secret("~\n"), "CannotWrite", id="values that are null"),
        pytest.param(secret("a: [\n"), "TextUnreadable", id="YAML that is broken"),
        pytest.param(secret() | {"stringData": "x"}, "CannotWrite", id="stringData of a wrong type"),
        pytest.param(secret() | {"data": {"values": "%%"}}, "TextUnreadable", id="text that is no base64"),
        pytest.param(secret("cluster: 1\n"), "CannotWrite", id="a cluster that is a number"),
        pytest.param(secret("env: {A: b}\n"), "CannotWrite", id="an environment that is a mapping"),
    ],
)
def test_what_cannot_be_filled_is_reported(obj: Any, code: str) -> None:
    assert code in [finding.code for finding in findings(target, obj)]


def test_what_it_sees_is_what_stands_there_in_both_cases() -> None:
    seen = {(one.place, one.variable, one.value) for one in getattr(target, "TARGET", target).read(encoded(TEXT), {})}
    values = FULL.variables()
    assert seen == {
        (place, name, values[name]) for place in ("`cluster.proxy`", "`env`", "the values") for name in values
    }
    assert messages(target, encoded(TEXT)) == []


@pytest.mark.parametrize(
    "text", ["# nothing yet", "---\n# c\n\n# at all\n", "---\r\n--- # one more\r\n", "\n\n", "a: 1", "--- {a: b} # c"]
)
@pytest.mark.parametrize("make", [secret, encoded])
def test_a_text_that_was_begun_comes_back_by_removal(make: Any, text: str) -> None:
    assert apply(target, apply(target, make(text)), NONE) == make(text)


@pytest.mark.parametrize("text", ["# none\n{}\n", "{} # none\n", "--- {}\n", "{}"])
def test_an_empty_mapping_is_filled_where_it_stands(text: str) -> None:
    after = apply(target, secret(text))
    assert read(text_of(after))["cluster"] == ALL["cluster"]
    assert proposals(target, secret(text), NONE) == []
