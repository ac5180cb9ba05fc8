"""Which files the command reads: those that somebody put into a folder, and those that a person names."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

from krm_fn.cli.reading import LARGEST, LARGEST_IGNORE_FILE
from support import COMMAND, TIME_LIMIT

CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec: {httpProxy: "http://proxy.corp.example:3128"}
"""
NODES = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata: {name: md-0, namespace: org}
spec: {}
"""
MEMORY = 1 << 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git/info").mkdir(parents=True)
    (tmp_path / "proxy.yaml").write_text(CONFIG)
    (tmp_path / "nodes.yaml").write_text(NODES)
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


KINDS = {
    "a link to a device without an end": lambda file: file.symlink_to("/dev/zero"),
    "a named pipe that nobody writes into": os.mkfifo,
    "a folder": Path.mkdir,
}
KINDS_OF_FILES = [pytest.param(make, id=name) for name, make in KINDS.items()]


@pytest.mark.parametrize("make", KINDS_OF_FILES)
@pytest.mark.parametrize("name", [".gitignore", ".krmignore", ".git/info/exclude"])
def test_an_ignore_file_that_is_no_regular_file_says_nothing(folder: Path, name: str, make: object) -> None:
    make(folder / name)  # type: ignore[operator]
    done = shell(folder, '"$0" run')
    assert (done.returncode, done.stdout) == (0, "")
    assert "2 files read" in done.stderr
    assert "changed nodes.yaml" in done.stderr


@pytest.mark.parametrize("make", KINDS_OF_FILES)
@pytest.mark.parametrize("name", ["a.yaml", "kustomization.yaml"])
def test_what_is_no_regular_file_is_not_read_of_a_folder(folder: Path, name: str, make: object) -> None:
    make(folder / name)  # type: ignore[operator]
    assert "changed nodes.yaml" in shell(folder, '"$0" run').stderr


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(".gitignore", LARGEST_IGNORE_FILE + 1, id="an ignore file"),
        pytest.param("a.yaml", LARGEST + 1, id="a manifest"),
    ],
)
def test_a_file_that_is_too_large_is_named_and_nothing_is_written(folder: Path, name: str, size: int) -> None:
    with (folder / name).open("wb") as file:
        file.truncate(size)
    done = shell(folder, '"$0" run')
    assert (done.returncode, done.stdout) == (1, "")
    assert f'{name}" is larger than {size >> 20} MiB' in done.stderr
    assert (folder / "nodes.yaml").read_text() == NODES


@pytest.mark.parametrize(
    "command",
    ["run --check nodes.yaml", "lint nodes.yaml", "explain nodes.yaml", "export tkg cluster-config.yaml --in-place"],
)
def test_a_config_that_is_named_may_be_a_pipe(folder: Path, command: str) -> None:
    of_file = shell(folder, f'"$0" {command} --config proxy.yaml')
    (folder / "cluster-config.yaml").unlink(missing_ok=True)
    of_pipe = shell(folder, f'"$0" {command} --config <(cat proxy.yaml)')
    assert (of_pipe.returncode, of_pipe.stdout) == (of_file.returncode, of_file.stdout)


def test_a_config_that_does_not_end_has_a_limit(folder: Path) -> None:
    endless = shell(folder, '"$0" run --check nodes.yaml --config /dev/zero')
    assert (endless.returncode, endless.stdout) == (1, "")
    assert '"/dev/zero" is larger than 100 MiB' in endless.stderr
