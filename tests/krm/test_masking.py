"""No credential in any text that is shown: what is known goes first, then what base64 says and what looks like one."""

from __future__ import annotations

import base64
import gzip
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import UNITS, excess
from hidden_passwords import OTHER_NOTATIONS
from krm_fn.krm.masking import (
    CREDENTIALS,
    CREDENTIALS_OF_A_LINE,
    Credential,
    ProxyPasswords,
    hide_texts,
    redact,
    redact_lines,
    shown_line,
)

FORMS = [*CREDENTIALS, *CREDENTIALS_OF_A_LINE]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.example)
def test_the_example_of_a_form_is_hidden(form: Credential) -> None:
    assert not isinstance(form.hints, str)
    assert any(hint in form.example.lower() for hint in form.hints)
    for text in (form.example, f"a\n{form.example}\nb"):
        shown = redact(text)
        assert "S3CRET" not in shown
        assert shown.count("\n") == text.count("\n")
        assert redact(shown) == shown


@pytest.mark.parametrize("value", [None, 7, True, 1.5, [], {}, [1, {"a": None}], {"token": {"a": 1}}, {"token": None}])
def test_what_is_no_string_is_not_changed(value: Any) -> None:
    assert redact(value) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "plain", "http://proxy:3128", "mail@example.com", "a: b", "10:30", "http://proxy:3128/path", "@", ":"),
        *("ghcr.io/acme/app@sha256:0123", "image: repo:tag@sha256:0123", "git@github.com:acme/app", "user @ home"),
        *("see a: b or c@d", "localhost,127.0.0.1,.svc,10.0.0.0/8,a:80,fd00:abcd::/64", "http://[fd00::1]:3128"),
        *("NO_PROXY=localhost,a:8080,fd00::/8 b", "http://proxy:3128\nmail@example.com", "http://proxy:${PORT}"),
        *(r"http://proxy:3128\"", r"{\"a\":\"http://proxy:3128\",\"b\":1}", "a:x y @ z"),
        *("automountServiceAccountToken: false", "token: null", "password: ''", "password:", "TOKEN=", 'token = ""'),
        *("token: ${TOKEN}", 'TOKEN="$TOKEN"', "token: '{{ .Values.token }}'"),
        "TOKEN=$(curl -s http://169.254.169.254/x)",
        *("passwordSecretRef: {name: a}", "tokenSecret: name", "token_file = /a", "tokenTTL: 24h0m0s", "secretName: a"),
        *("secret: {secretName: a}", "existingSecret: a", "secretKeyRef: {name: a, key: password}", "key: password"),
        *("bypass: x", "auth: ldap", "auth = client-certificate", "private_key = /etc/ssl/private/key.pem"),
        *('if token == "a"', "Authorization: Bearer ${TOKEN}", "mode: Webhook", "PWD=/home", "tokens: [a]"),
        "compass=x",
        *("curl -u $USER:$PASS x", "curl -u 'svc:${PASS}' x", "docker run -u root:root x", "--password-stdin x"),
        *("see http://token:3128/x", "no_proxy=https://auth:8443", "see --token", "publicKey: ssh-rsa AAA"),
        *("apiVersion: v1\nkind: Secret", "image: token@sha256:0123", "- name: token", "path: token"),
        "spec.values.token: ValueKept: the value stays",
        "the password of the proxy must not be in clear text: set `content: Secret`",
        "caBundle: TUlJQ1hEQ0NBZWdBd0lCQWdJUUJBblpVTTZ4\nkind: KubeadmControlPlaneTemplate",
        *(
            "NO_PROXY=a,${PODS:=10.0.0.0/8},${S:-172.26.0.0/16}",
            "noProxy: ${V6:=fd00::/108},b",
            "NO_PROXY=${P:-6443},b",
        ),
        *("NO_PROXY=${SERVICES:=10.0.0.1}", "NO_PROXY='host:${PORT:=6443}'", "<password></password>", "<password/>"),
        *("<password>${env.PASS}</password>", "a password for the proxy", "# Password for the proxy", "password"),
        *('<input name="password"/>', 'up{name="token"} > 5'),
        *("the login name and password of svc", "see \\u0022a\\u0022 &amp; b", "Password = ${PASS}", "s/\\x41/%20/"),
        *("login svc password $PASS", "BasicAuth svc ${PASS}", "s/\\(a\\)/\\100/", "http://proxy:\n# a"),
    ],
)
def test_what_holds_no_credential_is_not_changed(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("http://user:geheim@proxy:3128", "http://user:***@proxy:3128", id="a URL"),
        pytest.param("cntlm://u:geheim@p", "cntlm://u:***@p", id="a scheme nobody knows"),
        pytest.param("http://us:12,geheim://@proxy", "http://us:***@proxy", id="what looks like a scheme at its end"),
        pytest.param("http://geheim@proxy", "http://***@proxy", id="a token in place of user and password"),
        pytest.param("http://:geheim@proxy", "http://:***@proxy", id="no user"),
        pytest.param("http://user:@proxy", "http://***@proxy", id="no password: the user is a token"),
        pytest.param("http://abcdefghijklmnopqrst:y@proxy", "http://***@proxy", id="a user of twenty letters"),
        pytest.param("http://abcdefghijklmnopqrs:y@proxy", "http://abcdefghijklmnopqrs:***@proxy", id="of nineteen"),
        pytest.param("http://svc:geheim", "http://svc:***", id="the host was forgotten"),
        pytest.param("http://svc:12345678", "http://svc:***", id="the host was forgotten, and it is a number"),
        pytest.param("http://u:<@ x>@h", "http://u:***@h", id="a password with an at sign and a blank"),
        pytest.param('http://user:ge"heim@proxy', "http://user:***@proxy", id="a password with a quote"),
        pytest.param(r"http://user:12\" heim@proxy", "http://user:***@proxy", id="digits, an escaped quote, a blank"),
        pytest.param(r"http://user:12\",\"heim@proxy", "http://user:***@proxy", id="the same before a comma"),
        pytest.param('http://u:ge "http://heim@p', "http://u:***@p", id="a password with what begins a URL in quotes"),
        pytest.param("http://u:ge token=heim@p", "http://u:***@p", id="a password with the name of another one"),
        pytest.param("http://dom\\user:geheim@proxy", "http://dom\\user:***@proxy", id="a user of a domain"),
        pytest.param("user:geheim@proxy:3128", "user:***@proxy:3128", id="no scheme"),
        pytest.param("user:ge heim@proxy:3128", "user:***@proxy:3128", id="no scheme, a password with a blank"),
        pytest.param('Environment="A=u:ge heim@p"', 'Environment="A=u:***@p"', id="the same in a line of a file"),
        pytest.param("a\nhttp://u:geheim@p\nb", "a\nhttp://u:***@p\nb", id="on a line of a file"),
        pytest.param("http://u:geheim@p,http://v:geheim@q", "http://u:***@q", id="two on a line: up to the last"),
        pytest.param(
            'is "http://u:geheim@p", not "http://v:geheim@q"',
            'is "http://u:***@p", not "http://v:***@q"',
            id="two in quotes",
        ),
        pytest.param("http://p:3128 http://v:geheim@q", "http://p:3128 http://v:***@q", id="behind a URL with a port"),
        pytest.param('"http://u:ge@heim", x@p', '"http://u:***@heim", x@p', id="an address behind a URL in quotes"),
        pytest.param("to=u:geheim%40p", "to=u:***%40p", id="an at sign that is encoded"),
        pytest.param("http://u:ge\n  heim@p", "http://u:***\n  ***@p", id="a password on two lines"),
    ],
)
def test_a_password_is_shown_as_stars(text: str, shown: str) -> None:
    assert redact(text) == shown
    assert redact(shown) == shown
    assert redact({"a": [text, ({"b": text},)]}) == {"a": [shown, [{"b": shown}]]}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param('token = "S1"\nurl = "a"', "token = ***\nurl = ***", id="TOML"),
        pytest.param("cache = { SecretKey = 'S1', a = true }", "cache = { SecretKey = ***", id="an inline table"),
        pytest.param("[db]\npassword = S1 and more\nb = 1", "[db]\npassword = ***\nb = 1", id="INI"),
        pytest.param("[db]\npassword: S1 and more\nb = 1", "[db]\npassword: ***\nb = 1", id="INI with a colon"),
        pytest.param("//npm.example/:_authToken=S1", "//npm.example/:_authToken=***", id=".npmrc"),
        pytest.param("# a.trustStorePassword=S1 b", "# a.trustStorePassword=***", id="properties in a comment"),
        pytest.param("export GITLAB_TOKEN='S1'; echo x", "export GITLAB_TOKEN=***", id="an export of a shell"),
        pytest.param("register --registration-token=S1 -n", "register --registration-token=***", id="an option"),
        pytest.param('curl -H "PRIVATE-TOKEN: S1" x', 'curl -H "PRIVATE-TOKEN: ***', id="a header"),
        pytest.param("curl -H 'authorization: Basic S1'", "curl -H 'authorization: ***", id="basic authorization"),
        pytest.param("export PROXYPASS=S1", "export PROXYPASS=***", id="a variable whose name ends in proxypass"),
        pytest.param("Server=a;Uid=b;Pwd=S1;Encrypt=yes", "Server=a;Uid=b;Pwd=***", id="a connection string of ODBC"),
        pytest.param("https://x/?private_token=S1&a=b", "https://x/?private_token=***", id="a query"),
        pytest.param('Environment="API_TOKEN=S1 b" "A=b"', 'Environment="API_TOKEN=***', id="a unit of systemd"),
        pytest.param('"{\\"token\\": \\"S1\\"}"', '"{\\"token\\": ***', id="JSON in a text in quotes"),
        pytest.param("# \u0130\u0130\u0130\ntoken = S1", "# \u0130\u0130\u0130\ntoken = ***", id="behind letters"),
    ],
)
def test_from_a_value_with_the_name_of_a_credential_on_a_line_is_hidden(text: str, shown: str) -> None:
    shown = shown.replace("url = ***", 'url = "a"')
    assert redact(text) == shown
    assert redact(shown) == shown


