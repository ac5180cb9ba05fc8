"""No output of any command shows a password, in any form that a reader can turn back: every shape in every output.

Each shape holds two secrets in another way: what is there before a run, and what the run writes.
"""

from __future__ import annotations

import base64
import gc
import gzip
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from krm_fn.cli import main
from krm_fn.krm.masking import ProxyPasswords
from revealed import NEW, OLD, reveals
from support import unified_diff

URL = f"http://svc:{OLD}@old.corp.example:3128"
DROP_IN = f'[Service]\nEnvironment="HTTP_PROXY={URL}"\n'
SECRET = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n  token: {OLD}\n"
CONFIG = f"""\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {{name: p}}
spec:
  httpProxy: http://svc:{NEW}@proxy.corp.example:3128
  httpsProxy: http://svc:{NEW}@proxy.corp.example:3128
  noProxy: [10.0.0.0/8, .corp.example]
"""
CLUSTER = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: w, namespace: a}\n"
CHANGED = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: w-md, namespace: a}
spec: {template: {spec: {}}}
"""


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def wrapped(text: str, width: int = 76) -> str:
    return re.sub(f".{{{width}}}", r"\g<0>\n", coded(text))


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def node_file(
    content: str, encoding: str = "", path: str = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
) -> str:
    """A template whose drop-in of containerd has this content, which is YAML behind `content:`."""
    return (
        "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\n"
        "metadata: {name: workers, namespace: a}\nspec:\n  template:\n    spec:\n      files:\n"
        f"      - path: {path}\n"
        + (f"        encoding: {encoding}\n" if encoding else "")
        + f"        content: {content}\n"
    )


def block(text: str, by: int = 10) -> str:
    return "|\n" + indented(text, by).rstrip("\n")


def config_map(text: str) -> str:
    return (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: a}}\ndata:\n  x.yaml: |\n{indented(text, 4)}"
    )


def secret(name: str, key: str, text: str, *, is_coded: bool = False) -> str:
    head = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}, namespace: a}}\n"
    return (
        f"{head}data: {{{key}: {coded(text)}}}\n" if is_coded else f"{head}stringData:\n  {key}: {json.dumps(text)}\n"
    )


def annotated(value: str) -> str:
    return (
        "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\nmetadata:\n  name: workers\n"
        f"  namespace: a\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: {value}\n"
        "spec: {template: {spec: {}}}\n"
    )


def applied(content: str) -> str:
    data = {"kind": "KubeadmConfigTemplate", "spec": {"files": [{"content": content, "encoding": "base64"}]}}
    return json.dumps(data)


SECRET_JSON = json.dumps({"kind": "Secret", "stringData": {"token": OLD}})
TKG = f"TKG_HTTP_PROXY_ENABLED: true\nTKG_HTTP_PROXY: {URL}\nTKG_HTTPS_PROXY: {URL}\n"
POLICY = (
    "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec: {rules: [{name: r, match: {any: "
    "[{resources: {kinds: [Pod]}}]}, mutate: {patchStrategicMerge: {spec: {containers: [{(name): '*', env: [\n"
    "  {name: HTTP_PROXY, value: 'VALUE'}, {name: NO_PROXY, value: a}]}]}}}}]}\n"
)
CLOUD_INIT = f"#cloud-config\nwrite_files:\n- path: /etc/x\n  encoding: b64\n  content: {coded(DROP_IN)}\n"

SHAPES = {
    "a URL": node_file(block(DROP_IN)),
    "a URL in JSON escapes": node_file(json.dumps(DROP_IN).replace("svc:", "svc\\u003a").replace("@", "\\x40")),
    "a URL whose password has an escaped quote": node_file(json.dumps(DROP_IN.replace("svc:", 'svc:12\\"'))),
    "a URL whose password ends like a text of JSON": node_file(json.dumps(DROP_IN.replace("svc:", 'svc:12\\", '))),
    "a URL in percent signs": node_file(f'"{quote(URL, safe="")}"', path="/etc/other"),
    "base64": node_file(coded(DROP_IN), "base64"),
    "base64 in quotes": node_file(f'"{coded(DROP_IN)}"', "base64"),
    "base64 with escapes in quotes": node_file(f'"\\x{ord(coded(DROP_IN)[0]):x}{coded(DROP_IN)[1:]}"', "base64"),
    "base64 on several lines": node_file(block(wrapped(DROP_IN)), "base64"),
    "base64 on several lines in quotes": node_file(f'"{indented(wrapped(DROP_IN), 10).strip()}"', "base64"),
    "base64 of a file of somebody else": node_file(coded(f"a\nb {URL}"), "base64", "/etc/other"),
    "base64 of user and password": node_file(f'\'{{"auth": "{coded(f"svc:{OLD}")}"}}\'', path="/etc/docker.json"),
    "base64 of a Secret": node_file(coded(SECRET), "base64", "/etc/kubernetes/manifests/s.yaml"),
    "base64 of base64": node_file(coded(f"x: {coded(DROP_IN)}\n"), "base64", "/etc/other"),
    "base64 behind other letters": node_file(f"data:text/plain;base64/{coded(DROP_IN)}", path="/etc/other"),
    "base64 in the alphabet of URLs": node_file(
        base64.urlsafe_b64encode(f"??>>~~ {URL}".encode()).decode(), path="/etc/other"
    ),
    "base64 in a command": node_file("x", path="/etc/other").replace(
        "      files:",
        f"      preKubeadmCommands:\n      - echo {coded(DROP_IN)} | base64 -d >/etc/environment\n      files:",
    ),
    "gzip+base64": node_file(packed(DROP_IN), "gzip+base64"),
    "gzip+base64 on several lines": node_file(block(re.sub(".{60}", "\\g<0>\n", packed(DROP_IN))), "gzip+base64"),
    "gzip+base64 of a Secret": node_file(packed(SECRET), "gzip+base64", "/etc/kubernetes/manifests/s.yaml"),
    "a Secret": SECRET,
    "a Secret in flow style": json.dumps({"kind": "Secret", "metadata": {"name": "s"}, "data": {"t": coded(OLD)}})
    + "\n",
    "a Secret with its data twice": f"kind: Secret\ndata: {{a: {OLD}}}\ndata: {{b: c}}\n",
    "base64 of gzip of base64 of gzip": node_file(packed(packed(DROP_IN)), path="/etc/other"),
    "a Secret with a comment behind its data": f"{SECRET}  # token: {OLD}\n",
    "a Secret with an escaped kind": SECRET.replace("kind: Secret", 'kind: "S\\x65cret"'),
    "a Secret with escaped keys": SECRET.replace("kind:", '"k\\x69nd":').replace("stringData:", '"string\\x44ata":'),
    "a Secret with a tag": SECRET.replace("kind: Secret", "kind: !!str Secret"),
    "a Secret whose kind is an alias": f"x: &k Secret\n{SECRET.replace('kind: Secret', 'kind: *k')}",
    "a Secret whose value is an alias": f"x: &t {OLD}\n{SECRET.replace(OLD, '*t')}",
    "a Secret whose data is an alias": f"x: &d {{token: {OLD}}}\nkind: Secret\nmetadata: {{name: s}}\ndata: *d\n",
    "a Secret that is merged": f"x: &d\n  stringData: {{token: {OLD}}}\n  kind: Secret\n<<: *d\n",
    "a Secret whose data is merged": f"x: &d {{token: {OLD}}}\nkind: Secret\nmetadata: {{name: s}}\ndata:\n  <<: *d\n",
    "a Secret without a kind, as in an overlay": f"#@overlay/match by=x\n---\nstringData:\n  token: {OLD}\n",
    "a Secret with a value that looks like keys": f"kind: Secret\nstringData:\n  a: |\n    {OLD}:\n      {OLD}: b\n",
    "what is no YAML, with what looks like a key": f"a: [\n  {OLD}:\n",
    "a Secret in a list": f"apiVersion: v1\nkind: List\nitems:\n- {indented(SECRET, 2).strip()}\n",
    "a list of Secrets": f"apiVersion: v1\nkind: SecretList\nitems:\n- metadata: {{name: s}}\n  data: {{a: {OLD}}}\n",
    "a Secret in a text": config_map(SECRET),
    "a Secret in JSON in a text": config_map(SECRET_JSON),
    "a Secret in a text of a text": config_map(config_map(SECRET)),
    "a Secret in a folded text": config_map(SECRET).replace("|", ">", 1).replace("\n    ", "\n\n    "),
    "a Secret in a script": config_map(f"cat <<EOF | kubectl apply -f -\n{SECRET}EOF\n"),
    "a Secret in last-applied": annotated(block(SECRET_JSON, 6)),
    "a Secret in last-applied, in quotes": annotated(f"'{SECRET_JSON}'"),
    "a Secret in last-applied, with escapes": annotated(json.dumps(SECRET_JSON)),
    "a Secret in last-applied on several lines": annotated(json.dumps(SECRET_JSON).replace(" ", "\n      ")),
    "base64 in last-applied": annotated(block(applied(coded(DROP_IN)), 6)),
    "base64 in last-applied, with escapes": annotated(json.dumps(applied(coded(DROP_IN)))),
    "a Secret of TKG": CLUSTER
    + "---\n"
    + secret("w-config-values", "value", TKG).replace(
        "kind: Secret", "kind: Secret\ntype: addons.cluster.x-k8s.io/resource-set"
    ),
    "a Secret of TKG in base64": CLUSTER
    + "---\n"
    + secret("w-config-values", "value", TKG, is_coded=True).replace(
        "kind: Secret", "kind: Secret\ntype: addons.cluster.x-k8s.io/resource-set"
    ),
    "values of Giant Swarm": CLUSTER
    + "---\n"
    + secret("w-cluster-values", "values", f"cluster:\n  proxy:\n    http: {URL}\n    https: {URL}\n"),
    "a drop-in of Giant Swarm": secret("w-systemd-proxy", "containerdProxy", DROP_IN),
    "a policy of Kyverno": POLICY.replace("VALUE", URL),
    "a policy of Kyverno with a Secret": POLICY.replace("VALUE", "a").replace(
        "rules: [", f"rules: [{{name: g, generate: {{kind: Secret, data: {{stringData: {{token: {OLD}}}}}}}}}, "
    ),
    "user data of cloud-init": config_map(CLOUD_INIT),
    "user data of cloud-init in base64": node_file(coded(CLOUD_INIT), "base64", "/var/lib/cloud/seed/user-data"),
    "a password in the place of a URL": node_file(block(f'[Service]\nEnvironment="HTTP_PROXY=!{OLD}"\n')),
    "a password in the place of a URL in an environment": CHANGED
    + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, env: [\n"
    f"  {{name: HTTPS_PROXY, value: '!{OLD}'}}]}}]}}\n",
    "a token in TOML of a chart": (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gitlab-runner, namespace: a}\n"
        "spec:\n  chart: {spec: {chart: gitlab-runner, sourceRef: {kind: HelmRepository, name: gitlab}}}\n  values:\n"
        f'    runners:\n      config: |\n        [[runners]]\n          token = "{OLD}"\n'
        f"    runnerToken: {OLD}\n"
    ),
    "a token in a script": node_file(block(f"#!/bin/sh\nexport TOKEN={OLD}\ncurl -H 'X-Token: {OLD}' x\n"), path="/x"),
    "a token of a variable in an environment": CHANGED
    + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, env: [\n"
    f"  {{name: API_TOKEN, value: '!{OLD}'}}]}}]}}\n",
    "a comment with a URL": f"# {URL}\n{CHANGED}",
    "a comment with base64": f"# content: {coded(DROP_IN)}\n{CHANGED}",
    "what is no YAML": f"a: [\n  kind: Secret, stringData: {OLD}\n",
    "a template": config_map(f"{{{{ if x }}}}\n{SECRET}{{{{ end }}}}\n"),
}


@pytest.mark.parametrize("shape", [pytest.param(text, id=name) for name, text in SHAPES.items()])
def test_the_judge_finds_the_secret_in_what_is_not_masked(shape: str) -> None:
    assert reveals(shape)


@pytest.mark.parametrize("shape", [pytest.param(text, id=name) for name, text in SHAPES.items()])
def test_no_line_of_a_diff_shows_a_secret(shape: str) -> None:
    lines = unified_diff("a.yaml", None, shape.encode(), has_colours=False)
    assert len(lines) == 3 + len(shape.splitlines())
    assert reveals("\n".join(lines)) == ""
    assert "***" in "\n".join(lines)


UNREADABLE = {"what is no YAML", "what is no YAML, with what looks like a key"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a file for each shape, each beside a document that a run changes."""
    folder = tmp_path / "all"
    folder.mkdir()
    for number, (name, text) in enumerate(SHAPES.items()):
        if name not in UNREADABLE:
            beside = CHANGED.replace("w-md", f"w-{number}")
            (folder / f"{number}.yaml").write_text(f"{text}---\n{beside}")
    (folder / "proxy.yaml").write_text(CONFIG)
    (tmp_path / "older.yaml").write_text(CONFIG.replace(NEW, OLD))
    return folder


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Iterator[Callable[..., str]]:
    """What a command writes to both streams, run in this process."""

    def of(*words: str, stdin: str = "") -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        assert main(words) in (0, 1), words
        out, err = capsysbinary.readouterr()
        return f"{out.decode()}\n{err.decode()}"

    yield of
    gc.enable()


