"""`inject-proxy run`: files, folders and streams, as a shell sees them."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support import COMMAND, ROOT, TIME_LIMIT, inject_proxy, need, on_a_terminal, unified_diff

CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata:
  name: proxy
spec:
  httpProxy: http://svc:S3CRET@proxy.corp.example:3128
  noProxy: [.corp.example]   # ours
"""
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: prod
  namespace: org
spec:
  controlPlaneEndpoint: {host: 10.1.2.3, port: 6443}
  clusterNetwork:
    pods: {cidrBlocks: [172.20.0.0/16]}
    services: {cidrBlocks: [172.30.0.0/16]}
"""
NODES = """\
# the workers
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata:
  name: prod-md-0   # by hand
  namespace: org
  labels: {cluster.x-k8s.io/cluster-name: prod}
spec:
  files:
  -   path: /etc/motd
      content: "hello"
"""
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {a:   b}   # as it is\n"
SERVICE = OTHER.replace("ConfigMap", "Service")
TEMPLATE = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, env: [{name: NO_PROXY, value: "*.corp.example"}]}]}}}
"""
PATCH = NODES.replace("# the workers\n", "").split("  files:", 1)[0] + "  preKubeadmCommands: [echo]\n"
SOPS = """\
apiVersion: v1
kind: Secret
metadata: {name: prod-systemd-proxy, namespace: org}
stringData:
    containerdProxy: ENC[AES256_GCM,data:aaaa,iv:bbbb,tag:cccc,type:str]
sops:
    mac: ENC[AES256_GCM,data:aaaa,iv:bbbb,tag:cccc,type:str]
    version: 3.9.0
"""


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(folder: Path, *argv: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    done = inject_proxy(stdin, "run", *argv, cwd=folder)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        {
            "proxy.yaml": CONFIG,
            "clusters/prod.yaml": CLUSTER,
            "nodes/md-0.yaml": NODES,
            "other.yaml": OTHER,
            "chart/Chart.yaml": "apiVersion: v2\nname: web\nkind: none\n",
            "chart/values.yaml": "apiVersion: v1\nkind: Deployment\n",
            "chart/templates/web.yaml": TEMPLATE,
            "overlay/kustomization.yaml": "resources: [../nodes/md-0.yaml]\npatches:\n- path: patch.yaml\n",
            "overlay/patch.yaml": PATCH,
            "jinja.yaml": TEMPLATE,
            "ci.yaml": "stages: [test]\n",
            "Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\n",
            ".github/workflows/nodes.yaml": NODES,
        },
    )


def test_only_manifests_that_need_the_proxy_change(tree: Path) -> None:
    before = contents(tree)
    done = run(tree)
    after = contents(tree)
    assert (done.returncode, done.stdout) == (0, "")
    assert [name for name in before if before[name] != after.pop(name)] == ["nodes/md-0.yaml"]
    assert after == {}
    assert "changed nodes/md-0.yaml\n" in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "inject-proxy run: 11 files read; left alone: 3 of Helm charts, 1 patch or input of a kustomization, "
        "1 template, 2 no manifests; 4 documents, 1 file changed; 0 errors, 2 warnings"
    )
    assert "S3CRET" not in done.stderr


def test_files_that_are_left_alone_are_named_on_request_and_those_of_another_encoding_always(tree: Path) -> None:
    (tree / "latin.yaml").write_bytes(NODES.encode() + b"# Gr\xfc\xdfe\n")
    assert [line for line in run(tree).stderr.splitlines() if line.startswith("left alone")] == [
        "left alone: latin.yaml (not UTF-8: save it so if it is a manifest)"
    ]
    named = [line for line in run(tree, "--verbose").stderr.splitlines() if line.startswith("left alone: ")]
    assert len(named) == 8
    assert "left alone: chart/templates/web.yaml (of a Helm chart)" in named


def test_objects_of_all_files_are_one_list(tree: Path) -> None:
    run(tree, "proxy.yaml", "nodes", "clusters")
    assert "172.20.0.0/16,172.30.0.0/16" in (tree / "nodes/md-0.yaml").read_text()


def test_a_second_run_writes_nothing(tree: Path) -> None:
    run(tree)
    before = {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    done = run(tree)
    assert "0 files changed" in done.stderr
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*")} == before


BYTES = {
    "comments, odd indents and blank lines": f"\n# above\n\n{OTHER}---\n\n{NODES}\n\n# below\n\n",
    "line breaks of Windows": f"{OTHER}---\n{NODES}".replace("\n", "\r\n"),
    "a byte order mark": f"\ufeff{OTHER}---\n{NODES}",
    "a byte order mark inside, as `cat` leaves it": f"{OTHER}---\n\ufeff{NODES}",
    "no line break at the end": f"{NODES}---\n{OTHER}".removesuffix("\n"),
    "separators with comments, and an empty document": f"--- # first\n{OTHER}---\n---\n{NODES}--- \n",
    "documents that end with dots": f"{OTHER}...\n---\n{NODES}...\n",
    "a list of objects": "apiVersion: v1\nkind: List\nitems:\n"
    + "".join(("- " if not at else "  ") + line for at, line in enumerate(NODES.splitlines(keepends=True)[1:])),
    "a template of Kyverno that is YAML": OTHER.replace("a:   b", 'a: "{{request.x}}"') + f"---\n{NODES}",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in BYTES.items()])
