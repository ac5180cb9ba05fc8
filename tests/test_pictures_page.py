"""The page of pictures shows what the commands show today."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from pictures_page import PAGE, pictures, terminal
from support import ROOT

FOLDER = ROOT / "docs" / "pictures"


def test_the_page_is_what_make_docs_writes(golden: Callable[[Path, bytes], None]) -> None:
    golden(ROOT / "docs" / "pictures.md", PAGE.encode())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return dict(pictures(tmp_path_factory.mktemp("fleet")))


NAMES = re.findall(r"^!\[.*\]\(pictures/(.*)\)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_what_the_command_shows(
    name: str, made: dict[str, str], golden: Callable[[Path, bytes], None]
) -> None:
    xml.etree.ElementTree.fromstring(made[name])  # noqa: S314 -- our own
    golden(FOLDER / name, made[name].encode())


def test_there_is_no_other_picture(made: dict[str, str]) -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(made) == sorted(NAMES)


def test_a_terminal_as_a_picture_has_its_colours_and_no_escape_sequence() -> None:
    text = terminal("x", ["\x1b[32m+ a < b\x1b[0m", "plain", "y" * 300])
    assert '#a5d6a7">+ a &lt; b</text>' in text
    assert "\x1b" not in text
    assert "y…</text>" in text
