"""What is reported about how the proxy of an object was found: each note, as a person reads it."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, loaded
from krm_fn.clusters import Cluster, ClusterNetwork, Fact, Membership, Role
from krm_fn.krm.results import ObjectRef, Severity
from krm_fn.noproxy import Audience, Readers
from krm_fn.settings import ProxySettings, Resolved, notes, resolve

SAID = ClusterNetwork(
    pod_cidrs=(Fact("10.0.0.0/16"),),
    service_cidrs=(Fact("172.20.0.0/16"),),
    endpoint=(Fact("api.example"),),
    infrastructure=(Fact("AWSCluster"),),
    networks=(Fact("10.200.0.0/16"),),
)


def cluster(name: str, namespace: str = "org", file: str = "a.yaml", **facts: Any) -> Cluster:
    ref = ObjectRef("cluster.x-k8s.io/v1beta1", "Cluster", name, namespace, file)
    return Cluster(namespace, name, ref=ref, network=SAID._replace(**facts))


def said(found: Resolved, *clusters: Cluster, **of_membership: Any) -> list[tuple[Severity, str, str]]:
    memberships = [Membership(one, Role.CONTROL_PLANE, **of_membership) for one in clusters]
    return [(one.severity, one.code, one.message) for one in notes(found, memberships)]


SET = Resolved(ProxySettings(http_proxy=PROXY))
A, B = cluster("a"), cluster("b")


@pytest.mark.parametrize(
    ("found", "clusters", "severity", "code", "message"),
    [
        pytest.param(
            SET,
            [A, B],
            Severity.INFO,
            "SharedByClusters",
            "is shared by `Cluster/org/a`, `Cluster/org/b`: `NO_PROXY` holds what each of them needs",
            id="several Clusters",
        ),
        pytest.param(
            Resolved(conflicts=("`a`", "`b` Worker")),
            [A, B],
            Severity.ERROR,
            "SharedProxiesDiffer",
            "is shared by `a` and `b` Worker, which need different proxies: give each an object of its own, or leave "
            "this one out with `spec.selector.exclude`",
            id="places that need different proxies",
        ),
        pytest.param(
            Resolved(),
            [A],
            Severity.WARNING,
            "ClassOfOtherNamespace",
            "holds the proxy of the Clusters in the namespace of their ClusterClass; `b` and `c` of another namespace "
            "should have another proxy: make it of a class of its own, or set "
            "`spec.targets.clusterClass.sharedTemplates: Patch`",
            id="Clusters of another namespace than their class",
        ),
        pytest.param(
            SET._replace(of_role=Role.WORKER),
            [A],
            Severity.INFO,
            "ProxyOfRole",
            "takes the proxy of the workers, because the machines of all roles share this object and nothing declares "
            "a proxy for the Cluster as a whole",
            id="the proxy of one role",
        ),
        pytest.param(
            SET,
            [A, cluster("a", file="b.yaml")],
            Severity.WARNING,
            "ClusterNameTaken",
            "belongs to `Cluster/org/a`, which is in a.yaml and b.yaml, each time with another network: `NO_PROXY` "
            "holds what all of them need. Put it into the file of its Cluster, or run this function for each of them "
            "by itself",
            id="a Cluster in two files",
        ),
        pytest.param(
            SET,
            [A, *(cluster("a", file=f"{name}.yaml") for name in "bcd")],
            Severity.WARNING,
            "ClusterNameTaken",
            "belongs to `Cluster/org/a`, which is in a.yaml and b.yaml and 2 more files, each time with another "
            "network: `NO_PROXY` holds what all of them need. Put it into the file of its Cluster, or run this "
            "function for each of them by itself",
            id="a Cluster in four files",
        ),
    ],
)
def test_a_note_about_the_places_of_an_object(
    found: Resolved, clusters: list[Cluster], severity: Severity, code: str, message: str
) -> None:
    assert said(found, *clusters) == [(severity, code, message)]


def test_of_one_cluster_and_of_clusters_without_a_proxy_there_is_no_note() -> None:
    assert said(SET, A, A) == []
    assert said(Resolved(), A, B) == []


def test_clusters_that_only_a_name_suggests_are_named_once_for_each_name() -> None:
    _, *found = said(SET, A, cluster("a", "other"), B, how="its name", is_certain=False)
    advice = (
        "only because of its name: say which one is meant by the namespace of the object, or by the annotation "
        "`cluster.x-k8s.io/cluster-namespace`"
    )
    assert found == [
        (Severity.WARNING, "NP039", f"belongs to `Cluster/org/a` and to `Cluster/other/a` {advice}"),
        (Severity.WARNING, "NP039", f"belongs to `Cluster/org/b` {advice}"),
    ]


PODS = ("spec", "clusterNetwork", "pods", "cidrBlocks")
LOST = Cluster("org", "lost")
OF_ALL = {"serviceCIDRs": "10.96.0.0/12", "endpoint": "e", "infrastructure": "AWSCluster", "networks": "10.0.0.0/8"}
NEEDED = "which `NO_PROXY` should cover"
DERIVE = "spec.noProxyPolicy.derive"


@pytest.mark.parametrize(
    ("clusters", "defaults", "message", "lacking", "whose"),
    [
        pytest.param(
            [],
            {},
            "belongs to no known Cluster, and nothing says `podCIDRs`, `serviceCIDRs`, `endpoint`, `infrastructure`, "
            f"{NEEDED}: set `spec.clusterDefaults` of the ProxyConfig, or add its Cluster to the list; "
            f"`{DERIVE}` switches off what is not needed",
            (),
            "of none",
            id="no Cluster",
        ),
        pytest.param(
            [],
            OF_ALL,
            f"belongs to no known Cluster, and nothing says `podCIDRs`, {NEEDED}: set "
            "`spec.clusterDefaults.podCIDRs` of the ProxyConfig, or add its Cluster to the list; "
            f"`{DERIVE}.podCIDRs: false` switches this warning off",
            (),
            "of none",
            id="no Cluster, and one fact",
        ),
        pytest.param(
            [cluster("a", infrastructure=())],
            {},
            f"nothing says `infrastructure` of `Cluster/org/a`, {NEEDED}: set `spec.clusterDefaults.infrastructure` "
            f"of the ProxyConfig or `spec.infrastructureRef` of the Cluster; `{DERIVE}.metadata: false` with "
            f"`{DERIVE}.provider: false` switches this warning off",
            ("Cluster/org/a",),
            "known",
            id="a fact for two entries",
        ),
        pytest.param(
            [cluster("a", pod_cidrs=(), endpoint=()), cluster("b", endpoint=())],
            {},
            "nothing says `podCIDRs` of `Cluster/org/a`, `endpoint` of `Cluster/org/a`, `endpoint` of "
            f"`Cluster/org/b`, {NEEDED}: set `spec.clusterDefaults` of the ProxyConfig, "
            "`spec.clusterNetwork.pods.cidrBlocks` of the Cluster or `spec.controlPlaneEndpoint.host` of the Cluster; "
            f"`{DERIVE}.podCIDRs: false` with `{DERIVE}.endpoint: false` switches this warning off",
            ("Cluster/org/a", "Cluster/org/b"),
            "known",
            id="facts of two Clusters",
        ),
        pytest.param(
            [cluster("a", networks=(), endpoint=(Fact("10.200.0.5"),))],
            {},
            f"nothing says `networks` of `Cluster/org/a`, {NEEDED}: set `spec.clusterDefaults.networks` of the "
            "ProxyConfig or `spec.network.vpc.cidrBlock` of the AWSCluster; "
            f"`{DERIVE}.networks: false` switches this warning off",
            ("Cluster/org/a",),
            "known",
            id="the network of the nodes",
        ),
        pytest.param(
            [LOST],
            OF_ALL,
            f"belongs to `Cluster/org/lost`, not in the list, and nothing says `podCIDRs` of `Cluster/org/lost`, "
            f"{NEEDED}: set `spec.clusterDefaults.podCIDRs` of the ProxyConfig, or add the Cluster to the list; "
            f"`{DERIVE}.podCIDRs: false` switches this warning off",
            ("Cluster/org/lost",),
            "not in the list",
            id="a Cluster that is not in the list",
        ),
        pytest.param(
            [LOST, Cluster("org", "gone")],
            OF_ALL,
            "belongs to `Cluster/org/lost` and `Cluster/org/gone`, not in the list, and nothing says `podCIDRs` of "
            f"`Cluster/org/lost`, `podCIDRs` of `Cluster/org/gone`, {NEEDED}: set `spec.clusterDefaults.podCIDRs` of "
            "the ProxyConfig, or add the Cluster to the list; "
            f"`{DERIVE}.podCIDRs: false` switches this warning off",
            ("Cluster/org/lost", "Cluster/org/gone"),
            "not in the list",
            id="two that are not",
        ),
    ],
)
def test_what_nothing_says_is_named_with_the_places_that_can_say_it(
    clusters: list[Cluster], defaults: dict[str, Any], message: str, lacking: tuple[str, ...], whose: str
) -> None:
    config = loaded(httpProxy=PROXY, clusterDefaults=defaults)
    memberships = [Membership(one, Role.CONTROL_PLANE) for one in clusters]
    resolved = resolve(config, memberships, target="kubeadmCommands", readers=Readers(Audience.NODE))
    (found,) = [one for one in notes(resolved, memberships) if one.code == "NP038"]
    assert (found.severity, found.message, found.clusters) == (Severity.WARNING, message, lacking)
    assert found.fact[-1] == whose


def test_the_network_of_the_nodes_is_a_warning_of_its_own() -> None:
    lacks = [Membership(cluster("a", pod_cidrs=(), networks=(), endpoint=(Fact("10.200.0.5"),)), Role.CONTROL_PLANE)]
    resolved = resolve(loaded(httpProxy=PROXY), lacks, target="kubeadmCommands", readers=Readers(Audience.NODE))
    assert [one.fact[0] for one in notes(resolved, lacks)] == ["podCIDRs", "networks"]


def test_what_is_missing_is_one_fact_whatever_its_clusters_are_called() -> None:
    def fact(one: Cluster) -> tuple[str, ...]:
        memberships = [Membership(one)]
        resolved = resolve(loaded(httpProxy=PROXY), memberships, target="x", readers=Readers(Audience.NODE))
        (found,) = notes(resolved, memberships)
        return found.fact

    assert fact(cluster("a", endpoint=())) == fact(cluster("b", endpoint=()))
    assert fact(cluster("a", endpoint=())) != fact(cluster("a", pod_cidrs=()))
