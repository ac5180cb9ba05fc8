from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges import systemd_environment
from krm_fn.carriers import unit_text
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

ONE = ProxySettings("http://p:1").variables()
ALL = ProxySettings("http://u:p%40s@p:1", "http://p:2", "localhost,.svc").variables()
NONE: dict[str, str] = {}


def service(*lines: str, eol: str = "\n") -> str:
    return eol.join(["[Service]", *lines, ""])


RIGHT = ('Environment="HTTP_PROXY=http://p:1"', 'Environment="http_proxy=http://p:1"')


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(service(*RIGHT), id="as we write it"),
        pytest.param(service(*RIGHT).rstrip("\n"), id="without a final newline"),
        pytest.param(service(*RIGHT, eol="\r\n"), id="with the line ends of Windows"),
        pytest.param(service("Environment=HTTP_PROXY=http://p:1 http_proxy=http://p:1"), id="unquoted on one line"),
        pytest.param(service("Environment='HTTP_PROXY=http://p:1' \"http_proxy=http://p:1\""), id="both quotes"),
        pytest.param(service('  Environment = HTTP_PROXY="http://p:1"\thttp_proxy=http://p:1  '), id="blanks anywhere"),
        pytest.param(service("Environment=HTTP_PROXY=http\\x3a//p:1 \\", "  http_proxy=http://p:1"), id="continued"),
        pytest.param(
            service("Environment=HTTP_PROXY=http://p:1 \\", "# why", "http_proxy=http://p:1"),
            id="continued past a comment",
        ),
        pytest.param(f"# ours\n[Unit]\nAfter=a\n\n{service('User=x', *RIGHT)}\n[Install]\n", id="among other sections"),
        pytest.param(service("Environment=", *RIGHT), id="behind a reset"),
        pytest.param(service(*RIGHT, 'Environment="ALL_PROXY=x" "FTP_PROXY=y"'), id="with proxies that are not ours"),
        pytest.param(service(*RIGHT, "Environment=FOO=\\q", "EnvironmentFile=-/x"), id="with a broken line of others"),
    ],
)
def test_a_text_that_sets_the_wanted_values_stays(text: str) -> None:
    assert unit_text.edit(text, ONE) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("\n", id="a blank line"),
        pytest.param(service(), id="an empty section"),
        pytest.param(service("Environment=FOO=1", "# Environment=HTTP_PROXY=x"), id="a proxy in a comment only"),
        pytest.param("[Unit]\nEnvironment=HTTP_PROXY=x\n", id="a proxy in a section where systemd ignores it"),
        pytest.param("Environment=HTTP_PROXY=x\n", id="a proxy before any section"),
        pytest.param(service('Environment:"HTTP_PROXY=x"'), id="a colon where systemd wants an equals sign"),
        pytest.param(service("ExecStart=/bin/sh -c 'HTTP_PROXY=x y'"), id="a proxy in another key"),
        pytest.param(service("Environment=HTTP_PROXY"), id="a name without a value"),
    ],
)
def test_a_text_that_sets_no_proxy_stays_when_none_is_wanted(text: str) -> None:
    assert unit_text.edit(text, NONE) == text
    assert unit_text.read(text) == {}


