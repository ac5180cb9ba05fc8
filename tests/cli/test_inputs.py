"""Which files `run`, `lint` and `explain` read, and what they say of those that are no manifests: the same."""

from __future__ import annotations

import os
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from node_files import BAD, CONFIG, NODES
from support import contents, in_a_process, inject_proxy, write

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
COMMANDS = {"run": ["run", "--check"], "lint": ["lint"], "explain": ["explain"]}


def command(folder: Path, name: str, *argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    done = inject_proxy(stdin, *COMMANDS[name], *argv, cwd=folder)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


ONLY_PRINT = [
    *("run --check", "run --check --output sarif", "run --diff", "lint", "explain", "explain --output html"),
    *("import tkg c.yaml", "export tkg c.yaml --config proxy.yaml", "export konvoy --config proxy.yaml"),
    *("init --print --http-proxy http://p:1", "schema", "targets", "completion bash", "run - --config proxy.yaml"),
]


@pytest.mark.parametrize("line", ONLY_PRINT)
def test_what_only_prints_leaves_no_file_anywhere(tmp_path: Path, line: str) -> None:
    both = CONFIG + "  httpsProxy: http://proxy.corp.example:3128\n"
    values = "TKG_HTTP_PROXY: http://a:1\nTKG_HTTPS_PROXY: http://a:1\n"
    write(tmp_path, {"w/proxy.yaml": both, "w/nodes.yaml": NODES, "w/c.yaml": values, "home/a": "", "tmp/a": ""})
    before = contents(tmp_path)
    env = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "PATH": os.environ["PATH"]}
    done = in_a_process(NODES if " - " in line else "", *line.split(), cwd=tmp_path / "w", env=env)
    assert done.returncode in {0, 1}, done.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_files_that_are_left_alone_are_counted_and_those_of_another_encoding_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "nodes.yaml": NODES})
    write(tmp_path, {"t.yaml": f"{NODES}{{{{ x }}}}\n", "u.yaml": NODES.encode("utf-16")})
    done = command(tmp_path, name, ".")
    assert "left alone: u.yaml (not UTF-8)\n" in done.stderr
    assert "t.yaml" not in done.stderr
    assert "4 files read (left alone: 1 template, 1 not UTF-8)" in done.stderr
    assert "left alone: t.yaml (template)\n" in command(tmp_path, name, "--verbose", ".").stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_the_config_that_is_named_is_the_one_of_several_in_the_folder(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"a.yaml": CONFIG, "b.yaml": CONFIG.replace("proxy.corp", "other.corp"), "nodes.yaml": NODES})
    done = command(tmp_path, name, "--config", "./b.yaml", ".")
    assert "Usage" not in done.stderr
    assert name != "explain" or "http://other.corp.example:3128" in done.stdout


def test_patches_of_kustomizations_are_only_checked(tmp_path: Path) -> None:
    """What one of them replaces is named (``PatchErases``)."""
    write(tmp_path, {"proxy.yaml": CONFIG, "nodes.yaml": NODES, "kustomization.yaml": "patches: [{path: bad.yaml}]\n"})
    write(tmp_path, {"bad.yaml": BAD})
    done = command(tmp_path, "run", ".")
    assert "PatchErases" in done.stderr
    assert "  nodes.yaml: KubeadmConfig/md-0" in done.stderr
    assert "bad.yaml" in command(tmp_path, "lint", ".").stdout


def test_a_resource_list_is_explained_and_checked_where_it_is_named(tmp_path: Path) -> None:
    item = "".join(f"  {line}\n" for line in BAD.splitlines())
    config = "".join(f"  {line}\n" for line in CONFIG.splitlines())
    listed = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n-{item[1:]}functionConfig:\n{config}"
    write(tmp_path, {"out/list.yaml": listed, "nodes.yaml": NODES, "proxy.yaml": CONFIG})
    assert "KubeadmConfig/org/md-0" in command(tmp_path, "explain", "out/list.yaml").stdout
    assert "out/list.yaml" in command(tmp_path, "lint", "out/list.yaml").stdout
    done = command(tmp_path, "explain")
    assert (done.returncode, "left alone: 1 ResourceList" in done.stderr) == (0, True)


