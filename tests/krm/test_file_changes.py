"""What becomes of files of manifests: the documents that change, come and go, and no other byte."""

from __future__ import annotations

import pytest

from krm_fn.errors import InputError
from krm_fn.krm.changes import ContentChange, ListChanges, NewObject
from krm_fn.krm.file_changes import changed_files, file_of_new
from krm_fn.krm.manifests import Manifests
from manifest_files import A, B, manifests

NEW = {"kind": "C", "metadata": {"name": "c"}}


def test_an_edit_changes_its_document_and_nothing_around_it() -> None:
    text = f"\ufeff{A}---\n{B}"
    source = manifests(text)
    (obj,) = source.objects(0)
    changes = ListChanges()
    changes.items[0] = {(): {**obj.data, "metadata": {"name": "new"}}}
    expected = text.replace("name: a", "name: new")
    assert changed_files(source, changes) == {"0.yaml": ContentChange(text.encode(), expected.encode())}


def test_a_document_goes_with_its_separator_and_the_last_one_with_its_file() -> None:
    source = manifests(f"{A}---\n{B}", A)
    changes = ListChanges()
    changes.items = {1: {(): None}, 2: {(): None}}
    assert [change.new for change in changed_files(source, changes).values()] == [A.encode(), None]


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
    assert file_of_new(NewObject(NEW, beside), source, folder) == name
    changes = ListChanges()
    changes.created = [NewObject(NEW, beside)]
    changed = changed_files(source, changes, folder)
    assert [*changed] == [name]
    assert (changed[name].new or b"").endswith(b"kind: C\nmetadata:\n  name: c\n")


def test_an_error_names_the_file() -> None:
    source = manifests("kind: A\na: |\n  x")
    changes = ListChanges()
    changes.created = [NewObject(NEW, 0)]
    with pytest.raises(InputError, match=r"^0\.yaml: "):
        changed_files(source, changes)


def test_json_cannot_hold_a_second_document() -> None:
    source = Manifests({"a/x.json": b'{"kind": "A"}'})
    assert file_of_new(NewObject(NEW, 0), source) == "a/c-c.yaml"
