"""What patches of others do to a list of a template, held against what ``jsonpatch`` makes of every path."""

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

from class_objects import add
from krm_fn.clusters import Key
from krm_fn.clusters.references import Use
from krm_fn.targets.nodes.clusterclass.class_data import (
    ForeignOperation,
    is_list_after,
    operations_on,
    written_path,
)

API, KIND = "controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlaneTemplate"
KEY = Key("controlplane.cluster.x-k8s.io", KIND, "", "any")
CONTROL_PLANE = Use(KEY, KEY, ("reference",))
PATH = ("spec", "files")
SELECTOR = {"apiVersion": API, "kind": KIND, "matchResources": {"controlPlane": True}}
CONDITION = "{{ .enabled }}"


def patch(*operations: Any, enabled_if: str | None = None, **selector: Any) -> dict[str, Any]:
    condition = {} if enabled_if is None else {"enabledIf": enabled_if}
    definitions = [{"selector": {**SELECTOR, **selector}, "jsonPatches": list(operations)}]
    return {"name": "theirs", **condition, "definitions": definitions}


def operations_of(*patches: Any, nodes: Use = CONTROL_PLANE) -> list[ForeignOperation]:
    return operations_on({"reference": {"apiVersion": API}, "spec": {"patches": list(patches)}}, nodes)


def after(*patches: Any, is_there: bool = True) -> bool | None:
    return is_list_after(operations_of(*patches), PATH, is_there=is_there)


def erasers(*patches: Any, nodes: Use = CONTROL_PLANE) -> list[ForeignOperation]:
    return [operation for operation in operations_of(*patches, nodes=nodes) if operation.is_whole(PATH)]


WHOLE = add("/spec/files", [])
REMOVAL = {"op": "remove", "path": "/spec/files"}
TEMPLATE = {"op": "add", "path": "/spec/files", "valueFrom": {"template": "- path: {{ .x }}\n"}}


@pytest.mark.parametrize(
    "patches",
    [
        pytest.param([patch(add("/spec/files/-", "x"))], id="an entry at the end"),
        pytest.param([patch(add("/spec/filesystems", []))], id="a list whose name begins alike"),
        pytest.param([patch(WHOLE, kind="KubeadmConfigTemplate")], id="the list of another kind"),
        pytest.param([patch(WHOLE, apiVersion="v1")], id="another API version"),
        pytest.param([patch(WHOLE, enabled_if="false")], id="a patch that never runs"),
        pytest.param([{"name": "x", "external": {"generateExtension": "y"}}], id="a runtime extension"),
        pytest.param([{**patch(WHOLE), "name": "inject-proxy-nodes"}], id="a patch of ours"),
    ],
)
def test_what_erases_nothing(patches: list[Any]) -> None:
    assert erasers(*patches) == []
    assert after(*patches) is True


@pytest.mark.parametrize("enabled_if", [None, "", "true", CONDITION])
@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(WHOLE, id="an empty list"),
        pytest.param(TEMPLATE, id="a list of a template"),
        pytest.param(REMOVAL, id="the list is removed"),
        pytest.param(add("/spec", {}), id="the mapping around it"),
    ],
)
def test_what_erases(operation: Any, enabled_if: str | None) -> None:
    (eraser,) = erasers(patch(add("/spec/files/-", "x"), operation, enabled_if=enabled_if))
    assert (eraser.patch, eraser.op) == ("theirs", operation["op"])
    assert eraser.is_certain is (enabled_if != CONDITION)


