"""The page docs/adopt.md: its rules for bots follow their schemas and find each version; its commands do their work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from markdown import blocks
from support import ROOT, TIME_LIMIT, search_path, shell

PAGE = (ROOT / "docs" / "adopt.md").read_text(encoding="utf-8")


def block(language: str, word: str) -> str:
    (text,) = (one.text for one in blocks(PAGE) if one.language == language and word in one.text)
    return text


@pytest.mark.parametrize(
    ("language", "word", "name", "schema"),
    [
        pytest.param("json", "customManagers", "renovate.json", "vendor.renovate", id="Renovate"),
        pytest.param("yaml", "package-ecosystem", "dependabot.yml", "vendor.dependabot", id="Dependabot"),
    ],
)
def test_the_configuration_of_a_bot_follows_its_schema(
    tmp_path: Path, language: str, word: str, name: str, schema: str
) -> None:
    file = tmp_path / name
    file.write_text(block(language, word))
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    done = subprocess.run(check, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "text"),
    [
        pytest.param("Kptfile", "  - image: registry.corp.example/mirror/inject-proxy:v0.1.0\n", id="kpt"),
        pytest.param(
            "a/proxy.yaml", '"container: {image: registry.corp.example/mirror/inject-proxy:v0.1.0}"\n', id="kustomize"
        ),
        pytest.param(".github/workflows/ci.yaml", "- uses: platform/inject-proxy@v0.1.0\n", id="the action"),
        pytest.param(
            "ci.yml", 'pip install "inject-proxy @ git+https://git.example.com/platform/inject-proxy@v0.1.0"', id="Git"
        ),
        pytest.param("ci.yml", "- run: pip install inject-proxy==0.1.0\n", id="the package"),
    ],
)
def test_the_rule_of_renovate_finds_the_version_and_nothing_else(file: str, text: str) -> None:
    (manager,) = json.loads(block("json", "customManagers"))["customManagers"]
    patterns = [pattern.strip("/") for pattern in manager["managerFilePatterns"]]
    assert any(re.search(pattern, file) for pattern in patterns)
    (wanted,) = manager["matchStrings"]
    found = re.findall(wanted.replace("(?<", "(?P<"), text)
    assert found == ["0.1.0"]
    tag = re.fullmatch(manager["extractVersionTemplate"].replace("(?<", "(?P<"), "v0.2.0")
    assert tag is not None
    assert tag["version"] == "0.2.0"


def test_the_check_of_an_upgrade_is_red_only_where_the_next_version_writes_something_else(tmp_path: Path) -> None:
    script = block("sh", "--check --diff")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    pip = bin_folder / "pip"
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "examples" / "config-repo", folder)
    shutil.copy(ROOT / "examples" / "demo" / "proxy.yaml", folder)
    environment = {"PATH": f"{bin_folder}{os.pathsep}{search_path()}", "NEW": "0.2.0"}

    def runs(text: str) -> subprocess.CompletedProcess[str]:
        return shell(text, folder, **environment)

    assert runs("inject-proxy run .").returncode == 0
    pip.write_text("#!/bin/sh\nexit 0\n")
    pip.chmod(0o755)
    assert runs(script).returncode == 0
    # What a next version would write in another way: here another proxy.
    pip.write_text("#!/bin/sh\nsed -i 's|proxy.acme.example|next.acme.example|' proxy.yaml\n")
    red = runs(script)
    assert red.returncode == 1
    assert "next.acme.example" in red.stdout
