"""A value behind the name of a credential is not shown, in whatever format a text sets it."""

from __future__ import annotations

import json

import pytest

from krm_fn.krm.masking import redact
from support import unified_diff

SECRET = "S3cr3tV4lue"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n{SECRET}\n-----END RSA PRIVATE KEY-----\n"

TEXTS = [
    pytest.param(f'[[runners]]\n  token = "{SECRET}"\n  url = "a"\n', SECRET, id="TOML"),
    pytest.param(f"runners.token = '{SECRET}'\nb = 1\n", SECRET, id="TOML in single quotes with a dotted key"),
    pytest.param(
        f'password = """\n{SECRET}\nb {SECRET}\n"""\nb = 1\n', f"b {SECRET}|{SECRET}", id="TOML, several lines"
    ),
    pytest.param(f'cache = {{ SecretKey = "{SECRET}", Insecure = true }}\n', SECRET, id="an inline table of TOML"),
    pytest.param(f"[db]\nuser = a\npassword = {SECRET} and more\nb = 1\n", f"{SECRET} and more", id="INI, with blanks"),
    pytest.param(f"[db]\npassword = {SECRET}\nb = 1\ntoken = {SECRET}\nc = d\n", SECRET, id="two values"),
    pytest.param(f"x\nregister token={SECRET} password={SECRET} y\n", SECRET, id="two values on a line"),
    pytest.param(
        f'password = "token={SECRET}"\nb = 1\nsecret = {SECRET}\n',
        f"token={SECRET}|{SECRET}",
        id="a value behind one that holds a name itself",
    ),
    pytest.param(f"# \u0130\u0130\u0130\ntoken = {SECRET}\n", SECRET, id="behind letters with longer small ones"),
    pytest.param(f'token = {SECRET} "b"', f'{SECRET} "b"', id="a text that ends in a quote"),
    pytest.param(f"[db]\npassword:{SECRET}\nb = 1\n", SECRET, id="INI with a colon and no blank"),
    pytest.param(f"[db]\npassword: {SECRET} and more\nb = 1\n", f"{SECRET} and more", id="INI with a colon"),
    pytest.param(f"//npm.example/:_authToken={SECRET}\n", SECRET, id=".npmrc"),
    pytest.param(f"//npm.example/:_auth={SECRET}Aa==\n", f"{SECRET}Aa==", id=".npmrc with user and password"),
    pytest.param(f"javax.net.ssl.trustStorePassword={SECRET}\na=b\n", SECRET, id="properties"),
    pytest.param(f"# spring.datasource.password={SECRET} b\na=b\n", f"{SECRET} b", id="properties in a comment"),
    pytest.param(f"export GITLAB_TOKEN={SECRET}; echo x\n", SECRET, id="an export of a shell"),
    pytest.param(f'export TOKEN="{SECRET} b" && echo x\n', f"{SECRET} b", id="an export in quotes"),
    pytest.param(f'export TOKEN="{SECRET}"b && echo x\n', f'"{SECRET}"b', id="an export with more behind its quotes"),
    pytest.param(f'export TOKEN="a""{SECRET} b" && x\n', f'"a""{SECRET} b" && x', id="an export of two texts"),
    pytest.param(
        f"set -e\nexport TOKEN='it'\\''s'{SECRET} && x\n",
        f"'it'\\''s'{SECRET} && x",
        id="an export of quotes in quotes",
    ),
    pytest.param(f"TOKEN={SECRET} ./register\n", f"{SECRET} ./register", id="a variable before a command"),
    pytest.param(f"kubeadm join --token {SECRET} host:6443\n", SECRET, id="an option"),
    pytest.param(
        f"gitlab-runner register --registration-token={SECRET} -n\n", SECRET, id="an option with an equals sign"
    ),
    pytest.param(f'curl -H "PRIVATE-TOKEN: {SECRET}" https://x\n', SECRET, id="a header of its own"),
    pytest.param(f'curl -H "Authorization: Bearer {SECRET}" https://x\n', SECRET, id="a bearer token"),
    pytest.param(f"curl -H 'authorization: Basic {SECRET}'\n", SECRET, id="basic authorization"),
    pytest.param(f"curl -u svc:{SECRET} https://x\n", SECRET, id="user and password of curl"),
    pytest.param(f"curl --user 'svc:{SECRET} b' https://x\n", f"{SECRET} b", id="user and password of curl in quotes"),
    pytest.param(f'proxy = "http://p:1"\nproxy-user = "svc:{SECRET}"\n', SECRET, id="a proxy of .curlrc"),
    pytest.param(f"fetch --proxy-user svc:{SECRET} https://x\n", SECRET, id="the user of a proxy of any command"),
    pytest.param(f"Username    svc\nPassword            {SECRET}\nProxy p:1\n", SECRET, id="cntlm, with many blanks"),
    pytest.param(f"Username svc\nPassNTLMv2      {SECRET}\nProxy p:1\n", SECRET, id="what cntlm takes for a password"),
    pytest.param(f"export PROXYPASS={SECRET}; x\n", SECRET, id="a variable whose name ends in proxypass"),
    pytest.param(f"export PROXY_PWD={SECRET}; x\n", SECRET, id="a variable whose name ends in pwd"),
    pytest.param(f"Server=a;Uid=b;Pwd={SECRET};Encrypt=yes\n", SECRET, id="a connection string of ODBC"),
    pytest.param(f"sends Bearer {SECRET}abcdefgh there\n", f"{SECRET}abcdefgh", id="a bearer token without its header"),
    pytest.param(f"https://x/?private_token={SECRET}&a=b\n", SECRET, id="a query"),
    pytest.param(f"machine a login b password {SECRET}\nmachine c\n", SECRET, id="netrc"),
    pytest.param(f"machine a\n  login b\n  password {SECRET}\nmachine c\n", SECRET, id="netrc on several lines"),
    pytest.param(f"Server=a;Password={SECRET};Encrypt=yes\n", SECRET, id="a connection string"),
    pytest.param(f"<server><password>{SECRET} b</password></server>\n", f"{SECRET} b", id="XML"),
    pytest.param(f"<a>\n<password>{SECRET} b</password>\n</a>\n", f"{SECRET} b", id="an element on a line of its own"),
    pytest.param(f'x {{{{ if .a }}}}\ntoken: "{SECRET}"\nb: c\n', SECRET, id="a template of YAML"),
    pytest.param(f'Environment="API_TOKEN={SECRET} b" "A=b"\n', f"{SECRET} b", id="a unit of systemd"),
    pytest.param(f"token: {SECRET}\n", SECRET, id="a member alone"),
    pytest.param("x glpat-0123456789abcdefABCD y\n", "glpat-0123456789abcdefABCD", id="a token of GitLab"),
    pytest.param(
        "x ghp_0123456789abcdefABCD0123456789abcdef y\n", "ghp_0123456789abcdefABCD0123456789abcdef", id="of GitHub"
    ),
    pytest.param(
        "x eyJhbGciOiJSUz.eyJpc3MiOiJrdWJl.c2lnbmF0dXJl y\n", "eyJhbGciOiJSUz.eyJpc3MiOiJrdWJl.c2lnbmF0dXJl", id="a JWT"
    ),
    pytest.param(f"a\n{PEM}b\n", f"{SECRET}", id="a private key"),
    pytest.param(f"{json.dumps({'a': PEM, 'b': PEM})}\n", f"\\n{SECRET}\\n{SECRET}\\n", id="two keys on a line"),
]