def test_the_bytes_around_an_edit_stay_and_come_back(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "a.yaml": CLUSTER, "b.yaml": text})
    assert run(tmp_path).returncode == 0
    after = (tmp_path / "b.yaml").read_bytes().decode()
    kept = [line for line in text.split("\n") if line]
    lines = iter(after.split("\n"))
    assert all(line in lines for line in kept)  # in their order
    assert "http-proxy.conf" in after
    write(tmp_path, {"proxy.yaml": CONFIG + "  mode: Remove\n"})
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "b.yaml").read_bytes().decode() == text


GENERATE = CONFIG + "  targets: {giantswarmSystemdProxy: {generate: true}}\n"
CREATED_BESIDE = {
    "a file of one document": CLUSTER,
    "a file of several documents": f"{CLUSTER}---\n{OTHER}",
    "a file without a line break at its end": CLUSTER.removesuffix("\n"),
    "a separator at the end": f"{CLUSTER}---\n",
    "line breaks of Windows": CLUSTER.replace("\n", "\r\n"),
    "comments behind the last document": f"{CLUSTER}# end\n\n",
    "dots behind the last document": f"{CLUSTER}...\n",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in CREATED_BESIDE.items()])
def test_a_created_object_is_a_document_of_the_file_of_its_cluster(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"proxy.yaml": GENERATE, "cluster.yaml": text})
    done = run(tmp_path, "-v")
    after = (tmp_path / "cluster.yaml").read_bytes().decode()
    assert done.returncode == 0
    assert "[info] cluster.yaml v1/Secret/org/prod-systemd-proxy: created" in done.stderr
    assert after.startswith(text.removesuffix("---\n"))
    assert after.count("name: prod-systemd-proxy") == 1
    assert "0 files changed" in run(tmp_path).stderr
    write(tmp_path, {"proxy.yaml": GENERATE + "  mode: Remove\n"})
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "cluster.yaml").read_bytes().decode() == text


def test_beside_json_a_created_object_gets_a_file_that_goes_with_it(tmp_path: Path) -> None:
    cluster = {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": "prod", "namespace": "org"},
    }
    before = contents(write(tmp_path, {"proxy.yaml": GENERATE, "c/cluster.json": json.dumps(cluster)}))
    assert "created c/secret-org-prod-systemd-proxy.yaml" in run(tmp_path).stderr
    assert (tmp_path / "c/secret-org-prod-systemd-proxy.yaml").read_text().startswith("apiVersion: v1\nkind: Secret\n")
    write(tmp_path, {"proxy.yaml": GENERATE + "  mode: Remove\n"})
    assert "removed c/secret-org-prod-systemd-proxy.yaml" in run(tmp_path).stderr
    assert contents(tmp_path).keys() == before.keys()


NAMES_OF_CLUSTERS = {
    "a path to another folder": "/../../../outside/evil",
    "a path with backslashes": "..\\..\\outside",
    "capital letters, that some file systems ignore": "PROD",
    "letters of other scripts": "\u0440\u0440\u043e\u0434",
    "a line break and a null character": "a\n\0b",
    "longer than the name of a file can be": "a" * 300,
}


@pytest.mark.parametrize(
    "options", [pytest.param([], id="in place"), pytest.param(["--output-dir", "../out"], id="copy")]
)
@pytest.mark.parametrize("name", [pytest.param(name, id=case) for case, name in NAMES_OF_CLUSTERS.items()])
def test_no_name_of_an_object_decides_where_a_new_file_lies(tmp_path: Path, name: str, options: list[str]) -> None:
    clusters = [
        {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": {"name": each, "namespace": "org"}}
        for each in ("prod", name)
    ]
    given = {f"c/{number}.json": json.dumps(cluster) for number, cluster in enumerate(clusters)}
    tree = write(tmp_path / "repo" / "tree", {"proxy.yaml": GENERATE, **given})
    done = run(tree, *options)
    assert done.returncode == 0, done.stderr
    written = tree.parent / "out" if options else tree
    made = [
        path for path in tmp_path.rglob("*") if path.is_file() and path.name not in {"0.json", "1.json", "proxy.yaml"}
    ]
    assert written / "c/secret-org-prod-systemd-proxy.yaml" in made
    assert len(made) == len(clusters)
    for file in made:
        assert file.parent == written / "c"
        assert re.fullmatch("[a-z0-9.-]{1,255}", file.name)
    assert "0 files changed" in run(written).stderr


def test_a_new_object_gets_no_file_whose_name_differs_in_capital_letters_only(tmp_path: Path) -> None:
    config = CONFIG + "  targets: {kyvernoPolicies: {generate: MutatingPolicy}}\n"
    before = contents(write(tmp_path, {"proxy.yaml": config, "MutatingPolicy-inject-proxy.yaml": OTHER}))
    done = run(tmp_path)
    assert done.returncode == 1
    assert '"MutatingPolicy-inject-proxy.yaml" exists' in done.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("kustomization", "is_noted"),
    [
        pytest.param("resources: [nodes.yaml]\n", True, id="lists other files"),
        pytest.param("resources: [./mutatingpolicy-inject-proxy.yaml]\n", False, id="lists it"),
        pytest.param("resources: [\n", False, id="no YAML"),
        pytest.param(None, False, id="no kustomization"),
    ],
)
def test_a_new_file_that_the_kustomization_lacks_is_noted(tmp_path: Path, kustomization: Any, is_noted: bool) -> None:
    config = f"{CONFIG}  targets: {{kyvernoPolicies: {{generate: MutatingPolicy}}}}\n"
    write(tmp_path, {"proxy.yaml": config, "nodes.yaml": NODES})
    if kustomization:
        write(tmp_path, {"kustomization.yaml": kustomization})
    note = "add mutatingpolicy-inject-proxy.yaml to `resources` in kustomization.yaml, which does not list it\n"
    for argv in (["--diff"], []):
        assert (note in run(tmp_path, *argv).stderr) == is_noted
    assert (tmp_path / "mutatingpolicy-inject-proxy.yaml").exists()


