"""The page of `inject-proxy explain`: what it says, and that it loads nothing and runs nothing but its own script.

What a browser makes of it is in site/tests/explain.test.mjs.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import takewhile
from pathlib import Path
from typing import ClassVar

import pytest

from krm_fn.krm.messages import SITE
from krm_fn.explain.clients import CLIENTS
from support import ROOT, inject_proxy

STORY = ROOT / "tests" / "explain_page"
MANIFESTS = (STORY / "manifests.yaml").read_text()
PASSWORD = "Sesame"
BLOCKS = {"article", "dd", "div", "dt", "h1", "h2", "h3", "li", "p", "section", "summary", "table", "td", "th", "tr"}
VOID = {"meta", "input", "br", "wbr"}


def page(manifests: str = MANIFESTS, *arguments: str) -> str:
    done = inject_proxy(manifests, "explain", "--output", "html", *arguments)
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode()
    assert PASSWORD not in text
    return text


class Page(HTMLParser):
    """The lines of a page: one for each block or row of a table, with marks for headings and for what is folded."""

    _MARKS: ClassVar = {"h1": "# ", "h2": "## ", "h3": "### ", "summary": "> "}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts = [""]
        self.feed(text.removeprefix("<!doctype html>"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        is_in_cell = "td" in self.open
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"td", "th", "dd"}:
            self.texts[-1] += " | "
        elif is_in_cell and (tag in BLOCKS or tag == "br"):
            self.texts[-1] += " / "
        elif tag in BLOCKS:
            self.texts.append("  " * self.open.count("details") + self._MARKS.get(tag, ""))
        elif tag == "span":
            self.texts[-1] += " "

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "script", "title"}:
            self.texts[-1] += data

    @property
    def lines(self) -> Iterator[str]:
        """The lines with words."""
        for text in self.texts:
            depth = len(text) - len(text.lstrip(" "))
            line = re.sub(r"( \| | / )[ /]*(?=\S)", r"\1", " ".join(text.split())).strip("| ")
            if re.search(r"\w", line):
                yield " " * (depth // 2 * 2) + line.removeprefix("/ ")

    def attributes(self, name: str) -> list[str]:
        return [attrs[name] or "" for _, attrs in self.found if name in attrs]


def lines(manifests: str = MANIFESTS, *arguments: str) -> list[str]:
    return list(Page(page(manifests, *arguments)).lines)


def test_the_page_says_what_is_stored(golden: Callable[[Path, bytes], None]) -> None:
    golden(STORY / "page.txt", "".join(f"{line}\n" for line in lines()).encode())


def test_the_page_is_well_formed_and_loads_nothing() -> None:
    found = Page(page())
    names = found.attributes("id")
    leads = found.attributes("href")
    assert found.open == []
    assert found.attributes("src") == found.attributes("style") == []
    assert sorted(set(names)) == sorted(names)
    assert {lead.removeprefix("#") for lead in leads if lead.startswith("#")} <= set(names)
    assert {lead.partition("#")[0] for lead in leads} == {"", f"{SITE}/krm_fn/krm/messages/"}
    assert not [name for name in found.attributes("onclick") if name]


def test_its_policy_allows_its_style_and_its_script_alone() -> None:
    text = page()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    for name, tag in (("style-src", "style"), ("script-src", "script")):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_a_value_with_markup_is_shown_and_not_run() -> None:
    text = page(MANIFESTS.replace("name: prod-1, namespace: org}\nspec: {kub", "name: <script>x</script>}\nspec: {kub"))
    assert "<script>x" not in text
    assert "&lt;script&gt;x" in text


TABLE = "Clusters | Proxy | What changes | Nodes | What is wrong"


def rows(manifests: str = MANIFESTS, *arguments: str) -> list[list[str]]:
    """The cells of the table of Clusters."""
    found = lines(manifests, *arguments)
    table = found[found.index("## Clusters") + 2 :]
    return [re.split(r" ?\| ", line) for line in takewhile(lambda line: not line.startswith("#"), table)]


def test_what_gets_nothing_is_the_first_row_and_says_why() -> None:
    (first, *_) = rows()
    assert first[0] == "org/bare / gets nothing"
    assert first[1].startswith("TemplateNotInList: nodes of it get no proxy here")


def test_equal_clusters_are_one_row() -> None:
    (row,) = [one for one in rows() if "org/prod-1" in one[0]]
    assert row[0] == "org/prod-1, org/prod-2"
    assert row[1] == "http://svc:***@proxy.acme.example:3128 / control plane"
    assert row[3] == "rolled: control plane"


def test_a_cluster_of_which_a_part_gets_nothing_says_so_in_its_row() -> None:
    document = "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\nmetadata: {name: lab-md-0"
    assert document in MANIFESTS
    found = rows(MANIFESTS.replace(document, document.replace("lab-md-0", "other-md-0")))
    assert [row[0] for row in found[:2]] == ["org/bare / gets nothing", "org/lab"]
    assert "a part gets nothing" in found[1][4]


def test_an_error_is_in_the_row_of_its_cluster_which_comes_before_those_without() -> None:
    before = "lab, namespace: org}\nspec: {kubeadmConfigSpec: {"
    assert before in MANIFESTS
    found = rows(MANIFESTS.replace(before, f"{before}files: wrong"))
    assert [row[0] for row in found[:2]] == ["org/bare / gets nothing", "org/lab"]
    assert "error " in found[1][4]


@pytest.mark.parametrize(
    ("is_run", "changes"),
    [
        pytest.param(False, "1 object in each", id="before a run, the objects that it changes"),
        pytest.param(True, "nothing", id="after a run, nothing"),
    ],
)
def test_a_row_says_what_a_run_changes(is_run: bool, changes: str, tmp_path: Path) -> None:
    manifests = MANIFESTS
    if is_run:
        (tmp_path / "all.yaml").write_text(MANIFESTS)
        assert inject_proxy("", "run", str(tmp_path)).returncode == 0
        manifests = (tmp_path / "all.yaml").read_text()
    (row,) = [one for one in rows(manifests) if "org/prod-1" in one[0]]
    assert row[2] == f"{changes} / containerdDropIn, kubeletDropIn, kubeadmCommands"


def test_a_new_name_with_a_hash_counts_as_a_change() -> None:
    (row,) = [one for one in rows(f"{MANIFESTS}  rollout: {{hashNames: true}}\n") if "org/lab" in one[0]]
    assert row[2].startswith("2 objects / ")
    assert row[3] == "rolled: control plane, workers"


def test_without_findings_the_table_has_no_column_for_them() -> None:
    _, _, *documents = MANIFESTS.split("---\n")
    kept = [one for one in documents if "Deployment\nmetadata: {name: web" not in one]
    found = lines("---\n".join(kept))
    assert TABLE.removesuffix(" | What is wrong") in found


def test_programs_that_agree_are_one_row_and_every_program_is_in_one() -> None:
    found = lines()
    start = found.index("  Programs | Direct | Through the proxy")
    table = list(takewhile(lambda line: " | " in line, found[start + 1 :]))
    shown = ", ".join(line.strip().split(" | ")[0] for line in table)
    assert len(table) < len(CLIENTS) / 4
    assert all(client.NAME in shown for client in CLIENTS.values())
    assert "host.acme.example (wrong)" in table[-1]


def test_what_goes_wrong_with_a_host_is_named() -> None:
    broken = MANIFESTS.replace("noProxyPolicy: {", "noProxyPolicy: {exclude: [10.96.0.1], ")
    (line,) = {one for one in lines(broken) if one.startswith("  10.96.0.1 | ")}
    assert "wrong: curl up to 7.85 (Ubuntu 22.04, RHEL 9), wget up to 1.19" in line
    expected = [one for one in lines() if one.startswith(("  169.254.169.254 | ", "  registry.example.com | "))]
    assert expected
    assert "wrong" not in "".join(expected)


def test_names_of_many_clusters_are_folded_and_each_is_there() -> None:
    text = page(fleet(70))
    assert text.count("small-tile") == 70 + 1
    assert "org/c0, org/c1, org/c2 and 67 more" in text
    assert "<li data-part>org/c69</li>" in text


def fleet(number: int) -> str:
    """So many Clusters, each with a control plane and networks of its own."""
    _, first, second, *_ = MANIFESTS.split("---\n")
    pair = f"{first}---\n{second}"
    clusters = [pair.replace("prod-1", f"c{at}").replace("10.1.", f"10.{at}.") for at in range(number)]
    return "---\n".join([*clusters, MANIFESTS.rpartition("---\n")[2]])
