"""`inject-proxy run --shard I/N`: N jobs do together what one run does, and each file belongs to one of them."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from changed_files import change, checked, diffed, parts_of, write_story
from krm_fn.cli import run as command
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.shard import Shard
from krm_fn.errors import UsageError
from support import ROOT, finished

CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec:
  httpProxy: http://svc:S3CRET@proxy.corp.example:3128
  httpsProxy: http://svc:S3CRET@proxy.corp.example:3128
  noProxy: [.corp.example]
  rollout: {hashNames: true}
  targets: {giantswarmSystemdProxy: {generate: true}}
"""
CLUSTER = {
    "apiVersion": "cluster.x-k8s.io/v1beta1",
    "kind": "Cluster",
    "spec": {"clusterNetwork": {"services": {"cidrBlocks": ["172.30.0.0/16"]}}},
}
TEMPLATE = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: NAME, namespace: org, labels: {cluster.x-k8s.io/cluster-name: NAME}}
spec: {template: {spec: {joinConfiguration: {}}}}
"""
WORKERS = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: NAME, namespace: org}
spec:
  clusterName: NAME
  template:
    spec:
      clusterName: NAME
      bootstrap:
        configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: NAME}
"""
BROKEN = TEMPLATE.replace("NAME", "broken").replace("{joinConfiguration: {}}", "{files: none}")
CLUSTERS = 7


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Seven clusters in three files each; two of the Clusters are JSON, beside which new objects get a file."""
    folder = tmp_path / "fleet"
    for number in range(CLUSTERS):
        name = f"c{number}"
        cluster = {**CLUSTER, "metadata": {"name": name, "namespace": "org"}}
        ending = "json" if number < 2 else "yaml"
        place = folder / name
        place.mkdir(parents=True)
        (place / f"cluster.{ending}").write_text(json.dumps(cluster, indent=2) + "\n")
        (place / "template.yaml").write_text(TEMPLATE.replace("NAME", name))
        (place / "workers.yaml").write_text(WORKERS.replace("NAME", name))
    (folder / "proxy.yaml").write_text(CONFIG)
    return folder


def run(folder: Path, *argv: str) -> CommandResult:
    """The command in this process, because there are many runs; ``folder`` is its current folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        return finished(command.run([*argv], lambda: b""))
    finally:
        os.chdir(before)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def changes(folder: Path, *argv: str) -> dict[str, bytes | None]:
    """Name -> new content of what a run over a copy of a folder changes, None for a file that goes."""
    copy = Path(shutil.copytree(folder, folder.parent / f"copy{len(list(folder.parent.iterdir()))}"))
    done = run(copy, *argv)
    assert done.exit_code == 0, done.reported
    before, after = contents(folder), contents(copy)
    return {name: after.get(name) for name in sorted({*before, *after}) if before.get(name) != after.get(name)}


def by_shards(folder: Path, number: int) -> list[dict[str, bytes | None]]:
    return [changes(folder, "--shard", f"{index}/{number}") for index in range(1, number + 1)]


@pytest.mark.parametrize("number", [1, 3])
def test_the_shards_change_together_what_one_run_changes(fleet: Path, number: int) -> None:
    whole = changes(fleet)
    shards = by_shards(fleet, number)
    assert len(whole) == CLUSTERS * 3
    assert sum(len(shard) for shard in shards) == len(whole)  # each file is in one of them only
    assert {name: content for shard in shards for name, content in shard.items()} == whole
    assert number == 1 or sum(bool(shard) for shard in shards) > 1


def test_the_shards_remove_together_what_one_run_removes(fleet: Path) -> None:
    before = contents(fleet)
    run(fleet)
    (fleet / "proxy.yaml").write_text(CONFIG + "  mode: Remove\n")
    shards = by_shards(fleet, 2)
    removed = {name: content for shard in shards for name, content in shard.items()}
    assert {**contents(fleet), **removed, "proxy.yaml": before["proxy.yaml"]} == {
        **before,
        **{f"c{number}/secret-org-c{number}-systemd-proxy.yaml": None for number in range(2)},
    }


def test_the_shards_report_together_what_one_run_reports(fleet: Path) -> None:
    (fleet / "proxy.yaml").write_text(CONFIG.replace("  rollout: {hashNames: true}\n", ""))
    asked = ["--check", "--output", "json", "-v"]
    whole = json.loads(run(fleet, *asked).output)
    shards = [json.loads(run(fleet, *asked, "--shard", f"{index}/2").output) for index in range(1, 3)]
    assert any(one["tags"].get("rule") == "NodesNotRolled" for one in whole if "tags" in one)
    assert sorted(_texts([one for shard in shards for one in shard])) == sorted(_texts(whole))


def _texts(findings: list[dict[str, Any]]) -> list[str]:
    """Findings as text, without what each shard says of its own: one for several objects, and values only once."""
    values = ("currentValue", "proposedValue")
    findings = [one for one in findings if one.get("tags", {}).get("rule") != "NP038"]
    for one in findings:
        for name in values:
            one.get("field", {}).pop(name, None)
    return [json.dumps(one, sort_keys=True) for one in findings]


def test_a_check_fails_in_the_shards_with_files_that_would_change(fleet: Path) -> None:
    run(fleet)
    assert [run(fleet, "--check", "--shard", f"{index}/2").exit_code for index in range(1, 3)] == [0] * 2
    (fleet / "c3/template.yaml").write_text(TEMPLATE.replace("NAME", "c3"))
    codes = [run(fleet, "--check", "--shard", f"{index}/3").exit_code for index in range(1, 4)]
    assert 0 < sum(codes) < 3


