"""The README is true: its diff is what the function does, its commands and tables name what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from krm_fn.config import ProxyConfig, load
from krm_fn.pipeline import run
from krm_fn.targets import TARGETS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]
HEAD = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: prod-1-control-plane
spec:
  kubeadmConfigSpec:
    files:
"""
CONFIG = {
    "apiVersion": "fn.inject-proxy.io/v1alpha1",
    "kind": "ProxyConfig",
    "metadata": {"name": "proxy"},
    "spec": {"httpProxy": "http://svc:p%40ss@proxy.corp.example:3128", "noProxy": [".corp.example"]},
}


def _resource_list(manifest: str) -> str:
    item = "".join(("- " if number == 0 else "  ") + line + "\n" for number, line in enumerate(manifest.splitlines()))
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    return f"{head}{item}functionConfig: {json.dumps(CONFIG)}\n"


def _items(resource_list: bytes) -> str:
    return resource_list.decode().partition("items:\n")[2].partition("functionConfig:")[0]


def test_the_diff_on_the_first_screen_is_what_comes_out() -> None:
    block = re.search(r"```diff\n(.*?)```", README, re.DOTALL)
    assert block
    lines = block[1].splitlines()
    before = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    after = "\n".join(line[1:] for line in lines if not line.startswith("-"))

    outcome = run(_resource_list(HEAD + before).encode())

    assert _items(_resource_list(HEAD + after).encode()) in _items(outcome.output)
    assert len(lines) == 8


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len(README.encode()) <= 6 * 1024


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_each_page_of_the_documentation_can_be_reached_from_the_readme(page: str) -> None:
    assert f"](docs/{page})" in README


def test_the_proxy_config_and_the_kptfile_of_the_readme_are_valid() -> None:
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)]
    config, kustomization, kptfile = blocks
    assert isinstance(load(config), ProxyConfig)
    assert [*kustomization] == ["resources", "transformers"]
    assert kptfile["pipeline"]["mutators"] == [{"exec": "inject-proxy", "configPath": "proxy.yaml"}]


@pytest.mark.parametrize("target", TARGETS)
def test_the_changelog_names_each_target(target: str) -> None:
    assert re.search(rf"\b{target}\b", (ROOT / "CHANGELOG.md").read_text())


@pytest.mark.parametrize("page", PAGES)
def test_links_in_a_page_lead_to_files(page: str) -> None:
    assert [link for link, _ in _links(page) if not link.exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_to_a_part_of_a_page_lead_to_a_heading(page: str) -> None:
    links = [(link, part) for link, part in _links(page) if part]

    assert [f"{link.name}#{part}" for link, part in links if part not in _anchors(link)] == []


def _links(page: str) -> list[tuple[Path, str]]:
    """The links of a page to files of the repository: the file, and the part of it, if one is named."""
    text = (ROOT / page).read_text()
    found = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        file, _, part = link.partition("#")
        found.append(((ROOT / page).parent / file if file else ROOT / page, part))
    return found


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_files_that_contributors_are_sent_to_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:krm_fn|tests|testdata|functionconfig)/[\w./-]+)`", text)

    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_table_for_contributors_has_each_package() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"\w+", row)}
    files = (path for path in (ROOT / "krm_fn").iterdir() if not path.name.startswith("_"))
    assert listed == {path.stem for path in files if path.suffix != ".typed"}


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()

    for command in re.findall(r"^    make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command
