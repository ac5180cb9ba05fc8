"""No credential in any text that is shown: what is known goes first, then what base64 says and what looks like one."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.results import ObjectRef, Result, Severity

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
        'content: "HTTP_PROXY=http://proxy:3128\\nHTTPS_PROXY=http://proxy:3128\\n"',
        *(
            r"http://proxy:3128\"",
            r"http://proxy:3128\'",
            r"{\"a\":\"http://proxy:3128\"}",
            r"{\"a\":\"http://proxy:3128\",\"b\":1}",
        ),
        r'content: "[Service]\nEnvironment=\"A=http://proxy:3128\" \"B=http://proxy:3128\"\n"',
        r'"{\"content\":\"[Service]\\nEnvironment=\\\"A=http://proxy:3128\\\"\\n\"}"',
    ],
)
def test_what_holds_no_credential_is_not_changed(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("value", [None, 7, True, 1.5, [], {}, [1, {"a": None}], {"token": {"a": 1}}, {"token": None}])
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
        pytest.param("http://abcdefghijklmnopqrst:y@proxy", "http://***@proxy", id="a user of twenty letters"),
        pytest.param("http://abcdefghijklmnopqrs:y@proxy", "http://abcdefghijklmnopqrs:***@proxy", id="of nineteen"),
        pytest.param("http://svc:geheim", "http://svc:***", id="the host was forgotten"),
        pytest.param("http://svc:geheim,other", "http://svc:***,other", id="the host was forgotten, in a list"),
        pytest.param("http://svc:12345678", "http://svc:***", id="the host was forgotten, and it is a number"),
        pytest.param("http://proxy:3128/x", "http://proxy:3128/x", id="a port"),
        pytest.param("http://proxy:${PORT}", "http://proxy:${PORT}", id="a port that is filled in later"),
        pytest.param("http://u:ge\nheim@proxy", "http://u:***@proxy", id="a password with a line break"),
        pytest.param("x\nhttp://u:ge\r\n  heim@p\ny", "x\nhttp://u:***@p\ny", id="the same among other lines"),
        pytest.param("http://h:3128\nme@example.com", "http://h:3128\nme@example.com", id="a port before a line"),
        pytest.param("http://user:ge@heim@proxy", "http://user:***@proxy", id="a password with an at sign"),
        pytest.param("a:x y @ z", "a:x y @ z", id="words with a colon and an at sign alone"),
        pytest.param("h:80 b@h/h:80t=https://b@h", "h:80 b@h/h:***@h", id="an address before a password with a URL"),
        pytest.param('http://u:ge "http://heim@p', "http://u:***@p", id="a password with what begins a URL in quotes"),
        pytest.param(
            "http://u:ge=http://x@p http://v@w", "http://u:***@p http://***@w", id="another URL behind such a one"
        ),
        pytest.param("http://user:ge/heim@proxy", "http://user:***@proxy", id="a password with a slash"),
        pytest.param("http://user:ge:heim@proxy", "http://user:***@proxy", id="a password with a colon"),
        pytest.param("http://user:ge heim@proxy", "http://user:***@proxy", id="a password with a blank"),
        pytest.param('http://user:ge"heim@proxy', "http://user:***@proxy", id="a password with a quote"),
        pytest.param(r"http://user:ge\"heim@proxy", "http://user:***@proxy", id="a password with an escaped quote"),
        pytest.param(r"http://user:12\"@proxy", "http://user:***@proxy", id="digits and an escaped quote"),
        pytest.param(r"http://user:12\" heim@proxy", "http://user:***@proxy", id="the same before a blank"),
        pytest.param(r"http://user:12\",\"heim@proxy", "http://user:***@proxy", id="the same before a comma"),
        pytest.param(r"http://user:12\'\n\'@proxy", "http://user:***@proxy", id="the same in single quotes"),
        pytest.param('http://user:12\\"\nheim@proxy', "http://user:***@proxy", id="the same before a line break"),
        pytest.param(
            'http://user:12\\"\n/ge:heim@proxy',
            'http://user:***"\n/ge:***@proxy',
            id="the same, and an at sign behind it",
        ),
        pytest.param(r"http://user:12\"geheim", 'http://user:***"geheim', id="the same where the host was forgotten"),
        pytest.param(r"http://user:12\",geheim", 'http://user:***",geheim', id="the same with a comma behind it"),
        pytest.param(r"http://user:12\" geheim", 'http://user:***" geheim', id="the same with a blank behind it"),
        pytest.param(r"http://user:123456\"", 'http://user:***"', id="six digits and an escaped quote"),
        pytest.param(r"http://user:12a\"", 'http://user:***"', id="digits, a letter and an escaped quote"),
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
        pytest.param("'http://u:ge@heim', x@p", "'http://u:***@heim', x@p", id="the same in single quotes"),
        pytest.param('X"http://u:ge@heim", x@p', 'X"http://u:***@p', id="a quote behind a letter opens nothing"),
        pytest.param("u:ge,,http://v:geheim@q", "u:***@q", id="two commas in what may be a password"),
        pytest.param("http://u:ge token=heim@p", "http://u:***@p", id="a password with the name of another one"),
        pytest.param("to=http%3A%2F%2Fu%3Ageheim%40p", "to=http%3A%2F%2Fu%3A***%40p", id="a URL that is encoded"),
        pytest.param("to=u:geheim%40p", "to=u:***%40p", id="an at sign that is encoded"),
        pytest.param("u:<secret>heim@p", "u:***@p", id="a password with a tag"),
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
        pytest.param("a" * 300_000 + "@", "a" * 300_000 + "@", id="one word"),
        pytest.param("@" + "a:b " * 100_000, "@" + "a:b " * 100_000, id="colons behind the last at sign"),
        pytest.param("x://a" * 60_000 + "@", "x://ax:***@", id="schemes"),
        pytest.param("a" * 300_000 + " b@c", "a" * 300_000 + " b@c", id="one word before the at sign"),
        pytest.param("a " * 100_000 + "b@c", "a " * 100_000 + "b@c", id="words before the at sign"),
        pytest.param("a:b@\n" * 100_000, "a:***@\n" * 100_000, id="lines"),
    ],
)
def test_long_texts_do_not_keep_it_busy_for_hours(text: str, shown: str) -> None:
    assert redact(text) == shown


def _coded(text: str, times: int) -> str:
    for _ in range(times):
        text = base64.b64encode(text.encode()).decode()
    return text


@pytest.mark.parametrize("times", range(1, 6))
def test_a_password_is_hidden_however_often_it_is_encoded(times: int) -> None:
    assert redact(f"a {_coded('http://user:geheim@proxy', times)} b") == "a *** b"


@pytest.mark.parametrize(
    ("times", "is_shown"),
    [pytest.param(4, True, id="read to its end"), pytest.param(6, False, id="deeper than anybody reads")],
)
def test_what_is_encoded_and_says_nothing_secret_is_shown(times: int, is_shown: bool) -> None:
    text = _coded("nothing secret is in this", times)
    assert redact(text) == (text if is_shown else "***")


def test_what_is_packed_and_no_text_is_shown() -> None:
    packed = base64.b64encode(gzip.compress(b"\xff\xfe nothing secret", mtime=0)).decode()
    assert redact(packed) == packed


def test_what_is_packed_twice_is_not_shown() -> None:
    once = base64.b64encode(gzip.compress(b"nothing secret", mtime=0)).decode()
    twice = base64.b64encode(gzip.compress(once.encode(), mtime=0)).decode()
    assert redact(once) == once
    assert redact(twice) == "***"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("abcdefghijklm=\nabcd", "abcdefghijklm=\nabcd", id="a letter too many, and nothing secret"),
        pytest.param("aHR0cDovL3U6Z=\n2VoZWltQHByb3h5", "***\n***", id="a sign inside of a password"),
        pytest.param("aaaaaaaaaaaab==\naHR0cDovL3U6Z2VoZWltQHByb3h5", "***\n***", id="a URL behind it"),
    ],
)
def test_the_sign_that_ends_base64_may_be_at_the_end_of_any_line(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_of_lines_like_base64_those_that_say_a_secret_alone_are_hidden() -> None:
    coded = _coded("kind: Secret", 1)
    assert redact(f"abcdefghijklm\n{coded}\nabcdefghijklm") == "abcdefghijklm\n***\nabcdefghijklm"


@pytest.mark.parametrize("before", ["", "a", "pro", "kind-of-", "name/"])
def test_what_is_packed_is_read_whatever_letters_are_before_it(before: str) -> None:
    packed = base64.b64encode(gzip.compress(b"http://u:geheim@proxy", mtime=0)).decode()
    assert redact(f"{before}{packed}") == "***"


def test_what_is_much_longer_than_it_is_packed_is_not_shown() -> None:
    packed = base64.b64encode(gzip.compress(b"nothing secret " * 10_000, mtime=0)).decode()
    assert redact(f"a {packed} b") == "a *** b"


def test_what_is_known_is_hidden_in_what_base64_says_too() -> None:
    known = lambda text: text.replace("geheim", "***")  # noqa: E731
    data = {"a": ["geheim b", _coded("behind a geheim", 2)]}
    assert redact(data, known) == {"a": ["*** b", "***"]}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a\n  b\tc", "a b c", id="one line"),
        pytest.param("a \x1b[31m", "a \\x1b[31m", id="what a terminal carries out"),
        pytest.param("http://u:ge\nh\nei\nm\nx@proxy", "http://u:***@proxy", id="a password on many lines"),
        pytest.param("aHR0cDovL3U6Z2Vo\nZWltQHByb3h5", "*** ***", id="base64 on two lines"),
    ],
)
def test_a_line_that_is_shown(text: str, shown: str) -> None:
    assert shown_line(text) == shown
