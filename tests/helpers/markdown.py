"""Take a page of the documentation apart: its code blocks, with their language and line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support import ROOT

_FENCE = re.compile(r"^```(?P<language>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^\n|\A)(?P<text>(?:^ {4}\S.*\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced code block: ``start`` and ``end`` are the place of its text in the page."""

    language: str
    text: str
    start: int
    end: int
    line: int


def pages() -> list[Path]:
    """Return every page that people read: the README, docs/, the pages of the systems, and those of the examples."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    found += (ROOT / "krm_fn" / "targets").rglob("*.md")
    return sorted([*found, *(ROOT / "examples").rglob("*.md")])


def page_name(page: Path) -> str:
    """Return the path of a page in the repository, as the ID of a test."""
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced code blocks of a page, in their order."""
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start("text")) + 1
        yield Block(found["language"], found["text"], found.start("text"), found.end("text"), line)


def section(text: str, title: str) -> str:
    """Return the part of a page below a heading of the second level."""
    return re.split(r"^## ", text.partition(f"\n## {title}\n")[2], flags=re.MULTILINE)[0]


def code(text: str, language: str, title: str = "") -> list[str]:
    """Return the blocks of a language in a page, or in the part of it below a heading."""
    part = section(text, title) if title else text
    return [block.text for block in blocks(part) if block.language == language]


def block_with(text: str, word: str) -> str:
    """Return the only block of a page that holds a word."""
    (shown,) = (block.text for block in blocks(text) if word in block.text)
    return shown


def indented_commands(text: str) -> list[str]:
    """Return the blocks of commands that are indented by four blanks, outside of fences and lists."""
    blocks = (block["text"].splitlines(keepends=True) for block in _INDENTED.finditer(_FENCE.sub("", text)))
    return ["".join(line[4:] for line in lines) for lines in blocks]
