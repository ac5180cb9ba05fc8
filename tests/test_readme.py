"""The README is true: its diff is what the function does, its commands and tables name what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from krm_fn.pipeline import run
from krm_fn.targets import TARGETS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
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

    outcome = run(_resource_list(before).encode())

    assert _items(outcome.output) == _items(_resource_list(after).encode())
    assert any(line.startswith("+") for line in lines)


@pytest.mark.parametrize("target", TARGETS)
def test_the_table_names_each_target_and_its_module(target: str) -> None:
    row = re.search(rf"^\| \[`{target}`\]\((\S+)\) \|", README, re.MULTILINE)

    assert row, f"the table in README.md must have a row for `{target}`"
    assert (ROOT / row[1]).is_file()


@pytest.mark.parametrize("target", TARGETS)
def test_the_changelog_names_each_target(target: str) -> None:
    assert re.search(rf"\b{target}\b", (ROOT / "CHANGELOG.md").read_text())


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/functionconfig.md", "docs/messages.md"]
)
def test_links_in_a_page_lead_to_files(page: str) -> None:
    text = (ROOT / page).read_text()
    links = [link.partition("#")[0] for link in re.findall(r"\]\((?!https?:)([^)#\s][^)\s]*)\)", text)]

    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()

    for command in re.findall(r"^    make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command
