"""The hooks of `.pre-commit-hooks.yaml`, installed and run by real pre-commit as `examples/pre-commit` says."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from support import ROOT, need, search_path

EXAMPLE = ROOT / "examples/pre-commit/pre-commit-config.yaml"
PACKAGE = [".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE", "functionconfig", "krm_fn"]
"""What a clone must hold so that pip can build the package."""
INSTALL_LIMIT = 900.0


def command(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"] if argv[0] == "git" else []
    return subprocess.run(
        [need(argv[0]), *identity, *argv[1:]],
        cwd=folder,
        env={
            **os.environ,
            "PATH": search_path(),
            "PRE_COMMIT_HOME": str(folder.parent / "home"),
            "PRE_COMMIT_COLOR": "never",
        },
        capture_output=True,
        text=True,
        timeout=INSTALL_LIMIT,
        check=False,
    )


def committed(folder: Path) -> str:
    """Make a folder a repository of one commit, and return the commit."""
    for argv in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--no-verify", "--message=first"]):
        done = command(folder, "git", *argv)
        assert done.returncode == 0, done.stderr
    return command(folder, "git", "rev-parse", "HEAD").stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Manifests with the configuration of the example, whose `repo` and `rev` are a commit of this checkout."""
    hooks = tmp_path / "inject-proxy"
    hooks.mkdir()
    for name in PACKAGE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, hooks / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, hooks / name)
    config = yaml.safe_load(EXAMPLE.read_text())
    (config["repos"][0]["repo"], config["repos"][0]["rev"]) = str(hooks), committed(hooks)
    folder = tmp_path / "manifests"
    shutil.copytree(ROOT / "examples/config-repo", folder / "clusters")
    shutil.copy(ROOT / "examples/kustomize-exec/proxy.yaml", folder)
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    committed(folder)
    return folder


def test_a_commit_fails_until_the_manifests_hold_the_proxy(repository: Path) -> None:
    installed = command(repository, "pre-commit", "install")
    assert installed.returncode == 0, installed.stdout + installed.stderr
    worker = repository / "clusters/clusters/prod-1/workers.yaml"
    worker.write_text(worker.read_text() + "# touched\n")
    command(repository, "git", "add", ".")
    first = command(repository, "git", "commit", "--message=second")
    assert first.returncode == 1
    assert "files were modified by this hook" in first.stdout + first.stderr
    assert "clusters/clusters/prod-1/workers.yaml" in command(repository, "git", "diff", "--name-only").stdout.split()
    command(repository, "git", "add", ".")
    second = command(repository, "git", "commit", "--message=second")
    assert second.returncode == 0, second.stdout + second.stderr
