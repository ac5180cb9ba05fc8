"""Overrides of Konvoy Image Builder: filled where they are, made where they are wanted, gone when they are empty."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import patch
from krm_fn.krm.results import Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets.konvoy import image_builder_overrides as target
from krm_fn.yamledit import read
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, findings, proposals, proxy_settings

NAME = "cluster-1-user-overrides"
KEY = "overrides.yaml"
ENVIRONMENT = f"""proxy_env:
  HTTPS_PROXY: {HTTPS}
  https_proxy: {HTTPS}
  HTTP_PROXY: {HTTP}
  http_proxy: {HTTP}
  NO_PROXY: {NO}
  no_proxy: {NO}
"""
TEXT = f"""{ENVIRONMENT}http_proxy: {HTTP}
https_proxy: {HTTPS}
no_proxy: {NO}
"""
REGISTRIES = """image_registries_with_auth:
- host: "registry-1.docker.io"   # of the site
  username: 'my-user'
"""
CLUSTER = {
    "apiVersion": "cluster.x-k8s.io/v1beta1",
    "kind": "Cluster",
    "metadata": {"name": "cluster-1", "namespace": "site"},
    "spec": {"infrastructureRef": {"kind": "PreprovisionedCluster", "name": "cluster-1"}},
}


def secret(name: str = NAME, **members: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "site"}, **members}


def overrides(text: Any, **others: Any) -> dict[str, Any]:
    return secret(stringData={KEY: text, **others})


def made(**members: Any) -> dict[str, Any]:
    (data,) = target.TARGET.companions(CLUSTER, FULL, {})
    return {**data, **members}


def packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def of(cluster: dict[str, Any], kind: Any) -> dict[str, Any]:
    return {**cluster, "spec": {"infrastructureRef": {"kind": kind}}}


# What must not change.


@pytest.mark.parametrize(
    ("obj", "settings"),
    [
        pytest.param(secret("cluster-1-ssh-key", stringData={KEY: "{}"}), FULL, id="another name"),
        pytest.param(secret("-user-overrides", stringData={KEY: "{}"}), FULL, id="no Cluster in its name"),
        pytest.param({"kind": "Secret"}, FULL, id="nothing in it at all"),
        pytest.param(secret(), FULL, id="no text, and it was not made here"),
        pytest.param(secret(stringData={"gpu.yaml": REGISTRIES}), FULL, id="another file without a proxy"),
        pytest.param(secret(stringData={"note": "http_proxy: x"}), FULL, id="a text that is no YAML file"),
        pytest.param(secret(stringData={"gpu.yaml": "proxy_env: 3\n"}), FULL, id="an environment that is a number"),
        pytest.param(overrides(TEXT), FULL, id="what is right already"),
        pytest.param(secret(data={KEY: packed(REGISTRIES + TEXT)}), FULL, id="what is right already in base64"),
        pytest.param(overrides(REGISTRIES), NONE, id="other overrides and no proxy"),
        pytest.param(overrides(""), NONE, id="an empty text and no proxy"),
        pytest.param(overrides("# nothing yet\n"), NONE, id="a comment and no proxy"),
        pytest.param(
            overrides('proxy_env: {http_proxy: "", NO_PROXY: }\n'), NONE, id="names without a value and no proxy"
        ),
        pytest.param(overrides(TEXT.replace(f": {HTTP}", f': "{HTTP}"')), FULL, id="quotes of the author"),
    ],
)
def test_nothing_changes(obj: dict[str, Any], settings: ProxySettings) -> None:
    assert proposals(target, obj, settings) == []


@pytest.mark.parametrize(
    ("cluster", "settings"),
    [
        pytest.param(CLUSTER, NONE, id="there is no proxy"),
        pytest.param(of(CLUSTER, "AWSCluster"), FULL, id="machines that are made from an image"),
        pytest.param(of(CLUSTER, 7), FULL, id="an infrastructure that is no text"),
        pytest.param({**CLUSTER, "metadata": {}}, FULL, id="a Cluster without a name"),
        pytest.param({"kind": "Cluster"}, FULL, id="a Cluster without anything"),
    ],
)
def test_nothing_is_made(cluster: dict[str, Any], settings: ProxySettings) -> None:
    assert list(target.TARGET.companions(cluster, settings, {})) == []


# What comes out.


def test_the_secret_of_a_pre_provisioned_cluster_is_made_in_its_namespace_and_moves_with_it() -> None:
    assert apply(target, made()) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": NAME,
            "namespace": "site",
            "labels": {"app.kubernetes.io/managed-by": "inject-proxy", "clusterctl.cluster.x-k8s.io/move": ""},
        },
        "type": "Opaque",
        "stringData": {KEY: TEXT},
    }


def test_the_environment_of_the_document_comes_out_byte_for_byte() -> None:
    document = """proxy_env:
  HTTPS_PROXY: "http://proxy.com"
  https_proxy: "http://proxy.com"
  HTTP_PROXY: "http://proxy.com"
  http_proxy: "http://proxy.com"
  NO_PROXY: "proxy.com,example.com"
  no_proxy: "proxy.com,example.com"
