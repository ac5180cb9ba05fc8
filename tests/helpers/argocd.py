"""The plugin of `examples/argocd` on this machine, and an Application for it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
import yaml

from support import ROOT, need

EXAMPLE = ROOT / "examples/argocd"
PLUGIN = yaml.safe_load((EXAMPLE / "plugin/plugin.yaml").read_text())
PYTHON = "/opt/inject-proxy/bin/python"
IN_IMAGE = "/home/argocd/cmp-server/config/"
PASSWORD = "S3CRET"
CONFIG = (ROOT / "examples/kustomize-exec/proxy.yaml").read_text()


@pytest.fixture
def application(tmp_path: Path) -> Path:
    """The folder of an Application: a kustomization, and a ProxyConfig that it does not list."""
    need("kustomize")
    folder = Path(shutil.copytree(ROOT / "examples/config-repo", tmp_path / "application"))
    (folder / "proxy.yaml").write_text(CONFIG)
    return folder


def on_this_machine(text: str) -> str:
    """Return a text with the plugin and the Python of this machine in place of those of the image."""
    return text.replace(IN_IMAGE, f"{EXAMPLE}/plugin/").replace(PYTHON, sys.executable)