@pytest.mark.parametrize("text", [pytest.param(text, id=case) for case, text in OTHER_NOTATIONS.items()])
def test_a_password_is_hidden_in_whatever_notation(text: str) -> None:
    shown = redact(text)
    assert "S1" not in shown
    assert "***" in shown
    assert shown.count("\n") == text.count("\n")
    assert redact(shown) == shown


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.example)
def test_a_form_takes_linear_time(form: Credential) -> None:
    opening = form.example.partition("S3CRET")[0]
    for beginning, unit in product((opening, opening.rstrip()), (*UNITS, opening, opening.rstrip())):

        def make(size: int, beginning: str = beginning, unit: str = unit) -> str:
            return beginning + unit * (size // len(unit)) + "\0"

        problem = excess(redact, make, 6_000, in_steps=False)
        assert not problem, (beginning, unit, problem)


@pytest.mark.parametrize(
    "name",
    [
        *("token", "apiToken", "token_2", "tokenBase64", "password", "password_b64", "db.passwd", "passphrase", "PASS"),
        *("db_pass", "db-pwd", "secret", "client_secret", "appSecret", "application-secret", "shared.secret"),
        *("webhookSecret", "signing_secret", "consumerSecret", "oauthSecret", "oauth2_secret", "api_secret"),
        *("joinSecret", "apiKey", "access_key", "secret-key", "private_key", "accountKey", "encryption_key"),
        *("certificate-key", "client-key-data"),
    ],
)
def test_a_name_says_that_its_value_is_a_credential(name: str) -> None:
    assert redact(f"a = b\n{name} = S1\nc = d\n") == f"a = b\n{name} = ***\nc = d\n"
    assert redact({name: "S1"}) == {name: "***"}


@pytest.mark.parametrize(
    "token",
    [
        *(f"gh{letter}_0123456789abcdefABCD" for letter in "pousr"),
        *(f"gl{kind}-0123456789abcdef" for kind in ("pat", "rt", "agent")),
        *(f"xox{letter}-0123456789" for letter in "abeprs"),
        *("github_pat_0123456789abcdefABCD", "hvs.0123456789abcdef", "npm_0123456789abcdefABCD"),
        *("dckr_pat_0123456789abcdef", "eyJhbGciOiJSUz.eyJpc3MiOiJrdWJl"),
        "eyJhbGciOiJSUz.eyJpc3MiOiJrdWJl.c2lnbmF0dXJl",
    ],
)
def test_a_token_is_known_by_its_form(token: str) -> None:
    assert redact(f"x {token} y") == "x *** y"


def test_data_of_a_result_hides_them_by_their_keys() -> None:
    data = {"token": "S1", "b": [{"name": "API_KEY", "value": "S1"}, {"clientSecret": 12345678}], "c": "token"}
    data["password"] = ["S1", 5, "${A}", ["S1"]]
    data["noProxy"] = ["a:80", "svc:S1"]
    hidden = {"token": "***", "b": [{"name": "API_KEY", "value": "***"}, {"clientSecret": "***"}], "c": "token"}
    hidden["password"] = ["***", "***", "${A}", ["***"]]
    hidden["noProxy"] = ["a:80", "***"]
    assert redact(data) == hidden


_PASSWORDS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1)


