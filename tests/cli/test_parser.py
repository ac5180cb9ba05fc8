"""Wrong usage, as a new user tries it: one error names what is wrong, and the files stay as they are.

Each row is one attempt in a small repository: the arguments, files that are different there (None: not there), the exit
code, and what standard error names. What a wrong field of the ProxyConfig is called is proven in tests/config.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from function_configs import DECLARED as CONFIG
from support import contents, inject_proxy, write

NODES = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: prod
spec:
  kubeadmConfigSpec: {}
"""
MANY = {f"{letter}.yaml": CONFIG for letter in "abc"}
Files = dict[str, str | bytes | None]


def config(old: str, new: str) -> Files:
    assert old in CONFIG
    return {"proxy.yaml": CONFIG.replace(old, new)}


def field(text: str) -> Files:
    return {"proxy.yaml": f"{CONFIG}  {text}\n"}


ROWS = [
    # The command line
    pytest.param("runn .", {}, 2, "did you mean `run`?", id="a misspelt command"),
    pytest.param("run --cofnig=x .", {}, 2, "no option `--cofnig`", id="a misspelt option with its value"),
    pytest.param("run --cofnig x .", {}, 2, "did you mean `--config`?", id="a misspelt option"),
    pytest.param("-", {}, 2, "`inject-proxy --help`", id="standard input without a command"),
    pytest.param("run --dif .", {}, 2, "--dif", id="a part of an option"),
    pytest.param("--config proxy.yaml run .", {}, 2, "`inject-proxy --help`", id="an option in front of the command"),
    pytest.param("run --diff --check .", {}, 2, "exclude each other", id="two options that exclude each other"),
    pytest.param("run --output json --diff .", {}, 2, "`--diff`", id="a report and a diff"),
    pytest.param("lint looop", {}, 2, 'folder "looop"', id="a misspelt folder for lint"),
    pytest.param("run --grouped .", {}, 2, "`--diff`", id="hunks without a diff"),
    pytest.param("run --output-dir ../out -", {}, 2, "`-`", id="a folder for a stream"),
    pytest.param("run - .", {}, 2, "`-` must be the only path", id="a stream beside a path"),
    pytest.param("run --only node .", {}, 2, "`nodes`", id="a misspelt system"),
    pytest.param("run --output-dir out .", {}, 2, 'out" must be outside', id="a copy beside the original"),
    pytest.param("run --output-dir cluster.yaml .", {}, 2, "must not exist", id="a file as the folder of a copy"),
    pytest.param("run -- --name", {}, 2, '"--name"', id="a path that looks like an option"),
    pytest.param("run clutsers/", {}, 2, '"clutsers/"', id="a misspelt folder"),
    pytest.param("run loop", {}, 2, '"loop"', id="a link to itself"),
    pytest.param("run --config prox.yaml .", {}, 2, '"prox.yaml"', id="a --config that is not there"),
    pytest.param("run --config a.yaml .", {"a.yaml": "{"}, 1, "not valid YAML", id="a --config that is no YAML"),
    pytest.param("run k.yaml", {"k.yaml": "resources: []"}, 2, "name the folder", id="a kustomization.yaml"),
    pytest.param("run .", {"proxy.yaml": ""}, 2, "proxy.yaml holds no ProxyConfig", id="an empty proxy.yaml"),
    pytest.param(
        "run .", {"a/proxy.yaml": "a: b", "proxy.yaml": ""}, 2, "WrongUsage: proxy.yaml holds", id="an empty one of two"
    ),
    pytest.param("explain --cluster prd .", {}, 2, '"prd"', id="a Cluster that is not there"),
    pytest.param("explain --cluster x .", {}, 2, "known are: none", id="a Cluster where there is none"),
    pytest.param("help ConfigInvalit", {}, 2, "`ConfigInvalid`", id="a misspelt code"),
    pytest.param("help XYZ", {}, 2, "`inject-proxy --help` lists", id="a code like no other"),
    pytest.param("targets kubelets", {}, 2, "`nodes.kubelet`", id="a misspelt target"),
    pytest.param("import tkg", {}, 2, "one file", id="an import of nothing"),
    pytest.param("import konvoy", {}, 2, "a proxy or a mirror", id="a command line without flags"),
    pytest.param("export tkg", {}, 2, "one file", id="an export into nothing"),
    pytest.param("export konvoy x.yaml --config proxy.yaml", {}, 2, "`konvoy`", id="a file for a command line"),
    pytest.param("export tkg - --in-place --config proxy.yaml", {}, 2, "`-`", id="a stream in place"),
    pytest.param("export tkg x --config proxy.yaml --labels west", {}, 2, "`--labels`", id="a label without a value"),
    pytest.param("init --yes", {}, 2, '"proxy.yaml"', id="a second init"),
    pytest.param("init --print --http-proxy ftp://x", {}, 2, "`--http-proxy`", id="an init with no URL"),
    pytest.param("init --yes cluster.yaml", {}, 2, '"cluster.yaml"', id="init of a file"),
    pytest.param("init", {"proxy.yaml": None}, 2, "no terminal", id="questions without a terminal"),
    pytest.param("run --config proxy.yaml -", {}, 2, "there is no manifest", id="nothing in a pipe"),
    pytest.param("run --check .", {"cluster.yaml": None}, 2, "name the folder", id="a check of no manifest"),
    # The ProxyConfig
    pytest.param("run .", {"proxy.yaml": None}, 2, "`inject-proxy init`", id="no ProxyConfig"),
    pytest.param("run .", {".gitignore": "proxy.yaml"}, 2, "`.gitignore`", id="a ProxyConfig that git ignores"),
    pytest.param("run .", MANY, 2, "a.yaml, b.yaml, c.yaml, proxy.yaml", id="several ProxyConfigs"),
    pytest.param("run .", field(f"a: b\n---\n{CONFIG}"), 2, "must hold only one", id="two in one file"),
    pytest.param("run --config cluster.yaml .", {}, 2, "holds no ProxyConfig", id="a manifest as ProxyConfig"),
    pytest.param("run .", config("/v1alpha1", "/v1"), 2, "`apiVersion: fn.inject-proxy.io/v1alpha1`", id="a version"),
    pytest.param("explain .", config("ProxyConfig", "ProxyConf"), 2, "`kind: ProxyConfig`", id="a kind"),
    pytest.param("run .", config("http://proxy.corp.example:3128", "{{ .x }}"), 2, "no template", id="a template"),
    pytest.param("explain .", config("http://proxy", "#@ data.values.proxy"), 2, "code of ytt", id="code of ytt"),
    pytest.param("run .", config("  httpP", "  <<: {mode: Stop}\n  httpP"), 1, " spec.mode:", id="a merge key"),
    pytest.param("run .", field("noProxy: ['u:pw@h']"), 1, "7:13 fn.inject-proxy.io", id="a password in a list"),
    pytest.param("run --check .", field("mode: Remove"), 2, "`--diff`", id="a check of a removal"),
    pytest.param("run --check .", field("mode: Injekt"), 1, "proxy.yaml:7:3 ", id="a check with a wrong mode"),
    pytest.param("run .", field("noproxy: []"), 1, "proxy.yaml:7:3 ", id="a field"),
    pytest.param("explain .", field("noproxy: []"), 1, "proxy.yaml:7:3 ", id="a field for explain"),
    pytest.param("export tkg x --config proxy.yaml", field("a: b"), 1, "proxy.yaml:7:3 ", id="a field for export"),
    pytest.param("run .", config("  httpP", "\thttpP"), 1, "proxy.yaml", id="a tab in the ProxyConfig"),
    pytest.param("run .", config("  httpP", "\N{NO-BREAK SPACE} httpP"), 1, "line 5 with blanks", id="other blanks"),
    pytest.param("run .", field("noProxy: [*.a]"), 1, "begins with `*`", id="a text without quotes"),
    # Manifests
    pytest.param("run --config proxy.yaml x.tar", {"x.tar": b"\0\1\xff"}, 2, "1 not UTF-8", id="a binary file"),
]


@pytest.mark.parametrize(("arguments", "files", "code", "names"), ROWS)
def test_an_error_names_what_is_wrong(tmp_path: Path, arguments: str, files: Files, code: int, names: str) -> None:
    given = {"cluster.yaml": NODES, "proxy.yaml": CONFIG, **files}
    write(tmp_path, {name: content for name, content in given.items() if content is not None})
    (tmp_path / "loop").symlink_to("loop")
    before = contents(tmp_path)
    done = inject_proxy("", *shlex.split(arguments), cwd=tmp_path)
    errors = [line for line in done.stderr.decode().splitlines() if line.startswith("[error] ")]
    assert done.returncode == code, done.stderr
    assert len(errors) == 1
    assert names in errors[0]
    assert done.stdout == b""
    assert contents(tmp_path) == before


@pytest.mark.parametrize("words", ["--httpProxy=http://u:S3CRET@h", "run --only=u:S3CRET@h .", "u:S3CRET@h"])
def test_no_error_about_an_argument_shows_a_credential(words: str, tmp_path: Path) -> None:
    done = inject_proxy("", *words.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert b"S3CRET" not in done.stderr
