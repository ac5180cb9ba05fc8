"""The recipe of docs/howto/monorepo.md in a small repository of this kind: real git, the commands of its workflow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from explained import CLUSTER
from markdown import block_with
from support import ROOT, need, run, shell

PAGE = (ROOT / "docs" / "howto" / "monorepo.md").read_text(encoding="utf-8")
CONFIG = (ROOT / "examples" / "demo" / "proxy.yaml").read_text(encoding="utf-8")
CLUSTERS = [
    (region, f"{region}-{number}", at * 10 + number) for at, region in enumerate(("eu", "us"), 1) for number in range(4)
]


def steps(job: str) -> list[str]:
    """The commands of a job that check."""
    workflow: dict[Any, Any] = yaml.safe_load(block_with(PAGE, "runs-on"))
    commands = [step["run"] for step in workflow["jobs"][job]["steps"] if "run" in step]
    return [command for command in commands if command.startswith("inject-proxy")]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone whose branch `main`, and that of the origin, hold the proxy in all clusters."""
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "proxy.yaml").write_text(CONFIG)
    for region, name, number in CLUSTERS:
        write(folder, region, name, number)
    done = shell(
        "git init --quiet --initial-branch main; git config user.name a; git config user.email a@corp.example\n"
        "git config commit.gpgsign false; inject-proxy run .; git add --all; git commit --quiet --message x\n"
        "git update-ref refs/remotes/origin/main HEAD; git checkout --quiet -b change",
        folder,
    )
    assert done.returncode == 0, done.stderr
    return folder


def write(folder: Path, region: str, name: str, number: int) -> None:
    file = folder / "clusters" / region / name / "cluster.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = CLUSTER.replace("NAME", name).replace("192.168.", f"10.{number}.")
    file.write_text(text.replace("namespace: org", f"namespace: org, labels: {{region: {region}}}", 1))


def test_the_check_sees_a_new_cluster_and_nothing_else(clone: Path) -> None:
    (check,) = steps("check")
    assert shell(check, clone).returncode == 0
    write(clone, "eu", "eu-9", 99)
    done = shell(check, clone)
    assert done.returncode == 1
    assert set(re.findall(r"::error file=(clusters/[^,]+)", done.stdout)) == {"clusters/eu/eu-9/cluster.yaml"}


def test_a_wave_changes_its_region_and_leaves_the_check_green(clone: Path) -> None:
    config = yaml.safe_load(CONFIG)
    config["spec"]["overrides"] = yaml.safe_load(block_with(PAGE, "new-proxy"))["spec"]["overrides"]
    (clone / "proxy.yaml").write_text(yaml.safe_dump(config))
    done = shell(
        "cd clusters/eu && inject-proxy run . && cd ../.. && inject-proxy run . && inject-proxy run --check .", clone
    )
    assert done.returncode == 0, done.stderr
    changed = shell("git diff --name-only -- clusters", clone).stdout.split()
    assert {name.split("/")[1] for name in changed} == {"eu"}
    assert len(changed) == 4
    assert "new-proxy.corp.example" in shell("inject-proxy explain .", clone).stdout


@pytest.mark.judged
def test_the_workflow_is_right(tmp_path: Path) -> None:
    (tmp_path / "proxy.yaml").write_text(block_with(PAGE, "runs-on"))
    done = run([need("actionlint"), "-shellcheck=", tmp_path / "proxy.yaml"])
    assert (done.returncode, done.stdout) == (0, b"")
