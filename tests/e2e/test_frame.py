"""What surrounds the function: make, and the scripts that the other tests stand on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kpt_exchanges import kpt
from support import COMMAND, ROOT, TOOLS, example, need, readme_command, run


def test_make_alone_lists_every_target() -> None:
    listed = re.findall(r"(?m)^  make (\w+) +\S", run([need("make")], cwd=ROOT).stdout.decode())
    assert listed == re.findall(r"(?m)^(\w+):.*##", (ROOT / "Makefile").read_text())
    assert {"help", "demo", "test", "judged", "lint", "golden", "image", "bench", "clean"} <= set(listed)


def test_kpt_takes_the_stand_in_for_an_engine(tmp_path: Path) -> None:
    folder = example("config-repo", tmp_path)
    arguments = readme_command(tmp_path / "kpt-eval", "kpt fn eval")
    values = arguments[arguments.index("--") :]
    done = kpt(
        ["fn", "eval", folder, "--image", "localhost/inject-proxy:v0.1", *values],
        env={"KRM_FN": str(COMMAND)},
        first_on_path=TOOLS,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "HTTP_PROXY=http://proxy.acme.example:3128" in (folder / "clusters/prod-1/workers.yaml").read_text()


@pytest.mark.parametrize("example_file", sorted((ROOT / "examples").rglob("*.yaml")), ids=lambda path: path.name)
def test_an_example_holds_no_password_and_no_folder_of_a_person(example_file: Path) -> None:
    text = example_file.read_text()
    assert not re.search(r"://[^/\s]*@", text)
    assert not re.search(r"(?m)/(home(?!/argocd/)|work|root)/", text)  # /home/argocd is in Argo CD's images
