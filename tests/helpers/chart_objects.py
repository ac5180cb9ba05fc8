"""Objects that install charts, as the tests of charts write them."""

from __future__ import annotations

from typing import Any

import yaml

from function_configs import list_with_config
from krm_fn.pipeline.run import run
from manifests import named
from proposals import HTTP

ANY: Any = {"choose": [{"kinds": ["*"]}]}
"""Options that choose every chart."""
NEWEST = "9999.0.0"
"""A version of charts with all of their values."""


def release(chart: str, values: Any = None, metadata: Any = None, **spec: Any) -> dict[str, Any]:
    held = {} if values is None else {"values": values}
    return {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "release", "namespace": "apps", **(metadata or {})},
        "spec": {
            "chart": {"spec": {"chart": chart, "version": NEWEST, "sourceRef": {"name": "repository"}}},
            **held,
            **spec,
        },
    }


def application(chart: str, *more: dict[str, Any], **helm: Any) -> dict[str, Any]:
    source = {"repoURL": "https://charts.example", "chart": chart, "targetRevision": NEWEST, "helm": helm}
    return named(
        "Application",
        "application",
        api="argoproj.io/v1alpha1",
        namespace="argocd",
        spec={"sources": [source, *more]} if more else {"source": source},
    )


def parameter(name: str, value: str) -> dict[str, str]:
    return {"name": name, "value": value}


def listed(*items: Any, **options: Any) -> list[Any]:
    """The objects after a run, which must succeed."""
    spec = {"httpProxy": HTTP, "httpsProxy": HTTP, "noProxy": "a", "targets": {"charts": {**ANY, **options}}}
    outcome = run(list_with_config(spec, *items))
    assert outcome.exit_code == 0
    return list(yaml.safe_load(outcome.output)["items"])
