"""Results: their two forms, their order, and no credential in either."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.krm.results import ObjectRef, Result, Severity, by_importance, entries, in_order, lines, redact

REF = ObjectRef("apps/v1", "Deployment", "web", "prod", "apps/web.yaml", 2)


@pytest.mark.parametrize(
    "text",
    [
        *("", "plain", "http://proxy:3128", "mail@example.com", "a: b", "name: x", "10:30", "http://proxy:3128/path"),
        *(
            "spec.httpProxy: must be a URL",
            "ghcr.io/acme/app@sha256:0123",
            "git@github.com:acme/app",
            "user @ home",
            "see a: b or c@d",
        ),
        *(
            '[Service]\nEnvironment="HTTP_PROXY=http://proxy:3128"\n',
            "localhost,127.0.0.1,.svc",
            "@",
            ":",
            "://",
            "::1",
        ),
        *("http://[fd00::1]:3128", "http://proxy:3128\nmail@example.com"),
    ],
)
def test_what_holds_no_credential_is_not_changed(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("value", [None, 7, True, 1.5, [], {}, [1, {"a": None}]])
def test_what_is_no_string_is_not_changed(value: Any) -> None:
    assert redact(value) == value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("http://user:geheim@proxy:3128", "http://user:***@proxy:3128", id="a URL"),
        pytest.param("https://user:geheim@proxy", "https://user:***@proxy", id="another scheme"),
        pytest.param("http://us:12,geheim://@proxy", "http://us:***@proxy", id="what looks like a scheme at its end"),
        pytest.param("http://geheim@proxy", "http://***@proxy", id="a token in place of user and password"),
        pytest.param("http://:geheim@proxy", "http://:***@proxy", id="no user"),
        pytest.param("http://user:@proxy", "http://***@proxy", id="no password: the user is a token"),
        pytest.param("http://TOKEN:x@proxy", "http://***@proxy", id="a filler: the user is a token"),
        pytest.param("http://ghp_0123456789abcdefghij:y@proxy", "http://***@proxy", id="a user as long as a token"),
        pytest.param("http://svc:geheim", "http://svc:***", id="the host was forgotten"),
        pytest.param("http://svc:geheim,other", "http://svc:***,other", id="the host was forgotten, in a list"),
        pytest.param("http://svc:12345678", "http://svc:***", id="the host was forgotten, and it is a number"),
        pytest.param("http://proxy:3128/x", "http://proxy:3128/x", id="a port"),
        pytest.param("http://proxy:${PORT}", "http://proxy:${PORT}", id="a port that is filled in later"),
        pytest.param("http://u:ge\nheim@proxy", "http://u:***@proxy", id="a password with a line break"),
        pytest.param("x\nhttp://u:ge\r\n  heim@p\ny", "x\nhttp://u:***@p\ny", id="the same among other lines"),
        pytest.param("http://h:3128\nme@example.com", "http://h:3128\nme@example.com", id="a port before a line"),
        pytest.param("http://user:ge@heim@proxy", "http://user:***@proxy", id="a password with an at sign"),
        pytest.param("http://user:ge/heim@proxy", "http://user:***@proxy", id="a password with a slash"),
        pytest.param("http://user:ge:heim@proxy", "http://user:***@proxy", id="a password with a colon"),
        pytest.param("http://user:ge heim@proxy", "http://user:***@proxy", id="a password with a blank"),
        pytest.param('http://user:ge"heim@proxy', "http://user:***@proxy", id="a password with a quote"),
        pytest.param("http://user:ge%40heim@proxy", "http://user:***@proxy", id="an encoded password"),
        pytest.param("http://dom\\user:geheim@proxy", "http://dom\\user:***@proxy", id="a user of a domain"),
        pytest.param("user:geheim@proxy:3128", "user:***@proxy:3128", id="no scheme"),
        pytest.param("x=user:geheim@proxy", "x=user:***@proxy", id="no scheme, behind a name"),
        pytest.param("user:ge heim@proxy:3128", "user:***@proxy:3128", id="no scheme, a password with a blank"),
        pytest.param('Environment="A=u:ge heim@p"', 'Environment="A=u:***@p"', id="the same in a line of a file"),
        pytest.param('export A="http://u:geheim@p" B', 'export A="http://u:***@p" B', id="inside a command"),
        pytest.param("a\nhttp://u:geheim@p\nb", "a\nhttp://u:***@p\nb", id="on a line of a file"),
        pytest.param("http://u:geheim@p\nhttp://v:geheim@q", "http://u:***@p\nhttp://v:***@q", id="on two lines"),
        pytest.param("http://u:geheim@p,http://v:geheim@q", "http://u:***@p,http://v:***@q", id="twice on one line"),
        pytest.param(
            'is "http://u:geheim@p", not "http://v:geheim@q"',
            'is "http://u:***@p", not "http://v:***@q"',
            id="two in quotes",
        ),
        pytest.param(
            "{a: http://u:geheim@p}, {b: http://v:geheim@q}",
            "{a: http://u:***@p}, {b: http://v:***@q}",
            id="two in a list",
        ),
        pytest.param("http://p:3128 http://v:geheim@q", "http://p:3128 http://v:***@q", id="behind a URL with a port"),
        pytest.param("http://u:geheim a://b@q", "http://u:***@q", id="a password with a URL"),
        pytest.param("u:geheim,http://v:geheim@q", "u:***@q", id="a URL behind what may be a password"),
        pytest.param(
            '{"a":"x:1.2","b":"http://u:geheim@p","c":"git@host"}',
            '{"a":"x:1.2","b":"http://u:***@p","c":"git@host"}',
            id="a member of JSON on one line",
        ),
        pytest.param(
            '"{\\"b\\":\\"http://u:geheim@p\\",\\"c\\":\\"a@b\\"}"',
            '"{\\"b\\":\\"http://u:***@p\\",\\"c\\":\\"a@b\\"}"',
            id="JSON in a text in quotes",
        ),
        pytest.param('"http://u:ge@heim", x@p', '"http://u:***@heim", x@p', id="an address behind a URL in quotes"),
        pytest.param("cntlm://u:geheim@p", "cntlm://u:***@p", id="a scheme nobody knows"),
    ],
)
def test_a_password_is_shown_as_stars(text: str, shown: str) -> None:
    assert redact(text) == shown
    assert redact(shown) == shown
    assert redact({"a": [text, ({"b": text},)]}) == {"a": [shown, [{"b": shown}]]}


_PASSWORDS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1)


@given(st.sampled_from(["http", "https", "socks5", "x+y"]), _PASSWORDS, st.sampled_from(["", "A=", '"', "export B='"]))
def test_no_password_of_a_url_is_ever_shown(scheme: str, password: str, before: str) -> None:
    secret = f"<{password}>"  # what can be looked for in what is shown
    shown = redact(f"{before}{scheme}://user:{secret}@proxy:3128")
    assert shown == f"{before}{scheme}://user:***@proxy:3128"
    result = Result(Severity.ERROR, f"{scheme}://user:{secret}@proxy", REF, ("a",), f"{scheme}://user:{secret}@p")
    assert secret not in result.line()
    assert secret not in repr(result.to_data())


@given(
    st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1).filter(
        lambda text: not text.startswith("//")
    )
)
def test_no_password_without_a_scheme_is_ever_shown(password: str) -> None:
    secret = f"<{password}>"
    assert redact(f"see user:{secret}@proxy:3128") == "see user:***@proxy:3128"


@given(st.text(st.sampled_from("ab:@/ \n=\"'.")))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a" * 3_000_000 + "@", "a" * 3_000_000 + "@", id="one word"),
        pytest.param("@" + "a:b " * 1_000_000, "@" + "a:b " * 1_000_000, id="colons behind the last at sign"),
        pytest.param("x://a" * 600_000 + "@", "x://ax:***@", id="schemes"),
        pytest.param("a" * 3_000_000 + " b@c", "a" * 3_000_000 + " b@c", id="one word before the at sign"),
        pytest.param("a " * 1_000_000 + "b@c", "a " * 1_000_000 + "b@c", id="words before the at sign"),
        pytest.param("a:b@\n" * 1_000_000, "a:***@\n" * 1_000_000, id="lines"),
    ],
)
def test_long_texts_do_not_keep_it_busy_for_hours(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    ("result", "line"),
    [
        pytest.param(Result(Severity.ERROR, "no"), "[error] no", id="about nothing in particular"),
        pytest.param(Result(Severity.INFO, "no", REF), "[info] apps/v1/Deployment/prod/web: no", id="about an object"),
        pytest.param(
            Result(Severity.WARNING, "no", REF, ("spec", "list", "0")),
            "[warning] apps/v1/Deployment/prod/web spec.list[0]: no",
            id="about a field",
        ),
        pytest.param(Result(Severity.INFO, "no", path=("a", "b")), "[info] a.b: no", id="about a field of no object"),
        pytest.param(
            Result(Severity.INFO, "no", ObjectRef("v1", "Secret", "x")),
            "[info] v1/Secret/x: no",
            id="an object without namespace",
        ),
        pytest.param(
            Result(Severity.INFO, "one\ntwo\t three"), "[info] one two three", id="one line, whatever is in it"
        ),
    ],
)
def test_the_line_for_a_person(result: Result, line: str) -> None:
    assert result.line() == line


@pytest.mark.parametrize(
    ("result", "data"),
    [
        pytest.param(Result(Severity.INFO, "m"), {"message": "m", "severity": "info"}, id="the least there can be"),
        pytest.param(Result(Severity.INFO, "m\nn"), {"message": "m n", "severity": "info"}, id="a message is one line"),
        pytest.param(
            Result(Severity.ERROR, "m", REF, ("a", "0"), "old", "new", "certManager"),
            {
                "message": "m",
                "severity": "error",
                "resourceRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "prod"},
                "field": {"path": "a[0]", "currentValue": "old", "proposedValue": "new"},
                "file": {"path": "apps/web.yaml", "index": 2},
                "tags": {"target": "certManager"},
            },
            id="all there can be",
        ),
        pytest.param(
            Result(Severity.INFO, "m", ObjectRef("v1", "Secret"), ("a",), 1, 2),
            {"message": "m", "severity": "info"},
            id="an object without a name is no reference, and a field needs one",
        ),
        pytest.param(
            Result(Severity.INFO, "m", ObjectRef("v1", "Secret", "x"), ("a",), False, 0),
            {
                "message": "m",
                "severity": "info",
                "resourceRef": {"apiVersion": "v1", "kind": "Secret", "name": "x"},
                "field": {"path": "a", "currentValue": False, "proposedValue": 0},
            },
            id="false and zero are values",
        ),
    ],
)
def test_the_entry_of_results(result: Result, data: dict[str, Any]) -> None:
    assert result.to_data() == data


def _at(path: str, index: int, severity: Severity, message: str) -> Result:
    return Result(severity, message, ObjectRef(file_path=path, file_index=index))


IN_ORDER = [
    _at("", 0, Severity.INFO, "no file"),
    _at("a.yaml", 0, Severity.ERROR, "z"),
    _at("a.yaml", 0, Severity.WARNING, "a"),
    _at("a.yaml", 0, Severity.WARNING, "b"),
    _at("a.yaml", 2, Severity.ERROR, "a"),
    _at("a.yaml", 10, Severity.ERROR, "a"),
    _at("b.yaml", 0, Severity.INFO, "a"),
]


@given(st.permutations(IN_ORDER))
def test_results_stand_in_the_order_of_kyaml(shuffled: list[Result]) -> None:
    assert in_order(shuffled) == IN_ORDER


@given(st.permutations(IN_ORDER))
def test_what_matters_most_is_reported_first(shuffled: list[Result]) -> None:
    reported = by_importance(shuffled)
    assert [result.severity.value for result in reported] == ["error"] * 3 + ["warning"] * 2 + ["info"] * 2
    assert [result for result in reported if result.severity is Severity.ERROR] == [
        IN_ORDER[1],
        IN_ORDER[4],
        IN_ORDER[5],
    ]


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param(0, [], id="nothing"),
        pytest.param(
            3, [f"[warning] v1/Pod/{number}: is alone" for number in range(3)], id="three objects, three lines"
        ),
        pytest.param(
            4,
            ["[warning] v1/Pod/0: is alone (and 3 more objects, `--verbose` names them)"],
            id="four objects, one line",
        ),
    ],
)
def test_what_is_said_of_many_objects_is_said_once(objects: int, expected: list[str]) -> None:
    alike = [Result(Severity.WARNING, "is alone", ObjectRef("v1", "Pod", str(number))) for number in range(objects)]

    assert lines(alike) == expected


def test_the_worst_comes_first_however_many_say_something_else() -> None:
    alike = [Result(Severity.WARNING, "is alone", ObjectRef("v1", "Pod", str(number))) for number in range(9)]

    assert lines([*alike, Result(Severity.ERROR, "is wrong")])[0] == "[error] is wrong"


CHANGE = Result(Severity.INFO, "sets a", REF, ("spec", "files"), target="one")


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param({}, [("sets a, sets b", "one, two")], id="two changes of a field"),
        pytest.param({"proposed": "x"}, [("sets a", "one"), ("sets b", "two")], id="one with a value"),
        pytest.param({"path": ("spec",)}, [("sets a", "one"), ("sets b", "two")], id="another field"),
        pytest.param({"ref": ObjectRef()}, [("sets a", "one"), ("sets b", "two")], id="another object"),
        pytest.param({"code": "NP001"}, [("sets a", "one"), ("NP001: sets b", "two")], id="no change"),
        pytest.param({"target": ""}, [("sets a", "one"), ("sets b", "")], id="a change without a target"),
    ],
)
def test_what_targets_change_in_one_field_is_one_entry(other: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    found = entries([CHANGE, CHANGE._replace(**{"message": "sets b", "target": "two", **other})])
    assert [(one["message"], one.get("tags", {}).get("target", "")) for one in found] == expected


def test_a_line_is_the_severity_and_the_text_with_the_file() -> None:
    """Also where what is said holds the bracket that ends the severity."""
    ref = ObjectRef("v1", "ConfigMap", "a] b", "", "[x] y.yaml")
    result = Result(Severity.WARNING, "says [error] or  not", ref, ("data", "c] d"), code="NP004")
    assert result.text_with_file().startswith("[x] y.yaml v1/ConfigMap/a] b ")
    assert result.text_with_file().endswith("NP004: says [error] or not")
    assert result.line_with_file() == f"[warning] {result.text_with_file()}"
