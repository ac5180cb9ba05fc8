"""The steps of `action.yml`, run as a runner of GitHub Actions runs them, over a small repository.

What is left out is the service: the test puts a script in the place of `gh`, and sets the variables of a runner.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import COMMAND, ROOT, contents, need, run

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
WORKFLOW = ROOT / "examples/github-actions/workflow.yaml"
PASSWORD = "S3CRET"
CONTROL_PLANE = "- `KubeadmControlPlane/org-acme/prod-1` in `clusters/prod-1/control-plane.yaml`: "
WORKERS = "- `MachineDeployment/org-acme/prod-1-workers` in `clusters/prod-1/workers.yaml`: "
INSTALL_LIMIT = 600.0
"""Seconds after which a step, of which the first one installs packages, counts as a hang."""
CONFIG = f"""\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {{name: proxy}}
spec:
  httpProxy: http://svc:{PASSWORD}@proxy.corp.example:3128
  httpsProxy: http://svc:{PASSWORD}@proxy.corp.example:3128
  noProxy: [.corp.example]
"""
GH = """\
#!/usr/bin/env bash
# Stands in the place of GitHub's command: it keeps its arguments and the body, and answers $COMMENTS.
printf '%s\\n' "$*" >>"$GH_LOG"
case $* in
  *--paginate*) printf '%s' "$COMMENTS" | jq --raw-output "${@: -1}" ;;
  *--field*) all=$* && cp "${all##*body=@}" "$GH_BODY" ;;
