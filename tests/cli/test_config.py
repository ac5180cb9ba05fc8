"""Which ProxyConfig `run`, `lint` and `explain` use where the paths hold none: the one above them in the repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from node_files import BAD, CONFIG, NODES
from support import TIME_LIMIT, inject_proxy, write

OTHER = CONFIG.replace("proxy.corp", "other.corp")
WITHOUT_RULES = CONFIG + '  lint: {rules: {UrlInvalid: "Off"}}\n'
COMMANDS = {"run": ["run", "--check"], "explain": ["explain"]}


def repository(folder: Path, files: dict[str, str]) -> None:
    (folder / ".git").mkdir(parents=True)
    write(folder, {"a/b/nodes.yaml": NODES, **files})


def command(folder: Path, *argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    done = inject_proxy(stdin, *argv, cwd=folder)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


MIXED = f"{NODES}---\n{CONFIG}"
IGNORED = {".gitignore": "old.yaml\n", "old.yaml": OTHER, "proxy.yaml": CONFIG}
HERE = ("a/b", ["."])
FOUND = [
    pytest.param(HERE, {"proxy.yaml": CONFIG}, "../../proxy.yaml", id="at the root of the repository"),
    pytest.param((".", ["a/b/nodes.yaml"]), {"a/b/proxy.yaml": CONFIG}, "a/b/proxy.yaml", id="beside a file"),
    pytest.param(
        (".", ["a/b", "a/c"]), {"proxy.yaml": CONFIG, "a/c/n.yaml": NODES}, "proxy.yaml", id="above two"
    ),
    pytest.param(HERE, {"all.yaml": MIXED, "c.yaml": "# ProxyConfig\n"}, "../../all.yaml", id="behind another object"),
    pytest.param(HERE, IGNORED, "../../proxy.yaml", id="not what git ignores"),
]  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(("called", "files", "named"), FOUND)
def test_the_config_above_the_paths_is_used_and_named(
    tmp_path: Path, name: str, called: tuple[str, list[str]], files: dict[str, str], named: str
) -> None:
    write(tmp_path, {"outside.yaml": OTHER})
    repository(tmp_path / "repo", files)
    where, argv = called
    done = command(tmp_path / "repo" / where, *COMMANDS[name], *argv)
    assert f"the ProxyConfig is the one in {named}\n" in done.stderr
    assert "other.corp" not in done.stdout + done.stderr
    assert done.returncode == (1 if name == "run" else 0)


@pytest.mark.parametrize("paths", [["."], ["a"], ["a/b/nodes.yaml", "a/b/proxy.yaml"]], ids=" ".join)
def test_a_config_that_git_tracks_counts_although_an_ignore_file_names_it(tmp_path: Path, paths: list[str]) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "a/b/nodes.yaml": NODES})
    for argv in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *argv], cwd=tmp_path, check=True, timeout=TIME_LIMIT)
    write(tmp_path, {"a/b/proxy.yaml": OTHER, ".gitignore": "/proxy.yaml\n"})
    done = command(tmp_path, "run", *paths)
    assert (done.returncode, "there must be one ProxyConfig, but 2" in done.stderr) == (2, True)


def test_a_stream_gets_the_config_above_the_current_folder(tmp_path: Path) -> None:
    repository(tmp_path, {"proxy.yaml": CONFIG})
    done = command(tmp_path / "a", "run", "-", stdin=NODES)
    assert "http://proxy.corp.example:3128" in done.stdout
    assert "the ProxyConfig is the one in ../proxy.yaml\n" in done.stderr
    assert command(tmp_path / "a", "explain", "-", stdin=NODES).returncode == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_beside_one_above_a_config_among_the_files_must_be_named(tmp_path: Path, name: str) -> None:
    repository(tmp_path, {"proxy.yaml": OTHER, "a/b/proxy.yaml": CONFIG})
    done = command(tmp_path / "a/b", *COMMANDS[name], ".")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there must be one ProxyConfig, but 2 are in proxy.yaml, ../../proxy.yaml: name its file" in done.stderr
    done = command(tmp_path / "a/b", *COMMANDS[name], "--config", "proxy.yaml", ".")
    assert done.returncode == (1 if name == "run" else 0)
    assert "other.corp" not in done.stdout + done.stderr


NOT_FOUND = [
    pytest.param({"x/proxy.yaml": CONFIG, "c/Chart.yaml": "name: c\n"}, id="it is in a folder beside"),
    pytest.param(
        {"proxy.yaml": CONFIG, "a/b/p.yaml": CONFIG.replace("kind: ProxyConfig", "kind: ProxyConfg")},
        id="the one among the files is misspelt",
    ),
]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("files", NOT_FOUND)
def test_no_other_config_is_used(tmp_path: Path, name: str, files: dict[str, str]) -> None:
    write(tmp_path, {"proxy.yaml": OTHER})
    repository(tmp_path / "repo", files)
    done = command(tmp_path / "repo/a/b", *COMMANDS[name], ".")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_outside_of_a_repository_nothing_is_looked_for(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "a/nodes.yaml": NODES})
    assert command(tmp_path / "a", *COMMANDS[name], ".").returncode == 2


def test_a_link_above_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG})
    repository(tmp_path / "repo", {})
    (tmp_path / "repo/proxy.yaml").symlink_to("../proxy.yaml")
    assert command(tmp_path / "repo/a", "run").returncode == 2


def test_the_linter_judges_by_the_rules_of_the_config_above(tmp_path: Path) -> None:
    repository(tmp_path, {"a/b/nodes.yaml": BAD})
    assert "UrlInvalid" in command(tmp_path / "a", "lint", "b").stdout
    write(tmp_path, {"proxy.yaml": WITHOUT_RULES})
    done = command(tmp_path / "a", "lint", "b")
    assert "UrlInvalid" not in done.stdout
    assert "the ProxyConfig is the one in ../proxy.yaml\n" in done.stderr
    write(tmp_path, {"a/b/proxy.yaml": CONFIG})
    done = command(tmp_path / "a", "lint", "b")
    assert "UrlInvalid" in done.stdout
    assert "the ProxyConfig is the one in" not in done.stderr


def test_a_file_that_cannot_be_read_does_not_hide_the_config_above(tmp_path: Path) -> None:
    broken = NODES.replace("spec: {}", "spec: [\n# ProxyConfig")
    assert broken != NODES
    repository(tmp_path, {"proxy.yaml": CONFIG, "a/b/broken.yaml": broken})
    done = command(tmp_path / "a/b", "lint", ".")
    assert "the ProxyConfig is the one in ../../proxy.yaml\n" in done.stderr
    done = command(tmp_path / "a/b", "run", "--check")
    assert (done.returncode, "broken.yaml: document 1: not valid YAML" in done.stderr) == (1, True)


def test_init_writes_no_second_config_below_one(tmp_path: Path) -> None:
    repository(tmp_path, {"proxy.yaml": CONFIG})
    done = command(tmp_path / "a/b", "init", "--yes")
    assert (done.returncode, '"../../proxy.yaml" holds a ProxyConfig already' in done.stderr) == (2, True)
    assert command(tmp_path / "a/b", "init", "--print", "--http-proxy", "http://p:1").returncode == 0
