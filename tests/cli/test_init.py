"""`inject-proxy init`: a first ProxyConfig, made of what a repository and the shell say."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import base64_of, inject_proxy, on_a_terminal, write

PROXY = "http://proxy.corp.example:3128"
LABEL = "cluster.x-k8s.io/cluster-name"
OTHER = "http://east.corp.example:8080"
THIRD = "http://third.corp.example:8080"
SECRET = "S3CRETpass"
WITH_PASSWORD = f"http://svc:{SECRET}@proxy.corp.example:3128"
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: NAME, namespace: org}
spec:
  clusterNetwork: {pods: {cidrBlocks: [10.244.0.0/16]}, services: {cidrBlocks: [10.96.0.0/12]}}
  controlPlaneEndpoint: {host: api.NAME.example, port: 6443}
"""
NODES = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: NAME-md-0, namespace: org, labels: {cluster.x-k8s.io/cluster-name: NAME}}
spec:
  template:
    spec:
      files:
      - path: /etc/systemd/system/containerd.service.d/http-proxy.conf
        content: |
          [Service]
          Environment="HTTP_PROXY=URL" "HTTPS_PROXY=URL"
          Environment="NO_PROXY=localhost,127.0.0.1,10.244.0.0/16,.corp.example,.NAME.internal"
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers:
      - {name: web, env: [{name: HTTPS_PROXY, value: "URL"}]}
