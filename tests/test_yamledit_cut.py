"""A list taken apart by its text: what is cut means what the whole means, and what leaves a doubt is not cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.errors import InputError
from krm_fn.yamledit import cut, read

HEAD = "apiVersion: v1\nkind: X\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(HEAD, id="no such member"),
        pytest.param(HEAD + "items:\n", id="a list without a value"),
        pytest.param(HEAD + "items: null\n", id="null"),
        pytest.param(HEAD + "items: []\n", id="an empty list"),
        pytest.param(HEAD + "items: [{a: 1}]\n", id="flow style"),
        pytest.param(HEAD + "items:\n  a: 1\n", id="a mapping"),
        pytest.param(HEAD + "items: &x\n- a\n", id="an anchor"),
        pytest.param(HEAD + "items: !!seq\n- a\n", id="a tag"),
        pytest.param(HEAD + '"items":\n- a\n', id="a quoted key"),
        pytest.param(HEAD + "? items\n: - a\n", id="an explicit key"),
        pytest.param(HEAD + "items:\n- a\nitems:\n- b\n", id="a member that occurs twice"),
        pytest.param('{"items": [1]}\n', id="JSON"),
        pytest.param("%YAML 1.2\n---\nitems:\n- a\n", id="a directive"),
        pytest.param("items:\n- a\n---\nitems:\n- b\n", id="two documents"),
        pytest.param("items:\n- a\n...\n", id="the end of a document"),
        pytest.param("items:\n- |\n  x\n--- \n", id="the beginning of another one at the end"),
        pytest.param("items:\n  - a\n---\nb: 1\n", id="a second document below a list that is indented"),
        pytest.param("items:\n  - a\n---\n- b\n", id="a second document that is a list"),
        pytest.param("items:\n  - a\nb: 1\n---\nc: 1\n", id="a second document behind another member"),
        pytest.param("b: |\n  x\n---\nitems:\n- a\n", id="the list in the second document"),
        pytest.param("a: 1\n---\nb: 1\nitems:\n- a\n", id="a document above"),
        pytest.param("items:\n  - a\n...\nb: 1\n", id="the end of a document between members"),
        pytest.param("# a\n...\nitems:\n- a\n", id="the end of a document first"),
        pytest.param("--- {}\nitems:\n- a\n", id="something behind the three dashes"),
        pytest.param("  items:\n  - a\n", id="an outermost mapping that is indented"),
        pytest.param("items:\n-\ta\n", id="a tab behind the dash"),
        pytest.param("items:\n  - a\n - b\n", id="dashes in different columns"),
        pytest.param("items:\n  - a\n  b: 1\n", id="something else in the column of the dashes"),
        pytest.param("items:\n-a\n", id="a word that begins with a dash"),
        pytest.param("items:\n- a\n-X\n", id="the same behind an item"),
        pytest.param("items:\n- a\n-", id="a dash at the end, without a line break"),
        pytest.param("items:\n- a: 1 # c\u2028- b: 2\n", id="a line separator, which YAML 1.1 takes for a line break"),
        pytest.param("items:\n- a\u2029- b\n", id="a paragraph separator"),
        pytest.param("items:\n- a\x85- b\n", id="a next-line character"),
        pytest.param("items:\n- a: 1\r- b: 2\n", id="a carriage return alone"),
    ],
)
def test_what_leaves_a_doubt_is_not_cut(text: str) -> None:
    assert cut(text, "items") is None


@pytest.mark.parametrize(
    ("text", "items"),
    [
        pytest.param("items:\n- a\n- b\n", ["- a\n", "- b\n"], id="compact"),
        pytest.param("items:\n  - a\n  - b\n", ["  - a\n", "  - b\n"], id="indented"),
        pytest.param("items: # all\n\n# first\n- a\n", ["- a\n"], id="comments and empty lines before the first"),
        pytest.param("items:\n- a\n# of b\n- b\n", ["- a\n# of b\n", "- b\n"], id="a comment between"),
        pytest.param("items:\n- a:\n  - 1\n  - 2\n- b\n", ["- a:\n  - 1\n  - 2\n", "- b\n"], id="lists inside an item"),
        pytest.param("items:\n-\n  a: 1\n-\n", ["-\n  a: 1\n", "-\n"], id="a dash on a line of its own"),
        pytest.param(
            "items:\n- |\n  - no item\n\n  kind: x\n- b\n", ["- |\n  - no item\n\n  kind: x\n", "- b\n"], id="a text"
        ),
        pytest.param("items:\r\n- a\r\n- b\r\n", ["- a\r\n", "- b\r\n"], id="line breaks of two characters"),
        pytest.param("---\nitems:\n- a\n", ["- a\n"], id="three dashes first"),
        pytest.param("# top\n\n--- # why\n# more\nitems:\n- a\n", ["- a\n"], id="comments around the three dashes"),
        pytest.param("items:\n- a\n# end\n", ["- a\n# end\n"], id="a comment at the end"),
        pytest.param("items:\n- é😀\n", ["- é😀\n"], id="letters of other languages"),
        pytest.param(
            "items:\n- {a: 1,\n   b: 2}\n- [x]\n", ["- {a: 1,\n   b: 2}\n", "- [x]\n"], id="flow style inside an item"
        ),
    ],
)
@pytest.mark.parametrize("rest", ["", "functionConfig:\n  a: 1\n", "results:\n- message: x\n# end\n"])
def test_a_list_in_block_style_is_cut_into_its_items(text: str, items: list[str], rest: str) -> None:
    if "\r" in text:
        rest = rest.replace("\n", "\r\n")
    parts = cut(text + rest, "items")
    assert parts is not None
    assert [parts.text[start:end] for start, end in parts.items] == items
    assert [read(item)[0] for item in items] == read(text + rest)["items"]


def test_the_members_are_the_whole_text_but_for_what_stands_before_them() -> None:
    text = "# top\n---\napiVersion: v1 # x\n# of items\nitems:\n- a\nresults: []\n# end\n"
    parts = cut(text, "items")
    assert parts is not None
    assert "# top\n---\n" + "".join(map(parts.member, parts.members)) == text
    assert parts.member("apiVersion") == "apiVersion: v1 # x\n# of items\n"
    assert parts.member("results") == "results: []\n# end\n"
    assert parts.member("nothing") == ""


_LINES = st.lists(
    st.sampled_from(
        [
            *("- a: 1\n", "- b\n", "  - c\n", "  d: 2\n", "    e: 3\n", "# f\n", "\n", "- |\n", "- >-\n"),
            *("   text\n", "- 'q\n", "  q'\n"),
            *("- {x: 1,\n", "  y: 2}\n", "x: 1\n", "items:\n", "-\n", "- - 1\n", "  # g\n", "z: [1]\n", "- &n 1\n"),
            *("- *n\n", " - h\n"),
        ]
    ),
    max_size=8,
)


@given(_LINES)
def test_whatever_is_cut_and_can_be_read_means_what_the_whole_means(lines: list[str]) -> None:
    text = "items:\n" + "".join(lines)
    parts = cut(text, "items")
    try:
        whole = read(text)
        items = [read(parts.text[start:end])[0] for start, end in parts.items] if parts else whole["items"]
    except InputError:
        return
    assert items == whole["items"]
