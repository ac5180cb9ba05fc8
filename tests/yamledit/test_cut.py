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
        pytest.param(HEAD + "items:\n", id="a list without a value"),
        pytest.param("items:\n- |\n  x\n--- \n", id="the beginning of another one at the end"),
        pytest.param("items:\n  - a\nb: 1\n---\nc: 1\n", id="a second document behind another member"),
        pytest.param("items:\n- a: 1\r- b: 2\n", id="a carriage return alone"),
        pytest.param("items:\n  - a: 1\n - b: 2\n", id="a dash that is less indented than the first one"),
    ],
)
def test_what_leaves_a_doubt_is_not_cut(text: str) -> None:
    assert cut(text, "items") is None


@pytest.mark.parametrize(
    ("text", "items"),
    [
        pytest.param("items:\n- a\n- b\n", ["- a\n", "- b\n"], id="compact"),
        pytest.param("items:\n-\n  a: 1\n-\n", ["-\n  a: 1\n", "-\n"], id="a dash on a line of its own"),
        pytest.param(
            "items:\n- |\n  - no item\n\n  kind: x\n- b\n", ["- |\n  - no item\n\n  kind: x\n", "- b\n"], id="a text"
        ),
        pytest.param("items:\r\n- a\r\n- b\r\n", ["- a\r\n", "- b\r\n"], id="line breaks of two characters"),
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