"""
TKG = "TKG_HTTP_PROXY: URL\nTKG_HTTPS_PROXY: URL\nTKG_NO_PROXY: .tkg.example\n"
SHELL = {"https_proxy": "proxy.shell.example:8080", "NO_PROXY": "localhost,.shell.example"}


def nodes(name: str, url: str) -> str:
    return f"{CLUSTER}---\n{NODES}".replace("NAME", name).replace("URL", url)


def of_namespace(name: str, url: str, namespace: str) -> str:
    return nodes(name, url).replace("namespace: org", f"namespace: {namespace}")


def init(folder: Path, *argv: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    done = inject_proxy("", "init", *argv, cwd=folder, env=env)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def spec(text: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text)["spec"]
    return found


def urls(url: str) -> dict[str, str]:
    return {"httpProxy": url, "httpsProxy": url}


FOUND = [
    pytest.param(
        {"west.yaml": nodes("west", PROXY)},
        {**urls(PROXY), "noProxy": [".corp.example", ".west.internal"]},
        id="that of nodes, without what a run derives",
    ),
    pytest.param(
        {"west.yaml": nodes("west", PROXY), "east.yaml": nodes("east", OTHER), "w.yaml": WEB.replace("URL", PROXY)},
        {
            **urls(PROXY),
            "noProxy": [".corp.example", ".west.internal"],
            "overrides": [
                {
                    "match": {"clusters": ["east"], "namespaces": ["org"]},
                    **urls(OTHER),
                    "noProxy": [".corp.example", ".east.internal"],
                }
            ],
            "targets": {"workloads": {"choose": [{"kinds": ["Deployment"], "names": ["web"], "namespaces": ["shop"]}]}},
        },
        id="an override for the Cluster of another region, and a workload that nobody chose",
    ),
    pytest.param(
        {
            "main.yaml": of_namespace("b", PROXY, "ns1") + "---\n" + of_namespace("c", PROXY, "ns1"),
            "main2.yaml": of_namespace("d", PROXY, "ns1"),
            "two.yaml": of_namespace("a", OTHER, "ns1") + "---\n" + of_namespace("b", OTHER, "ns2"),
        },
        {
            **urls(PROXY),
            "noProxy": [".corp.example", ".b.internal", ".c.internal", ".d.internal"],
            "overrides": [
                {
                    "match": {"clusters": [name], "namespaces": [namespace]},
                    **urls(OTHER),
                    "noProxy": [".corp.example", ".a.internal", ".b.internal"],
                }
                for name, namespace in (("a", "ns1"), ("b", "ns2"))
            ],
        },
        id="an override for each namespace, so that a Cluster of the same name in another one keeps its proxy",
    ),
    pytest.param(
        {
            "main.yaml": nodes("a", PROXY) + "---\n" + nodes("b", PROXY),
            "c.yaml": nodes("c", OTHER)
            + "---\n"
            + NODES.replace("NAME-md-0", "c-md-1").replace("NAME", "c").replace("URL", THIRD),
        },
        {**urls(PROXY), "noProxy": [".corp.example", ".a.internal", ".b.internal", ".c.internal"]},
        id="no override for a Cluster with two other proxies",
    ),
    pytest.param(
        {"config.yaml": TKG.replace("URL", PROXY)},
        {**urls(PROXY), "noProxy": [".tkg.example"]},
        id="that of a file of TKG",
    ),
    pytest.param(
        {"west.yaml": nodes("west", "proxy.corp.example:3128")},
        {**urls(PROXY), "noProxy": [".corp.example", ".west.internal"]},
        id="one without a scheme",
    ),
    pytest.param(
        {"west.yaml": CLUSTER.replace("NAME", "west")},
        {**urls("http://proxy.shell.example:8080"), "noProxy": [".shell.example"]},
        id="that of the shell, where no file names one",
    ),
]


@pytest.mark.parametrize(("files", "expected"), FOUND)
def test_a_config_says_what_was_found_and_runs(tmp_path: Path, files: dict[str, str], expected: dict[str, Any]) -> None:
    write(tmp_path, {**files})
    env = SHELL if "shell" in str(expected) else {}
    printed = init(tmp_path, "--print", env=env)
    assert (printed.returncode, spec(printed.stdout)) == (0, expected), printed.stderr
    assert not (tmp_path / "proxy.yaml").exists()
    done = init(tmp_path, "--yes", env=env)
    assert done.stderr.endswith("created proxy.yaml\nnext: inject-proxy run --diff .\n")
    assert (tmp_path / "proxy.yaml").read_text() == printed.stdout
    ran = inject_proxy("", "run", ".", cwd=tmp_path)
    assert (ran.returncode, b"error]" in ran.stderr) == (0, False), ran.stderr


def preset(name: str, namespace: str, labels: str, image: str) -> str:
    text = WEB.replace(
        "{name: web, namespace: shop}", f"{{name: {name}, namespace: {namespace}, labels: {{{labels}}}}}"
    )
    return text.replace('{name: web, env: [{name: HTTPS_PROXY, value: "URL"}]}', f"{{name: {name}, image: {image}}}")


FLUX = preset("source-controller", "flux-system", "app.kubernetes.io/part-of: flux", "ghcr.io/fluxcd/source-controller")
ARGO_CD = preset(
    "argocd-repo-server", "argocd", "app.kubernetes.io/part-of: argocd", "quay.io/argoproj/argocd:v3.0.0"
).replace(
    "spec:\n  template:", "spec:\n  template:\n    metadata: {labels: {app.kubernetes.io/name: argocd-repo-server}}", 1
)


def release(chart: str) -> str:
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
        f"metadata: {{name: {chart}, namespace: apps}}\n"
        f"spec: {{chart: {{spec: {{chart: {chart}, sourceRef: {{kind: HelmRepository, name: charts}}}}}}}}\n"
    )


TWO_SOURCES = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: both, namespace: argocd}
spec:
  sources:
  - {repoURL: https://charts.example, chart: in-house, targetRevision: 1.0.0}
  - {repoURL: https://charts.example, chart: velero, targetRevision: 1.0.0}
"""
PROPOSED = [
    pytest.param({"a.yaml": FLUX, "b.yaml": ARGO_CD}, {"workloads": {"presets": ["argocd", "flux"]}}, id="presets"),
    pytest.param(
        {"a.yaml": release("velero"), "b.yaml": release("cert-manager"), "c.yaml": release("in-house")},
        {"charts": {"choose": [{"charts": ["cert-manager", "velero"]}]}},
        id="charts that are known",
    ),
    pytest.param({"a.yaml": TWO_SOURCES}, {"charts": {"choose": [{"charts": ["velero"]}]}}, id="the known one of two"),
    pytest.param(
        {"a.yaml": FLUX.replace("image:", f"env: [{{name: HTTPS_PROXY, value: '{PROXY}'}}], image:"), "b.yaml": WEB},
        {
            "workloads": {
                "presets": ["flux"],
                "choose": [{"kinds": ["Deployment"], "names": ["web"], "namespaces": ["shop"]}],
            }
        },
        id="no name of a workload that a preset chooses, but of one with another proxy",
    ),
    pytest.param(
        {"b.yaml": WEB.replace("name: web,", "name: 'https://user:s3cret@host.example',", 1)},
        {},
        id="no name that holds a credential",
    ),
    pytest.param({"a.yaml": nodes("a", PROXY)}, {}, id="nothing"),
]


