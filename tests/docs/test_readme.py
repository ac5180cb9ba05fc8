"""The README is true: its diff is what the function does, and it is short."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from krm_fn.pipeline.run import run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
HEAD = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: prod-1-control-plane
spec:
  kubeadmConfigSpec:
    files:
"""
(CONFIG,) = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL))


def _resource_list(manifest: str) -> str:
    item = "".join(("- " if number == 0 else "  ") + line + "\n" for number, line in enumerate(manifest.splitlines()))
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    return f"{head}{item}functionConfig: {json.dumps(CONFIG)}\n"


def _items(resource_list: bytes) -> str:
    return resource_list.decode().partition("items:\n")[2].partition("functionConfig:")[0]


def test_the_diff_is_what_comes_out_of_the_proxy_config_above_it() -> None:
    block = re.search(r"```diff\n(.*?)```", README, re.DOTALL)
    assert block
    lines = block[1].splitlines()
    before = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    after = "\n".join(line[1:] for line in lines if not line.startswith("-"))

    outcome = run(_resource_list(HEAD + before).encode())

    assert _items(_resource_list(HEAD + after).encode()) in _items(outcome.output)
    assert len(lines) == 10


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len(README.encode()) <= 4.5 * 1024
