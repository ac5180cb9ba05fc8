"""Objects with another proxy than the declared one, and the warnings of a run over them."""

from __future__ import annotations

from typing import Any

from function_configs import list_with_config
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.pipeline.run import run
from manifests import container, named, workload
from proposals import env

OLD, RIGHT = "http://old:1", "http://proxy:3128"
PROXY = {"httpProxy": RIGHT, "httpsProxy": RIGHT}
REMOVE = {"mode": "Remove"}


def manifest(api: str, kind: str, name: str = "prod", **rest: Any) -> dict[str, Any]:
    return named(kind, name, api=api, namespace="org", **rest)


def warned(spec: dict[str, Any], *items: dict[str, Any]) -> list[Result]:
    outcome = run(list_with_config(spec, *items))
    assert outcome.exit_code == 0
    return [result for result in outcome.results if result.severity is Severity.WARNING]


def with_variables(kind: str = "DaemonSet", annotation: str = "", **variables: str) -> dict[str, Any]:
    """A workload with these variables, and the annotation that chooses it."""
    annotations = {"fn.inject-proxy.io/proxy": annotation} if annotation else {}
    app = container("app", image="app", env=env(variables))
    return workload(app, kind=kind, name="app", namespace="org", annotations=annotations)


def release(chart: str, values: Any) -> dict[str, Any]:
    return manifest(
        "helm.toolkit.fluxcd.io/v2", "HelmRelease", spec={"chart": {"spec": {"chart": chart}}, "values": values}
    )
