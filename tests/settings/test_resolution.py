"""Which proxy a place gets: what holds for all, and what lies over it."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, loaded
from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience, Entry, Readers
from krm_fn.noproxy.entries import Origin
from krm_fn.pipeline.unused import unused_overrides
from krm_fn.settings import ProxySettings, Resolved, declared_urls, resolve, subject_of

IDLE = "`spec.overrides[0].match` fits nothing in this list"
EU, US = "http://proxy.eu.example.com:3128", "http://proxy.us.example.com:3128"
PROD = Cluster("org-acme", "prod-1", {"region": "eu-west-1"})
LAB = Cluster("org-acme", "lab", {"region": "us-east-1"})
CONTROL_PLANE = Membership(PROD, Role.CONTROL_PLANE)
WORKER = Membership(PROD, Role.WORKER, group="md-gpu-1", worker_class="gpu")
VERBATIM = {"style": "Verbatim"}
BASE: dict[str, Any] = {"httpProxy": PROXY, "httpsProxy": PROXY, "noProxy": ["base"], "noProxyPolicy": VERBATIM}


def resolved(spec: dict[str, Any], *memberships: Membership, target: str = "nodes.kubelet") -> Resolved:
    return resolve(loaded(**spec), memberships, target=target, readers=Readers(Audience.NODE))


def proxy(found: Resolved) -> ProxySettings:
    """The proxy alone, without what is known about the Clusters of the object."""
    return ProxySettings(*found.urls, found.settings.no_proxy)


def override(match: dict[str, Any], **sets: Any) -> dict[str, Any]:
    return {"match": match, **sets}


HERE, ALSO_HERE = {"clusters": ["prod-1"]}, {"roles": ["Worker"]}


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        pytest.param([override(HERE, httpProxy="", httpsProxy="")], ProxySettings(), id="a list without a proxy, none"),
        pytest.param(
            [override(HERE, noProxy=["a"]), override(ALSO_HERE, noProxy=["b"], noProxyMode="Replace")],
            ProxySettings(PROXY, PROXY, "b"),
            id="entries in the place of all before",
        ),
        pytest.param(
            [override(HERE, httpProxy=EU, httpsProxy=EU), override(ALSO_HERE, httpProxy=US)],
            ProxySettings(US, EU, "base"),
            id="the last wins, field by field",
        ),
        pytest.param(
            [override(HERE, noProxyPolicy={"extra": ["x"]}), override(ALSO_HERE, noProxyPolicy={"exclude": ["base"]})],
            ProxySettings(PROXY, PROXY, "x"),
            id="policies of several",
        ),
    ],
)
def test_what_lies_over_it(overrides: list[dict[str, Any]], expected: ProxySettings) -> None:
    assert proxy(resolved({**BASE, "overrides": overrides}, WORKER)) == expected


LAB_WORKER = Membership(LAB, Role.WORKER, group="md-0")


@pytest.mark.parametrize(
    ("overrides", "memberships", "reported"),
    [
        pytest.param([override({"clusters": ["lab"]}, noProxy=["a"])], [WORKER, LAB_WORKER], (), id="lists are united"),
        pytest.param(
            [override({"clusters": ["lab"]}, httpProxy=EU)],
            [WORKER, CONTROL_PLANE, LAB_WORKER],
            ('`Cluster/org-acme/prod-1` Worker "md-gpu-1"', '`Cluster/org-acme/lab` Worker "md-0"'),
            id="two proxies, and one that agrees with the first",
        ),
        pytest.param(
            [override({"clusters": ["lab"]}, httpProxy=EU)],
            [Membership(PROD), Membership(LAB, is_guest=True)],
            (),
            id="one of another namespace has no say",
        ),
    ],
)
def test_clusters_that_share_an_object_and_want_different_proxies(
    overrides: list[dict[str, Any]], memberships: list[Membership], reported: tuple[str, ...]
) -> None:
    shared = resolved({**BASE, "overrides": overrides}, *memberships)
    alone = resolved({**BASE, "overrides": overrides}, memberships[0]).settings
    assert shared.conflicts == reported
    assert shared.settings.http_proxy == alone.http_proxy
    assert shared.settings.https_proxy == alone.https_proxy


def test_a_shared_object_goes_direct_to_what_any_of_its_clusters_needs() -> None:
    overrides = [
        override({"clusters": ["prod-1"]}, noProxy=["prod", "both"]),
        override({"clusters": ["lab"]}, noProxy=["both", "lab"]),
    ]
    found = resolved({**BASE, "overrides": overrides}, WORKER, LAB_WORKER)
    assert found.entries == (
        Entry.from_config("base", "spec.noProxy[0]"),
        Entry.from_config("prod", "spec.overrides[0].noProxy[0]"),
        Entry("both", ("`spec.overrides[0].noProxy[1]`", "`spec.overrides[1].noProxy[0]`"), frozenset({Origin.CONFIG})),
        Entry.from_config("lab", "spec.overrides[1].noProxy[1]"),
    )


def test_a_shared_object_whose_clusters_want_different_styles_gets_the_entries_of_both() -> None:
    overrides = [override({"clusters": ["lab"]}, noProxyPolicy={"style": "TKG"})]
    found = resolved({**BASE, "overrides": overrides}, WORKER, LAB_WORKER)
    assert found.settings.no_proxy == "base,.svc.cluster.local,.svc,localhost,127.0.0.1"
    assert found.conflicts == ()


OTHERS = {"match": {"clusters": ["prod-1"]}, "disabled": True}


@pytest.mark.parametrize(
    ("match", "others", "severity"),
    [
        pytest.param({"clusters": ["prod-*"]}, [], None, id="one that fits a Cluster"),
        pytest.param({"labels": {"regoin": "*"}}, [], Severity.WARNING, id="a misspelt label, and nothing else fits"),
        pytest.param({"labels": {"region": "west"}}, [OTHERS], Severity.INFO, id="one row of a table for many lists"),
        pytest.param({"targets": ["nodes.kubelet"]}, [], Severity.INFO, id="another target"),
    ],
)
def test_an_unfit_override_is_reported(match: dict[str, Any], others: list[Any], severity: Severity | None) -> None:
    config = loaded(httpProxy=PROXY, overrides=[{"match": match, "disabled": True}, *others])
    there = Membership(Cluster(name="prod-1", labels={"region": "east"}), Role.CONTROL_PLANE)
    places = [subject_of(known, "nodes.containerd") for known in (there, Membership())]
    found = list(unused_overrides(config, places))

    assert [one.severity for one in found] == ([severity] if severity else [])
    advice = ": correct it, or remove the entry" if severity is Severity.WARNING else ""
    assert all((one.message, one.code) == (f"{IDLE}{advice}", "SettingUnused") for one in found)
    assert list(unused_overrides(loaded(httpProxy=PROXY), [])) == []


@pytest.mark.parametrize(
    ("match", "particular"),
    [
        pytest.param({"clusters": ["prod-*"]}, False, id="the Cluster"),
        pytest.param({"roles": ["Worker"]}, True, id="the role"),
        pytest.param({"targets": ["nodes.kubelet"]}, True, id="the target"),
    ],
)
def test_an_override_for_less_than_a_cluster_is_particular(match: dict[str, Any], *, particular: bool) -> None:
    spec = {**BASE, "overrides": [override(match, httpProxy=EU)]}
    assert resolved(spec, WORKER).settings.differs_from_cluster is particular
    assert resolved(spec, Membership(LAB), WORKER).settings.differs_from_cluster is particular


@pytest.mark.parametrize(
    ("match", "sets", "reported"),
    [
        pytest.param({"roles": ["Worker"]}, {"httpProxy": EU}, True, id="a role"),
        pytest.param({"roles": ["Worker"]}, {"httpProxy": PROXY}, False, id="one that says the same"),
        pytest.param({"clusters": ["prod-1"]}, {"httpProxy": EU}, False, id="the Cluster, which it reaches"),
    ],
)
def test_what_holds_for_all_nodes_names_overrides(match: dict[str, Any], sets: dict[str, Any], reported: bool) -> None:
    found = resolved({**BASE, "overrides": [override(match, **sets)]}, Membership(PROD))
    assert found.unreachable_overrides == (("spec.overrides[0]",) if reported else ())


CLAIMED = WORKER._replace(claimed_from="org-other")
THERE = override({"namespaces": ["org-acme"]}, httpProxy=EU, httpsProxy=EU)


@pytest.mark.parametrize(
    ("spec", "membership", "expected"),
    [
        pytest.param({**BASE, "overrides": [THERE]}, WORKER, (EU, EU), id="that of its Cluster"),
        pytest.param({"overrides": [override({"clusters": ["x"]}, httpProxy=EU)]}, WORKER, None, id="nobody says one"),
        pytest.param({**BASE, "overrides": [THERE]}, CLAIMED, None, id="not that of a Cluster that it only claims"),
        pytest.param({**BASE, "overrides": [THERE], "trustedNamespaces": ["org-*"]}, CLAIMED, (EU, EU), id="it may"),
        pytest.param(
            {**BASE, "overrides": [override({"targets": ["nodes.kubelet"], "objects": ["x"]}, httpProxy=EU)]},
            CLAIMED,
            (EU, PROXY),
            id="that of any object of this name and target",
        ),
        pytest.param(
            {**BASE, "overrides": [override({"clusters": ["prod-1"]}, noProxy=["a"])]},
            CLAIMED,
            (PROXY, PROXY),
            id="that of all, where the Cluster has entries of its own",
        ),
    ],
)
def test_the_proxy_of_a_place(spec: dict[str, Any], membership: Membership, expected: tuple[str, str] | None) -> None:
    config = loaded(**spec)
    assert declared_urls(config, [membership], target_id="nodes.kubelet", name="x") == expected
    found = resolve(config, [membership], target="nodes.kubelet", readers=Readers(Audience.NODE), name="x")
    assert (found.urls, found.declared) == (expected or ("", ""), expected is not None)
    is_withheld = membership is CLAIMED and expected is None
    assert found.withheld == ((CLAIMED,) if is_withheld else ())
    assert found.settings.cluster == "prod-1"