@pytest.mark.parametrize(
    ("text", "variables", "expected"),
    [
        pytest.param("", ONE, service(*RIGHT), id="an empty file is written"),
        pytest.param(
            service('Environment="HTTP_PROXY=old"', "User=x"),
            ONE,
            service(*RIGHT, "User=x"),
            id="a wrong value changes in place and its twin follows it",
        ),
        pytest.param(service("User=x"), ONE, service("User=x", *RIGHT), id="new ones stand at the end of the section"),
        pytest.param("[Service]\nUser=x", ONE, service("User=x", *RIGHT)[:-1], id="no final newline stays none"),
        pytest.param(
            service("User=x") + "\n[Install]\n",
            ONE,
            service("User=x", *RIGHT) + "\n[Install]\n",
            id="another section follows",
        ),
        pytest.param(
            service("Environment=FOO=1 \\"),
            ONE,
            service("Environment=FOO=1 \\", "", *RIGHT)[:-1],
            id="a last line that goes on does not swallow new ones",
        ),
        pytest.param(
            service("Environment=HTTP_PROXY=old \\", "# why"),
            ONE,
            service(RIGHT[0] + " \\", "# why", "", RIGHT[1])[:-1],
            id="a last line that goes on behind a comment does not swallow new ones",
        ),
        pytest.param(
            service("Environment=FOO=1 \\", "", *RIGHT)[:-1],
            NONE,
            service("Environment=FOO=1 \\"),
            id="a last line that goes on is the last one again",
        ),
        pytest.param("[Unit]\nAfter=a\n", ONE, "[Unit]\nAfter=a\n\n" + service(*RIGHT), id="the section is missing"),
        pytest.param(
            service("User=x", eol="\r\n"),
            ONE,
            service("User=x", *RIGHT, eol="\r\n"),
            id="the line end is that of the file",
        ),
        pytest.param(
            service("Environment=FOO=1 'HTTP_PROXY=old'  BAR=2"),
            ONE,
            service('Environment=FOO=1 "HTTP_PROXY=http://p:1"  BAR=2', RIGHT[1]),
            id="one of several on a line",
        ),
        pytest.param(
            service("Environment=FOO=1 \\", "  HTTPS_PROXY=old \\", "  BAR=2", *RIGHT),
            ONE,
            service("Environment=FOO=1 \\", "  BAR=2", *RIGHT),
            id="an unwanted one in the middle of a continued line goes",
        ),
        pytest.param(
            service("Environment=NO_PROXY=a \\", "# why", "FOO=1", *RIGHT),
            ONE,
            service("# why", "Environment=FOO=1", *RIGHT).replace("[Service]\n# why", "[Service]\n# why"),
            id="a comment inside a continued line is kept",
        ),
        pytest.param(
            service('Environment="HTTP_PROXY=http://u:p"q@h"', *RIGHT[1:]),
            ONE,
            service(*RIGHT),
            id="a broken one is corrected",
        ),
        pytest.param(
            service('Environment="HTTP_PROXY=http://p:1%41"', *RIGHT[1:]),
            ONE,
            service(*RIGHT),
            id="an open specifier is corrected",
        ),
        pytest.param(
            service("Environment=FOO=\\q HTTP_PROXY=http://p:1", RIGHT[1]),
            ONE,
            service("Environment=FOO=\\q", *RIGHT),
            id="one that systemd never reads moves to a line of its own",
        ),
        pytest.param(
            service(*RIGHT, 'Environment="HTTP_PROXY=p%41"'), ONE, service(*RIGHT), id="a broken repetition goes"
        ),
        pytest.param(service(RIGHT[0], *RIGHT), ONE, service(*RIGHT), id="a repeated one is folded into the last"),
        pytest.param(
            service(*RIGHT, "Environment="),
            ONE,
            service("Environment=", *RIGHT),
            id="one that a reset forgets stands behind it",
        ),
        pytest.param(service(*RIGHT), NONE, "", id="nothing of use is left"),
        pytest.param(service("", RIGHT[0], ""), NONE, "", id="blank lines are of no use"),
        pytest.param(service("# why", *RIGHT), NONE, service("# why"), id="a comment is of use"),
        pytest.param(service("User=x", *RIGHT), NONE, service("User=x"), id="another line is of use"),
        pytest.param("[Unit]\nAfter=a\n\n" + service(*RIGHT), NONE, "[Unit]\nAfter=a\n", id="our empty section goes"),
    ],
)
def test_edit(text: str, variables: dict[str, str], expected: str) -> None:
    edited = unit_text.edit(text, variables)
    assert edited == expected
    assert unit_text.edit(edited, variables) == edited
    assert unit_text.read(edited) == variables


