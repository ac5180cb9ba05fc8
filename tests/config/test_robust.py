"""Whatever is in a FunctionConfig, the answer is a ProxyConfig or a ConfigError."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_configs import PROXY, lines_of, problems, proxy_config
from krm_fn.config import load
from krm_fn.errors import ConfigError


@pytest.mark.parametrize("spec", [[], "", "text", 0, False, 7, datetime.date(2024, 1, 1)])
def test_a_spec_of_a_wrong_type(spec: Any) -> None:
    assert problems({**proxy_config(), "spec": spec})[0].startswith("spec: must be a mapping")


def cycle() -> list[Any]:
    endless: list[Any] = []
    endless.append({"a": endless})
    return endless


def deep() -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for _ in range(5000):
        nested = {"a": nested}
    return nested


@pytest.mark.parametrize("name", ["httpProxy", "noProxy", "overrides", "lint", "selector", "targets", "other"])
@pytest.mark.parametrize("value", [cycle(), deep(), [deep()]], ids=["a cycle", "a deep nesting", "a nesting in a list"])
def test_neither_depth_nor_a_cycle_is_followed(name: str, value: Any) -> None:
    reported = problems(proxy_config(**{"httpProxy": PROXY, name: value}))
    assert all(problem.startswith(f"spec.{name}") for problem in reported if "must hold `httpProxy`" not in problem)


DATES = st.just(datetime.date(2024, 1, 1))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | DATES
NAMES = st.sampled_from(["httpProxy", "noProxy", "mode", "selector", "include", "names", "labels", "targets", "path"])
OTHERS = ["nodes.kubelet", "enabled", "noProxyPolicy", "style", "overrides", "match", "clusters", "lint", "rules"]
KEYS = NAMES | st.sampled_from([*OTHERS, "clusterDefaults", "podCIDRs", "extra", "without"]) | st.text(max_size=3)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.integers() | st.none(), inner, max_size=4),
    max_leaves=12,
)
FORMS = st.sampled_from([("fn.inject-proxy.io/v1alpha1", "ProxyConfig", "spec"), ("v1", "ConfigMap", "data")])


@settings(deadline=None)  # the first run loads the schema
@given(FORMS, DATA)
def test_any_data_gives_a_config_or_a_config_error(form: tuple[str, str, str], data: Any) -> None:
    api_version, kind, root = form
    try:
        load({"apiVersion": api_version, "kind": kind, root: data})
    except ConfigError as error:
        assert error.problems
        assert all(problem and "\n" not in problem for problem in lines_of(error))
