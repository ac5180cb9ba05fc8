"""Plain data to text: plain where both YAML versions agree, quoted where one would not, literal where it is long."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from krm_fn.yamledit import read
from krm_fn.yamledit.render import (
    AuthorScalar,
    Layout,
    behind,
    block,
    block_text,
    flow,
    is_literal,
    is_plain,
    scalar,
)

COMPACT = Layout()
WIDE = Layout(dash=2)
JSON = Layout(json=True)


@pytest.mark.parametrize(
    "text",
    [
        *("a", "http://proxy:3128", "systemctl restart containerd", "/etc/motd", "root:root", "a#b", "v1.2.3"),
        "10.0.0.0/8",
        *("localhost,127.0.0.1,.svc", "export A='b c'", "café", "a😀", "_x", ".svc", "a, b", "1.2.3", "a-b", "12ab"),
    ],
)
def test_what_both_yaml_versions_read_as_this_string_is_plain(text: str) -> None:
    assert is_plain(text)
    assert yaml.safe_load(f"a: {text}\n") == read(f"a: {text}\n") == {"a": text}


@pytest.mark.parametrize("text", ["a,b", "a]", "a b", "a}", "http://x"])
def test_in_flow_style_only_the_simplest_words_are_plain(text: str) -> None:
    assert is_plain(text)
    assert not is_plain(text, flow=True)


@pytest.mark.parametrize(
    ("value", "quote", "written"),
    [
        pytest.param(None, "", "null", id="null"),
        pytest.param(True, "", "true", id="true"),
        pytest.param(7, '"', "7", id="a number takes no quotes"),
        pytest.param(10**30, "", "1" + "0" * 30, id="a very large number"),
        pytest.param(0.5, "", "0.5", id="a fraction"),
        pytest.param(5e-324, "", "5.0e-324", id="an exponent: YAML 1.1 wants a point before it"),
        pytest.param(1.5e300, "", "1.5e+300", id="an exponent and a point"),
        pytest.param("x", "", "x", id="a word"),
        pytest.param("x", "'", "'x'", id="the author's single quotes"),
        pytest.param("x", '"', '"x"', id="the author's double quotes"),
        pytest.param("it's", "'", "'it''s'", id="a quote in single quotes"),
        pytest.param("it's", "", "it's", id="a quote in a plain word"),
        pytest.param("a\nb", "'", '"a\\nb"', id="a line break does not fit in single quotes"),
        pytest.param("\x07", "'", '"\\u0007"', id="a control character does not fit in single quotes"),
        pytest.param("yes", "", '"yes"', id="a boolean of YAML 1.1"),
        pytest.param("0640", "", '"0640"', id="a file mode"),
        pytest.param('a"b\\', '"', '"a\\"b\\\\"', id="what double quotes escape"),
        pytest.param("é😀", '"', '"é😀"', id="letters of all languages stay"),
        pytest.param(
            "\x7f\x85\u2028\ufeff", "", '"\\u007f\\u0085\\u2028\\ufeff"', id="what YAML takes for a line break"
        ),
        pytest.param(AuthorScalar("0640", 416), "", "0640", id="the author's words stay"),
        pytest.param(AuthorScalar("~", None), '"', "~", id="whatever the neighbour's quotes"),
    ],
)
def test_one_value_on_one_line(value: Any, quote: str, written: str) -> None:
    assert scalar(value, quote=quote) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param(AuthorScalar("a,b", "a,b"), '"a,b"', id="words that would end in flow style are quoted"),
        pytest.param(AuthorScalar("0640", 416), "0640", id="words that would not stay"),
        pytest.param("a b", '"a b"', id="a blank"),
    ],
)
def test_one_value_in_flow_style(value: Any, written: str) -> None:
    assert scalar(value, flow=True) == written


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "a b", "\n", "\n\n", " \n ", "a\n\n", "a\n\n\n", "\ta\nb\n", " \ta\nb", "a\rb\n", "a\x00\n"),
        *("a\x85\n", 7),
    ],
)
def test_what_a_literal_block_cannot_hold(text: Any) -> None:
    assert not is_literal(text)


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        pytest.param("a\nb\n", ["|", "  a", "  b"], id="with a final line break"),
        pytest.param("a\nb", ["|-", "  a", "  b"], id="without one"),
        pytest.param(" a\nb\n", ["|2", "   a", "  b"], id="a first line that is indented"),
        pytest.param("\n a\n", ["|2", "", "   a"], id="an empty line before it"),
        pytest.param("a\n\nb\n", ["|", "  a", "", "  b"], id="an empty line has no blanks"),
        pytest.param("a\n\tb\n", ["|", "  a", "  \tb"], id="a tab further down"),
        pytest.param("a  \nb\n", ["|", "  a  ", "  b"], id="blanks at the end of a line"),
        pytest.param("# no comment\nb\n", ["|", "  # no comment", "  b"], id="what looks like a comment"),
    ],
)
def test_literal_blocks(value: str, lines: list[str]) -> None:
    header, content = behind(":", value, 0, COMPACT)
    assert [header.strip(), *content] == lines
    assert read("a: " + "\n".join([header.strip(), *content]) + "\n") == {"a": value}


@pytest.mark.parametrize(
    ("value", "style", "written"),
    [
        pytest.param({}, COMPACT, "{}", id="an empty mapping"),
        pytest.param([], COMPACT, "[]", id="an empty list"),
        pytest.param({"a": [1, {"b": None}]}, COMPACT, "{a: [1, {b: null}]}", id="nested"),
        pytest.param(["a b", "c"], COMPACT, '["a b", c]', id="quotes where they must be"),
        pytest.param(
            {"a": "x", "b": "z"}, Layout(quotes={"a": "'"}), "{a: 'x', b: z}", id="quotes as in the neighbour"
        ),
        pytest.param(
            {"a": ["x", None, True, AuthorScalar("1e3", 1000.0)]}, JSON, '{"a": ["x", null, true, 1000.0]}', id="JSON"
        ),
        pytest.param("\u2028", JSON, '"\\u2028"', id="JSON that is YAML too"),
        pytest.param({"": ""}, COMPACT, '{"": ""}', id="nothing as a key and as a value"),
    ],
)
def test_flow_style(value: Any, style: Layout, written: str) -> None:
    assert flow(value, style) == written


ENTRY = {"name": "A", "list": ["x", ["v", "w"]], "map": {"k": {}, "l": []}, "text": "1\n2\n"}


@pytest.mark.parametrize(
    ("style", "lines"),
    [
        pytest.param(
            COMPACT,
            ["name: A", "list:", "- x", "- - v", "  - w", "map:", "  k: {}", "  l: []", "text: |", "  1", "  2"],
            id="dashes below the key",
        ),
        pytest.param(
            WIDE,
            ["name: A", "list:", "  - x", "  - - v", "    - w", "map:", "  k: {}", "  l: []", "text: |", "  1", "  2"],
            id="dashes deeper than the key",
        ),
        pytest.param(
            Layout(step=4, dash=2, width=4),
            [
                *("name: A", "list:", "  - x", "  -   - v", "      - w", "map:", "    k: {}", "    l: []", "text: |"),
                *("    1", "    2"),
            ],
            id="four columns",
        ),
    ],
)
def test_block_style(style: Layout, lines: list[str]) -> None:
    assert block(ENTRY, 0, style) == lines
    assert read("\n".join(lines) + "\n") == ENTRY


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_new_member_has_the_line_breaks_of_its_document(line_break: str) -> None:
    lines = ["results:", "- message: a", "  tags:", "    b: c", ""]
    written = block_text({"results": [{"message": "a", "tags": {"b": "c"}}]}, like=f"a: 1{line_break}")
    assert written == line_break.join(lines)
