"""What a FunctionConfig that is right means; the name of its field is kept with each entry and each fact."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from function_configs import PROXY, SCHEMA, loaded
from krm_fn.config import names_of_only
from krm_fn.target_table import SYSTEMS


def test_only_names_each_target_and_each_system() -> None:
    systems = SCHEMA["properties"]["spec"]["properties"]["targets"]["properties"]
    assert [*SYSTEMS] == [*systems]
    assert {*SCHEMA["$defs"]["target"]["enum"]} == {*names_of_only()} == {*SYSTEMS, *TARGETS}


ONLY: dict[str, tuple[dict[str, Any], set[str]]] = {
    "what is off under targets stays off": ({"only": ["konvoy"], "targets": {"nodes": {"mirror": False}}}, {"konvoy"}),
    "what is on under targets is off when it is not named": (
        {"only": ["kyverno"], "targets": {"workloads": {"data": True}}},
        {"kyverno"},
    ),
    "files are listed": (
        {"only": ["nodes.files", "tkg.pinniped"], "targets": {"nodes": {"files": ["apt"]}}},
        {"nodes.files", "tkg.pinniped"},
    ),
}


@pytest.mark.parametrize(("spec", "expected"), ONLY.values(), ids=ONLY)
def test_only_the_named_targets_are_on(spec: dict[str, Any], expected: set[str]) -> None:
    targets = loaded(httpProxy=PROXY, **spec).targets
    assert {name for name in TARGETS if targets.is_on(name)} == expected


def test_what_waits_for_true_does_not_where_only_names_it() -> None:
    (aks, eks) = ("distributions.aks", "distributions.eksAnywhere")
    targets = loaded(httpProxy=PROXY, only=[eks]).targets
    assert targets.given_for(eks) is True
    assert not targets.given_for(aks)
    off = loaded(httpProxy=PROXY, only=["distributions"], targets={"distributions": {"eksAnywhere": False}}).targets
    assert not off.is_on(eks)
