"""What is known about the network of a Cluster: facts with their sources, and one network completed by another."""

from __future__ import annotations

import pytest

from krm_fn.clusters import Fact
from krm_fn.krm.results import ObjectRef
from krm_fn.noproxy import Entry, Origin

CLUSTER = ObjectRef("cluster.x-k8s.io/v1beta1", "Cluster", "prod", "org-acme")
PODS = ("spec", "clusterNetwork", "pods", "cidrBlocks", "0")
FIELD = "`Cluster/org-acme/prod` `spec.clusterNetwork.pods.cidrBlocks[0]`"


@pytest.mark.parametrize(
    ("fact", "why", "origins"),
    [
        pytest.param(Fact("10.0.0.0/8", CLUSTER, PODS), (FIELD,), {Origin.OBJECT}, id="read in an object"),
        pytest.param(
            Fact("10.0.0.0/8", CLUSTER, PODS, default_of="kubeadm"),
            (f"default of kubeadm, because {FIELD} is not set",),
            {Origin.OBJECT},
            id="a default, with the field that would say otherwise",
        ),
    ],
)
def test_a_fact_becomes_an_entry_with_its_source(fact: Fact, why: tuple[str, ...], origins: set[Origin]) -> None:
    assert Entry.from_fact(fact) == Entry("10.0.0.0/8", why, frozenset(origins))
    assert fact.reason == "".join(why)
