"""A matcher that fits nothing, and an annotation without a meaning, are one warning that names it."""

from __future__ import annotations

from typing import Any

import pytest

from lint_objects import PROXY, manifest, release, warned, with_variables

WEB = {**with_variables("Deployment"), "metadata": {"name": "web", "namespace": "org", "labels": {"app": "web"}}}
CLUSTER = manifest("cluster.x-k8s.io/v1beta1", "Cluster", spec={})
CLUSTER["metadata"]["labels"] = {"region": "east"}
NODES = manifest("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfigTemplate", spec={"template": {"spec": {}}})
NODES["metadata"]["labels"] = {"cluster.x-k8s.io/cluster-name": "prod"}
EAST = {"match": {"labels": {"region": "east"}}, "httpProxy": "http://east:1"}


def targets(**options: Any) -> dict[str, Any]:
    return {"targets": options}


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        pytest.param(targets(workloads={"choose": [{"names": ["wbe"]}]}), ["targets.workloads.choose[0]"], id="a name"),
        pytest.param(
            targets(workloads={"choose": [{"names": ["web"]}, {"names": ["ap*"]}]}),
            ["targets.workloads.choose[1]"],
            id="one of two",
        ),
        pytest.param(targets(charts={"choose": [{"charts": ["velreo"]}]}), ["targets.charts.choose[0]"], id="a chart"),
        pytest.param({"selector": {"exclude": [{"names": ["wbe"]}]}}, ["selector.exclude[0]"], id="exclude"),
        pytest.param(
            {"selector": {"include": [{"kinds": ["Deploymet"]}, {"names": ["*"]}]}},
            ["selector.include[0]"],
            id="a kind",
        ),
        pytest.param({"selector": {"exclude": [{"kinds": ["Service"]}]}}, [], id="exclude what nobody writes"),
        pytest.param(targets(workloads={"choose": [{"names": ["w?b"]}]}), [], id="a glob"),
        pytest.param(targets(workloads={"choose": [{"labels": {"app": "web"}}]}), [], id="a label of a workload"),
        pytest.param(targets(charts={"choose": [{"charts": ["velero"]}]}), [], id="a chart that is there"),
        pytest.param({"allowClearText": ["nodes"]}, ["allowClearText"], id="an exception without its rule"),
    ],
)
def test_a_matcher_that_fits_nothing_is_named(spec: dict[str, Any], fields: list[str]) -> None:
    items = [WEB, release("velero", {}), CLUSTER, NODES, manifest("v1", "Service")]
    found = [result for result in warned({**PROXY, **spec}, *items) if result.code == "SettingUnused"]
    assert [result.message.partition("`")[2].partition("`")[0] for result in found] == [
        f"spec.{name}" for name in fields
    ]


@pytest.mark.parametrize(
    ("spec", "near"),
    [
        pytest.param(targets(workloads={"choose": [{"kinds": ["deployment"]}]}), "Deployment", id="a kind"),
        pytest.param({"selector": {"exclude": [{"kinds": ["Kub*"], "names": ["y"]}]}}, "", id="beside what fits"),
        pytest.param({"overrides": [{**EAST, "match": {"labels": {"region": "eats"}}}]}, "east", id="a label"),
    ],
)
def test_what_it_may_mean_is_said(spec: dict[str, Any], near: str) -> None:
    found = next(result for result in warned({**PROXY, **spec}, WEB, CLUSTER, NODES) if result.code == "SettingUnused")
    assert found.message.partition("; did you mean ")[2] == (f"`{near}`?" if near else "")


def test_a_list_without_workloads_says_nothing_of_matchers_of_workloads() -> None:
    spec = {**PROXY, **targets(workloads={"choose": [{"names": ["wbe"]}]})}
    assert [result for result in warned(spec, CLUSTER, NODES) if result.code == "SettingUnused"] == []


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        pytest.param("fn.inject-proxy.io/trusted-ca", 'must be "true" or "false"', id="a value that says nothing"),
        pytest.param(
            "fn.inject-proxy.io/proxi",
            "annotations of inject-proxy have no such name; did you mean `proxy`",
            id="misspelt",
        ),
        pytest.param("fn.inject-proxy.io/x", "remove it", id="like none"),
        pytest.param("fn.inject-proxy.io/proxy", "", id="the right one"),
        pytest.param("example.com/proxi", "", id="that of others"),
    ],
)
@pytest.mark.parametrize("kind", ["Deployment", "Service"])
def test_an_annotation_without_a_meaning_is_named(name: str, advice: str, kind: str) -> None:
    annotations = {name: "yes" if name.endswith("ca") else "true"}
    item = {**WEB, "kind": kind, "metadata": {"name": "web", "annotations": annotations}}
    found = [result for result in warned(PROXY, item) if result.code == "SettingUnused"]
    assert [advice in result.message for result in found] == [True] * bool(advice)
    assert all(result.path == ("metadata", "annotations", name) for result in found)


def test_a_label_in_the_place_of_an_annotation_is_named() -> None:
    item = {**WEB, "metadata": {"name": "web", "labels": {"fn.inject-proxy.io/proxy": "true"}}}
    (found,) = [result for result in warned(PROXY, item) if result.code == "SettingUnused"]
    assert "use one of the annotations `proxy`" in found.message