# fmt: off
FOREIGN = st.sampled_from([
    "", "# note", "; note", "User=x", "Environment=FOO=1", "Environment='BAR=a b' \"BAZ=1\"", "Nice=1 \\\n  # in\n  2",
    "ExecStartPre=/bin/a \\\n  --b", "Environment=", "[Unit]", "[Service]", "Environment=FOO=\\q X=1", "é=%h",
    "no equals sign", "UnsetEnvironment=NO_PROXY FOO", "EnvironmentFile=-/etc/x",
])
# fmt: on
OWN = st.builds(
    "Environment={quote}{name}={value}{quote}{more}".format,
    quote=st.sampled_from(["", '"', "'"]),
    name=st.sampled_from(PROXY_VARIABLES),
    value=st.sampled_from(["http://p:1", "a,b", "p%%41", "p%41", "\\x41", "\\q", "a\\\n  b", "a'b", 'a"b', ""]),
    more=st.sampled_from(["", " FOO=1", " \\\n# in\n  FOO=1", " NO_PROXY=x"]),
)
HTTPS_ONLY = ProxySettings("", "http://p:2").variables()
WANTED = st.sampled_from([NONE, ONE, ALL, HTTPS_ONLY, ProxySettings("x", "", "y").variables()])


@st.composite
def files(draw: st.DrawFn, *lines: st.SearchStrategy[str]) -> str:
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    text = "\n".join(["[Service]", *draw(st.lists(st.one_of(*lines), max_size=8))]).replace("\n", eol)
    return text + draw(st.sampled_from(["", eol, f" \\{eol}"]))


@given(files(FOREIGN, OWN), WANTED)
def test_editing_twice_is_editing_once_and_the_wanted_values_are_read_back(text: str, wanted: dict[str, str]) -> None:
    once = unit_text.edit(text, wanted)
    assert unit_text.edit(once, wanted) == once
    assert unit_text.read(once) == wanted


@given(files(FOREIGN), WANTED)
def test_removal_restores_a_file_that_had_nothing_of_ours(text: str, wanted: dict[str, str]) -> None:
    restored = unit_text.edit(unit_text.edit(text, wanted), NONE)
    nothing_of_use = not text.replace("[Service]", "").strip()
    assert restored in ((text, "") if nothing_of_use else (text,))


@given(files(FOREIGN, OWN), WANTED)
def test_every_line_of_others_survives(text: str, wanted: dict[str, str]) -> None:
    edited = unit_text.edit(text, wanted).splitlines()
    kept = ("#", "User", "Nice", "Exec", "Environment=")
    for line in text.splitlines():
        if "PROXY" not in line.upper() and line.startswith(kept) and "\\" not in line:
            assert line in edited


@given(files(FOREIGN), WANTED, WANTED)
def test_a_changed_proxy_gives_what_it_would_have_given_at_first(
    text: str, first: dict[str, str], second: dict[str, str]
) -> None:
    if first and text.replace("[Service]", "").strip():
        assert unit_text.edit(unit_text.edit(text, first), second) == unit_text.edit(text, second)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            service("User=x", "Environment=FOO=1 \\", "# why", " HTTP_PROXY=old BAR=2"), id="a continued line"
        ),
        pytest.param(service('Environment="HTTP_PROXY=a\\', 'b"', "Environment=", eol="\r\n"), id="Windows line ends"),
        pytest.param(
            service("Environment=FOO=\\q HTTP_PROXY=x") + "[Unit]\n" + service("Environment="), id="two sections"
        ),
        pytest.param("[Unit]\nDescription=x", id="no section at all"),
    ],
)
def test_systemd_reads_from_an_edited_file_what_was_wanted(text: str) -> None:
    read = systemd_environment(unit_text.edit(text, ALL))
    assert {name: read.get(name) for name in PROXY_VARIABLES} == ALL


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('[Service]  # proxy\nEnvironment="HTTP_PROXY=old"\n', id="a comment behind the header"),
        pytest.param("[Service\nEnvironment=HTTP_PROXY=old no_proxy=x\n", id="a header that is not closed"),
        pytest.param(service("User=x", *RIGHT) + "[Install\nWantedBy=y\n", id="rejected further on"),
    ],
)
def test_a_text_with_a_section_header_that_systemd_rejects_stays_as_it_is(text: str) -> None:
    assert unit_text.has_rejected_header(text)
    assert unit_text.edit(text, ALL) == text
    assert unit_text.edit(text, NONE) == text


@given(st.text())
def test_any_text_can_be_read_and_edited(text: str) -> None:
    edited = unit_text.edit(text, ALL)
    assert unit_text.read(edited) == ALL or (edited == text and unit_text.has_rejected_header(text))