def test_an_error_in_any_file_stops_every_shard_and_one_shard_reports_it(fleet: Path) -> None:
    (fleet / "broken.yaml").write_text(BROKEN)
    before = contents(fleet)
    done = [run(fleet, "--shard", f"{index}/3") for index in range(1, 4)]
    assert [one.exit_code for one in done] == [1, 1, 1]
    assert contents(fleet) == before
    reported = ["[error] broken.yaml" in " ".join(one.reported) for one in done]
    elsewhere = ["failed because of 1 finding in files of other shards" in " ".join(one.reported) for one in done]
    assert sorted(reported) == [False, False, True]
    assert elsewhere == [not one for one in reported]


def test_the_folders_of_the_shards_are_together_that_of_one_run(fleet: Path) -> None:
    run(fleet, "--output-dir", "../whole", ".")
    for index in (1, 2):
        done = run(fleet, "--output-dir", f"../part{index}", "--shard", f"{index}/2", ".")
        assert done.exit_code == 0, done.reported
    parts = [contents(fleet.parent / f"part{index}") for index in (1, 2)]
    assert not parts[0].keys() & parts[1].keys()
    assert {**parts[0], **parts[1]} == contents(fleet.parent / "whole")


def test_a_shard_has_the_same_files_on_another_machine_and_for_ever() -> None:
    names = [f"clusters/c{number}/template.yaml" for number in range(1000)]
    here = [Shard(1, 4, Path("/builds/1")).holds(f"/builds/1/{name}") for name in names]
    there = [Shard(1, 4, Path("/home/ci")).holds(f"/home/ci/{name}") for name in names]
    assert here == there
    assert 200 < sum(here) < 300
    assert [Shard(index, 3, Path.cwd()).holds("proxy.yaml") for index in (1, 2, 3)] == [False, False, True]


def test_what_a_shard_writes_does_not_depend_on_the_spelling_of_the_path(fleet: Path) -> None:
    assert changes(fleet, "--shard", "1/3") == changes(fleet, "--shard", "1/3", "./")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        pytest.param(["--shard", "0/3", "."], "must be I/N", id="the first shard is 1"),
        pytest.param(["--shard", "4/3", "."], "must be I/N", id="more than there are"),
        pytest.param(["--shard", "1/0", "."], "must be I/N", id="no shard"),
        pytest.param(["--shard", "2", "."], "must be I/N", id="no number of shards"),
        pytest.param(["--shard", "-1/3", "."], "must be I/N", id="a sign"),
        pytest.param(["--shard", "1/3", "--config", "proxy.yaml", "-"], "must be without `-`", id="a stream"),
    ],
)
def test_wrong_usage(fleet: Path, argv: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(fleet, *argv)


def test_a_path_through_the_folder_above_gives_each_file_to_one_job(
    fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = fleet.parent / "beside"
    beside.mkdir()
    monkeypatch.chdir(beside)
    names = sorted(str(path) for path in Path("../fleet").rglob("*.yaml"))
    below = [Shard(index, 3, fleet) for index in (1, 2, 3)]
    assert [[shard.holds(name) for shard in below].count(True) for name in names] == [1] * len(names)
    plain = sorted(str(path) for path in fleet.rglob("*.yaml"))
    assert [below[0].holds(name) for name in names] == [below[0].holds(name) for name in plain]


@pytest.mark.parametrize(
    "story",
    [
        pytest.param("clusters/regions-roles-and-a-shared-class", id="overrides, and a class of several Clusters"),
        pytest.param("rollout/templates-of-a-class-in-v1beta2", id="templates of a class"),
        pytest.param("rollout/drop-in-in-the-secret-of-the-cluster", id="a Secret whose name follows its content"),
        pytest.param("giantswarm/giantswarmApps/kubeconfigs-of-two-clusters", id="objects of another namespace"),
        pytest.param("systems/giantswarm-management-cluster", id="policies, charts and Secrets of one system"),
    ],
)
def test_each_finding_of_a_check_is_reported_by_exactly_one_shard(tmp_path: Path, story: str) -> None:
    """Also after changes by chance, of which some make a manifest wrong."""
    chance = random.Random(story)  # noqa: S311 -- the same in each run
    write_story(ROOT / "testdata" / story, tmp_path)
    how: list[str] = []
    for _ in range(3):
        whole, parts = checked(tmp_path), parts_of(tmp_path, 3)
        if isinstance(whole, str):
            assert whole in parts, how
        else:
            found = Counter(one for part in parts if isinstance(part, set) for one in part if len(one) > 1)
            has_error = any(one[1:2] == ("error",) and one[0] != "ProxyMissing" for one in whole)
            assert whole - found.keys() <= {one for part in parts for one in part}, how
            assert set(found.values()) <= {1}, how
            # With an error in a file of another shard, a whole run reports errors and warnings only.
            extra = {one for one in found.keys() - whole if not (has_error and one[0] == "ProxyMissing")}
            assert not {one for one in extra if one[1] != "info" or not has_error}, how
            assert has_error or _together(tmp_path) == diffed(tmp_path), how
        how.append(change(tmp_path, chance))


def _together(folder: Path) -> dict[str, str]:
    """The diffs of three shards as one."""
    found: dict[str, str] = {}
    for index in (1, 2, 3):
        of_shard = diffed(folder, "--shard", f"{index}/3")
        assert isinstance(of_shard, dict)
        found |= of_shard
    return found