FORMS = ("text", "json", "sarif", "github", "junit")
COMMANDS = [
    ["run", "--diff", "."],
    ["run", "-v", "--diff", "--grouped", "."],
    *(["run", "--check", "-v", "--output", form, "."] for form in FORMS),
    *(["lint", "--output", form, "."] for form in ("text", "json")),
    *(["explain", "-v", "--output", form, "."] for form in ("text", "json", "html")),
    ["explain", "--output", "svg", "."],
    *(["explain", "--diff", "../older.yaml", "--output", form, "."] for form in ("text", "html")),
    ["run", "-v", "."],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_output_of_a_command_shows_a_secret(
    words: list[str], tree: Path, said: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    shown = said(*words)
    assert "KubeadmConfigTemplate" in shown or words[-2:] == ["svg", "."] or "would change" in shown
    assert reveals(shown) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(
            "a: |\n  # why\n  - content: {0}\n    b: c # d\n",
            "a: |\n  # why\n  - content: ***\n    b: c # d\n",
            id="of a text, the value in it",
        ),
        pytest.param(
            "a: [echo {0} | base64 -d, b]\n", "a: [echo *** | base64 -d, b]\n", id="of a command, the word in it"
        ),
        pytest.param("a: &x '{0}' # b\nc: *x\n", "a: &x '***' # b\nc: *x\n", id="the anchor stays"),
        pytest.param('{{"a": "{0}", "b": 1}}\n', '{{"a": "***", "b": 1}}\n', id="of JSON, the value"),
        pytest.param(
            "a: >\n  {0}\n\n  b\nc: d\n", "a: >\n  ***\n\n  ***\nc: d\n", id="nothing of a text whose lines are folded"
        ),
        pytest.param(
            'a: "é: 1\\ny: \\x68ttp://u:S1@h"\n', 'a: "é: 1\\ny: http://u:***@h"\n', id="escapes are written again"
        ),
        pytest.param(
            r'a: [b, "A=http://u:S1@h\nB=http://u:S1@h\nc"]' + "\n",
            r'a: [b, "A=http://u:***@h\nB=http://u:***@h\nc"]' + "\n",
            id="of a text in double quotes, each line by itself",
        ),
        pytest.param(
            "# S1\nkind: Secret # S1\n# S1\ndata: # S1\n  # S1\n  a: S1\n  # S1\n\ntype: b\n",
            "# ***\nkind: Secret # ***\n# ***\ndata: # ***\n  # ***\n  a: ***\n  # ***\n\ntype: b\n",
            id="comments in the document of a Secret",
        ),
        pytest.param(
            "\ufeffa: b\nc: d\n---\n\ufeffe: f\n",
            "\\ufeffa: b\nc: d\n---\n\\ufeffe: f\n",
            id="a byte order mark takes no line",
        ),
        pytest.param("a: b\r---\rc: d\ne: f\n", "a: b\\x0d---\\x0dc: d\ne: f\n", id="documents in a line"),
        pytest.param(
            "a: [http://u:S1, S1@h, b]\n", "a: [http://u:***@h, b]\n", id="in a flow sequence, a password with a comma"
        ),
        pytest.param(
            "a: [http://u:S1@h, b@h, c]\n", "a: [http://u:***@h, b@h, c]\n", id="an address behind a whole URL stays"
        ),
        pytest.param(
            'a: [http://u:12\\", S1@h, b]\n',
            "a: [http://u:***@h, b]\n",
            id="in a flow sequence, a password with an escaped quote and a comma",
        ),
        pytest.param(
            'a: "b \\"A=http://u:12\\\\\\"S1@h\\"\\nc"\n',
            'a: "b \\"A=http://u:***@h\\"\\nc"\n',
            id="in double quotes, a password with an escaped quote",
        ),
        pytest.param(
            'a: "b \\"A=http://p:3128\\"\\nc \\"A=http://u:S1@h\\"\\n"\n',
            'a: "b \\"A=http://p:3128\\"\\nc \\"A=http://u:***@h\\"\\n"\n',
            id="a port before an escaped quote stays",
        ),
        pytest.param("# {0}\n---\n# {0}\na: b\n", "# ***\n---\n# ***\na: b\n", id="comments"),
        pytest.param(
            "a: [http://u:S1@b,S1@h, c@h, d,e]\n",
            "a: [http://u:***@h, c@h, d,e]\n",
            id="what is behind a comma without a blank may be of the password",
        ),
        pytest.param(
            "a: {{password: S1,S2,S3, b: c,d}}\nb: {{token: S1,S2}}\n",
            "a: {{password: ***, b: c,d}}\nb: {{token: ***}}\n",
            id="a value with the name of a credential goes up to a comma with a blank",
        ),
        pytest.param(
            "a: {{password: a long one, token: b, c: http://u:S1@h, d: e@h}}\n",
            "a: {{password: ***, token: ***, c: http://u:***@h, d: e@h}}\n",
            id="in a flow mapping, each value by itself",
        ),
        pytest.param(
            "a: {{password: abcdefghijklmnopqrstuvwxyzab, token: b, c: http://u:S1@h, d: e@h}}\n",
            "a: {{password: ***, token: ***, c: http://u:***@h, d: e@h}}\n",
            id="behind a long value and a short one",
        ),
        pytest.param(
            "a: {{password: a, token: bcde, c: http://u:S1@h, d: e@h}}\n",
            "a: {{password: ***, token: ***, c: http://u:***@h, d: e@h}}\n",
            id="behind values as short as what is shown of them",
        ),
        pytest.param(
            "a: ['http://u:S1',b@h, \"http://u:S1\", c@h]\n",
            "a: ['http://u:***',b@h, \"http://u:***\", c@h]\n",
            id="a password ends with the quotes that it is in",
        ),
        pytest.param("a: http://u:S1\n", "a: http://u:***\n", id="a URL without a host"),
        pytest.param(
            "a: http://u:S\\n1@h\n", "a: http://u:***@h\n", id="a password with what is a line break in quotes"
        ),
        pytest.param(
            "password: [S1, [5]]\n", "password: [***, [***]]\n", id="items of a list with the name of a credential"
        ),
        pytest.param(
            "a: &v [S1]\nb:\n- name: DB_PASSWORD\n  value: *v\n",
            "a: &v [***]\nb:\n- name: DB_PASSWORD\n  value: *v\n",
            id="items of a list with the name of a variable",
        ),
        pytest.param("token:\n- S1\n- ${{TOKEN}}\n", "token:\n- ***\n- ${{TOKEN}}\n", id="a list below its name"),
        pytest.param("httpProxy: [u:S1, http://h:1]\n", "httpProxy: [***, http://h:1]\n", id="a list of proxies"),
        pytest.param("secret: {{name: a, key: b}}\n", "secret: {{name: a, key: b}}\n", id="a reference stays"),
        pytest.param(
            'a: "http://u:S1@h\\nb@h"\n', 'a: "http://u:***@h\\nb@h"\n', id="an address on the next line stays"
        ),
        pytest.param("{0}: b\n", "***: b\n", id="a key"),
        pytest.param("a: {0}", "a: ***\n No newline at end of file\n", id="a line without a line break"),
        pytest.param("a: |-\n  b \n  {0}\n", "a: |-\n  b \n  ***\n", id="of a text without a last line break, a line"),
        pytest.param(
            "a: |\r\n  b\r\n  {0}\r\n", "a: |\r\n  b\r\n  ***\r\n", id="of a text with line breaks of Windows, a line"
        ),
        pytest.param(
            "a: |\n  kind: Secret\n  stringData:\n    b: S1\n",
            "a: |\n  kind: Secret\n  stringData:\n    b: ***\n",
            id="of a Secret in a text, the values",
        ),
        pytest.param(
            'a: \'{{"stringData": {{"b": "S1"}}}}\'\n', "a: '***'\n", id="JSON of an overlay of a Secret, in a text"
        ),
        pytest.param(
            "a: |\n b: |\n  c: |\n   d: |\n    e: |\n     f: |\n      g: h\n",
            "a: |\n b: |\n  c: |\n   d: |\n    e: |\n     ***\n      ***\n",
            id="everything in the fifth text of a text",
        ),
        pytest.param(
            "a: [{{name: API_TOKEN, value: S1, b: c}}]\n",
            "a: [{{name: API_TOKEN, value: ***, b: c}}]\n",
            id="the value of a variable with the name of a credential",
        ),
        pytest.param(
            "a: [{{b: c}}, --password, S1, --token, -v, d]\n",
            "a: [{{b: c}}, --password, ***, --token, -v, d]\n",
            id="the value of an option with the name of a credential",
        ),
        pytest.param(
            "noProxy: [a, 'u:S1', b:80]\n",
            "noProxy: [a, '***', b:80]\n",
            id="of a list of hosts, what may be a password",
        ),
        pytest.param(
            "a: |\n  NO_PROXY='a,u:S1' NO_PROXY=a\n",
            "a: |\n  NO_PROXY='***' NO_PROXY=a\n",
            id="a list of hosts that may hold a password",
        ),
        pytest.param(
            "kind: SecretList\nitems:\n- kind: Secret\n  data: {{a: S1}}\n",
            "kind: SecretList\nitems:\n- kind: ***\n  data: ***\n",
            id="the items of a list of Secrets",
        ),
        pytest.param(
            "kind: Secret\nstringData: S1\n",
            "kind: Secret\nstringData: ***\n",
            id="the data of a Secret that is a text",
        ),
        pytest.param(
            "x: &t S1\nkind: Secret\ndata: {{a: *t}}\n",
            "x: ***\nkind: Secret\ndata: ***\n",
            id="what an alias in a Secret says",
        ),
        pytest.param(
            "x: &k {{kind: Secret}}\ndata: {{a: S1}}\n<<: *k\n",
            "x: &k {{kind: Secret}}\ndata: ***\n<<: *k\n",
            id="the data of a Secret whose kind is merged",
        ),
        pytest.param(
            "x: &k {{kind: Secret}}\ndata: {{a: S1}}\n<<: [*k]\n",
            "x: &k {{kind: Secret}}\ndata: ***\n<<: [*k]\n",
            id="the data of a Secret whose kind is merged from a list",
        ),
        pytest.param(
            "kind: List\nitems: [b, kind: {{c: d}}]\n",
            "kind: List\nitems: [b, kind: {{c: d}}]\n",
            id="other lists stay",
        ),
        pytest.param(
            "kind: Secret # S1\nmetadata: {{name: 'b # c'}}\n# data: {{a: S1}}\n",
            "kind: Secret # ***\nmetadata: {{name: 'b # c'}}\n# ***\n",
            id="comments in the document of a Secret without data",
        ),
        pytest.param(
            "a: # b\n- {{kind: Secret, name: c}} # d\n",
            "a: # b\n- {{kind: Secret, name: c}} # d\n",
            id="comments beside the name of a Secret stay",
        ),
        pytest.param(
            "caBundle: TUlJQ1hEQ0NBZWdBd0lCQWdJUUJBblpVTTZ4\nkind: KubeadmControlPlaneTemplate\n",
            "caBundle: TUlJQ1hEQ0NBZWdBd0lCQWdJUUJBblpVTTZ4\nkind: KubeadmControlPlaneTemplate\n",
            id="other base64 and long words stay",
        ),
    ],
)
def test_of_a_value_only_what_has_to_be_hidden_is(text: str, shown: str) -> None:
    given = text.format(coded(DROP_IN))
    lines = unified_diff("a.yaml", None, given.encode(), has_colours=False)[3:]
    assert "".join(f"{line[1:]}\n" for line in lines) == shown.format()


