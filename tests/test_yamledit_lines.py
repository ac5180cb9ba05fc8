"""Where lines begin and end: at each line break of YAML 1.1."""

from __future__ import annotations

import pytest

from krm_fn.yamledit.lines import Lines, column_of, end_of_line, newline_of, starts_line


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


@pytest.mark.parametrize(
    ("text", "position", "column", "end", "first"),
    [
        pytest.param("abc\n", 0, 0, 3, True, id="the first line"),
        pytest.param("abc\n  def\n", 6, 2, 9, True, id="behind an indentation"),
        pytest.param("abc\n  def\n", 7, 3, 9, False, id="inside a word"),
        pytest.param("abc\r\ndef\r\n", 1, 1, 3, False, id="a line break of two characters is not part of the line"),
        pytest.param("abc", 2, 2, 3, False, id="no line break at the end"),
        pytest.param("\n", 0, 0, 0, True, id="an empty line"),
        pytest.param("\n  abc\n", 3, 2, 6, True, id="below an empty first line"),
    ],
)
def test_lines(text: str, position: int, column: int, end: int, *, first: bool) -> None:
    assert column_of(text, position) == column
    assert end_of_line(text, position) == end
    assert starts_line(text, position) is first


@pytest.mark.parametrize(
    ("text", "line_break"),
    [("a\nb\r\n", "\n"), ("a\r\nb\n", "\r\n"), ("a", "\n"), ("", "\n"), ("\n", "\n"), ("\r\n", "\r\n")],
)
def test_the_line_break_of_the_first_line(text: str, line_break: str) -> None:
    assert newline_of(text) == line_break