"""
    before = document.replace("proxy.com", "old.com")
    settings = ProxySettings("http://proxy.com", "http://proxy.com", "proxy.com,example.com")
    text = apply(target, overrides(before), settings)["stringData"][KEY]
    assert text.startswith(document)
    assert read(text.removeprefix(document)) == {
        "http_proxy": "http://proxy.com",
        "https_proxy": "http://proxy.com",
        "no_proxy": "proxy.com,example.com",
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", TEXT, id="an empty text"),
        pytest.param("# of the site\n", f"# of the site\n{TEXT}", id="a comment alone"),
        pytest.param(REGISTRIES, REGISTRIES + TEXT, id="other overrides"),
        pytest.param(ENVIRONMENT, TEXT, id="the environment alone, which gives containerd nothing"),
        pytest.param(
            f"proxy_env:\n{REGISTRIES}",
            ENVIRONMENT.replace("proxy_env:", "proxy_env: # was:") + REGISTRIES + TEXT.removeprefix(ENVIRONMENT),
            id="null",
        ),
    ],
)
def test_overrides_are_filled(before: str, after: str) -> None:
    assert apply(target, overrides(before)) == overrides(after)


def test_a_part_of_each_place_is_completed() -> None:
    text = apply(target, overrides("no_proxy: old\nproxy_env: {https_proxy: old, A: b}\n"))["stringData"][KEY]
    assert read(text) == {**read(TEXT), "proxy_env": {**read(ENVIRONMENT)["proxy_env"], "A": "b"}}


def test_base64_stays_base64() -> None:
    assert apply(target, secret(data={KEY: packed(REGISTRIES)})) == secret(data={KEY: packed(REGISTRIES + TEXT)})


def test_another_file_gets_the_proxy_where_one_stands_in_it() -> None:
    obj = overrides(TEXT, **{"gpu.yml": "proxy_env:\n  NO_PROXY: old\n"})
    assert read(apply(target, obj)["stringData"]["gpu.yml"]) == read(TEXT)


def test_a_variable_that_has_no_value_any_more_goes_alone() -> None:
    text = apply(target, overrides(TEXT), ProxySettings("", HTTPS, NO))["stringData"][KEY]
    assert text == "".join(line for line in TEXT.splitlines(keepends=True) if "http_proxy" not in line.lower())


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(overrides(REGISTRIES + TEXT), overrides(REGISTRIES), id="other overrides stay"),
        pytest.param(overrides(TEXT), secret(), id="a text that held nothing else, and its field"),
        pytest.param(overrides(TEXT, note="x"), secret(stringData={"note": "x"}), id="a text that held nothing else"),
        pytest.param(
            secret(stringData={KEY: TEXT}, data={KEY: packed(TEXT), "note": "eA=="}),
            secret(data={"note": "eA=="}),
            id="what data has under the same key goes with the text",
        ),
        pytest.param(
            secret(stringData={KEY: REGISTRIES + TEXT}, data={KEY: packed(TEXT)}),
            secret(stringData={KEY: REGISTRIES}, data={KEY: packed(TEXT)}),
            id="what data has under the same key stays below a text that stays",
        ),
        pytest.param(overrides(f"# keep\n{TEXT}"), overrides("# keep\n"), id="a comment stays"),
        pytest.param(
            overrides(f"{TEXT}".replace("proxy_env:\n", "proxy_env:\n  LC_ALL: C\n")),
            overrides("proxy_env:\n  LC_ALL: C\n"),
            id="another variable of the environment stays",
        ),
        pytest.param(made(stringData={KEY: TEXT, "note": "x"}), made(stringData={"note": "x"}), id="ours, and more"),
    ],
)
def test_removal_leaves_what_is_not_ours(obj: dict[str, Any], expected: dict[str, Any]) -> None:
    assert apply(target, obj, NONE) == expected


def test_removal_takes_out_a_secret_that_was_made() -> None:
    (change,) = changes(target, apply(target, made()), NONE)
    assert change.operations == (patch.remove(),)


# What is reported.


@pytest.mark.parametrize(
    ("obj", "path", "severity"),
    [
        pytest.param(secret(stringData=[]), ("stringData",), Severity.ERROR, id="no mapping"),
        pytest.param(overrides(7), ("stringData", KEY), Severity.ERROR, id="no text"),
        pytest.param(secret(data={KEY: "?"}), ("data", KEY), Severity.WARNING, id="no base64"),
        pytest.param(overrides("a: [\n"), ("stringData", KEY), Severity.WARNING, id="no YAML"),
        pytest.param(overrides("[a]\n"), ("stringData", KEY), Severity.ERROR, id="a list"),
        pytest.param(overrides("proxy_env: x\n"), ("stringData", KEY), Severity.ERROR, id="a text in its place"),
    ],
)
def test_what_is_wrong_is_reported_and_left(obj: dict[str, Any], path: tuple[str, ...], severity: Severity) -> None:
    (finding,) = proposals(target, obj)
    assert (finding.path, finding.severity) == (path, severity)


def test_the_environment_is_seen_name_by_name_and_the_top_in_both_cases() -> None:
    obj = overrides("proxy_env:\n  HTTP_PROXY: http://a:1\nhttp_proxy: http://b:1\n", note="http_proxy: x")
    assert [(one.place, one.variable, one.value) for one in target.TARGET.read(obj, {})] == [
        ("`proxy_env`", "HTTP_PROXY", "http://a:1"),
        ("the override file", "HTTP_PROXY", "http://b:1"),
        ("the override file", "http_proxy", "http://b:1"),
    ]
    assert list(target.TARGET.read(secret("x", stringData={KEY: TEXT}), {})) == []


VALUES = st.sampled_from(["", "http://a:1", "http://b:2"])
SETTINGS = st.builds(proxy_settings, VALUES, VALUES, st.sampled_from(["", "localhost", "x,y"]))


@given(st.lists(SETTINGS, max_size=4), SETTINGS)
def test_the_last_settings_count_whatever_went_before(before: list[ProxySettings], last: ProxySettings) -> None:
    obj = overrides(REGISTRIES)
    for settings in [*before, last]:
        obj = apply(target, obj, settings)
    assert obj == apply(target, overrides(REGISTRIES), last)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("abc", max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["proxy_env", "http_proxy", "NO_PROXY", "x"]), inner, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_no_document_is_too_strange(data: Any) -> None:
    apply(target, overrides(json.dumps(data)))


def test_nothing_is_written_at_the_top_where_the_environment_can_have_no_proxy() -> None:
    obj = overrides("proxy_env: ${ENV}\n")
    assert apply(target, obj) == obj
    assert len(findings(target, obj)) == 1
