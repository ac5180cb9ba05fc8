"""The variable `clusterConfig` of CAREN."""

from __future__ import annotations

from typing import Any

import pytest

import manifests
from all_targets import TARGETS
from judges import systemd_environment
from krm_fn.config import Mirror
from krm_fn.settings import ProxySettings
from proposals import HTTP, HTTPS, NO, NONE, apply, findings, proposals

caren_cluster_config = TARGETS["nutanix"]

LIST = NO.split(",")
PROXY = {"http": HTTP, "https": HTTPS, "additionalNo": LIST}
MIRROR = Mirror("https://mirror.corp.example", "mirror.corp.example")


def cluster(*variables: Any) -> Any:
    return manifests.cluster(topology={"class": "nutanix-quick-start", "variables": list(variables)})


def config(value: Any) -> Any:
    return {"name": "clusterConfig", "value": value}


def values(obj: Any) -> Any:
    return {entry["name"]: entry["value"] for entry in obj["spec"]["topology"]["variables"]}


def test_the_variable_is_filled_and_the_others_stay() -> None:
    obj = cluster({"name": "workerConfig", "value": {}}, config({"dns": {"coreDNS": {}}}))
    result = apply(caren_cluster_config, obj)
    assert values(result) == {"workerConfig": {}, "clusterConfig": {"dns": {"coreDNS": {}}, "proxy": PROXY}}
    assert apply(caren_cluster_config, result, NONE) == obj


def test_systemd_reads_a_password_behind_the_template_of_caren() -> None:
    """``httpproxy/templates/systemd.conf.tmpl`` puts the value as it is between the quotes."""
    url = "http://svc:p%40ss@proxy.corp.example:3128"
    result = apply(caren_cluster_config, cluster(config({})), ProxySettings(url, url, NO))
    proxy = values(result)["clusterConfig"]["proxy"]
    assert systemd_environment(f'[Service]\nEnvironment="HTTP_PROXY={proxy["http"]}"\n') == {"HTTP_PROXY": url}
    raw = cluster(config({"proxy": {"http": url}}))
    assert {reading.is_lost for reading in caren_cluster_config.read(raw, {})} == {True}


@pytest.mark.parametrize(("number", "reported"), [(128, 0), (129, 1)])
def test_a_list_that_caren_rejects_is_reported(number: int, reported: int) -> None:
    settings = ProxySettings(HTTP, HTTPS, ",".join(f"h{index}.example" for index in range(number)))
    assert len(findings(caren_cluster_config, cluster(config({})), settings)) == reported


@pytest.mark.parametrize(
    ("mirror", "codes"),
    [
        pytest.param({"url": MIRROR.url, "credentials": {}}, [], id="it is there already"),
        pytest.param(None, ["OtherProxy"], id="none"),
    ],
)
def test_a_mirror_is_reported_and_never_written(mirror: Any, codes: list[str]) -> None:
    obj = cluster(config({"proxy": PROXY, "globalImageRegistryMirror": mirror}))
    settings = ProxySettings(HTTP, HTTPS, NO, mirror=MIRROR)
    assert [finding.code for finding in findings(caren_cluster_config, obj, settings)] == codes
    assert proposals(caren_cluster_config, obj) == []


def test_a_mirror_is_reported_and_a_proxy_stays_where_no_proxy_is_declared() -> None:
    obj = cluster(config({"proxy": PROXY}))

    (reported,) = proposals(caren_cluster_config, obj, ProxySettings(mirror=MIRROR, is_declared=False))
    assert reported.code == "OtherProxy"