def test_what_sops_has_encrypted_is_neither_edited_nor_created_again(tmp_path: Path) -> None:
    files = write(tmp_path, {"proxy.yaml": GENERATE, "cluster.yaml": CLUSTER, "secret.yaml": SOPS})
    before = contents(files)
    done = run(tmp_path)
    assert "1 encrypted by SOPS" in done.stderr
    assert "secret.yaml v1/Secret/org/prod-systemd-proxy sops: Encrypted: " in done.stderr
    assert contents(tmp_path) == before


IGNORED = [
    pytest.param({".gitignore": "nodes/\n"}, [], id="gitignore"),
    pytest.param({"nodes/.gitignore": "*\n"}, [], id="gitignore of the folder"),
    pytest.param({".krmignore": "md-*.yaml\n"}, [], id="krmignore"),
    pytest.param({}, ["--exclude", "nodes/"], id="exclude a folder"),
    pytest.param({}, ["--exclude=/nodes/**", "--exclude", "x"], id="exclude twice"),
    pytest.param({}, ["--exclude", "md-0.yaml", "proxy.yaml", "nodes/md-0.yaml"], id="exclude a file that is named"),
]


@pytest.mark.parametrize(("files", "argv"), IGNORED)
def test_what_is_ignored_is_not_read(tree: Path, files: dict[str, str], argv: list[str]) -> None:
    write(tree, files)
    assert run(tree, *argv).returncode == 0
    assert (tree / "nodes/md-0.yaml").read_text() == NODES


def test_a_file_that_is_named_is_read_although_git_ignores_it(tree: Path) -> None:
    write(tree, {".gitignore": "nodes/\n"})
    run(tree, "proxy.yaml", "nodes/md-0.yaml")
    assert (tree / "nodes/md-0.yaml").read_text() != NODES


def test_the_diff_is_masked_and_nothing_is_written(tmp_path: Path) -> None:
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: prod-systemd-proxy, namespace: org}\n"
    secret += "stringData:\n  containerdProxy: |\n    # hunter2\n    [Service]\n  token: hunter2\n"
    write(tmp_path, {"proxy.yaml": CONFIG, "a.yaml": CLUSTER + secret, "b.yaml": NODES})
    before = contents(tmp_path)
    done = run(tmp_path, "--diff")
    assert (done.returncode, contents(tmp_path)) == (0, before)
    for word in ("S3CRET", "hunter2", "\x1b"):
        assert word not in done.stdout
    assert done.stdout.startswith("--- a/a.yaml\n+++ b/a.yaml\n@@ -")
    assert '\n+        Environment="HTTP_PROXY=http://svc:***@proxy.corp.example:3128"\n' in done.stdout
    assert "\n   token: ***\n" in done.stdout
    assert "would change b.yaml" in done.stderr


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        pytest.param(
            '[{a: "http://u:S1@h:1", b: me@x.example, c: http://v:S1@h:2}, {d: git@host}]',
            '[{a: "http://u:***@h:1", b: me@x.example, c: http://v:***@h:2}, {d: git@host}]',
            id="members behind a password stay",
        ),
        pytest.param("{a: nginx:1.2, b: me@x, c: u:S1@h}", "{a: nginx:1.2, b: me@x, c: u:***@h}", id="no scheme"),
        pytest.param('{"a":"b:1.2","c":"d@e","f":"u:S1@h"}', '{"a":"b:1.2","c":"d@e","f":"u:***@h"}', id="JSON"),
        pytest.param("{a: 'http://u:S1', b: me@x}", "{a: 'http://u:***', b: me@x}", id="a host was forgotten"),
        pytest.param("{a: http://u:S1,S1@h, b: c}", "{a: http://u:***@h, b: c}", id="a password with a comma"),
        pytest.param("{a: http://u:1,S1@h, b: c}", "{a: http://u:***@h, b: c}", id="a password like a port"),
        pytest.param("{a: http://u:S1, S1@h, b: c}", "{a: http://u:***@h, b: c}", id="with a comma and a blank"),
        pytest.param("a: http://u:S1 #S1@h", "a: http://u:***@h", id="with what begins a comment"),
        pytest.param("a: [x:S1,S1@h, b]", "a: [x:***@h, b]", id="no scheme, a password with a comma"),
        pytest.param("{HTTP_PROXY: u:S1,S1, b: c}", "{HTTP_PROXY: ***, b: c}", id="a password alone with a comma"),
        pytest.param('{a: "http://u:S1"S1@h", b: c}', "***", id="no YAML"),
    ],
)
def test_the_diff_masks_each_value_of_a_line_by_itself(line: str, shown: str) -> None:
    assert unified_diff("a.yaml", None, f"{line}\n".encode(), has_colours=False)[-1] == f"+{shown}"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param('"http://u:S1\\\n  S1@h"', id="in double quotes, with an escaped line break"),
        pytest.param("'http://u:S1\n  S1@h'", id="in single quotes"),
        pytest.param("http://u:S1\n  S1@h", id="without quotes"),
    ],
)
def test_the_diff_hides_a_password_that_is_on_two_lines(value: str) -> None:
    shown = unified_diff("a.yaml", None, f"a: {value}\nb: x@y\n".encode(), has_colours=False)
    assert shown[-3:] == ["+a: ***", "+  ***", "+b: x@y"]


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param(NODES, id="line feeds"),
        pytest.param(NODES.replace("\n", "\r\n"), id="carriage returns before line feeds"),
        pytest.param(NODES.replace("\n", "\r\n").rstrip(), id="none at the end"),
    ],
)
def test_git_apply_makes_of_the_diff_what_a_run_writes(tree: Path, nodes: str) -> None:
    """Where nothing is masked."""
    write(tree, {"proxy.yaml": CONFIG.replace("svc:S3CRET@", ""), "nodes/md-0.yaml": nodes})
    other = shutil.copytree(tree, tree.parent / f"{tree.name}-patched")
    patch = run(tree, "--diff").stdout
    subprocess.run(["git", "apply", "-"], cwd=other, input=patch.encode(), timeout=TIME_LIMIT, check=True)
    run(tree)
    assert contents(other) == contents(tree)
    assert contents(tree)["nodes/md-0.yaml"].count(b"\r\n") in (0, contents(tree)["nodes/md-0.yaml"].count(b"\n"))


