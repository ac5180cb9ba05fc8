"""The Secret in which TKG keeps the configuration of a cluster."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml

from all_targets import TARGETS
from function_configs import list_with_config
from krm_fn.config import Certificates
from krm_fn.krm.results import Severity
from krm_fn.pipeline.run import run
from krm_fn.settings import ProxySettings
from manifests import cluster
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, findings, messages, proposals

cluster_config = TARGETS["tkg.clusterConfig"]

TYPE = "addons.cluster.x-k8s.io/resource-set"
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
TRUSTING = ProxySettings(HTTP, HTTPS, NO, trusted_ca=Certificates(PEM))
DATA = base64.b64encode(PEM.encode()).decode()
BEFORE = "CLUSTER_NAME: prod\n"
AFTER = f"{BEFORE}TKG_HTTP_PROXY: {HTTP}\nTKG_HTTPS_PROXY: {HTTPS}\nTKG_NO_PROXY: {NO}\n"


def secret(text: Any, *, name: str = "prod-config-values", kind: str = TYPE, key: str = "value") -> Any:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "type": kind, "stringData": {key: text}}


def text_of(obj: Any) -> str:
    text: str = obj["stringData"]["value"]
    return text


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(BEFORE, name="prod-cni"), id="a set of manifests of the same type"),
        pytest.param(secret(BEFORE, kind="Opaque"), id="a Secret of another type"),
        pytest.param(secret(BEFORE, key="values.yaml"), id="another key"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(cluster_config, obj) == []


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        pytest.param(
            f"{BEFORE}TKG_NO_PROXY: [a]\nTKG_HTTP_PROXY: {HTTP}\n",
            FULL,
            f"{BEFORE}TKG_NO_PROXY: {NO}\nTKG_HTTP_PROXY: {HTTP}\nTKG_HTTPS_PROXY: {HTTPS}\n",
            id="a list that TKG cannot read becomes a text",
        ),
        pytest.param(AFTER, TRUSTING, f"{AFTER}TKG_PROXY_CA_CERT: {DATA}\n", id="a declared certificate is added"),
        pytest.param(f"{AFTER}TKG_PROXY_CA_CERT: b2xk\n", FULL, f"{AFTER}TKG_PROXY_CA_CERT: b2xk\n", id="one stays"),
        pytest.param(f"{AFTER}TKG_PROXY_CA_CERT: {DATA}\n", NONE, BEFORE, id="the certificate goes with the proxy"),
        pytest.param(
            f"{AFTER}TKG_HTTP_PROXY_ENABLED: true\n",
            ProxySettings(trusted_ca=Certificates(PEM), is_declared=False),
            f"{AFTER}TKG_HTTP_PROXY_ENABLED: true\nTKG_PROXY_CA_CERT: {DATA}\n",
            id="a proxy of which nothing is declared stays beside it",
        ),
    ],
)
def test_the_text_is_edited_where_it_stands(text: str, settings: ProxySettings, expected: str) -> None:
    result = text_of(apply(cluster_config, secret(text), settings))
    assert yaml.safe_load(result) == yaml.safe_load(expected)
    assert sorted(result.splitlines()) == sorted(expected.splitlines())


@pytest.mark.parametrize("settings", [ProxySettings(http_proxy=HTTP, no_proxy=NO), ProxySettings("", HTTPS, NO)])
@pytest.mark.parametrize("text", [f"{AFTER}TKG_HTTP_PROXY_ENABLED: true\nTKG_PROXY_CA_CERT: b2xk\n", BEFORE])
def test_half_of_the_proxies_leaves_what_is_there_and_is_reported(text: str, settings: ProxySettings) -> None:
    reported = findings(cluster_config, secret(text), settings)
    assert text_of(apply(cluster_config, secret(text), settings)) == text
    assert [(one.severity, one.path) for one in reported] == [(Severity.WARNING, ("stringData", "value"))]


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "- a\n- list\n", "CLUSTER_NAME\n"])
def test_a_text_that_is_no_configuration_is_reported_where_there_is_a_proxy(text: str) -> None:
    assert len(messages(cluster_config, secret(text))) == 1
    assert proposals(cluster_config, secret(text), NONE) == []


NETWORK = {"pods": {"cidrBlocks": ["100.96.0.0/11"]}, "services": {"cidrBlocks": ["100.64.0.0/13"]}}
CLUSTER = cluster(clusterNetwork=NETWORK)
URLS = {"httpProxy": "http://asdf", "httpsProxy": "https://asdf2"}
DOCUMENT = ".svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param({"noProxy": "a.corp"}, f"a.corp,{DOCUMENT}", id="the user's entries go in front"),
        pytest.param({"noProxyPolicy": {"style": "Sorted"}}, DOCUMENT, id="another style is for other places"),
        pytest.param({"noProxyPolicy": {"style": "Verbatim"}, "noProxy": "a.corp"}, "a.corp", id="Verbatim stays so"),
    ],
)
def test_the_list_is_the_one_that_tkg_itself_stores(more: Any, expected: str) -> None:
    outcome = run(list_with_config({**URLS, **more}, CLUSTER, secret(BEFORE)))
    stored = yaml.safe_load(yaml.safe_load(outcome.output)["items"][1]["stringData"]["value"])
    assert stored["TKG_NO_PROXY"] == expected


@pytest.mark.parametrize(
    ("text", "is_reported"),
    [
        pytest.param("VSPHERE_SERVER: vc.corp.example\n", True, id="a vCenter that the list lacks"),
        pytest.param("VSPHERE_SERVER: a.example\n", False, id="a vCenter that is listed"),
        pytest.param("VSPHERE_SERVER: vc.corp.example\nVSPHERE_INSECURE: true\n", False, id="certificate not checked"),
        pytest.param("VSPHERE_SERVER: null\n", False, id="no vCenter"),
    ],
)
def test_a_list_that_tkg_refuses_is_a_warning(text: str, is_reported: bool) -> None:
    settings = ProxySettings(HTTP, HTTPS, "a.example,localhost")
    reported = [one for one in findings(cluster_config, secret(text), settings) if one.code == "FactsUnknown"]
    assert bool(reported) is is_reported
    assert not any("vc.corp" in one.message for one in reported)


def test_a_password_that_systemd_would_drop_is_reported_and_written_for_the_other_readers() -> None:
    """``providers/ytt/03_customizations/http_proxy.yaml`` escapes nothing, in drop-ins and exports."""
    url = "http://svc:p%40ss@proxy.corp.example:3128"
    settings = ProxySettings(url, url, NO)
    assert [finding.code for finding in findings(cluster_config, secret(BEFORE), settings)] == ["ValueLost"]
    assert f"TKG_HTTP_PROXY: {url}\n" in text_of(apply(cluster_config, secret(BEFORE), settings))
