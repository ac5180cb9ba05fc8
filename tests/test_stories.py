"""The eyes of the story tests see: what they are to notice is put before them."""

from __future__ import annotations

import pytest

from krm_fn.pipeline import run
from stories import (
    HOST,
    NETWORK,
    TESTDATA,
    envelope,
    items,
    unexplained,
    wishes,
    with_other_proxy,
)

STORY = (TESTDATA / "workloads" / "chartOperator" / "bootstrap-mode-and-init-container" / "input.yaml").read_bytes()
JSON = (TESTDATA / "nodes" / "containerdDropIn" / "list-in-json" / "input.yaml").read_bytes()
CONFIG_MAP = (TESTDATA / "workloads" / "chartOperator" / "variables-in-a-config-map" / "input.yaml").read_bytes()


def test_a_change_that_no_result_tells_of_is_noticed() -> None:
    outcome = run(STORY)
    assert outcome.output.count(b"replicas: 1") == 1
    tampered = outcome._replace(pieces=[outcome.output.replace(b"replicas: 1", b"replicas: 2")])
    assert any(found.endswith(" spec.replicas") for found in unexplained(STORY, tampered))


def test_a_changed_comment_in_an_item_without_results_is_noticed() -> None:
    tampering = run(STORY)._replace(results=())
    assert len(unexplained(STORY, tampering)) >= 1


@pytest.mark.parametrize("data", [STORY, JSON, CONFIG_MAP], ids=["block style", "JSON", "a ConfigMap"])
def test_asking_for_another_proxy_changes_the_config_and_no_item(data: bytes) -> None:
    other = with_other_proxy(data)
    assert items(other) == items(data)
    assert [name for name in wishes(other) if name not in wishes(data)] == []
    text = envelope(other)["functionConfig"]
    assert HOST in text
    assert NETWORK in text
    assert "proxy.corp.example" not in text
