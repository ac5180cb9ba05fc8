"""`spec.only`: the targets and systems that are on."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import SCHEMA
from krm_fn.config import API_VERSION, KIND, load, names_of_only
from krm_fn.errors import ConfigError
from krm_fn.target_table import SYSTEMS
from krm_fn.targets import TARGETS

SPEC = {"httpProxy": "http://proxy.corp.example:3128"}


def enabled(spec: dict[str, Any]) -> set[str]:
    wanted = load({"apiVersion": API_VERSION, "kind": KIND, "spec": {**SPEC, **spec}})
    assert wanted is not None
    return {name for name in TARGETS if wanted.targets.get(name, {}).get("enabled", True)}


def test_the_schema_names_each_target_and_each_system() -> None:
    targets = SCHEMA["properties"]["spec"]["properties"]["targets"]["properties"]
    assert [*names_of_only()] == [*SYSTEMS, *(name for name in targets if name not in SYSTEMS)]
    assert {*names_of_only()} == {*SYSTEMS, *TARGETS}


def test_each_target_belongs_to_a_system() -> None:
    assert {name for targets in SYSTEMS.values() for name in targets} == {*TARGETS}


TABLE = [
    pytest.param({}, {*TARGETS}, id="left out, all are on"),
    pytest.param({"only": ["kyverno"]}, {"kyvernoPolicies"}, id="a system"),
    pytest.param({"only": ["certManager"]}, {"certManager"}, id="a target"),
    pytest.param({"only": ["nutanix", "certManager"]}, {*SYSTEMS["nutanix"], "certManager"}, id="both"),
    pytest.param({"only": ["nodes"]}, {*SYSTEMS["nodes"]}, id="a system of several targets"),
    pytest.param(
        {"only": ["konvoy"], "targets": {"registryMirror": {"enabled": False}}},
        {"imageBuilderOverrides"},
        id="what is off under targets stays off",
    ),
    pytest.param(
        {"only": ["kyverno"], "targets": {"certManager": {"enabled": True, "conflict": "Keep"}}},
        {"kyvernoPolicies"},
        id="what is on under targets is off when it is not named",
    ),
]


@pytest.mark.parametrize(("spec", "expected"), TABLE)
def test_only_the_named_targets_are_on(spec: dict[str, Any], expected: set[str]) -> None:
    assert enabled(spec) == expected


@pytest.mark.parametrize("text", ["tkg, nutanix", "[tkg, nutanix]", '["tkg", "nutanix"]'])
def test_a_config_map_takes_a_list_or_commas(text: str) -> None:
    wanted = load({"apiVersion": "v1", "kind": "ConfigMap", "data": {"httpProxy": "http://p:1", "only": text}})
    assert wanted is not None
    on = {name for name in TARGETS if wanted.targets.get(name, {}).get("enabled", True)}
    assert on == {*SYSTEMS["tkg"], *SYSTEMS["nutanix"]}


WRONG = [
    pytest.param([], "spec.only: must not be empty", id="nothing"),
    pytest.param(["node"], "spec.only[0]: must be one of", id="a misspelt name"),
    pytest.param("nodes", "spec.only: must be a list", id="a text"),
]


@pytest.mark.parametrize(("only", "problem"), WRONG)
def test_what_is_wrong_is_said(only: Any, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem.replace("[", r"\[")):
        enabled({"only": only})
