"""The measurements: the same inputs each time, the same change by other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
import yaml

from support import ROOT

sys.path.insert(0, str(ROOT / "bench"))
import inputs
import peers
import rounds
from processes import cost


@pytest.mark.parametrize("others", [inputs.small_workloads, inputs.long_texts, inputs.deep_schemas])
def test_inputs_are_the_same_each_time(others: Callable[[int], str]) -> None:
    made = inputs.resource_list(inputs.documents(40, others, 10))
    assert made == inputs.resource_list(inputs.documents(40, others, 10))
    assert len(yaml.safe_load(made)["items"]) == 40
    assert cost([peers.COMMAND], made).output.count(b"/containerd.service.d/") >= 4


def test_programs_beside_us_make_the_same_change() -> None:
    rows = rounds.compared(peers.streams, inputs.documents(20, inputs.small_workloads, 30), 1)
    errors = {row.name: row.error for row in rows if row.error}
    # Programs that `make bench-all` builds are not there for the tests.
    assert {name for name, error in errors.items() if not error.endswith("is not on this machine")} <= {"ruamel.yaml"}
    assert sum("inject-proxy" in row.name and row.ratio is not None for row in rows) == 2
