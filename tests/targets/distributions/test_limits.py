"""Settings that a product does not take, and characters that it would break."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.products.distributions import ROWS, DistributionRow
from krm_fn.settings import ProxySettings
from product_objects import ASKED, BREAKS, PASSWORD, full, holding, members, row_of
from proposals import FULL, NO, NONE, apply, changes, findings, proposals


@pytest.mark.parametrize("row", [pytest.param(row, id=row.kind) for row in ROWS if row.is_immutable])
@pytest.mark.parametrize("settings", [pytest.param(FULL, id="inject"), pytest.param(NONE, id="remove")])
def test_what_is_immutable_is_written_on_request_with_a_warning(row: DistributionRow, settings: ProxySettings) -> None:
    target = TARGETS[row.target]
    there = holding(row, members(row, FULL._replace(http_proxy="http://old.corp.example:1")))

    assert proposals(target, there, settings) == []
    assert len(findings(target, there, settings, **ASKED)) == 1
    assert findings(target, holding(row, {}), **ASKED) == []
    assert findings(target, holding(row, members(row)), **ASKED) == []


HTTPS_PROXY = FULL._replace(http_proxy="https://proxy.corp.example:3129")
REFUSED = [
    pytest.param("distributions.aks", "ManagedCluster", PASSWORD, id="AKS: a password"),
    pytest.param("distributions.aks", "ManagedCluster", HTTPS_PROXY, id="AKS: HTTPS"),
    pytest.param("distributions.openshift", "Proxy", HTTPS_PROXY, id="OpenShift: HTTPS"),
    pytest.param("distributions.eksAnywhere", "Cluster", FULL._replace(https_proxy=""), id="EKS Anywhere: one of both"),
    pytest.param(
        "distributions.eksAnywhere",
        "Cluster",
        FULL._replace(http_proxy="http://proxy.corp.example"),
        id="EKS Anywhere: no port",
    ),
    pytest.param("distributions.kubeOne", "KubeOneCluster", FULL._replace(http_proxy=""), id="KubeOne: none for HTTP"),
    pytest.param("distributions.kops", "Cluster", PASSWORD, id="kOps: a password"),
    *[
        pytest.param(
            "distributions.kops", "Cluster", FULL._replace(http_proxy=http, https_proxy=https), id=f"kOps: {name}"
        )
        for name, http, https in (
            ("two proxies", FULL.http_proxy, "http://other.corp.example:3128"),
            ("no proxy for HTTPS", FULL.http_proxy, ""),
            ("a proxy that is reached by HTTPS", *["https://proxy.corp.example:3128"] * 2),
            ("a placeholder for the host", *["http://${HOST}:3128"] * 2),
            ("a placeholder for the URL", *["${PROXY}"] * 2),
        )
    ],
]


@pytest.mark.parametrize(("target", "kind", "settings"), REFUSED)
def test_what_a_product_refuses_is_an_error_and_can_be_removed(target: str, kind: str, settings: ProxySettings) -> None:
    row = row_of(kind, target)
    obj = holding(row, {})
    assert [finding.code for finding in findings(TARGETS[target], obj, settings, **ASKED)] == ["CannotWrite"]
    assert "cret" not in str(proposals(TARGETS[target], obj, settings, **ASKED))
    assert changes(TARGETS[target], obj, settings, **ASKED) == []

    both = settings._replace(
        http_proxy=settings.http_proxy or settings.https_proxy, https_proxy=settings.https_proxy or settings.http_proxy
    )
    there = holding(row, members(row, both)) if "$" not in both.http_proxy else obj
    left = apply(TARGETS[target], there, NONE, **ASKED)
    assert list(TARGETS[target].read(left, ASKED)) == []


@pytest.mark.parametrize("character", [" ", "%", "$", '"', "'", "`", "\\"])
@pytest.mark.parametrize("target", BREAKS)
def test_a_character_is_refused_only_where_the_product_would_break_it(target: str, character: str) -> None:
    row = next(row for row in ROWS if row.target == target)
    settings = full(row)._replace(no_proxy=f"a{character}b")
    held: Any = {} if row.keys else []

    codes = [result.code for result in findings(TARGETS[target], holding(row, held), settings, **ASKED)]

    assert codes.count("CannotWrite") == (character in BREAKS[target])
    assert set(codes) <= {"CannotWrite", "NetworkBeforeProxy"}


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        pytest.param({}, ["NetworkBeforeProxy"], id="nothing"),
        pytest.param({"airGapped": True}, [], id="no snap from a store"),
        pytest.param({"preRunCommands": ["snap set system proxy.https=http://proxy:1"]}, [], id="a command"),
    ],
)
def test_canonicals_snap_is_installed_before_snapd_knows_the_proxy(more: dict[str, Any], codes: list[str]) -> None:
    obj = holding(row_of("CK8sConfigTemplate"), more)
    assert [result.code for result in findings(TARGETS["distributions.canonicalKubernetes"], obj)] == codes
    assert findings(TARGETS["distributions.canonicalKubernetes"], obj, NONE) == []


def runner_set(**proxy: Any) -> dict[str, Any]:
    return holding(row_of("AutoscalingRunnerSet"), proxy)


def test_the_url_of_a_runner_goes_without_the_password_that_belongs_into_a_secret() -> None:
    target, plain = TARGETS["distributions.githubRunners"], "http://proxy.corp.example:3128"

    written = apply(target, runner_set(), PASSWORD)

    assert written["spec"]["proxy"] == {"http": {"url": plain}, "https": {"url": plain}, "noProxy": NO.split(",")}
    assert [one.code for one in findings(target, runner_set(), PASSWORD)] == ["ProxyReduced", "ProxyReduced"]

    named = runner_set(http={"credentialSecretRef": "proxy"}, https={"credentialSecretRef": "proxy"})
    assert findings(target, named, PASSWORD) == []
    unknown = {reading.variable for reading in target.read(apply(target, named, PASSWORD), {}) if reading.value is None}
    assert unknown == {*FULL.variables} - {"NO_PROXY", "no_proxy"}