@given(st.sampled_from(["http", "https", "socks5", "x+y"]), _PASSWORDS, st.sampled_from(["", "A=", "- export B="]))
def test_no_password_of_a_url_is_ever_shown(scheme: str, password: str, before: str) -> None:
    secret = f"<{password}>"  # what can be looked for in what is shown
    assert redact(f"{before}{scheme}://user:{secret}@proxy:3128") == f"{before}{scheme}://user:***@proxy:3128"
    assert secret not in shown_line(f"{before}{scheme}://user:{secret}@proxy:3128")


@given(st.text(st.characters(exclude_characters="\"',", exclude_categories=["Cs", "Z", "Cc"]), min_size=1))
def test_no_password_without_a_scheme_is_ever_shown(password: str) -> None:
    secret = f"<{password}>"
    assert redact(f"see user:{secret}@proxy:3128") == "see user:***@proxy:3128"


@given(st.text(st.sampled_from("ab:@/ \n=\"'.")))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 30_000 + "@", id="one word"),
        pytest.param("@" + "a:b " * 10_000, id="colons behind the last at sign"),
        pytest.param("x://a" * 10_000 + "@", id="schemes"),
        pytest.param("a " * 20_000 + "b@c", id="words before the at sign"),
        pytest.param("a:b@\n" * 5_000, id="lines"),
        pytest.param("curl -" * 5_000, id="options"),
        pytest.param("no_proxy=a:" * 5_000, id="lists"),
        pytest.param("'" * 100_000, id="quotes"),
    ],
)
def test_long_texts_do_not_keep_it_busy_for_hours(text: str) -> None:
    assert redact(redact(text)) == redact(text)


