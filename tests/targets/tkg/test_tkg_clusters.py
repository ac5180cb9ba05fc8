"""Clusters of TKG: the variables, the annotations, and TanzuKubernetesCluster."""

from __future__ import annotations

import base64
import copy
from typing import Any

import pytest

import manifests
from all_targets import TARGETS
from krm_fn import patch
from krm_fn.config import Certificates
from krm_fn.krm.results import Edit, Result, Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets import ClassContext, Context
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, findings, proposals

tkg_cluster_class = TARGETS["tkg.clusterClass"]

LIST = NO.split(",")
VALUE = {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": LIST}
PROXY = {"name": "proxy", "value": VALUE}
CNI = {"name": "cni", "value": "antrea"}
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
DATA = base64.b64encode(PEM.encode()).decode()
TRUSTING = ProxySettings(HTTP, HTTPS, NO, trusted_ca=Certificates(PEM))
PREFIX = "tkg.tanzu.vmware.com/tkg-"
ANNOTATIONS = {f"{PREFIX}http-proxy": HTTP, f"{PREFIX}https-proxy": HTTPS, f"{PREFIX}no-proxy": NO}


def cluster(*variables: Any, kind: Any = "tkg-vsphere-default-v1.1.1", annotations: Any = None) -> Any:
    """A Cluster of that class, with these variables; none means that the list is missing."""
    topology = {"class": kind, **({"variables": list(variables)} if variables else {})}
    return manifests.cluster(metadata={"annotations": annotations}, topology=topology)


def done(*variables: Any) -> Any:
    return cluster(*variables, annotations=ANNOTATIONS)


def old_trust(*certificates: Any) -> Any:
    return {"name": "trust", "value": list(certificates)}


def trust(*certificates: Any) -> Any:
    return {"name": "trust", "value": {"additionalTrustedCAs": list(certificates)}}


def service(**network: Any) -> Any:
    settings = {"settings": {"network": network}} if network else {}
    return {"kind": "TanzuKubernetesCluster", "metadata": {"name": "tkc"}, "spec": {"topology": {}, **settings}}


def overridden(section: str, value: Any) -> Any:
    """A Cluster of a foreign class with an override for one group of workers, or for the control plane."""
    obj = cluster(CNI, kind="quick-start")
    holder = {"name": "md-0", "variables": {"overrides": [{"name": "worker", "value": 1}, {"name": "proxy", **value}]}}
    whole = {"controlPlane": holder} if section == "controlPlane" else {"workers": {section: [{"name": "a"}, holder]}}
    obj["spec"]["topology"].update(whole)
    return obj


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(cluster(CNI, kind="quick-start"), id="another class without the variable"),
        pytest.param(cluster({"name": "proxy", "value": {"url": "x"}}, kind="quick-start"), id="another shape"),
        pytest.param(done(PROXY, trust({"name": "proxy", "data": "b2xk"})), id="a certificate while none is declared"),
        pytest.param({"kind": "TanzuKubernetesCluster"}, id="a TanzuKubernetesCluster without a spec"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(tkg_cluster_class, obj) == []


@pytest.mark.parametrize("section", ["controlPlane", "machineDeployments", "machinePools"])
def test_an_override_that_is_there_is_filled_and_removed(section: str) -> None:
    result = apply(tkg_cluster_class, overridden(section, {"value": {"httpProxy": "x"}}))
    assert result == overridden(section, {"value": VALUE})
    assert HTTP not in str(apply(tkg_cluster_class, result, NONE))


OTHER = ProxySettings("http://dmz.corp.example:3128", "http://dmz.corp.example:3128", ".corp.example")
OWN = {"httpProxy": OTHER.http_proxy, "httpsProxy": OTHER.https_proxy, "noProxy": [".corp.example"]}
SILENT = ProxySettings(is_declared=False)


def grouped(*overrides: Any, **more: Any) -> Any:
    """The Cluster that is done, with one group of workers and these variables of its own."""
    held = {"variables": {"overrides": list(overrides)}} if overrides else {}
    obj = done(CNI, PROXY)
    obj["spec"]["topology"] |= {"workers": {"machineDeployments": [{"name": "md-0", **held}]}, **more}
    return obj


def in_groups(obj: Any, settings: ProxySettings, **groups: ProxySettings) -> list[Edit | Result]:
    of_groups = {("machineDeployments", name.replace("_", "-")): held for name, held in groups.items()}
    context = Context(settings=settings, class_context=ClassContext(groups=of_groups))
    return list(tkg_cluster_class.edit(obj, context))


def after(obj: Any, settings: ProxySettings, **groups: ProxySettings) -> Any:
    said = in_groups(obj, settings, **groups)
    edits = [one for one in said if isinstance(one, Edit)]
    return patch.apply(copy.deepcopy(obj), [operation for edit in edits for operation in edit.operations])


@pytest.mark.parametrize(
    ("obj", "settings", "group", "expected"),
    [
        pytest.param(grouped(), SILENT, OTHER, grouped({"name": "proxy", "value": OWN}), id="the Cluster stays"),
        pytest.param(
            grouped({"name": "proxy", "value": OWN}), FULL, NONE, grouped(), id="theirs goes, the group stays"
        ),
    ],
)
def test_workers_get_their_own_variable(obj: Any, settings: ProxySettings, group: ProxySettings, expected: Any) -> None:
    result = after(obj, settings, md_0=group)
    assert result == expected
    assert after(result, settings, md_0=group) == expected


@pytest.mark.parametrize(
    ("before", "after", "removed"),
    [
        pytest.param(
            [trust({"name": "proxy", "data": "b2xk"}), CNI],
            [trust({"name": "proxy", "data": DATA}), CNI, PROXY],
            [CNI],
            id="one that is there is replaced",
        ),
        pytest.param(
            [old_trust({"name": "imageRepository", "data": "cg=="})],
            [old_trust({"name": "imageRepository", "data": "cg=="}, {"name": "proxy", "data": DATA}), PROXY],
            [old_trust({"name": "imageRepository", "data": "cg=="})],
            id="a variable of the first classes, which is a list",
        ),
    ],
)
def test_a_declared_certificate_is_the_one_that_the_class_looks_for(before: Any, after: Any, removed: Any) -> None:
    result = apply(tkg_cluster_class, cluster(*before), TRUSTING)
    assert result == done(*after)
    assert apply(tkg_cluster_class, result, NONE) == cluster(*removed)


ALONE = ProxySettings(trusted_ca=Certificates(PEM), is_declared=False)
OURS, TKGS = ({"name": name, "data": DATA} for name in ("inject-proxy", "proxy"))


@pytest.mark.parametrize(
    ("obj", "settings", "expected"),
    [
        pytest.param(
            cluster(CNI),
            ProxySettings(HTTP, HTTPS),
            cluster(
                CNI,
                {"name": "proxy", "value": {"httpProxy": HTTP, "httpsProxy": HTTPS}},
                annotations={f"{PREFIX}http-proxy": HTTP, f"{PREFIX}https-proxy": HTTPS},
            ),
            id="without a list there is none",
        ),
        pytest.param(
            cluster({"name": "proxy", "value": {**VALUE, "noProxy": NO}}),
            FULL,
            done(PROXY),
            id="a text that the class rejects becomes a list",
        ),
        pytest.param(
            done({"name": "proxy", "value": {**VALUE, "systemWide": True}}, CNI),
            NONE,
            cluster(CNI),
            id="systemWide, too",
        ),
        pytest.param(
            cluster({"name": "proxy", "value": {**VALUE, "more": 1}}, kind="own"),
            NONE,
            cluster({"name": "proxy", "value": {"more": 1}}, kind="own"),
            id="another class keeps what only it defines",
        ),
        pytest.param(done(PROXY, trust(TKGS)), SILENT, done(PROXY, trust(TKGS)), id="nothing is declared"),
        pytest.param(cluster(CNI), ALONE, cluster(CNI, trust(TKGS)), id="a Cluster without a proxy"),
        pytest.param(done(PROXY), ALONE, done(PROXY, trust(TKGS)), id="a Cluster with a proxy of which none is said"),
        pytest.param(service(), ALONE, service(trust={"additionalTrustedCAs": [OURS]}), id="a cluster of the service"),
    ],
)
def test_variables_and_annotations_follow_what_is_declared(obj: Any, settings: ProxySettings, expected: Any) -> None:
    assert apply(tkg_cluster_class, obj, settings) == expected


def test_half_of_the_proxies_leaves_what_is_there_and_is_reported() -> None:
    obj = service(proxy=VALUE)
    settings = ProxySettings(http_proxy=HTTP, no_proxy=NO)
    assert apply(tkg_cluster_class, obj, settings) == obj
    assert [one.severity for one in findings(tkg_cluster_class, obj, settings)] == [Severity.WARNING]
