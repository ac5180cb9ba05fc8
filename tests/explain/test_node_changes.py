"""Which nodes a run replaces, and which keep what they have: what the findings of the run say, no node more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explained import MANIFESTS, WEST, answer
from stories import TESTDATA
from support import inject_proxy

ROLLING = [path.parent for path in sorted((TESTDATA / "rollout").rglob("results.txt"))]


def nodes_of(story: str | Path) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = answer((TESTDATA / story / "input.yaml").read_text(encoding="utf-8"))["nodes"]
    return nodes


@pytest.mark.parametrize("story", ROLLING, ids=lambda path: path.name)
def test_nodes_are_replaced_where_the_run_changes_what_makes_them(story: Path) -> None:
    nodes = nodes_of(story)
    replaced = {node["object"] for node in nodes if node["is_replaced"]}
    kept = {node["object"] for node in nodes if not node["is_replaced"]}
    assert not replaced & kept
    for line in (story / "results.txt").read_text(encoding="utf-8").splitlines():
        severity, _, rest = line.partition(" ")
        name = rest.partition(" ")[0].rstrip(":")
        if severity == "[info]" and "renamed to" in line and "Template" in name:
            assert name in replaced
        if severity == "[info]" and "/KubeadmControlPlane/" in name and " sets " in line:
            assert name in replaced
        if ": NodesKept: " in line:
            assert name in kept


@pytest.mark.parametrize(
    "story", ["nodes/classes/a-class-that-writes-whole-lists", "tkg/clusterClass/workload-cluster-of-a-tkg-class"]
)
def test_nodes_of_a_cluster_of_a_class_are_shown(story: str) -> None:
    assert True in {node["is_replaced"] for node in nodes_of(story) if "/Cluster/" in node["object"]}


def test_a_change_names_its_cluster_and_its_part(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(MANIFESTS)
    west, east = answer(MANIFESTS)["nodes"]
    assert (west["clusters"], west["parts"], west["is_replaced"]) == (["org/west"], ["control plane"], True)
    assert (east["clusters"], east["parts"], east["is_replaced"]) == (["org/east"], ["worker"], False)
    assert inject_proxy("", "run", str(file)).returncode == 0
    assert answer(file.read_text())["nodes"] == []


KEPT = (TESTDATA / "rollout/nodes-that-the-user-rolls-himself/input.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("level", ['"Off"', "Info"])
def test_rules_change_what_is_found_and_not_what_happens_to_nodes(level: str) -> None:
    silenced = KEPT.replace("    rollout:\n", f"    lint: {{rules: {{NodesKept: {level}}}}}\n    rollout:\n")
    assert silenced != KEPT
    assert answer(silenced)["nodes"] == answer(KEPT)["nodes"] != []


def test_nodes_of_no_known_cluster_are_shown_too() -> None:
    alone = WEST.partition("---\n")[2] + MANIFESTS.rpartition("---\n")[2]
    (change,) = answer(alone)["nodes"]
    assert (change["clusters"], change["is_replaced"]) == ([], True)
