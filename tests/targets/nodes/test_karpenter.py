"""User data of Karpenter: only the NodeConfig in them changes."""

from __future__ import annotations

import pytest
import yaml

from all_targets import TARGETS
from krm_fn.patch import lookup
from node_runs import HTTP_ONLY, NONE, OTHER, run

karpenter = TARGETS["nodes.karpenter"]

CONFIG = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
PARTS = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n{}--B--\n"
PART = "--B\nContent-Type: application/node.eks.aws\n\n{}\n"


def node_class(text: object, **spec: object) -> dict[str, object]:
    more = {} if text is None else {"userData": text}
    return {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "spec": {**spec, **more}}


def variables(text: str) -> object:
    """The variables of the last NodeConfig that a text holds."""
    return lookup(yaml.safe_load(text[text.rindex("apiVersion") :]), ("spec", "instance", "environment", "default"))


@pytest.mark.parametrize(
    ("text", "before", "behind"),
    [
        pytest.param(f"{CONFIG}# as it is\nspec: {{}}\n", "# as it is", "", id="the whole text"),
        pytest.param(
            PARTS.format(PART.format(f"{CONFIG}spec: {{a: 1}}\n") + PART.format(CONFIG)),
            f"--B\nContent-Type: application/node.eks.aws\n\n{CONFIG}spec: {{a: 1}}\n",
            "--B--\n",
            id="the last of two parts",
        ),
    ],
)
def test_what_is_around_the_config_stays(text: str, before: str, behind: str) -> None:
    outcome = run(karpenter, node_class(text), OTHER)
    written = str(lookup(outcome.obj, ("spec", "userData")))
    assert before in written
    assert written.endswith(behind)
    assert variables(written.removesuffix(behind)) == OTHER.variables
    assert {one.value for one in karpenter.read(outcome.obj, {})} == set(OTHER.variables.values())
    moved = run(karpenter, outcome.obj, HTTP_ONLY)
    assert variables(str(lookup(moved.obj, ("spec", "userData"))).removesuffix(behind)) == HTTP_ONLY.variables


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
    ("text", "code"),
    [
        pytest.param(f"{CONFIG}spec: {{instance: {{environment: {{default: [a]}}}}}}\n", "CannotWrite", id="a list"),
        pytest.param(f"{CONFIG}spec: [\n", "TextUnreadable", id="no YAML"),
    ],
)
def test_a_config_that_cannot_be_edited_is_reported(text: str, code: str) -> None:
    outcome = run(karpenter, node_class(text), OTHER)
    assert outcome.changes == []
    assert [(one.code, one.path) for one in outcome.findings] == [(code, ("spec", "userData"))]


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