esac
[[ -z ${GH_REFUSES:-} || $* == *--paginate* ]]
"""


MARK = "<!-- inject-proxy -->\n\n"


def comments(*of_pull_request: tuple[int, str, bool]) -> str:
    """The answer of GitHub: of each comment its number, its text, and whether the token has written it."""
    nodes = [{"databaseId": number, "body": body, "viewerDidAuthor": ours} for number, body, ours in of_pull_request]
    return json.dumps({"data": {"repository": {"pullRequest": {"comments": {"nodes": nodes}}}}})


@dataclass
class Runner:
    """A job: its repository, the folder of temporary files, and the context that expressions read."""

    repository: Path
    temporary: Path
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    base: str = ""

    def value(self, expression: str) -> str:
        """The value of an expression, of those forms that `action.yml` uses."""
        first, _, rest = expression.partition(".")
        if first == "inputs":
            return self.inputs.get(rest, self.expanded(str(ACTION["inputs"][rest]["default"])))
        if first == "steps":
            step, _, name = rest.partition(".outputs.")
            return self.outputs.get(step, {}).get(name, "")  # GitHub says so of a step that did not run
        if expression == "github.event.pull_request.base.sha":
            return self.base
        assert expression in {"github.event.pull_request.number", "github.token"}
        return "42"

    def expanded(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.value(found[1]), text)

    def holds(self, condition: str) -> bool:
        """Whether a step runs; a condition is one or two comparisons or values."""
        for part in condition.split(" && "):
            value, _, wanted = part.partition(" == ")
            if self.value(value) != wanted.strip("'") if wanted else not self.value(value):
                return False
        return True

    def run(self, step: Mapping[str, Any]) -> subprocess.CompletedProcess[str] | None:
        """Run a step as `shell: bash` does; keep its outputs. None where its condition does not hold."""
        if "if" in step and not self.holds(step["if"]):
            return None
        assert step["shell"] == "bash"
        script = self.temporary / "step.sh"
        script.write_text(step["run"])
        outputs = self.temporary / "outputs"
        outputs.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.repository,
            env={
                "PATH": f"{self.temporary / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
                "HOME": str(self.temporary),
                "RUNNER_TEMP": str(self.temporary),
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_OUTPUT": str(outputs),
                "GITHUB_STEP_SUMMARY": str(self.temporary / "summary.md"),
                "GITHUB_REPOSITORY": "acme/clusters",
                "GITHUB_SERVER_URL": "https://github.com",
                "GH_LOG": str(self.temporary / "gh.log"),
                "GH_BODY": str(self.temporary / "body.md"),
                "COMMENTS": comments(),
                **self.environment,
                **{name: self.expanded(value) for name, value in step.get("env", {}).items()},
            },
            capture_output=True,
            text=True,
            timeout=INSTALL_LIMIT,
            check=False,
        )
        if "id" in step:
            lines = outputs.read_text().splitlines()
            self.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        return done

    def run_all(self, *, until: str = "") -> dict[str, subprocess.CompletedProcess[str] | None]:
        """Run the steps behind the installation, until one fails, or the one with a name is done."""
        done: dict[str, subprocess.CompletedProcess[str] | None] = {}
        for step in ACTION["runs"]["steps"][1:]:
            result = self.run(step)
            done[step["name"]] = result
            if step["name"] == until or (result is not None and result.returncode):
                break
        return done

    def check(self) -> subprocess.CompletedProcess[str]:
        """Run the steps up to the check."""
        done = self.run_all(until="Check the manifests")["Check the manifests"]
        assert done
        return done

    def comment(self) -> subprocess.CompletedProcess[str]:
        """Run the step that comments, with a report that is there."""
        report = self.temporary / "report.md"
        report.write_text("the report\n")
        self.outputs["report"] = {"file": str(report)}
        (step,) = (one for one in ACTION["runs"]["steps"] if one["name"] == "Comment on the pull request")
        done = self.run(step)
        assert done
        return done

    def text(self, name: str) -> str:
        return (self.temporary / name).read_text()


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner with the command of this checkout where the first step installs it."""
    repository = Path(shutil.copytree(ROOT / "examples/config-repo", tmp_path / "repository"))
    (repository / "proxy.yaml").write_text(CONFIG)
    temporary = tmp_path / "temporary"
    (temporary / "bin").mkdir(parents=True)
    (temporary / "bin/gh").write_text(GH)
    (temporary / "bin/gh").chmod(0o755)
    (temporary / "inject-proxy/bin").mkdir(parents=True)
    (temporary / "inject-proxy/bin/python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (temporary / "inject-proxy/bin/python").chmod(0o755)
    return Runner(repository, temporary)


def test_a_pull_request_without_the_proxy_fails_with_annotations_and_a_comment(runner: Runner) -> None:
    done = runner.run_all()
    check, posted = done["Check the manifests"], done["Comment on the pull request"]
    failed = done["Fail where a manifest lacks the proxy"]
    assert check and posted and failed
    assert "::error file=clusters/prod-1/control-plane.yaml,line=" in check.stdout
    assert (check.returncode, runner.outputs["check"]["exit-code"], failed.returncode) == (0, "1", 1)
    assert "--method POST repos/acme/clusters/issues/42/comments" in runner.text("gh.log")
    body = runner.text("body.md")
    assert body == runner.text("summary.md")
    assert body.startswith("<!-- inject-proxy -->\n\n### inject-proxy: 4 files would change.")
    assert f"**Nodes that will be replaced**\n\n{CONTROL_PLANE}`spec.kubeadmConfigSpec` changes\n\n" in body
    kept = "the content of `KubeadmConfigTemplate/prod-1-workers` changes, and its name does not"
    assert f"**Nodes that keep what they have**\n\n{WORKERS}{kept}\n" in body
    assert "```diff\n--- a/clusters/prod-1/control-plane.yaml\n" in body
    assert "spec.clusterNetwork.pods.cidrBlocks[0]" in body  # the reason of an entry
    assert not [one for one in done.values() if one and PASSWORD in one.stdout + one.stderr]
    assert PASSWORD not in body


REWRITTEN = [
    pytest.param([(7001, MARK, True), (7002, MARK, True)], 7001, id="its own, the first of two"),
    pytest.param([(7001, "Nice", False), (7002, MARK, True)], 7002, id="its own behind a talk"),
    pytest.param([(7001, MARK, False), (7002, MARK, True)], 7002, id="its own behind one of somebody with its mark"),
    pytest.param([(7001, f"> {MARK}", True), (7002, MARK, False)], None, id="none of its own"),
    pytest.param([], None, id="none"),
]


@pytest.mark.parametrize(("listed", "number"), REWRITTEN)
def test_a_second_push_rewrites_the_comment_that_the_action_has_written(
    runner: Runner, listed: list[tuple[int, str, bool]], number: int | None
) -> None:
    need("jq")
    runner.environment["COMMENTS"] = comments(*listed)
    runner.comment()
    _, written = runner.text("gh.log").strip().rsplit("\napi ", 1)
    if number is None:
        assert written.startswith("--method POST repos/acme/clusters/issues/42/comments ")
    else:
        assert written.startswith(f"--method PATCH repos/acme/clusters/issues/comments/{number} ")


def test_a_token_that_may_not_write_does_not_fail_the_job(runner: Runner) -> None:
    runner.environment["GH_REFUSES"] = "1"
    posted = runner.comment()
    assert posted.returncode == 0
    assert "::notice title=inject-proxy::" in posted.stdout


def git(folder: Path, *argv: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    done = run([need("git"), *identity, *argv], cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def open_pull_request(runner: Runner) -> None:
    """Commit what the repository holds, and make that the base of a pull request."""
    git(runner.repository, "init", "--quiet", "--initial-branch=main")
    git(runner.repository, "add", ".")
    git(runner.repository, "commit", "--quiet", "--message=first")
    runner.base = git(runner.repository, "rev-parse", "HEAD")
    git(runner.repository, "remote", "add", "origin", str(runner.repository))


def test_a_pull_request_that_holds_the_proxy_says_which_nodes_it_replaces(runner: Runner) -> None:
    """The manifests are compared with those of the base: the run has nothing left to change."""
    open_pull_request(runner)
    (runner.repository / "proxy.yaml").write_text(CONFIG + "  rollout: {hashNames: true}\n")
    run([COMMAND, "run", "."], cwd=runner.repository)
    failed = runner.run_all()["Fail where a manifest lacks the proxy"]
    assert failed and failed.returncode == 0
    body = runner.text("body.md")
    assert "```diff" not in body
    assert "### inject-proxy: a run would change nothing\n" in body
    assert f"{CONTROL_PLANE}`spec.kubeadmConfigSpec` changes\n" in body
    assert f"{WORKERS}`spec.template.spec.bootstrap` changes\n" in body
    assert "Nodes that keep" not in body


def test_a_base_that_cannot_be_fetched_is_a_warning(runner: Runner) -> None:
    open_pull_request(runner)
    runner.base = "0" * 40
    done = runner.run_all()
    fetched = done["Fetch the base"]
    assert fetched
    assert fetched.stdout.splitlines() == [
        "::warning title=inject-proxy::`base` cannot be fetched, so the report compares no nodes with it."
    ]
    assert (fetched.returncode, runner.outputs["check"]["exit-code"]) == (0, "1")
    assert "4 files would change." in runner.text("body.md")


def test_inputs_reach_the_command_as_single_words(runner: Runner) -> None:
    (runner.repository / "with blank").mkdir()
    shutil.move(runner.repository / "clusters", runner.repository / "with blank/$(touch pwned)")
    runner.inputs = {"paths": "with blank/$(touch pwned)\n\nproxy.yaml\n", "arguments": "--only=nodes\n"}
    check = runner.check()
    assert "file=with blank/$(touch pwned)/prod-1/control-plane.yaml" in check.stdout
    assert "cert-manager" not in check.stdout
    assert not (runner.repository / "pwned").exists()


@pytest.mark.parametrize("path", ["{repository}/clusters", "../repository/clusters", "linked", "absolute"])
def test_a_path_is_a_place_in_the_repository(runner: Runner, path: str) -> None:
    repository = runner.repository
    (repository / "linked").symlink_to("clusters")
    (repository / "absolute").symlink_to(repository / "clusters")
    runner.inputs = {"paths": f"{path.format(repository=repository)}\nproxy.yaml\n"}
    assert "::error file=clusters/prod-1/control-plane.yaml,line=" in runner.check().stdout


def test_a_folder_that_looks_like_an_option_is_a_place_which_stays_as_it_is(runner: Runner) -> None:
    repository = runner.repository
    shutil.move(repository / "clusters", repository / "--output-dir=evil")
    before = contents(repository)
    runner.inputs = {"paths": "--output-dir=evil\nproxy.yaml\n"}
    check = runner.run_all()["Check the manifests"]
    assert check and "::error file=--output-dir=evil/prod-1/control-plane.yaml,line=" in check.stdout
    assert "in `--output-dir=evil/prod-1/control-plane.yaml`: " in runner.text("body.md")
    assert contents(repository) == before


REFUSED = [
    pytest.param({"paths": "../other"}, id="another folder"),
    pytest.param({"paths": "/etc"}, id="an absolute path elsewhere"),
    pytest.param({"paths": ".\nout"}, id="a link to another folder"),
    pytest.param({"arguments": "--only=nodes\n../other"}, id="a path among the arguments"),
    pytest.param({"arguments": "--"}, id="two dashes among the arguments"),
]


@pytest.mark.parametrize("inputs", REFUSED)
def test_what_leads_out_of_the_repository_is_refused(runner: Runner, inputs: dict[str, str]) -> None:
    other = runner.repository.with_name("other")
    shutil.copytree(runner.repository, other)
    (runner.repository / "out").symlink_to("../other")
    before = contents(other)
    runner.inputs = {"fail": "false", **inputs}
    check = runner.run_all().popitem()[1]
    assert check and (check.returncode, check.stdout.count("::error title=inject-proxy::")) == (2, 1)
    assert contents(other) == before


def test_a_link_in_the_repository_changes_no_file_behind_it(runner: Runner) -> None:
    """Where the report is made, a run writes into a copy of the repository, links and all."""
    victim = runner.repository.with_name("victim.yaml")
    shutil.copy(runner.repository / "clusters/prod-1/control-plane.yaml", victim)
    (runner.repository / "relative.yaml").symlink_to("../victim.yaml")
    (runner.repository / "absolute.yaml").symlink_to(victim)
    (runner.repository / "inside.yaml").symlink_to(runner.repository / "clusters/prod-1/workers.yaml")
    before = contents(runner.repository.parent / "repository"), victim.read_bytes()
    runner.run_all()
    assert (contents(runner.repository), victim.read_bytes()) == before
    assert "4 files would change" in runner.text("body.md")


def test_an_option_that_names_a_folder_writes_nothing(runner: Runner) -> None:
    runner.inputs = {"arguments": f"--output-dir={runner.temporary}/evil"}
    runner.run_all()
    assert "the check could not run" in runner.text("body.md")
    assert not (runner.temporary / "evil").exists()


def test_git_gets_no_option_from_an_input_and_no_token_in_an_argument(runner: Runner) -> None:
    git(runner.repository, "init", "--quiet")
    git(runner.repository, "remote", "add", "origin", str(runner.repository))
    log = runner.temporary / "git.log"
    (runner.temporary / "bin/git").write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" "header $INJECT_PROXY_HEADER" >>{log}\nexec {need("git")} "$@"\n'
    )
    (runner.temporary / "bin/git").chmod(0o755)
    runner.inputs["token"] = "t0ken"
    runner.base = f"--upload-pack=touch {runner.temporary}/pwned"
    fetched = runner.run_all(until="Fetch the base")["Fetch the base"]
    assert fetched and fetched.returncode == 0, fetched
    encoded = base64.b64encode(b"x-access-token:t0ken").decode()
    shown = log.read_text().splitlines()
    assert f"header AUTHORIZATION: basic {encoded}" in shown
    assert not [line for line in shown if ("t0ken" in line or encoded in line) and not line.startswith("header ")]
    assert not (runner.temporary / "pwned").exists()


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        pytest.param(CONFIG.replace("httpProxy", "httProxy"), "are wrong", id="an error in the ProxyConfig"),
        pytest.param("", "could not run", id="no ProxyConfig"),
    ],
)
def test_what_is_wrong_fails_with_a_report(runner: Runner, text: str, headline: str) -> None:
    (runner.repository / "proxy.yaml").write_text(text)
    failed = runner.run_all()["Fail where a manifest lacks the proxy"]
    assert failed and failed.returncode in {1, 2}
    assert headline in runner.text("body.md").splitlines()[2]
    assert "Nodes that will be replaced" not in runner.text("body.md")


