"""Which chart a HelmRelease or an Application installs, and in which version."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from chart_objects import ANY, application, listed, release
from krm_fn.patch import lookup
from proposals import NONE, apply, changes, findings

target = TARGETS["charts"]


def values_of(obj: Any) -> Any:
    return obj["spec"].get("values")


def source(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "apps"}
    return {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def of_source(kind: str, name: str) -> dict[str, Any]:
    """A HelmRelease with a ``chartRef``."""
    obj = release("")
    del obj["spec"]["chart"]
    obj["spec"]["chartRef"] = {"kind": kind, "name": name}
    return obj


def test_the_source_of_a_chart_says_which_one_it_is() -> None:
    items = [of_source("OCIRepository", "a"), source("OCIRepository", "a", url="oci://x.example/charts/harbor")]
    (written, _) = listed(*items)
    assert values_of(written).keys() == {"proxy"}


@pytest.mark.parametrize("is_application", [True, False])
@pytest.mark.parametrize(
    ("values", "is_written"),
    [
        pytest.param({"env": [], "external-dns": {}}, True, id="values of the chart itself"),
        pytest.param({"external-dns": {"env": []}}, True, id="values below its name"),
        pytest.param({"external-dns": {"replicas": 1}}, False, id="others below its name"),
        pytest.param({"replicas": 1}, False, id="others"),
    ],
)
def test_a_folder_is_the_chart_where_the_values_are(values: Any, *, is_written: bool, is_application: bool) -> None:
    obj = release("./charts/external-dns", values)
    if is_application:
        obj = application("", valuesObject=values)
        obj["spec"]["source"]["path"] = "charts/external-dns/"
    assert bool(changes(target, obj, **ANY)) is is_written
    assert [said.code for said in findings(target, obj, **ANY)] == ["ByHand"] * (not is_written)
    assert findings(target, obj, NONE, **ANY) == []


@pytest.mark.parametrize(
    ("source", "is_chart"),
    [
        pytest.param({"path": "charts/podinfo"}, True, id="the usual folder"),
        pytest.param({"path": "apps/podinfo", "helm": {"valueFiles": ["a.yaml"]}}, True, id="options of Helm"),
        pytest.param({"path": "apps/podinfo"}, False, id="manifests"),
    ],
)
def test_an_application_of_a_folder_says_whether_it_holds_a_chart(source: Any, *, is_chart: bool) -> None:
    obj = application("")
    obj["spec"]["source"] = {"repoURL": "https://git.example/a", **source}
    assert changes(target, obj, **ANY) == []
    assert [said.code for said in findings(target, obj, **ANY)] == ["ByHand"] * is_chart
    obj["metadata"]["annotations"] = {"fn.inject-proxy.io/proxy": "true"}
    assert [said.code for said in findings(target, obj)] == ["ByHand"]


OBJECT = ("spec", "source", "helm", "valuesObject")


@pytest.mark.parametrize(
    ("ref", "form"),
    [
        pytest.param({"tag": "9.1.2"}, dict, id="a tag"),
        pytest.param({"semver": "9.x", "tag": "9.1.3"}, dict, id="a range, which wins over a tag"),
        pytest.param({"tag": "9.1.3"}, list, id="a newer tag"),
        pytest.param({"tag": "latest"}, list, id="a name"),
    ],
)
def test_the_source_of_a_chart_says_its_version(ref: Any, form: type) -> None:
    items = [of_source("OCIRepository", "a"), source("OCIRepository", "a", url="oci://x.example/velero", ref=ref)]
    (written, _) = listed(*items)
    assert isinstance(values_of(written)["configuration"]["extraEnvVars"], form)


def test_an_application_says_the_version_of_its_chart_and_a_folder_says_none() -> None:
    obj = application("velero")
    obj["spec"]["source"]["targetRevision"] = "9.1.2"
    assert isinstance(lookup(apply(target, obj, **ANY), (*OBJECT, "configuration", "extraEnvVars")), dict)
    folder = release("charts/velero", {"configuration": {"extraEnvVars": []}})
    folder["spec"]["chart"]["spec"]["version"] = "9.1.2"
    assert isinstance(values_of(apply(target, folder, **ANY))["configuration"]["extraEnvVars"], list)
