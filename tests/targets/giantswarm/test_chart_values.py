"""Values of charts that hand a proxy on: filled in the places that are there, and nowhere else."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.yamledit import read
from proposals import HTTP, HTTPS, NO, apply, proposals

target = TARGETS["giantswarm.chartValues"]

SHORT = {"http": HTTP, "https": HTTPS, "noProxy": NO}


def release(values: Any, chart: str = "cert-manager-app") -> Any:
    return {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "spec": {"chartRef": {"kind": "OCIRepository", "name": chart}, "values": values},
    }


def secret(text: str, name: str) -> Any:
    encoded = base64.b64encode(text.encode()).decode()
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": {"values": encoded}}


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(release({"replicaCount": 1}), id="values without a place for it"),
        pytest.param(release({"cluster": {"name": "x"}}), id="a cluster without a proxy"),
        pytest.param(release({"env": [{"name": "LOG", "value": "debug"}]}), id="an environment of others"),
        pytest.param(release({"proxy": {}}, "rancher"), id="a chart that is not known"),
        pytest.param(release({"proxy": {}}, "my-cert-managers"), id="a chart whose name only begins alike"),
        pytest.param(secret("proxy: {}\n", "mycluster-userconfig"), id="values of nobody knows which chart"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(target, obj) == []


@pytest.mark.parametrize(
    "name",
    [
        "chart-operator-user-secrets",
        "mycluster-chart-operator-userconfig",
        "mycluster-cert-manager-app-user-values",
        "dex-app",
        "mycluster-external-dns-userconfig",
        "mycluster-teleport-kube-agent-user-config",
        "cluster-autoscaler-user-values",
    ],
)
def test_the_name_of_an_object_tells_the_chart(name: str) -> None:
    result = apply(target, secret("# of this cluster\nproxy: {}\n", name))
    text = base64.b64decode(result["data"]["values"]).decode()
    assert text.startswith("# of this cluster\n")
    assert read(text) == {"proxy": SHORT}
