"""`run --diff` ends with what a reviewer asks: which Clusters, which nodes are replaced, where credentials get to."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support import TIME_LIMIT, inject_proxy, on_a_terminal

CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec:
  httpProxy: http://svc:S3CR3T99@proxy.corp.example:3128
  httpsProxy: http://proxy.corp.example:3128
  noProxy: [.corp.example]
"""
NODES = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {{name: {0}, namespace: org}}
spec:
  clusterNetwork: {{pods: {{cidrBlocks: [192.168.0.0/16]}}, services: {{cidrBlocks: [10.96.0.0/12]}}}}
  controlPlaneEndpoint: {{host: 10.0.0.1, port: 6443}}
  controlPlaneRef: {{apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: {0}}}
  infrastructureRef: {{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: VSphereCluster, name: {0}}}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: {0}
  namespace: org
spec:
  replicas: 3
  version: v1.31.0
  kubeadmConfigSpec:
    clusterConfiguration: {{}}
    initConfiguration: {{}}
    files: []
  machineTemplate: {{infrastructureRef: {{kind: VSphereMachineTemplate, name: {0}}}}}
"""
SECRET = """\
apiVersion: v1
kind: Secret
metadata: {name: one-systemd-proxy, namespace: org}
stringData:
  containerdProxy: |
    [Service]
  other: hunter22
"""
NO_PASSWORD = CONFIG.replace("svc:S3CR3T99@", "")
DEPLOYMENT = """\
apiVersion: apps/v1
kind: {1}
metadata:
  name: {0}
  annotations:
    fn.inject-proxy.io/proxy: "true"
spec:
  template:
    spec:
      containers:
      - name: a
        image: a
