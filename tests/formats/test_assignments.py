"""Files of which each line assigns a variable, as an environment file does: systemd and a shell are the judges."""

from __future__ import annotations

import pytest

from judges import environment_file, shell_environment
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.nodes.node_files import SERVICE_FORM

FORM = SERVICE_FORM


def read(text: str) -> dict[str, str | None]:
    return {one.name: one.value for one in FORM.read(text) if one.counts}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("http://us%40er:p%25%3A@proxy.example.com:3128", id="a password with percent-encoding"),
        pytest.param("http://u:p%s%C3@[fd00::1]:3128/", id="what would be a specifier in a unit"),
        pytest.param("a b  c", id="blanks"),
        pytest.param(' "quoted" \\ back\\\\slash \' ', id="quotes and backslashes"),
        pytest.param("a;b#c&d|e(f)<g>{h}!~i", id="what a shell would do something with"),
        pytest.param("käse", id="a letter beyond ASCII"),
    ],
)
def test_systemd_and_a_shell_read_what_was_meant(value: str) -> None:
    text = FORM.edit("", {"HTTP_PROXY": value})
    assert shell_environment("sh", [text, "export HTTP_PROXY"])["HTTP_PROXY"] == value
    assert environment_file(text) == read(text) == {"HTTP_PROXY": value}


def test_a_placeholder_stands_as_it_is_and_is_filled_in_before_systemd_reads_it() -> None:
    wanted = {"NO_PROXY": "`a,${VIP:=10.0.0.5},\\${B}"}
    text = FORM.edit("", wanted)
    assert read(text) == wanted
    assert FORM.edit(text, wanted) == text
    filled = text.replace("${VIP:=10.0.0.5}", "10.0.0.6").replace("${B}", "b")
    assert environment_file(filled) == {"NO_PROXY": "`a,10.0.0.6,\\b"}


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "\0"])
def test_a_line_break_cannot_be_written(value: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        FORM.edit("", {"HTTP_PROXY": value})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("A=b\n#HTTP_PROXY=c\n;HTTP_PROXY=d\n", id="comments"),
        pytest.param("HTTP_PROXY='b'\"c\"\n", id="pieces in quotes"),
        pytest.param("HTTP_PROXY = b\n", id="blanks around the sign"),
        pytest.param("HTTP_PROXY=b\\\nc\nB=d\n", id="a line that is continued"),
        pytest.param("HTTP_PROXY=b\r\nNO_PROXY=c\r\n", id="line breaks of Windows"),
        pytest.param("HTTP_PROXY=b\nHTTP_PROXY=c", id="twice, and no line break at the end"),
        pytest.param("  HTTP_PROXY=b\n\t\n", id="blanks in front"),
    ],
)
def test_a_text_says_what_systemd_reads_in_it(text: str) -> None:
    judged = environment_file(text)
    assert read(text) == {name: judged[name] for name in PROXY_VARIABLES if name in judged}


@pytest.mark.parametrize(
    ("text", "is_closed"),
    [("", True), ("A=b", True), ('A="b', False), ("A='b\n", False), ("A=b\\", False), ("# it's\n", True)],
)
def test_a_text_is_edited_where_another_line_can_follow(text: str, is_closed: bool) -> None:
    assert bool(FORM.problem(text)) is not is_closed
