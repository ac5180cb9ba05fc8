"""No output of any command shows a password, in any form that a reader can turn back: every shape in every output.

Each shape holds two secrets in another way: what is there before a run, and what the run writes.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from krm_fn.krm.masking import ProxyPasswords
from revealed import NEW, OLD, reveals
from support import inject_proxy, unified_diff

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


def wrapped(text: str) -> str:
    return re.sub(".{76}", r"\g<0>\n", coded(text))


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
    "a Secret whose kind is merged": f"x: &k {{kind: Secret}}\ndata: {{a: {OLD}}}\n<<: [*k]\n",
    "a command with a user": config_map(f"curl -u svc:{OLD} https://x\n"),
    "a command with a list": config_map(f"export NO_PROXY='a,svc:{OLD}'\n"),
    "a command with no URL": f"a: [\"export HTTP_PROXY='svc:{OLD}'\"]\n",
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
    return folder


def said(*words: str) -> str:
    """What a command writes to both streams."""
    done = inject_proxy("", *words)
    assert done.returncode in (0, 1), words
    return f"{done.stdout.decode()}\n{done.stderr.decode()}"


FORMS = ("text", "json", "sarif", "github", "junit")
COMMANDS = [
    ["run", "--diff", "."],
    ["run", "-v", "--diff", "--grouped", "."],
    *(["run", "--check", "-v", "--output", form, "."] for form in FORMS),
    *(["lint", "-v", "--output", form, "."] for form in ("text", "json")),
    ["lint", "."],
    ["choose", "--all-left", "--yes"],
    *(["explain", "-v", "--output", form, "."] for form in ("text", "json", "html")),
    ["run", "-v", "."],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_output_of_a_command_shows_a_secret(words: list[str], tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    shown = said(*words)
    assert "KubeadmConfigTemplate" in shown or "would change" in shown or words[0] in {"lint", "choose"}
    assert reveals(shown) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(
            "a: |\n  # why\n  - content: {0}\n    b: c # d\n",
            "a: |\n  # why\n  - content: ***\n    b: c # d\n",
            id="of a text, from the value on",
        ),
        pytest.param("a: {{b: 'password:S1'}}\n", "a: {b: ***\n", id="what only the value alone shows to be one"),
        pytest.param("a: &x '{0}' # b\nc: *x\n", "a: &x '***' # b\nc: *x\n", id="the anchor stays"),
        pytest.param("a: >\n  {0}\n\n  b\nc: d\n", "a: ***\n  ***\n\n  ***\nc: d\n", id="of a folded text, all lines"),
        pytest.param('a: "é: 1\\ny: \\x68ttp://u:S1@h"\nb: c\n', "a: ***\nb: c\n", id="with escapes, the whole value"),
        pytest.param(
            "# S1\nkind: Secret # S1\ndata: # S1\n  # S1\n  a: S1\n\ntype: b\n",
            "***\nkind: Secret ***\ndata: ***\n  ***\n  a: ***\n\ntype: b\n",
            id="comments in the document of a Secret",
        ),
        pytest.param("\ufeffa: b\nc: d\n---\n\ufeffe: f\n", "\\ufeffa: b\nc: d\n---\n\\ufeffe: f\n", id="a BOM"),
        pytest.param("a: b\r---\rc: d\ne: f\n", "a: b\\r---\\rc: d\ne: f\n", id="documents in a line"),
        pytest.param("a: [http://u:S1, S1@h, b]\n", "a: [http://u:***@h, b]\n", id="in a list, up to the last at sign"),
        pytest.param("a: {{b: c, password: S1, d: e}}\n", "a: {b: c, password: ***\n", id="in a flow mapping, from it"),
        pytest.param("httpProxy: [u:S1, http://h:1]\n", "httpProxy: ***\n", id="a list of proxies"),
        pytest.param("{0}: b\n", "***: b\n", id="a key"),
        pytest.param(
            "- {{name: API_TOKEN, value: S1, b: c}}\n- d\n",
            "- {name: API_TOKEN, value: ***\n- d\n",
            id="the value of a variable",
        ),
        pytest.param(
            "a: |\n  NO_PROXY='a,u:S1' x\n  NO_PROXY=a,b:80 x\n",
            "a: |\n  NO_PROXY='***\n  NO_PROXY=a,b:80 x\n",
            id="a list of hosts in a command",
        ),
        pytest.param(
            "x: &k {{kind: Secret}}\ndata: {{a: S1}}\n<<: *k\n",
            "x: &k {kind: Secret}\ndata: {a: ***\n<<: *k\n",
            id="the data of a Secret whose kind is merged",
        ),
        pytest.param(
            "a: # b\n- {{kind: Secret, name: c}} # d\n",
            "a: # b\n- {kind: Secret, name: c} # d\n",
            id="comments beside the name of a Secret stay",
        ),
        pytest.param(
            "caBundle: TUlJQ1hEQ0NBZWdBd0lCQWdJUUJBblpVTTZ4\nkind: KubeadmControlPlaneTemplate\n",
            "caBundle: TUlJQ1hEQ0NBZWdBd0lCQWdJUUJBblpVTTZ4\nkind: KubeadmControlPlaneTemplate\n",
            id="other base64 stays",
        ),
        pytest.param("# db.password: a long one\na: b\n", "# db.password: ***\na: b\n", id="words in a comment"),
        pytest.param("a:\n- curl -u svc:S1 https://x\n", "a:\n- curl -u svc:***\n", id="user and password of curl"),
        pytest.param('a: "it\\x27s$$a"\nb: c\n', "***\nb: c\n", id="the password of the run, with an escape"),
        pytest.param("it's$a: b # it''s$a\n", "***\n", id="the password of the run, in a key"),
        pytest.param("a: |\n  b: 'it'\\''s$a'\n  c: d\n", "a: |\n  ***\n  c: d\n", id="the run's password, in a text"),
    ],
)
def test_from_a_secret_value_on_a_line_is_hidden(text: str, shown: str) -> None:
    given = text.format(coded(DROP_IN))
    passwords = ProxyPasswords(["http://svc:it%27s%24a@h:1"])
    lines = unified_diff("a.yaml", None, given.encode(), has_colours=False, passwords=passwords)[3:]
    assert "".join(f"{line[1:]}\n" for line in lines) == shown


def test_a_drop_in_on_one_line_without_a_password_is_shown_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(node_file(r'"[Service]\nUser=a\n"'))
    (tmp_path / "proxy.yaml").write_text(CONFIG.replace(f"svc:{NEW}@", ""))
    shown = said("run", "--diff", str(tmp_path))
    assert r"HTTP_PROXY=http://proxy.corp.example:3128\"\n" in shown
    assert "***" not in shown
    assert "hides credentials" not in shown


def test_two_values_that_look_the_same_when_masked_are_a_change() -> None:
    old, new = (f"kind: Secret\ndata: {{a: {coded(one)}}}\nb: {coded(URL + one)}\n" for one in (OLD, NEW))
    lines = unified_diff("a.yaml", old.encode(), new.encode(), has_colours=False)[3:]
    assert lines == [" kind: Secret", "-data: {a: ***", "-b: ***", "+data: {a: ***", "+b: ***"]


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


def test_a_run_knows_the_passwords_of_all_urls_of_its_config(tmp_path: Path) -> None:
    commands = "preKubeadmCommands: [echo p@ss1, echo p@ss2, echo p@ss3]"
    (tmp_path / "a.yaml").write_text(CHANGED.replace("{spec: {}}", f"{{spec: {{{commands}}}}}"))
    (tmp_path / "values.yaml").write_text(secret("values", "values", VALUES))
    (tmp_path / "proxy.yaml").write_text(CONFIG_OF_MANY)
    shown = said("run", "--diff", str(tmp_path))
    assert "echo ***, echo ***, echo ***" in shown
    assert "p@ss" not in shown
