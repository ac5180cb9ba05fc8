"""What is known about the network of a Cluster: facts with their sources, and one network completed by another."""

from __future__ import annotations

import pytest

from krm_fn.clusters import ClusterNetwork, Fact
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
        pytest.param(
            Fact("10.0.0.0/8", ObjectRef(kind="Cluster"), ("spec", "x")),
            ("`Cluster` `spec.x`",),
            {Origin.OBJECT},
            id="read in an object without a name",
        ),
        pytest.param(
            Fact("10.0.0.0/8", config_field="data.podCIDRs"),
            ("`data.podCIDRs`",),
            {Origin.CONFIG},
            id="written in the FunctionConfig",
        ),
        pytest.param(Fact("10.0.0.0/8"), (), set(), id="read nowhere"),
    ],
)
def test_a_fact_becomes_an_entry_with_its_source(fact: Fact, why: tuple[str, ...], origins: set[Origin]) -> None:
    assert Entry.of_fact(fact) == Entry("10.0.0.0/8", why, frozenset(origins))
    assert fact.reason == "".join(why)


@pytest.mark.parametrize("name", ClusterNetwork._fields)
def test_a_field_is_completed_where_it_is_empty_and_kept_where_it_is_not(name: str) -> None:
    mine, other = (ClusterNetwork()._replace(**{name: (Fact(text),)}) for text in ("mine", "other"))
    assert ClusterNetwork().completed_by(other) == other
    assert mine.completed_by(ClusterNetwork()) == mine
    assert mine.completed_by(other) == mine


def test_what_is_not_known_has_no_name() -> None:
    assert (ClusterNetwork().infrastructure_kind, ClusterNetwork().region_name) == ("", "")
