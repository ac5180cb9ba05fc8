"""Objects that a run makes and takes out again, in the hands of the real orchestrators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kpt_exchanges import kpt
from support import ROOT, diff_of_folders, example, need, readme_command, run

NAME = "secret-per-cluster"
STORED = ROOT / "examples" / NAME
Golden = Callable[[Path, bytes], None]


def called(folder: Path, beginning: str) -> bytes:
    """What the command that the README names gives."""
    command = readme_command(STORED, beginning)
    if command[0] == "kpt":
        done = kpt(command[1:], cwd=folder)
    else:
        done = run([need(command[0]), *command[1:]], cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def removing(folder: Path) -> None:
    file = folder / "proxy.yaml"
    file.write_text(file.read_text().replace("spec:\n", "spec:\n  mode: Remove\n"))


def built_again(folder: Path, built: bytes) -> bytes:
    (folder / "once.yaml").write_bytes(built)
    (folder / "kustomization.yaml").write_text("resources: [once.yaml]\ntransformers: [proxy.yaml]\n")
    return called(folder, "kustomize build")


def test_kustomize_takes_an_object_that_a_transformer_adds(tmp_path: Path, golden: Golden) -> None:
    golden(STORED / "expected.build", called(example(NAME, tmp_path), "kustomize build"))


def test_kustomize_takes_the_removal_of_an_object_too(tmp_path: Path) -> None:
    folder = example(NAME, tmp_path)
    once = called(folder, "kustomize build")
    removing(folder)
    removed = built_again(folder, once)
    (folder / "kustomization.yaml").write_text("resources: [cluster.yaml, control-plane.yaml]\n")
    assert removed == called(folder, "kustomize build")


def test_kpt_writes_a_file_for_a_new_object_and_nothing_twice(tmp_path: Path, golden: Golden) -> None:
    folder = example(NAME, tmp_path)
    called(folder, "kpt fn render")
    changed = diff_of_folders(STORED, folder)
    called(folder, "kpt fn render")
    assert diff_of_folders(STORED, folder).decode() == changed.decode()
    golden(STORED / "expected.diff", changed)


def test_kpt_deletes_the_file_of_an_object_that_goes(tmp_path: Path) -> None:
    folder = example(NAME, tmp_path)
    called(folder, "kpt fn render")
    removing(folder)
    called(folder, "kpt fn render")
    (folder / "proxy.yaml").write_bytes((STORED / "proxy.yaml").read_bytes())
    assert diff_of_folders(STORED, folder).decode() == ""
