"""Overrides of Konvoy Image Builder: filled where they are, made where they are wanted, gone when they are empty."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from judges import systemd_environment
from krm_fn.plan.sources import formats
from krm_fn.settings import ProxySettings
from krm_fn.yamledit import read
from manifests import named
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, findings, proposals

target = TARGETS["konvoy"]

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
CLUSTER = named(
    "Cluster",
    "cluster-1",
    namespace="site",
    spec={"infrastructureRef": {"kind": "PreprovisionedCluster", "name": "cluster-1"}},
)
AWS = {**CLUSTER, "spec": {"infrastructureRef": {"kind": "AWSCluster"}}}


def secret(name: str = NAME, **members: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "site"}, **members}


def overrides(text: Any, **others: Any) -> dict[str, Any]:
    return secret(stringData={KEY: text, **others})


def made(**members: Any) -> dict[str, Any]:
    (data,) = target.companions(CLUSTER, FULL, {})
    return {**data, **members}


# What must not change.


@pytest.mark.parametrize(
    ("obj", "settings"),
    [
        pytest.param(secret("cluster-1-ssh-key", stringData={KEY: "{}"}), FULL, id="another name"),
        pytest.param(secret("-user-overrides", stringData={KEY: "{}"}), FULL, id="no Cluster in its name"),
        pytest.param(secret(), FULL, id="no text, and it was not made here"),
        pytest.param(secret(stringData={"gpu.yaml": REGISTRIES}), FULL, id="another file without a proxy"),
        pytest.param(secret(stringData={"note": "http_proxy: x"}), FULL, id="a text that is no YAML file"),
        pytest.param(overrides(REGISTRIES), NONE, id="other overrides and no proxy"),
        pytest.param(overrides('proxy_env: {http_proxy: "", NO_PROXY: }\n'), NONE, id="names with no value, no proxy"),
    ],
)
def test_nothing_changes(obj: dict[str, Any], settings: ProxySettings) -> None:
    assert proposals(target, obj, settings) == []


@pytest.mark.parametrize(
    ("cluster", "settings"),
    [
        pytest.param(CLUSTER, NONE, id="there is no proxy"),
        pytest.param(AWS, FULL, id="machines that are made from an image"),
        pytest.param({**CLUSTER, "metadata": {}}, FULL, id="a Cluster without a name"),
    ],
)
def test_nothing_is_made(cluster: dict[str, Any], settings: ProxySettings) -> None:
    assert list(target.companions(cluster, settings, {})) == []


# What comes out.


def test_a_part_of_each_place_is_completed() -> None:
    text = apply(target, overrides("no_proxy: old\nproxy_env: {https_proxy: old, A: b}\n"))["stringData"][KEY]
    assert read(text) == {**read(TEXT), "proxy_env": {**read(ENVIRONMENT)["proxy_env"], "A": "b"}}


def test_systemd_reads_a_password_behind_the_template_of_containerd() -> None:
    """``containerd.service.d/http-proxy.conf`` has the names at the top as they are between the quotes."""
    url = "http://svc:p%40ss@proxy.corp.example:3128"
    text = apply(target, overrides(""), ProxySettings(url, url, NO))["stringData"][KEY]
    written = read(text)
    assert written["proxy_env"]["HTTP_PROXY"] == formats.read(text)["httpProxy",].value == url
    unit = f'[Service]\nEnvironment="HTTP_PROXY={written["http_proxy"]}"\n'
    assert systemd_environment(unit) == {"HTTP_PROXY": url}


# What is reported.


def test_nothing_is_written_at_the_top_where_the_environment_can_have_no_proxy() -> None:
    obj = overrides("proxy_env: ${ENV}\n")
    assert apply(target, obj) == obj
    assert len(findings(target, obj)) == 1
