"""The pages that people read: links lead somewhere, blocks are what they claim, and every sample passes the linter."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from function_configs import SCHEMA
from krm_fn.config import API_VERSION, KIND, ProxyConfig, load
from krm_fn.krm.results import Severity
from krm_fn.pipeline.audit import ReadableManifests, audit
from markdown import blocks, indented_commands, page_name, pages
from support import ROOT, inject_proxy, need

PAGES = pages()
LINKED = [*PAGES, ROOT / "CHANGELOG.md"]
SHELL = [
    pytest.param(text, id=f"{page_name(page)}-{number}")
    for page in PAGES
    for number, text in enumerate(
        [
            *(block.text for block in blocks(page.read_text(encoding="utf-8")) if block.language in ("sh", "bash")),
            *indented_commands(page.read_text(encoding="utf-8")),
        ]
    )
]
YAML = [
    pytest.param(block.text, id=f"{page_name(page)}:{block.line}")
    for page in PAGES
    for block in blocks(page.read_text(encoding="utf-8"))
    if block.language == "yaml"
]
EXAMPLES = sorted(path for path in (ROOT / "functionconfig" / "examples").glob("*.yaml"))
INPUT = ROOT / "examples" / "config-repo"
"""What the examples change: it holds a proxy that somebody wrote badly, and nothing else in this repository does."""
FOLDERS = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir() and path != INPUT)
IS_TO_BE_SEEN = {"PasswordInClearText", "PolicyDeprecated"}
"""What belongs to the subject of a sample: it shows a password, or a policy as most clusters still have it."""


@pytest.mark.parametrize(
    ("row", "version"),
    [
        ("Cluster API", r"cluster-api@v(1\.11)\."), ("Kubernetes", r"k8s\.io/kubectl@v0\.(32)\."),
        ("kustomize", r"kustomize/v5@v(5\.8\.1)"), ("Kyverno", r"KYVERNO=v(1\.19\.1)"),
        ("ytt", r"YTT=v(0\.52\.1)"), ("containerd", r"containerd/v2@v(2\.2\.0)"),
    ],
)  # fmt: skip
def test_the_page_of_versions_names_those_that_the_tests_fetch(row: str, version: str) -> None:
    fetched = re.search(version, (ROOT / "tests/tools/fetch").read_text(encoding="utf-8"))
    assert fetched
    page = (ROOT / "docs/stability.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if line.startswith(f"| {row} |")]
    assert fetched[1] in line.split("|")[3]


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield the links of a page to files of the repository: the file, and the part of it, if one is named."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        file, _, part = link.partition("#")
        yield (page.parent / file).resolve() if file else page, part


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page, and those that it writes itself."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    written = re.findall(r'<a id="([^"]+)"></a>', text)
    return {*written, *(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings)}


@pytest.mark.parametrize("page", LINKED, ids=page_name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    assert [str(file) for file, _ in links(page) if not file.exists()] == []
    assert [f"{file.name}#{part}" for file, part in links(page) if part and part not in anchors(file)] == []


def test_where_contributors_find_something_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:krm_fn|tests|testdata|functionconfig)/[\w./-]+)`", text)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_index_lists_each_page() -> None:
    listed = {file for file, _ in links(ROOT / "docs" / "README.md")}
    folders = (ROOT / "docs", ROOT / "krm_fn")
    documented = {page for page in PAGES for folder in folders if page.is_relative_to(folder)}
    documented.discard(ROOT / "docs" / "README.md")
    assert sorted(page_name(page) for page in documented - listed) == []


@pytest.mark.parametrize("text", SHELL)
def test_a_block_of_commands_is_a_script(text: str) -> None:
    shell = "bash" if "<(" in text else "sh"
    done = subprocess.run([need(shell), "-n"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("text", SHELL)
def test_a_command_of_ours_has_options_that_exist(text: str) -> None:
    for command, rest in re.findall(r"\binject-proxy (run|lint|explain|import|export)\b([^|>#\n]*)", text):
        options = re.findall(r"(?<!\S)(--[a-z][a-z-]*)", rest.partition(" -- ")[0])
        assert [option for option in options if option not in help_text(command)] == []


@functools.cache
def help_text(command: str) -> str:
    return inject_proxy("", command, "--help").stdout.decode()


@pytest.mark.parametrize("text", YAML)
def test_a_block_of_yaml_is_right(text: str) -> None:
    for document in yaml.safe_load_all(text):
        assert document is not None
        if is_config(document):
            check_config(text, document)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_a_sample_of_a_function_config_passes_the_linter(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    check_config(text, yaml.safe_load(text))


def is_config(document: Any) -> bool:
    """Whether a document is a whole ProxyConfig, or a ConfigMap that is one."""
    if not isinstance(document, dict):
        return False
    is_config_map = document.get("kind") == "ConfigMap" and "httpProxy" in document.get("data", {})
    return document.get("kind") == KIND or is_config_map


def check_config(text: str, document: dict[str, Any]) -> None:
    """Check that a FunctionConfig is valid, and that the linter finds nothing in it."""
    assert isinstance(load(document), ProxyConfig)
    if document["kind"] == KIND:
        assert document["apiVersion"] == API_VERSION
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert [code for code in findings(text, as_function_config=True) if code not in IS_TO_BE_SEEN] == []


def findings(text: str, *, as_function_config: bool) -> list[str]:
    """Return the code, or the message, of each finding in a manifest; a ConfigMap counts as a functionConfig only."""
    if as_function_config:
        inner = "".join(f"  {line}\n" for line in text.splitlines() if not line.startswith("# yaml-language-server"))
        text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n{inner}"
    return [one.code or one.message for one in audit(ReadableManifests({"sample.yaml": text.encode()})).results]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_example_passes_the_linter(folder: Path) -> None:
    files = {str(path): path.read_bytes() for path in sorted(folder.rglob("*.yaml")) if path.name != "expected.yaml"}
    assert [one.line() for one in audit(ReadableManifests(files)).results] == []


def test_what_the_examples_write_passes_the_linter(tmp_path: Path) -> None:
    written = tmp_path / "repository"
    shutil.copytree(INPUT, written)
    config = ROOT / "examples" / "demo" / "proxy.yaml"
    done = inject_proxy("", "run", "--config", str(config), str(written))
    assert done.returncode == 0, done.stderr.decode()

    files = {str(path): path.read_bytes() for path in sorted(written.rglob("*.yaml"))}
    wanted = load(yaml.safe_load(config.read_text(encoding="utf-8")))
    severe = [one for one in audit(ReadableManifests(files), wanted).results if one.severity is not Severity.INFO]
    assert [one.line() for one in severe if one.code not in IS_TO_BE_SEEN] == []
