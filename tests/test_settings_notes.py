"""What is reported about how the proxy of an object was found."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, loaded
from krm_fn.clusters import Cluster, ClusterNetwork, Fact, Membership, Role
from krm_fn.krm.results import ObjectRef, Result, Severity
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


SET = Resolved(ProxySettings(http_proxy=PROXY))
A, B = cluster("a"), cluster("b")


@pytest.mark.parametrize(
    ("resolved", "clusters", "code", "named"),
    [
        pytest.param(
            Resolved(conflicts=("`a`", "`b` Worker")), [A, B], "CannotWrite", ["`a`", "`b` Worker"], id="two proxies"
        ),
        pytest.param(
            SET, [A, cluster("a", file="b.yaml")], "ClusterAmbiguous", ["a.yaml", "b.yaml"], id="a Cluster in two files"
        ),
    ],
)
def test_a_note_about_the_clusters_of_an_object(
    resolved: Resolved, clusters: list[Cluster], code: str, named: list[str]
) -> None:
    (note,) = notes(resolved, [Membership(one, Role.CONTROL_PLANE) for one in clusters])

    assert note.code == code
    assert all(text in note.message for text in named)


def test_clusters_that_only_a_name_suggests_are_named_once_for_each_name() -> None:
    memberships = [Membership(one, how="its name", is_certain=False) for one in (A, cluster("a", "other"), B)]
    _, *ambiguous = notes(SET, memberships)

    assert [note.code for note in ambiguous] == ["ClusterAmbiguous", "ClusterAmbiguous"]
    assert "`Cluster/org/a` and to `Cluster/other/a`" in ambiguous[0].message
    assert "`Cluster/org/b`" in ambiguous[1].message


def lacks_of(*clusters: Cluster) -> list[Result]:
    memberships = [Membership(one, Role.CONTROL_PLANE) for one in clusters]
    config = loaded(httpProxy=PROXY)
    resolved = resolve(config, memberships, target="nodes.commands", readers=Readers(Audience.NODE))
    return [note for note in notes(resolved, memberships) if note.code == "FactsUnknown"]


def test_what_nothing_says_is_named_with_the_places_that_can_say_it() -> None:
    named = [
        "`infrastructure` of `Cluster/org/a`",
        "`spec.infrastructureRef` of the Cluster",
        "`metadata`, `provider`",
    ]
    note = lacks_of(cluster("a", infrastructure=()))[0]

    assert (note.severity, note.clusters) == (Severity.WARNING, ("Cluster/org/a",))
    assert all(text in note.message for text in named)