@pytest.mark.parametrize(("files", "targets"), PROPOSED)
def test_presets_and_charts_are_chosen_by_name(tmp_path: Path, files: dict[str, str], targets: dict[str, Any]) -> None:
    write(tmp_path, {**files})
    done = init(tmp_path, "--yes", "--http-proxy", PROXY)
    assert spec((tmp_path / "proxy.yaml").read_text()).get("targets", {}) == targets, done.stderr
    run = inject_proxy("", "run", ".", cwd=tmp_path)
    assert (run.returncode, b"0 errors" in run.stderr) == (0, True), run.stderr
    assert b"0 files changed" in inject_proxy("", "run", ".", cwd=tmp_path).stderr


def test_the_command_line_goes_before_the_shell(tmp_path: Path) -> None:
    done = init(tmp_path, "--print", "--http-proxy", "http://option:1", "--no-proxy", "10.0.0.0/8", env=SHELL)
    assert spec(done.stdout) == {**urls("http://option:1"), "noProxy": ["10.0.0.0/8"]}


def test_what_a_person_says_is_for_every_cluster(tmp_path: Path) -> None:
    write(tmp_path, {"sample.yaml": nodes("sample", OTHER)})
    written = spec(init(tmp_path, "--print", env={"HTTPS_PROXY": PROXY}).stdout)
    assert written == {**urls(PROXY), "noProxy": [".corp.example", ".sample.internal"]}


def test_the_largest_file_has_25_lines_and_no_comment_but_the_first(tmp_path: Path) -> None:
    files = {"kustomization.yaml": "resources: [a.yaml]\n", "flux.yaml": FLUX, "chart.yaml": release("velero")}
    for number in range(9):
        region = f"http://region-{number}.example:8080"
        files[f"{number}.yaml"] = of_namespace(f"c{number}", region, f"ns{number}")
        web = WEB.replace("URL", region).replace("namespace: shop", f"namespace: shop-{number}")
        files[f"web-{number}.yaml"] = web.replace("metadata: {", f"metadata: {{labels: {{{LABEL}: c{number}}}, ")
    files["more.yaml"] = nodes("more", "http://region-0.example:8080")
    write(tmp_path, files)
    text = init(tmp_path, "--print").stdout
    assert 'config.kubernetes.io/function: "exec: {path: inject-proxy}"' in text
    lines = text.splitlines()
    assert (len(lines) <= 25, [line for line in lines[1:] if "#" in line]) == (True, [])
    assert spec(text).keys() >= {"overrides", "targets"}


PASSWORDS = [
    pytest.param({"a.yaml": nodes("a", WITH_PASSWORD)}, {}, id="in a manifest"),
    pytest.param({"a.yaml": nodes("a", WITH_PASSWORD), "b.yaml": nodes("b", PROXY)}, {}, id="of one of two"),
    pytest.param(
        {
            "a.yaml": nodes("a", PROXY),
            "b.yaml": nodes("b", PROXY),
            "c.yaml": nodes("c", WITH_PASSWORD.replace("corp", "x")),
        },
        {},
        id="of another proxy",
    ),
    pytest.param({"a.yaml": nodes("a", base64_of(WITH_PASSWORD)), "b.yaml": nodes("b", PROXY)}, {}, id="base64 host"),
    pytest.param({}, {"HTTPS_PROXY": WITH_PASSWORD, "NO_PROXY": f"user:{SECRET}@host"}, id="in the shell"),
]


@pytest.mark.parametrize(("files", "env"), PASSWORDS)
def test_no_password_is_written(tmp_path: Path, files: dict[str, str], env: dict[str, str]) -> None:
    write(tmp_path, {**files})
    done = init(tmp_path, "--print", env=env)
    assert done.returncode == 0
    shown = done.stdout + done.stderr
    assert SECRET not in shown
    assert base64_of(WITH_PASSWORD) not in shown
    assert "svc" not in shown.replace(".svc", "")


