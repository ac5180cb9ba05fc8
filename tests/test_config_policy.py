"""The policy of the list, what is known where no Cluster says it, and how loudly the lint speaks."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, loaded, problems, proxy_config
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.config import PolicyChange
from krm_fn.krm.results import Severity
from krm_fn.noproxy import ALL_DERIVED, Entry, Policy, Style


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param({}, Policy(), id="nothing said"),
        pytest.param({"derive": {}}, Policy(), id="nothing switched off"),
        pytest.param({"derive": {"mirrors": True}}, Policy(), id="what is on stays on"),
        pytest.param({"style": "GiantSwarm"}, Policy(Style.GIANT_SWARM), id="a style"),
        pytest.param(
            {"derive": {"mirrors": False, "endpoint": False}},
            Policy(derive=ALL_DERIVED - {"mirrors", "endpoint"}),
            id="what is not to be derived",
        ),
        pytest.param(
            {"extra": ["a", "b, c"]},
            Policy(
                extra=tuple(
                    Entry.of_config(text, f"spec.noProxyPolicy.extra[{at}]")
                    for text, at in (("a", 0), ("b", 1), ("c", 1))
                )
            ),
            id="further entries in a list",
        ),
        pytest.param({"exclude": "*.internal, 10.0.0.1"}, Policy(exclude=("*.internal", "10.0.0.1")), id="a text"),
        pytest.param({"rooted": True, "maxLength": 1023}, Policy(rooted=True, max_length=1023), id="the rest"),
    ],
)
def test_the_policy(written: dict[str, Any], expected: Policy) -> None:
    assert loaded(httpProxy=PROXY, noProxyPolicy=written).policy == expected


BEFORE = Policy(Style.TKG, ALL_DERIVED - {"mirrors"}, (Entry("a"),), ("b",), rooted=True, max_length=9)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(PolicyChange(), BEFORE, id="what is not said stays"),
        pytest.param(PolicyChange(derive={"mirrors": False}), BEFORE, id="what is off stays off"),
        pytest.param(
            PolicyChange(Style.SORTED, {}, (), (), rooted=False, max_length=0),
            Policy(Style.SORTED, ALL_DERIVED - {"mirrors"}, rooted=False),
            id="empty values are said",
        ),
        pytest.param(
            PolicyChange(derive={"mirrors": True, "endpoint": False}),
            Policy(Style.TKG, ALL_DERIVED - {"endpoint"}, (Entry("a"),), ("b",), rooted=True, max_length=9),
            id="name by name",
        ),
        pytest.param(
            PolicyChange(extra=(Entry("c"),)),
            Policy(Style.TKG, ALL_DERIVED - {"mirrors"}, (Entry("c"),), ("b",), rooted=True, max_length=9),
            id="a list in the place of the list before",
        ),
    ],
)
def test_a_policy_over_another(change: PolicyChange, expected: Policy) -> None:
    assert change.over(BEFORE) == expected
    assert change.over(change.over(BEFORE)) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param({}, ClusterNetwork(), id="nothing said"),
        pytest.param({"podCIDRs": []}, ClusterNetwork(), id="an empty list"),
        pytest.param(
            {"podCIDRs": ["10.0.0.0/8", "fd00::/8"], "serviceCIDRs": "10.96.0.0/12"},
            ClusterNetwork(
                pod_cidrs=(
                    Fact("10.0.0.0/8", config_field="spec.clusterDefaults.podCIDRs[0]"),
                    Fact("fd00::/8", config_field="spec.clusterDefaults.podCIDRs[1]"),
                ),
                service_cidrs=(Fact("10.96.0.0/12", config_field="spec.clusterDefaults.serviceCIDRs"),),
            ),
            id="CIDRs in a list and in a text",
        ),
        pytest.param(
            {
                "serviceDomain": "prod.local",
                "endpoint": "fd00::10",
                "infrastructure": "AWSCluster",
                "region": "eu-west-1",
            },
            ClusterNetwork(
                service_domain=(Fact("prod.local", config_field="spec.clusterDefaults.serviceDomain"),),
                endpoint=(Fact("fd00::10", config_field="spec.clusterDefaults.endpoint"),),
                infrastructure=(Fact("AWSCluster", config_field="spec.clusterDefaults.infrastructure"),),
                region=(Fact("eu-west-1", config_field="spec.clusterDefaults.region"),),
            ),
            id="the other facts",
        ),
    ],
)
def test_the_defaults_of_clusters(written: dict[str, Any], expected: ClusterNetwork) -> None:
    assert loaded(httpProxy=PROXY, clusterDefaults=written).cluster_defaults == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param({}, {}, id="nothing said"),
        pytest.param({"NP004": "Off"}, {"NP004": None}, id="a rule that is silent"),
        pytest.param(
            {"NP001": "Error", "NP002": "Warning", "NP003": "Info"},
            {"NP001": Severity.ERROR, "NP002": Severity.WARNING, "NP003": Severity.INFO},
            id="every severity",
        ),
    ],
)
def test_the_severity_of_rules(rules: dict[str, str], expected: dict[str, Severity | None]) -> None:
    assert loaded(httpProxy=PROXY, lint={"rules": rules}).lint == expected


STYLES = "must be `Portable`, `GiantSwarm`, `TKG`, `Sorted` or `Verbatim`"
HOST = 'must be a host name or an address, without scheme, port and brackets, such as "api.example.com"'
DOMAIN = 'must be a domain without dots around it, such as "cluster.local"'


@pytest.mark.parametrize(
    ("spec", "reported"),
    [
        pytest.param(
            {"noProxyPolicy": {"style": "giantswarm"}},
            f"spec.noProxyPolicy.style: {STYLES}; did you mean `GiantSwarm`?",
            id="a style in lower case",
        ),
        pytest.param(
            {"noProxyPolicy": {"derive": ["mirrors"]}},
            "spec.noProxyPolicy.derive: must be a mapping",
            id="a list of names",
        ),
        pytest.param(
            {"noProxyPolicy": {"derive": {"podCidrs": False}}},
            "spec.noProxyPolicy.derive.podCidrs: unknown field; did you mean `podCIDRs`?",
            id="a name in other letters",
        ),
        pytest.param(
            {"noProxyPolicy": {"derive": {"mirrors": "no"}}},
            "spec.noProxyPolicy.derive.mirrors: must be `true` or `false`, without quotes",
            id="a text for a boolean",
        ),
        pytest.param(
            {"noProxyPolicy": {"extra": ["u:S3CRET@h"]}},
            "spec.noProxyPolicy.extra[0]: an entry must not hold user name and password: "
            "write the host alone, without an `@` or `=`, and behind a `:` only a port",
            id="a password in an entry",
        ),
        pytest.param(
            {"noProxyPolicy": {"exclude": [7]}},
            "spec.noProxyPolicy.exclude[0]: must be a string: quote it",
            id="a number for an entry",
        ),
        pytest.param(
            {"noProxyPolicy": {"maxLength": "1023"}},
            "spec.noProxyPolicy.maxLength: must be a whole number, not in quotes",
            id="a number in quotes",
        ),
        pytest.param(
            {"noProxyPolicy": {"maxLength": True}},
            "spec.noProxyPolicy.maxLength: must be a whole number, not in quotes",
            id="a boolean for a number",
        ),
        pytest.param(
            {"noProxyPolicy": {"maxLength": -1}}, "spec.noProxyPolicy.maxLength: must not be less than 0", id="below 0"
        ),
        pytest.param(
            {"clusterDefaults": {"podCIDRs": ["10.0.0.0/33"]}},
            'spec.clusterDefaults.podCIDRs[0]: entry "10.0.0.0/33" must be a CIDR, such as "10.96.0.0/12"',
            id="a prefix that is too long",
        ),
        pytest.param(
            {"clusterDefaults": {"serviceCIDRs": "10.96.0.0/12, 10.0.0.0/255.0.0.0"}},
            'spec.clusterDefaults.serviceCIDRs: entry "10.0.0.0/255.0.0.0" must be a CIDR: write "10.0.0.0/8"',
            id="a netmask",
        ),
        pytest.param(
            {"clusterDefaults": {"serviceCIDRs": ["10.96.0.1"]}},
            'spec.clusterDefaults.serviceCIDRs[0]: entry "10.96.0.1" must be a CIDR: write "10.96.0.1/32"',
            id="an address for a CIDR",
        ),
        pytest.param(
            {"clusterDefaults": {"podCIDRs": ["u:S3CRET@h"]}},
            'spec.clusterDefaults.podCIDRs[0]: entry "***" must be a CIDR, such as "10.96.0.0/12"',
            id="a password for a CIDR",
        ),
        pytest.param(
            {"clusterDefaults": {"serviceDomain": ".a."}}, f"spec.clusterDefaults.serviceDomain: {DOMAIN}", id="dots"
        ),
        pytest.param(
            {"clusterDefaults": {"endpoint": "h:6443"}}, f"spec.clusterDefaults.endpoint: {HOST}", id="a port"
        ),
        pytest.param(
            {"clusterDefaults": {"endpoint": "[fd00::1]"}}, f"spec.clusterDefaults.endpoint: {HOST}", id="brackets"
        ),
        pytest.param(
            {"clusterDefaults": {"endpoint": "https://h"}}, f"spec.clusterDefaults.endpoint: {HOST}", id="a URL"
        ),
        pytest.param(
            {"clusterDefaults": {"endpoint": 7}}, "spec.clusterDefaults.endpoint: must be a string: quote it", id="7"
        ),
        pytest.param(
            {"clusterDefaults": {"infrastructure": "aws"}},
            'spec.clusterDefaults.infrastructure: must be the kind of an infrastructure cluster, such as "AWSCluster"',
            id="a provider for a kind",
        ),
        pytest.param(
            {"clusterDefaults": {"region": "eu west"}},
            'spec.clusterDefaults.region: must be the name of a region, such as "eu-west-1"',
            id="a blank in the region",
        ),
        pytest.param(
            {"clusterDefaults": {"serviceCidrs": []}},
            "spec.clusterDefaults.serviceCidrs: unknown field; did you mean `serviceCIDRs`?",
            id="a field in other letters",
        ),
        pytest.param(
            {"lint": {"rules": {"NP1": "Off"}}},
            "spec.lint.rules.NP1: must be the id of a rule, from `NP001` to `NP042`, or the code that a "
            "message begins with",
            id="NP1",
        ),
        pytest.param(
            {"lint": {"rules": {"NP099": "Off"}}},
            "spec.lint.rules.NP099: must be the id of a rule, from `NP001` to `NP042`, or the code that a "
            "message begins with",
            id="a rule that is not there",
        ),
        pytest.param(
            {"lint": {"rules": {"OtherWriters": "Off"}}},
            "spec.lint.rules.OtherWriters: must be the id of a rule, from `NP001` to `NP042`, or the code that a "
            "message begins with; did you mean `OtherWriter`?",
            id="a code that is misspelt",
        ),
        pytest.param({"lint": {"rules": ["NP004"]}}, "spec.lint.rules: must be a mapping", id="a list of rules"),
        pytest.param(
            {"lint": {"rules": {"NP004": "off"}}},
            "spec.lint.rules.NP004: must be `Off`, `Info`, `Warning` or `Error`; did you mean `Off`?",
            id="a severity in lower case",
        ),
        pytest.param(
            {"lint": {"rules": {"NP004": False}}},
            "spec.lint.rules.NP004: must be a string: quote it",
            id="a tool that reads YAML 1.1 has made false of Off",
        ),
        pytest.param(
            {"lint": {"NP004": "Off"}},
            "spec.lint.NP004: unknown field; known here are `rules` and `ignore`",
            id="a rule on its own",
        ),
    ],
)
def test_one_mistake_is_one_line(spec: dict[str, Any], reported: str) -> None:
    assert problems(proxy_config(httpProxy=PROXY, **spec)) == [reported]
