"""`completion`: the shells themselves complete a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from shells import OFFERED_BY
from support import out

COMPLETED = [
    pytest.param("run --ou", ["--output", "--output-dir"], id="options"),
    pytest.param("run --only ky", ["kyverno", "kyverno"], id="a system and a target"),
    pytest.param("import kon", ["konvoy"], id="a value of a word"),
    pytest.param("run --config pro", ["proxy.yaml"], id="a file"),
    pytest.param("run a", ["a b"], id="a path with a blank"),
]


@pytest.mark.parametrize("shell", OFFERED_BY)
@pytest.mark.parametrize(("line", "expected"), COMPLETED)
def test_a_shell_completes(shell: str, line: str, expected: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "proxy.yaml").touch()
    (folder / "a b").touch()
    offered = OFFERED_BY[shell](out("completion", shell), f"inject-proxy {line}", folder)
    assert set(expected) <= set(offered)
    assert not [word for word in offered if not word.startswith(line.rsplit(" ", maxsplit=1)[-1])]
