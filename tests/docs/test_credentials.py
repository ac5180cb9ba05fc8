"""The pages about passwords are complete: what they call safe holds no password, and what holds one they name."""

from __future__ import annotations

import base64
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from all_targets import TARGETS
from function_configs import list_with_config
from krm_fn.pipeline.run import run
from krm_fn.target_table import system_of
from markdown import code
from support import ROOT

PAGE = (ROOT / "docs" / "credentials.md").read_text(encoding="utf-8")
HOW_TO = (ROOT / "docs" / "howto" / "password.md").read_text(encoding="utf-8")
PASSWORD = "s3cr3t%21"
WITHOUT_URL = {"nodes.trustedCA", "nodes.mirror", "workloads.trustedCA", "giantswarm.apps"}
"""Targets that write certificates, a mirror or references, or nothing."""
PLACES = ROOT / "examples" / "config-repo"


def holders(config: dict[str, Any], documents: list[dict[str, Any]]) -> set[str]:
    """Return kind and name of each object that holds the password after a run."""
    outcome = run(list_with_config(config["spec"], *documents))
    assert outcome.exit_code == 0
    items = yaml.safe_load(outcome.output)["items"]
    holding = (item for item in items if any(PASSWORD in value for value in texts(item)))
    return {f"{item['kind']}/{item['metadata']['name']}" for item in holding}


def texts(node: Any) -> Iterator[str]:
    """Yield each text of an object, decoded from base64 too, with a doubled `%` as a single one."""
    if isinstance(node, dict):
        for value in node.values():
            yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)
    elif isinstance(node, str):
        yield node.replace("%%", "%")
        with contextlib.suppress(ValueError):
            yield base64.b64decode(node, validate=True).decode().replace("%%", "%")


def documents(folder: Path) -> list[dict[str, Any]]:
    files = sorted(path for path in folder.rglob("*.yaml") if path.name != "kustomization.yaml")
    return [one for path in files for one in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


def sample(part: str) -> dict[str, Any]:
    """Return the first ProxyConfig of a part of the how-to, with our password."""
    text = code(HOW_TO, "yaml", part)[0]
    config: dict[str, Any] = yaml.safe_load(text.replace("user:p%40ss@", f"user:{PASSWORD}@"))
    return config


def test_the_four_settings_keep_the_password_in_the_secret_and_in_the_drop_in_that_the_page_names() -> None:
    assert holders(sample("Nodes: keep it out of Kubeadm objects"), documents(PLACES)) == {
        "Secret/prod-1-systemd-proxy",
        "KubeadmConfigTemplate/prod-1-workers",  # its drop-in has a line of its owner, LimitNOFILE
    }


@pytest.mark.parametrize("setting", ["containerd", "kubelet", "commands"])
def test_each_of_the_four_settings_is_needed(setting: str) -> None:
    config = sample("Nodes: keep it out of Kubeadm objects")
    del config["spec"]["targets"]["nodes"][setting]
    assert "KubeadmControlPlane/prod-1" in holders(config, documents(PLACES))


def test_another_proxy_without_a_password_reaches_everything_but_nodes() -> None:
    config = sample("Another proxy without a password for everything else")
    assert {name.partition("/")[0] for name in holders(config, documents(PLACES))} == {
        "KubeadmControlPlane",
        "KubeadmConfigTemplate",
    }


@pytest.mark.parametrize("target", [name for name in TARGETS if name not in WITHOUT_URL])
def test_the_page_names_each_target_that_writes_a_url(target: str) -> None:
    (table,) = re.findall(r"\| place \|.*?\n\n", PAGE, re.DOTALL)
    assert f"`{target}`" in table or f"(../krm_fn/targets/{system_of(target)}/README.md)" in table
