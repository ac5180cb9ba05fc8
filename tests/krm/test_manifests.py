"""Files of manifests: documents between `---` lines, each read and edited on its own."""

from __future__ import annotations

import pytest

from krm_fn.errors import InputError
from krm_fn.krm.manifests import ContentChange, Manifests
from krm_fn.krm.resourcelist import ListChanges, NewObject
from manifest_files import A, B, manifests


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"---\n{A}---\n{B}---\n", ["a", "b"], id="two, with separators around"),
        pytest.param("- a\n- b\n---\njust text\n", [], id="documents that are no mapping"),
        pytest.param('{"kind": "A", "metadata": {"name": "a"}}', ["a"], id="JSON"),
        pytest.param("kind: AList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n", ["a", "b"], id="a list"),
    ],
)
def test_the_objects_of_a_file(text: str, expected: list[str]) -> None:
    source = manifests(text)
    assert [obj.ref.name for index in range(len(source)) for obj in source.objects(index)] == expected


def test_objects_know_their_file_and_their_document() -> None:
    source = manifests(A, f"{A}---\n# nothing\n---\n{B}")
    refs = [obj.ref for index in range(len(source)) for obj in source.objects(index)]
    assert [(ref.name, ref.file_path, ref.file_index) for ref in refs] == [
        ("a", "0.yaml", 0),
        ("a", "1.yaml", 0),
        ("b", "1.yaml", 1),
    ]


@pytest.mark.parametrize(
    ("paths", "file"),
    [
        pytest.param({}, ("a/b.yaml", 3), id="of a stream"),
        pytest.param({"0.yaml": "/0.yaml"}, ("0.yaml", 0), id="of a file"),
    ],
)
def test_an_object_of_a_stream_is_in_the_file_of_its_annotations(paths: dict[str, str], file: tuple[str, int]) -> None:
    notes = "{config.kubernetes.io/path: a/b.yaml, config.kubernetes.io/index: '3'}"
    source = Manifests({"0.yaml": f"kind: A\nmetadata: {{annotations: {notes}}}\n".encode()}, paths)
    (obj,) = source.objects(0)
    assert (obj.ref.file_path, obj.ref.file_index) == file


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("{{- if .Values.x }}\na: b\n", "0.yaml: document 1: ", id="a template"),
        pytest.param(f"{A}---\na: b\n\tc: d\n", "0.yaml: document 2: .* at line 5, column 1", id="a tab in the second"),
        pytest.param(f"{A}---\n# x\n---\na: *b\n", "at line 6, column 4: quote a text", id="an unknown alias"),
        pytest.param(f"{A}---\na: ü\x01\n", "at line 4, column 5$", id="a control character"),
        pytest.param("a: 1\rb: 2\r---\rc: 3\r\td: 4\r", "document 2: .* line 5, column 1: indent", id="returns alone"),
    ],
)
def test_a_document_that_cannot_be_read_names_its_place_and_the_others_can(text: str, says: str) -> None:
    source = manifests(text, B)
    broken = len(source) - 2
    with pytest.raises(InputError, match=says):
        source.objects(broken)
    assert [obj.ref.name for obj in source.objects(len(source) - 1)] == ["b"]


def test_the_line_of_a_field_counts_each_line_break_of_yaml() -> None:
    source = manifests("a: 1\rb: 2\r\n---\u2028c:\x85  - d: 1\n")
    assert [source.position(0, ("b",)), source.position(1, ("c", "0", "x"))] == [(2, 1), (5, 5)]


def test_a_file_that_is_no_utf_8_names_itself() -> None:
    with pytest.raises(InputError, match=r"x\.yaml: must be UTF-8, but byte 3 is not"):
        Manifests({"x.yaml": b"ab\xff"})


def test_the_function_config_of_a_resource_list_is_data() -> None:
    source = manifests("kind: ResourceList\nitems: []\nfunctionConfig: {kind: X}\n", A, "kind: ResourceList\n")
    found = [source.function_config_of(index) for index in range(3)]
    assert [given and given.data for given in found] == [{"kind": "X"}, None, None]
    assert found[0] is not None
    assert (found[0].path, found[0].ref.file_path) == (("functionConfig",), "0.yaml")


NEW = {"kind": "C", "metadata": {"name": "c"}}


def test_an_edit_changes_its_document_and_nothing_around_it() -> None:
    text = f"\ufeff{A}---\n{B}"
    source = manifests(text)
    (obj,) = source.objects(0)
    changes = ListChanges()
    changes.items[0] = {(): {**obj.data, "metadata": {"name": "new"}}}
    expected = text.replace("name: a", "name: new")
    assert source.changed_files(changes) == {"0.yaml": ContentChange(text.encode(), expected.encode())}


def test_a_document_goes_with_its_separator_and_the_last_one_with_its_file() -> None:
    source = manifests(f"{A}---\n{B}", A)
    changes = ListChanges()
    changes.items = {1: {(): None}, 2: {(): None}}
    assert [change.new for change in source.changed_files(changes).values()] == [A.encode(), None]


@pytest.mark.parametrize(
    ("beside", "folder", "name"),
    [
        pytest.param(0, "x", "0.yaml", id="beside another one"),
        pytest.param(-1, None, "1.yaml", id="beside none, at the end of the last file"),
        pytest.param(-1, "x", "x/c-c.yaml", id="beside none, in a file of its own"),
        pytest.param(-1, "", "c-c.yaml", id="or one in the working folder"),
    ],
)
def test_the_file_of_a_new_object(beside: int, folder: str | None, name: str) -> None:
    source = manifests(A, B)
    assert source.file_of_new(NewObject(NEW, beside), folder) == name
    changes = ListChanges()
    changes.created = [NewObject(NEW, beside)]
    changed = source.changed_files(changes, folder)
    assert [*changed] == [name]
    assert (changed[name].new or b"").endswith(b"kind: C\nmetadata:\n  name: c\n")


def test_an_error_names_the_file() -> None:
    source = manifests("kind: A\na: |\n  x")
    changes = ListChanges()
    changes.created = [NewObject(NEW, 0)]
    with pytest.raises(InputError, match=r"^0\.yaml: "):
        source.changed_files(changes)


def test_json_cannot_hold_a_second_document() -> None:
    source = Manifests({"a/x.json": b'{"kind": "A"}'})
    assert source.file_of_new(NewObject(NEW, 0)) == "a/c-c.yaml"