def test_a_drop_in_on_one_line_without_a_password_is_shown_as_it_is(tmp_path: Path, said: Callable[..., str]) -> None:
    (tmp_path / "a.yaml").write_text(node_file(r'"[Service]\nUser=a\n"'))
    (tmp_path / "proxy.yaml").write_text(CONFIG.replace(f"svc:{NEW}@", ""))
    shown = said("run", "--diff", str(tmp_path))
    assert r"HTTP_PROXY=http://proxy.corp.example:3128\"\n" in shown
    assert "***" not in shown
    assert "hides credentials" not in shown


def test_two_values_that_look_the_same_when_masked_are_a_change() -> None:
    old, new = (f"kind: Secret\ndata: {{a: {coded(one)}}}\nb: {coded(URL + one)}\n" for one in (OLD, NEW))
    lines = unified_diff("a.yaml", old.encode(), new.encode(), has_colours=False)[3:]
    assert lines == [" kind: Secret", "-data: ***", "-b: ***", "+data: ***", "+b: ***"]


SHORT = "http://svc:p%40ss@proxy.corp.example:3128"
LONG = "http://svc:it%27s%24a%25%22L0ng%22@proxy.corp.example:3128"
SIGNS = "http://svc:pw%3Fp%3E%3E@h:1"
WORDS = "http://svc:p%40ss%2C%20word@h:1"


