"""A KubeadmConfigTemplate without ``spec`` makes nodes all the same; a patch without one must stay without."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from cluster_objects import cluster, config_template, machine_deployment, reference
from krm_fn.pipeline import Outcome, run

PATH = "internal.config.kubernetes.io/path"
SPEC = {"httpProxy": "http://svc:hunter2@proxy:1", "httpsProxy": "http://svc:hunter2@proxy:1"}
MACHINES = machine_deployment()
BARE = config_template("workers")


def outcome_of(items: list[dict[str, Any]], **spec: Any) -> Outcome:
    config = {"apiVersion": "fn.inject-proxy.io/v1alpha1", "kind": "ProxyConfig", "metadata": {"name": "p"}}
    data = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    outcome = run(yaml.safe_dump({**data, "functionConfig": {**config, "spec": SPEC | spec}}).encode())
    assert outcome.exit_code == 0
    return outcome


def items_of(outcome: Outcome) -> list[dict[str, Any]]:
    return list(yaml.safe_load(outcome.output)["items"])


def in_file(file: str, data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "metadata": {**data["metadata"], "annotations": {PATH: file}}}


def test_a_template_that_something_refers_to_gets_its_spec_and_all_that_belongs_there() -> None:
    once = outcome_of([cluster(), MACHINES, BARE])
    spec = items_of(once)[2]["spec"]["template"]["spec"]
    assert [file["path"].split("/")[4] for file in spec["files"]] == ["containerd.service.d", "kubelet.service.d"]
    assert any("export" in command for command in spec["preKubeadmCommands"])
    assert "ByHand" not in [one.code for one in once.results]
    assert "hunter2" not in str([one.to_data() for one in once.results])
    assert outcome_of(items_of(once)).changed == 0
    removed = items_of(outcome_of(items_of(once), mode="Remove"))
    assert removed == [cluster(), MACHINES, {**BARE, "spec": {"template": {"spec": {}}}}]


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([cluster(), BARE], id="nothing refers to it"),
        pytest.param([cluster(), MACHINES, {**BARE, "$patch": "delete"}], id="it deletes another one"),
        pytest.param(
            [
                cluster(),
                MACHINES,
                in_file("base.yaml", {**BARE, "spec": {"template": {"spec": {"files": []}}}}),
                in_file("overlay/patch.yaml", BARE),
            ],
            id="another file has the template",
        ),
        pytest.param(
            [
                cluster(controlPlaneRef=reference("KubeadmControlPlane", "cp")),
                {**reference("KubeadmControlPlane", "cp"), "metadata": {"name": "cp"}, "spec": {"replicas": 3}},
            ],
            id="a control plane of which only the replicas are said",
        ),
    ],
)
def test_what_may_be_a_patch_stays_without(items: list[dict[str, Any]]) -> None:
    outcome = outcome_of(items)
    assert items_of(outcome)[-1] == items[-1]
    assert "ByHand" in {one.code for one in outcome.results}
