"""What a list of each style is worth: which programs reach the hosts that decide whether a cluster works."""

from __future__ import annotations

import pytest

from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.explain.clients import CLIENTS
from krm_fn.explain.hosts import Reached, reached
from krm_fn.noproxy import Audience, Entry, Policy, Style, join
from krm_fn.noproxy.composition import compose

USER = ("172.16.0.0/16", "internal.corp.example")
INFRASTRUCTURES = {
    "AWSCluster": ("eu-west-1", "prod-1-apiserver-0123456789.eu-west-1.elb.amazonaws.com"),
    "AzureCluster": ("westeurope", "prod-1.westeurope.cloudapp.azure.com"),
    "VSphereCluster": ("", "192.0.2.10"),
}


def hosts(infrastructure: str, style: Style, audience: Audience = Audience.POD) -> list[Reached]:
    region, endpoint = INFRASTRUCTURES[infrastructure]
    network = ClusterNetwork(
        pod_cidrs=(Fact("192.168.0.0/16"),),
        service_cidrs=(Fact("10.96.0.0/12"),),
        service_domain=(Fact("cluster.local"),),
        endpoint=(Fact(endpoint),),
        infrastructure=(Fact(infrastructure),),
        region=(Fact(region),) if region else (),
    )
    entries = compose([Entry(text) for text in USER], [network], Policy(style), audience)
    return reached([(join(entries), [network])], USER, list(CLIENTS.values()))


@pytest.mark.parametrize("audience", [Audience.NODE, Audience.POD])
@pytest.mark.parametrize("infrastructure", INFRASTRUCTURES)
def test_every_program_but_java_reaches_what_is_inside_directly(infrastructure: str, audience: Audience) -> None:
    for host in hosts(infrastructure, Style.PORTABLE, audience):
        if host.host.should_be_direct:
            assert set(host.by_proxy) | set(host.failing) <= {CLIENTS["java"].NAME}, host.host.name


@pytest.mark.parametrize("style", [Style.PORTABLE, Style.GIANT_SWARM, Style.TKG])
@pytest.mark.parametrize("infrastructure", INFRASTRUCTURES)
def test_no_program_reaches_a_public_host_directly(infrastructure: str, style: Style) -> None:
    public = [host for host in hosts(infrastructure, style) if host.host.should_be_direct is False]

    assert public
    assert not any(host.direct for host in public)


def test_each_host_is_named_once_and_every_wrong_route_is_marked() -> None:
    """No list makes all programs reach a pod directly; who needs no metadata service does not read of it."""
    network = ClusterNetwork(pod_cidrs=(Fact("192.168.0.0/16"),), endpoint=(Fact("api.corp.example"),))
    written = ("api.corp.example", "169.254.169.254")
    rows = {}
    for row in reached([(",".join((*written, "192.168.0.0/16")), [network])], written, [*CLIENTS.values()]):
        assert not {row.host.name, *row.others} & rows.keys()
        rows.update(dict.fromkeys((row.host.name, *row.others), row))
    assert rows["169.254.169.254"].wrong == ()
    assert CLIENTS["wget"].NAME in rows["192.168.0.10"].wrong
    assert rows["kubernetes.default.svc"].wrong == rows["kubernetes.default.svc"].by_proxy
    without = reached([("localhost", [])], (), [*CLIENTS.values()])
    assert "169.254.169.254" not in [row.host.name for row in without]
