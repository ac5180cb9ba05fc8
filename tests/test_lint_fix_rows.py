"""What `lint --fix` corrects in distributions and in the values of charts."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from krm_fn.config import ProxyConfig, load
from krm_fn.lint.manifests import fixed_files

WRONG = "localhost;127.0.0.1;10.9.9.9"
RIGHT = WRONG.replace(";", ",")
URL = "http://proxy.corp.example:3128"


def env(no_proxy: str) -> list[dict[str, str]]:
    values = {"HTTP_PROXY": URL, "HTTPS_PROXY": URL, "NO_PROXY": no_proxy}
    pairs = {case: value for name, value in values.items() for case in (name, name.lower())}
    return [{"name": name, "value": value} for name, value in pairs.items()]


def camel(no_proxy: Any) -> dict[str, Any]:
    return {"httpProxy": URL, "httpsProxy": URL, "noProxy": no_proxy}


def entries(no_proxy: str) -> list[str]:
    return no_proxy.split(",")


def release(chart: str, values: Any) -> tuple[str, str, Any]:
    chart_spec = {"chart": {"spec": {"chart": chart}}, "values": values}
    return "helm.toolkit.fluxcd.io/v2", "HelmRelease", chart_spec


def application(helm: Any) -> tuple[str, str, Any]:
    return "argoproj.io/v1alpha1", "Application", {"source": {"chart": "harbor", "helm": helm}}


def text(no_proxy: str) -> str:
    return f"# ours\nproxy:\n  httpProxy: {URL}\n  httpsProxy: {URL}\n  noProxy: {no_proxy}\n"


def parameters(no_proxy: str) -> list[dict[str, str]]:
    return [{"name": f"proxy.{name}", "value": value} for name, value in camel(no_proxy).items()]


CASES = {
    "three members": lambda no: ("controlplane.cluster.x-k8s.io/v1beta2", "CK8sControlPlane", {"spec": camel(no)}),
    "a list of entries": lambda no: (
        "infrastructure.cluster.x-k8s.io/v1beta1",
        "AzureASOManagedControlPlane",
        {"resources": [{"kind": "ManagedCluster", "spec": {"httpProxyConfig": camel(entries(no))}}]},
    ),
    "members below others": lambda no: (
        "actions.github.com/v1alpha1",
        "AutoscalingRunnerSet",
        {
            "proxy": {
                "http": {"url": URL},
                "https": {"url": URL, "credentialSecretRef": "proxy"},
                "noProxy": entries(no),
            }
        },
    ),
    "a list of variables": lambda no: ("operators.coreos.com/v1alpha1", "Subscription", {"config": {"env": env(no)}}),
    "a list of a chart": lambda no: release("external-secrets", {"extraEnv": env(no)}),
    "a mapping of a chart": lambda no: release("renovate", {"env": {one["name"]: one["value"] for one in env(no)}}),
    "texts of a chart": lambda no: release("harbor", {"proxy": camel(no)}),
    "valuesObject of an Application": lambda no: application({"valuesObject": {"proxy": camel(no)}}),
    "the text of an Application": lambda no: application({"values": text(no)}),
    "parameters of an Application": lambda no: application({"parameters": parameters(no)}),
}


def manifest(case: str, no_proxy: str) -> dict[str, Any]:
    api_version, kind, spec = CASES[case](no_proxy)
    annotations = {"fn.inject-proxy.io/proxy": "true"}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "prod", "namespace": "org", "annotations": annotations},
        "spec": spec,
    }


@pytest.mark.parametrize("case", CASES)
def test_a_list_is_corrected_where_it_is(case: str) -> None:
    before = yaml.safe_dump(manifest(case, WRONG), sort_keys=False).encode()

    done = fixed_files({"a.yaml": before})

    assert yaml.safe_load(done.corrected["a.yaml"]) == manifest(case, RIGHT)
    assert fixed_files({"a.yaml": done.corrected["a.yaml"]}).corrected == {}


def test_what_the_api_server_takes_no_change_of_stays() -> None:
    spec = {"httpProxyConfig": camel([WRONG])}
    kind = {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "AzureManagedControlPlane"}
    before = yaml.safe_dump({**kind, "metadata": {"name": "prod"}, "spec": spec}).encode()

    done = fixed_files({"a.yaml": before})

    assert done.corrected == {}
    assert done.results != ()


def test_a_row_of_the_user_is_corrected_too() -> None:
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "proxy"},
        "spec": {
            "httpsProxy": URL,
            "targets": {"charts": {"rows": [{"chart": "mirror", "path": "worker.env", "form": "List"}]}},
        },
    }
    wanted = load(config)
    assert isinstance(wanted, ProxyConfig)
    before = manifest("a list of a chart", WRONG)
    before["spec"] = release("mirror", {"worker": {"env": env(WRONG)}})[2]

    done = fixed_files({"a.yaml": yaml.safe_dump(before).encode()}, config=wanted)

    assert yaml.safe_load(done.corrected["a.yaml"])["spec"]["values"] == {"worker": {"env": env(RIGHT)}}