def _coded(text: str | bytes, times: int = 1) -> str:
    raw = text.encode() if isinstance(text, str) else text
    for _ in range(times):
        raw = base64.b64encode(raw)
    return raw.decode()


def _packed(text: str | bytes) -> str:
    return _coded(gzip.compress(text.encode() if isinstance(text, str) else text, mtime=0))


URL = "http://u:geheim@proxy"


@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(_coded(URL, times), id=f"encoded {times} times") for times in range(1, 6)),
        *(
            pytest.param(f"{before}{_packed(URL)}", id=f"gzip behind {before}")
            for before in ("", "a", "kind-of-", "n/")
        ),
        *(
            pytest.param(f"{before}{_coded(URL)}", id=f"behind {before}")
            for before in ("a", "ab", "base64/", "kind-of-")
        ),
        pytest.param(_packed(_packed("nothing secret")), id="packed twice: nobody reads it"),
        pytest.param(_packed("nothing secret " * 100_000), id="longer than is read"),
        pytest.param(_packed("nothing secret")[:-8], id="damaged"),
        pytest.param(_coded("svc:geheim12345"), id="user and password"),
        pytest.param(_coded(f"password: {'x' * 20}"), id="a value with the name of a credential"),
        pytest.param("aHR0cDovL3U6Z=\n2VoZWltQHByb3h5", id="a sign of its end inside"),
        pytest.param("aaaaaaaaaaaab==\naHR0cDovL3U6Z2VoZWltQHByb3h5", id="behind another text"),
    ],
)
def test_what_says_a_credential_in_base64_is_hidden(text: str) -> None:
    assert set(redact(text).split()) == {"***"}
    assert redact(f"a {text} b").startswith("a ***")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_coded("nothing secret is in this", 6), id="text"),
        pytest.param(_packed("nothing secret"), id="packed text"),
        pytest.param(_packed(b"\xff\xfe nothing secret"), id="packed bytes"),
        pytest.param("abcdefghijklm=\nabcd", id="a letter too many"),
    ],
)
def test_what_is_encoded_and_says_nothing_secret_is_shown(text: str) -> None:
    assert redact(text) == text


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
        pytest.param("svc:pa 'geheim@proxy", "svc:***@proxy", id="a password with a blank and a quote"),
    ],
)
def test_a_line_that_is_shown(text: str, shown: str) -> None:
    assert shown_line(text) == shown


