"""Where things stand in a text, and the style they add up to."""

from __future__ import annotations

import pytest

from krm_fn.yamledit.layout import FLOW, slots_of, style_near, style_of
from krm_fn.yamledit.render import Layout
from krm_fn.yamledit.tree import Mapping, Sequence, compose


def collection(text: str) -> Mapping | Sequence:
    root = compose(text)
    assert isinstance(root, (Mapping, Sequence))
    return root


@pytest.mark.parametrize(
    ("text", "children"),
    [
        pytest.param("- 1 # c\n- two\n", ["- 1", "- two"], id="a list"),
        pytest.param("-   1\n-\n  x\n", ["-   1", "-\n  x"], id="wide dashes, and an item on the line below"),
        pytest.param("- # c\n  1\n# d\n- 2\n", ["- # c\n  1", "- 2"], id="comments between"),
        pytest.param("-\n-\n", ["-", "-"], id="items without a value"),
        pytest.param("- - 1\n- {}\n", ["- - 1", "- {}"], id="collections as items"),
        pytest.param("a: 1\nb:\n  c: 2\n", ["a: 1", "b:\n  c: 2"], id="a mapping"),
        pytest.param("a:\nb: # c\nd: x\n", ["a:", "b:", "d: x"], id="members without a value"),
        pytest.param("? a\n: 1\n?   b\n: 2\n", ["? a\n: 1", "?   b\n: 2"], id="explicit keys"),
        pytest.param("'a' : 1\n", ["'a' : 1"], id="a blank before the colon"),
        pytest.param("&x a: &y\n  b: 1\n", ["&x a: &y\n  b: 1"], id="anchors"),
        pytest.param("[1, {a: 2}, 'x']\n", ["1", "{a: 2}", "'x'"], id="a flow list"),
        pytest.param("{a: 1, b: [2], c}\n", ["a: 1", "b: [2]", "c"], id="a flow mapping"),
        pytest.param("{\n  ? a : 1,\n  b: 2}\n", ["? a : 1", "b: 2"], id="an explicit key in a flow mapping"),
        pytest.param("\n? a\n: 1\n", ["? a\n: 1"], id="an explicit key below an empty first line"),
        pytest.param("a: b?\nc: 1\nd: 2\n", ["a: b?", "c: 1", "d: 2"], id="a question at the end of a line"),
        pytest.param("a: 1\n#?\nb: 2\n", ["a: 1", "b: 2"], id="a question in a comment"),
    ],
)
def test_where_children_stand(text: str, children: list[str]) -> None:
    places = slots_of(text, collection(text))
    assert [text[place.start : place.end] for place in places] == children
    assert all(place.kind == FLOW or text[place.behind - 1] in "-:" for place in places)


@pytest.mark.parametrize(
    ("text", "style"),
    [
        pytest.param("a: 1\n", Layout(), id="what shows nothing is kustomize's"),
        pytest.param("a:\n b: 1\n", Layout(step=1), id="one column"),
        pytest.param("a:\n- 1\nb:\n- 1\nc:\n  - 1\n", Layout(), id="most of the lists decide"),
        pytest.param(
            "a:\n   b:\n   - 1\n   c:\n      - 1\n   d:\n      - 1\n", Layout(step=3, dash=3), id="three columns"
        ),
        pytest.param('{"a": 1}\n', Layout(json=True), id="a mapping in braces"),
        pytest.param("\n [1]\n", Layout(json=True), id="a list in brackets"),
    ],
)
def test_the_style_of_a_text(text: str, style: Layout) -> None:
    assert style_of(text, compose(text)) == style


@pytest.mark.parametrize(
    ("text", "style"),
    [
        pytest.param("- 'a'\n- b\n- \"c\"\n", Layout(quotes={"": '"'}), id="the quotes of the last item"),
        pytest.param("- k: 'v'\n  l: w\n", Layout(quotes={"k": "'", "l": ""}), id="the quotes of its members"),
        pytest.param("-\n  a\n", Layout(quotes={"": ""}), id="an item on the next line says nothing about columns"),
        pytest.param('{"a": 1}\n', Layout(json=True), id="JSON by its quoted keys"),
        pytest.param('[{"a": 1}]\n', Layout(json=True, quotes={"a": ""}), id="JSON inside a list"),
        pytest.param("{a: 1}\n", Layout(), id="a flow mapping that is no JSON"),
    ],
)
def test_the_style_near_a_child(text: str, style: Layout) -> None:
    node = collection(text)
    assert style_near(text, node, slots_of(text, node), Layout()) == style


def test_the_lists_of_the_same_mapping_decide_before_those_of_the_text() -> None:
    text = "a:\n- 1\n"
    node = collection(text)
    assert style_near(text, node, slots_of(text, node), Layout(dash=2)).dash == 0
