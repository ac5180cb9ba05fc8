"""One record for each object: what becomes of it, also where somebody opts it out with the proxy still inside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from function_configs import list_with_config
from krm_fn.cli.found_proxies import SHELL, find_proxies
from krm_fn.config import Declaration, ProxyConfig
from krm_fn.krm.resourcelist import ResourceList
from krm_fn.krm.results import Result
from krm_fn.pipeline.audit import ReadableManifests, audit
from krm_fn.pipeline.covered import Covered, covered
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run, run_list
from krm_fn.plan.sources import Objects
from krm_fn.yamledit import read
from lint_objects import PROXY, manifest, release, with_variables
from manifests import control_plane

NEW = {"httpProxy": "http://new:1", "httpsProxy": "http://new:1"}
CHOOSE = {"targets": {"workloads": {"choose": [{"names": ["app"]}]}}}
OFF = {"overrides": [{"match": {"objects": ["app"]}, "disabled": True}]}
REFUSED = {"fn.inject-proxy.io/proxy": "false"}


def ran(spec: dict[str, Any], *items: dict[str, Any]) -> tuple[Outcome, list[Covered]]:
    """Run a list; return the outcome and the table."""
    resource_list = ResourceList(list_with_config(spec, *items))
    outcome = run_list(resource_list, resource_list.function_config, Objects(resource_list))
    return outcome, covered(outcome, resource_list)


def written(spec: dict[str, Any], *items: dict[str, Any]) -> list[Any]:
    return list(read(run(list_with_config(spec, *items)).output.decode())["items"])


def chosen_once(annotations: dict[str, str] | None = None) -> dict[str, Any]:
    """A Deployment that a run gave the proxy, perhaps with annotations of a later day."""
    (item,) = written({**PROXY, **CHOOSE}, with_variables("Deployment"))
    if annotations:
        item["metadata"]["annotations"] = annotations
    return dict(item)


def about_values(results: tuple[Result, ...]) -> list[str]:
    return [result.code for result in results if result.code in ("OtherProxy", "LeftBehind")]


@pytest.mark.parametrize(
    ("spec", "annotations", "code"),
    [
        pytest.param({**PROXY, **CHOOSE}, REFUSED, "LeftBehind", id="an annotation, the same proxy"),
        pytest.param({**NEW, **CHOOSE}, REFUSED, "LeftBehind", id="an annotation, another proxy now"),
        pytest.param(PROXY, None, "LeftBehind", id="no longer in choose, the same proxy"),
        pytest.param(NEW, None, "OtherProxy", id="no longer in choose, another proxy now"),
        pytest.param({**NEW, **OFF}, None, "LeftBehind", id="an override switches it off, and nobody chooses it"),
        pytest.param({"mode": "Remove"}, None, "LeftBehind", id="a removal that does not know the proxy"),
        pytest.param({**NEW, "mode": "Remove"}, REFUSED, "LeftBehind", id="a removal of another proxy"),
    ],
)
def test_who_opts_out_with_a_proxy_is_told(spec: dict[str, Any], annotations: dict[str, str] | None, code: str) -> None:
    outcome, (row,) = ran(spec, chosen_once(annotations))
    assert about_values(outcome.results) == [code]
    (finding,) = (result for result in outcome.results if result.code == code)
    assert finding.path[-2:] == ("0", "value")
    assert (row.left, [reason.number for reason in row.reasons]) == (1, [1])
    assert "hold no proxy" not in row.reasons[0].why
    assert not outcome.changes


@pytest.mark.parametrize(
    ("spec", "annotations"),
    [
        pytest.param({**PROXY, "mode": "Remove"}, None, id="nobody chooses it any more"),
        pytest.param({**PROXY, **CHOOSE, "mode": "Remove"}, REFUSED, id="an annotation refuses it"),
        pytest.param({**PROXY, **OFF}, None, id="an override switches it off, and nobody chooses it"),
        pytest.param({**PROXY, **CHOOSE, **OFF}, None, id="an override switches it off"),
        pytest.param({**PROXY, **OFF}, REFUSED, id="an override and an annotation"),
    ],
)
def test_a_proxy_of_this_config_goes_whoever_chose_it(spec: dict[str, Any], annotations: dict[str, str] | None) -> None:
    item = chosen_once(annotations)
    before = with_variables("Deployment")
    if annotations:
        before["metadata"]["annotations"] = annotations
    del before["spec"]["template"]["spec"]["containers"][0]["env"]
    (after,) = written(spec, item)
    env = after["spec"]["template"]["spec"]["containers"][0].pop("env", [])
    assert (after, env) == (before, [])
    assert about_values(ran(spec, item)[0].results) == []


OUR_URL = PROXY["httpProxy"]
SIX = {
    name: value
    for pair, value in {"HTTP_PROXY": OUR_URL, "HTTPS_PROXY": OUR_URL, "NO_PROXY": "a,b"}.items()
    for name in (pair, pair.lower())
}
HTTPS_ALONE = {name: value for name, value in SIX.items() if name.upper() != "HTTP_PROXY"}
WITHOUT_LIST = {name: value for name, value in SIX.items() if name.upper() != "NO_PROXY"}
VERBATIM = {**PROXY, "noProxyPolicy": {"style": "Verbatim"}}


@pytest.mark.parametrize(
    ("spec", "env", "is_removed"),
    [
        pytest.param(PROXY, SIX, True, id="six variables, with an older list"),
        pytest.param(PROXY, {**SIX, "LOG": "debug"}, True, id="six beside another variable"),
        pytest.param({"httpsProxy": OUR_URL}, HTTPS_ALONE, True, id="four, with one URL"),
        pytest.param({**NEW, "overrides": [{"match": {"objects": ["x"]}, **PROXY}]}, SIX, True, id="of another object"),
        pytest.param({**VERBATIM, "noProxy": []}, WITHOUT_LIST, True, id="without a list where none is written"),
        pytest.param(PROXY, WITHOUT_LIST, False, id="without a list where one is written"),
        pytest.param(PROXY, HTTPS_ALONE, False, id="four, with two URLs"),
        pytest.param(PROXY, {**SIX, "no_proxy": "c"}, False, id="two lists"),
        pytest.param(PROXY, {**SIX, "https_proxy": "http://old:1"}, False, id="two URLs of one variable"),
        pytest.param(
            PROXY,
            {name: SIX[name] for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")},
            False,
            id="three of somebody",
        ),
        pytest.param(NEW, SIX, False, id="another URL"),
        pytest.param({}, SIX, False, id="no URL"),
        pytest.param({**PROXY, "selector": {"exclude": [{"names": ["app"]}]}}, SIX, False, id="a selector's choice"),
        pytest.param({**PROXY, "only": ["nodes"]}, SIX, False, id="only leaves it out"),
        pytest.param({**PROXY, "targets": {"workloads": False}}, SIX, False, id="the target is off"),
    ],
)
def test_a_removal_takes_ours_and_names_the_rest(spec: dict[str, Any], env: dict[str, str], is_removed: bool) -> None:
    outcome, rows = ran({**spec, "mode": "Remove"}, with_variables("Deployment", **env))
    assert bool(outcome.changes) is is_removed
    assert about_values(outcome.results) == ([] if is_removed else ["LeftBehind"])
    assert all("hold no proxy" not in reason.why for row in rows for reason in row.reasons)


def test_what_others_set_stays_where_an_override_switches_another_object_off() -> None:
    other = with_variables("Deployment", HTTP_PROXY=PROXY["httpProxy"])
    other["metadata"]["name"] = "other"
    outcome, _ = ran({**PROXY, **OFF}, other)
    assert (outcome.changed, about_values(outcome.results)) == (0, [])


def test_an_annotation_keeps_what_no_run_wrote() -> None:
    item = with_variables("Deployment", annotation="false", HTTP_PROXY="http://old:1")
    assert about_values(ran({**PROXY, **CHOOSE}, item)[0].results) == []


# the table says why

POLICY = manifest(
    "kyverno.io/v1",
    "ClusterPolicy",
    spec={
        "rules": [
            {
                "name": "a",
                "mutate": {
                    "patchStrategicMerge": {
                        "spec": {
                            "containers": [{"(name)": "*", "env": [{"name": "HTTP_PROXY", "value": "http://old:1"}]}]
                        }
                    }
                },
            }
        ]
    },
)
API, CONTROL_PLANE = "cluster.x-k8s.io/v1beta1", "controlplane.cluster.x-k8s.io/v1beta1"


def nodes(name: str, **config: Any) -> dict[str, Any]:
    return control_plane(name, metadata={"namespace": "org"}, **config)


def reasons(row: Covered) -> list[str]:
    return [reason.why for reason in row.reasons]


@pytest.mark.parametrize("spec", [{"only": ["nodes"]}, {"targets": {"kyverno": False}}], ids=["only", "kyverno off"])
def test_a_policy_whose_target_is_off_is_left_for_that(spec: dict[str, Any]) -> None:
    (row,) = ran({**PROXY, **spec}, POLICY)[1]
    assert (row.system, row.left, reasons(row)) == ("policies", 1, ["`spec.only` or `spec.targets` leaves them out"])


def test_a_template_has_what_its_class_gives_it() -> None:
    reference = {"apiVersion": CONTROL_PLANE, "kind": "KubeadmControlPlaneTemplate", "name": "t"}
    listed = [
        manifest(API, "ClusterClass", "c", spec={"controlPlane": {"ref": reference}}),
        manifest(
            CONTROL_PLANE, "KubeadmControlPlaneTemplate", "t", spec={"template": {"spec": {"kubeadmConfigSpec": {}}}}
        ),
        manifest(API, "Cluster", spec={"topology": {"class": "c", "version": "v1.30.0"}}),
    ]
    spec = {**PROXY, "targets": {"nodes": {"classes": "Patch"}}}
    row, *_ = ran(spec, *listed)[1]
    assert (row.system, row.changed, row.left) == ("nodes", 1, 0)
    row, *_ = ran(spec, *written(spec, *listed))[1]
    assert (row.system, row.have, row.left) == ("nodes", 1, 0)


def test_what_cannot_be_written_is_left_and_so_is_all_else_of_that_run() -> None:
    listed = [nodes("good"), nodes("bad", preKubeadmCommands="true"), nodes("worse", preKubeadmCommands={})]
    (row,) = ran(PROXY, *listed)[1]
    assert (row.found, row.have, row.changed, row.left) == (3, 0, 0, 3)
    assert [reason.number for reason in row.reasons] == [1, 1, 1]
    assert "nothing was changed, because the run has errors" in reasons(row)
    good, *_ = written(PROXY, listed[0])
    bad = dict(written(PROXY, nodes("bad"))[0])
    bad["spec"]["kubeadmConfigSpec"]["preKubeadmCommands"] = "true"
    (row,) = ran(PROXY, good, bad)[1]
    assert (row.found, row.have, row.left) == (2, 1, 1)


def test_a_removal_does_not_say_of_a_chart_with_a_proxy_that_it_holds_none() -> None:
    (row,) = ran({**PROXY, "mode": "Remove"}, release("harbor", {"proxy": {"httpProxy": "http://old:1"}}))[1]
    assert [why.startswith("they still hold a proxy") for why in reasons(row)] == [True]


def test_a_removal_does_not_say_of_what_the_selector_leaves_out_that_it_holds_no_proxy() -> None:
    spec = {**PROXY, "mode": "Remove", "selector": {"exclude": [{"names": ["app"]}]}}
    (row,) = ran(spec, chosen_once())[1]
    assert reasons(row) == ["`spec.selector` leaves them out"]


NOWHERE = {"overrides": [{"match": {"clusters": ["other"]}, **PROXY}]}
FROM = {"from": [{"kind": "Secret", "name": "creds"}]}
CREDS = manifest("v1", "Secret", "creds", stringData={"proxy": f"http_proxy: {OUR_URL}\nhttps_proxy: {OUR_URL}\n"})


@pytest.mark.parametrize(
    ("spec", "item", "why"),
    [
        pytest.param(NOWHERE, nodes("n"), "no proxy is declared", id="nodes that no override fits"),
        pytest.param({**NOWHERE, **CHOOSE}, chosen_once(None), "no proxy is declared", id="a chosen workload"),
        pytest.param({"secretRef": {"name": "p"}}, nodes("n"), "cannot refer to the Secret", id="a Secret alone"),
        pytest.param(NOWHERE, chosen_once(None), "nobody chose them", id="a workload that nobody chose"),
    ],
)
def test_why_an_object_without_a_declared_proxy_is_left_is_true(spec: dict[str, Any], item: Any, why: str) -> None:
    (row,) = ran(spec, item)[1]
    assert [text.startswith(why) for text in reasons(row)] == [True]


def test_the_secret_that_says_the_proxy_is_no_object_that_has_it() -> None:
    outcome, rows = ran({**FROM, "mode": "Remove"}, CREDS, nodes("n"))
    assert about_values(outcome.results) == []
    assert [row.system for row in rows] == ["nodes"]


def test_init_and_lint_see_what_no_target_owns() -> None:
    other = release("own", {"proxy": {"httpProxy": "http://old:1", "noProxy": [".corp.example", "10.0.0.0/8"]}})
    manifests = ReadableManifests({"a.json": json.dumps(other).encode()})
    (proxy,) = find_proxies(manifests, {}, {}, {}, SHELL)
    assert (proxy.http, proxy.entries, len(proxy.places)) == ("http://old:1", [".corp.example", "10.0.0.0/8"], 1)
    refused = json.dumps(chosen_once(REFUSED)).encode()
    found = audit(
        ReadableManifests({"a.json": refused}),
        ProxyConfig(Declaration("http://new:1", "http://new:1", is_declared=True)),
    )
    assert about_values(found.results) == ["LeftBehind"]
