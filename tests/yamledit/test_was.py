"""What was empty before it was filled comes back byte for byte when it loses what it got."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from edits import add, edit_document, edited, remove, replace, rewrite
from krm_fn.patch import Operation
from krm_fn.yamledit import Document, read
from krm_fn.yamledit.stream import documents

ITEM = {"path": "/a", "content": "1\n2\n"}


@pytest.mark.parametrize(
    ("words", "value", "line"),
    [
        pytest.param(' ""', "x", 'b: "x" # was: ""', id="an empty text"),
        pytest.param(" '' # why", "x", "b: 'x' # why # was: ''", id="one with a comment"),
        pytest.param("", "x", "b: x # was:", id="nothing"),
        pytest.param(" |", "x\n", "b: | # was: |", id="a block without lines"),
        pytest.param(" >-  # c", "x\ny", "b: |-  # c # was: >-", id="one with a comment"),
        pytest.param("", "x\ny\n", "b: | # was:", id="a text of several lines in the place of nothing"),
        pytest.param(" &a ''", 7, "b: 7 # was: &a ''", id="a number in the place of a text with an anchor"),
    ],
)
@pytest.mark.parametrize("gone", [remove("a", "b"), remove("a")], ids=["it goes", "what is around it goes"])
def test_an_empty_text_that_is_filled_comes_back(words: str, value: object, line: str, gone: Operation) -> None:
    text = f"a:\n  b:{words}\nz: 1\n"
    filled = edited(text, replace("a", "b", value=value))
    assert filled.splitlines()[1].strip() == line
    other = edited(filled, replace("a", "b", value=8))
    assert edited(filled, gone) == edited(other, gone) == text


@pytest.mark.parametrize(
    ("text", "operation", "new"),
    [
        pytest.param(
            'a: {b: "", c: 1}\n',
            replace("a", "b", value="x"),
            'a: # was: {b: "", c: 1}\n  b: x\n  c: 1\n',
            id="in a flow mapping, which becomes a block",
        ),
        pytest.param(
            'a: {b: "", c: http://u:pw@p}\n',
            replace("a", value={"b": "x", "c": "z"}),
            'a: {b: "x", c: z}\n',
            id="but no note keeps what does not come back",
        ),
        pytest.param(
            'a: {b: "", c: http://u:pw@p}\n',
            replace("a", "b", value="x"),
            'a: {b: "x", c: http://u:pw@p}\n',
            id="nor a password that may change later",
        ),
        pytest.param(
            '- name: A\n  value: ""\n',
            replace(0, "value", value="x"),
            '- name: A\n  value: "x"\n',
            id="an item goes as a whole",
        ),
    ],
)
def test_where_an_empty_text_leaves_a_note(text: str, operation: Operation, new: str) -> None:
    assert edited(text, operation) == new


COMMENTED = {
    "above": "files:\n    # x1\n    []",
    "above, less indented": "files:\n  # x1\n    []",
    "above, at the edge": "files:\n# x1\n    []",
    "two above, with blank lines": "files:\n\n    # x1\n\n  # x2\n    []",
    "behind the key": "files: # x1\n    []",
    "behind the key and above": "files:  # x1\n    # x2\n    []",
    "above and behind": "files:\n    # x1\n    [] # x2",
    "on all sides": "files: # x1\n    # x2\n    []  # x3",
    "behind": "files: [] # x1",
    "between brackets": "files: [\n    # x1\n  ]",
    "behind a bracket": "files: [ # x1\n  ]",
    "between brackets below the key": "files:\n    [\n    # x1\n    ] # x2",
    "with letters that stand for a break": "files: [\n    # c:\\new # \\\\x1\n  ]",
    "behind it, with such letters": "files:\n    [] # x1\\n# y",
    "behind an anchor": "files: &f # x1\n    []",
    "behind a tag": "files: !!seq\n    # x1\n    [] # x2",
    "above null": "files:\n    # x1\n    null",
    "above a tilde": "files:\n    # x1\n    ~ # x2",
    "below nothing": "files:\n    # x1",
    "above a mapping": "spec: # x1\n    # x2\n    {}",
    "between braces": "spec: {\n    # x1\n  }",
    "above a mapping for it": "spec:\n    # x1\n    {template: {}} # x2",
    "above an empty text": "text:\n    # x1\n    '' # x2",
    "above false": "text:\n    # x1\n    false",
    "behind a key with a blank": "files : # x1\n    []",
    "behind an explicit key": "? files\n  # x1\n  :\n    # x2\n    []",
}
"""What is written, and where the comments are that are nobody's value."""


