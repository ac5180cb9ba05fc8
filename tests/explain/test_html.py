"""The page of `inject-proxy explain`: what it says, and that it loads nothing and runs no script."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import yaml

from explained import BARE, EAST, WEST, explained, fleet, workload
from function_configs import DECLARED
from support import ROOT, inject_proxy, write

STORY = ROOT / "tests" / "explain_page"
MANIFESTS = (STORY / "manifests.yaml").read_text(encoding="utf-8")
PASSWORD = "Sesame"


def page(manifests: str = MANIFESTS) -> str:
    text = explained(manifests, "--output", "html")
    assert PASSWORD not in text
    return text


class Page(HTMLParser):
    """The text of a page, its tags with their attributes, and the tags that are still open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)
        self.text += {"a": "", "code": "", "p": " ", "td": " | ", "th": " | "}.get(tag, "\n")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "title"}:
            self.text += data

    def values(self, name: str) -> list[str]:
        return [value for attribute, value in self.attributes if attribute == name]


def test_the_page_says_what_is_stored(golden: Callable[[Path, bytes], None]) -> None:
    text = re.sub(r"\s*\n[\s|]*", "\n", Page(page()).text).strip()
    golden(STORY / "page.txt", re.sub("Folder .* UTC", "Folder NAME, DAY UTC", text).encode() + b"\n")


def test_the_page_is_well_formed_loads_nothing_and_runs_nothing() -> None:
    text = page()
    found = Page(text)
    names, leads = found.values("id"), found.values("href")
    assert found.open == []
    assert not found.tags & {"script", "img", "link", "iframe"}
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in {"src", "style"}]
    assert sorted(set(names)) == sorted(names)
    assert {lead.removeprefix("#") for lead in leads} <= set(names)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    assert policy.startswith("default-src 'none'; ")
    assert "script" not in policy


def test_a_value_with_markup_is_shown_and_not_run() -> None:
    old = "name: prod-1, namespace: org}\nspec: {kub"
    assert old in MANIFESTS
    text = page(MANIFESTS.replace(old, old.replace("prod-1", "<script>x</script>")))
    assert "<script>" not in text
    assert "&lt;script&gt;x" in text


def test_many_clusters_are_tiles_that_lead_to_their_lists() -> None:
    text = page(fleet(250))
    for number in range(250):
        assert re.search(rf'<li><a href="#s\d+">org/c{number}</a></li>', text)
    assert "<p>and 50 more: <code>--output json</code> has each</p>" in text
    assert len(text) < 250_000


def test_a_severity_is_a_badge_a_code_is_a_link_and_titles_are_short() -> None:
    text = page()
    assert '<span class="badge warning">warning</span> <a id="warning-NodesKept" href="#warning-NodesKept">' in text
    titles = re.findall("<(?:title|h[12][^>]*|summary)>(.*?)</", re.sub("</?code>", "", text))
    assert [title for title in titles if len(title) >= 60] == []


def test_what_to_do_has_the_text_to_paste() -> None:
    text = page(BARE.replace("NAME", "bare") + EAST + workload("web") + DECLARED)
    (pasted,) = re.findall("<pre.*?><code>(.*?)</code></pre>", text, re.DOTALL)
    assert set(yaml.safe_load(html.unescape(pasted))["clusterDefaults"]) >= {"podCIDRs", "serviceCIDRs", "endpoint"}
    assert "<p>1: nobody chose them: <code>inject-proxy choose KIND/NAME</code></p>" in text


def test_the_page_says_of_which_folder_and_day_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    write(folder, {"clusters/west.yaml": WEST, "proxy.yaml": DECLARED})
    environment = {"SOURCE_DATE_EPOCH": "86400"}
    done = inject_proxy("", "explain", "--output", "html", str(folder), env=environment)
    assert re.search("<title>Folder fleet, 1970-01-02 UTC", done.stdout.decode())
    assert b"clusters/west.yaml controlplane.cluster.x-k8s.io" in done.stdout
    assert str(tmp_path).encode() not in done.stdout
