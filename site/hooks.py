"""What MkDocs makes a site of: the pages of this repository, their navigation and their anchors.

The site has the folders of the repository, so that a link that works there works here as well, whatever page it is
on. A folder or a file of another kind to which a page links becomes a page that shows it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomllib
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "README.md"
"""The first page of the site, from which all others are reached."""
INDEX = ROOT / "docs" / "README.md"
"""The page whose sections are those of the navigation, but for the last one."""
SCHEMA = "schema/v1alpha1/proxyconfig.schema.json"
"""Where editors find the schema: this address stays, whatever the folders of the repository are called."""
_NARROW = ROOT / "docs" / "overview-narrow.svg"
STATIC = {
    SCHEMA: ROOT / "functionconfig" / "proxyconfig.schema.json",
    "assets/icon.svg": ROOT / "site" / "playground" / "icon.svg",
    _NARROW.relative_to(ROOT).as_posix(): _NARROW,
}
PLAYGROUND = ROOT / ".cache" / "site" / "try"
"""What build.py made."""

_FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)")
_CODE = re.compile(r"`[^`\n]*`")
_PICTURE = re.compile(r"^!\[(.*)\]\((.*\.svg)\)\n", re.MULTILINE)
_PICTURES = (
    f'<picture><source media="(max-width: 44.98em)" srcset="{_NARROW.relative_to(ROOT)}">'
    r'<img alt="\1" src="\2"></picture>'
    '\n\n<a class="md-button md-button--primary" href="try/">Try it in your browser</a>\n'
)
"""The home has another picture on a narrow screen, and leads to the playground."""
_FIRST_COMMENT = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
_SHOWN_WHOLE = 100_000
"""Bytes of a folder whose files are shown; of a larger one only their names."""
_LANGUAGES = {".json": "json", ".py": "python", ".yaml": "yaml", ".yml": "yaml"}
_PAGES = {".md", ".svg"}


def on_config(config: MkDocsConfig) -> None:
    """Give headings the anchors that they have on GitHub, and say the version below each page."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    config.extra["version_name"] = f"version {project['version']}"
    config.copyright = f"inject-proxy, {config.extra['version_name']}"


def anchor(heading: str, _separator: str) -> str:
    """Return the anchor that GitHub gives to a heading; tests/docs/test_docs.py checks links by the same rule."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files of the theme, and all that a reader of the README reaches by links."""
    docs = Path(config.docs_dir)
    found = Files([one for one in files if not Path(one.abs_src_path or "").is_relative_to(docs)])
    for path in sorted(reached()):
        source = page_of(path).relative_to(ROOT).as_posix()
        if path == ROOT / source:
            found.append(File.generated(config, source, abs_src_path=str(path)))
        else:
            found.append(File.generated(config, source, content=shown(path)))
    made = {
        f"try/{path.relative_to(PLAYGROUND).as_posix()}": path
        for path in PLAYGROUND.rglob("*")
        if path.is_file()
    }
    for source, path in (STATIC | made).items():
        found.append(File.generated(config, source, abs_src_path=str(path)))
    config.nav = [{"Home": HOME.name}, {"Try it": "try/index.html"}, *sections()]
    return found


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Return a page whose links lead to pages, and whose tables hold what they do on GitHub.

    A bar in the code of a table is escaped there, and must not be for Python-Markdown. MkDocs reads the title of a page
    from its first line, which is a comment in pages that `make docs` writes.
    """
    source = ROOT / page.file.src_uri
    folder = source.parent

    def lead(found: re.Match[str]) -> str:
        target = page_of(Path(os.path.normpath(folder / found[1])))
        return f"]({os.path.relpath(target, folder)}"

    if source == HOME:
        markdown = _PICTURE.sub(_PICTURES, markdown, count=1)
    parts = _FENCED.split(_FIRST_COMMENT.sub("", markdown))
    for number in range(0, len(parts), 2):
        lines = _LINK.sub(lead, parts[number]).splitlines(keepends=True)
        parts[number] = "".join(map(_as_table_row, lines))
    return "".join(parts)


def _as_table_row(line: str) -> str:
    if not line.startswith("|"):
        return line
    return _CODE.sub(lambda code: code[0].replace(r"\|", "|"), line)


def reached() -> set[Path]:
    """Return what the README leads to over any number of links: pages, other files, folders."""
    found: set[Path] = set()
    waiting = [HOME]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.suffix == ".md":
            waiting += linked(path)
    return found


def linked(page: Path, text: str | None = None) -> Iterator[Path]:
    """Yield the files and folders to which a page links, or the part ``text`` of it; a folder's page for a folder."""
    outside = _FENCED.sub("", page.read_text(encoding="utf-8") if text is None else text)
    for link in _LINK.findall(outside):
        target = Path(os.path.normpath(page.parent / link))
        yield target / "README.md" if (target / "README.md").is_file() else target


def page_of(path: Path) -> Path:
    """Return where the page is that shows a file or folder; what a browser shows is its own page."""
    if path.is_dir():
        return path / "README.md"
    return path if path.suffix in _PAGES else path.with_name(f"{path.name}.md")


def shown(path: Path) -> str:
    """Return a page that shows a file, or the files of a folder."""
    files = [path] if path.is_file() else [one for one in sorted(path.rglob("*")) if is_text(one)]
    title = path.relative_to(ROOT).as_posix()
    parts = ["---\nsearch: {exclude: true}\n---\n", f"# {title}\n"]
    if sum(file.stat().st_size for file in files) > _SHOWN_WHOLE:
        names = "\n".join(file.relative_to(path).as_posix() for file in files)
        parts.append(
            f"This folder of the repository holds {len(files)} files:\n\n{_block('', names)}"
        )
        return "\n".join(parts)
    for file in files:
        if file != path:
            parts.append(f"## {file.relative_to(path).as_posix()}\n")
        parts.append(_block(_LANGUAGES.get(file.suffix, ""), file.read_text(encoding="utf-8")))
    return "\n".join(parts)


def is_text(path: Path) -> bool:
    """Return whether a path is a file of the repository that can be shown."""
    return path.is_file() and "__pycache__" not in path.parts


def _block(language: str, text: str) -> str:
    """Return a block of code; its fence is longer than any in the text."""
    return f"``````{language}\n{text.rstrip()}\n``````\n"


def sections() -> Iterator[dict[str, list[str | dict[str, str]]]]:
    """Yield the sections of the index, each with the pages of its table in their order."""
    text = INDEX.read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, table = section.partition("\n")
        pages = dict.fromkeys(linked(INDEX, table))
        yield {title: [_entry(page) for page in pages]}


def _entry(page: Path) -> str | dict[str, str]:
    """Return the entry of a page in the navigation, whose section says "How to" once for all."""
    source = page.relative_to(ROOT).as_posix()
    heading = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# How to ")
    return source if heading.startswith(("#", "<")) else {heading[:1].upper() + heading[1:]: source}
