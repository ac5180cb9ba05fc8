"""The page of `inject-proxy explain`: what it says, and that it loads nothing and runs no script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar

from explained import explained, fleet
from krm_fn.krm.messages import SITE
from support import ROOT

STORY = ROOT / "tests" / "explain_page"
MANIFESTS = (STORY / "manifests.yaml").read_text(encoding="utf-8")
PASSWORD = "Sesame"
BLOCKS = {"details", "div", "h1", "h2", "h3", "li", "p", "section", "summary", "table", "tr"}
VOID = {"meta"}


def page(manifests: str = MANIFESTS) -> str:
    text = explained(manifests, "--output", "html")
    assert PASSWORD not in text
    return text


class Page(HTMLParser):
    """The lines of a page: one for each block or row of a table, with marks for headings and for what is folded."""

    _MARKS: ClassVar = {"h1": "# ", "h2": "## ", "h3": "### ", "summary": "> "}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.tags: set[str] = set()
        self.texts = [""]
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        is_in_cell = "td" in self.open
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"td", "th"}:
            self.texts[-1] += " | "
        elif tag in BLOCKS and is_in_cell:
            self.texts[-1] += " / "
        elif tag in BLOCKS:
            self.texts.append(self._MARKS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "title"}:
            self.texts[-1] += data

    @property
    def lines(self) -> Iterator[str]:
        """The lines with words."""
        for text in self.texts:
            line = re.sub(r"( \| | / )[ /]*(?=\S)", r"\1", " ".join(text.split())).strip("|/ ")
            if re.search(r"\w", line):
                yield line

    def values(self, name: str) -> list[str]:
        return [value for attribute, value in self.attributes if attribute == name]


def test_the_page_says_what_is_stored(golden: Callable[[Path, bytes], None]) -> None:
    golden(STORY / "page.txt", "".join(f"{line}\n" for line in Page(page()).lines).encode())


def test_the_page_is_well_formed_loads_nothing_and_runs_nothing() -> None:
    text = page()
    found = Page(text)
    names, leads = found.values("id"), found.values("href")
    assert found.open == []
    assert not found.tags & {"script", "img", "link", "iframe"}
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in {"src", "style"}]
    assert sorted(set(names)) == sorted(names)
    assert {lead.removeprefix("#") for lead in leads if lead.startswith("#")} <= set(names)
    assert {lead.partition("#")[0] for lead in leads} <= {"", f"{SITE}/krm_fn/krm/messages/"}
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    assert policy.startswith("default-src 'none'; ")
    assert "script" not in policy


def test_a_value_with_markup_is_shown_and_not_run() -> None:
    old = "name: prod-1, namespace: org}\nspec: {kub"
    assert old in MANIFESTS
    text = page(MANIFESTS.replace(old, old.replace("prod-1", "<script>x</script>")))
    assert "<script>" not in text
    assert "&lt;script&gt;x" in text


def test_a_code_leads_to_its_explanation() -> None:
    assert f'<a href="{SITE}/krm_fn/krm/messages/#nodeskept">' in page()


def test_names_of_many_clusters_are_folded_and_each_is_there() -> None:
    text = page(fleet(70))
    assert "org/c0, org/c1, org/c2 and 67 more" in text
    assert "<li>org/c69</li>" in text
    assert text.count('<li class="tile') == 70
