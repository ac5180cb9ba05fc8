"""The workflows, the tags of the image, and the files that describe the project to its hosts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import ROOT, need, run

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYPROJECT = (ROOT / "pyproject.toml").read_text()


def workflow(name: str) -> dict[Any, Any]:
    loaded = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.judged
def test_actionlint_finds_nothing() -> None:
    done = run([need("actionlint"), "-shellcheck", need("shellcheck"), *WORKFLOWS], cwd=ROOT)
    assert (done.returncode, done.stdout.decode()) == (0, "")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_names_each_action_by_its_commit(path: Path) -> None:
    text = path.read_text()
    actions = re.findall(r"uses: (\S+)(.*)", text)
    assert actions
    for action, comment in actions:
        assert action.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert action.startswith("./") or re.match(r" # \S+", comment), f"{action}: a comment says the version"
    assert "pull_request_target" not in text


def test_only_the_jobs_that_publish_may_write_and_each_what_it_publishes() -> None:
    granted = {}
    for path in WORKFLOWS:
        data = workflow(path.name)
        for name, job in data["jobs"].items():
            granted[f"{path.stem}: {name}"] = job.get("permissions", data["permissions"])
    assert granted == {
        "ci: everything": {"contents": "read"},
        "ci: python": {"contents": "read"},
        "release: check": {"contents": "read"},
        "release: make": {"contents": "read"},
        "release: image": {"contents": "read", "packages": "write", "id-token": "write", "attestations": "write"},
        "release: publish": {"contents": "write", "id-token": "write"},
        "site: build": {"contents": "read", "pages": "read"},
        "site: publish": {"pages": "write", "id-token": "write"},
    }


def test_a_job_that_publishes_waits_for_who_protects_its_environment() -> None:
    jobs = workflow("release.yml")["jobs"]
    environments = {
        name: job.get("environment") for name, job in jobs.items() if "write" in job["permissions"].values()
    }
    assert environments == {"image": "image", "publish": "pypi"}
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert all(f"`{environment}`" in text for environment in environments.values())


def test_a_release_is_refused_where_its_tag_is_not_on_main(tmp_path: Path) -> None:
    jobs = workflow("release.yml")["jobs"]
    checkout, step = jobs["check"]["steps"][:2]
    assert checkout["with"]["fetch-depth"] == 0
    assert all("needs" in job for name, job in jobs.items() if name != "check")

    def git(folder: str, *words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@corp.example"]
        done = run(["git", *identity, *words], cwd=tmp_path / folder)
        assert done.returncode == 0, done.stderr

    (tmp_path / "origin").mkdir()
    git("origin", "init", "--quiet", "--initial-branch=main")
    for tag, branch in (("v0.1.0", "main"), ("v0.1.1", "main"), ("v0.2.0", "aside")):
        git("origin", "checkout", "--quiet", "-B", branch)
        git("origin", "commit", "--quiet", "--allow-empty", "--message", tag)
        git("origin", "tag", tag)
    git(".", "clone", "--quiet", "origin", "clone")
    results = []
    for tag in ("v0.1.0", "v0.1.1", "v0.2.0"):
        git("clone", "checkout", "--quiet", tag)
        results.append(run(["bash", "-e", "-c", step["run"]], cwd=tmp_path / "clone").returncode)
    assert results == [0, 0, 1]


def test_ci_runs_every_version_of_python_that_the_project_says_it_supports() -> None:
    versions = workflow("ci.yml")["jobs"]["python"]["strategy"]["matrix"]["version"]
    assert versions == re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PYPROJECT)
    assert f'requires-python = ">={versions[0]}"' in PYPROJECT


@pytest.mark.parametrize(
    ("released", "others", "tags"),
    [
        pytest.param("v0.1.1", ["v0.1.0", "v0.1.1"], ["v0.1.1", "v0.1", "v0"], id="a patch of the newest"),
        pytest.param("v0.1.2", ["v0.1.1", "v0.2.0"], ["v0.1.2", "v0.1"], id="a patch of an older minor version"),
        pytest.param("v1.9.1", ["v1.10.0", "v2.0.0"], ["v1.9.1", "v1.9"], id="numbers, not texts"),
        pytest.param("v1.10.0", ["v1.9.1", "v2.0.0"], ["v1.10.0", "v1.10", "v1"], id="the newest of an old major one"),
        pytest.param("v0.1.0", ["v0.1.1", "x", "v9"], ["v0.1.0"], id="an older one again; other tags say nothing"),
    ],
)
def test_tags_of_the_image_never_go_back_and_none_is_latest(released: str, others: list[str], tags: list[str]) -> None:
    argv = [sys.executable, ROOT / "release" / "tags.py", released]
    done = subprocess.run(argv, input="\n".join(others), capture_output=True, text=True, check=True)
    assert done.stdout.split() == tags


@pytest.mark.parametrize("name", ["latest", "v1.0", "1.0.0", "v1.0.0-rc.1"])
def test_another_tag_is_no_release(name: str) -> None:
    argv = [sys.executable, ROOT / "release" / "tags.py", name]
    done = subprocess.run(argv, input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")


def test_the_dockerfile_names_its_base_by_the_digest() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert re.search(r"(?m)^ARG BASE=\S+:\S+@sha256:[0-9a-f]{64}$", text)
    assert re.findall(r"(?m)^FROM (\S+)", text) == ["${BASE}", "scratch"]