@pytest.mark.parametrize(
    ("urls", "line", "shown"),
    [
        pytest.param(SHORT, "- curl -U svc:p@ss http://x", "- curl -U svc:*** http://x", id="behind its user"),
        pytest.param(SHORT, "- printf password=p@ss", "- printf password=***", id="alone"),
        pytest.param(SHORT, "- export PW='p%40ss'", "- export PW='***'", id="as the URL has it"),
        pytest.param(SHORT, "- sed s/x/p%%40ss/", "- sed s/x/***/", id="with doubled percent signs"),
        pytest.param(SHORT, "- x p%2540ss", "- x ***", id="percent-encoded twice"),
        pytest.param("http://svc:p%2Fss@h:1", "- x p%2fss", "- x ***", id="percent-encoded in small letters"),
        pytest.param("http://svc:p/sst@h:1", "- x p%2Fsst", "- x ***", id="percent-encoded where the URL is not"),
        pytest.param("http://svc:p://ss@h:1", "- x p://ss", "- x ***", id="with what begins a URL"),
        pytest.param(SHORT, "- 'X: Basic c3ZjOnBAc3M='", "- 'X: Basic ***'", id="base64 with its user"),
        pytest.param(SHORT, "- x c3ZjOnAlNDBzcw", "- x ***", id="base64 of what the URL has, without its end"),
        pytest.param(SHORT, "- x cEBzcw", "- x ***", id="base64 of it alone, without its end"),
        pytest.param(SIGNS, "- x cHc/cD4+", "- x ***", id="base64 of it alone"),
        pytest.param(SIGNS, "- x cHc_cD4-", "- x ***", id="base64 of it alone in the alphabet of URLs"),
        pytest.param(SHORT, f"- x {coded(SHORT)}", "- x ***", id="base64 of the URL"),
        pytest.param(SHORT, f"- x {coded('set p@ss it')}", "- x ***", id="base64 of more than it"),
        pytest.param(SHORT, '- "a\\np@ss"', '- "a\\n***"', id="behind an escape of YAML"),
        pytest.param(SHORT, '- "p\\x40ss"', '- "***"', id="with an escape of YAML"),
        pytest.param(SHORT, '"p\\x40ss": b', '"***": b', id="with an escape of YAML in the first key"),
        pytest.param(SHORT, "a: {p@ss: , b: c}", "a: {***: , b: c}", id="in a key without a value"),
        pytest.param(SHORT, "- [svc:p@ss, b]", "- [svc:***, b]", id="in a flow sequence"),
        pytest.param(SHORT, "p@ss: b # p@ss", "***: b # ***", id="in a key and a comment"),
        pytest.param(SHORT, "a: |\n  b: p@ss\n  c: d", "a: |\n  b: ***\n  c: d", id="in a document in a text"),
        pytest.param(SHORT, "a: |\n  x p@ss\n  y", "a: |\n  x ***\n  y", id="in a script"),
        pytest.param(SHORT, "a: [ # p@ss", "***", id="in what is no YAML"),
        pytest.param(SHORT, "# p@ss\n---\na: b", "# ***\n---\na: b", id="before a document"),
        pytest.param(SHORT, "kind: Secret\ndata: {p@ss: b}", "kind: Secret\ndata: ***", id="in a Secret"),
        pytest.param(SHORT, f"- x {SHORT}", "- x http://svc:***@proxy.corp.example:3128", id="in its URL"),
        pytest.param(SHORT, "- xp@ss p@ssx", "- xp@ss p@ssx", id="a short one is no part of a word"),
        pytest.param("http://svc:p%40sswor@h:1", "- xp@sswor", "- xp@sswor", id="one of seven characters is short"),
        pytest.param(LONG, '- xit\'s$a%"L0ng"x', "- x***x", id="a long one is"),
        pytest.param(LONG, '- xit\'s$$a%%"L0ng"', "- x***", id="with doubled dollars and percent signs"),
        pytest.param(LONG, '- xit\'s$$a%"L0ng"', "- x***", id="with doubled dollars"),
        pytest.param(LONG, '- xit\'s$a%%"L0ng"', "- x***", id="with doubled percent signs alone"),
        pytest.param(LONG, "a: |\n  x 'it'\\''s$a%\"L0ng\"'", "a: |\n  x '***'", id="in single quotes of a shell"),
        pytest.param(LONG, "a: |\n  x 'it'\"'\"'s$a%\"L0ng\"'", "a: |\n  x '***'", id="in both quotes of a shell"),
        pytest.param(LONG, "# 'it''s$a%\"L0ng\"'", "# '***'", id="in quotes of YAML in a comment"),
        pytest.param(LONG, '# "it\'s$a%\\"L0ng\\""', '# "***"', id="in JSON in a comment"),
        pytest.param("http://svc:p%0Ass@h:1", "a: |\n  p\n  ss p%0Ass", "a: |\n  p\n  ss ***", id="of two lines"),
        pytest.param(WORDS, "- [p@ss, word, b]", "- [***, b]", id="with a comma and a blank"),
        pytest.param(
            WORDS,
            "- {password: a, token: b, secret: x p@ss, word, c: d}",
            "- {password: ***, token: ***, secret: ***, c: d}",
            id="from inside of what is hidden",
        ),
        pytest.param(SHORT, "- p@ss x", "- *** x", id="with words behind it"),
        pytest.param(SHORT, "- [http://u:S1@h, b@h p@ss]", "- [http://u:***@h, b@h ***]", id="behind a URL"),
        pytest.param(LONG, 'a: |\n  x "it\'s\\$a%\\"L0ng\\""', 'a: |\n  x "***"', id="in double quotes of a shell"),
        pytest.param(LONG, 'a: |\n  x it\\\'s\\$a%\\"L0ng\\"', "a: |\n  x ***", id="in a shell without quotes"),
        pytest.param(LONG, "- 'it''s$a%\"L0ng\"'", '- "***"', id="in quotes of YAML"),
        pytest.param(
            "http://svc:proxy@h:1",
            "- cp http-proxy.conf proxy.corp.example/kube-proxy",
            "- cp http-proxy.conf proxy.corp.example/kube-proxy",
            id="a name that holds a short one",
        ),
        pytest.param("http://svc:a%40b@h:1", "- a@b c", "- a@b c", id="one of three characters is none"),
        pytest.param("${P:=http://svc:p%40ss@h:1}", "- p@ss", "- ***", id="of the default of a placeholder"),
        pytest.param(
            "http://svc:longpass@h:1 http://svc:longpass1@h:1",
            "- longpass1",
            "- ***",
            id="one that another begins with",
        ),
        pytest.param("http://h:1 http://svc:p%40ss@h:1", "- p@ss", "- ***", id="of the second URL"),
        pytest.param("http://proxy.corp.example:3128", "- http", "- http", id="a URL has none"),
    ],
)
def test_a_diff_hides_the_password_that_the_command_knows(urls: str, line: str, shown: str) -> None:
    known = ProxyPasswords(urls.split())
    lines = unified_diff("a.yaml", None, f"{line}\n".encode(), has_colours=False, passwords=known)[3:]
    assert "\n".join(text[1:] for text in lines) == shown


CONFIG_OF_MANY = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: p}
spec:
  httpProxy: http://svc:p%40ss1@proxy.corp.example:3128
  httpsProxy: http://proxy.corp.example:3128
  from: [{kind: Secret, name: values, format: GiantSwarm}]
  overrides:
  - match: {namespaces: [b]}
    httpProxy: http://svc:p%40ss2@proxy.corp.example:3128
"""
VALUES = "cluster:\n  proxy:\n    http: http://svc:p%40ss3@h:1\n    https: http://svc:p%40ss3@h:1\n"


def test_a_run_knows_the_passwords_of_all_urls_of_its_config(tmp_path: Path, said: Callable[..., str]) -> None:
    commands = "preKubeadmCommands: [echo p@ss1, echo p@ss2, echo p@ss3]"
    (tmp_path / "a.yaml").write_text(CHANGED.replace("{spec: {}}", f"{{spec: {{{commands}}}}}"))
    (tmp_path / "values.yaml").write_text(secret("values", "values", VALUES))
    (tmp_path / "proxy.yaml").write_text(CONFIG_OF_MANY)
    shown = said("run", "--diff", str(tmp_path))
    assert "echo ***, echo ***, echo ***" in shown
    assert "p@ss" not in shown