def test_the_secret_that_is_advised_is_what_a_run_reads(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": nodes("a", WITH_PASSWORD)})
    done = init(tmp_path, "--yes")
    assert done.returncode == 0
    text = (tmp_path / "proxy.yaml").read_text()
    assert spec(text)["from"] == [{"kind": "Secret", "name": "inject-proxy"}]
    assert "  kubectl create secret generic inject-proxy --dry-run=client" in done.stderr
    values = f"http_proxy: {WITH_PASSWORD}\nhttps_proxy: {WITH_PASSWORD}\n"
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "inject-proxy"}}
    data = {"proxy.yaml": base64_of(values)}
    write(tmp_path, {"inject-proxy.yaml": yaml.safe_dump({**secret, "data": data})})
    ran = inject_proxy("", "run", ".", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert WITH_PASSWORD in (tmp_path / "a.yaml").read_text()


def test_a_file_that_is_there_stays_and_a_link_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "repo", {"proxy.yaml": "a: b\n"})
    done = init(tmp_path / "repo", "--yes", "--http-proxy", PROXY)
    assert (done.returncode, (tmp_path / "repo/proxy.yaml").read_text()) == (1, "a: b\n")
    (tmp_path / "repo/proxy.yaml").unlink()
    (tmp_path / "repo/proxy.yaml").symlink_to("../outside.yaml")
    assert init(tmp_path / "repo", "--yes", "--http-proxy", PROXY).returncode == 1
    assert not (tmp_path / "outside.yaml").exists()


REFUSED = [
    pytest.param(["--no-proxy", "10.0.0.0/33"], "must be a whole address or CIDR", id="a prefix that is too long"),
    pytest.param(["--no-proxy", "10.0.0.0/8,http://x.example"], "an entry must not be a URL", id="a URL"),
    pytest.param(["--no-proxy", f"svc:{SECRET}@x"], "an entry must not hold user name and password", id="a password"),
    pytest.param(["--http-proxy", f"http://svc:{SECRET}@x@p:1"], "percent-encoded", id="a password as it is"),
    pytest.param(["--http-proxy", "socks5://proxy:1080"], "speak no SOCKS", id="SOCKS"),
    pytest.param(["--http-proxy", "http://proxy/proxy.pac"], "read no PAC file", id="a PAC file"),
    pytest.param(["--http-proxy", "http://proxy:99999"], "a port from 1 to 65535", id="a port"),
]


@pytest.mark.parametrize(("argv", "says"), REFUSED)
def test_a_wrong_value_is_refused_with_the_reason(tmp_path: Path, argv: list[str], says: str) -> None:
    done = init(tmp_path, "--yes", "--http-proxy", PROXY, *argv)
    assert (done.returncode, says in done.stderr, SECRET in done.stderr) == (2, True, False), done.stderr
    assert not (tmp_path / "proxy.yaml").exists()


@pytest.mark.parametrize("url", ["", "socks5://x:1", "${PROXY}"])
def test_a_shell_without_a_usable_url_is_no_reason_to_write_another_one(tmp_path: Path, url: str) -> None:
    write(tmp_path, {"a.yaml": nodes("a", PROXY)} if url else {})
    done = init(tmp_path, "--yes", env={"HTTPS_PROXY": url})
    assert (done.returncode, "http" in done.stderr, (tmp_path / "proxy.yaml").exists()) == (2, True, False)


NETWORK = "10.20.0.0/16\n"
ANSWERS = [
    pytest.param({"west.yaml": nodes("west", PROXY)}, NETWORK, {"httpProxy": PROXY}, "Networks", id="found"),
    pytest.param({}, f"http://p:1\n{NETWORK}", {"httpProxy": "http://p:1"}, "URL of the proxy", id="none"),
    pytest.param(
        {}, f"x y\nhttp://p:1\n{NETWORK}", {"httpProxy": "http://p:1"}, "must not hold blanks", id="a wrong URL"
    ),
    pytest.param({}, f"http://p:1\nfoo\n{NETWORK}", {"httpProxy": "http://p:1"}, 'entry "foo" must', id="a network"),
    pytest.param({}, f"{WITH_PASSWORD}\n\n", {"from": [{"kind": "Secret", "name": "inject-proxy"}]}, "", id="password"),
    pytest.param({}, "\n\x04", None, "no answer came, so nothing was written", id="the end of the input"),
]


@pytest.mark.parametrize(("files", "answers", "expected", "says"), ANSWERS)
def test_a_terminal_is_asked(
    tmp_path: Path, files: dict[str, str], answers: str, expected: dict[str, Any] | None, says: str
) -> None:
    write(tmp_path, {**files})
    code, shown = on_a_terminal(["init"], tmp_path, "stdin", "stderr", typed=answers)
    assert code == (0 if expected else 2), shown
    assert says in shown
    written = tmp_path / "proxy.yaml"
    assert written.exists() == (expected is not None)
    if expected is not None:
        text = written.read_text()
        assert spec(text).items() >= expected.items()
        assert ("10.20.0.0/16" in spec(text).get("noProxy", [])) == ("10.20.0.0/16" in answers)
        assert SECRET not in text
