"""`inject-proxy run --changed REV`: what differs from a revision, and what depends on that, as a whole run finds it."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from changed_files import Finding, change, checked, commit, diffed, git, inside, reset, write_story
from krm_fn.cli import run as command
from krm_fn.errors import OutputError, UsageError
from support import ROOT, finished

CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec:
  httpProxy: http://svc:S3CRET@proxy.corp.example:3128
  httpsProxy: http://svc:S3CRET@proxy.corp.example:3128
  noProxy: [.corp.example]
  clusterDefaults: {networks: [10.0.0.0/8]}
  rollout: {hashNames: true}
"""
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: NAME, namespace: org}
spec: {clusterNetwork: {services: {cidrBlocks: [172.30.0.0/16]}}}
"""
TEMPLATE = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: NAME-md, namespace: org}
spec: {template: {spec: {joinConfiguration: {}}}}
"""
WORKERS = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: NAME-workers, namespace: org}
spec:
  clusterName: NAME
  template:
    spec:
      clusterName: NAME
      bootstrap:
        configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: NAME-md}
"""
CONFIG_FROM_SECRET = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec:
  from: [{kind: Secret, name: corp, key: values.yaml, format: TKG}]
  clusterDefaults: {networks: [10.0.0.0/8]}
"""
SECRET = """\
# what proxy.yaml, a ProxyConfig, takes its values from
apiVersion: v1
kind: Secret
metadata: {name: corp}
stringData:
  values.yaml: |
    TKG_HTTP_PROXY: http://svc:S3CRET@proxy.corp.example:3128
    TKG_HTTPS_PROXY: http://svc:S3CRET@proxy.corp.example:3128
"""
STORIES = [
    "clusters/references-of-v1beta1",
    "clusters/regions-roles-and-a-shared-class",
    "rollout/drop-in-in-the-secret-of-the-cluster",
    "rollout/machine-deployments-that-share-a-template",
    "rollout/templates-of-a-class-in-v1beta2",
    "systems/giantswarm-management-cluster",
    "systems/tkg",
]