@pytest.mark.parametrize(
    "value",
    ["\n      exec: {path: inject-proxy}", " true", ' "exec: {path: inject-proxy}"'],
    ids=lambda text: text.strip(),
)
@pytest.mark.parametrize("command", ["run", "lint"])
def test_an_annotation_that_kustomize_cannot_read_is_a_warning(tree: Path, command: str, value: str) -> None:
    annotation = f"name: proxy\n  annotations:\n    config.kubernetes.io/function:{value}"
    write(tree, {"proxy.yaml": CONFIG.replace("name: proxy", annotation)})
    done = inject_proxy("", command, ".", cwd=tree)
    assert done.returncode == 0
    reported = (done.stdout + done.stderr).decode()
    warning = "metadata.annotations.config.kubernetes.io/function: AnnotationNoString: "
    assert (warning in reported) == ('"' not in value)


@pytest.mark.parametrize(
    ("env", "has_colours"),
    [
        pytest.param({}, True, id="a terminal"),
        pytest.param({"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param({"TERM": "dumb"}, False, id="a terminal without colours"),
    ],
)
def test_the_diff_has_colours_on_a_terminal_only(tree: Path, env: dict[str, str], has_colours: bool) -> None:
    shown = on_a_terminal(["run", "--diff", "proxy.yaml", "nodes"], tree, "stdout", {"TERM": "xterm", **env})
    assert (b"\x1b[32m+" in shown, b"+++ b/nodes/md-0.yaml" in shown) == (has_colours, True)


CLASS = """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: class, namespace: org}
spec:
  controlPlane:
    templateRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, name: elsewhere}
"""


def test_check_fails_where_what_must_change_cannot(tmp_path: Path) -> None:
    (tmp_path / "proxy.yaml").write_text(f"{CONFIG}  targets: {{clusterClass: {{sharedTemplates: Patch}}}}\n")
    (tmp_path / "class.yaml").write_text(CLASS)
    done, checked = run(tmp_path), run(tmp_path, "--check")
    assert (done.returncode, checked.returncode) == (0, 1)
    assert "[warning] " in done.stderr
    assert "[error] " in checked.stderr
    assert "TemplateNotUsable" in checked.stderr


def test_check_fails_until_the_proxy_is_there(tree: Path) -> None:
    before = contents(tree)
    done = run(tree, "--check")
    assert (done.returncode, done.stdout, contents(tree)) == (1, "", before)
    assert "not done, because `--check` changes nothing" in done.stderr
    assert "would change nodes/md-0.yaml" in done.stderr
    run(tree)
    assert run(tree, "--check").returncode == 0


def test_objects_of_one_name_in_two_files_are_reported_each(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "cluster.yaml": CLUSTER, "east/a.yaml": NODES, "west/a.yaml": NODES})
    lines = run(tmp_path, "--check").stderr.splitlines()
    of_each = [[line for line in lines if line.startswith(f"[error] {folder}/a.yaml")] for folder in ("east", "west")]
    assert len(of_each[0]) == len(of_each[1]) == 3


def test_an_output_folder_gets_all_files_and_the_sources_stay(tree: Path) -> None:
    before = contents(tree)
    done = run(tree, "--output-dir", "../out/new", ".")
    out = tree.parent / "out" / "new"
    assert (done.returncode, contents(tree)) == (0, before)
    assert contents(out).keys() == {name for name in before if name.endswith(".yaml") and name[0] != "."}
    assert [name for name, content in contents(out).items() if content != before[name]] == ["nodes/md-0.yaml"]
    again = run(tree, "--output-dir", "../out/new", ".")
    assert (again.returncode, again.stdout) == (2, "")
    assert "must not exist, or be an empty folder" in again.stderr


def test_an_output_folder_gets_files_of_a_folder_that_a_path_reaches_through_the_one_above(tree: Path) -> None:
    beside = tree.parent / "beside"
    beside.mkdir()
    done = run(beside, "--output-dir", "out", f"../{tree.name}")
    assert done.returncode == 0, done.stderr
    assert "nodes/md-0.yaml" in contents(beside / "out")


@pytest.mark.parametrize("options", [(), ("--diff",), ("--check",), ("--exclude", "mutatingpolicy-*")])
def test_a_new_object_overwrites_no_file(tmp_path: Path, options: tuple[str, ...]) -> None:
    config = CONFIG + "  targets: {kyvernoPolicies: {generate: MutatingPolicy}}\n"
    write(tmp_path, {"proxy.yaml": config, "mutatingpolicy-inject-proxy.yaml": "precious: data\n"})
    done = run(tmp_path, *options)
    assert done.returncode == 1
    assert '"mutatingpolicy-inject-proxy.yaml" exists' in done.stderr
    assert (tmp_path / "mutatingpolicy-inject-proxy.yaml").read_text() == "precious: data\n"


STREAM = f"{CLUSTER}---\n{OTHER}---\n{NODES}"


def test_a_stream_goes_through(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": GENERATE})
    done = run(tmp_path, "--config", "proxy.yaml", "-", stdin=STREAM.encode())
    assert done.returncode == 0
    assert done.stdout.startswith(f"{CLUSTER}---\n{OTHER}---\n{NODES}")
    assert done.stdout.count("\n---\n") == 3
    assert "name: prod-systemd-proxy" in done.stdout.split("\n---\n")[3]
    again = run(tmp_path, "--config", "proxy.yaml", "-", stdin=done.stdout.encode())
    assert again.stdout == done.stdout


def test_what_fails_writes_nothing_to_the_stream(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG})
    done = run(tmp_path, "--config", "proxy.yaml", "--fail-on", "warning", "-", stdin=STREAM.encode())
    assert (done.returncode, done.stdout) == (1, "")
    assert "failed because of the warnings" in done.stderr


def test_the_config_may_be_outside_of_the_paths_with_what_it_refers_to(tmp_path: Path) -> None:
    config = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: values}\ndata:\n  v: |\n    proxy:\n"
    config += "      http: http://p.corp.example:1\n"
    source = "spec:\n  from:\n  - {kind: ConfigMap, name: values, format: GiantSwarm}\n"
    write(tmp_path, {"c/proxy.yaml": CONFIG.split("spec:", 1)[0] + source + config, "m/nodes.yaml": NODES})
    done = run(tmp_path, "--config", "c/proxy.yaml", "m")
    assert done.returncode == 0, done.stderr
    assert "http://p.corp.example:1" in (tmp_path / "m/nodes.yaml").read_text()


