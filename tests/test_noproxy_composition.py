"""From what the user wrote and what is known of the clusters to one list with reasons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.noproxy import ALL_DERIVED, Audience, Entry, Policy, Style, composition, styles

NAMES = "svc,.svc,cluster.local,.cluster.local,.svc.cluster.local.,kubernetes,kubernetes.default"
ALWAYS = f"localhost,127.0.0.1,{NAMES}"


def entries(text: str, source: str = "spec.noProxy") -> tuple[Entry, ...]:
    return tuple(Entry.of_config(part, f"{source}[{at}]") for at, part in enumerate(text.split(","))) if text else ()


def facts_of(text: str, source: str) -> tuple[Fact, ...]:
    parts = text.split(",") if text else []
    return tuple(Fact(part, config_field=f"{source}[{at}]") for at, part in enumerate(parts))


def network(
    pods: str = "", services: str = "", *, domain: str = "", endpoint: str = "", nodes: str = "", **rest: str
) -> ClusterNetwork:
    return ClusterNetwork(
        pod_cidrs=facts_of(pods, "pods"),
        service_cidrs=facts_of(services, "services"),
        service_domain=(Fact(domain, config_field="spec.clusterNetwork.serviceDomain"),) if domain else (),
        endpoint=(Fact(endpoint, config_field="spec.controlPlaneEndpoint.host"),) if endpoint else (),
        networks=facts_of(nodes, "networks"),
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
    return composition.join(composition.compose(entries(user), networks, wanted, audience))


DOCUMENTS = network("100.96.0.0/11", "100.64.0.0/13", domain="cluster.local", endpoint="178.170.32.59")
DUAL = network("192.168.0.0/16,fd01::/48", "10.96.0.0/12,fd02::/112", endpoint="10.0.0.7")
V6 = network("fd01::/48", "fd02::/112", endpoint="fd00::7")


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        pytest.param("", "", id="nothing stays nothing"),
        pytest.param("b,a,b", "b,a,b", id="order and repetitions are the user's"),
        pytest.param("*", "*", id="no proxy at all"),
    ],
)
@pytest.mark.parametrize("audience", Audience)
def test_verbatim_is_what_was_written(user: str, expected: str, audience: Audience) -> None:
    assert composed(user, DUAL, style=Style.VERBATIM, audience=audience) == expected


@pytest.mark.parametrize(
    ("user", "facts", "expected"),
    [
        pytest.param(
            "corp",
            network("2.0.0.0/8", "1.0.0.0/8", nodes="10.0.0.0/16", infrastructure="AWSCluster"),
            "corp,10.0.0.0/16,169.254.0.0/16,.svc.cluster.local,.svc,localhost,127.0.0.1,1.0.0.0/8,2.0.0.0/8",
            id="AWS: the VPC and link-local addresses behind the user's",
        ),
        pytest.param(
            "",
            network(infrastructure="AzureCluster"),
            "169.254.0.0/16,168.63.129.16,.svc.cluster.local,.svc,localhost,127.0.0.1",
            id="Azure: the wire server too",
        ),
        pytest.param("", V6, ".svc.cluster.local,.svc,localhost,127.0.0.1,::1,fd02::/112,fd01::/48", id="IPv6"),
    ],
)
def test_tkg(user: str, facts: ClusterNetwork, expected: str) -> None:
    assert composed(user, facts, style=Style.TKG) == expected


OPENSHIFT = network(
    "10.128.0.0/14", "172.30.0.0/16", endpoint="api-int.test.cluster.com", nodes="10.0.0.0/16",
    infrastructure="AWSCluster", region="us-west-2",
)  # fmt: skip


@pytest.mark.parametrize(
    ("user", "facts", "expected"),
    [
        pytest.param(
            "172.30.0.1,.foo.test.com,199.161.0.0/16",
            OPENSHIFT,
            ".cluster.local,.foo.test.com,.svc,.us-west-2.compute.internal,10.0.0.0/16,10.128.0.0/14,127.0.0.1,"
            "169.254.169.254,172.30.0.0/16,172.30.0.1,199.161.0.0/16,api-int.test.cluster.com,localhost",
            id="with the user's entries, as OpenShift's own test expects it",
        ),
        pytest.param(
            "",
            network(nodes="0.0.0.0/0,2001:db8::/32"),
            ".cluster.local,.svc,127.0.0.1,2001:db8::/32,localhost",
            id="a machine network that holds everything is left out",
        ),
        pytest.param("*", OPENSHIFT, "*", id="everything alone stays alone"),
    ],
)
def test_sorted(user: str, facts: ClusterNetwork, expected: str) -> None:
    assert composed(user, facts, style=Style.SORTED) == expected


@pytest.mark.parametrize(
    ("user", "networks", "expected"),
    [
        pytest.param("", (), ALWAYS, id="nothing known: what every cluster needs"),
        pytest.param("*", (DOCUMENTS,), "*", id="everything alone stays alone"),
        pytest.param("a.b,.c.d", (), f"a.b,.a.b,.c.d,{ALWAYS}", id="the user's entries first, never widened"),
        pytest.param(
            "localhost,.svc,A.b",
            (),
            f"localhost,.svc,svc,a.b,.a.b,127.0.0.1,{NAMES.removeprefix('svc,.svc,')}",
            id="the user's entries keep their place",
        ),
        pytest.param(
            "",
            (network(domain="prod.local"),),
            ALWAYS.replace("cluster.local", "prod.local"),
            id="a domain of its own in the place of cluster.local",
        ),
        pytest.param(
            "",
            (DOCUMENTS,),
            f"{ALWAYS},100.96.0.0/11,100.64.0.0/13,100.64.0.1,178.170.32.59",
            id="pods, services, the API server's address, the endpoint",
        ),
        pytest.param(
            "",
            (network(endpoint="API.example.com", nodes="10.0.0.0/16,0.0.0.0/0,10.9.9.9/32"),),
            f"{ALWAYS},api.example.com,10.0.0.0/16,10.9.9.9/32,10.9.9.9",
            id="an endpoint is exact, a network of one address gets the address",
        ),
        pytest.param(
            "",
            (network("1.0.0.0/8", "2.0.0.0/8"), network("1.0.0.0/8", "3.0.0.0/8", domain="b.local")),
            "localhost,127.0.0.1,svc,.svc,cluster.local,.cluster.local,b.local,.b.local,.svc.cluster.local.,"
            ".svc.b.local.,kubernetes,kubernetes.default,"
            "1.0.0.0/8,2.0.0.0/8,3.0.0.0/8,2.0.0.1,3.0.0.1",
            id="several clusters: the union, in order",
        ),
    ],
)
@pytest.mark.parametrize("audience", [Audience.NODE, Audience.POD])
def test_portable(user: str, networks: tuple[ClusterNetwork, ...], expected: str, audience: Audience) -> None:
    assert composed(user, *networks, audience=audience) == expected


@pytest.mark.parametrize(
    ("facts", "user", "node", "pod"),
    [
        pytest.param(
            DUAL,
            "",
            f"{ALWAYS.replace('127.0.0.1', '127.0.0.1,::1')},192.168.0.0/16,fd01::/48,10.96.0.0/12,fd02::/112,"
            "10.96.0.1,fd02::1,10.0.0.7",
            f"{ALWAYS},192.168.0.0/16,10.96.0.0/12,10.96.0.1,10.0.0.7",
            id="dual stack: pods do without IPv6, the API server has an IPv4 address",
        ),
        pytest.param(
            V6,
            "",
            f"{ALWAYS.replace('127.0.0.1', '127.0.0.1,::1')},fd01::/48,fd02::/112,fd02::1,fd00::7",
            f"{ALWAYS},fd02::1,fd00::7",
            id="IPv6 alone: pods get the two addresses of the API server",
        ),
        pytest.param(
            network(),
            "[FD00::A]:443,fd00::/8,straße.de,${X}",
            f"fd00::a,fd00::/8,straße.de,${{X}},{ALWAYS}",
            f"fd00::a,${{X}},{ALWAYS}",
            id="what makes httpx fail is not for pods, whoever wrote it",
        ),
        pytest.param(
            V6._replace(endpoint=(), infrastructure=(Fact("AWSCluster"),)),
            "",
            f"{ALWAYS.replace('127.0.0.1', '127.0.0.1,::1')},fd01::/48,fd02::/112,fd02::1,169.254.169.254,"
            "fd00:ec2::254",
            f"{ALWAYS},fd02::1,169.254.169.254",
            id="the IPv6 metadata address is for nodes",
        ),
    ],
)
def test_nodes_and_pods(facts: ClusterNetwork, user: str, node: str, pod: str) -> None:
    assert composed(user, facts) == node
    assert composed(user, facts, audience=Audience.GO) == node, "Go reads every form, as it does on a node"
    assert composed(user, facts, audience=Audience.POD) == pod


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        pytest.param(Policy(derive=frozenset()), "a.b,.a.b", id="nothing derived leaves the user's"),
        pytest.param(
            Policy(derive=ALL_DERIVED - {"serviceAddresses", "clusterDomain"}),
            "a.b,.a.b,localhost,127.0.0.1,100.96.0.0/11,100.64.0.0/13,178.170.32.59",
            id="all but what is switched off",
        ),
        pytest.param(
            Policy(derive=frozenset(), extra=entries("C.d,10.1.2.3/16")),
            "a.b,.a.b,c.d,.c.d,10.1.0.0/16",
            id="extra entries at the end, in their portable forms",
        ),
        pytest.param(
            Policy(derive=frozenset({"endpoint"}), exclude=("A.b", "178.170.32.59")),
            ".a.b",
            id="an exact entry goes, whoever put it in, and its twin stays",
        ),
        pytest.param(Policy(derive=frozenset(), exclude=("*a.b",)), "", id="a glob takes both forms"),
        pytest.param(Policy(derive=frozenset(), exclude=("[a].b*",)), "a.b,.a.b", id="brackets mean themselves"),
        pytest.param(
            Policy(derive=frozenset(), extra=entries("x"), exclude=("x",)), "a.b,.a.b", id="exclude comes last"
        ),
        pytest.param(
            Policy(derive=frozenset({"clusterDomain"}), exclude=("kube*",)),
            "a.b,.a.b,svc,.svc,cluster.local,.cluster.local,.svc.cluster.local.",
            id="rooted names behind those of the domain, by default",
        ),
        pytest.param(
            Policy(derive=frozenset({"clusterDomain"}), rooted=False, exclude=("kube*",)),
            "a.b,.a.b,svc,.svc,cluster.local,.cluster.local",
            id="rooted names are out where the policy says so",
        ),
        pytest.param(
            Policy(derive=frozenset({"clusterDomain"}), exclude=("kube*", "svc", "cluster.local", ".cluster.local")),
            "a.b,.a.b,.svc",
            id="rooted names go with the domain that is excluded",
        ),
    ],
)
def test_the_policy(policy: Policy, expected: str) -> None:
    assert composed("a.b", DOCUMENTS, policy=policy) == expected


@pytest.mark.parametrize("style", [style for style in Style if style is not Style.VERBATIM])
def test_what_tkg_stores_is_in_its_own_style(style: Style) -> None:
    of_tkg = composed("a.b", DOCUMENTS, style=Style.TKG)
    assert composed("a.b", DOCUMENTS, style=style, audience=Audience.TKG) == of_tkg


@pytest.mark.parametrize("style", Style)
def test_extra_and_exclude_count_in_every_style(style: Style) -> None:
    policy = Policy(extra=entries("extra.example"), exclude=("a.b", ".a.b"))
    found = composed("a.b,c.d", DOCUMENTS, style=style, policy=policy).split(",")
    assert "extra.example" in found
    assert "c.d" in found
    assert not {"a.b", ".a.b"} & set(found)


@pytest.mark.parametrize("audience", [Audience.NODE, Audience.POD])
@pytest.mark.parametrize("style", [style for style in Style if style is not Style.VERBATIM])
def test_rooted_names_are_in_portable_by_default_and_in_other_styles_on_demand(
    style: Style, audience: Audience
) -> None:
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
            id="an entry that two rules give has the reasons of both",
        ),
        pytest.param("a.b", ("`spec.noProxy[1]`", 'written "A.b:80"'), id="an entry that was written otherwise"),
        pytest.param("c.d", ("`spec.noProxy[3]`",), id="an entry as it was written"),
        pytest.param(".c.d", ("`spec.noProxy[3]`", f"rule: {styles.TWIN}"), id="the dotted form"),
        pytest.param("10.96.0.0/12", ("`services[0]`",), id="a fact"),
        pytest.param("e.f", ("`spec.noProxyPolicy.extra[0]`",), id="an extra entry"),
        pytest.param("cluster.local", ("rule: the domain of a cluster that declares none",), id="a default"),
    ],
)  # fmt: skip
def test_every_entry_has_its_reasons(text: str, why: tuple[str, ...]) -> None:
    found = composition.compose(
        entries("10.96.0.1,A.b:80,10.9.9.9/32,c.d,10.7.1.2/16"),
        (network("", "10.96.0.0/12"),),
        Policy(extra=(Entry.of_config("e.f", "spec.noProxyPolicy.extra[0]"),)),
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
def test_what_holds_for_every_list(
    user: list[str], nets: list[ClusterNetwork], style: Style, audience: Audience
) -> None:
    first = composed(",".join(user), *nets, style=style, audience=audience)
    assert composed(",".join(user), *nets, *nets, style=style, audience=audience) == first, "known twice is known once"
    assert ",," not in first
    assert not first.startswith(",")
    if style is Style.PORTABLE:
        again = composed(first, *nets, audience=audience).split(",")
        assert set(first.split(",")) <= set(again), "its own list as the user's loses nothing"
        assert len(set(first.split(","))) == len(first.split(","))
