"""What was empty before it was filled comes back byte for byte when it loses what it got."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from krm_fn.patch import Operation, add, remove, replace
from krm_fn.yamledit import Document, edit_documents, read

ITEM = {"path": "/a", "content": "1\n2\n"}
WORDS = [
    "",
    " ",
    " ~",
    " null",
    " []",
    " []  ",
    "  []  # comment",
    " ~\t# c",
    " # none",
    " {}",
    " !!null",
    " &a []",
    " [ ]",
]


def edited(text: str, *operations: Operation) -> str:
    return Document(text).edit(operations)


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("rest", ["", "  x: 1\n", "  # below\n  x: 1\n"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_member_that_was_empty_is_so_again_once_its_last_item_goes(words: str, rest: str, line_break: str) -> None:
    text = f"a:\n  b: 1\n  files:{words}\n{rest}".replace("\n", line_break)
    filled = edited(text, replace("a", "files", value=[ITEM]))

    assert read(filled)["a"]["files"] == [ITEM]
    assert f"#{' was:' if '#' not in words else ''}" in filled
    assert edited(filled, remove("a", "files")) == text
    assert edited(filled, remove("a", "files", 0)) == text


def test_a_member_that_was_not_there_goes() -> None:
    filled = edited("a: 1\n", add("files", value=[ITEM]))
    assert "was" not in filled
    assert edited(filled, remove("files")) == "a: 1\n"


@pytest.mark.parametrize(
    ("text", "fill", "empty"),
    [
        pytest.param(
            "a: {b: {files: []}, c: 0640} # why\n",
            [replace("a", "b", "files", value=[ITEM])],
            [remove("a", "b", "files")],
            id="a flow mapping that became a block",
        ),
        pytest.param(
            "a: {b: {}, c: 1}\nd: 1\n",
            [add("a", "b", "files", value=[ITEM]), add("a", "b", "x", value=1)],
            [remove("a", "b", "files"), remove("a", "b", "x")],
            id="one that gets several members",
        ),
        pytest.param(
            "a:\n  config:\nb: 1\n",
            [replace("a", "config", value={"p": "q"})],
            [remove("a")],
            id="a removal of what is around it",
        ),
        pytest.param(
            "a:\n  config: ~ # c\n  other: []\n",
            [replace("a", "config", value={"p": "q"}), replace("a", "other", value=[1])],
            [remove("a", "other"), remove("a")],
            id="two of one mapping",
        ),
        pytest.param(
            "- a: 1\n-   {b: {files: []}} # c\n",
            [replace("1", "b", "files", value=[ITEM])],
            [remove("1", "b", "files")],
            id="an item of a list",
        ),
        pytest.param(
            "- spec:\n    files: # set\n",
            [replace("0", "spec", "files", value=[ITEM])],
            [remove("0", "spec", "files")],
            id="a comment without words",
        ),
    ],
)
def test_what_holds_it_comes_back_as_well(text: str, fill: Sequence[Operation], empty: Sequence[Operation]) -> None:
    filled = edited(text, *fill)
    assert edited(filled, *empty) == text


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        pytest.param("a: # was: x y: [\n- 1\nb: 1\n", [remove("a")], id="words that are no YAML"),
        pytest.param("# was: []\na:\n- 1\nb: 1\n", [remove("a")], id="a comment of its own"),
        pytest.param("a: # kpt-set: ${a}\n- 1\nb: 1\n", [remove("a")], id="a setter"),
    ],
)
def test_other_comments_bring_nothing_back(text: str, operations: Sequence[Operation]) -> None:
    assert "a" not in read(edited(text, *operations))


def test_a_comment_that_kpt_copied_back_does_not_grow() -> None:
    filled = edited("a: [] # was: []\n", replace("a", value=[1]))
    assert filled == "a: # was: []\n- 1\n"


def test_a_setter_of_kpt_gets_no_words_behind_it() -> None:
    assert edited("a: [] # kpt-set: ${a}\n", replace("a", value=[1])) == "a: # kpt-set: ${a}\n- 1\n"


def test_what_its_author_changed_meanwhile_stays() -> None:
    filled = edited("a: {files: [], c: 1}\n", replace("a", "files", value=[ITEM]))
    changed = filled.replace("\n  c: 1", "\n  c: 2")
    assert read(edited(changed, remove("a", "files"))) == {"a": {"c": 2}}


@pytest.mark.parametrize("text", ["#@data/values\n---\na:\n  config: []\n", "---\na:\n  config: [] #@ 1\n"])
def test_a_text_that_ytt_reads_gets_no_comment(text: str) -> None:
    filled = edit_documents(text, {0: [replace("a", "config", value=[1])]})
    assert "was:" not in filled
    assert "- 1" in filled