@pytest.mark.parametrize(
    ("names", "is_hit"),
    [
        (["md"], True),
        (["*"], True),
        (["m*"], True),
        (["other", "md"], True),
        (["*x"], False),
        ([], False),
        ([1], False),
    ],
)
@pytest.mark.parametrize("section", ["machineDeployments", "machinePools"])
def test_workers_are_selected_by_the_names_of_their_class(section: str, names: list[Any], is_hit: bool) -> None:
    member = {"machineDeployments": "machineDeploymentClass", "machinePools": "machinePoolClass"}
    theirs = patch(WHOLE, matchResources={member[section]: {"names": names}})
    assert bool(erasers(theirs, nodes=CONTROL_PLANE._replace(worker_class=(section, "md")))) is is_hit
    assert not erasers(theirs)


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        pytest.param("other:\n  files:\n  - x\n", False, id="other members only"),
        pytest.param("files:\n- path: {{ .x }}\nother: 1\n", True, id="the list with an entry"),
        pytest.param("other: 1\n{{ if .x }}\nfiles:\n- x\n{{ end }}\n", None, id="the list on a condition"),
        pytest.param('{"files": [{"path": {{ .x | toJson }}}]}', True, id="the list in JSON"),
        pytest.param("{ other: 1, files: [] }", True, id="the list in a flow mapping"),
        pytest.param("{other: {{ .x }}}", False, id="a flow mapping without the list"),
        pytest.param("other: {{ if .x }}1{{ end }}\n", None, id="a condition in a line"),
        pytest.param("files:\n{{ .files | toYaml | indent 2 }}\n", True, id="the list of a variable"),
        pytest.param("other:\n{{- .x | toYaml | nindent 2 }}\n", False, id="another member of a variable"),
        pytest.param("{{ .spec | toYaml }}", None, id="the mapping of a variable"),
        pytest.param("other: 1\n{{ .spec | toYaml }}\n", None, id="members of a variable"),
        pytest.param("{{- $x := 1 }}\n{{/* files: */}}\nother: {{ $x }}\n", False, id="lines that make nothing"),
        pytest.param("other:\n{{ range .x }}\n- {{ . }}\n{{ end }}\n", False, id="a loop in another member"),
    ],
)
def test_what_is_known_of_a_list_in_a_mapping_that_a_template_makes(text: str, is_there: bool | None) -> None:
    theirs = patch({"op": "add", "path": "/spec", "valueFrom": {"template": text}})
    assert after(theirs) is is_there


@pytest.mark.parametrize(
    ("text", "is_there"),
    [("spec:\n  files:\n  - x\n", True), ("spec:\n  other: 1\n", False), ("spec:\n{{ .x | toYaml }}", None)],
)
def test_what_is_known_of_a_list_deeper_in_a_mapping_that_a_template_makes(text: str, is_there: bool | None) -> None:
    operation = {"op": "add", "path": "/spec/template", "valueFrom": {"template": text}}
    assert is_list_after(operations_of(patch(operation)), ("spec", "template", "spec", "files")) is is_there


def test_a_mapping_that_a_variable_of_the_cluster_says_may_hold_the_list() -> None:
    theirs = patch({"op": "add", "path": "/spec", "valueFrom": {"variable": "spec"}})
    assert after(theirs) is None


@pytest.mark.parametrize(
    ("text", "is_written"),
    [
        ("path: /etc/a.conf\n", True),
        ('{"path": "/etc/a.conf"}', True),
        ("path: /etc/a.conf.d/b\n", False),
        ("target: /etc/a.conf\n", False),
        ("", False),
    ],
)
def test_the_paths_of_files_that_patches_write(text: str, is_written: bool) -> None:
    operation = {"op": "add", "path": "/spec/files/-", "valueFrom": {"template": text}}
    obj = {"spec": {"patches": [patch(operation)]}}
    assert bool(written_path(obj, ["/etc/b.conf", "/etc/a.conf"], KIND)) is is_written
    assert written_path(obj, ["/etc/a.conf"], "KubeadmConfigTemplate") == ""


VALUES = st.sampled_from([[], ["new"]])
OPERATIONS = st.one_of(
    st.builds(lambda value: add("/spec/files", value), VALUES),
    st.builds(lambda value: {"op": "replace", "path": "/spec/files", "value": value}, VALUES),
    st.just(add("/spec/files/-", "end")),
    st.just(add("/spec/files/0", "begin")),
    st.just(REMOVAL),
    st.builds(lambda value: add("/spec", {"files": value}), VALUES),
    st.just(add("/spec", {"other": 1})),
    st.just(add("/spec/other", {})),
)
PATCHES = st.lists(st.tuples(st.lists(OPERATIONS, min_size=1, max_size=3), st.booleans()), max_size=5)


def every_path(patches: list[tuple[list[Any], bool]], *, is_there: bool) -> Iterator[Any]:
    """The list after each choice of conditions under which no operation fails."""
    for choice in itertools.product(*([True, False] if may_run else [True] for _, may_run in patches)):
        data: Any = {"spec": {"files": ["ours"]} if is_there else {}}
        try:
            for (operations, _), runs in zip(patches, choice, strict=True):
                if runs:
                    data = jsonpatch.JsonPatch(copy.deepcopy(operations)).apply(data)
        except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException):
            continue
        yield data["spec"].get("files")


@given(PATCHES, st.booleans())
def test_what_is_said_holds_on_every_path(patches: list[tuple[list[Any], bool]], is_there: bool) -> None:
    theirs = [patch(*operations, enabled_if=CONDITION if may_run else None) for operations, may_run in patches]
    state = after(*theirs, is_there=is_there)
    ends = list(every_path(patches, is_there=is_there))
    if state is not None:
        assert all((end is not None) is state for end in ends)
    if is_there and not erasers(*theirs):
        assert all("ours" in end for end in ends)