@pytest.mark.parametrize(("text", "hidden"), TEXTS)
def test_a_value_behind_the_name_of_a_credential_is_hidden(text: str, hidden: str) -> None:
    expected = text
    for part in hidden.split("|"):
        expected = expected.replace(part, "***")
    assert redact(text) == expected
    assert redact(expected) == expected


@pytest.mark.parametrize(("text", "hidden"), TEXTS)
def test_a_diff_hides_it_in_a_text_of_a_manifest(text: str, hidden: str) -> None:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    for manifest in (f"data:\n  x: |\n{lines}", f"data: {{x: {json.dumps(text)}}}\n"):
        shown = "\n".join(unified_diff("a.yaml", None, manifest.encode(), has_colours=False))
        for part in hidden.split("|"):
            assert part not in shown
        assert "***" in shown


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
    assert redact(f"a = b\n{name} = {SECRET}\nc = d\n") == f"a = b\n{name} = ***\nc = d\n"
    assert redact({name: SECRET}) == {name: "***"}


@pytest.mark.parametrize(
    "token",
    [
        *(f"gh{letter}_0123456789abcdefABCD" for letter in "pousr"),
        *(f"gl{kind}-0123456789abcdef" for kind in ("pat", "rt", "dt", "ft", "cbt", "ptt", "soat", "imt", "agent")),
        *(f"xox{letter}-0123456789" for letter in "abeprs"),
        *("github_pat_0123456789abcdefABCD", "hvs.0123456789abcdef", "npm_0123456789abcdefABCD"),
        *("dckr_pat_0123456789abcdef", "eyJhbGciOiJSUz.eyJpc3MiOiJrdWJl"),
    ],
)
def test_a_token_is_known_by_its_form(token: str) -> None:
    assert redact(f"x {token} y") == "x *** y"