"""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.yaml")}


FILES = "`spec.kubeadmConfigSpec.files[-].content`"
COMMANDS = "`spec.kubeadmConfigSpec.preKubeadmCommands`"


def diff(folder: Path, *options: str) -> tuple[str, str]:
    """The diff, and what standard error says behind warnings and names of files."""
    done = inject_proxy("", "run", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    for secret in (b"S3CR3T99", b"hunter22"):
        assert secret not in done.stdout + done.stderr
    lines = done.stderr.decode().splitlines()
    shown = [line for line in lines if line[0] != "[" and not re.match(r"would (change|create) \S+$", line)]
    return done.stdout.decode(), "".join(f"{line}\n" for line in shown[:-1])


def fleet(folder: Path, number: int, config: str = CONFIG) -> list[str]:
    names = [f"c{at:02}" for at in range(number)]
    write(folder, {"proxy.yaml": config, **{f"clusters/{name}.yaml": NODES.format(name) for name in names}})
    return [f"clusters/{name}.yaml" for name in names]


def test_the_summary_names_clusters_nodes_credentials_and_keys(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "one.yaml": NODES.format("one"), "secret.yaml": SECRET})
    assert diff(tmp_path, "--diff")[1] == (
        "would change objects of 1 Cluster (org/one)\n"
        "would replace nodes (control plane) of 1 Cluster (org/one): its specification changes\n"
        f"would write a credential to {FILES}, {COMMANDS} of KubeadmControlPlane org/one\n"
        "would write a credential to `stringData.containerdProxy` of Secret org/one-systemd-proxy\n"
        "would change the key `containerdProxy` of Secret org/one-systemd-proxy\n"
        "the diff hides credentials in 15 lines, and is no patch there\n"
    )


@pytest.mark.parametrize(
    ("config", "manifest", "expected"),
    [
        pytest.param(NO_PASSWORD, NODES.format("one"), "credential", id="no credential"),
        pytest.param(NO_PASSWORD + "  mode: Check\n", NODES.format("one"), "would", id="nothing that changes"),
        pytest.param(CONFIG, DEPLOYMENT.format("a", "Deployment"), "nodes", id="no nodes"),
    ],
)
def test_the_summary_says_nothing_of_what_is_not(tmp_path: Path, config: str, manifest: str, expected: str) -> None:
    write(tmp_path, {"proxy.yaml": config, "one.yaml": manifest})
    done = inject_proxy("", "run", "--diff", cwd=tmp_path)
    lines = [line for line in done.stderr.decode().splitlines()[:-1] if line[0] != "["]
    assert not [line for line in lines if expected in line]


def test_a_credential_that_was_there_before_is_not_written(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "one.yaml": NODES.format("one")})
    assert inject_proxy("", "run", cwd=tmp_path).returncode == 0
    write(tmp_path, {"proxy.yaml": CONFIG.replace(".corp.example]", ".corp.example, .other.example]")})
    shown = diff(tmp_path, "--diff")[1]
    assert "would replace nodes (control plane)" in shown
    assert "would write a credential" not in shown


def test_objects_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "a.yaml": NODES.format("one"), "b.yaml": NODES.format("one")})
    of = f"would write a credential to {FILES}, {COMMANDS} of KubeadmControlPlane "
    assert f"{of}org/one (a.yaml), org/one (b.yaml)\n" in diff(tmp_path, "--diff")[1]


def test_a_run_that_removes_names_the_keys_of_secrets(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "one.yaml": NODES.format("one"), "secret.yaml": SECRET})
    assert inject_proxy("", "run", cwd=tmp_path).returncode == 0
    write(tmp_path, {"proxy.yaml": CONFIG + "  mode: Remove\n"})
    shown = diff(tmp_path, "--diff")[1]
    assert "key `containerdProxy` of Secret org/one-systemd-proxy" in shown
    assert "would write a credential" not in shown


def test_of_many_clusters_three_are_named_and_all_with_verbose(tmp_path: Path) -> None:
    fleet(tmp_path, 50)
    line = "would change objects of 50 Clusters (org/c00, org/c01, org/c02"
    assert f"{line} and 47 more)\n" in diff(tmp_path, "--diff")[1]
    assert f"{line}, org/c03, " in diff(tmp_path, "--diff", "--verbose")[1]


def test_equal_hunks_of_fifty_clusters_are_there_once_with_the_list_of_files(tmp_path: Path) -> None:
    first, *others = fleet(tmp_path, 50)
    different = others.pop(6)
    content = (tmp_path / different).read_text()
    write(tmp_path, {different: content.replace("10.0.0.1", "10.0.0.7")})
    shown, summary = diff(tmp_path, "--diff=grouped")
    assert re.findall("(?m)^[+]{3} b/(.*)", shown) == [first, different]
    assert shown.count("\n@@ line 21 @@\n") == 2
    listed = " ".join(line[2:] for line in shown.splitlines() if line.startswith("= "))
    assert listed == f"the same in 48 other places: {', '.join(others)}"
    assert "the diff shows equal hunks once, and is no patch: `--diff=full` shows all\n" in summary
    whole, _ = diff(tmp_path, "--diff=full")
    assert re.findall("(?m)^[+]{3} b/(.*)", whole) == sorted([first, different, *others])
    assert whole == diff(tmp_path, "--diff")[0]


def patched(folder: Path, patch: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", "apply", "-"], cwd=folder, input=patch.encode(), timeout=TIME_LIMIT, capture_output=True, check=False
    )


def test_git_takes_the_full_diff_of_a_fleet_and_refuses_the_grouped_one(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    fleet(folder, 50, NO_PASSWORD)
    other = shutil.copytree(folder, tmp_path / "b")
    refused = patched(other, diff(folder, "--diff=grouped")[0])
    assert (refused.returncode, contents(other)) == (128, contents(folder))
    assert patched(other, diff(folder, "--diff")[0]).returncode == 0
    assert inject_proxy("", "run", cwd=folder).returncode == 0
    assert contents(other) == contents(folder)


@pytest.mark.parametrize(
    ("option", "number"),
    [
        pytest.param("--diff", 1, id="equal hunks once"),
        pytest.param("--diff=full", 3, id="all"),
    ],
)
def test_on_a_terminal_equal_hunks_are_there_once(tmp_path: Path, option: str, number: int) -> None:
    fleet(tmp_path, 3)
    shown = on_a_terminal(["run", option], tmp_path, "stdout", {"NO_COLOR": "1"})
    assert shown.count(b"+++ b/clusters/") == number


@pytest.mark.parametrize(
    ("files", "headers"),
    [
        pytest.param(
            {"a.yaml": DEPLOYMENT.format("a", "Deployment"), "b.yaml": DEPLOYMENT.format("b", "DaemonSet")},
            2,
            id="of objects of two kinds",
        ),
        pytest.param(
            {
                "a.yaml": DEPLOYMENT.format("a", "Deployment"),
                "b.yaml": DEPLOYMENT.format("b", "Deployment").replace("containers:", "initContainers:"),
            },
            2,
            id="in two fields",
        ),
        pytest.param(
            {
                "a.yaml": DEPLOYMENT.format("a", "Deployment"),
                "b.yaml": DEPLOYMENT.format("b", "Deployment").replace("- name: a", "- name: b"),
            },
            2,
            id="of two containers",
        ),
        pytest.param(
            {"a.yaml": DEPLOYMENT.format("a", "Deployment"), "b.yaml": DEPLOYMENT.format("b", "Deployment")},
            1,
            id="of two objects of one kind",
        ),
    ],
)
def test_equal_lines_in_other_places_are_no_equal_hunks(tmp_path: Path, files: dict[str, str], headers: int) -> None:
    write(tmp_path, {"proxy.yaml": NO_PASSWORD, **files})
    assert diff(tmp_path, "--diff=grouped")[0].count("+++ b/") == headers


def test_equal_hunks_of_one_file_are_there_once_with_their_lines(tmp_path: Path) -> None:
    between = "# between\n" * 8
    objects = f"{between}---\n".join(DEPLOYMENT.format(name, "Deployment") for name in "abc")
    write(tmp_path, {"proxy.yaml": NO_PASSWORD, "a.yaml": objects})
    shown = diff(tmp_path, "--diff=grouped")[0]
    assert shown.count("\n@@ line ") == 1
    assert re.findall("(?m)^= .*", shown) == [
        "= the same in 2 other places: a.yaml:42, a.yaml:77",
        "= 2 hunks of this file: see above",
    ]


def test_a_line_says_how_many_hunks_are_the_same_elsewhere(tmp_path: Path) -> None:
    between = "# between\n" * 8 + "---\n"
    parts = {
        name: [DEPLOYMENT.format(f"{name}-{kind.lower()}", kind) for kind in ("Deployment", "StatefulSet")]
        for name in "ab"
    }
    parts["a"].insert(0, DEPLOYMENT.format("only-here", "DaemonSet"))
    files = {f"{name}.yaml": between.join(objects) for name, objects in parts.items()}
    write(tmp_path, {"proxy.yaml": NO_PASSWORD, **files})
    shown = diff(tmp_path, "--diff=grouped")[0]
    assert shown.count("\n@@ line ") == 3
    assert re.findall("(?m)^= .*", shown) == ["= the last 2 hunks are the same in 1 other place: b.yaml"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--diff=short"], b'`--diff` must be one of auto, full, grouped, not "short"', id="another form"),
        pytest.param(["--diff", "--output", "json"], b"`--output` must be with `--check`", id="with a report"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], said: bytes) -> None:
    fleet(tmp_path, 1)
    done = inject_proxy("", "run", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
