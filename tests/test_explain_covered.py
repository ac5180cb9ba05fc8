"""The table of what a run covers: found is the sum of what has the proxy, what changes and what is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from explained import CLUSTER, DECLARED, EAST, WEST, answer
from support import inject_proxy

CHOOSING = "  targets: {workloads: {workloads: [{names: [web]}]}}\n"


def workload(name: str) -> str:
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\n"
        "spec: {template: {spec: {containers: [{name: a, image: x}]}}}\n---\n"
    )


TWO_IN_A_LIST = (
    "apiVersion: v1\nkind: List\nitems:\n"
    + "".join(f"- {workload(name)}".replace("\n", "\n  ").removesuffix("  ---\n  ") for name in ("web", "api"))
    + "---\n"
)
RELEASE = (
    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\n"
    "spec: {chart: {spec: {chart: podinfo}}}\n---\n"
)


@pytest.mark.parametrize(
    ("manifests", "spec", "expected"),
    [
        pytest.param(WEST + EAST, "", {"nodes": (2, 0, 2, 0)}, id="nodes"),
        pytest.param(workload("web") + workload("api"), CHOOSING, {"workloads": (2, 0, 1, 1)}, id="workloads"),
        pytest.param(
            workload("web") + RELEASE, CHOOSING, {"workloads": (1, 0, 1, 0), "charts": (1, 0, 0, 1)}, id="charts"
        ),
        pytest.param("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\n", "", {}, id="what holds no proxy"),
        pytest.param(
            "apiVersion: v1\nkind: Kustomization\nhelmCharts: [{name: a}]\n---\n"
            "apiVersion: v1\nkind: Kustomization\nresources: []\n---\n"
            "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux}\n---\n",
            "",
            {"not judged": (2, 0, 0, 2)},
            id="charts of kustomize and an instance of Flux",
        ),
        pytest.param(TWO_IN_A_LIST, CHOOSING, {"workloads": (2, 0, 1, 1)}, id="two objects in a list"),
    ],
)
def test_each_system_is_a_row(manifests: str, spec: str, expected: dict[str, tuple[int, ...]]) -> None:
    rows = answer(manifests + DECLARED + spec)["covered"]
    assert {row["system"]: (row["found"], row["same"], row["changed"], row["left"]) for row in rows} == expected
    assert all(bool(row["why"]) == bool(row["left"]) for row in rows)


def test_an_item_that_nobody_needs_and_that_cannot_be_read_is_not_counted() -> None:
    broken = TWO_IN_A_LIST.replace("image: x}]", "image: x}").replace("kind: Deployment", "kind: Rollout", 1)
    assert answer(broken + DECLARED)["covered"] == []


def test_after_a_run_all_have_it(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(WEST + workload("web") + DECLARED + CHOOSING)
    done = inject_proxy("", "run", str(file))
    assert "nodes: 1 found, 0 have it, 1 changed, 0 left" in done.stderr.decode()
    rows = answer(file.read_text())["covered"]
    assert [(row["system"], row["same"], row["changed"]) for row in rows] == [("nodes", 1, 0), ("workloads", 1, 0)]


OKE = CLUSTER.replace("NAME", "oke").replace("KubeadmControlPlane", "OCIManagedControlPlane")
WITHOUT_CONTROL_PLANE = WEST.partition("---\n")[0] + "---\n"


VELERO = RELEASE.replace("podinfo", "velero")
FROM = VELERO.replace("}}}\n", "}}, valuesFrom: [{kind: ConfigMap, name: values}]}\n")
VALUES = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: values}\ndata:\n  values.yaml: |\n"
OF_SOURCE = VELERO.replace("{chart: {spec: {chart: velero}}}", "{chartRef: {kind: OCIRepository, name: s}}")
SOURCE = (
    "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: s}\n"
    "spec: {url: oci://charts.example/velero}\n---\n"
)
HOLDING = '    env: [{name: HTTP_PROXY, value: "http://proxy.corp.example:3128"}]\n---\n'


@pytest.mark.parametrize(
    ("manifests", "why"),
    [
        pytest.param(VELERO, "1: the chart velero takes its proxy from `configuration.extraEnvVars`: ", id="a release"),
        pytest.param(OF_SOURCE + SOURCE, "choose the chart in `spec.targets.charts`", id="of a source"),
        pytest.param(FROM, "or from objects of `valuesFrom` that are not in the list: ", id="of values elsewhere"),
        pytest.param(FROM + VALUES + HOLDING, "1: nobody chose them", id="whose values are in the list"),
    ],
)
def test_a_release_of_a_known_chart_that_nobody_chose_is_named(manifests: str, why: str) -> None:
    (row,) = answer(manifests + DECLARED)["covered"]
    assert (row["system"], row["left"]) == ("charts", 1)
    assert why in row["why"][0]


@pytest.mark.parametrize(
    ("manifests", "why"),
    [
        pytest.param(OKE, "1: its nodes run OKE", id="no target writes it"),
        pytest.param(
            WITHOUT_CONTROL_PLANE + WEST.replace("west", "other").replace("kubeadmConfigSpec: {}", ""),
            "1: `spec.kubeadmConfigSpec` ",
            id="one that is there, beside one that the list lacks",
        ),
        pytest.param(WEST.replace("kubeadmConfigSpec: {}", ""), "1: `spec.kubeadmConfigSpec` ", id="no place"),
    ],
)
def test_why_objects_are_left_is_said_with_their_number(manifests: str, why: str) -> None:
    (row,) = answer(manifests + DECLARED)["covered"]
    assert (row["system"], row["left"]) == ("nodes", 1)
    assert row["why"][0].startswith(why)
    assert sum(int(reason.partition(":")[0]) for reason in row["why"]) == row["left"]