def run(folder: Path, *argv: str) -> list[str]:
    """What a run prints on standard error."""
    with inside(folder):
        return [*finished(command.run([*argv], lambda: b"")).reported]


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Three clusters that hold the proxy, and one that lacks it, committed."""
    folder = tmp_path / "fleet"
    for name in ("one", "two", "three", "late"):
        place = folder / name
        place.mkdir(parents=True)
        for file, text in (("cluster", CLUSTER), ("template", TEMPLATE), ("workers", WORKERS)):
            (place / f"{file}.yaml").write_text(text.replace("NAME", name))
    (folder / "proxy.yaml").write_text(CONFIG)
    run(folder, "one", "two", "three", "--config", "proxy.yaml")
    commit(folder)
    return folder


def due(folder: Path, *argv: str) -> set[Finding]:
    """The changes that a check says are due."""
    found = checked(folder, *argv)
    assert isinstance(found, set), found
    return {finding for finding in found if finding[0] == "ProxyMissing"}


def names(folder: Path, *argv: str) -> set[str]:
    """The folders of the files of which a check says that a change is due."""
    return {finding[2].partition("/")[0] for finding in due(folder, "--changed", "HEAD", *argv)}


def test_what_does_not_differ_is_not_reported(fleet: Path) -> None:
    assert due(fleet)
    assert checked(fleet, "--changed", "HEAD") == set()
    assert diffed(fleet, "--changed", "HEAD") == {}


def test_a_changed_cluster_counts_with_its_nodes(fleet: Path) -> None:
    file = fleet / "two" / "cluster.yaml"
    file.write_text(file.read_text().replace("172.30.0.0", "172.29.0.0"))
    assert names(fleet) == {"two"}
    assert diffed(fleet, "--changed", "HEAD") == {
        name: part for name, part in _diff_of_all(fleet).items() if "/late/" not in name
    }


def test_a_run_writes_only_what_depends_on_the_change(fleet: Path) -> None:
    file = fleet / "two" / "cluster.yaml"
    file.write_text(file.read_text().replace("172.30.0.0", "172.29.0.0"))
    run(fleet, "--changed", "HEAD")
    written = git(fleet, "status", "--porcelain").split()[1::2]
    assert written == ["two/cluster.yaml", "two/template.yaml", "two/workers.yaml"]


def test_no_option_that_it_excludes_is_advised_for_a_read_only_file(fleet: Path) -> None:
    file = fleet / "two" / "cluster.yaml"
    file.write_text(file.read_text().replace("172.30.0.0", "172.29.0.0"))
    (fleet / "two" / "template.yaml").chmod(0o444)
    with pytest.raises(OutputError, match="it is read-only: make it writable; nothing was written"):
        run(fleet, "--changed", "HEAD")


def test_the_last_line_says_how_many_files_differ(fleet: Path) -> None:
    argv = ["--check", "--changed", "HEAD"]
    assert "; `--changed`: 0 files differ; " in run(fleet, *argv)[-1]
    (fleet / "one" / "cluster.yaml").write_text(CLUSTER.replace("NAME", "one") + "# seen\n")
    assert "; `--changed`: 1 file differs; " in run(fleet, *argv)[-1]
    (fleet / "proxy.yaml").write_text(CONFIG + "  # seen\n")
    assert "; `--changed`: any file may differ, so all count; " in run(fleet, *argv)[-1]
    assert "--changed" not in run(fleet, "--check")[-1]


@pytest.mark.parametrize("how", ["staged", "committed", "not known to git", "deleted", "renamed"])
def test_each_way_in_which_a_file_differs_counts(fleet: Path, how: str) -> None:
    before = due(fleet)
    file = fleet / "late" / "template.yaml"
    if how == "deleted":
        (fleet / "two" / "cluster.yaml").unlink()
    elif how == "renamed":
        file.rename(file.with_name("renamed.yaml"))
    elif how == "not known to git":
        file.with_name("new.yaml").write_text(file.read_text().replace("late-md", "late-more"))
    else:
        file.write_text(file.read_text().replace("joinConfiguration", "files: [], joinConfiguration"))
        git(fleet, "add", "--all")
    if how == "committed":
        git(fleet, "commit", "--quiet", "--message", "change")
    found = due(fleet, "--changed", "HEAD~1" if how == "committed" else "HEAD")
    assert due(fleet) - before <= found <= due(fleet)
    assert found
    assert len({finding[2].partition("/")[0] for finding in found}) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        pytest.param("proxy.yaml", CONFIG.replace("3128", "3129"), id="the ProxyConfig"),
        pytest.param(".gitignore", "one/\n", id="a new ignore file"),
        pytest.param("late/Chart.yaml", "name: chart\n", id="a folder that becomes a chart"),
        pytest.param("one/kustomization.yaml", "patches: [{path: workers.yaml}]\n", id="a kustomization with patches"),
    ],
)
def test_what_decides_about_other_files_makes_all_count(fleet: Path, file: str, text: str) -> None:
    (fleet / file).write_text(text)
    assert checked(fleet, "--changed", "HEAD") == checked(fleet)


def test_a_kustomization_that_only_lists_resources_is_a_file_as_any_other(fleet: Path) -> None:
    (fleet / "one" / "kustomization.yaml").write_text("resources: [cluster.yaml, workers.yaml, template.yaml]\n")
    assert names(fleet) == set()


def test_a_config_that_git_does_not_know_makes_all_count(fleet: Path) -> None:
    elsewhere = fleet.parent / "proxy.yaml"
    (fleet / "proxy.yaml").rename(elsewhere)
    git(fleet, "commit", "--quiet", "--all", "--message", "no config")
    argv = ["--config", str(elsewhere)]
    assert checked(fleet, "--changed", "HEAD", *argv) == checked(fleet, *argv) != set()


RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: release, namespace: org}
spec: {CHART}
"""
SOURCE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: KIND
metadata: {name: src, namespace: org}
spec: {FIELD}
"""
CHARTS = "  targets: {charts: {charts: [{kinds: ['*']}]}}\n"
SOURCES = [
    pytest.param(
        "chartRef: {kind: OCIRepository, name: src}",
        "OCIRepository",
        ("url: oci://x.example/other", "url: oci://x.example/velero"),
        id="an OCIRepository",
    ),
    pytest.param(
        "chartRef: {kind: HelmChart, name: src}", "HelmChart", ("chart: other", "chart: velero"), id="a HelmChart"
    ),
    pytest.param(
        "chart: {spec: {chart: velero, sourceRef: {kind: HelmRepository, name: src}}}",
        "HelmRepository",
        ("url: https://charts.example/bitnami", "url: https://x.example"),
        id="a HelmRepository that leaves Bitnami",
    ),
]


@pytest.mark.parametrize(("chart", "kind", "fields"), SOURCES)
def test_the_source_of_a_chart_counts_for_each_release_of_it(
    tmp_path: Path, chart: str, kind: str, fields: tuple[str, str]
) -> None:
    before, after = (SOURCE.replace("KIND", kind).replace("FIELD", field) for field in fields)
    (tmp_path / "proxy.yaml").write_text(CONFIG + CHARTS)
    (tmp_path / "release.yaml").write_text(RELEASE.replace("CHART", chart))
    (tmp_path / "source.yaml").write_text(before)
    commit(tmp_path)
    assert due(tmp_path) == set()
    (tmp_path / "source.yaml").write_text(after)
    assert due(tmp_path, "--changed", "HEAD") == due(tmp_path) != set()


def emptied(folder: Path, name: str, text: str) -> None:
    """An ignore file in the folder of a Cluster: no file is left there that is read."""
    (folder / "one" / name).write_text(text)


def replaced_by_folder(folder: Path) -> None:
    file = folder / "one" / "cluster.yaml"
    file.unlink()
    file.mkdir()


def replaced_by_link(folder: Path) -> None:
    file = folder / "one" / "cluster.yaml"
    file.unlink()
    file.symlink_to("/dev/null")


GONE = [
    pytest.param(partial(emptied, name=".gitignore", text="*\n"), id="an ignore file leaves out all of a folder"),
    pytest.param(
        partial(emptied, name=".krmignore", text="*.yaml\n"), id="kpt's ignore file leaves out all of a folder"
    ),
    pytest.param(replaced_by_folder, id="a folder is in its place"),
    pytest.param(replaced_by_link, id="a link to outside is in its place"),
]


@pytest.mark.parametrize("leave", GONE)
def test_a_cluster_that_is_not_read_any_more_counts_with_its_nodes(fleet: Path, leave: Callable[[Path], None]) -> None:
    (fleet / "nodes").mkdir()
    for file in ("template.yaml", "workers.yaml"):
        git(fleet, "mv", f"one/{file}", f"nodes/{file}")
    git(fleet, "commit", "--quiet", "--message", "nodes beside")
    before = due(fleet)
    leave(fleet)
    of_nodes = due(fleet) - before
    assert of_nodes
    assert of_nodes <= due(fleet, "--changed", "HEAD")


def test_a_cluster_that_a_submodule_does_not_have_any_more_counts_with_its_nodes(fleet: Path, tmp_path: Path) -> None:
    module = tmp_path / "module"
    module.mkdir()
    (fleet / "one" / "cluster.yaml").rename(module / "cluster.yaml")
    commit(module)
    git(fleet, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module), "clusters")
    git(fleet, "commit", "--quiet", "--all", "--message", "submodule")
    before = due(fleet)
    assert due(fleet, "--changed", "HEAD") == set()
    (fleet / "clusters" / "cluster.yaml").unlink()
    git(fleet / "clusters", "commit", "--quiet", "--all", "--message", "deleted")
    git(fleet, "commit", "--quiet", "--all", "--message", "a newer submodule")
    of_nodes = due(fleet) - before
    assert of_nodes
    assert of_nodes <= due(fleet, "--changed", "HEAD~1")


def test_a_submodule_that_is_not_checked_out_is_the_same_in_each_revision(fleet: Path, tmp_path: Path) -> None:
    module = tmp_path / "module"
    module.mkdir()
    (module / "cluster.yaml").write_text(CLUSTER)
    commit(module)
    git(fleet, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module), "clusters")
    git(fleet, "commit", "--quiet", "--all", "--message", "submodule")
    git(fleet, "submodule", "--quiet", "deinit", "--force", "clusters")
    assert checked(fleet, "--changed", "HEAD") == set()


def test_a_secret_beside_the_config_above_the_paths_makes_all_count(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "clusters").mkdir()
    (tmp_path / "clusters" / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / "clusters" / "nodes.yaml").write_text(TEMPLATE)
    (tmp_path / "proxy.yaml").write_text(CONFIG_FROM_SECRET)
    secret = tmp_path / "secret.yaml"
    secret.write_text(SECRET)
    run(tmp_path, "clusters")
    commit(tmp_path)
    secret.write_text(SECRET.replace("3128", "3129"))
    assert checked(tmp_path, "--changed", "HEAD", "clusters") == checked(tmp_path, "clusters")
    assert due(tmp_path, "clusters")


AMONG = ["--changed", "HEAD", "--among", "."]


def test_a_named_file_counts_with_its_cluster_where_it_does_not_differ(fleet: Path) -> None:
    """A hook of pre-commit gets names of files; facts come from all others."""
    whole = due(fleet)
    assert due(fleet, *AMONG) == due(fleet, *AMONG, "one/cluster.yaml") == set()
    of_template = {finding for finding in whole if finding[2].startswith("late/template.yaml")}
    assert of_template < due(fleet, *AMONG, "late/cluster.yaml") == whole


@pytest.mark.parametrize("named", [["late"], [str(Path("one") / ".." / "late" / "workers.yaml")], ["."]])
def test_each_way_to_name_a_file_counts(fleet: Path, named: list[str]) -> None:
    assert due(fleet, *AMONG, *named) == due(fleet) != set()


@pytest.mark.parametrize("name", ["proxy.yaml", "one/kustomization.yaml"])
def test_a_named_file_that_is_about_others_makes_all_count(fleet: Path, name: str) -> None:
    """What it held before is not known: the commit may be behind the change."""
    (fleet / "one" / "kustomization.yaml").write_text("resources: [cluster.yaml, workers.yaml, template.yaml]\n")
    commit(fleet)
    assert checked(fleet, *AMONG, name) == checked(fleet) != set()


def test_names_that_are_outside_of_the_folder_and_its_manifests_count_for_nothing(fleet: Path) -> None:
    (fleet / "notes.yaml").write_text("just: notes\n")
    commit(fleet)
    among = ["--changed", "HEAD", "--among", "late", "--config", "proxy.yaml"]
    assert due(fleet, *among, "one/cluster.yaml", "notes.yaml") == set()
    assert due(fleet, *among, "late/workers.yaml") == due(fleet, "late", "--config", "proxy.yaml") != set()


def test_a_file_that_differs_counts_beside_the_named_ones(fleet: Path) -> None:
    """pre-commit names no file that is deleted."""
    (fleet / "two" / "cluster.yaml").unlink()
    found = due(fleet, *AMONG, "one/cluster.yaml")
    assert {finding[2].partition("/")[0] for finding in found} == {"two"}


def test_everything_is_new_before_the_first_commit(fleet: Path) -> None:
    git(fleet, "update-ref", "-d", "HEAD")
    assert checked(fleet, "--changed", "HEAD") == checked(fleet) != set()


def test_an_error_in_a_file_that_is_the_same_is_that_of_a_whole_run(fleet: Path) -> None:
    file = fleet / "two" / "cluster.yaml"
    file.write_text("apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nspec: [\n")
    git(fleet, "commit", "--quiet", "--all", "--message", "broken")
    assert checked(fleet, "--changed", "HEAD") == checked(fleet) == "DocumentError"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        pytest.param(["--changed", "no-such-branch", "."], 'knows no "no-such-branch"', id="no such revision"),
        pytest.param(["--changed", "--help", "."], "must name a commit", id="an option in place of a revision"),
        pytest.param(["--changed", "HEAD", "--config", "proxy.yaml", "-"], "must be without `-`", id="a stream"),
        pytest.param(["--changed", "HEAD", "--shard", "1/2", "."], "must be without `--shard`", id="a shard"),
        pytest.param(["--among", "."], "must be with `--changed`", id="a folder without a revision"),
        pytest.param(["--changed", "HEAD", "--among", ".", "gone.yaml"], '"gone.yaml" does not', id="no such file"),
        pytest.param(["--changed", "HEAD", "--among", "none"], '"none"', id="no such folder"),
        pytest.param(["--changed", "HEAD", "--output-dir", "../new", "."], "and `--output-dir`", id="a new folder"),
    ],
)
def test_wrong_usage(fleet: Path, argv: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(fleet, *argv)


def test_a_folder_that_is_in_no_repository_is_wrong_usage(fleet: Path) -> None:
    (fleet / ".git").rename(fleet / ".no-git")
    with pytest.raises(UsageError, match="must be used in a git repository"):
        run(fleet, "--check", "--changed", "HEAD", ".")


def test_without_git_the_error_names_it(fleet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fleet))
    with pytest.raises(UsageError, match="needs the program git"):
        run(fleet, "--check", "--changed", "HEAD", ".")


@pytest.mark.parametrize(("story", "has_proxy"), [(story, at % 2 == 0) for at, story in enumerate(STORIES)])
def test_nothing_that_differs_is_left_out_and_nothing_is_invented(tmp_path: Path, story: str, has_proxy: bool) -> None:
    """Of a random change: all that a whole run finds and did not find at the revision, and only what it finds."""
    chance = random.Random(f"{story} {has_proxy}")  # noqa: S311 -- the same in each run
    write_story(ROOT / "testdata" / story, tmp_path)
    if has_proxy:
        run(tmp_path, ".")
    commit(tmp_path)
    before, diff_before = checked(tmp_path), diffed(tmp_path)
    assert isinstance(before, set)
    assert isinstance(diff_before, dict)
    for _ in range(6):
        how = change(tmp_path, chance)
        whole, part = checked(tmp_path), checked(tmp_path, "--changed", "HEAD")
        if isinstance(whole, str) or isinstance(part, str):
            assert part == whole, how
        else:
            has_error = any(finding[1:2] == ("error",) and finding[0] != "ProxyMissing" for finding in whole)
            assert whole - before <= part, how
            # With an error a whole run would change nothing, and reports no change.
            assert {one for one in part if not (has_error and one[0] == "ProxyMissing")} <= whole, how
            _compare_diffs(tmp_path, diff_before, how)
        reset(tmp_path)


def _compare_diffs(folder: Path, before: dict[str, str], how: str) -> None:
    whole, part = diffed(folder), diffed(folder, "--changed", "HEAD")
    assert isinstance(whole, dict)
    assert isinstance(part, dict)
    assert {name for name, text in whole.items() if before.get(name) != text and part.get(name) != text} == set(), how


def _diff_of_all(folder: Path) -> dict[str, str]:
    found = diffed(folder)
    assert isinstance(found, dict)
    return found
