"""The whole flow, bytes to bytes: what is changed, what is passed by, and that half a change never happens."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from contract_lists import CONFIG, SETTINGS, WORKERS, resource_list
from edits import add, remove
from function_configs import list_with_config
from krm_fn import engine
from krm_fn.cli import main
from krm_fn.engine import diff
from krm_fn.errors import InternalError
from krm_fn.krm.results import Severity
from krm_fn.patch import Operation
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from krm_fn.yamledit import read
from manifests import api_version, named

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cert-manager
  namespace: cert-manager
  labels:
    app.kubernetes.io/name: cert-manager
    tier: infra
spec:
  template:
    spec:
      containers:
      - name: cert-manager-controller
        image: quay.io/jetstack/cert-manager-controller:v1.15.0
"""
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: one
spec:
  clusterNetwork:
    pods:
      cidrBlocks: [192.0.2.0/24]
"""
ELSEWHERE = CONFIG.partition("spec:\n")[0] + (
    "spec:\n  overrides:\n  - match: {clusters: [elsewhere]}\n    httpProxy: http://p:1\n"
)
BROKEN = WORKERS.replace("name: workers", "name: broken").replace("files:", "files: text\n      other:")


def ran(*items: str, config: str | None = CONFIG) -> Outcome:
    return run(resource_list(*items, config=config).encode())


def items_of(outcome: Outcome) -> str:
    """The text of the list without its results."""
    return outcome.output.decode().partition("results:\n")[0]


@pytest.mark.parametrize(
    ("items", "config"),
    [
        pytest.param([SETTINGS], CONFIG, id="nothing that a target wants"),
        pytest.param([WORKERS, DEPLOYMENT], None, id="no FunctionConfig"),
        pytest.param([WORKERS], ELSEWHERE, id="no declaration that is for the object"),
    ],
)
def test_what_is_not_asked_for_is_passed_by(items: list[str], config: str | None) -> None:
    outcome = ran(*items, config=config)
    assert items_of(outcome) == resource_list(*items, config=config)
    assert (outcome.exit_code, outcome.changed) == (0, 0)


def test_without_a_function_config_a_warning_says_so() -> None:
    (result,) = ran(WORKERS, config=None).results
    assert (result.severity, result.code) == (Severity.WARNING, "ConfigIgnored")


def test_one_error_leaves_every_item_as_it_was() -> None:
    outcome = ran(WORKERS, BROKEN)
    assert (outcome.exit_code, outcome.changed, outcome.items) == (1, 0, 2)
    assert items_of(outcome) == resource_list(WORKERS, BROKEN)
    assert all(result.severity is not Severity.INFO for result in outcome.results)


def test_a_cluster_whose_kind_has_an_anchor_counts_too() -> None:
    done = items_of(ran(DEPLOYMENT, CLUSTER.replace("kind: Cluster", "kind: &kind Cluster")))
    assert done.count("192.0.2.0/24") > 1


@pytest.mark.parametrize("version", ["v1alpha3", "v1alpha4", "v1beta1", "v1beta2"])
def test_every_version_of_cluster_api_is_read_and_written(version: str) -> None:
    def of(name: str, kind: str, **spec: Any) -> dict[str, Any]:
        return named(kind, name, api=api_version(kind).replace("v1beta1", version), spec=spec)

    def refer(name: str, kind: str) -> dict[str, str]:
        group = api_version(kind).partition("/")[0]
        key, value = ("apiGroup", group) if version == "v1beta2" else ("apiVersion", f"{group}/{version}")
        return {key: value, "kind": kind, "name": name}

    pods = {"a": "10.11.0.0/16", "b": "10.12.0.0/16"}
    given: list[dict[str, Any]] = []
    for name, cidr in pods.items():
        template = {"spec": {"bootstrap": {"configRef": refer(f"{name}-md", "KubeadmConfigTemplate")}}}
        plane = refer(f"{name}-cp", "KubeadmControlPlane")
        given += [
            of(name, "Cluster", clusterNetwork={"pods": {"cidrBlocks": [cidr]}}, controlPlaneRef=plane),
            of(f"{name}-cp", "KubeadmControlPlane", kubeadmConfigSpec={}),
            of(f"{name}-md", "MachineDeployment", clusterName=name, template=template),
            of(f"{name}-md", "KubeadmConfigTemplate", template={"spec": {}}),
        ]
    found = read(run(list_with_config({"httpProxy": "http://p:1"}, *given)).output.decode())["items"]
    for obj in found:
        if obj["kind"].startswith("Kubeadm"):
            assert [name for name, cidr in pods.items() if cidr in str(obj)] == [obj["metadata"]["name"][0]]


def test_jsonpatch_does_each_edit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    done: Counter[str] = Counter()
    for kind in (jsonpatch.AddOperation, jsonpatch.ReplaceOperation):

        def noted(operation: Any, data: Any, apply: Any = kind.apply) -> Any:
            done[operation.location] += 1
            return apply(operation, data)

        monkeypatch.setattr(kind, "apply", noted)
    ran(WORKERS, SETTINGS, DEPLOYMENT)
    spec = "/spec/template/spec"
    assert set(done) == {f"{spec}/files/-", f"{spec}/preKubeadmCommands/-", f"{spec}/containers/0/env"}


def without_last(before: Any, after: Any) -> list[Operation]:
    return diff(before, after)[:-1] or [add("extra", value=1)]


def with_another(before: Any, after: Any) -> list[Operation]:
    return [*diff(before, after), add("metadata", "extra", value=1)]


def with_number(before: Any, after: Any) -> list[Operation]:
    first, *others = diff(before, after)
    return [first._replace(value=1), *others]


def that_does_not_fit(before: Any, after: Any) -> list[Operation]:
    return [*diff(before, after), remove("spec", "x")]


@pytest.mark.parametrize("wrong", [without_last, with_another, with_number, that_does_not_fit])
def test_an_operation_that_is_wrong_ends_the_run_and_nothing_is_written(
    wrong: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine, "diff", wrong)
    with pytest.raises(InternalError, match="operation"):
        ran(WORKERS, DEPLOYMENT)
    (tmp_path / "proxy.yaml").write_text(CONFIG)
    manifest = tmp_path / "cert-manager.yaml"
    manifest.write_text(DEPLOYMENT)
    assert main(["run", str(tmp_path)]) == InternalError.exit_code
    assert "[error] InternalError: " in capsys.readouterr().err
    assert manifest.read_text() == DEPLOYMENT
