"""The fields of a `spec`, and the ProxyConfig that they make."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, loaded, proxy_config, without_reasons
from krm_fn.config import Declaration, Override, ProxyConfig, TargetOptions, load
from krm_fn.noproxy import Entry, Policy, Style

DECLARED = Declaration(PROXY, is_declared=True)
DEFAULT = TargetOptions(off=frozenset({"nodes.files"}))
ACCEPTED: dict[str, tuple[dict[str, Any], ProxyConfig]] = {
    "null and an empty URL count as not given": (
        {"httpProxy": PROXY, "httpsProxy": "", "mode": None, "targets": None, "selector": {"include": None}},
        ProxyConfig(DECLARED, targets=DEFAULT),
    ),
    "entries of a list are trimmed, and empty ones fall away": (
        {"httpProxy": PROXY, "noProxy": [" a ", "", "b,c"]},
        ProxyConfig(DECLARED._replace(no_proxy=(Entry("a"), Entry("b"), Entry("c"))), targets=DEFAULT),
    ),
    "options stay as given, without defaults": (
        {"httpProxy": PROXY, "targets": {"workloads": {"conflict": "Keep"}, "kyverno": {}}},
        ProxyConfig(
            DECLARED,
            targets=TargetOptions({"workloads": {"conflict": "Keep"}, "kyverno": {}}, frozenset({"nodes.files"})),
        ),
    ),
}


@pytest.mark.parametrize(("spec", "expected"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_accepted(spec: dict[str, Any], expected: ProxyConfig) -> None:
    assert without_reasons(load(proxy_config(**spec))) == expected


POLICIES: dict[str, tuple[dict[str, Any], Policy]] = {
    "a text of globs": ({"exclude": "*.internal, 10.0.0.1"}, Policy(exclude=("*.internal", "10.0.0.1"))),
    "the rest": ({"rooted": True, "infrastructureEndpoint": True}, Policy(rooted=True, infrastructure_endpoint=True)),
}


@pytest.mark.parametrize(("written", "expected"), POLICIES.values(), ids=POLICIES)
def test_the_policy(written: dict[str, Any], expected: Policy) -> None:
    assert loaded(httpProxy=PROXY, noProxyPolicy=written).declaration.policy == expected


LAB = {"clusters": ["lab"]}
OVERRIDES: dict[str, tuple[dict[str, Any], Override]] = {
    "an empty URL is none, and said": ({"httpsProxy": ""}, Override(LAB, https_proxy="")),
    "no entries any more": ({"noProxy": [], "noProxyMode": "Replace"}, Override(LAB, no_proxy=(), replaces=True)),
    "what a policy says, empty values too": (
        {"noProxyPolicy": {"style": "TKG", "without": ["endpoint"], "extra": []}},
        Override(LAB, policy={"style": Style.TKG, "without": frozenset({"endpoint"}), "extra": ()}),
    ),
}


@pytest.mark.parametrize(("written", "expected"), OVERRIDES.values(), ids=OVERRIDES)
def test_what_an_override_sets(written: dict[str, Any], expected: Override) -> None:
    (override,) = loaded(httpProxy=PROXY, overrides=[{"match": {"clusters": ["lab"]}, **written}]).overrides
    assert without_reasons(override) == expected
