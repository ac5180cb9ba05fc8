"""Steps that edit one object in turn: each sees what those before it did, and nothing else changes."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pytest

from krm_fn import patch
from krm_fn.clusters import Topology
from krm_fn.krm.resourcelist import objects
from krm_fn.krm.results import Change, Finding
from krm_fn.patch import Operation
from krm_fn.targets._cluster_variables import class_of, in_turn

OBJ = {"spec": {"list": [{"name": "a"}, {"name": "b", "value": {"x": [1]}}], "other": {"y": 1}}}
ENTRY = ("spec", "list", "0")


def done(steps: list[list[Operation]]) -> tuple[list[Any], list[Operation]]:
    """The object as each step sees it, and all operations, as they are when the last step is done."""
    seen: list[Any] = []

    def step(obj: Mapping[str, Any], operations: list[Operation]) -> Iterator[Change | Finding]:
        seen.append(copy.deepcopy(obj))
        yield from (Change(operation, "") for operation in operations)

    said = list(in_turn(OBJ, [partial(step, operations=operations) for operations in [*steps, []]]))
    return seen, [one.operation for one in said if isinstance(one, Change)]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([[]], id="nothing"),
        pytest.param([[patch.replace(*ENTRY, "name", value="c")]], id="one member"),
        pytest.param(
            [[patch.remove(*ENTRY), patch.replace(*ENTRY, "value", "x", "0", value=2)]],
            id="an entry that another one's removal moves, in the same step",
        ),
        pytest.param(
            [[patch.remove(*ENTRY)], [patch.add(*ENTRY, "value", "x", patch.APPEND, value=2)]], id="in two steps"
        ),
        pytest.param(
            [
                [patch.add("spec", "list", patch.APPEND, value={"v": {}})],
                [patch.add("spec", "list", 2, "v", "z", value=1)],
            ],
            id="what a step before has added",
        ),
        pytest.param(
            [
                [patch.add("spec", "same", value=OBJ["spec"]["other"])],
                [patch.replace("spec", "other", "y", value=2)],
                [patch.replace("spec", "same", "y", value=3)],
            ],
            id="a value that stands elsewhere in the object",
        ),
        pytest.param([[patch.remove("spec", "list")], [patch.remove("spec")]], id="a whole list"),
    ],
)
def test_each_step_sees_what_those_before_it_did_and_nothing_else_changes(steps: list[list[Operation]]) -> None:
    before, asked = copy.deepcopy(OBJ), copy.deepcopy([one for step in steps for one in step])
    wanted = [copy.deepcopy(before)]
    for step in steps:
        wanted.append(patch.apply(copy.deepcopy(wanted[-1]), copy.deepcopy(step)))

    assert done(steps) == (wanted, asked)
    assert before == OBJ


@pytest.mark.parametrize(
    ("topology", "name", "namespace"),
    [
        pytest.param(None, "", "", id="no topology"),
        pytest.param({"class": {"name": "a"}, "classRef": "b"}, "", "", id="wrong types"),
        pytest.param({"class": "", "classRef": {"name": " "}}, "", "", id="empty names"),
        pytest.param({"class": "a"}, "a", "org", id="v1beta1"),
        pytest.param({"class": "a", "classNamespace": "b"}, "a", "b", id="v1beta1 with a namespace"),
        pytest.param({"class": "a", "classRef": {"name": "b", "namespace": "c"}}, "b", "c", id="v1beta2 comes first"),
    ],
)
def test_targets_and_topology_read_one_class_of_a_cluster(topology: Any, name: str, namespace: str) -> None:
    metadata = {"name": "one", "namespace": "org"}
    data = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": metadata}
    (obj,) = objects({**data, "spec": {"topology": topology}})
    key = Topology([obj]).class_of(obj)

    assert class_of(obj.data) == name
    assert key == (("cluster.x-k8s.io", "ClusterClass", namespace, name) if name else None)
