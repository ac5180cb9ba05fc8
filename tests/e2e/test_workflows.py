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
CATALOG_FIELDS = {"image", "description", "tags", "sourceURL", "examplePackageURLs", "license", "hidden"}
CATALOG_TAGS = {
    *("mutator", "validator", "generator", "viewer"),
    *("test", "testing", "timing", "name prefix", "name suffix"),
}


def workflow(name: str) -> dict[Any, Any]:
    loaded = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())
    assert isinstance(loaded, dict)
    return loaded


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


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_names_each_image_by_its_digest(path: Path) -> None:
    for job in workflow(path.name)["jobs"].values():
        assert not {"container", "services"} & set(job)
        for step in job["steps"]:
            action = step.get("uses", "").partition("@")[0]
            image = step.get("with", {}).get("image")
            assert image is not None or action != "docker/setup-qemu-action", "without an image it takes `latest`"
            assert image is None or re.fullmatch(r"\S+:\S+@sha256:[0-9a-f]{64}", image)


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


def test_the_release_makes_its_files_with_the_command_of_the_makefile_and_builds_nothing_else() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert len(re.findall(r"make release ", text)) == 1
    assert not re.search(r"hatchling|docker (buildx )?build|gh release create.*--generate-notes", text)


def test_ci_runs_every_version_of_python_that_the_project_says_it_supports() -> None:
    versions = workflow("ci.yml")["jobs"]["python"]["strategy"]["matrix"]["version"]
    assert versions == re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PYPROJECT)
    assert f'requires-python = ">={versions[0]}"' in PYPROJECT


@pytest.mark.parametrize(
    ("released", "others", "tags"),
    [
        pytest.param("v0.1.0", [], ["v0.1.0", "v0.1", "v0"], id="the first release"),
        pytest.param("v0.1.1", ["v0.1.0", "v0.1.1"], ["v0.1.1", "v0.1", "v0"], id="a patch of the newest"),
        pytest.param("v0.1.2", ["v0.1.1", "v0.2.0"], ["v0.1.2", "v0.1"], id="a patch of an older minor version"),
        pytest.param("v1.9.1", ["v1.10.0", "v2.0.0"], ["v1.9.1", "v1.9"], id="numbers, not texts"),
        pytest.param(
            "v1.10.0", ["v1.9.1", "v2.0.0"], ["v1.10.0", "v1.10", "v1"], id="the newest of an older major one"
        ),
        pytest.param("v0.1.0", ["v0.1.1", "x", "v9"], ["v0.1.0"], id="an older one again; other tags say nothing"),
    ],
)
def test_the_tags_of_the_image_never_go_back_and_there_is_no_latest(
    released: str, others: list[str], tags: list[str]
) -> None:
    argv = [sys.executable, ROOT / "release" / "tags.py", released]
    done = subprocess.run(argv, input="\n".join(others), capture_output=True, text=True, check=True)
    assert done.stdout.split() == tags


@pytest.mark.parametrize("name", ["latest", "v1.0", "1.0.0", "v1.0.0-rc.1"])
def test_another_tag_is_no_release(name: str) -> None:
    argv = [sys.executable, ROOT / "release" / "tags.py", name]
    done = subprocess.run(argv, input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")


def test_nothing_pushes_or_pulls_a_latest() -> None:
    for path in [
        *WORKFLOWS,
        ROOT / "Makefile",
        ROOT / "Dockerfile",
        ROOT / "metadata.yaml",
        *(ROOT / "docs").glob("*.md"),
    ]:
        assert not re.search(r"inject-proxy:latest|:\$\{?latest|--tag \S*:latest", path.read_text()), path


def test_the_dockerfile_names_its_base_by_the_digest() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert re.search(r"(?m)^ARG BASE=\S+:\S+@sha256:[0-9a-f]{64}$", text)
    assert re.findall(r"(?m)^FROM (\S+)", text) == ["${BASE}", "scratch"]


def test_the_metadata_of_the_catalog_has_its_fields_and_the_image_of_make_image() -> None:
    data = yaml.safe_load((ROOT / "metadata.yaml").read_text())
    assert {"image", "description", "tags"} <= set(data) <= CATALOG_FIELDS
    assert set(data["tags"]) <= CATALOG_TAGS
    assert data["image"] == re.findall(r"(?m)^IMAGE +\?= (\S+)$", (ROOT / "Makefile").read_text())[0]
    assert f'license = "{data["license"]}"' in PYPROJECT


def test_the_hooks_of_pre_commit_are_what_make_lint_runs() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    lint = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\ngolden:")[0]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        words = hook["entry"].removeprefix(".venv/bin/").removesuffix(" --fix")
        assert words in lint, hook["entry"]


@pytest.mark.parametrize("name", ["bug.yml", "system.yml"])
def test_an_issue_form_has_what_github_asks_for(name: str) -> None:
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / name).read_text())
    assert {"name", "description", "body"} <= set(form)
    names = [element["id"] for element in form["body"] if element["type"] != "markdown"]
    assert len(names) == len(set(names))
    for element in form["body"]:
        assert element["type"] in {"markdown", "input", "textarea", "dropdown", "checkboxes"}
        assert ("value" if element["type"] == "markdown" else "label") in element["attributes"]
