"""What is reported about how the proxy of an object was found."""

from __future__ import annotations

from function_configs import PROXY
from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.krm.results import ObjectRef
from krm_fn.settings import ProxySettings, Resolved, notes


def cluster(name: str, namespace: str = "org") -> Cluster:
    ref = ObjectRef("cluster.x-k8s.io/v1beta1", "Cluster", name, namespace, "a.yaml")
    return Cluster(namespace, name, ref=ref)


SET = Resolved(ProxySettings(http_proxy=PROXY))
A, B = cluster("a"), cluster("b")


def test_two_proxies_for_an_object_are_named() -> None:
    resolved = Resolved(conflicts=("`a`", "`b` Worker"))
    (note,) = notes(resolved, [Membership(cluster, Role.CONTROL_PLANE) for cluster in (A, B)])

    assert note.code == "CannotWrite"
    assert all(text in note.message for text in ("`a`", "`b` Worker"))


def test_clusters_that_only_a_name_suggests_are_named_once_for_each_name() -> None:
    memberships = [Membership(one, how="its name", is_certain=False) for one in (A, cluster("a", "other"), B)]
    _, *ambiguous = notes(SET, memberships)

    assert [note.code for note in ambiguous] == ["ClusterAmbiguous", "ClusterAmbiguous"]
    assert "`Cluster/org/a` and to `Cluster/other/a`" in ambiguous[0].message
    assert "`Cluster/org/b`" in ambiguous[1].message
