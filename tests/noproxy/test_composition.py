"""From what the user wrote and what is known of the clusters to one list with reasons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from function_configs import ALL_DERIVED
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.noproxy import Audience, Entry, Policy, Style, composition, join, policy

NO_FACTS = ALL_DERIVED - {"clusterDomain"}
NAMES = "svc,.svc,cluster.local,.cluster.local,.svc.cluster.local.,kubernetes,kubernetes.default"
ALWAYS = f"localhost,127.0.0.1,{NAMES}"


def entries(text: str, source: str = "spec.noProxy") -> tuple[Entry, ...]:
    return tuple(Entry.from_config(part, f"{source}[{at}]") for at, part in enumerate(text.split(","))) if text else ()


def facts_of(text: str, source: str) -> tuple[Fact, ...]:
    parts = text.split(",") if text else []
    return tuple(Fact(part, config_field=f"{source}[{at}]") for at, part in enumerate(parts))


def network(pods: str = "", services: str = "", *, domain: str = "", endpoint: str = "", **rest: str) -> ClusterNetwork:
    return ClusterNetwork(
        pod_cidrs=facts_of(pods, "pods"),
        service_cidrs=facts_of(services, "services"),
        service_domain=(Fact(domain, config_field="spec.clusterNetwork.serviceDomain"),) if domain else (),
        endpoint=(Fact(endpoint, config_field="spec.controlPlaneEndpoint.host"),) if endpoint else (),
        **{name: (Fact(text),) for name, text in rest.items() if text},
    )


def composed(
    user: str = "",
    *networks: ClusterNetwork,
    style: Style = Style.PORTABLE,
    audience: Audience = Audience.NODE,
    policy: Policy | None = None,
) -> str:
    wanted = (policy or Policy())._replace(style=style)
    return join(composition.compose(entries(user), networks, wanted, audience))


DOCUMENTS = network("100.96.0.0/11", "100.64.0.0/13", domain="cluster.local", endpoint="178.170.32.59")
DUAL = network("192.168.0.0/16,fd01::/48", "10.96.0.0/12,fd02::/112", endpoint="10.0.0.7")


@pytest.mark.parametrize("audience", Audience)
def test_verbatim_is_what_was_written(audience: Audience) -> None:
    assert composed("b,a,b", DUAL, style=Style.VERBATIM, audience=audience) == "b,a,b"


@pytest.mark.parametrize("style", Style)
def test_everything_alone_stays_alone_but_where_another_program_adds_to_it(style: Style) -> None:
    assert (composed("*", DOCUMENTS, style=style) == "*") is (style is not Style.GIANT_SWARM)


def test_pods_of_a_cluster_without_ipv4_call_the_services_of_the_cloud_by_ipv6() -> None:
    """EKS user guide, "EKS Pod Identity": with a proxy, NO_PROXY of pods must hold [fd00:ec2::23]."""
    for pods, services, expected in (("2600:1f14::/56", "fd64::/108", True), ("10.1.0.0/16", "fd64::/108", False)):
        on_eks = network(pods, services, infrastructure="AWSManagedControlPlane")
        texts = composed("", on_eks, audience=Audience.POD).split(",")
        assert ("fd00:ec2::23" in texts) is expected


def test_nodes_and_pods() -> None:
    facts = network()
    user = "[FD00::A]:443,fd00::/8,straße.de,${X}"
    node = f"fd00::a,fd00::/8,straße.de,${{X}},{ALWAYS}"
    assert composed(user, facts) == node
    assert composed(user, facts, audience=Audience.GO) == node, "Go reads every form, as it does on a node"
    assert composed(user, facts, audience=Audience.POD) == f"fd00::a,${{X}},{ALWAYS}"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        pytest.param(
            Policy(without=ALL_DERIVED, extra=entries("C.d,10.1.2.3/16")),
            "a.b,.a.b,c.d,.c.d,10.1.0.0/16",
            id="extra entries at the end, in their portable forms",
        ),
        pytest.param(Policy(without=ALL_DERIVED, exclude=("*a.b",)), "", id="a glob takes both forms"),
        pytest.param(Policy(without=ALL_DERIVED, exclude=("[a].b*",)), "a.b,.a.b", id="brackets mean themselves"),
        pytest.param(
            Policy(without=NO_FACTS, exclude=("kube*",)),
            "a.b,.a.b,svc,.svc,cluster.local,.cluster.local,.svc.cluster.local.",
            id="rooted names behind those of the domain, by default",
        ),
        pytest.param(
            Policy(without=NO_FACTS, exclude=("kube*", "svc", "cluster.local", ".cluster.local")),
            "a.b,.a.b,.svc",
            id="rooted names go with the domain that is excluded",
        ),
    ],
)
def test_the_policy(policy: Policy, expected: str) -> None:
    assert composed("a.b", DOCUMENTS, policy=policy) == expected


@pytest.mark.parametrize("audience", [Audience.NODE, Audience.POD])
@pytest.mark.parametrize("style", [style for style in Style if style is not Style.VERBATIM])
def test_rooted_names_are_in_portable_by_default_and_in_others_on_demand(style: Style, audience: Audience) -> None:
    facts = network(domain="prod.local")

    def has_them(rooted: bool | None) -> bool:
        text = composed("a", facts, style=style, audience=audience, policy=Policy(rooted=rooted))
        return ".svc.prod.local." in text.split(",")

    assert has_them(None) is (style is Style.PORTABLE)
    assert has_them(True)
    assert not has_them(False)


FIRST = "rule: first address of the service CIDR 10.96.0.0/12 (for clients that read no CIDRs)"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(
            "10.96.0.1",
            ("`spec.noProxy[0]`", "`services[0]`", FIRST),
            id="an entry has both of its reasons"
        ),
        pytest.param("a.b", ("`spec.noProxy[1]`", 'written "A.b:80"'), id="an entry that was written otherwise"),
        pytest.param(".c.d", ("`spec.noProxy[3]`", f"rule: {policy.TWIN}"), id="the dotted form"),
        pytest.param("10.96.0.0/12", ("`services[0]`",), id="a fact"),
    ],
)  # fmt: skip
def test_every_entry_has_its_reasons(text: str, why: tuple[str, ...]) -> None:
    found = composition.compose(
        entries("10.96.0.1,A.b:80,10.9.9.9/32,c.d,10.7.1.2/16"),
        (network("", "10.96.0.0/12"),),
        Policy(extra=(Entry.from_config("e.f", "spec.noProxyPolicy.extra[0]"),)),
        Audience.NODE,
    )
    assert {entry.text: entry.why for entry in found}[text] == why
    assert all(entry.why for entry in found)


CIDRS = st.sampled_from(["10.0.0.0/8", "10.96.0.0/12", "fd00::/8", "fd02::/112", "0.0.0.0/0", "10.1.2.3/32"])
USERS = st.lists(
    st.sampled_from(["a.b", ".c", "*.d", "*", "10.1.*", "[::1]", "svc", "A.b", "${X}", "x:80"]), max_size=5
)
NETWORKS = st.lists(
    st.builds(lambda pods, services, kind: network(pods, services, infrastructure=kind), CIDRS, CIDRS,
              st.sampled_from(["", "AWSCluster", "GCPCluster"])), max_size=3,
)  # fmt: skip


@given(USERS, NETWORKS, st.sampled_from(Style), st.sampled_from([Audience.NODE, Audience.POD, Audience.GO]))
def test_what_holds_for_a_list(user: list[str], nets: list[ClusterNetwork], style: Style, audience: Audience) -> None:
    first = composed(",".join(user), *nets, style=style, audience=audience)
    assert composed(",".join(user), *nets, *nets, style=style, audience=audience) == first, "known twice is known once"
    assert ",," not in first
    assert not first.startswith(",")
    if style is Style.PORTABLE:
        again = composed(first, *nets, audience=audience).split(",")
        assert set(first.split(",")) <= set(again), "its own list as the user's loses nothing"
        assert len(set(first.split(","))) == len(first.split(","))
