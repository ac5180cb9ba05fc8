"""Where lines begin and end: at each line break of YAML 1.1."""

from __future__ import annotations

import pytest

from krm_fn.yamledit.lines import Lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("a", 0, id="a line without its end"),
        pytest.param("a\nb\n", 2, id="line feeds"),
        pytest.param("a\r\nb\r\n", 2, id="a carriage return and a line feed are one"),
        pytest.param("a\rb\x85c\u2028d\u2029", 4, id="the rare ones"),
    ],
)
def test_lines_above_the_end_of_a_text(text: str, lines: int) -> None:
    assert Lines(text).above(len(text)) == lines


def test_lines_above_a_position() -> None:
    lines = Lines("a\nb\rc")
    assert [lines.above(position) for position in range(5)] == [0, 0, 1, 1, 2]
