"""The command `inject-proxy explain`: what it reads."""

from __future__ import annotations

from pathlib import Path

from explained import CONFIG, EAST, WEST, explained
from support import write


def test_files_folders_and_a_config_of_its_own_are_explained_as_a_stream_is(tmp_path: Path) -> None:
    write(tmp_path, {"clusters/west.yaml": WEST, "clusters/east.yaml": EAST, "proxy.yaml": CONFIG})
    whole = explained("", "-v", str(tmp_path))
    apart = explained("", "-v", "--config", str(tmp_path / "proxy.yaml"), str(tmp_path / "clusters"))
    assert whole == apart
    assert f"{tmp_path}/clusters/west.yaml controlplane.cluster.x-k8s.io" in apart