@pytest.mark.parametrize("arguments", [["."], ["--config", "proxy.yaml", "-"]])
def test_an_alias_bomb_in_a_document_has_its_own_code(tree: Path, arguments: list[str]) -> None:
    aliases = [f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 9)]
    bomb = NODES + "x:\n  l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(aliases)
    write(tree, {"nodes/md-0.yaml": bomb})
    done = run(tree, *arguments, stdin=bomb.encode())
    assert done.stderr.startswith("[error] TooManyValues: ")
    assert "; `--exclude` leaves a file out" in done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(
            f"{OTHER}---\n{SERVICE}env: HTTP_PROXY\n x: y\n", "document 2: not valid YAML", id="names a proxy"
        ),
        pytest.param(f"{OTHER}---\n{SERVICE} x: y\n", "", id="names none, so nobody reads it"),
    ],
)
def test_a_document_that_cannot_be_read_is_skipped_with_a_warning(tree: Path, text: str, says: str) -> None:
    write(tree, {"broken.yaml": text})
    done = run(tree)
    assert done.returncode == 0
    assert ("broken.yaml" in done.stderr) == bool(says)
    assert f"[warning] broken.yaml: DocumentUnreadable: skipped: {says}" in done.stderr or not says
    assert ("at line 11, column 3;" in done.stderr) == bool(says)
    assert (tree / "nodes/md-0.yaml").read_text() != NODES
    assert (tree / "broken.yaml").read_text() == text


WRONG = [
    pytest.param({"a.yaml": NODES}, ["."], 2, "there must be one ProxyConfig, but none was found", id="no ProxyConfig"),
    pytest.param(
        {"a.yaml": CONFIG, "b.yaml": CONFIG}, [], 2, "there must be one ProxyConfig, but 2 were found", id="several"
    ),
    pytest.param({"a.yaml": CONFIG}, ["b.yaml"], 2, 'there is no file or folder "b.yaml"', id="no such path"),
    pytest.param({"a.yaml": CONFIG}, ["a" * 5000], 2, "there is no file or folder", id="a path that no path can be"),
    pytest.param(
        {"a.yaml": CONFIG}, [".", "--config", "a" * 5000], 2, "there is no file", id="a --config that no path can be"
    ),
    pytest.param(
        {"p.yaml": CONFIG, "a.yaml": NODES},
        [".", "--output-dir", "../" + "a" * 5000],
        1,
        "cannot be written",
        id="an --output-dir that no path can be",
    ),
    pytest.param({"a.md": "x"}, ["."], 2, "the paths hold no manifest", id="nothing to do it to"),
    pytest.param(
        {"a.yaml": NODES + "---\na: {{ x }}\n"},
        ["a.yaml"],
        2,
        "the paths hold no manifest (left alone: 1 template): name",
        id="a template that is named",
    ),
    pytest.param(
        {"a.yaml": CONFIG}, ["--only="], 2, "`--only` must name targets or systems; leave", id="an empty --only"
    ),
    pytest.param({}, ["-", "x"], 2, "`-` must be the only path", id="a stream and a path"),
    pytest.param({}, ["-"], 2, "standard input holds no manifest", id="an empty stream"),
    pytest.param({}, ["--check=yes"], 2, "`--check` must be without a value", id="a value for a flag"),
    pytest.param({}, ["--config"], 2, "`--config` must name a file", id="an option without its value"),
    pytest.param({}, ["--chek"], 2, 'unknown option "--chek"', id="a misspelt option"),
    pytest.param({}, ["--output-dir", "x", "--diff"], 2, "must be without", id="two kinds of output"),
    pytest.param(
        {"a.yaml": NODES, "p.yaml": CONFIG},
        ["--output-dir", "out", "."],
        2,
        '`--output-dir` must name a folder outside of ".", which is read',
        id="a copy inside of what is copied",
    ),
    pytest.param(
        {"p.yaml": CONFIG.replace("http:", "ftp:"), "a.yaml": NODES}, [], 1, "[error] p.yaml ", id="a wrong ProxyConfig"
    ),
    pytest.param(
        {"p.yaml": CONFIG, "a.yaml": NODES.replace("spec:", "spec: [")}, [], 1, "a.yaml, document 1: ", id="no YAML"
    ),
    pytest.param(
        {"p.yaml": CONFIG, "a.yaml": f"{CLUSTER}---\n{NODES} x: y\n"},
        [],
        1,
        "at line 23, column 2; `--ex",
        id="its line",
    ),
]