@pytest.mark.parametrize(
    ("manifest", "shown"),
    [
        pytest.param("a: {token: S1, b: c}", "a: {token: ***, b: c}", id="a member in flow style"),
        pytest.param("password: 'S1'  # why", "password: '***'  # why", id="a member in quotes"),
        pytest.param("dbPassword: 12345678", "dbPassword: ***", id="a number"),
        pytest.param("- name: DB_PASSWORD\n  value: S1 b", "- name: DB_PASSWORD\n  value: ***", id="a variable"),
        pytest.param(
            '{a: "x: token: S1", b: c}', '{a: "x: token: ***", b: c}', id="a sentence in quotes in flow style"
        ),
        pytest.param("args: [--token, S1, --v, x]", "args: [--token, ***, --v, x]", id="arguments"),
        pytest.param("args:\n- --token=S1\n- x", "args:\n- --token=***\n- x", id="an argument"),
        pytest.param(
            "k: |\n  users:\n  - user:\n      token: S1\n      a: b",
            "k: |\n  users:\n  - user:\n      token: ***\n      a: b",
            id="a kubeconfig in a text",
        ),
        pytest.param("client-key-data: UzNjcjN0VjRsdWU=", "client-key-data: ***", id="a key of a kubeconfig"),
        pytest.param(
            'x: \'{"auths": {"r": {"auth": "UzNjcjN0VjRsdWU="}}}\'',
            'x: \'{"auths": {"r": {"auth": "***"}}}\'',
            id="JSON of Docker",
        ),
        pytest.param("password: >-\n  S1\n  S1", "password: >-\n  ***\n  ***", id="a text on several lines"),
    ],
)
def test_a_diff_hides_members_with_the_name_of_a_credential(manifest: str, shown: str) -> None:
    lines = unified_diff("a.yaml", None, f"{manifest}\n".encode(), has_colours=False)[3:]
    assert "\n".join(line[1:] for line in lines) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("automountServiceAccountToken: false", "token: null", "password: ''", "password:", "TOKEN=", 'token = ""'),
        *(
            "token: ${TOKEN}",
            'TOKEN="$TOKEN"',
            "token: '{{ .Values.token }}'",
            "TOKEN=$(curl -s http://169.254.169.254/x)",
        ),
        *("passwordSecretRef: {name: a}", "tokenSecret: name", "token_file = /a", "tokenTTL: 24h0m0s", "secretName: a"),
        *("secret: {secretName: a}", "existingSecret: a", "secretKeyRef: {name: a, key: password}", "key: password"),
        *("bypass: x", "auth: ldap", "auth: LDAP", "auth = client-certificate", "auth = true"),
        *("private_key = /etc/ssl/private/key.pem", 'if token == "a"'),
        *(
            "a: |\n  curl -H 'X-aws-ec2-metadata-token: $TOKEN' -X PUT",
            "Authorization: Bearer ${TOKEN}",
            "mode: Webhook",
            "PWD=/home",
        ),
        *("curl -u $USER:$PASS x", "curl -u 'svc:${PASS}' x", "docker run -u root:root x"),
        *("tokens: [a]", "compass=x"),
        *("see http://token:3128/x", "no_proxy=https://auth:8443", r'a: "b \"http://token:3128\""'),
        *("--password-stdin x", "see --token", "publicKey: ssh-rsa AAA"),
        *("apiVersion: v1\nkind: Secret", "image: token@sha256:0123", "- name: token", "path: token"),
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text) == text
    lines = unified_diff("a.yaml", None, f"{text}\n".encode(), has_colours=False)[3:]
    assert "\n".join(line[1:] for line in lines) == text


@pytest.mark.parametrize(
    "text",
    [
        "spec.values.token: ValueKept: the value stays",
        "the password of the proxy must not be in clear text: set `content: Secret`",
    ],
)
def test_a_sentence_stays(text: str) -> None:
    assert redact(text) == text
    assert redact(f"{text}\n") == f"{text}\n"


def test_data_of_a_result_hides_them_by_their_keys() -> None:
    data = {"token": SECRET, "b": [{"name": "API_KEY", "value": SECRET}, {"clientSecret": 12345678}], "c": "token"}
    data["password"] = [SECRET, 5, "${A}", [SECRET]]
    hidden = {"token": "***", "b": [{"name": "API_KEY", "value": "***"}, {"clientSecret": "***"}], "c": "token"}
    hidden["password"] = ["***", "***", "${A}", ["***"]]
    assert redact(data) == hidden