@pytest.mark.parametrize("words", COMMENTED.values(), ids=COMMENTED.keys())
@pytest.mark.parametrize(
    ("before", "behind"),
    [("a:\n  ", "\n  z: 1\n"), ("a:\n  ", "\nz: 1\n"), ("a:\n  ", "\n"), ("a:\n  - ", "\n    z: 1\n  - 1\n")],
    ids=["beside another", "the last one", "at the end", "in an item"],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_comments_beside_what_was_empty_stay(words: str, before: str, behind: str, line_break: str) -> None:
    if "- " in before:
        words = words.replace("\n", "\n  ")
    text = f"{before}{words}{behind}".replace("\n", line_break)
    path = ("a", "0") if "- " in before else ("a",)
    name, value = next(
        (name, value)
        for name, value in {"files": [ITEM], "spec": {"template": {"x": 1}}, "text": "new"}.items()
        if name in words
    )
    filled = edited(text, replace(*path, name, value=value))

    assert sorted(re.findall(r"x\d", filled)) == sorted(re.findall(r"x\d", text))
    assert edited(filled) == filled
    if "- " in before and name == "text":
        return  # it goes with its item
    assert edited(filled, remove(*path, name)) == text
    more = edited(filled, add(*path, name, 0, value="first")) if name == "files" else filled
    assert edited(more, remove(*path, name)) == text


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("# it was: x\n- 1", id="in other words"),
        pytest.param("# was: [\n- 1", id="of what is no YAML"),
        pytest.param("# was: []\n  x", id="above a text"),
    ],
)
def test_a_comment_that_gives_nothing_back_goes_with_its_member_and_hides_no_other(other: str) -> None:
    text = f"a: {other}\nb: # was: []\n- 1\n"
    assert edited(text, remove("a")) == "b: # was: []\n- 1\n"
    assert edited(text, remove("b", 0)) == f"a: {other}\nb: []\n"


@pytest.mark.parametrize(
    ("text", "operations", "new"),
    [
        pytest.param("{b: [x]}\n  b:\n  - x\n  - y\n", [remove("a", "b", 1)], "a: {b: [x]}\n", id="equal"),
        pytest.param(
            "{b: [x]}\n  b:\n  - x\n  - y\n",
            [replace("a", "b", 0, value="z"), remove("a", "b", 1)],
            "a: # was: {b: [x]}\n  b:\n  - z\n",
            id="another item",
        ),
        pytest.param("{b: []}\n  b: {}\n", [add("c", value=1)], "a: # was: {b: []}\n  b: {}\nc: 1\n", id="not touched"),
    ],
)
def test_a_mapping_comes_back_where_it_says_what_it_said(text: str, operations: Sequence[Operation], new: str) -> None:
    assert edited(f"a: # was: {text}", *operations) == new


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


@pytest.mark.parametrize("words", [" {template: {}}", " {}", " ~", " {template: ~}"])
def test_what_was_empty_is_so_again_though_a_mapping_for_it_stays(words: str) -> None:
    filled = edited(f"spec:{words}\n", replace("spec", value={"template": {"spec": {"files": ["a"]}}}))
    assert edited(filled, remove("spec", "template", "spec", "files")) == f"spec:{words}\n"


def test_a_comment_that_kpt_copied_back_does_not_grow() -> None:
    filled = edited("a: [] # was: []\n", replace("a", value=[1]))
    assert filled == "a: # was: []\n- 1\n"


def test_a_setter_of_kpt_gets_no_words_behind_it() -> None:
    assert edited("a: [] # kpt-set: ${a}\n", replace("a", value=[1])) == "a: # kpt-set: ${a}\n- 1\n"


def test_what_its_author_changed_meanwhile_stays() -> None:
    filled = edited("a: {files: [], c: 1}\n", replace("a", "files", value=[ITEM]))
    changed = filled.replace("\n  c: 1", "\n  c: 2")
    assert read(edited(changed, remove("a", "files"))) == {"a": {"c": 2}}


@pytest.mark.parametrize("words", ["", " ~", " []", " {} ", "  []  #! comment", " null"])
@pytest.mark.parametrize("header", ["#@data/values\n---\n", "#@ x = 1\n", "a: 1 #! x\n--- #@ y\n"])
def test_a_text_that_ytt_reads_gets_a_comment_that_ytt_knows(header: str, words: str) -> None:
    text = f"{header}b:\n  config:{words}\n  c: 1\n"
    number = len(documents(text)) - 1
    value = [1] if "[" in words else {"a": 1}
    filled = edit_document(text, number, [replace("b", "config", value=value)])

    assert f" #! was:{words.partition('  #!')[0].rstrip()}" in filled
    assert "# was:" not in filled
    assert edit_document(filled, number, [remove("b", "config")]) == text


@pytest.mark.parametrize("code", ["#@ 1", "#@overlay/match missing_ok=True", "#@overlay/remove"])
def test_nothing_is_written_behind_code_or_an_annotation_of_ytt(code: str) -> None:
    filled = edit_document(f"a:\n  config: [] {code}\n", 0, [replace("a", "config", value=[1])])
    assert filled == f"a:\n  config: {code}\n  - 1\n"


@pytest.mark.parametrize(
    "text",
    ['{"a": {"files": [], "b": 1}}\n', '{\n  "a": {\n    "files": [],\n    "b": 1\n  }\n}\n'],
    ids=["on one line", "over several lines"],
)
def test_json_gets_no_comment(text: str) -> None:
    filled = edited(text, replace("a", "files", value=[ITEM]))
    assert json.loads(filled) == {"a": {"files": [ITEM], "b": 1}}
    assert json.loads(edited(filled, remove("a", "files"))) == {"a": {"b": 1}}


def test_of_members_of_the_envelope_nothing_is_kept() -> None:
    document = Document("items: []\nconfig:\n  items: []\n", envelope=["items"])
    filled = rewrite(document, [add("items", "-", value=1), add("config", "items", "-", value=1)])
    assert filled == "items:\n- 1\nconfig:\n  items: # was: []\n  - 1\n"
