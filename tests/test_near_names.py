"""What a misspelt name was meant to be."""

from __future__ import annotations

import pytest

from krm_fn.near_names import did_you_mean, nearest

KNOWN = ["nodes.kubelet", "kyverno", "nodes"]
NEAR = [
    pytest.param("nodes.kublet", "nodes.kubelet", id="a letter is missing"),
    pytest.param("Kubelets", "nodes.kubelet", id="the last step, in another case and with a letter too many"),
]


@pytest.mark.parametrize(("name", "expected"), NEAR)
def test_the_nearest_name_is_found(name: object, expected: str | None) -> None:
    assert nearest(name, KNOWN) == expected


def test_a_name_that_begins_so_goes_before_one_that_is_more_like_it() -> None:
    assert nearest("Node", ["mode", "nodePools"], alike=0.5) == "nodePools"


def test_the_question_is_the_end_of_a_message() -> None:
    assert did_you_mean("node", KNOWN) == "; did you mean `nodes`?"
    assert did_you_mean("charts", KNOWN) == ""
