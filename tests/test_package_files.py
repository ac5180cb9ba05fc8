"""Files of the package: where they are, and what is said where they are missing."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from support import ROOT, run


@pytest.mark.parametrize("is_archive", [False, True], ids=["a folder", "an archive"])
def test_an_installation_without_the_schema_says_so(tmp_path: Path, is_archive: bool) -> None:
    shutil.copytree(ROOT / "krm_fn", tmp_path / "made" / "krm_fn", ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path / "made"
    if is_archive:
        place = Path(shutil.make_archive(str(tmp_path / "package"), "zip", place))
    done = run([sys.executable, "-m", "krm_fn", "schema"], cwd=tmp_path, env={"PYTHONPATH": str(place)})
    assert done.returncode == 3
    assert b"is missing from this installation: install `inject-proxy` again" in done.stderr
