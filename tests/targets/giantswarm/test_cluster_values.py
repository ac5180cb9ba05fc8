"""The values of a Giant Swarm cluster: three shapes of one proxy in one text, and objects that are made."""

from __future__ import annotations

import base64
import copy
from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.settings import ProxySettings
from krm_fn.yamledit import read
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, proposals

target = TARGETS["giantswarm.clusterValues"]

CLUSTER = {"kind": "Cluster", "metadata": {"name": "mycluster", "namespace": "org-giantswarm"}}
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


def secret(text: str | None = None, *, name: str = "mycluster-cluster-values", kind: str = "Secret") -> Any:
    obj: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}
    if text is not None:
        obj["stringData" if kind == "Secret" else "data"] = {"values": text}
    return obj


def text_of(obj: Any) -> str:
    if "stringData" in obj or obj["kind"] == "ConfigMap":
        return str((obj.get("stringData") or obj["data"])["values"])
    return base64.b64decode(obj["data"]["values"]).decode()


def made(settings: ProxySettings = FULL) -> list[Any]:
    return list(target.companions(CLUSTER, settings, {}))


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret("a: 1\n", name="mycluster-kubeconfig"), id="a Secret of another name"),
        pytest.param(secret("a: 1\n", name="-cluster-values"), id="a name without a Cluster"),
        pytest.param(secret(TEXT), id="a Secret that has its proxy"),
        pytest.param(secret("cluster: {private: true}\n", kind="ConfigMap"), id="a ConfigMap without a proxy"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(target, obj) == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(), id="no values"),
        pytest.param(secret() | {"stringData": {"values": None}}, id="null in the place of the text"),
    ],
)
def test_a_secret_without_values_gets_the_text_of_cluster_apps_operator(obj: Any) -> None:
    assert text_of(apply(target, obj)) == TEXT


@pytest.mark.parametrize("index", [pytest.param(0, id="the Secret"), pytest.param(1, id="the ConfigMap")])
def test_what_was_made_stays_if_somebody_added_to_it(index: int) -> None:
    obj = apply(target, made()[index])
    field = "stringData" if index == 0 else "data"
    more = copy.deepcopy(obj)
    more[field]["values"] += "baseDomain: example.com\n"
    obj[field]["other"] = "x"
    assert read(text_of(apply(target, more, NONE))) == {"baseDomain": "example.com"}
    assert apply(target, obj, NONE)[field] == {"other": "x"}