TAB = "\tx: y\n"
BROKEN = [
    pytest.param(f"apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n{TAB}", 0, "at line 3", id="a Cluster"),
    pytest.param(f"apiVersion: a/v1\nkind: KubeadmConfig\nmetadata: {{name: web\n{TAB}", 0, "at line 4", id="a target"),
    pytest.param(f"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: jobs\n{TAB}", 0, "at line 5", id="not selected"),
    pytest.param(f"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: web-1\n{TAB}", 1, "InputInvalid", id="a name"),
    pytest.param(f"apiVersion: apps/v1\nkind: Deployment\n{TAB}", 1, "InputInvalid", id="of a selected kind"),
    pytest.param(f"{SERVICE} x: y\nenv: HTTP_PROXY\n", 0, "skipped: document 1: not", id="not read, it names a proxy"),
    pytest.param("a: [\n", 0, "", id="no manifest"),
]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(("text", "code", "says"), BROKEN)
def test_all_commands_agree_about_broken_yaml(tmp_path: Path, name: str, text: str, code: int, says: str) -> None:
    config = CONFIG + "  targets: {workloads: {choose: [{kinds: [Deployment]}, {names: [web-*]}]}}\n"
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
    write(tmp_path, {"proxy.yaml": config, "pod.yaml": pod, "broken.yaml": text})
    done = command(tmp_path, name, ".")
    assert done.returncode == code
    about = [line for line in (done.stdout + done.stderr).splitlines() if "broken.yaml" in line]
    assert bool(about) == bool(says)
    assert all(says in line for line in about)


NOTHING = [
    pytest.param("", id="nothing"),
    pytest.param("Error: the chart has no kind and no apiVersion\n", id="what a program says that failed"),
]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("stdin", NOTHING)
def test_a_stream_without_a_manifest_is_no_success(tmp_path: Path, name: str, stdin: str) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG})
    done = command(tmp_path, name, "--config", "proxy.yaml", "-", stdin=stdin)
    assert (done.returncode, done.stdout) == (2, "")
    merged = f"{SERVICE}spec: {{<<: {{}}}}\n"
    assert command(tmp_path, name, "--config", "proxy.yaml", "-", stdin=merged).returncode == 0
    (tmp_path / "empty").mkdir()
    assert command(tmp_path, name, "--config", "proxy.yaml", "empty").returncode == 2


NO_FILES = {
    "a link to a device without an end": lambda file: file.symlink_to("/dev/zero"),
    "a link to a manifest": lambda file: file.symlink_to("nodes.yaml"),
    "a link to nothing": lambda file: file.symlink_to("nowhere.yaml"),
    "a named pipe that nobody writes into": os.mkfifo,
    "a folder": Path.mkdir,
}


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES)
@pytest.mark.parametrize("name", ["a.yaml", "kustomization.yaml", ".gitignore", ".krmignore", ".git/info/exclude"])
def test_of_a_folder_only_files_are_read(tmp_path: Path, name: str, make: Callable[[Path], object]) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "nodes.yaml": NODES, ".git/info/x": ""})
    make(tmp_path / name)
    done = command(tmp_path, "run", ".")
    assert done.returncode == 1
    assert "2 files read" in done.stderr
    is_counted = name.endswith(".yaml") and not (tmp_path / name).is_dir()
    assert ("left alone: 1 link" in done.stderr) == is_counted


FUNCTION_CONFIGS = [
    pytest.param(CONFIG, id="a ProxyConfig"),
    pytest.param(
        "apiVersion: v1\nkind: ConfigMap\ndata: {httpProxy: http://proxy.corp.example:3128}\n", id="a ConfigMap"
    ),
]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("text", FUNCTION_CONFIGS)
def test_the_function_config_of_a_resource_list_is_a_config(tmp_path: Path, name: str, text: str) -> None:
    given = textwrap.indent(text, "  ")
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
    write(tmp_path, {"list.yaml": f"{head}functionConfig:\n{given}", "objects/a.yaml": SERVICE})
    done = command(tmp_path, name, "--config", "list.yaml", "objects")
    assert "ProxyConfig" not in done.stderr
    assert done.returncode == 0