@pytest.mark.parametrize(("files", "argv", "code", "reported"), WRONG)
def test_what_is_wrong_is_said_and_nothing_is_written(
    tmp_path: Path, files: dict[str, str | bytes], argv: list[str], code: int, reported: str
) -> None:
    before = contents(write(tmp_path, files))
    done = run(tmp_path, *argv)
    assert (done.returncode, done.stdout) == (code, "")
    assert reported in done.stderr
    assert contents(tmp_path) == before


def test_one_error_leaves_all_files_as_they_were(tree: Path) -> None:
    write(tree, {"z.yaml": NODES.replace("md-0", "md-1").replace("  files:", "  files: [{path: a}]\n  files:")})
    before = contents(tree)
    done = run(tree)
    assert done.returncode == 1
    assert contents(tree) == before


def test_sigkill_at_random_moments_leaves_each_file_old_or_new(tmp_path: Path) -> None:
    """The moments are random, what must hold is not: it holds also where a run ended before it was killed."""
    files: dict[str, str | bytes] = {"proxy.yaml": CONFIG, "cluster.yaml": CLUSTER}
    files |= {f"n{number % 5}/{number}.yaml": NODES.replace("md-0", f"md-{number}") for number in range(40)}
    wanted_tree = write(tmp_path / "wanted", files)
    assert run(wanted_tree).returncode == 0
    before, wanted = {}, contents(wanted_tree)
    moments = random.Random(20261122)  # noqa: S311 -- no secret
    for _ in range(8):
        tree = write(tmp_path / "tree", files)
        before = contents(tree)
        started = subprocess.Popen(
            [str(COMMAND), "run"], cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={}
        )
        assert started.stderr is not None
        threading.Timer(moments.uniform(0.2, 2.5), started.kill).start()
        started.communicate(timeout=TIME_LIMIT)
        now = contents(tree)
        for name, content in now.items():
            assert content in (before.get(name), wanted.get(name)) or "/.inject-proxy.new." in f"/{name}"
        assert run(tree).returncode == 0
        now = contents(tree)
        assert {name: content for name, content in now.items() if "/.inject-proxy.new." not in f"/{name}"} == wanted
        shutil.rmtree(tree)


