"""The torture cases of the writer: ``testdata/lossless/<case>/``, each a text, operations, and the text after them."""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from edits import rewrite
from krm_fn.patch import Operation
from krm_fn.yamledit import Document, read
from krm_fn.yamledit.data import same
from support import ROOT

CASES = sorted((ROOT / "testdata" / "lossless").iterdir())
"""Every folder is a case: a file that is missing in one of them fails."""


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


def written(case: Path) -> list[dict[str, Any]]:
    operations = json.loads(text_of(case / "operations.json"))
    assert operations
    return list(operations)


def operations_of(case: Path) -> list[Operation]:
    return [
        Operation(entry["op"], tuple(jsonpatch.JsonPointer(entry["path"]).parts), entry.get("value"))
        for entry in written(case)
    ]


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_the_text_after_the_operations(case: Path, golden: Callable[[Path, bytes], None]) -> None:
    edited = rewrite(Document(text_of(case / "input.yaml")), operations_of(case))
    golden(case / "expected.yaml", edited.encode())


def test_the_text_after_the_operations_says_what_jsonpatch_says(case: Path) -> None:
    old = read(text_of(case / "input.yaml"))
    wanted = jsonpatch.apply_patch(old, copy.deepcopy(written(case)))
    assert same(read(text_of(case / "expected.yaml")), wanted)


def test_every_comment_that_was_not_inside_what_goes_is_still_there(case: Path) -> None:
    """No comment is written twice, none is changed, and no more are lost than lines that the operations name."""
    old, new = (text_of(case / name).splitlines() for name in ("input.yaml", "expected.yaml"))
    lost = [line[2:] for line in difflib.ndiff(old, new) if line.startswith("- ")]
    whole_comments = [line for line in lost if line.lstrip().startswith("#")]
    assert whole_comments == []
