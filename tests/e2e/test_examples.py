"""Each folder under ``examples/`` is run as its README says, by the real tool, and compared with what is stored."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kpt_exchanges import kpt
from support import COMMAND, ROOT, TOOLS, diff_of_folders, example, need, readme_command, run

EXAMPLES = ROOT / "examples"
Golden = Callable[[Path, bytes], None]


def build(folder: Path, beginning: str, **options: object) -> bytes:
    """The output of the build command that the README of ``folder`` names."""
    command = readme_command(folder, beginning)
    done = run([need(command[0]), *command[1:]], cwd=folder, **options)  # type: ignore[arg-type]
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def kustomize(folder: Path) -> bytes:
    return build(folder, "kustomize build")


def kubectl(folder: Path, log: Path) -> bytes:
    environment = {"KRM_FN": str(COMMAND), "KRM_FN_LOG": str(log)}
    return build(folder, "kubectl kustomize", first_on_path=TOOLS, env=environment)


def kpt_fn(folder: Path, beginning: str) -> None:
    done = kpt(readme_command(folder, beginning)[1:], cwd=folder)
    assert done.returncode == 0, done.stderr.decode()


def rewrite(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("name", "listed", "stored"),
    [
        ("kustomize-exec", "../config-repo", "expected.yaml"),
        ("secret-per-cluster", "[cluster.yaml, control-plane.yaml]", "expected.build"),
    ],
)
def test_kustomize_builds_what_is_stored_and_a_build_of_the_build_changes_nothing(
    tmp_path: Path, golden: Golden, name: str, listed: str, stored: str
) -> None:
    folder = example(name, tmp_path)
    once = kustomize(folder)
    golden(EXAMPLES / name / stored, once)
    (folder / "once.yaml").write_bytes(once)
    rewrite(folder / "kustomization.yaml", listed, "[once.yaml]" if listed[0] == "[" else "once.yaml")
    assert kustomize(folder) == once


def test_kubectl_with_a_container_function_gives_the_bytes_of_kustomize_with_exec(tmp_path: Path) -> None:
    """The container has no network, files or rights."""
    folder = example("kubectl-kustomize-container", tmp_path)
    assert kubectl(folder, tmp_path / "log").decode() == (EXAMPLES / "kustomize-exec/expected.yaml").read_text()
    assert (tmp_path / "log").read_text() == (
        "run --rm -i -a STDIN -a STDOUT -a STDERR --network none --user nobody --security-opt=no-new-privileges"
        " -e LOG_TO_STDERR=true -e STRUCTURED_RESULTS=true localhost/inject-proxy:v0.1\n"
    )


RENDERED = ["kpt-render-exec", "secret-per-cluster"]


@pytest.mark.parametrize("name", RENDERED)
def test_kpt_render_changes_what_is_stored_and_nothing_twice(tmp_path: Path, golden: Golden, name: str) -> None:
    folder = example(name, tmp_path)
    kpt_fn(folder, "kpt fn render")
    changed = diff_of_folders(EXAMPLES / name, folder)
    kpt_fn(folder, "kpt fn render")
    assert diff_of_folders(EXAMPLES / name, folder).decode() == changed.decode()
    golden(EXAMPLES / name / "expected.diff", changed)


@pytest.mark.parametrize("name", RENDERED)
def test_kpt_render_that_removes_gives_back_the_files_of_before(tmp_path: Path, name: str) -> None:
    folder = example(name, tmp_path)
    kpt_fn(folder, "kpt fn render")
    rewrite(folder / "proxy.yaml", "spec:\n", "spec:\n  mode: Remove\n")
    kpt_fn(folder, "kpt fn render")
    rewrite(folder / "proxy.yaml", "spec:\n  mode: Remove\n", "spec:\n")
    assert diff_of_folders(EXAMPLES / name, folder).decode() == ""


def test_kpt_eval_changes_what_is_stored_and_nothing_twice(tmp_path: Path, golden: Golden) -> None:
    folder = example("kpt-eval", tmp_path)
    kpt_fn(folder, "kpt fn eval")
    changed = diff_of_folders(EXAMPLES / "config-repo", tmp_path / "config-repo")
    kpt_fn(folder, "kpt fn eval")
    assert diff_of_folders(EXAMPLES / "config-repo", tmp_path / "config-repo").decode() == changed.decode()
    golden(EXAMPLES / "kpt-eval" / "expected.diff", changed)


def test_the_demo_tells_on_one_screen_what_a_run_does() -> None:
    done = run([sys.executable, EXAMPLES / "demo" / "run.py"])
    shown = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    lines = shown.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100
    assert not any(word in shown for word in ("\x1b[", "Missing"))
    assert '+        Environment="HTTP_PROXY=http://proxy.acme.example:3128"\n' in shown
    assert "+        - name: HTTP_PROXY\n" in shown
    assert "\nworkloads             2        0        1        1\n" in shown
    assert "A second run changes nothing." in shown