def test_a_file_that_is_changed_meanwhile_is_not_lost(tree: Path) -> None:
    """A person saves a file between the reading and the writing of a run."""
    code = (
        "import sys; from krm_fn.cli import main, run; from pathlib import Path\n"
        "write = run.write_files\n"
        "def later(*given, **more):\n"
        "    Path('nodes/md-0.yaml').write_text('mine'); return write(*given, **more)\n"
        "run.write_files = later\n"
        "sys.exit(main(['run']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, timeout=TIME_LIMIT, check=False)
    assert b"it has changed since it was read" in done.stderr
    assert done.returncode == 1
    assert (tree / "nodes/md-0.yaml").read_text() == "mine"
    assert not list(tree.rglob(".inject-proxy*"))


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"], ids=["closed", "full"])
@pytest.mark.parametrize(
    "command",
    [
        "run",
        "run --config proxy.yaml --output-dir out nodes",
        "lint --fix .",
        "export tkg --in-place --config proxy.yaml tkg.yaml",
    ],
)
def test_no_file_changes_where_nobody_takes_the_report(tree: Path, command: str, redirection: str) -> None:
    before = contents(write(tree, {"list.yaml": DEPLOYMENT}))
    done = subprocess.run(
        ["sh", "-c", f'"$0" {command} {redirection}', COMMAND],
        cwd=tree, capture_output=True, timeout=TIME_LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"[error] OutputNotWritten: standard output ")
    assert done.stderr.count(b"\n") == 1
    assert contents(tree) == before
    assert subprocess.run(["sh", "-c", f'"$0" {command}', COMMAND], cwd=tree, capture_output=True, check=False).stderr
    assert contents(tree) != before


def test_what_a_killed_run_left_is_not_read(tree: Path) -> None:
    left = tree / "nodes" / ".inject-proxy.new.x"
    left.mkdir()
    shutil.copy(tree / "nodes/md-0.yaml", left / "half.yaml")
    before = (left / "half.yaml").read_bytes()
    assert run(tree, ".").returncode == 0
    assert (left / "half.yaml").read_bytes() == before != (tree / "nodes/md-0.yaml").read_bytes()


def test_a_resource_list_is_for_the_function_itself() -> None:
    done = inject_proxy("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n", "run", "-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"run `inject-proxy` without `run`" in done.stderr


def test_links_inside_of_the_paths_are_followed_and_stay_links(tmp_path: Path) -> None:
    write(tmp_path, {"m/proxy.yaml": CONFIG, "shared/nodes.yaml": NODES, "m/z.yaml": OTHER})
    (tmp_path / "m/link.yaml").symlink_to("../shared/nodes.yaml")
    (tmp_path / "m/again.yaml").symlink_to("link.yaml")
    (tmp_path / "m/circle").symlink_to("..")
    (tmp_path / "m/broken.yaml").symlink_to("nowhere.yaml")
    done = run(tmp_path, "m", "shared/nodes.yaml")
    assert (done.returncode, (tmp_path / "m/link.yaml").is_symlink()) == (0, True)
    assert "http-proxy.conf" in (tmp_path / "shared/nodes.yaml").read_text()
    assert "3 files read" in done.stderr


OUTSIDE = {
    "a link to another folder": "../shared/nodes.yaml",
    "a link to a link": "../shared/link.yaml",
    "a link to a folder": "../shared",
    "an absolute link": None,
}


@pytest.mark.parametrize("options", [[], ["--output-dir", "../out"]], ids=["in place", "copy"])
@pytest.mark.parametrize("target", [pytest.param(target, id=case) for case, target in OUTSIDE.items()])
def test_a_link_to_outside_of_the_paths_is_left_alone_and_counted(
    tmp_path: Path, target: str | None, options: list[str]
) -> None:
    write(tmp_path, {"m/proxy.yaml": CONFIG, "shared/nodes.yaml": NODES, "m/z.yaml": OTHER})
    (tmp_path / "shared/link.yaml").symlink_to("nodes.yaml")
    (tmp_path / "m/link.yaml").symlink_to(target or tmp_path / "shared/nodes.yaml")
    done = run(tmp_path / "m", *options, "--verbose")
    assert done.returncode == 0, done.stderr
    assert "left alone: link.yaml (link to outside of the paths)\n" in done.stderr
    assert "2 files read; left alone: 1 link to outside of the paths; " in done.stderr
    assert (tmp_path / "shared/nodes.yaml").read_text() == NODES
    assert not (tmp_path / "out/link.yaml").exists()


NO_FILES = {
    "a link to a device": lambda file: file.symlink_to("/dev/zero"),
    "a link to nothing": lambda file: file.symlink_to("nowhere.yaml"),
    "a link to itself": lambda file: file.symlink_to("x.yaml"),
    "a named pipe": os.mkfifo,
}


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_regular_file_is_not_read_and_counted(tmp_path: Path, make: Callable[[Path], object]) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "nodes.yaml": NODES})
    make(tmp_path / "x.yaml")
    done = run(tmp_path, "--verbose", ".")
    assert done.returncode == 0, done.stderr
    reason = "link to outside of the paths" if make is NO_FILES["a link to a device"] else "no regular file"
    assert f"left alone: x.yaml ({reason})\n" in done.stderr
    assert f"2 files read; left alone: 1 {reason}; " in done.stderr


