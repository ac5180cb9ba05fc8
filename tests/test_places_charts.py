"""Which chart a HelmRelease of Flux or an Application of Argo CD installs, and where it is."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.krm.resourcelist import objects
from krm_fn.places.charts import chart_sources, charts_of

FLUX = "source.toolkit.fluxcd.io/v1"
URL = "https://charts.example.com"


def release(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "r", "namespace": "flux"},
        "spec": spec,
    }


def application(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "a"}, "spec": spec}


def source(kind: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": FLUX, "kind": kind, "metadata": {"name": "s", "namespace": "flux"}, "spec": spec}


OF_REPOSITORY = release(chart={"spec": {"chart": "cert-manager", "sourceRef": {"kind": "HelmRepository", "name": "s"}}})


@pytest.mark.parametrize(
    ("obj", "sources", "expected"),
    [
        pytest.param(
            OF_REPOSITORY,
            [source("HelmRepository", url=URL)],
            [("cert-manager", "s", URL)],
            id="of a repository of the list",
        ),
        pytest.param(
            release(chartRef={"kind": "OCIRepository", "name": "s"}),
            [source("OCIRepository", url="oci://example.com/charts/harbor")],
            [("harbor", "", "oci://example.com/charts/harbor")],
            id="of an OCIRepository, which the URL names",
        ),
        pytest.param(
            application(source={"repoURL": URL, "chart": "harbor"}),
            [],
            [("harbor", URL, URL)],
            id="an application",
        ),
        pytest.param(
            application(sources=[{"repoURL": "oci://example.com/x/velero"}, {"repoURL": URL, "path": "y"}, 3]),
            [],
            [("velero", "oci://example.com/x/velero", "oci://example.com/x/velero")],
            id="an application of several sources, one of them a chart",
        ),
    ],
)
def test_the_charts_of_an_object(
    obj: dict[str, Any], sources: list[dict[str, Any]], expected: list[tuple[str, ...]]
) -> None:
    known = chart_sources(item for data in sources for item in objects(data))
    assert [(use.name, use.repository, use.url) for use in charts_of(obj, known)] == expected
