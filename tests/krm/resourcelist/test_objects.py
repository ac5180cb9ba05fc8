"""The objects of an item, and the identity of each."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.krm.resourcelist import objects, reference
from krm_fn.krm.results import ObjectRef


@pytest.mark.parametrize(
    ("obj", "ref"),
    [
        pytest.param({}, ObjectRef(), id="nothing"),
        pytest.param({"apiVersion": 1, "kind": ["x"], "metadata": "m"}, ObjectRef(), id="wrong types"),
        pytest.param(
            {
                "metadata": {
                    "annotations": {
                        "config.kubernetes.io/path": "old.yaml",
                        "internal.config.kubernetes.io/path": "new.yaml",
                        "internal.config.kubernetes.io/index": 4,
                    }
                }
            },
            ObjectRef(file_path="new.yaml", file_index=4),
            id="the annotations of today win, and an index may be a number",
        ),
        *(
            pytest.param(
                {"metadata": {"annotations": {"config.kubernetes.io/index": index}}},
                ObjectRef(),
                id=f"the index {index!r}",
            )
            for index in ("-1", "x", "", None, "9" * 20, 1.5, "²", [])
        ),
    ],
)
def test_the_identity_of_an_object(obj: dict[str, Any], ref: ObjectRef) -> None:
    assert reference(obj) == ref


def _pod(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}}


def test_the_objects_of_a_list_are_found_with_their_places_and_its_file() -> None:
    file = {"annotations": {"config.kubernetes.io/path": "all.yaml", "config.kubernetes.io/index": "1"}}
    inner = {
        "apiVersion": "apps/v1",
        "kind": "DeploymentList",
        "items": [_pod("c", annotations={"config.kubernetes.io/path": "c"})],
    }
    outer = {"apiVersion": "v1", "kind": "List", "metadata": file, "items": [_pod("a"), "text", None, inner, _pod("b")]}
    found = list(objects(outer))
    assert [(one.path, one.ref.name, one.ref.file_path) for one in found] == [
        (("items", "0"), "a", "all.yaml"),
        (("items", "3", "items", "0"), "c", "c"),
        (("items", "4"), "b", "all.yaml"),
    ]


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param({"kind": "List", "items": None}, id="a list whose items are null"),
        pytest.param({"kind": "AllowList", "items": "x"}, id="a kind that only sounds like a list"),
        pytest.param({"kind": "Box", "items": [_pod("a")]}, id="a kind that holds items of its own"),
    ],
)
def test_what_is_no_list_of_objects_is_one_object(obj: dict[str, Any]) -> None:
    assert [(one.path, one.data) for one in objects(obj)] == [((), obj)]
