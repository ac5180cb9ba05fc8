"""The command `inject-proxy explain`: what it reads, and wrong usage."""

from __future__ import annotations

from pathlib import Path

import pytest

from explained import CONFIG, EAST, MANIFESTS, WEST, explained
from stories import TESTDATA
from support import inject_proxy


def test_files_folders_and_a_config_of_its_own_are_explained_as_a_stream_is(tmp_path: Path) -> None:
    (tmp_path / "clusters").mkdir()
    for name, text in (("west", WEST), ("east", EAST)):
        (tmp_path / "clusters" / f"{name}.yaml").write_text(text)
    (tmp_path / "proxy.yaml").write_text(CONFIG)
    whole = explained("", "-v", str(tmp_path))
    apart = explained("", "-v", "--config", str(tmp_path / "proxy.yaml"), str(tmp_path / "clusters"))
    assert whole == apart
    assert f"{tmp_path}/clusters/west.yaml controlplane.cluster.x-k8s.io" in apart


def test_a_resource_list_is_explained_with_its_function_config() -> None:
    story = next((TESTDATA / "documents").glob("*/*/input.yaml"))
    assert "NO_PROXY" in explained(story.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("arguments", "manifests", "says"),
    [
        pytest.param(["nowhere"], "", "nowhere", id="a path that does not exist"),
        pytest.param(["--cluster", "wset"], MANIFESTS, "did you mean", id="no such Cluster"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], manifests: str, says: str) -> None:
    done = inject_proxy(manifests, "explain", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
