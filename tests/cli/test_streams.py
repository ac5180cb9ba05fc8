"""What the command reads has an end: files of folders, what a person names, and standard input."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

from function_configs import DECLARED
from krm_fn.cli.streams import LARGEST, LARGEST_IGNORE_FILE
from support import COMMAND, TIME_LIMIT, contents, write

NODES = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata: {name: md-0, namespace: org}
spec: {}
"""
MEMORY = 1 << 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, {"proxy.yaml": DECLARED, "nodes.yaml": NODES, ".git/info/attributes": ""})
    return tmp_path


def shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script of bash, with ``inject-proxy`` in the place of `$0` and one gigabyte of memory."""
    return subprocess.run(
        ["bash", "-c", script, str(COMMAND)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param("z.yaml", LARGEST + 1, id="a manifest"),
        pytest.param("z.json", 5 << 30, id="a manifest that no memory holds"),
        pytest.param(".gitignore", LARGEST_IGNORE_FILE + 1, id="an ignore file"),
        pytest.param(".krmignore", 3 << 30, id="an ignore file that no memory holds"),
        pytest.param("a/.gitignore", LARGEST_IGNORE_FILE + 1, id="an ignore file of a folder below"),
        pytest.param(".git/info/exclude", LARGEST_IGNORE_FILE + 1, id="the ignore file of the clone"),
    ],
)
@pytest.mark.parametrize("command", ["run", "explain"])
def test_a_file_too_large_is_named_and_nothing_is_written(folder: Path, command: str, name: str, size: int) -> None:
    (folder / "a").mkdir()
    (folder / name).touch()
    os.truncate(folder / name, size)
    done = shell(folder, f'"$0" {command} .')
    limit = "100 MiB" if size > 2 * LARGEST_IGNORE_FILE and "ignore" not in name else "1 MiB"
    line = f'"{name}" is larger than {limit}, the most that is read of it: divide it or leave it out\n'
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"[error] InputInvalid: {line}"
    assert (folder / "nodes.yaml").read_text() == NODES


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        pytest.param("run --check nodes.yaml --config /dev/zero", "/dev/zero", id="--config"),
        pytest.param("run --check --config proxy.yaml /dev/zero", "/dev/zero", id="a path"),
        pytest.param("lint --config proxy.yaml zero.yaml", "zero.yaml", id="a path that is a link"),
        pytest.param("import tkg /dev/zero", "/dev/zero", id="import"),
        pytest.param("export tkg /dev/zero --config proxy.yaml", "/dev/zero", id="export"),
        pytest.param("run --config proxy.yaml - </dev/zero", "standard input", id="standard input of run"),
        pytest.param("import tkg - </dev/zero", "standard input", id="standard input of import"),
        pytest.param("</dev/zero", "standard input", id="standard input of the function"),
    ],
)
def test_what_does_not_end_is_read_up_to_the_limit(folder: Path, arguments: str, name: str) -> None:
    (folder / "zero.yaml").symlink_to("/dev/zero")
    done = shell(folder, f'"$0" {arguments}')
    line = f'"{name}" is larger than 100 MiB, the most that is read of it: divide it or leave it out\n'
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"[error] InputInvalid: {line}")


@pytest.mark.parametrize(
    "arguments",
    [
        "run --check nodes.yaml --config pipe",
        "run --check --config proxy.yaml pipe",
        "lint pipe",
        "explain --config pipe nodes.yaml",
        "import tkg pipe",
    ],
)
def test_nobody_waits_for_a_pipe_without_a_writer(folder: Path, arguments: str) -> None:
    os.mkfifo(folder / "pipe")
    done = shell(folder, f'"$0" {arguments}')
    assert (done.returncode in {0, 1, 2}, "InternalError" in done.stderr) == (True, False)
    assert len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize(
    "command",
    ["run --check nodes.yaml", "lint nodes.yaml", "explain nodes.yaml", "export tkg cluster-config.yaml --in-place"],
)
@pytest.mark.parametrize("writer", ["cat proxy.yaml", "sleep 1; cat proxy.yaml"])
def test_a_config_that_is_named_may_be_a_pipe(folder: Path, command: str, writer: str) -> None:
    by_file = shell(folder, f'"$0" {command} --config proxy.yaml')
    after = contents(folder)
    (folder / "cluster-config.yaml").unlink(missing_ok=True)
    by_pipe = shell(folder, f'"$0" {command} --config <({writer})')
    assert (by_pipe.returncode, by_pipe.stdout) == (by_file.returncode, by_file.stdout)
    assert contents(folder) == after