def test_a_report_fits_into_a_comment_and_no_text_ends_its_blocks(tmp_path: Path) -> None:
    (tmp_path / "changes.diff").write_text(
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -0,0 +1,10001 @@\n+```\n" + "+ an entry\n" * 10_000
    )
    (tmp_path / "explain.txt").write_text("an entry\n" * 10_000)
    (tmp_path / "results.json").write_text("[]")
    (tmp_path / "before").mkdir()
    (tmp_path / "after").mkdir()
    done = run([sys.executable, "-I", ROOT / "action", tmp_path])
    body = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert 50_000 < len(body) < 65_536
    assert body.count("\n````\n") == 1
    assert body.count("the rest is too long for a comment") == 2


def test_the_first_step_installs_the_command_with_the_locked_packages(runner: Runner) -> None:
    shutil.rmtree(runner.temporary / "inject-proxy")
    done = runner.run(ACTION["runs"]["steps"][0])
    assert done and done.returncode == 0, done and done.stderr
    command = runner.temporary / "inject-proxy/bin/inject-proxy"
    assert run([command, "--version"]).stdout.startswith(b"inject-proxy ")
    freeze = run([command.with_name("python"), "-m", "pip", "list", "--format=json"])
    found = {package["name"].lower(): package["version"] for package in json.loads(freeze.stdout)}
    assert f"pyyaml=={found['pyyaml']}" in (ROOT / "requirements/runtime.txt").read_text()


PLANTED = [
    *("venv", "pip", "ensurepip", "hatchling", "site", "sitecustomize", "usercustomize", "runpy"),
    *("json", "re", "pathlib", "yaml", "jsonpatch", "jsonschema", "krm_fn", "nodes", "report", "argparse", "__main__"),
]
"""Modules that a step imports, or would if a folder of a pull request were on the path of Python."""


def test_no_step_runs_code_of_the_checkout(runner: Runner) -> None:
    """Modules lie in the current folder, which PYTHONPATH names, too, and among the packages of the user."""
    repository = runner.repository
    ran = runner.temporary / "ran"
    code = f"open({str(ran)!r}, 'a').write(__file__ + chr(10))\n"
    user = repository / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    for folder in (repository, user):
        for name in PLANTED:
            (folder / name).mkdir(parents=True)
            for file in (f"{name}.py", f"{name}/__init__.py", f"{name}/__main__.py"):
                (folder / file).write_text(code)
    (repository / "setup.py").write_text(code)
    (user / "planted.pth").write_text(f"import sys; {code}")
    runner.environment = {
        "PYTHONPATH": str(repository),
        "PYTHONUSERBASE": str(repository),
        "PYTHONSTARTUP": str(repository / "pip.py"),
    }
    shutil.rmtree(runner.temporary / "inject-proxy")
    for step in ACTION["runs"]["steps"]:
        runner.run(step)
    assert not ran.exists(), ran.read_text()
    assert "4 files would change" in runner.text("body.md")


@pytest.mark.judged
def test_the_metadata_and_the_workflow_are_what_github_takes(tmp_path: Path) -> None:
    workflows = tmp_path / ".github/workflows"
    workflows.mkdir(parents=True)
    shutil.copy(ROOT / "action.yml", tmp_path / "action.yml")
    text = WORKFLOW.read_text()
    assert text.count("uses: OWNER/inject-proxy@") == 1
    run([need("git"), "init", "--quiet"], cwd=tmp_path)  # actionlint looks for the root of a repository
    # With the action of this folder actionlint knows its inputs.
    (workflows / "proxy.yaml").write_text(re.sub(r"OWNER/inject-proxy@\S+", "./", text))
    for argv in (
        [need("actionlint"), "-no-color"],
        [need("check-jsonschema"), "--builtin-schema", "vendor.github-actions", "action.yml"],
        [need("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", ".github/workflows/proxy.yaml"],
    ):
        done = run(argv, cwd=tmp_path)
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


def test_the_scripts_are_what_shellcheck_takes() -> None:
    for step in ACTION["runs"]["steps"]:
        done = run(
            [need("shellcheck"), "--shell=bash", "--external-sources", "-"], stdin=step["run"].encode(), cwd=ROOT
        )
        assert done.returncode == 0, done.stdout.decode()
