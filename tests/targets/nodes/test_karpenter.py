"""User data of Karpenter: only the NodeConfig in them changes."""

from __future__ import annotations

import pytest
import yaml

from all_targets import TARGETS
from krm_fn.patch import lookup
from node_runs import NONE, OTHER, run

karpenter = TARGETS["nodes.karpenter"]

CONFIG = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"


def node_class(text: object, **spec: object) -> dict[str, object]:
    more = {} if text is None else {"userData": text}
    return {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "spec": {**spec, **more}}


def variables(text: str) -> object:
    """The variables of the last NodeConfig that a text holds."""
    return lookup(yaml.safe_load(text[text.rindex("apiVersion") :]), ("spec", "instance", "environment", "default"))


@pytest.mark.parametrize(
    "spec", [{"amiFamily": "AL2023"}, {"amiSelectorTerms": [{"alias": "al2023@v20250101"}]}], ids=["family", "alias"]
)
def test_nodes_with_nodeadm_and_without_user_data_get_a_config(spec: dict[str, object]) -> None:
    outcome = run(karpenter, node_class(None, **spec), OTHER)
    assert variables(str(lookup(outcome.obj, ("spec", "userData")))) == OTHER.variables
    assert run(karpenter, outcome.obj, NONE).obj == node_class(None, **spec)


def test_a_removal_leaves_a_variable_that_is_null() -> None:
    there = node_class(f"{CONFIG}spec: {{instance: {{environment: {{default: {{HTTP_PROXY: ~}}}}}}}}\n")

    assert run(karpenter, there, NONE).obj == there


@pytest.mark.parametrize(
    ("alias", "warns"),
    [
        pytest.param("al2023@v20250819", True, id="an image of the day before"),
        pytest.param("al2023@v20250820", False, id="the first image"),
        pytest.param("al2023@latest", False, id="the newest image"),
    ],
)
def test_images_that_do_not_know_the_variables_are_named(alias: str, warns: bool) -> None:
    outcome = run(karpenter, node_class(None, amiSelectorTerms=[{"alias": alias}]), OTHER)
    assert ("NodesWithoutProxy" in {finding.code for finding in outcome.findings}) is warns
