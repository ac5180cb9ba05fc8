"""The eyes of the story tests see: what they are to notice is put before them."""

from __future__ import annotations

from krm_fn.pipeline.run import run
from stories import TESTDATA, unexplained

FOLDER = TESTDATA / "workloads" / "workloads" / "chart-operator-bootstrap-mode-and-init-container"
STORY = (FOLDER / "input.yaml").read_bytes()


def test_a_change_that_no_result_tells_of_is_noticed() -> None:
    outcome = run(STORY)
    assert outcome.output.count(b"replicas: 1") == 1
    tampered = outcome._replace(pieces=[outcome.output.replace(b"replicas: 1", b"replicas: 2")])
    assert any(change.endswith(" spec.replicas") for change in unexplained(STORY, tampered))


def test_a_changed_comment_in_an_item_without_results_is_noticed() -> None:
    tampering = run(STORY)._replace(results=())
    assert len(unexplained(STORY, tampering)) >= 1
