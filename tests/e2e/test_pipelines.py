"""The pipelines under `examples/`: their commands, taken from the files, over a small repository.

What is left out is the service: the steps that install something or log in do not run, and scripts take the place of
`flux`. What the service would fill in (variables, parameters) the test fills in.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import ROOT, TIME_LIMIT, need, run, search_path

EXAMPLES = ROOT / "examples"
WORKFLOWS = ["github-actions/workflow", "flux/push-artifact", "flux/commit"]
FLUX = '#!/bin/sh\nprintf "%s\\n" "$*" >>"$FLUX_LOG"\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clone of a repository with `clusters/prod`, a kustomization, and `proxy.yaml`."""
    origin = tmp_path / "origin"
    shutil.copytree(EXAMPLES / "config-repo", origin / "clusters/prod")
    shutil.copy(EXAMPLES / "kustomize-exec/proxy.yaml", origin)
    git(origin, "init", "--quiet", "--initial-branch=main")
    git(origin, "add", ".")
    git(origin, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=first")
    git(tmp_path, "clone", "--quiet", str(origin), "clone")
    return tmp_path / "clone"


def git(folder: Path, *argv: str) -> str:
    done = run([need("git"), *argv], cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def load(name: str) -> Any:
    return yaml.safe_load((EXAMPLES / name).read_text())


def shell(folder: Path, script: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder with bash, as GitHub's runners do."""
    return subprocess.run(
        [need("bash"), "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={"PATH": f"{folder.parent / 'bin'}:{search_path()}", "HOME": str(folder.parent), **env},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )


def workflow_steps(name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The script and the variables of each step of a workflow, but not of those that need the service."""
    workflow = load(f"{name}.yaml")
    (job,) = workflow["jobs"].values()
    for step in job["steps"]:
        if "run" in step and not step["name"].startswith(("Install", "Log in")):
            yield step["run"], {**workflow.get("env", {}), **step.get("env", {})}


def run_workflow(name: str, folder: Path, expressions: Mapping[str, str]) -> list[subprocess.CompletedProcess[str]]:
    temporary = folder.parent / "runner"
    (folder.parent / "bin").mkdir(exist_ok=True)
    temporary.mkdir(exist_ok=True)
    (folder.parent / "bin/flux").write_text(FLUX)
    (folder.parent / "bin/flux").chmod(0o755)
    done = []
    for script, variables in workflow_steps(name):
        env = {
            key: re.sub(r"\$\{\{ (.*?) \}\}", lambda one: expressions[one[1]], str(v)) for key, v in variables.items()
        }
        given = {"RUNNER_TEMP": str(temporary), "GITHUB_REF_NAME": "main", "FLUX_LOG": str(folder.parent / "flux.log")}
        done.append(shell(folder, script, {**given, **env}))
        if done[-1].returncode:
            break
    return done


def expected_objects() -> list[Any]:
    return list(yaml.safe_load_all((EXAMPLES / "kustomize-exec/expected.yaml").read_text()))


@pytest.mark.judged
@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_is_what_github_takes(name: str, tmp_path: Path) -> None:
    file = EXAMPLES / f"{name}.yaml"
    for argv in (
        [need("actionlint"), "-no-color", file],
        [need("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", file],
    ):
        done = run(argv, cwd=tmp_path)
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


PIPELINES = sorted(
    path
    for folder in ("flux", "github-actions", "gitlab-ci", "tekton", "pre-commit")
    for path in (EXAMPLES / folder).iterdir()
    if path.suffix in {".yaml", ".yml"}
)
WITH_HASHES = 'pip install --quiet --require-hashes --only-binary=":all:" -r inject-proxy.txt'


@pytest.mark.parametrize("path", PIPELINES, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_a_pipeline_installs_by_hash_and_names_actions_and_images_by_commit_and_digest(path: Path) -> None:
    text = path.read_text()
    for action in re.findall(r"uses: (.*)", text):
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    for command in re.findall(r"pip install.*", text):
        assert command == WITH_HASHES
    for image in re.findall(r"(?m)^\s*image: (\S+)|value: (registry\S+)", text):
        assert re.search(r"@sha256:[0-9a-f]{64}$|^\$\(params\.image\)$", "".join(image)), image
    for revision in re.findall(r"rev: (\S+)", text):
        assert re.fullmatch(r'"[0-9a-f]{40}"', revision)


def test_flux_gets_an_artifact_with_the_proxy(repository: Path) -> None:
    done = run_workflow("flux/push-artifact", repository, {})
    assert [one.returncode for one in done] == [0, 0], done[-1].stderr
    assert list(yaml.safe_load_all((repository / "rendered/manifests.yaml").read_text())) == expected_objects()
    commit = git(repository, "rev-parse", "HEAD").strip()
    pushed, tagged = (repository.parent / "flux.log").read_text().splitlines()
    assert pushed.startswith(f"push artifact oci://ghcr.io/OWNER/clusters/prod:{commit[:7]} --path=rendered")
    assert f" --revision=main@sha1:{commit}" in pushed
    assert tagged.endswith(" --tag=main")


def test_nothing_is_pushed_where_kustomize_fails(repository: Path) -> None:
    (repository / "clusters/prod/platform/team-settings.yaml").unlink()
    assert [one.returncode != 0 for one in run_workflow("flux/push-artifact", repository, {})] == [True]
    assert not (repository.parent / "flux.log").exists()


def test_the_branch_gets_what_is_rendered_and_a_second_run_adds_no_commit(repository: Path) -> None:
    origin = repository.parent / "origin"
    done = run_workflow("flux/commit", repository, {})
    assert [one.returncode for one in done] == [0, 0], done[-1].stderr
    assert git(origin, "ls-tree", "-r", "--name-only", "rendered").split() == ["prod/manifests.yaml"]
    assert list(yaml.safe_load_all(git(origin, "show", "rendered:prod/manifests.yaml"))) == expected_objects()
    git(repository, "switch", "--quiet", "main")
    again = run_workflow("flux/commit", repository, {})
    assert "nothing has changed" in again[-1].stdout
    assert git(origin, "rev-list", "--count", "rendered").strip() == "1"


def gitlab_job(folder: Path, name: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the script of a job of GitLab, which ends where a command fails; `before_script` installs the command."""
    jobs = load("gitlab-ci/gitlab-ci.yml")
    job = {**jobs[jobs[name]["extends"]], **jobs[name]}
    (install,) = job["before_script"]
    assert install == WITH_HASHES
    return shell(folder, "\n".join(job["script"]), env)


def test_a_job_of_gitlab_fails_with_a_report_and_a_diff(repository: Path) -> None:
    done = gitlab_job(repository, "proxy", {})
    assert done.returncode == 1
    report = (repository / "proxy.xml").read_text()
    assert '<testcase classname="inject-proxy run" name="clusters/prod/clusters/prod-1/control-plane.yaml">' in report
    assert 'failures="4"' in report
    git(repository, "apply", "--check", "proxy.diff")


def test_the_jobs_are_what_gitlab_takes() -> None:
    file = EXAMPLES / "gitlab-ci/gitlab-ci.yml"
    done = run([need("check-jsonschema"), "--builtin-schema", "vendor.gitlab-ci", file])
    assert done.returncode == 0, done.stdout.decode()


def tekton_step(folder: Path, params: Mapping[str, Any]) -> tuple[subprocess.CompletedProcess[bytes], str]:
    """Run the step of the Task as Tekton does: parameters are put into arguments and variables. Give its result."""
    task = load("tekton/task.yaml")["spec"]
    values = {one["name"]: params.get(one["name"], one.get("default")) for one in task["params"]}
    (step,) = task["steps"]
    argv: list[str] = []
    for word in step["args"]:
        name = word.removeprefix("$(params.").removesuffix("[*])")
        argv += values[name] if name != word else [word]
    result = folder.parent / "result"
    env = {}
    for variable in step["env"]:
        value = variable["value"].replace("$(results.exit-code.path)", str(result))
        env[variable["name"]] = re.sub(r"\$\(params\.(\w+)\)", lambda found: str(values[found[1]]), value)
    assert "$(" not in step["script"]  # what a parameter holds is no part of a script
    first, _, script = step["script"].partition("\n")
    python, *options = first.removeprefix("#!").split()
    assert f'ENTRYPOINT ["{python}", ' in (ROOT / "Dockerfile").read_text()  # all that the image can run
    done = run([sys.executable, *options, "-c", script, *argv], cwd=folder, env=env)
    return done, result.read_text()


def test_the_task_of_tekton_checks_and_writes(repository: Path) -> None:
    (task,) = load("tekton/pipeline-run.yaml")["spec"]["pipelineSpec"]["tasks"]
    params = {one["name"]: one["value"] for one in task["params"]}
    done, result = tekton_step(repository, params)
    assert (done.returncode, result) == (1, "1"), done.stderr
    written, result = tekton_step(repository, {**params, "arguments": []})
    assert (written.returncode, result) == (0, "0"), written.stderr
    assert tekton_step(repository, params)[1] == "0"
    assert task["taskRef"]["name"] == load("tekton/task.yaml")["metadata"]["name"]
    refused, result = tekton_step(repository, {**params, "paths": ["--output-dir=evil"], "arguments": []})
    assert (result, b'there is no file or folder "--output-dir=evil"' in refused.stderr) == ("2", True)


def test_every_folder_of_the_examples_has_a_readme_and_the_pages_link_to_it() -> None:
    pages = "".join(path.read_text() for path in [*(ROOT / "docs").glob("*.md"), *EXAMPLES.glob("*/README.md")])
    folders = [path.name for path in EXAMPLES.iterdir() if path.is_dir()]
    without = {name for name in folders if not (EXAMPLES / name / "README.md").exists()}
    assert without == {"config-repo"}  # the manifests that the others use
    unreached = [name for name in folders if not re.search(rf"(examples|\.\.)/{name}(/README\.md)?\)", pages)]
    assert [name for name in unreached if name not in {"config-repo", "demo"}] == []