def test_a_link_to_what_this_user_may_not_look_at_is_left_alone() -> None:
    """As a user who is not root: root may look at everything."""
    setpriv = [need("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    locked = folder / "locked"
    try:
        write(folder, {"m/proxy.yaml": CONFIG, "m/nodes.yaml": NODES, "locked/inside/x.yaml": OTHER})
        (folder / "m/x.yaml").symlink_to("../locked/inside/x.yaml")
        (folder / "m/inside").symlink_to("../locked/inside")
        folder.chmod(0o755)
        locked.chmod(0o000)
        code = "import sys; from krm_fn import cli; sys.exit(cli.main())"
        argv = [*setpriv, sys.executable, "-c", code, "run", "--diff", "--verbose", "."]
        done = subprocess.run(
            argv, cwd=folder / "m", env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, timeout=TIME_LIMIT, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "left alone: x.yaml (link to outside of the paths)\n" in done.stderr
    finally:
        locked.chmod(0o755)
        shutil.rmtree(folder)


CLOSED = [
    pytest.param(["run", "--diff", "locked"], "locked", True, id="run"),
    pytest.param(["lint", "locked"], "locked", True, id="lint"),
    pytest.param(["explain", "locked"], "locked", True, id="explain"),
    pytest.param(["init", "--print", "locked"], "locked", True, id="init"),
    pytest.param(["run", "--diff", "locked/m"], "locked/m", False, id="run, with what is in it"),
    pytest.param(["lint", "locked/m/nodes.yaml"], "locked/m/nodes.yaml", False, id="lint, with what is in it"),
    pytest.param(["init", "--print", "locked/m"], "locked/m", False, id="init, with what is in it"),
    pytest.param(["run", "--diff", "--config", "locked/p.yaml", "m"], "locked/p.yaml", False, id="--config"),
    pytest.param(["export", "tkg", "--config", "m/proxy.yaml", "locked/x"], "locked/x", False, id="export"),
    pytest.param(["lint", "."], "locked", True, id="below the path"),
    pytest.param(["run", "--check", "."], "locked", True, id="run, below the path"),
    pytest.param(["check-image", "."], "locked", False, id="check-image, below the path"),
    pytest.param(["lint", "closed.yaml"], "closed.yaml", True, id="a file"),
    pytest.param(
        ["lint", "--config", "m/proxy.yaml", ".", "--exclude", "locked"],
        "closed.yaml",
        True,
        id="a file below the path",
    ),
    pytest.param(["import", "tkg", "closed.yaml"], "closed.yaml", False, id="a file of another system"),
]


@pytest.mark.parametrize(("arguments", "path", "may_be_left_out"), CLOSED)
def test_what_this_user_may_not_read_is_named(arguments: list[str], path: str, may_be_left_out: bool) -> None:
    """As a user who is not root: root may look at everything."""
    setpriv = [need("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    locked = folder / "locked"
    try:
        write(folder, {"m/proxy.yaml": CONFIG, "m/nodes.yaml": NODES, "locked/m/nodes.yaml": NODES})
        write(folder, {"closed.yaml": NODES})
        (folder / "closed.yaml").chmod(0o000)
        folder.chmod(0o755)
        locked.chmod(0o000)
        code = "import sys; from krm_fn import cli; sys.exit(cli.main())"
        done = subprocess.run(
            [*setpriv, sys.executable, "-c", code, *arguments],
            cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, timeout=TIME_LIMIT, check=False,
        )  # fmt: skip
        assert f'"{path}" cannot be read: Permission denied: let this user read it' in done.stderr
        assert ("`--exclude`" in done.stderr) == may_be_left_out
        assert done.returncode == 2
    finally:
        locked.chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("command", "has_output_dir"),
    [
        pytest.param(["run"], True, id="run"),
        pytest.param(["lint", "--fix"], False, id="lint --fix"),
    ],
)
def test_only_a_command_that_has_output_dir_names_it_for_a_read_only_file(
    tmp_path: Path, command: list[str], has_output_dir: bool
) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: x\n    env:\n"
    pod += "    - {name: NO_PROXY, value: '*.corp.example, 10.0.0.1:'}\n"
    write(tmp_path, {"proxy.yaml": CONFIG, "nodes.yaml": NODES, "pod.yaml": pod})
    for file in tmp_path.iterdir():
        file.chmod(0o444)
    done = inject_proxy(b"", *command, ".", cwd=tmp_path)
    assert b"it is read-only: make it writable" in done.stderr
    assert (b"`--output-dir`" in done.stderr) == has_output_dir


@pytest.mark.parametrize("named", ["link.yaml", "folder"])
def test_a_link_that_is_named_is_followed(tmp_path: Path, named: str) -> None:
    write(tmp_path, {"m/proxy.yaml": CONFIG, "shared/nodes.yaml": NODES})
    (tmp_path / "m/link.yaml").symlink_to("../shared/nodes.yaml")
    (tmp_path / "m/folder").symlink_to("../shared")
    assert run(tmp_path / "m", "proxy.yaml", named).returncode == 0
    assert "http-proxy.conf" in (tmp_path / "shared/nodes.yaml").read_text()


def test_a_tree_of_many_files_shows_its_progress_on_a_terminal_only(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, **{f"{number}.yaml": OTHER for number in range(600)}})
    assert "\r" not in run(tmp_path).stderr
    shown = on_a_terminal(["run"], tmp_path, "stderr")
    assert b"reading files: 600 of 601" in shown
    assert shown.split(b"\x1b[K")[-1].startswith(b"[warning]") or b"inject-proxy run: 601 files read" in shown


ONLY = [
    pytest.param(["--only", "nodes"], "", True, id="a system"),
    pytest.param(["--only=tkg,containerdDropIn"], "", True, id="a system and a target"),
    pytest.param(["--only", "tkg", "--only", "kyverno"], "", False, id="other systems"),
    pytest.param([], "  only: [workloads]\n", False, id="in the ProxyConfig"),
    pytest.param(["--only", "nodes"], "  only: [workloads]\n", True, id="the command line counts"),
]


@pytest.mark.parametrize(("argv", "spec", "is_changed"), ONLY)
def test_only_what_is_named_is_on(tree: Path, argv: list[str], spec: str, is_changed: bool) -> None:
    write(tree, {"proxy.yaml": CONFIG + spec})
    assert run(tree, *argv).returncode == 0
    assert ("http-proxy.conf" in (tree / "nodes/md-0.yaml").read_text()) == is_changed


def test_a_misspelt_name_of_a_target_is_wrong_usage(tree: Path) -> None:
    done = run(tree, "--only", "node")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert 'and "node" is neither: did you mean `nodes`?' in done.stderr


def test_the_last_line_says_that_errors_kept_the_run_from_any_change(tmp_path: Path) -> None:
    (tmp_path / "proxy.yaml").write_text(
        "apiVersion: fn.inject-proxy.io/v1alpha1\nkind: ProxyConfig\nmetadata: {name: proxy}\nspec: {httpProxy: 3}\n"
    )
    (tmp_path / "app.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n")
    done = inject_proxy("", "run", ".", cwd=tmp_path)
    last = done.stderr.decode().splitlines()[-1]
    assert done.returncode == 1
    assert "no change was worked out, because of the errors" in last
    assert "would change" not in last
