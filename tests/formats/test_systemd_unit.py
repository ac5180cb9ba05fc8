"""Units and drop-ins of systemd: what `Environment=` sets, how it is edited, and what systemd itself makes of it."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judges import systemd_environment
from krm_fn.formats.assignments import effective
from krm_fn.formats.systemd_unit import unset_by
from krm_fn.places.drop_ins import DROP_IN
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

ONE = ProxySettings("http://p:1").variables
ALL = ProxySettings("http://u:p%40s@p:1", "http://p:2", "localhost,.svc").variables
NONE: dict[str, str] = {}


def read(text: str) -> dict[str, str | None]:
    return {name: assignment.value for name, assignment in effective(DROP_IN.read(text)).items()}


def edit(text: str, variables: dict[str, str]) -> str:
    return text if DROP_IN.problem(text) else DROP_IN.edit(text, variables)


def service(*lines: str, eol: str = "\n") -> str:
    return eol.join(["[Service]", *lines, ""])


RIGHT = ('Environment="HTTP_PROXY=http://p:1"', 'Environment="http_proxy=http://p:1"')


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
            service("Environment= \\", "# why", "FOO=1", *RIGHT),
            id="a comment inside a continued line is kept",
        ),
        pytest.param(
            service('Environment="HTTP_PROXY=http://u:p"q@h"', *RIGHT[1:]),
            ONE,
            service(*RIGHT),
            id="a broken one is corrected",
        ),
        pytest.param(
            service("Environment=FOO=\\q HTTP_PROXY=http://p:1", RIGHT[1]),
            ONE,
            service("Environment=FOO=\\q", *RIGHT),
            id="one that systemd never reads moves to a line of its own",
        ),
        pytest.param(service(*RIGHT, "Environment="), ONE, service("Environment=", *RIGHT), id="one that a reset ends"),
        pytest.param(service(*RIGHT), NONE, "", id="nothing of use is left"),
    ],
)
def test_edit(text: str, variables: dict[str, str], expected: str) -> None:
    edited = edit(text, variables)
    assert edited == expected
    assert edit(edited, variables) == edited
    assert read(edited) == variables


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
    value=st.sampled_from(["http://p:1", "a,b", "p%%41", "p%41", "\\q", "a\\\n  b", "a'b", 'a"b', ""]),
    more=st.sampled_from(["", " FOO=1", " \\\n# in\n  FOO=1", " NO_PROXY=x"]),
)
HTTPS_ONLY = ProxySettings("", "http://p:2").variables
WANTED = st.sampled_from([NONE, ONE, ALL, HTTPS_ONLY, ProxySettings("x", "", "y").variables])


@st.composite
def files(draw: st.DrawFn, *lines: st.SearchStrategy[str]) -> str:
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    text = "\n".join(["[Service]", *draw(st.lists(st.one_of(*lines), max_size=8))]).replace("\n", eol)
    return text + draw(st.sampled_from(["", eol, f" \\{eol}"]))


@given(files(FOREIGN, OWN), WANTED)
def test_editing_twice_is_editing_once_and_the_wanted_values_are_read_back(text: str, wanted: dict[str, str]) -> None:
    assume(not DROP_IN.problem(text))
    once = edit(text, wanted)
    assert edit(once, wanted) == once
    assert read(once) == wanted


@given(files(FOREIGN), WANTED)
def test_removal_restores_a_file_that_had_nothing_of_ours(text: str, wanted: dict[str, str]) -> None:
    restored = edit(edit(text, wanted), NONE)
    nothing_of_use = not text.replace("[Service]", "").strip()
    assert restored in ((text, "") if nothing_of_use else (text,))


@given(files(FOREIGN), WANTED, WANTED)
def test_a_changed_proxy_is_as_if_it_were_the_first(text: str, first: dict[str, str], second: dict[str, str]) -> None:
    assume(not DROP_IN.problem(text))
    if first and text.replace("[Service]", "").strip():
        assert edit(edit(text, first), second) == edit(text, second)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('[Service]  # proxy\nEnvironment="HTTP_PROXY=old"\n', id="a comment behind the header"),
        pytest.param(service("User=x \\"), id="a last line that goes on"),
        pytest.param(service("Environment=HTTP_PROXY=old \\", "# why"), id="and is behind a comment"),
    ],
)
def test_a_text_that_would_not_mean_what_is_added_has_a_problem(text: str) -> None:
    assert DROP_IN.problem(text)
    assert not DROP_IN.problem(service("User=x", *RIGHT))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        pytest.param("Environment=HTTP_PROXY=a HTTP_PROXY=b", "b", id="the last of two"),
        pytest.param("Environment='HTTP_PROXY=http://u:p%%40s@p'", "http://u:p%40s@p", id="a doubled percent sign"),
        pytest.param("Environment=HTTP_PROXY=", "", id="empty"),
        pytest.param("Environment=HTTP_PROXY=${X}", "${X}", id="a placeholder"),
        pytest.param("Environment=FOO=1 \\\n# why\n  HTTP_PROXY=a", "a", id="a line behind a backslash and a comment"),
    ],
)
def test_an_assignment_is_read_as_systemd_reads_it(line: str, value: str | None) -> None:
    text = service(line)
    assert read(text) == {"HTTP_PROXY": value}
    assert systemd_environment(text).get("HTTP_PROXY") == value


@settings(max_examples=50, deadline=None)
@given(files(FOREIGN, OWN), WANTED)
def test_the_real_systemd_agrees_before_and_after(text: str, wanted: dict[str, str]) -> None:
    for one, values in ((text, read(text)), (edit(text, wanted), wanted)):
        if DROP_IN.problem(one):
            continue
        known = {name: value for name, value in values.items() if value is not None}
        gone = unset_by(one, known)
        there = {name: value for name, value in systemd_environment(one).items() if name in PROXY_VARIABLES}
        assert there == {name: value for name, value in known.items() if name not in gone}


@given(st.text())
def test_any_text_can_be_read_and_edited(text: str) -> None:
    assert DROP_IN.problem(text) or read(DROP_IN.edit(text, ALL)) == ALL
