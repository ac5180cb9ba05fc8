"""Wrong usage, as a new user tries it: one line says what is wrong, where, and what to do; the files stay as they are.

Each row is one attempt in a small repository: the arguments, files that are different there (None: not there), the exit
code, and what standard error says. What a wrong field of the ProxyConfig is called is proven in test_config*.py.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from support import inject_proxy

CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata:
  name: proxy
spec:
  httpProxy: http://proxy.corp.example:3128
  httpsProxy: http://proxy.corp.example:3128
"""
NODES = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: prod
spec:
  kubeadmConfigSpec: {}
"""
ENCRYPTED = CONFIG.replace("http://proxy.corp.example:3128", "ENC[AES256_GCM,data:abc=,iv:x,tag:y,type:str]")
TEMPLATE = "apiVersion: v1\nkind: ConfigMap\n{{- if .Values.x }}\nmetadata: {name: x}\n{{- end }}\n"
NO_CONFIG: dict[str, str | bytes | None] = {"proxy.yaml": None}
Files = dict[str, str | bytes | None]


def config(old: str, new: str) -> Files:
    assert old in CONFIG
    return {"proxy.yaml": CONFIG.replace(old, new)}


def field(text: str) -> Files:
    return {"proxy.yaml": f"{CONFIG}  {text}\n"}


def url(text: str) -> Files:
    return config("http://proxy.corp.example:3128", f'"{text}"')


ROWS = [
    # The command line
    pytest.param("runn .", {}, 2, 'unknown command "runn": did you mean `inject-proxy run`?', id="a misspelt command"),
    pytest.param("run --dif .", {}, 2, 'unknown option "--dif": did you mean `--diff`?', id="a misspelt option"),
    pytest.param("run --dry-run .", {}, 2, "did you mean `--diff`?", id="an option of kubectl"),
    pytest.param("run -n .", {}, 2, "did you mean `--diff`?", id="an option of make"),
    pytest.param("lint --dry-run .", {}, 2, "`inject-proxy lint --help` lists", id="an option that is nothing like it"),
    pytest.param(
        "--config proxy.yaml run .",
        {},
        2,
        '"--config" must be behind the command: `inject-proxy run --config ...`',
        id="an option in front of the command",
    ),
    pytest.param("run --config", {}, 2, "`--config` must name a file", id="an option without its value"),
    pytest.param(
        "run --config prox.yaml .", {}, 2, 'there is no file "prox.yaml": did you mean `proxy.yaml`?', id="a --config"
    ),
    pytest.param(
        "run clutsers/",
        {"clusters/a.yaml": NODES},
        2,
        'there is no file or folder "clutsers/": did you mean `clusters`?',
        id="a misspelt folder",
    ),
    pytest.param(
        "lint clusters/a.yml", {"clusters/a.yaml": NODES}, 2, "did you mean `clusters/a.yaml`?", id="another ending"
    ),
    pytest.param("run loop", {}, 2, '"loop" must not be a link that leads to nothing', id="a link to itself"),
    pytest.param("run --config - .", {}, 2, "standard input is `/dev/stdin`", id="the ProxyConfig on standard input"),
    pytest.param("run --shard 3/2 .", {}, 2, "`--shard` must be I/N with I from 1 to N", id="a shard too many"),
    pytest.param("run --output json .", {}, 2, "`--output` must be with `--check`", id="a report without a check"),
    pytest.param("run --only node .", {}, 2, "did you mean `nodes`?", id="a misspelt system"),
    pytest.param("run --output-dir out .", {}, 2, "must name a folder outside of", id="a copy beside the original"),
    pytest.param("help NP999", {}, 2, '"NP999" is no code or rule: docs/messages.md', id="an unknown rule"),
    pytest.param("help rke2", {}, 2, "`inject-proxy targets rke2` explains it", id="help about a target"),
    pytest.param("help Encryptd", {}, 2, "did you mean `Encrypted`?", id="a misspelt code"),
    pytest.param("targets containerd", {}, 2, "did you mean `containerdDropIn`?", id="a misspelt target"),
    pytest.param("import bosh cluster.yaml", {}, 2, "the system must be tkg,", id="a system that it cannot import"),
    pytest.param("init --yes", {}, 2, '"proxy.yaml" exists, and is not overwritten', id="a second init"),
    pytest.param("run --config proxy.yaml -", {}, 2, "standard input holds no manifest", id="nothing in a pipe"),
    # The ProxyConfig
    pytest.param(
        "run --check .",
        {"kustomization.yaml": "resources: [cluster.yaml]\ntransformers: [./proxy.yaml]\n"},
        1,
        "has the ProxyConfig under `transformers`, so a build adds the proxy: check what is built",
        id="a check of the sources of a build",
    ),
    pytest.param("run .", NO_CONFIG, 2, "or let `inject-proxy init` write one", id="no ProxyConfig"),
    pytest.param("explain .", NO_CONFIG, 2, "or let `inject-proxy init` write one", id="no ProxyConfig to explain"),
    pytest.param("run .", {"p.yaml": CONFIG}, 2, "2 were found, in p.yaml and proxy.yaml", id="the ProxyConfig twice"),
    pytest.param(
        "run --config cluster.yaml .",
        {},
        2,
        '"cluster.yaml" must hold one ProxyConfig, but it holds none: name another file',
        id="a manifest as ProxyConfig",
    ),
    pytest.param("run .", config("/v1alpha1", "/v1"), 2, "did you mean `fn.inject-proxy.io/v1alpha1`", id="a version"),
    pytest.param("run .", config("fn.", ""), 2, "did you mean `fn.inject-proxy.io/v1alpha1`", id="a group"),
    pytest.param("run .", config("ProxyConfig", "ProxyConf"), 2, "did you mean `ProxyConfig`", id="a kind"),
    pytest.param(
        "run .", field("noproxy: []"), 1, "spec.noproxy: unknown field; did you mean `noProxy`?", id="a field"
    ),
    pytest.param("run .", field("mode: remove"), 1, "did you mean `Remove`?", id="a value in lower case"),
    pytest.param("run .", field("targets: {containerd: {}}"), 1, "did you mean `containerdDropIn`?", id="a target"),
    pytest.param(
        "run .",
        config("spec:\n  httpP", "httpProxy: x\nspec:\n  p"),
        1,
        "did you mean `spec.httpProxy`?",
        id="a field too far left",
    ),
    pytest.param("run .", config("  httpP", "\thttpP"), 1, "no tab there", id="a tab in the ProxyConfig"),
    pytest.param(
        "run .", {"proxy.yaml": f"{ENCRYPTED}sops: {{mac: x}}\n"}, 1, "`sops exec-file FILE", id="encrypted by SOPS"
    ),
    pytest.param("run .", url("proxy.corp.example:3128"), 1, 'begin with "http://"', id="a proxy without a scheme"),
    pytest.param("run .", url("socks5://proxy.corp.example:1080"), 1, 'begin with "http://"', id="a SOCKS proxy"),
    pytest.param("run .", url("http://proxy.corp.example:3128/x.pac"), 1, "must not hold a path", id="a PAC file"),
    pytest.param("run .", url("http://u:p@ss/w:rd@proxy.example:1"), 1, "percent-encoded", id="a raw password"),
    pytest.param("run .", url("http://u:100%@proxy.example:1"), 1, 'a "%" itself is "%25"', id="a raw percent sign"),
    pytest.param("run .", field("noProxy: [10.0.0.0/33]"), 1, 'entry "10.0.0.0/33" must be', id="a wrong CIDR"),
    pytest.param("run .", field("noProxy: ['https://a.example/']"), 1, 'write "a.example"', id="a URL in noProxy"),
    pytest.param(
        "lint '10.0.0.0/8, a.example'", {}, 1, "NP010 error: the list must not hold blanks", id="a list with blanks"
    ),
    # Manifests
    pytest.param(
        "run .", {"cluster.yaml": NODES.replace("  name", "\tname")}, 1, "indent the line with blanks", id="a tab"
    ),
    pytest.param(
        "run .",
        {"cluster.yaml": f"{NODES}<<<<<<< HEAD\n  x: 1\n=======\n  x: 2\n>>>>>>> b\n"},
        1,
        "resolve the conflict that git marked in line 7; `--exclude` leaves a file out",
        id="a conflict of git",
    ),
    pytest.param(
        "run --config proxy.yaml chart.yaml",
        {"chart.yaml": TEMPLATE},
        2,
        "`helm template CHART | inject-proxy run --config FILE -` takes a chart",
        id="a template of Helm",
    ),
    pytest.param("run --config proxy.yaml x.tar", {"x.tar": b"\0\1\xff"}, 2, "1 not UTF-8", id="a binary file"),
    pytest.param(
        "run --config proxy.yaml empty", {"empty/x.md": ""}, 2, "the paths hold no manifest", id="no manifest"
    ),
    pytest.param(
        "run --diff .",
        {"u.yaml": NODES.encode("utf-16")},
        0,
        "left alone: u.yaml (not UTF-8: save it so if it is a manifest)",
        id="UTF-16",
    ),
    pytest.param("", {}, 1, "run `inject-proxy run --config FILE -` for plain YAML", id="manifests without a command"),
]


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("arguments", "files", "code", "says"), ROWS)
def test_one_line_says_what_is_wrong_and_what_to_do(
    tmp_path: Path, arguments: str, files: Files, code: int, says: str
) -> None:
    for name, content in {"cluster.yaml": NODES, "proxy.yaml": CONFIG, **files}.items():
        if content is not None:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "loop").symlink_to("loop")
    before = files_of(tmp_path)
    stdin = NODES if not arguments else ""
    done = inject_proxy(stdin, *shlex.split(arguments), cwd=tmp_path)
    lines = (done.stdout + done.stderr).decode().splitlines()
    assert done.returncode == code, done.stderr
    assert [line for line in lines if says in line], done.stderr
    assert not [line for line in lines if "p@ss" in line]
    assert files_of(tmp_path) == before


def test_there_are_fifty_of_them() -> None:
    assert len(ROWS) >= 50
