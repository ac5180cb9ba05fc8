"""What is reported about how the proxy of an object was found."""

from __future__ import annotations

import pytest

from function_configs import PROXY, loaded
from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.errors import ConfigError
from krm_fn.krm.results import ObjectRef
from krm_fn.pipeline.outcome import missing_facts_lines
from krm_fn.settings import ProxySettings, Resolved, notes
from krm_fn.settings.proxy_settings import Missing
from krm_fn.yamledit import read


def cluster(name: str, namespace: str = "org") -> Cluster:
    ref = ObjectRef("cluster.x-k8s.io/v1beta1", "Cluster", name, namespace, "a.yaml")
    return Cluster(namespace, name, ref=ref)


SET = Resolved(ProxySettings(http_proxy=PROXY))
A, B = cluster("a"), cluster("b")


@pytest.mark.parametrize(
    ("is_by_class", "advice"),
    [
        pytest.param(False, "give each an object of its own", id="two Clusters"),
        pytest.param(True, "set `spec.targets.nodes.classes` to `Patch`", id="a shared ClusterClass"),
    ],
)
def test_two_proxies_for_an_object_are_named(is_by_class: bool, advice: str) -> None:
    resolved = Resolved(conflicts=("`a`", "`b` Worker"))
    its = [Membership(cluster, Role.CONTROL_PLANE, is_by_class=is_by_class) for cluster in (A, B)]
    (note,) = notes(resolved, its)

    assert note.code == "CannotWrite"
    assert all(text in note.message for text in ("`a`", "`b` Worker", advice))


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        pytest.param("a", "warning", id="a name"),
        pytest.param("${CLUSTER_NAME}", "info", id="a placeholder, which each file fills in by itself"),
    ],
)
def test_two_files_with_a_cluster_of_one_name_are_ambiguous(name: str, severity: str) -> None:
    other = cluster(name)._replace(ref=ObjectRef("cluster.x-k8s.io/v1beta1", "Cluster", name, "org", "b.yaml"))
    (note,) = notes(SET, [Membership(cluster(name)), Membership(other)])
    assert (note.code, note.severity.value) == ("ClusterAmbiguous", severity)


def test_clusters_that_only_a_name_suggests_are_named_once_for_each_name() -> None:
    memberships = [Membership(one, how="its name", is_certain=False) for one in (A, cluster("a", "other"), B)]
    _, *ambiguous = notes(SET, memberships)

    assert [note.code for note in ambiguous] == ["ClusterAmbiguous", "ClusterAmbiguous"]
    assert "`Cluster/org/a` and to `Cluster/other/a`" in ambiguous[0].message
    assert "`Cluster/org/b`" in ambiguous[1].message


def lacks(cluster: str, name: str) -> Missing:
    return Missing(name, (name,), (name,), cluster=cluster)


def test_each_cluster_is_named_with_the_facts_that_it_lacks() -> None:
    missing = (lacks("c/a", "podCIDRs"), lacks("c/b", "podCIDRs"), lacks("c/d", "podCIDRs"), lacks("c/d", "endpoint"))
    said = [*notes(SET._replace(missing=missing), [Membership(A)])]
    assert [(note.clusters, "endpoint" in note.fact) for note in said] == [(("c/a", "c/b"), False), (("c/d",), True)]


def test_an_object_of_no_known_cluster_is_told_the_label_that_names_one() -> None:
    (result,) = notes(SET._replace(missing=(lacks("", "endpoint"),)), [])
    assert "`cluster.x-k8s.io/cluster-name`" in result.message
    (line,) = [line for line in missing_facts_lines([result]) if "endpoint" in line]
    assert "label cluster.x-k8s.io/cluster-name" in line


FACTS = ("podCIDRs", "serviceCIDRs", "endpoint", "infrastructure", "networks")


@pytest.mark.parametrize("fact", FACTS)
def test_what_stands_for_a_fact_in_the_report_is_no_value_of_a_proxy_config(fact: str) -> None:
    (result,) = notes(SET._replace(missing=(lacks("c/a", fact),)), [Membership(A)])
    defaults = read("\n".join(missing_facts_lines([result])))["clusterDefaults"]
    assert [*defaults] == [fact]
    with pytest.raises(ConfigError):
        loaded(httpProxy=PROXY, clusterDefaults=defaults)
