"""What surrounds the function: make, and the scripts that the other tests stand on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support import ROOT, need, run


def test_make_alone_lists_every_target() -> None:
    listed = re.findall(r"(?m)^  make (\w+) +\S", run([need("make")], cwd=ROOT).stdout.decode())
    assert listed == re.findall(r"(?m)^(\w+):.*##", (ROOT / "Makefile").read_text())
    assert {"help", "demo", "test", "judged", "lint", "golden", "image", "bench", "clean"} <= set(listed)


@pytest.mark.parametrize("example_file", sorted((ROOT / "examples").rglob("*.yaml")), ids=lambda path: path.name)
def test_an_example_holds_no_password_and_no_folder_of_a_person(example_file: Path) -> None:
    text = example_file.read_text()
    assert not re.search(r"://[^/\s]*@", text)
    assert not re.search(r"(?m)/(home(?!/argocd/)|work|root)/", text)  # /home/argocd is in Argo CD's images
