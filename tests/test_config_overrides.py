"""Overrides: whom they are for, what they set, and how a wrong one is reported."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, loaded, problems, proxy_config
from krm_fn.config import ClusterMatcher, Override, OverrideSubject, PolicyChange
from krm_fn.noproxy import Entry, Style
from krm_fn.targets import TARGETS

MATCH: dict[str, Any] = {"clusters": ["lab"]}
LAB = ClusterMatcher(clusters=("lab",))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param({"httpProxy": PROXY}, Override(LAB, http_proxy=PROXY), id="one URL leaves the other as it is"),
        pytest.param({"httpsProxy": ""}, Override(LAB, https_proxy=""), id="an empty URL is none, and said"),
        pytest.param({"httpProxy": None, "disabled": True}, Override(LAB, disabled=True), id="null is not said"),
        pytest.param({"disabled": False}, Override(LAB, disabled=False), id="a proxy again"),
        pytest.param(
            {"noProxy": "a,b"},
            Override(
                LAB,
                no_proxy=(
                    Entry.of_config("a", "spec.overrides[0].noProxy"),
                    Entry.of_config("b", "spec.overrides[0].noProxy"),
                ),
            ),
            id="a text of entries",
        ),
        pytest.param(
            {"noProxy": ["a"], "noProxyMode": "Replace"},
            Override(LAB, no_proxy=(Entry.of_config("a", "spec.overrides[0].noProxy[0]"),), replaces=True),
            id="entries in the place of those before",
        ),
        pytest.param(
            {"noProxy": [], "noProxyMode": "Replace"},
            Override(LAB, no_proxy=(), replaces=True),
            id="no entries any more",
        ),
        pytest.param({"noProxy": [], "noProxyMode": "Add"}, Override(LAB, no_proxy=()), id="no entries more"),
        pytest.param(
            {"noProxyPolicy": {"style": "TKG", "derive": {"endpoint": False}, "extra": [], "maxLength": 0}},
            Override(LAB, policy=PolicyChange(Style.TKG, {"endpoint": False}, extra=(), max_length=0)),
            id="what a policy says, empty values too, and nothing else",
        ),
    ],
)
def test_what_an_override_sets(written: dict[str, Any], expected: Override) -> None:
    assert loaded(httpProxy=PROXY, overrides=[{"match": MATCH, **written}]).overrides == (expected,)


def test_an_override_can_hold_the_only_proxy() -> None:
    config = loaded(overrides=[{"match": MATCH, "disabled": True}, {"match": MATCH, "httpsProxy": PROXY}])
    assert (config.http_proxy, config.https_proxy) == ("", "")
    assert [override.https_proxy for override in config.overrides] == [None, PROXY]


def test_a_match_in_full() -> None:
    match = {
        "clusters": ["prod-*"],
        "namespaces": ["org-*"],
        "labels": {"region": "eu-*"},
        "roles": ["Worker"],
        "workerGroups": ["md-0"],
        "targets": ["certManager"],
    }
    (override,) = loaded(httpProxy=PROXY, overrides=[{"match": match, "disabled": True}]).overrides
    assert override.match == ClusterMatcher(
        clusters=("prod-*",),
        namespaces=("org-*",),
        labels={"region": "eu-*"},
        roles=("Worker",),
        worker_groups=("md-0",),
        targets=("certManager",),
    )


NOTHING_SET = "must set something: `httpProxy`, `httpsProxy`, `noProxy`, `disabled` or `noProxyPolicy`"


@pytest.mark.parametrize(
    ("override", "reported"),
    [
        pytest.param({"disabled": True}, ": must hold `match`: it says whom this is for", id="for no one"),
        pytest.param({"match": MATCH}, f": {NOTHING_SET}", id="nothing set"),
        pytest.param(
            {"match": {}, "disabled": True},
            ".match: must not be empty: it must hold a field, such as `clusters`",
            id="a match that fits everything",
        ),
        pytest.param(
            {"match": {"clusters": []}, "disabled": True},
            ".match.clusters: must not be empty: leave it out",
            id="clusters that fit nothing",
        ),
        pytest.param(
            {"match": {"clusters": "lab"}, "disabled": True}, ".match.clusters: must be a list", id="a text for a list"
        ),
        pytest.param(
            {"match": {"cluster": ["lab"]}, "disabled": True},
            ".match.cluster: unknown field; did you mean `clusters`?",
            id="a misspelt field of a match",
        ),
        pytest.param(
            {"match": {"roles": ["worker"]}, "disabled": True},
            ".match.roles[0]: must be `ControlPlane` or `Worker`; did you mean `Worker`?",
            id="a role in lower case",
        ),
        pytest.param(
            {"match": {"targets": ["certmanager"]}, "disabled": True},
            f".match.targets[0]: must be one of {len(TARGETS)} names; did you mean `certManager`?",
            id="a target that is not there",
        ),
        pytest.param(
            {"match": {"labels": {"tier": 1}}, "disabled": True},
            ".match.labels.tier: must be a string: quote it",
            id="a number for a label",
        ),
        pytest.param(
            {"match": MATCH, "disabled": True, "noProxyMode": "Add"},
            ": must hold `noProxy` where it holds `noProxyMode`",
            id="a mode without entries",
        ),
        pytest.param(
            {"match": MATCH, "noProxy": ["a"], "noProxyMode": "Append"},
            ".noProxyMode: must be `Add` or `Replace`",
            id="a mode like no other",
        ),
        pytest.param(
            {"match": MATCH, "disabled": "yes"},
            ".disabled: must be `true` or `false`, without quotes",
            id="yes in quotes",
        ),
        pytest.param(
            {"match": MATCH, "httpsProxy": "http://u:p@ss@h:1"},
            ".httpsProxy: must hold user name and password percent-encoded: every character but letters, digits and "
            '"-._~" is written as "%" and two hexadecimal digits, "@" as "%40", a further colon as "%3A", '
            'as in "http://user:***@host:3128"',
            id="a password with a raw character",
        ),
        pytest.param(
            {"match": MATCH, "httpProxy": 1}, ".httpProxy: must be a string: quote it", id="a number for a URL"
        ),
        pytest.param(
            {"match": MATCH, "noProxy": ["a", "http://b"]},
            '.noProxy[1]: entry "http://b" must not be a URL: write "b"',
            id="a URL as an entry",
        ),
        pytest.param(
            {"match": MATCH, "noProxy": ["a", "10.0.0.300"]},
            '.noProxy[1]: entry "10.0.0.300" must be a whole address or CIDR, such as "10.1.2.0/24"',
            id="an address that cannot be right",
        ),
        pytest.param(
            {"match": MATCH, "noProxyPolicy": {"extra": "a;b"}},
            '.noProxyPolicy.extra: entry "a;b" must not hold blanks, ";" or "|": write "a,b"',
            id="a semicolon between entries",
        ),
        pytest.param(
            {"match": MATCH, "httpPorxy": PROXY, "disabled": True},
            ".httpPorxy: unknown field; did you mean `httpProxy`?",
            id="a misspelt field",
        ),
    ],
)
def test_one_mistake_is_one_line(override: dict[str, Any], reported: str) -> None:
    fine = {"match": MATCH, "disabled": True}
    assert problems(proxy_config(httpProxy=PROXY, overrides=[fine, override])) == [f"spec.overrides[1]{reported}"]


@pytest.mark.parametrize(
    ("overrides", "reported"),
    [
        pytest.param({}, "spec.overrides: must be a list", id="one override without list"),
        pytest.param(["lab"], "spec.overrides[0]: must be a mapping", id="a text for an override"),
        pytest.param([[MATCH]], "spec.overrides[0]: must be a mapping", id="a list for an override"),
    ],
)
def test_overrides_of_a_wrong_type(overrides: Any, reported: str) -> None:
    assert problems(proxy_config(httpProxy=PROXY, overrides=overrides)) == [reported]


def test_all_problems_of_all_overrides_are_reported_at_once() -> None:
    reported = problems(proxy_config(overrides=[{"match": {}, "httpProxy": "x"}, {"noProxy": "a b"}, {"match": 1}]))
    assert [problem.partition(": ")[0] for problem in reported] == [
        "spec.overrides[0].httpProxy",
        "spec.overrides[0].match",
        "spec.overrides[1].noProxy",
        "spec.overrides[1]",
        "spec.overrides[2].match",
        "spec.overrides[2]",
    ]


PLACE = OverrideSubject(
    target="kubeletDropIn",
    cluster="prod-1",
    namespace="org-acme",
    labels={"region": "eu-west-1", "number": 7},
    role="Worker",
    groups=("md-0", "default-worker"),
)
NO_CLUSTER = OverrideSubject(target="certManager")


@pytest.mark.parametrize(
    ("matcher", "place", "fits"),
    [
        pytest.param(ClusterMatcher(clusters=("*",)), NO_CLUSTER, False, id="no Cluster is not any Cluster"),
        pytest.param(ClusterMatcher(namespaces=("*",)), NO_CLUSTER, False, id="no Cluster, no namespace"),
        pytest.param(ClusterMatcher(labels={"region": "*"}), NO_CLUSTER, False, id="no Cluster, no label"),
        pytest.param(ClusterMatcher(roles=("Worker",)), NO_CLUSTER, False, id="no Cluster, no role"),
        pytest.param(ClusterMatcher(worker_groups=("*",)), NO_CLUSTER, False, id="no Cluster, no group"),
        pytest.param(ClusterMatcher(targets=("certManager",)), NO_CLUSTER, True, id="no Cluster, the target"),
        pytest.param(
            ClusterMatcher(targets=("certManager",), clusters=("*",)), NO_CLUSTER, False, id="the target is not enough"
        ),
        pytest.param(ClusterMatcher(clusters=("prod",)), PLACE, False, id="a glob is no prefix"),
        pytest.param(ClusterMatcher(clusters=("Prod-*",)), PLACE, False, id="globs are case-sensitive"),
        pytest.param(ClusterMatcher(clusters=("stage", "prod-*")), PLACE, True, id="one glob of several"),
        pytest.param(ClusterMatcher(namespaces=("org-acme",)), PLACE, True, id="the namespace"),
        pytest.param(
            ClusterMatcher(namespaces=("",)), OverrideSubject("t", "a"), True, id="a Cluster without a namespace"
        ),
        pytest.param(ClusterMatcher(labels={"region": "eu-*"}), PLACE, True, id="a label"),
        pytest.param(ClusterMatcher(labels={"region": "eu-*", "tier": "*"}), PLACE, False, id="one label of two"),
        pytest.param(ClusterMatcher(labels={"number": "*"}), PLACE, False, id="a label that is not a string"),
        pytest.param(ClusterMatcher(roles=("ControlPlane",)), PLACE, False, id="the other role"),
        pytest.param(
            ClusterMatcher(roles=("Worker",)), OverrideSubject("t", "a"), False, id="a role that is not known"
        ),
        pytest.param(ClusterMatcher(roles=("ControlPlane", "Worker")), PLACE, True, id="one role of both"),
        pytest.param(ClusterMatcher(worker_groups=("md-?",)), PLACE, True, id="the name of the worker group"),
        pytest.param(ClusterMatcher(worker_groups=("default-*",)), PLACE, True, id="the class of the workers"),
        pytest.param(
            ClusterMatcher(worker_groups=("*",)), OverrideSubject("t", "a"), False, id="no worker group is not any"
        ),
        pytest.param(ClusterMatcher(targets=("certManager",)), PLACE, False, id="another target"),
        pytest.param(
            ClusterMatcher(("prod-*",), ("org-*",), {"region": "eu-*"}, ("Worker",), ("md-0",), ("kubeletDropIn",)),
            PLACE,
            True,
            id="every field fits",
        ),
        pytest.param(
            ClusterMatcher(clusters=("prod-*",), roles=("ControlPlane",)), PLACE, False, id="one field of two"
        ),
    ],
)
def test_whom_a_match_means(matcher: ClusterMatcher, place: OverrideSubject, fits: bool) -> None:
    assert matcher.fits(place) is fits
