"""Templates that get another name, in the hands of the real kpt: what refers to them follows, and back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from kpt_exchanges import kpt
from stories import TESTDATA
from support import diff_of_folders

STORY = TESTDATA / "rollout" / "machine-deployments-that-share-a-template" / "input.yaml"
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: clusters
pipeline:
  mutators:
  - exec: inject-proxy
    configPath: proxy.yaml
"""


def folder(path: Path) -> Path:
    """The story as files, with the ProxyConfig that kpt calls."""
    story = yaml.safe_load(STORY.read_text())
    config = story["functionConfig"]
    config["metadata"]["annotations"] = {
        "config.kubernetes.io/function": "exec: {path: inject-proxy}",
        "config.kubernetes.io/local-config": "true",
    }
    path.mkdir()
    (path / "list.yaml").write_text(yaml.safe_dump_all(story["items"]))
    (path / "proxy.yaml").write_text(yaml.safe_dump(config))
    return path


def removing(path: Path) -> None:
    file = path / "proxy.yaml"
    file.write_text(file.read_text().replace("spec:\n", "spec:\n  mode: Remove\n"))


def rendered(path: Path) -> None:
    done = kpt(["fn", "render", "--allow-exec", "."], cwd=path)
    assert done.returncode == 0, done.stderr.decode()


def config_refs(text: str | bytes) -> tuple[set[str], set[str]]:
    """The names of the templates, and the names that MachineDeployments refer to."""
    objects: list[Any] = [one for one in yaml.safe_load_all(text) if one]
    there = {one["metadata"]["name"] for one in objects if one["kind"] == "KubeadmConfigTemplate"}
    refers = [one["spec"]["template"]["spec"] for one in objects if one["kind"] == "MachineDeployment"]
    return there, {one["bootstrap"]["configRef"]["name"] for one in refers}


def test_kpt_renames_in_place_once_and_gives_back(tmp_path: Path) -> None:
    path = folder(tmp_path / "a")
    (path / "Kptfile").write_text(KPTFILE)
    before = shutil.copytree(path, tmp_path / "before")
    rendered(path)
    once = (path / "list.yaml").read_text()
    there, refers = config_refs(once)
    assert refers < there
    assert refers.isdisjoint(config_refs((before / "list.yaml").read_text())[0])
    rendered(path)
    assert (path / "list.yaml").read_text() == once
    removing(path)
    rendered(path)
    shutil.copy(before / "proxy.yaml", path / "proxy.yaml")
    assert config_refs((path / "list.yaml").read_text()) == config_refs((before / "list.yaml").read_text())
    assert "base-name" not in diff_of_folders(before, path).decode()
