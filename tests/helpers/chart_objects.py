"""Objects that install charts, as the tests of charts write them."""

from __future__ import annotations

from typing import Any

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
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "application", "namespace": "argocd"},
        "spec": {"sources": [source, *more]} if more else {"source": source},
    }


def parameter(name: str, value: str) -> dict[str, str]:
    return {"name": name, "value": value}