SHORT = "http://svc:p%40ss@proxy.corp.example:3128"
LONG = "http://svc:it%27s%24a%25%22L0ng%22@proxy.corp.example:3128"
SIGNS = "http://svc:pw%3Fp%3E%3E@h:1"


@pytest.mark.parametrize(
    ("urls", "line", "shown"),
    [
        pytest.param(SHORT, "x password=p@ss y", "x password=*** y", id="alone"),
        pytest.param(SHORT, "export PW='p%40ss'", "export PW='***'", id="as the URL has it"),
        pytest.param("http://svc:p/sst@h:1", "x p%2Fsst", "x ***", id="percent-encoded where the URL is not"),
        pytest.param("http://svc:p://ss@h:1", "x p://ss", "x ***", id="with what begins a URL"),
        pytest.param(SHORT, "  - sed s/x/p%%40ss/", "  ***", id="with doubled percent signs"),
        pytest.param(SHORT, "x p%2540ss", "***", id="percent-encoded twice"),
        pytest.param("http://svc:p%2Fss@h:1", "x p%2fss", "***", id="percent-encoded in small letters"),
        pytest.param("http://svc:p%26ss@h:1", "<a>p&amp;ss</a>", "***", id="in HTML"),
        pytest.param(SHORT, '"p\\x40ss" "p\\u0040ss"', "***", id="in JSON"),
        pytest.param(LONG, 'xit\'s$$a%%"L0ng"', "***", id="for systemd and Kubernetes"),
        pytest.param(LONG, "x 'it'\\''s$a%\"L0ng\"'", "***", id="in single quotes of a shell"),
        pytest.param(LONG, "x 'it'\"'\"'s$a%\"L0ng\"'", "***", id="in both quotes of a shell"),
        pytest.param(LONG, 'x "it\'s\\$a%\\"L0ng\\""', "***", id="in double quotes of a shell"),
        pytest.param(LONG, 'x it\\\'s\\$a%\\"L0ng\\"', "***", id="in a shell without quotes"),
        pytest.param(LONG, "x 'it''s$a%\"L0ng\"'", "***", id="in quotes of YAML"),
        pytest.param(SHORT, "Basic c3ZjOnBAc3M=", "Basic ***", id="base64 with its user"),
        pytest.param(SHORT, "x c3ZjOnAlNDBzcw", "x ***", id="base64 of what the URL has, without its end"),
        pytest.param(SHORT, "x cEBzcw", "x ***", id="base64 of it alone"),
        pytest.param(SIGNS, "x cHc_cD4-", "x ***", id="base64 of it alone in the alphabet of URLs"),
        pytest.param(SHORT, f"x {_coded('set p@ss it')}", "x ***", id="base64 of more than it"),
        pytest.param(SHORT, "xp@ss p@ssx", "xp@ss p@ssx", id="a short one is no part of a word"),
        pytest.param(LONG, 'xit\'s$a%"L0ng"x', "x***x", id="a long one is"),
        pytest.param(
            "http://svc:proxy@h:1",
            "cp http-proxy.conf proxy.corp.example/kube-proxy",
            "cp http-proxy.conf proxy.corp.example/kube-proxy",
            id="a name that holds a short one",
        ),
        pytest.param("http://svc:a%40b@h:1", "a@b c", "a@b c", id="one of three characters is none"),
        pytest.param("${P:=http://svc:p%40ss@h:1}", "p@ss", "***", id="of the default of a placeholder"),
        pytest.param("http://svc:longpass@h:1 http://svc:longpass1@h:1", "longpass1", "***", id="one begins another"),
        pytest.param("http://h:1 http://svc:p%40ss@h:1", "p@ss", "***", id="of the second URL"),
        pytest.param("http://proxy.corp.example:3128", "http", "http", id="a URL has none"),
    ],
)
def test_a_password_of_the_run_is_hidden_in_whatever_way_it_is_escaped(urls: str, line: str, shown: str) -> None:
    passwords = ProxyPasswords(urls.split())
    assert passwords.hidden(f"a\n{line}\nb") == f"a\n{shown}\nb"


