"""Keys that are a mapping or a list: JSON has none, so an edit beside one keeps its bytes, or is refused."""

from __future__ import annotations

import pytest

from edits import rewrite
from krm_fn.errors import EditError
from krm_fn.patch import Operation, add, remove, replace
from krm_fn.yamledit import Document, read

PLACEHOLDER = "spec:\n  files: [] # none\n  replicas: {{ replicas }} # ours\n"
EXPLICIT = "spec:\n  files: []\n  ? - a # one\n    - b\n  : 'x' # two\n"
BELOW = "spec:\n  ?\n    - a\n  : x\n  files: []\n"


@pytest.mark.parametrize(
    ("text", "operation", "old", "new"),
    [
        pytest.param(
            PLACEHOLDER,
            replace("spec", "files", value=["a"]),
            " [] # none\n",
            " # none # was: []\n  - a\n",
            id="a placeholder without quotes behind a list that is filled",
        ),
        pytest.param(
            EXPLICIT,
            replace("spec", "files", value=["a"]),
            " []\n",
            " # was: []\n  - a\n",
            id="an explicit key that is a list behind a list that is filled",
        ),
        pytest.param(
            BELOW, replace("spec", "files", value=["a"]), " []\n", " # was: []\n  - a\n", id="a key below its mark"
        ),
        pytest.param(BELOW, add("spec", "z", value=1), "files: []\n", "files: []\n  z: 1\n", id="a new member"),
        pytest.param(PLACEHOLDER, remove("spec", "files"), "  files: [] # none\n", "", id="a member before it goes"),
        pytest.param(
            "a: {files: [], replicas: {{ x }}}\n",
            replace("a", "files", value=["1\n2\n"]),
            " []",
            ' # was: []\n      ["1\\n2\\n"]',
            id="a placeholder in a flow mapping that would become a block",
        ),
        pytest.param("a: {{ x }}\nb: &n 1\nc: *n\n", replace("b", value=2), "&n 1\nc: *n", "2\nc: 1", id="an alias"),
    ],
)
def test_a_key_that_is_no_text_keeps_its_bytes(text: str, operation: Operation, old: str, new: str) -> None:
    assert rewrite(Document(text), [operation]) == text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        pytest.param("a: &x {k: {{ y }}}\nb: *x\n", add("b", "n", value=1), id="an alias that has to be written out"),
        pytest.param("base: &x {p: {{ y }}, q: 1}\nb: {<<: *x}\n", remove("b", "q"), id="a merge key likewise"),
    ],
)
def test_where_such_a_key_would_have_to_be_written_again_the_edit_is_refused(text: str, operation: Operation) -> None:
    with pytest.raises(EditError, match="write the key in quotes"):
        rewrite(Document(text), [operation])


@pytest.mark.parametrize("length", [1024, 1025])
def test_a_key_that_is_too_long_for_a_line_is_written_where_yaml_can_read_it(length: int) -> None:
    """A key without a question mark may have 1024 characters (YAML 1.2.2, 7.4.3)."""
    name = "k" * length
    text = f"a:\n- ? '{name}'\n  : v\n  name: x\n"
    assert rewrite(Document(text), [add("a", "0", "b", value=1)]) == f"{text}  b: 1\n"
    rewritten = add("a", value=[{name: "v"}])
    if length == 1024:
        assert read(rewrite(Document(text), [rewritten])) == {"a": [{name: "v"}]}
    else:
        with pytest.raises(EditError, match="a key of more than 1024 characters"):
            rewrite(Document(text), [rewritten])
