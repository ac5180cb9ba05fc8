"""The command `inject-proxy explain`: what it reads, and wrong usage."""

from __future__ import annotations

from pathlib import Path

from explained import CONFIG, EAST, WEST, explained


def test_files_folders_and_a_config_of_its_own_are_explained_as_a_stream_is(tmp_path: Path) -> None:
    (tmp_path / "clusters").mkdir()
    for name, text in (("west", WEST), ("east", EAST)):
        (tmp_path / "clusters" / f"{name}.yaml").write_text(text)
    (tmp_path / "proxy.yaml").write_text(CONFIG)
    whole = explained("", "-v", str(tmp_path))
    apart = explained("", "-v", "--config", str(tmp_path / "proxy.yaml"), str(tmp_path / "clusters"))
    assert whole == apart
    assert f"{tmp_path}/clusters/west.yaml controlplane.cluster.x-k8s.io" in apart
