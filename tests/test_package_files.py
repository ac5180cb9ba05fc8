"""The files of the package that are no code."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import krm_fn
from krm_fn.errors import InternalError
from krm_fn.package_files import text_of


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(krm_fn, "__path__", [str(tmp_path / "package")])
    for name in ("package/a", "b"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "text.md").write_text(name, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("names", "text"),
    [
        pytest.param(["a/text.md", "../b/text.md"], "package/a", id="in a wheel, the first place"),
        pytest.param(["c/text.md", "../b/text.md"], "b", id="in a checkout, the second one"),
    ],
)
def test_the_first_file_that_is_there_counts(package: Path, names: list[str], text: str) -> None:
    assert text_of(*names) == text


def test_an_installation_without_a_file_says_so(package: Path) -> None:
    with zipfile.ZipFile(package / "package/c", "w"):
        pass
    with pytest.raises(InternalError, match="is missing from this installation: install"):
        text_of("c/text.md", "d/text.md")
