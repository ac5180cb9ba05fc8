"""What is new is laid out as its neighbours are."""

from __future__ import annotations

import pytest

from edits import add, edited, replace
from krm_fn.patch import Operation


@pytest.mark.parametrize(
    ("text", "operation", "added"),
    [
        pytest.param("a:\n- x\n- '*.y'\n", add("a", "-", value="z"), "- z\n", id="not as one that needs its quotes"),
        pytest.param('a:\n- "x"\n- "*.y"\n', add("a", "-", value="z"), '- "z"\n', id="but as the one before it"),
        pytest.param(
            "a:\n- name: 'x'\n  value: \"w\"\n",
            add("a", "-", value={"name": "p", "value": "q\nr"}),
            "- name: 'p'\n  value: |-\n    q\n    r\n",
            id="but not for a text of lines",
        ),
        pytest.param("a: |+\n  x\n\n\n", add("b", value=1), "b: 1\n", id="behind the empty lines a text keeps"),
        pytest.param("? a\n: 1\n", add("c", value=1), "c: 1\n", id="behind an explicit key"),
    ],
)
def test_what_is_new_looks_like_its_neighbours(text: str, operation: Operation, added: str) -> None:
    assert edited(text, operation) == text + added
    # ... whatever the line break, and with none at the end
    crlf = text.replace("\n", "\r\n")
    assert edited(crlf, operation) == crlf + added.replace("\n", "\r\n")
    if not text.endswith("\n\n"):
        assert edited(text[:-1], operation) == (text + added)[:-1]


def test_behind_a_far_column_what_is_new_is_on_one_line_because_each_line_is_indented() -> None:
    text = f"a:\n{' ' * 201}b: [] # c\n{' ' * 201}d: {{e: {{}}}}\n"
    operations = replace("a", "b", value=[{"x": "1\n2\n"}, 3]), replace("a", "d", "e", value={"f": [1, {"g": 2}]})
    assert edited(text, *operations) == text.replace("[]", '[{x: "1\\n2\\n"}, 3]').replace("{}", "{f: [1, {g: 2}]}")
    assert edited(text.replace(" " * 201, " " * 200), operations[0]).count("\n") == 5
