"""What Ignition makes of the files and commands that we write into Kubeadm objects, judged by what Cluster API calls.

The text handed over is laid out as Cluster API lays it out (``clcTemplate`` in
``bootstrap/kubeadm/internal/ignition/clc/clc.go``); its transpiler says what becomes of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from krm_fn.pipeline.run import run as inject
from manifests import KUBEADM_SPECS, spec_of
from stories import TESTDATA, items, meaning
from support import need, run

STORIES = sorted(
    path
    for path in TESTDATA.rglob("input.yaml")
    if "format: ignition" in path.read_text() and (path.parent / "expected.diff").exists()
)


def ignition_files(spec: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Path -> mode, owner and text of every file, the script with the commands among them."""
    script = "\n".join(["#!/bin/bash", "set -e", "", *spec.get("preKubeadmCommands", [])])
    scripts = [{"path": "/etc/kubeadm.sh", "permissions": "0700", "content": script}]
    # Cluster API fails on an entry without permissions, which the stories have of other authors; ours all have some.
    entries = [entry for entry in spec.get("files", []) if "permissions" in entry]
    text = "storage:\n  files:\n" + "".join(map(container_linux_config, [*entries, *scripts]))
    done = run([need("ignition-files")], text.encode())
    assert done.returncode == 0, done.stderr.decode()
    files: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return files


def container_linux_config(entry: Mapping[str, Any]) -> str:
    user, _, group = entry.get("owner", "").partition(":")
    lines = [
        f"    - path: {entry['path']}",
        *([f"      user:\n        name: {user}\n      group:\n        name: {group}"] if user else []),
        f"      mode: {entry['permissions']}",
        "      contents:\n        inline: " + ("!!binary |" if entry.get("encoding") == "base64" else "|"),
        " " * 10 + entry["content"].replace("\n", "\n" + " " * 10),
    ]
    return "\n".join(lines) + "\n"


def is_kubeadm(obj: Any) -> bool:
    return obj["kind"] in KUBEADM_SPECS and (spec_of(obj) or {}).get("format") == "ignition"


@pytest.mark.judged
@pytest.mark.parametrize("story", [pytest.param(path, id=path.parent.name) for path in STORIES])
def test_every_file_reaches_the_node_as_it_is_written(story: Path) -> None:
    specs = [spec_of(obj) for obj in map(meaning, items(inject(story.read_bytes()).output)) if is_kubeadm(obj)]
    assert specs
    for spec in specs:
        written = ignition_files(spec)
        for entry in (one for one in spec.get("files", []) if "permissions" in one and not one.get("encoding")):
            there = written[entry["path"]]
            assert there["text"] == entry["content"].rstrip("\n") + "\n"
            assert (there["mode"], there["owner"]) == (int(entry["permissions"], 8), entry.get("owner", ""))
        assert not [path for path in written if path.startswith("/usr/")]


@pytest.mark.judged
def test_permissions_without_a_0_are_another_mode() -> None:
    entry = {"path": "/etc/motd", "content": "x", "permissions": "640"}
    assert ignition_files({"files": [entry]})["/etc/motd"]["mode"] == 640
