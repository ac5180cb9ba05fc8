"""`inject-proxy run`: files, folders and streams, as a shell sees them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from function_configs import HEAD
from support import COMMAND, ROOT, TIME_LIMIT, contents, inject_proxy, need, on_a_terminal, unified_diff, write

CONFIG = (
    HEAD
    + """\
  httpProxy: http://svc:S3CRET@proxy.corp.example:3128
  noProxy: [.corp.example]   # ours
"""
)
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: prod
  namespace: org
  labels: {giantswarm.io/cluster: prod}
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
TEMPLATE = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n"
PATCH = NODES.replace("# the workers\n", "").split("  files:", 1)[0] + "  preKubeadmCommands: [echo]\n"


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
    assert "changed: nodes/md-0.yaml\n" in done.stderr
    left_alone = "3 of a Helm chart, 2 no manifest, 1 template, 1 input of a kustomization"
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"inject-proxy run: 11 files read (left alone: {left_alone}), 4 documents; 1 file changed; ")
    assert "S3CRET" not in done.stderr


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


GENERATE = CONFIG + "  targets: {giantswarm: {generate: [systemdProxy]}}\n"
CREATED_BESIDE = {
    "a file of one document": CLUSTER,
    "a file of several documents": f"{CLUSTER}---\n{OTHER}",
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
    clusters = []
    for cluster in ("prod", name):
        metadata = {"name": cluster, "namespace": "org", "labels": {"giantswarm.io/cluster": cluster}}
        clusters.append({"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": metadata})
    given = {f"c/{number}.json": json.dumps(cluster) for number, cluster in enumerate(clusters)}
    tree = write(tmp_path / "repo" / "tree", {"proxy.yaml": GENERATE, **given})
    done = run(tree, *options)
    assert done.returncode == 0, done.stderr
    written = tree.parent / "out" if options else tree
    files = (path for path in tmp_path.rglob("*") if path.is_file())
    made = [path for path in files if path.name not in {"0.json", "1.json", "proxy.yaml"}]
    assert written / "c/secret-org-prod-systemd-proxy.yaml" in made
    assert len(made) == len(clusters)
    for file in made:
        assert file.parent == written / "c"
        assert re.fullmatch("[a-z0-9.-]{1,255}", file.name)
    assert "0 files changed" in run(written).stderr
    write(written, {"proxy.yaml": GENERATE + "  mode: Remove\n"})
    assert "removed: c/secret-org-prod-systemd-proxy.yaml" in run(written).stderr
    assert {file.name for file in (written / "c").iterdir()} == {"0.json", "1.json"}


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
    config = f"{CONFIG}  targets: {{kyverno: {{generate: MutatingPolicy}}}}\n"
    write(tmp_path, {"proxy.yaml": config, "nodes.yaml": NODES})
    if kustomization:
        write(tmp_path, {"kustomization.yaml": kustomization})
    note = "add mutatingpolicy-inject-proxy.yaml to `resources` in kustomization.yaml\n"
    for argv in (["--diff"], []):
        assert (note in run(tmp_path, *argv).stderr) == is_noted
    assert (tmp_path / "mutatingpolicy-inject-proxy.yaml").exists()


def test_what_sops_has_encrypted_is_neither_edited_nor_created_again(tmp_path: Path) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: prod-systemd-proxy, namespace: org}\n"
    secret += "stringData: {containerdProxy: 'ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]'}\nsops: {version: 3.9.0}\n"
    before = contents(write(tmp_path, {"proxy.yaml": GENERATE, "cluster.yaml": CLUSTER, "secret.yaml": secret}))
    assert "1 encrypted by SOPS" in run(tmp_path).stderr
    assert contents(tmp_path) == before


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
    assert "would be changed: b.yaml" not in done.stderr, "the diff names it"


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


WEB = ["a: 1\nb: 2\nc: 3\nd: 4\n", "e: 5\nf: 6\n--- {g: 7}\n", "a: 1\n"]
DOCUMENTS = {
    "added": [*WEB, "g: 7\n", "h: 8\n"],
    "changed": [WEB[0].replace("4", "5"), "z: 0\n" + WEB[1].replace("6", "7"), WEB[2]],
    "removed": [WEB[0], WEB[2]],
    "of another order": WEB[::-1],
}


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS)
def test_git_apply_takes_a_diff_of_several_documents_and_its_reverse(tmp_path: Path, documents: list[str]) -> None:
    old, new = ("---\n".join(texts).encode() for texts in (WEB, documents))
    for before, after in ((old, new), (new, old)):
        (tmp_path / "a.yaml").write_bytes(before)
        patch = "".join(f"{line}\n" for line in unified_diff("a.yaml", before, after, has_colours=False))
        subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch.encode(), timeout=TIME_LIMIT, check=True)
        assert (tmp_path / "a.yaml").read_bytes() == after


@pytest.mark.parametrize("end", ["password:", "stringData:\n  a:", "stringData:\n  a: 1\n  b:"])
def test_a_diff_shows_a_secret_without_a_value_at_the_end_of_a_file(end: str) -> None:
    lines = unified_diff("a.yaml", f"a: 1\n{end}".encode(), f"a: 2\n{end}".encode(), has_colours=False)
    assert f"+a: 2\n {end.splitlines()[0]}\n" in "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("env", "has_colours"),
    [pytest.param({}, True, id="a terminal"), pytest.param({"NO_COLOR": "1"}, False, id="NO_COLOR")],
)
def test_the_diff_has_colours_on_a_terminal_only(tree: Path, env: dict[str, str], has_colours: bool) -> None:
    argv = ["run", "--diff", "proxy.yaml", "nodes"]
    code, shown = on_a_terminal(argv, tree, "stdout", env={"TERM": "xterm", **env})
    assert (code, "\x1b[32m+" in shown, "+++ b/nodes/md-0.yaml" in shown) == (0, has_colours, True)


def test_check_fails_until_the_proxy_is_there(tree: Path) -> None:
    before = contents(tree)
    done = run(tree, "--check")
    assert (done.returncode, done.stdout, contents(tree)) == (1, "", before)
    assert "ProxyMissing: " in done.stderr
    assert "mode: Check" not in done.stderr
    assert done.stderr.splitlines()[-1] == "run `inject-proxy run`, look at `git diff`, commit"
    again = run(tree, "--check", "--only", "nodes.containerd", "nodes", "--config=proxy.yaml")
    assert "run `inject-proxy run --only nodes.containerd nodes --config=proxy.yaml`" in again.stderr
    run(tree)
    assert run(tree, "--check").returncode == 0


@pytest.mark.parametrize("options", [(), ("--exclude", "mutatingpolicy-*")])
def test_a_new_object_overwrites_no_file(tmp_path: Path, options: tuple[str, ...]) -> None:
    config = CONFIG + "  targets: {kyverno: {generate: MutatingPolicy}}\n"
    write(tmp_path, {"proxy.yaml": config, "mutatingpolicy-inject-proxy.yaml": "precious: data\n"})
    done = run(tmp_path, *options)
    assert done.returncode == 1
    assert "it exists; nothing was written" in done.stderr
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


@pytest.mark.parametrize("arguments", [["."], ["--config", "proxy.yaml", "-"]])
def test_an_alias_bomb_in_a_document_is_passed_by(tree: Path, arguments: list[str]) -> None:
    aliases = [f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 9)]
    bomb = NODES + "x:\n  l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(aliases)
    write(tree, {"nodes/md-0.yaml": bomb})
    done = run(tree, *arguments, stdin=bomb.encode())
    assert (done.returncode, done.stdout) == (0, "" if arguments == ["."] else bomb)
    assert ": TextUnreadable: " in done.stderr


@pytest.mark.parametrize(
    "command",
    ["run", "run --config proxy.yaml --output-dir out nodes", "export tkg --in-place --config proxy.yaml tkg.yaml"],
)
def test_no_file_changes_where_nobody_takes_the_report(tree: Path, command: str) -> None:
    both = CONFIG.replace("  noProxy", "  httpsProxy: http://proxy.corp.example:3128\n  noProxy")
    before = contents(write(tree, {"proxy.yaml": both}))
    done = subprocess.run(
        ["sh", "-c", f'"$0" {command} >&-', COMMAND],
        cwd=tree, capture_output=True, timeout=TIME_LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"[error] OutputNotWritten: standard output ")
    assert done.stderr.count(b"\n") == 1
    assert contents(tree) == before
    assert subprocess.run(["sh", "-c", f'"$0" {command}', COMMAND], cwd=tree, capture_output=True, check=False).stderr
    assert contents(tree) != before


CLOSED = [
    pytest.param(["run", "--diff", "locked"], id="run"),
    pytest.param(["lint", "locked"], id="lint"),
    pytest.param(["explain", "locked"], id="explain"),
    pytest.param(["run", "--diff", "--config", "locked/p.yaml", "m"], id="--config"),
    pytest.param(["run", "--check", "."], id="below the path"),
    pytest.param(["import", "tkg", "closed.yaml"], id="a file of another system"),
]


@pytest.mark.parametrize("arguments", CLOSED)
def test_what_this_user_may_not_read_is_named(arguments: list[str]) -> None:
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
        assert "locked" in done.stderr or "closed.yaml" in done.stderr
        assert done.returncode == 2
    finally:
        locked.chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.parametrize("named", ["link.yaml", "folder"])
def test_a_link_that_is_named_is_followed(tmp_path: Path, named: str) -> None:
    write(tmp_path, {"m/proxy.yaml": CONFIG, "shared/nodes.yaml": NODES})
    (tmp_path / "m/link.yaml").symlink_to("../shared/nodes.yaml")
    (tmp_path / "m/folder").symlink_to("../shared")
    assert run(tmp_path / "m", "proxy.yaml", named).returncode == 0
    assert "http-proxy.conf" in (tmp_path / "shared/nodes.yaml").read_text()


def test_only_of_the_command_line_counts_before_that_of_the_config(tree: Path) -> None:
    write(tree, {"proxy.yaml": CONFIG + "  only: [workloads]\n"})
    assert run(tree, "--only=tkg,nodes.containerd").returncode == 0
    assert "http-proxy.conf" in (tree / "nodes/md-0.yaml").read_text()