# what is in the place of the URL of a proxy

PROXY = "http://svc:S3CRET@proxy.corp.example:3128"
MASKED = "http://svc:***@proxy.corp.example:3128"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("http://proxy:3128", "http://proxy:3128", id="a URL"),
        pytest.param("http://[fd00::1]:3128/", "http://[fd00::1]:3128/", id="an IPv6 address"),
        pytest.param(PROXY, MASKED, id="a URL with a password"),
        pytest.param("${HTTP_PROXY}", "${HTTP_PROXY}", id="a variable"),
        pytest.param("{{ .Values.proxy }}", "{{ .Values.proxy }}", id="a template"),
        pytest.param("S3CRET", "***", id="a password alone"),
        pytest.param("http://proxy:3128/S3CRET", "***", id="a path"),
        pytest.param("http://a b S3CRET", "***", id="blanks"),
        pytest.param("svc:S3CRET@proxy", "***", id="no scheme"),
        pytest.param("proxy.corp.example:8888", "proxy.corp.example:8888", id="host and port alone"),
    ],
)
def test_a_url_is_shown(text: str, expected: str) -> None:
    assert redact({"httpProxy": text}) == {"httpProxy": expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("export HTTP_PROXY='http://p:1' A=b", "export HTTP_PROXY='http://p:1' A=b", id="a URL in quotes"),
        pytest.param('"A=b" "https_proxy=http://p:1"', '"A=b" "https_proxy=http://p:1"', id="a URL in a unit"),
        pytest.param("httpProxy: S3CRET a\nb", "httpProxy: ***\nb", id="up to the end of the line"),
        pytest.param("HTTP_PROXY=\nb", "HTTP_PROXY=\nb", id="empty"),
        pytest.param("HTTP_PROXY=$PROXY", "HTTP_PROXY=$PROXY", id="a variable"),
        pytest.param('{"httpProxy": "S3CRET", "b": "c"}', '{"httpProxy": "***', id="JSON"),
        pytest.param("https_proxy = http://p:1S3CRET", "https_proxy = ***", id="more behind the port"),
        pytest.param("https_proxy = svc:1234 S3CRET@p:1", "https_proxy = ***", id="a password that begins as a port"),
        pytest.param("NO_PROXY=a", "NO_PROXY=a", id="another variable"),
        pytest.param("${HTTPS_PROXY:=http://p:1}", "${HTTPS_PROXY:=http://p:1}", id="the default of a placeholder"),
        pytest.param("${HTTPS_PROXY:-S3CRET}", "${HTTPS_PROXY:-***", id="a default that is no URL"),
        pytest.param("a: HTTP_PROXY=S3CRET=b", "a: HTTP_PROXY=***", id="a password with an equals sign"),
    ],
)
def test_what_is_assigned_to_a_proxy_in_a_text_is_a_url_or_hidden(text: str, expected: str) -> None:
    assert redact_lines(text) == expected
    assert redact({"content": text}) == {"content": expected}


@pytest.mark.parametrize("name", ["HTTP_PROXY", "https_proxy", "httpProxy", "TKG_HTTP_PROXY", "httpsProxyURL"])
def test_a_name_says_that_a_field_is_for_a_url(name: str) -> None:
    assert redact({name: "S3CRET", f"{name}_ENABLED": "S3CRET"}) == {name: "***", f"{name}_ENABLED": "S3CRET"}


def test_texts_are_hidden_where_they_are_no_part_of_a_word() -> None:
    assert hide_texts("a S3CRET, xS3CRETx", {"S3CRET", "S3"}) == "a ***, xS3CRETx"
