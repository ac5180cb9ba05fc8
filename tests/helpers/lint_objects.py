"""Objects with another proxy than the declared one, and the warnings of a run over them."""

from __future__ import annotations

from typing import Any

from function_configs import list_with_config
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.pipeline.run import run

OLD, RIGHT = "http://old:1", "http://proxy:3128"
PROXY = {"httpProxy": RIGHT, "httpsProxy": RIGHT}
REMOVE = {"mode": "Remove"}


def manifest(api: str, kind: str, name: str = "prod", **rest: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "org"}, **rest}


def warned(spec: dict[str, Any], *items: dict[str, Any]) -> list[Result]:
    outcome = run(list_with_config(spec, *items))
    assert outcome.exit_code == 0
    return [result for result in outcome.results if result.severity is Severity.WARNING]


def workload(kind: str = "DaemonSet", annotation: str = "", **variables: str) -> dict[str, Any]:
    env = [{"name": name, "value": value} for name, value in variables.items()]
    spec = {"template": {"spec": {"containers": [{"name": "app", "image": "app", "env": env}]}}}
    item = manifest("apps/v1", kind, "app", spec=spec)
    if annotation:
        item["metadata"]["annotations"] = {"fn.inject-proxy.io/proxy": annotation}
    return item


def release(chart: str, values: Any) -> dict[str, Any]:
    return manifest(
        "helm.toolkit.fluxcd.io/v2", "HelmRelease", spec={"chart": {"spec": {"chart": chart}}, "values": values}
    )
