"""The real kpt copies comments of lists back by index: with exports before other commands, none may move."""

from __future__ import annotations

from pathlib import Path

import pytest

from kpt_exchanges import kpt as called_kpt
from support import COMMAND

COMMANDS = """\
  # the name first
  - hostnamectl set-hostname node-1 # as the inventory says
  # packages
  - apt-get update # from the mirror
  - sleep 5 # one
  # twice
  - echo again
  - sleep 5 # two
  # the end
"""
TWINS = COMMANDS.replace("  - sleep 5 # two\n", "  - x\n" * 5 + "  - sleep 5 # two\n")
"""Seven new commands would bring the first `sleep 5` to the index of the second one."""


def package(folder: Path, commands: str) -> Path:
    file = folder / "config.yaml"
    text = "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\nmetadata:\n  name: md-0\nspec:\n"
    file.write_text(f"{text}  preKubeadmCommands:\n{commands}")
    return file


def kpt(folder: Path, *values: str) -> str:
    done = called_kpt(["fn", "eval", folder, "--exec", COMMAND, "--", *values])
    assert done.returncode == 0, done.stderr.decode()
    return done.stderr.decode()


def inject(folder: Path) -> str:
    return kpt(
        folder, "httpProxy=http://proxy:3128", "httpsProxy=http://proxy:3128", "targets.kubeletDropIn.enabled=false"
    )


def with_comments(text: str) -> list[tuple[str, ...]]:
    """Each command that is not ours, with the comments above it and beside it."""
    found: list[tuple[str, ...]] = []
    above: list[str] = []
    for line in text[text.index("preKubeadmCommands:") :].splitlines()[1:]:
        if line.lstrip().startswith("#"):
            above.append(line.strip())
            continue
        if not line.startswith("  -"):
            break
        if "inject-proxy" not in line and "export " not in line:
            found.append((*above, line.strip()))
            above = []
    return [*found, tuple(above)]


@pytest.mark.parametrize("commands", [COMMANDS, TWINS], ids=["all different at their index", "two with the same text"])
def test_no_comment_moves_to_another_command(tmp_path: Path, commands: str) -> None:
    file = package(tmp_path, commands)
    before = file.read_text()
    inject(tmp_path)
    once = file.read_text()
    assert "export HTTP_PROXY" in once
    assert with_comments(once)[: len(with_comments(before)) - 1] == with_comments(before)[:-1]
    inject(tmp_path)
    assert file.read_text() == once
    kpt(tmp_path, "mode=Remove")
    assert file.read_text() == before


def test_exports_stand_before_the_network_where_no_comment_can_move(tmp_path: Path) -> None:
    file = package(tmp_path, COMMANDS)
    inject(tmp_path)
    text = file.read_text()
    assert text.index("export no_proxy") < text.index("# packages") < text.index("apt-get update")


def test_they_stay_at_the_end_with_a_warning_where_one_could(tmp_path: Path) -> None:
    file = package(tmp_path, TWINS)
    assert "kpt would copy the comment" in inject(tmp_path)
    text = file.read_text()
    assert text.index("sleep 5 # two") < text.index("export HTTP_PROXY")
