"""The simulation of a class's patches, held against what ``jsonpatch`` makes of every path."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from typing import Any

import jsonpatch
import jsonpointer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.targets.nodes.clusterclass.class_patches import ListState, NodeClass, of_template, simulate

API, KIND = "controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlaneTemplate"
CONTROL_PLANE = NodeClass("", "", API, KIND)
PATH = ("spec", "files")
SELECTOR = {"apiVersion": API, "kind": KIND, "matchResources": {"controlPlane": True}}


def patch(*operations: Any, enabled_if: str | None = None, **selector: Any) -> dict[str, Any]:
    condition = {} if enabled_if is None else {"enabledIf": enabled_if}
    return {
        "name": "theirs",
        **condition,
        "definitions": [{"selector": {**SELECTOR, **selector}, "jsonPatches": list(operations)}],
    }


def add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def after(*patches: Any, entries: Any = ("ours",), nodes: NodeClass = CONTROL_PLANE) -> ListState:
    return simulate(patches, nodes, PATH, of_template(entries and list(entries)))


WHOLE = add("/spec/files", [])
TEMPLATE = {"op": "add", "path": "/spec/files", "valueFrom": {"template": "- path: {{ .x }}\n"}}
VARIABLE = {"op": "replace", "path": "/spec/files", "valueFrom": {"variable": "files"}}
CONDITION = "{{ .enabled }}"


@pytest.mark.parametrize(
    "patches",
    [
        pytest.param([], id="no patch"),
        pytest.param([patch(add("/spec/files/-", "x"))], id="an entry at the end"),
        pytest.param([patch(add("/spec/files/0", "x"))], id="an entry at the beginning"),
        pytest.param([patch(add("/spec/filesystems", []))], id="a list whose name begins alike"),
        pytest.param([patch(add("/spec/files~1", []))], id="a field with a slash in its name"),
        pytest.param([patch(WHOLE, kind="KubeadmConfigTemplate")], id="the list of another kind"),
        pytest.param([patch(WHOLE, apiVersion="v1")], id="another API version"),
        pytest.param([patch(WHOLE, matchResources={"infrastructureCluster": True})], id="another object"),
        pytest.param([patch(WHOLE, enabled_if="false")], id="a patch that never runs"),
        pytest.param([{"name": "x", "external": {"generateExtension": "y"}}], id="a runtime extension"),
        pytest.param([None, "x", {}, {"definitions": 1}, {"definitions": [None]}], id="what has no shape"),
        pytest.param([patch(None, {"op": "add"}, {"op": 1, "path": "/spec/files"})], id="no operations"),
    ],
)
def test_what_leaves_the_entries_of_a_template_in_place(patches: list[Any]) -> None:
    assert after(*patches).kept == {0}
    assert after(*patches).erasers == ()


@pytest.mark.parametrize("enabled_if", [None, "", "true", CONDITION])
@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(WHOLE, id="an empty list"),
        pytest.param(TEMPLATE, id="a list of a template"),
        pytest.param(VARIABLE, id="a list of a variable"),
        pytest.param({"op": "remove", "path": "/spec/files"}, id="the list is removed"),
        pytest.param(add("/spec", {}), id="the mapping around it"),
        pytest.param(add("/spec", {"files": ["x"]}), id="the mapping around it with another list"),
        pytest.param({"op": "remove", "path": "/spec/files/0"}, id="a single entry"),
    ],
)
def test_what_erases_on_some_path_keeps_nothing(operation: Any, enabled_if: str | None) -> None:
    found = after(patch(add("/spec/files/-", "x"), operation, enabled_if=enabled_if))
    assert found.kept == frozenset()
    assert [(one.patch, one.path) for one in found.erasers] == [(0, ("definitions", "0", "jsonPatches", "1"))]


@pytest.mark.parametrize(
    ("names", "is_hit"),
    [
        (["md"], True),
        (["*"], True),
        (["m*"], True),
        (["*d"], True),
        (["other", "md"], True),
        (["mdx"], False),
        (["*x"], False),
        ([], False),
        ([1], False),
    ],
)
@pytest.mark.parametrize("section", ["machineDeployments", "machinePools"])
def test_workers_are_selected_by_the_names_of_their_class(section: str, names: list[Any], is_hit: bool) -> None:
    member = {"machineDeployments": "machineDeploymentClass", "machinePools": "machinePoolClass"}
    theirs = patch(WHOLE, matchResources={member[section]: {"names": names}})
    assert (after(theirs, nodes=NodeClass(section, "md", API, KIND)).kept == {0}) is not is_hit
    assert after(theirs).kept == {0}


@pytest.mark.parametrize(
    ("patches", "entries", "is_list", "is_empty"),
    [
        pytest.param([], None, False, True, id="a template without the list"),
        pytest.param([], [], False, True, id="an empty list, which the API server drops"),
        pytest.param([], ["x"], True, False, id="a list"),
        pytest.param([patch(WHOLE)], None, True, True, id="a list that is started"),
        pytest.param([patch(WHOLE, enabled_if=CONDITION)], None, False, True, id="a list that may be started"),
        pytest.param([patch(TEMPLATE, enabled_if=CONDITION)], None, False, False, id="a list that may be filled"),
        pytest.param(
            [patch(WHOLE, enabled_if=CONDITION), patch(add("/spec/files/-", "x"))],
            None,
            True,
            False,
            id="an entry that needs the list",
        ),
        pytest.param([patch({"op": "remove", "path": "/spec/files"})], ["x"], False, True, id="no list any more"),
    ],
)
def test_whether_there_is_a_list_to_add_to(patches: list[Any], entries: Any, is_list: bool, is_empty: bool) -> None:
    found = after(*patches, entries=entries)
    assert (found.is_list, found.is_empty) == (is_list, is_empty)


def test_a_template_that_may_render_to_nothing_is_named() -> None:
    theirs = {"op": "add", "path": "/spec/files", "valueFrom": {"template": "{{ range .files }}- {{ . }}\n{{ end }}"}}
    assert [one.patch for one in after(patch(WHOLE), patch(theirs)).may_be_null] == [1]
    assert after(patch(theirs), patch(add("/spec/files/-", "x"))).may_be_null == ()


@pytest.mark.parametrize(
    ("text", "is_list", "is_empty"),
    [
        pytest.param("other:\n  files:\n  - x\n", False, True, id="other members only"),
        pytest.param("files:\n- path: {{ .x }}\nother: 1\n", True, False, id="the list with an entry"),
        pytest.param("files: []\n", False, False, id="the list in another form"),
        pytest.param("files: {{ .x }}\n", False, False, id="the list of a variable"),
        pytest.param("other: 1\n{{ if .x }}\nfiles:\n- x\n{{ end }}\n", False, False, id="the list on a condition"),
        pytest.param("other: 1\n{{ if .x }}\nmore: 1\n{{ end }}\n", False, True, id="another member on a condition"),
        pytest.param("other: 1\n{{ .x }}\n", False, False, id="members of a variable"),
        pytest.param("{{ toYaml .x }}\n", False, False, id="nothing but a variable"),
        pytest.param("  other: 1\n  files:\n  - x\n", False, False, id="members that are indented"),
        pytest.param('{"files": ["x"]}', False, False, id="JSON"),
        pytest.param("", False, False, id="nothing"),
    ],
)
def test_what_is_known_of_a_list_in_a_mapping_that_a_template_makes(text: str, is_list: bool, is_empty: bool) -> None:
    found = after(patch({"op": "add", "path": "/spec", "valueFrom": {"template": text}}))
    assert (found.is_list, found.is_empty) == (is_list, is_empty)
    assert found.kept == frozenset()


def test_an_extension_may_have_made_a_list_that_was_not_there() -> None:
    extension = {"external": {"generatePatchesExtension": "x"}}
    assert after(patch(), extension, entries=None).unseen == 1
    assert after(extension, patch(WHOLE), entries=None).unseen is None


# Every path, one by one.

VALUES = st.sampled_from([[], ["new"], ["new", "newer"]])
OPERATIONS = st.one_of(
    st.builds(lambda value: add("/spec/files", value), VALUES),
    st.builds(lambda value: {"op": "replace", "path": "/spec/files", "value": value}, VALUES),
    st.just(add("/spec/files/-", "end")),
    st.just(add("/spec/files/0", "begin")),
    st.just({"op": "remove", "path": "/spec/files"}),
    st.builds(lambda value: add("/spec", {"files": value}), VALUES),
    st.just(add("/spec", {"other": 1})),
    st.just(add("/spec/other", {})),
)
PATCHES = st.lists(st.tuples(st.lists(OPERATIONS, min_size=1, max_size=3), st.booleans()), max_size=5)
TEMPLATES = st.sampled_from([None, ["ours"], ["a", "ours"], ["a", "ours", "b"]])


def every_path(patches: list[tuple[list[Any], bool]], entries: Any) -> Iterator[Any]:
    """The list after each choice of conditions under which no operation fails."""
    for choice in itertools.product(*([True, False] if may_run else [True] for _, may_run in patches)):
        data: Any = {"spec": {} if entries is None else {"files": list(entries)}}
        try:
            for (operations, _), runs in zip(patches, choice, strict=True):
                if runs:
                    data = jsonpatch.JsonPatch(copy.deepcopy(operations)).apply(data)
        except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException):
            continue
        yield data["spec"].get("files")


@given(PATCHES, TEMPLATES)
def test_what_is_said_holds_on_every_path(patches: list[tuple[list[Any], bool]], entries: Any) -> None:
    given_patches = [patch(*operations, enabled_if=CONDITION if may else None) for operations, may in patches]
    found = after(*given_patches, entries=entries)
    ends = list(every_path(patches, entries))
    for index in found.kept:
        assert all(entries[index] in (end or ()) for end in ends)
    if found.is_list:
        assert all(end is not None for end in ends)
    if found.is_empty:
        assert all(not end for end in ends)
    named = {written.value for written in found.added}
    possible = {entries[index] for index in found.possible}
    for end in ends:
        assert set(end or ()) <= named | possible
    assert all(written.is_first for written in found.added if written.value == "begin")
    assert not any(written.is_first for written in found.added if written.value == "end")
