"""Environment files: systemd is the judge of what they say, and a shell reads the same."""

from __future__ import annotations

import pytest

from judges import environment_file as judged
from judges import shell_environment
from krm_fn.formats.environment_file import assignments, edit, is_closed, quoted
from krm_fn.settings import PROXY_VARIABLES

VALUES = [
    pytest.param("http://proxy.example.com:3128", id="a URL"),
    pytest.param("http://us%40er:p%25%3A@proxy.example.com:3128", id="a password with percent-encoding"),
    pytest.param("http://u:p%s%C3@[fd00::1]:3128/", id="what would be a specifier in a unit"),
    pytest.param(".svc,.cluster.local,10.0.0.0/8,*.corp,fd00::/8", id="a list"),
    pytest.param("a b  c", id="blanks"),
    pytest.param(' "quoted" \\ back\\\\slash \' ', id="quotes and backslashes"),
    pytest.param("a`b`c", id="backticks"),
    pytest.param("a;b#c&d|e(f)<g>{h}!~i", id="what a shell would do something with"),
    pytest.param("käse", id="a letter beyond ASCII"),
]


@pytest.mark.parametrize("value", VALUES)
def test_systemd_and_a_shell_read_what_was_meant(value: str) -> None:
    text = f"HTTP_PROXY={quoted(value)}\n"
    assert judged(text) == {"HTTP_PROXY": value}
    assert shell_environment("sh", [text, "export HTTP_PROXY"])["HTTP_PROXY"] == value
    assert [one.value for one in assignments(text)] == [value]


def test_a_dollar_is_no_variable() -> None:
    text = f"HTTP_PROXY={quoted('a$b${c}')}\n"
    assert text == 'HTTP_PROXY="a\\$b\\${c}"\n'
    assert shell_environment("sh", [text, "export HTTP_PROXY"])["HTTP_PROXY"] == "a$b${c}"
    assert assignments(text)[0].value == "a$b${c}"


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "\0"])
def test_a_line_break_cannot_be_written(value: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        quoted(value)


TEXTS = [
    pytest.param("A=b\n#A=c\n;A=d\n", id="comments"),
    pytest.param("A='b'\"c\" d e \n", id="pieces in quotes, and blanks"),
    pytest.param('A=b"c"\n', id="quotes inside a bare piece"),
    pytest.param("A = b\n", id="blanks around the sign"),
    pytest.param("A=b\\\nc\nB=d\n", id="a line that is continued"),
    pytest.param('A="b\nc\\\nd"\n', id="a text of several lines"),
    pytest.param('A="b\\nc\\"d\\q"\n', id="escapes in quotes"),
    pytest.param("A=b\\ c\\n  \n", id="escapes without quotes"),
    pytest.param("no sign here\nA=b\n", id="a line that is none"),
    pytest.param("A=b\r\nB=c\r\n", id="line breaks of Windows"),
    pytest.param("A=b\nA=c", id="twice, and no line break at the end"),
    pytest.param("A=\nB=''\n", id="nothing"),
    pytest.param("  A=b\n\t\n", id="blanks in front"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_says_what_systemd_reads_in_it(text: str) -> None:
    read = {one.name: one.value for one in assignments(text)}
    assert {name: value for name, value in read.items() if value} == judged(text)  # it prints no empty one


@pytest.mark.parametrize(
    ("text", "closed"),
    [("", True), ("A=b", True), ('A="b', False), ("A='b\n", False), ("A=b\\", False), ("# it's\n", True)],
)
def test_a_text_is_closed_where_another_line_can_follow(text: str, closed: bool) -> None:
    assert is_closed(text) is closed


WANTED = {"HTTP_PROXY": "http://new:1", "NO_PROXY": "a b"}


@pytest.mark.parametrize(
    ("text", "wanted", "edited"),
    [
        pytest.param("", WANTED, 'HTTP_PROXY=http://new:1\nNO_PROXY="a b"\n', id="a new file"),
        pytest.param("", {}, "", id="nothing"),
        pytest.param(
            "RKE2_SELINUX=true", WANTED, 'RKE2_SELINUX=true\nHTTP_PROXY=http://new:1\nNO_PROXY="a b"', id="beside"
        ),
        pytest.param(
            "# mine\nHTTP_PROXY='http://new:1' \nX=y\nno_proxy=z\nNO_PROXY=old\n",
            WANTED,
            "# mine\nHTTP_PROXY='http://new:1' \nX=y\nNO_PROXY=\"a b\"\n",
            id="what is right stays, what is wrong changes, what is too much goes",
        ),
        pytest.param(
            "HTTP_PROXY=a\nHTTP_PROXY=b\n",
            {"HTTP_PROXY": "c"},
            "HTTP_PROXY=c\n",
            id="what is there twice is there once",
        ),
        pytest.param(
            "NO_PROXY=n\nX=y",
            {"HTTP_PROXY": "h", "NO_PROXY": "n", "no_proxy": "n"},
            "HTTP_PROXY=h\nNO_PROXY=n\nno_proxy=n\nX=y",
            id="what is new is beside its neighbour",
        ),
        pytest.param(
            "NO_PROXY=n",
            {"NO_PROXY": "n", "no_proxy": "n", "https_proxy": "x"},
            "NO_PROXY=n\nno_proxy=n\nhttps_proxy=x",
            id="behind a line that is not closed",
        ),
        pytest.param("X=y\nHTTP_PROXY=a\nZ=1\n", {}, "X=y\nZ=1\n", id="removal"),
        pytest.param('HTTP_PROXY="a\nb"\r\nZ=1\n', {}, "Z=1\n", id="removal of several lines"),
    ],
)
def test_an_edit_changes_nothing_but_the_proxy(text: str, wanted: dict[str, str], edited: str) -> None:
    assert edit(text, wanted, PROXY_VARIABLES) == edited
    assert edit(edited, wanted, PROXY_VARIABLES) == edited
    read = judged(edited)
    assert {name: read[name] for name in PROXY_VARIABLES if name in read} == wanted


@pytest.mark.parametrize("text", ["X=y", "X=y\n", "# mine\r\nX=y\r\n", "\n", "X='a\nb'"])
def test_a_removal_gives_back_what_was_there(text: str) -> None:
    assert edit(edit(text, WANTED, PROXY_VARIABLES), {}, PROXY_VARIABLES) == text
