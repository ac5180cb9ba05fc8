"""The table of what a run covers: found is the sum of what has the proxy, what changes and what is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explained import CLUSTER, EAST, RELEASE, WEST, answer, workload
from function_configs import DECLARED, URL, list_with_config
from krm_fn.config import load
from krm_fn.config.located import located_configs
from krm_fn.krm.manifests import Manifests
from krm_fn.pipeline.covered import Covered, covered
from krm_fn.pipeline.run import run_checked
from krm_fn.yamledit import read
from support import inject_proxy

CHOOSING = "  targets: {workloads: {choose: [{names: [web]}]}}\n"


TWO_IN_A_LIST = (
    "apiVersion: v1\nkind: List\nitems:\n"
    + "".join(f"- {workload(name)}".replace("\n", "\n  ").removesuffix("  ---\n  ") for name in ("web", "api"))
    + "---\n"
)


@pytest.mark.parametrize(
    ("manifests", "spec", "expected"),
    [
        pytest.param(WEST + EAST, "", {"nodes": (2, 0, 2, 0)}, id="nodes"),
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
        pytest.param(workload("web") * 2, "", {"workloads": (2, 0, 0, 2)}, id="one object twice"),
        pytest.param(TWO_IN_A_LIST, CHOOSING, {"workloads": (2, 0, 1, 1)}, id="two objects in a list"),
    ],
)
def test_each_system_is_a_row(manifests: str, spec: str, expected: dict[str, tuple[int, ...]]) -> None:
    rows = answer(manifests + DECLARED + spec)["covered"]
    assert {row["system"]: (row["found"], row["have"], row["changed"], row["left"]) for row in rows} == expected
    assert all(bool(row["reasons"]) == bool(row["left"]) for row in rows)


def test_an_item_that_nobody_needs_and_that_cannot_be_read_is_not_counted() -> None:
    broken = TWO_IN_A_LIST.replace("image: x}]", "image: x}").replace("kind: Deployment", "kind: Rollout", 1)
    assert answer(broken + DECLARED)["covered"] == []


def test_after_a_run_all_have_it(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(WEST + workload("web") + DECLARED + CHOOSING)
    done = inject_proxy("", "run", str(file))
    lines = done.stderr.decode().splitlines()
    head, *table = [line for line in lines if line.startswith(("system ", "nodes ", "work"))]
    assert [line.split() for line in table] == [["nodes", "1", "0", "1", "0"], ["workloads", "1", "0", "1", "0"]]
    assert head.split() == ["system", "found", "have", "it", "changed", "left"]
    assert "system" not in inject_proxy("", "run", "--quiet", str(file)).stderr.decode()
    after = answer(file.read_text())
    assert after["summary"] == "2 of 2 objects that can hold a proxy have it; a run changes nothing."
    rows = after["covered"]
    assert [(row["system"], row["have"], row["changed"]) for row in rows] == [("nodes", 1, 0), ("workloads", 1, 0)]


APP = (
    "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: a, namespace: org-a}\nspec: {}\n---\n"
    "apiVersion: application.giantswarm.io/v1alpha1\nkind: App\n"
    "metadata: {name: a-dns, namespace: org-a, labels: {giantswarm.io/cluster: a}}\n"
    "spec: {name: external-dns, kubeConfig: {inCluster: false}}\n---\n"
)


def test_an_object_that_takes_the_proxy_from_another_one_counts_after_a_run_as_before(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(APP + DECLARED + "  targets: {giantswarm: {generate: [clusterValues]}}\n")
    (before,) = answer(file.read_text())["covered"]
    inject_proxy("", "run", str(file))
    (after,) = answer(file.read_text())["covered"]
    assert (before["found"], before["changed"]) == (1, 1)
    assert (after["found"], after["have"]) == (3, 3)  # the Secret and the ConfigMap are new


FLUX = workload("kustomize-controller").replace("image: x", "image: ghcr.io/fluxcd/kustomize-controller:v1")
POLICY = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: a}\nspec: {rules: []}\n---\n"
OTHER = RELEASE.replace("podinfo", "cert-manager")
POOL = [WEST, EAST, FLUX, workload("web"), workload("api"), TWO_IN_A_LIST, RELEASE, OTHER, POLICY]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(POOL), unique=True), st.sampled_from(["", CHOOSING, "  mode: Remove\n"]))
def test_the_columns_add_up_and_so_do_the_reasons(manifests: list[str], spec: str) -> None:
    for row in rows_of("".join(manifests) + DECLARED + spec):
        assert row.found == row.have + row.changed + row.left
        assert len(row.names) == row.have + row.changed
        assert [reason.number for reason in row.reasons] == [len(reason.names) for reason in row.reasons]
        data = row.to_data()
        assert sum(reason["number"] for reason in data["reasons"]) == data["left"] == row.left


def rows_of(text: str) -> list[Covered]:
    manifests = Manifests({"all.yaml": text.encode()})
    (located,) = located_configs(manifests, len(manifests) - 1)
    wanted = load(located.data)
    assert wanted is not None
    outcome = run_checked(manifests, wanted)
    counted, named = (covered(outcome, manifests, named=named) for named in (False, True))
    for row, other in zip(counted, named, strict=True):
        assert (row.cells, [*map(str, row.reasons)]) == (other.cells, [*map(str, other.reasons)])
    return named


def test_the_function_says_what_is_left_and_passes_the_bytes_on() -> None:
    listed = list_with_config(
        {"httpProxy": "http://p:1", "httpsProxy": "http://p:1"}, read(workload("web").removesuffix("---\n"))
    )
    done = inject_proxy(listed)
    assert b"inject-proxy: the proxy is in workloads 0 of 1: `inject-proxy explain` says why" in done.stderr
    assert done.stdout == listed


def test_what_is_left_names_what_changes_it() -> None:
    rows = rows_of(FLUX + RELEASE + OTHER + workload("web") + DECLARED)
    assert {row.system: tuple(map(str, row.reasons)) for row in rows} == {
        "workloads": (
            "1: presets would choose them (flux): `inject-proxy choose KIND/NAME`",
            "1: nobody chose them: `inject-proxy choose KIND/NAME`",
        ),
        "charts": (
            "1: charts whose values are not known: podinfo",
            "1: known charts that nobody chose (cert-manager): `inject-proxy choose KIND/NAME`",
        ),
    }
    chosen = "  targets: {workloads: {presets: [flux]}, charts: {choose: [{charts: [cert-manager]}]}}\n"
    rows = rows_of(FLUX + RELEASE + OTHER + workload("web") + DECLARED + chosen)
    assert [(row.changed, row.left) for row in rows] == [(1, 1), (1, 1)]


def test_five_of_those_that_are_left_are_named_and_the_others_counted(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text("".join(workload(f"web-{number}") for number in range(7)) + DECLARED)
    said = inject_proxy(b"", "run", str(tmp_path)).stderr.decode()
    _, lines = said.split("nobody chose them: `inject-proxy choose KIND/NAME`\n")
    names = [f"    apps/v1/Deployment/web-{number}" for number in range(5)]
    assert lines.splitlines()[:-1] == [*names, "    and 2 more"]


LOCAL = "a, annotations: {config.kubernetes.io/local-config: 'true'}"
REFUSING = "a, annotations: {fn.inject-proxy.io/proxy: 'false'}"
STACK = RELEASE.replace("podinfo}}", "kube-prometheus-stack}}, values: {grafana: {enabled: false}}")
PATCHES = "  targets: {nodes: {classes: Patch}}\n"
OF_CONTROL_PLANE = "apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlaneTemplate"
CLASS = (
    "apiVersion: cluster.x-k8s.io/v1beta1\nkind: ClusterClass\nmetadata: {name: c}\n"
    f"spec: {{controlPlane: {{ref: {{{OF_CONTROL_PLANE}, name: t}}}}}}\n---\n"
    f"{{{OF_CONTROL_PLANE}, metadata: {{name: t}}, spec: {{template: {{spec: {{kubeadmConfigSpec: {{}}}}}}}}}}\n---\n"
)


@pytest.mark.parametrize(
    ("manifests", "spec", "why"),
    [
        pytest.param(WEST, "  mode: Remove\n", "they hold no proxy", id="a removal"),
        pytest.param(workload("web"), "  selector: {exclude: [{names: [a]}]}\n", "nobody chose", id="not chosen"),
        pytest.param(
            FLUX,
            "  selector: {exclude: [{names: ['*']}]}\n",
            "`spec.selector` leaves",
            id="not selected",
        ),
        pytest.param(FLUX, "  only: [nodes]\n", "`spec.only` or `spec.targets` leaves", id="not switched on"),
        pytest.param(workload("web"), "  only: [nodes]\n", "`spec.only` or", id="any workload, not switched on"),
        pytest.param(FLUX, "  mode: Remove\n", "they hold no proxy", id="a removal where a preset would choose it"),
        pytest.param(workload("web"), "  mode: Remove\n", "they hold no proxy", id="a removal of what nobody chose"),
        pytest.param(workload(REFUSING), "", "an annotation leaves", id="a workload that refuses"),
        pytest.param(workload(LOCAL), "", "the annotation `config.kub", id="a workload that reaches no cluster"),
        pytest.param(
            f"apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\nmetadata: {{name: {LOCAL}}}\n---\n",
            "",
            "the annotation `config.kub",
            id="nodes that reach no cluster",
        ),
        pytest.param(OTHER.replace("name: a", f"name: {LOCAL}"), "", "the annotation `conf", id="a chart, to none"),
        pytest.param(
            OTHER.replace("name: a", f"name: {REFUSING}"),
            "",
            "an annotation leaves",
            id="a chart that refuses",
        ),
        pytest.param(
            FLUX.replace("image:", "env: [{name: HTTPS_PROXY, value: 'http://other:1'}], image:"),
            "",
            "presets would choose them",
            id="a workload of a preset that sets another proxy",
        ),
        pytest.param(STACK, "", "their values switch off", id="a chart without its program"),
    ],
)
def test_why_an_object_is_left_is_exact(manifests: str, spec: str, why: str) -> None:
    (row,) = [row for row in rows_of(manifests + DECLARED + spec) if row.left]
    assert [str(reason).startswith(f"1: {why}") for reason in row.reasons] == [True]


def test_a_template_of_a_class_that_is_patched_gets_the_proxy_by_it() -> None:
    rows = rows_of(CLASS + DECLARED + PATCHES)
    assert [(row.system, row.changed, row.left) for row in rows] == [("nodes", 1, 0), ("other objects", 1, 0)]


ASSIGN = (
    "apiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\nmetadata: {name: a}\n"
    "spec:\n  location: 'spec.containers[name:*].env[name:HTTPS_PROXY].value'\n"
    "  parameters: {assign: {value: 'URL'}}\n---\n"
)


@pytest.mark.parametrize(
    ("item", "has_it"),
    [
        pytest.param(ASSIGN.replace("URL", URL), [True], id="a policy of Gatekeeper"),
        pytest.param(ASSIGN.replace("URL", "http://old:1"), [False], id="another proxy"),
        pytest.param(ASSIGN.replace("'URL'", "''"), [], id="no proxy"),
    ],
)
def test_what_no_target_writes_has_the_proxy_where_it_sets_this_one(item: str, has_it: list[bool]) -> None:
    def states(spec: str) -> list[bool]:
        return [bool(row.have) for row in rows_of(item + DECLARED + spec)]

    assert states("") == has_it
    assert not any(states("  mode: Remove\n"))


OKE = CLUSTER.replace("NAME", "oke").replace("KubeadmControlPlane", "OCIManagedControlPlane")
WITHOUT_CONTROL_PLANE = WEST.partition("---\n")[0] + "---\n"


VELERO = RELEASE.replace("podinfo", "velero")
FROM = VELERO.replace("}}}\n", "}}, valuesFrom: [{kind: ConfigMap, name: values}]}\n")
OF_SOURCE = VELERO.replace("{chart: {spec: {chart: velero}}}", "{chartRef: {kind: OCIRepository, name: s}}")
SOURCE = (
    "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: s}\n"
    "spec: {url: oci://charts.example/velero}\n---\n"
)


@pytest.mark.parametrize("manifests", [OF_SOURCE + SOURCE, FROM], ids=["of a source", "with values"])
def test_a_release_of_a_known_chart_that_nobody_chose_is_named(manifests: str) -> None:
    (row,) = answer(manifests + DECLARED)["covered"]
    assert (row["system"], row["left"]) == ("charts", 1)
    (reason,) = row["reasons"]
    assert (reason["number"], reason["why"]) == (1, "known charts that nobody chose (velero)")
    assert reason["change"] == "inject-proxy choose KIND/NAME"


@pytest.mark.parametrize(
    ("manifests", "why"),
    [
        pytest.param(OKE, "its nodes run OKE", id="no target writes it"),
        pytest.param(
            WITHOUT_CONTROL_PLANE + WEST.replace("west", "other").replace("kubeadmConfigSpec: {}", ""),
            "`spec.kubeadmConfigSpec` ",
            id="one that is there, beside one that the list lacks",
        ),
    ],
)
def test_why_objects_are_left_is_said_with_their_number(manifests: str, why: str) -> None:
    (row,) = answer(manifests + DECLARED)["covered"]
    assert (row["system"], row["left"]) == ("nodes", 1)
    assert [(reason["number"], reason["why"].startswith(why)) for reason in row["reasons"]] == [(1, True)]
