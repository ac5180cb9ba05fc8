"""The rules about one list: each hits what it is for, and leaves the rest alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.krm.results import Severity
from shim import RULES, fix, lint_list
from krm_fn.noproxy import Audience, Entry, Policy, Style, providers
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.explain.clients import CLIENTS
from krm_fn.noproxy.composition import compose, join
from shim import LIST

LOOPBACK = "localhost,127.0.0.1"
NETWORK = ClusterNetwork(
    pod_cidrs=(Fact("192.168.0.0/16"),),
    service_cidrs=(Fact("10.96.0.0/12"),),
    service_domain=Fact("prod.local"),
    endpoint=Fact("api.example.com"),
    infrastructure=Fact("AWSCluster"),
)
COMPLETE = join(compose((), (NETWORK,), Policy(), Audience.NODE))
LONG = ",".join(f"host-{number:04}" for number in range(500))


def rules(
    text: str, *, audience: Audience = Audience.NODE, network: ClusterNetwork | None = None, **rest: bool
) -> list[str]:
    return [found.rule for found in lint_list(text, audience=audience, network=network, **rest)]


@pytest.mark.parametrize("audience", [Audience.NODE, Audience.POD])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LOOPBACK, id="loopback alone"),
        pytest.param(f"{LOOPBACK},example.com,.example.com", id="a domain in both forms"),
        pytest.param(f"{LOOPBACK},svc,.svc,cluster.local,.cluster.local", id="names inside the cluster"),
        pytest.param(f"{LOOPBACK},registry,kubernetes,kubernetes.default", id="short names of hosts"),
        pytest.param(f"{LOOPBACK},10.0.0.0/8,10.1.2.3", id="an address beside the CIDR that holds it"),
        pytest.param(f"{LOOPBACK},10.1.2.3/32,10.1.2.3", id="an address beside its own CIDR"),
        pytest.param(f"{LOOPBACK},fd00::abc0", id="an IPv6 address that Ruby does not misread"),
        pytest.param(f"{LOOPBACK},${{NO_PROXY}},{{{{ .Values.A B }}}}", id="templates that others fill in"),
        pytest.param(f"{LOOPBACK},metadata,metadata.google.internal,metadata.google.internal.", id="a rooted name too"),
        pytest.param(
            f"{LOOPBACK},cluster.local,.cluster.local,.svc.cluster.local.",
            id="a rooted name beside the domain around it",
        ),
        pytest.param(f"{LOOPBACK},10.0.0.1-10.0.0.1,10.0.0.1/32,10.0.0.1", id="a range beside its CIDRs"),
    ],
)
def test_a_list_without_a_problem(text: str, audience: Audience) -> None:
    assert lint_list(text, audience=audience) == []
    assert fix(text, audience=audience) == text


@pytest.mark.parametrize("audience", [Audience.NODE, Audience.POD])
@pytest.mark.parametrize("infrastructure", ["", "VSphereCluster", *providers.PROVIDERS])
def test_the_composed_list_has_no_problem(audience: Audience, infrastructure: str) -> None:
    kind = Fact(infrastructure) if infrastructure else None
    network = NETWORK._replace(infrastructure=kind, region=Fact("eu-west-1"))
    composed = join(compose((Entry("corp.example"),), (network,), Policy(), audience))
    assert lint_list(composed, audience=audience, network=network) == []
    assert fix(composed, audience=audience, network=network) == composed


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("exclude", [(), ("cluster.local",), (".cluster.local", "cluster.local")])
def test_no_style_writes_a_rooted_name_that_np029_finds(style: Style, exclude: tuple[str, ...]) -> None:
    network = ClusterNetwork(service_domain=Fact("cluster.local"))
    for rooted in (None, True, False) if not exclude else (None, False):
        policy = Policy(style=style, rooted=rooted, exclude=exclude)
        composed = join(compose((Entry("corp.example"),), (network,), policy, Audience.NODE))
        assert "DomainForm" not in rules(composed), composed


@pytest.mark.parametrize(
    ("rule", "text", "entry", "corrected"),
    [
        pytest.param("EntryForm", "a, b", "", "a,b", id="a blank behind a comma"),
        pytest.param("EntryForm", "a ,b", "", "a,b", id="a blank in front of a comma"),
        pytest.param("EntryForm", "a,b\n", "", "a,b", id="a line break at the end"),
        pytest.param("EntryForm", "a b", "a b", "a,b", id="a blank as separator"),
        pytest.param("EntryForm", "a;b", "a;b", "a,b", id="a semicolon as separator"),
        pytest.param("EntryForm", "a|b", "a|b", "a,b", id="the separator of Java"),
        pytest.param("DomainForm", "a.b", "a.b", "a.b,.a.b", id="a domain without its dotted form"),
        pytest.param("DomainForm", "svc", "svc", "svc,.svc", id="the services without it"),
        pytest.param("DomainForm", ".svc", ".svc", ".svc,svc", id="the services without the bare form"),
        pytest.param("DomainForm", ".a.b", ".a.b", "", id="a dotted form alone, which may be meant so"),
        pytest.param("EntryForm", "*.a.b", "*.a.b", ".a.b", id="a glob"),
        pytest.param("EntryForm", "*a.b", "*a.b", "", id="a glob that no entry can say"),
        pytest.param("EntryForm", "a.*.b", "a.*.b", "", id="a glob inside"),
        pytest.param("EntryForm", "10.1.*", "10.1.*", "10.1.0.0/16", id="octets and a star"),
        pytest.param("EntryForm", "10.1.", "10.1.", "10.1.0.0/16", id="octets and a dot"),
        pytest.param("EntryForm", "10.0.0.0-10.0.0.3", "10.0.0.0-10.0.0.3", "10.0.0.0-10.0.0.3,10.0.0.0/30", id="a range"),
        pytest.param("EntryForm", "fd00::-fd00::ff", "fd00::-fd00::ff", "fd00::/120", id="a range of IPv6"),
        pytest.param("ProxyNeverUsed", "a,*", "*", "", id="everything among others"),
        pytest.param("ProxyNeverUsed", "*", "*", "", id="everything alone"),
        pytest.param("ProxyNeverUsed", "0.0.0.0/0", "0.0.0.0/0", "", id="every IPv4 address"),
        pytest.param("ProxyNeverUsed", "::/0", "::/0", "", id="every IPv6 address"),
        pytest.param("EntryUnread", "10.0.0.0/33", "10.0.0.0/33", "", id="a prefix that is too long"),
        pytest.param("EntryUnread", "10.0.0/8", "10.0.0/8", "", id="three octets"),
        pytest.param("EntryUnread", "10.0.0.256", "10.0.0.256", "", id="an octet that is too large"),
        pytest.param("EntryUnread", "10.0.0.01", "10.0.0.01", "", id="a leading zero"),
        pytest.param("EntryUnread", "fd00::/129", "fd00::/129", "", id="an IPv6 prefix that is too long"),
        pytest.param("EntryUnread", "10.0.0.0/255.0.0.0", "10.0.0.0/255.0.0.0", "10.0.0.0/8", id="a netmask"),
        pytest.param("EntryForm", "10.1.2.3/8", "10.1.2.3/8", "10.0.0.0/8", id="host bits"),
        pytest.param("EntryForm", "fd00::1/64", "fd00::1/64", "fd00::/64", id="host bits of IPv6"),
        pytest.param("EntryForm", "a:80", "a:80", "a", id="a host and a port"),
        pytest.param("EntryForm", "10.1.2.3:6443", "10.1.2.3:6443", "10.1.2.3", id="an address and a port"),
        pytest.param("EntryForm", "[fd00::a]:6443", "[fd00::a]:6443", "fd00::a", id="an IPv6 address and a port"),
        pytest.param("EntryForm", "10.0.0.0/8:6443", "10.0.0.0/8:6443", "10.0.0.0/8", id="a CIDR and a port"),
        pytest.param("EntryForm", "http://a:80/x", "http://a:80/x", "a", id="a URL"),
        pytest.param("EntryForm", "a/", "a/", "a", id="a path"),
        pytest.param("EntryForm", "file:///x", "file:///x", "", id="a URL without a host"),
        pytest.param("EntryForm", "[fd00::a]", "[fd00::a]", "fd00::a", id="brackets"),
        pytest.param("EntryForm", "fd00:0::a", "fd00:0::a", "fd00::a", id="a long form"),
        pytest.param("EntryForm", "[fd00::]/8", "[fd00::]/8", "fd00::/8", id="brackets and a prefix"),
        pytest.param("EntryForm", "fe80::a%eth0", "fe80::a%eth0", "", id="a zone"),
        pytest.param("EntryForm", "A.b", "A.b", "a.b", id="capital letters"),
        pytest.param("EntryForm", "bücher.example", "bücher.example", "xn--bcher-kva.example", id="not ASCII"),
        pytest.param("EntryForm", "straße.de", "straße.de", "", id="a name that two standards convert differently"),
        pytest.param("AddressNotListed", "a", "", "a,localhost", id="localhost is missing"),
        pytest.param("AddressNotListed", "localhost", "", "localhost,127.0.0.1", id="its address is missing"),
        pytest.param("EntryTooBroad", "com", "com", "", id="a top level"),
        pytest.param("EntryUnread", "127.0.0.1/", "127.0.0.1/", "127.0.0.1", id="a slash without a prefix"),
        pytest.param("EntryUnread", "[::1]/", "[::1]/", "::1", id="a slash behind brackets"),
        pytest.param("EntryUnread", "0.0.0.0", "0.0.0.0", "", id="the address that no host has"),  # noqa: S104
        pytest.param("EntryTooBroad", "172.0.0.0/8", "172.0.0.0/8", "", id="a CIDR around a private network"),
        pytest.param("EntryTooBroad", "172.*", "172.*", "", id="octets and a star around a private network"),
        pytest.param("EntryTooBroad", "10.0.0.0/7", "10.0.0.0/7", "", id="one bit more than a private network"),
        pytest.param("EntryTooBroad", "192.168.0.0/15", "192.168.0.0/15", "", id="two networks of which one is private"),
        pytest.param("EntryTooBroad", "172.32.0.0/16", "172.32.0.0/16", "", id="public addresses that look private"),
        pytest.param("EntryTooBroad", "172.32.1.1", "172.32.1.1", "", id="one such address"),
        pytest.param("EntryUnread", "a..b", "a..b", "", id="an empty label"),
        pytest.param("EntryUnread", "$NO_PROXY", "", "", id="a variable of a shell"),
        pytest.param("EntryUnread", "https:", "", "", id="a scheme without a host"),
        pytest.param("EntryUnread", "..b", "..b", "", id="an empty label in front"),
        pytest.param("EntryTooBroad", "de", "de", "", id="a country"),
        pytest.param("EntryTooBroad", ".elb.amazonaws.com", ".elb.amazonaws.com", "", id="everyone's load balancers"),
        pytest.param("EntryTooBroad", "2.3", "2.3", "", id="the end of an address"),
        pytest.param("ListTooLong", LONG, "", "", id="longer than a drop-in can hold twice"),
        pytest.param("EntryNeedless", "a,a", "a", "", id="twice"),
        pytest.param("EntryNeedless", "a,,b", "", "a,b", id="an empty entry"),
        pytest.param("EntryNeedless", "10.0.0.0/8,10.1.0.0/16", "10.1.0.0/16", "", id="a CIDR in a CIDR"),
        pytest.param("EntryNeedless", ".b.c,a.b.c", "a.b.c", "", id="a name under a domain"),
        pytest.param("DomainForm", "a.b.", "a.b.", "a.b.,a.b", id="a rooted name alone"),
        pytest.param("EntryForm", '"a', '"a', "a", id="a quote in front"),
        pytest.param("EntryForm", "b'", "b'", "b", id="a quote behind"),
    ],
)
def test_each_rule_hits(rule: str, text: str, entry: str, corrected: str) -> None:
    found = [reported for reported in lint_list(text, audience=Audience.NODE) if reported.rule == rule]
    assert (entry, corrected) in {(reported.entry, reported.corrected) for reported in found}
    for reported in found:
        assert "\n" not in reported.message
        assert not reported.corrected or reported.corrected in reported.message or reported.entry == ""


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        pytest.param("ListEmpty", "*", id="everything is not an empty list"),
        pytest.param("EntryForm", "a,b,c", id="commas alone"),
        pytest.param("EntryForm", "{{ .Values.noProxy }},a", id="blanks inside a template"),
        pytest.param("DomainForm", "a.b,.a.b", id="both forms"),
        pytest.param("DomainForm", ".a.b,a.b", id="both forms, the other way round"),
        pytest.param("DomainForm", "localhost", id="a short name"),
        pytest.param("DomainForm", "10.1.2.3", id="an address is no domain"),
        pytest.param("DomainForm", "*.a.b", id="a glob is for EntryForm"),
        pytest.param("DomainForm", "a.b.", id="a rooted name is for DomainForm"),
        pytest.param("EntryForm", "*", id="everything is for ProxyNeverUsed"),
        pytest.param("EntryForm", ".a.b", id="a leading dot is no glob"),
        pytest.param("EntryForm", "10.1.2.3", id="an address is no glob"),
        pytest.param("EntryForm", "ip-10-0-0-1.ec2.internal", id="hyphens make no range"),
        pytest.param("ProxyNeverUsed", "*.a", id="a glob is not everything"),
        pytest.param("ProxyNeverUsed", "0.0.0.0/1", id="half of everything"),
        pytest.param("ProxyNeverUsed", "10.0.0.0", id="an address that ends in zeros"),
        pytest.param("EntryUnread", "10.0.0.0/32", id="the longest prefix"),
        pytest.param("EntryUnread", "fd00::/128", id="the longest prefix of IPv6"),
        pytest.param("EntryUnread", "10.1.*", id="octets and a star are for EntryForm"),
        pytest.param("EntryUnread", "2.3", id="two numbers are for EntryTooBroad"),
        pytest.param("EntryUnread", "1a.example", id="a name that begins with a number"),
        pytest.param("EntryUnread", "cafe.de", id="a name of hexadecimal letters"),
        pytest.param("EntryForm", "10.0.0.0/8", id="no bits behind the prefix"),
        pytest.param("EntryForm", "10.0.0.0/255.0.0.0", id="a netmask is for EntryUnread"),
        pytest.param("EntryForm", "fd00::6443", id="the last group of an IPv6 address is no port"),
        pytest.param("EntryForm", "http://a:80", id="the port of a URL is for EntryForm"),
        pytest.param("EntryForm", "10.0.0.0/8", id="a prefix is no path"),
        pytest.param("EntryForm", "[fd00::]/8", id="a prefix behind brackets neither"),
        pytest.param("EntryForm", "10.0.0.0/33", id="nor one that is too long"),
        pytest.param("EntryForm", "fd00::1", id="the short form"),
        pytest.param("EntryForm", "fd00::/8", id="an IPv6 CIDR on nodes"),
        pytest.param("EntryForm", "a:80", id="a port is no IPv6"),
        pytest.param("EntryTooBroad", "::1", id="nodes have no Ruby"),
        pytest.param("EntryForm", "${NO_PROXY}", id="capitals inside a template"),
        pytest.param("EntryForm", "xn--bcher-kva.example", id="an A-label"),
        pytest.param("AddressNotListed", "a", id="an infrastructure that is not known"),
        pytest.param("AddressNotListed", "127.0.0.1,localhost", id="loopback in any order"),
        pytest.param("AddressNotListed", "*", id="everything holds loopback"),
        pytest.param("EntryTooBroad", "registry", id="a host's short name"),
        pytest.param("EntryTooBroad", "svc,.svc,cluster.local", id="names inside the cluster"),
        pytest.param("EntryTooBroad", "s3.eu-west-1.amazonaws.com", id="one service of a cloud"),
        pytest.param("EntryTooBroad", "10.1.2.3", id="an address"),
        pytest.param("EntryTooBroad", ".corp,.lan,.internal,.home.arpa,.intranet,.local", id="suffixes that nobody owns"),
        pytest.param("EntryTooBroad", "10.0.0.0/8,172.16.0.0/12,172.31.255.255,192.168.0.0/16", id="all of RFC 1918"),
        pytest.param("EntryTooBroad", "8.8.8.0/24", id="public addresses that are meant"),
        pytest.param("DomainForm", ".corp", id="a private suffix, which is no host"),
        pytest.param("DomainForm", ".b.c,b.c,a.b.c", id="a name that a dotted domain covers"),
        pytest.param("DomainForm", ".b.c,b.c,.a.b.c", id="a dotted name that another covers"),
        pytest.param("EntryUnread", "0.0.0.0/0", id="every address is for ProxyNeverUsed"),
        pytest.param("EntryForm", "127.0.0.1/", id="a slash is no port"),
        pytest.param("EntryUnread", "a.b.", id="a final dot"),
        pytest.param("EntryUnread", "10..1", id="numbers are for EntryUnread"),
        pytest.param("ListTooLong", LONG[:4_900], id="just short enough for a drop-in"),
        pytest.param("EntryNeedless", "10.0.0.0/8,10.1.2.3", id="an address in a CIDR"),
        pytest.param("EntryNeedless", "a.b,.a.b", id="the two forms of a domain"),
        pytest.param("EntryNeedless", "b.c,a.b.c", id="a name under a bare domain, which .NET reads as one host"),
        pytest.param("EntryNeedless", "10.0.0.0/8,11.0.0.0/16", id="two CIDRs side by side"),
        pytest.param("DomainForm", "a.b.,a.b", id="a rooted name beside the other"),
        pytest.param("DomainForm", "a.b,a.b.", id="in any order"),
        pytest.param("EntryForm", '{{ .Values.a | default "b" }}', id="quotes inside a template"),
    ],
)
def test_each_rule_leaves_its_neighbours_alone(rule: str, text: str) -> None:
    assert rule not in rules(text)


def test_the_domain_of_the_cluster_is_never_too_broad() -> None:
    network = ClusterNetwork(service_domain=Fact("cloud"))
    assert "EntryTooBroad" in rules("cloud,.cloud")
    assert "EntryTooBroad" not in rules("cloud,.cloud", network=network)
    assert "DomainForm" in rules("cloud", network=network)


def test_a_host_that_the_cluster_names_needs_no_dotted_form() -> None:
    text = f"{LOOPBACK},api.example.com,mirror.example.com"
    network = ClusterNetwork(
        endpoint=Fact("api.example.com"),
        mirrors=(Fact("mirror.example.com"),),
        networks=(Fact("node-1.example.com"), Fact("10.0.0.0/8")),
    )
    assert rules(text) == ["DomainForm", "DomainForm"]
    assert "DomainForm" not in rules(f"{text},node-1.example.com", network=network)
    assert "DomainForm" not in rules(text, network=network)
    assert ".api.example.com" not in fix(text, network=network).split(",")
    assert ".api.example.com" in fix(text).split(",")


COVERS = ("b.c", ".b.c", "b.c,.b.c", "10.0.0.0/8", "10.0.0.0/8,.b.c")
COVERED = ("a.b.c", ".a.b.c", "x.y.b.c", "10.1.0.0/16", "10.1.2.0/24")
CALLED = ("a.b.c", "x.a.b.c", "b.c", "y.b.c", "x.y.b.c", "c", "ab.c", "10.1.2.3", "10.1.0.0", "10.1.2.0", "10.2.0.1")


@pytest.mark.parametrize("cover", COVERS)
@pytest.mark.parametrize("text", COVERED)
def test_what_is_said_to_be_covered_is_so_in_the_clients_that_are_named(cover: str, text: str) -> None:
    reported = [one.message for one in lint_list(f"{cover},{text}", audience=Audience.NODE) if one.rule == "EntryNeedless"]
    differ = {
        name
        for name, client in CLIENTS.items()
        for host in CALLED
        if client.goes_direct(f"{cover},{text}", host, 443) != client.goes_direct(cover, host, 443)
    }
    for message in reported:
        allowed = {name for name, words in EXCEPTIONS.items() if words in message}
        assert differ <= allowed
        assert ("in every client" in message) == (not allowed)
        assert not differ or "almost" in message
    assert reported or differ


EXCEPTIONS = {"httpx": "httpx takes", "java": "not in Java", "wget-old": "wget before 1.20"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("b.c,.b.c,a.b.c", id="a name under a domain in both forms"),
        pytest.param("b.c,a.b.c", id="a name under a domain whose dotted form is added"),
        pytest.param(".b.c,.a.b.c", id="a dotted name under another"),
    ],
)
def test_no_form_is_added_that_another_entry_covers(text: str) -> None:
    corrected = fix(f"{LOOPBACK},{text}")
    added = set(corrected.split(",")) - set(text.split(","))
    reported = [
        one for one in lint_list(corrected, audience=Audience.NODE) if one.rule == "EntryNeedless" and one.entry in added
    ]
    assert reported == []
    assert {one.rule for one in lint_list(corrected, audience=Audience.NODE)} <= {"DomainForm", "EntryNeedless"}
    assert ".a.b.c" not in added


def test_a_limit_of_the_users_own_counts_instead() -> None:
    assert "ListTooLong" not in [reported.rule for reported in lint_list(LOOPBACK, audience=Audience.NODE, max_length=19)]
    (found,) = lint_list(LOOPBACK, audience=Audience.NODE, max_length=18)
    assert (found.rule, found.entry, found.severity) == ("ListTooLong", "", Severity.WARNING)
    assert "18 bytes" in found.message
    assert rules(LONG, audience=Audience.POD) == ["AddressNotListed", "AddressNotListed"], "no file holds the list of a pod twice"


@pytest.mark.parametrize("audience", [Audience.NODE, Audience.POD])
def test_problems_come_in_the_order_of_the_table(audience: Audience) -> None:
    found = rules('10.1.*,A:80, "q",http://h/,com,com', audience=audience, network=NETWORK)
    assert found == sorted(found)
    assert len(set(found)) >= 8


@pytest.mark.parametrize(
    ("rule", "text", "severity"),
    [
        pytest.param("ProxyNeverUsed", "*", Severity.WARNING, id="everything alone is a way to say no proxy"),
        pytest.param("ProxyNeverUsed", "a,*", Severity.ERROR, id="among others it is an accident"),
        pytest.param("DomainForm", "a.b", Severity.WARNING, id="a bare domain misses subdomains"),
        pytest.param("DomainForm", ".a.b", Severity.INFO, id="a dotted one may be meant so"),
        pytest.param("DomainForm", "api.example.com", Severity.INFO, id="a name of three labels may be a host"),
        pytest.param("EntryUnread", "0.0.0.0", Severity.WARNING, id="an address that no host has does no harm"),  # noqa: S104
        pytest.param("ListTooLong", "a" * 131_063, Severity.ERROR, id="Linux starts no program with it"),
        pytest.param("ListTooLong", "a" * 131_062, Severity.WARNING, id="one byte less, it does"),
    ],
)
def test_a_severity_that_depends_on_the_case(rule: str, text: str, severity: Severity) -> None:
    assert {reported.severity for reported in lint_list(text, audience=Audience.NODE) if reported.rule == rule} == {
        severity
    }


@pytest.mark.parametrize(
    ("text", "node", "pod"),
    [
        pytest.param("fd00::/8", [], ["EntryForm"], id="an IPv6 CIDR"),
        pytest.param("[fd00::a]", ["EntryForm"], ["EntryForm"], id="brackets"),
        pytest.param("::1", [], ["EntryTooBroad"], id="loopback that Ruby reads as an end"),
        pytest.param("a.b,.a.b", [], [], id="a name"),
    ],
)
def test_what_matters_for_pods(text: str, node: list[str], pod: list[str]) -> None:
    assert rules(f"{LOOPBACK},{text}") == node
    assert rules(f"{LOOPBACK},{text}", audience=Audience.POD) == pod
    for reported in lint_list(f"{LOOPBACK},{text}", audience=Audience.POD):
        assert reported.severity is (Severity.ERROR if reported.rule == "EntryForm" else Severity.WARNING)


@pytest.mark.parametrize(
    ("text", "has_proxy", "expected"),
    [
        pytest.param("", True, ["ListEmpty"], id="an empty list beside a proxy"),
        pytest.param(" ,", True, ["ListEmpty"], id="separators alone"),
        pytest.param("", False, [], id="an empty list without a proxy"),
        pytest.param("a", False, [], id="a list without a proxy lacks nothing"),
        pytest.param("a;b", False, ["EntryForm"], id="but its mistakes are mistakes"),
    ],
)
def test_whether_there_is_a_proxy(text: str, has_proxy: bool, expected: list[str]) -> None:
    assert rules(text, has_proxy=has_proxy) == expected


@pytest.mark.parametrize(
    ("gone", "rule", "missing"),
    [
        pytest.param({"192.168.0.0/16"}, "ClusterNotListed", "192.168.0.0/16", id="the pod CIDR"),
        pytest.param({"10.96.0.0/12"}, "ClusterNotListed", "10.96.0.0/12", id="the service CIDR"),
        pytest.param({"prod.local", ".prod.local", ".svc.prod.local."}, "ClusterNotListed", "prod.local", id="the domain"),
        pytest.param({"svc", ".svc"}, "ClusterNotListed", "svc", id="the services"),
        pytest.param({"api.example.com"}, "ClusterNotListed", "api.example.com", id="the endpoint"),
        pytest.param({"10.96.0.1"}, "AddressNotListed", "10.96.0.1", id="the API server's address"),
        pytest.param({"169.254.169.254"}, "AddressNotListed", "169.254.169.254", id="the metadata service"),
        pytest.param({"localhost"}, "AddressNotListed", "localhost", id="loopback"),
    ],
)
def test_what_a_cluster_needs(gone: set[str], rule: str, missing: str) -> None:
    text = ",".join(entry for entry in COMPLETE.split(",") if entry not in gone)
    found = lint_list(text, audience=Audience.NODE, network=NETWORK)
    assert [(reported.rule, reported.corrected) for reported in found] == [(rule, f"{text},{missing}")]
    assert f'"{missing}"' in found[0].message
    assert set(fix(text, network=NETWORK).split(",")) >= {missing, *text.split(",")}
    assert lint_list(fix(text, network=NETWORK), audience=Audience.NODE, network=NETWORK) == []
    assert rule not in rules(text) or rule == "AddressNotListed", "what is not known is not missed"


@pytest.mark.parametrize(
    ("covering", "gone"),
    [
        pytest.param("192.0.0.0/8", "192.168.0.0/16", id="a wider CIDR"),
        pytest.param(".example.com,example.com", "api.example.com", id="the domain of the endpoint"),
        pytest.param("169.254.0.0/16", "169.254.169.254", id="link-local addresses"),
        pytest.param("*", "prod.local", id="everything"),
    ],
)
def test_what_another_entry_covers_is_not_missed(covering: str, gone: str) -> None:
    text = ",".join([*(entry for entry in COMPLETE.split(",") if entry.strip(".") != gone), covering])
    assert not {"ClusterNotListed", "AddressNotListed"} & set(rules(text, network=NETWORK))


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(
            ClusterNetwork(pod_cidrs=(Fact("0.0.0.0/0"),)), id="a pod CIDR that holds everything is not asked for"
        ),
        pytest.param(
            ClusterNetwork(endpoint=Fact("[FD00::A]")), id="an endpoint in brackets is compared as an address"
        ),
        pytest.param(
            ClusterNetwork(endpoint=Fact("API.b.c"), mirrors=(Fact("M.b.c"),)), id="names are compared in lower case"
        ),
    ],
)
def test_facts_in_other_forms(network: ClusterNetwork) -> None:
    composed = join(compose((), (network,), Policy(), Audience.NODE))
    assert rules(composed, network=network) in ([], ["ProxyNeverUsed"])


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        pytest.param("*", "*", id="everything alone is for a person to decide"),
        pytest.param("http://user:SECRET@h", "http://user:SECRET@h", id="what may be a credential stays"),
        pytest.param("10.0.0/8", f"10.0.0/8,{LOOPBACK}", id="what cannot be known stays"),
        pytest.param("${X}", f"${{X}},{LOOPBACK}", id="templates stay"),
        pytest.param("10.0.0.1:, x", f"10.0.0.1,x,{LOOPBACK}", id="a colon behind an address goes"),
        pytest.param("10.1.0.0/16:", f"10.1.0.0/16,{LOOPBACK}", id="and behind a CIDR, which stays one"),
        pytest.param(
            ' "A.b" , *.x.y;c http://u:80/z,10.1.*,0.0.0.0/0',
            f"a.b,.a.b,.x.y,c,u,10.1.0.0/16,{LOOPBACK}",
            id="all that can be corrected",
        ),
        pytest.param("prod.local", f"prod.local,.prod.local,{LOOPBACK}", id="both forms of a domain"),
    ],
)
def test_fix(text: str, corrected: str) -> None:
    assert fix(text) == corrected


def test_fix_of_an_empty_list_is_the_composed_one() -> None:
    assert fix("", network=NETWORK) == COMPLETE
    assert fix("", has_proxy=False) == ""
    assert fix("0.0.0.0/0", network=NETWORK) == COMPLETE


def test_fix_for_pods_drops_what_httpx_fails_on() -> None:
    assert fix(f"{LOOPBACK},fd00::/8,[fd00::a]", audience=Audience.POD) == f"{LOOPBACK},fd00::a"


def test_fix_of_a_list_that_is_too_long_drops_what_others_cover() -> None:
    hosts = ",".join(f"host-{number:04}.corp.example" for number in range(300))
    text = f"{LOOPBACK},corp.example,.corp.example,{hosts},10.0.0.0/8,10.1.0.0/16,10.1.2.3"
    assert fix(text) == f"{LOOPBACK},corp.example,.corp.example,10.0.0.0/8,10.1.2.3"
    assert "10.1.0.0/16" in fix(f"{LOOPBACK},10.0.0.0/8,10.1.0.0/16"), "a short list keeps them"
    assert "10.1.0.0/16" not in fix(f"{LOOPBACK},10.0.0.0/8,10.1.0.0/16", max_length=10)


@pytest.mark.parametrize(
    "text",
    [
        *("http://user:S3,CRET@host:3128", "a,user:S3CRET@host", "http://u:S3 CRET@x,b", "S3@C"),
        *("kind: Secret token: S3CRET", "Authorization: Basic S3CRET", "a;token=S3CRET", "proxy?x=S3CRET"),
        *("10.0.0.1: S3CRET", "10.0.0.1:,S3:CRET", "user:,S3CRET", "1.user:, S3CRET", "x[::1]:,S3CRET"),
    ],
)
def test_no_problem_repeats_what_could_be_a_password(text: str) -> None:
    (found,) = lint_list(text, audience=Audience.NODE)
    assert found.rule == "EntryForm"
    assert not any(part in f"{found.message}{found.entry}{found.corrected}" for part in ("S3", "CRET"))


def test_the_table_is_in_order_and_complete() -> None:
    assert list(RULES) == [f"NP{number:03}" for number in range(1, 43)]


WITHOUT_PORT = ("10.0.0.1:, x", "a;10.0.0.1:;x", "10.0.0.0/8:|x", "[fd00::1]:,x")


@pytest.mark.parametrize("text", ["${A:=x y}", "{{ a == b }}", "fd00::, 10.0.0.0/8", "fd00:: a", "a: ", *WITHOUT_PORT])
def test_what_is_no_name_with_a_value_is_no_credential(text: str) -> None:
    assert "EntryForm" not in {found.rule for found in lint_list(text, audience=Audience.NODE)}


NAMES = [
    "a.b",
    "svc",
    ".c.d",
    "*.e",
    "*",
    "A",
    "x:80",
    "http://h/p",
    '"q"',
    "bücher.de",
    "com",
    "z.",
    "straße.de",
    "${A b}",
]
NUMBERS = ["10.1.*", "10.1.2.3/8", "10.0.0.0/255.0.0.0", "0.0.0.0/0", "10.0.0/8", "10.0.0.1-10.0.0.2", "2.3"]
OTHERS = [
    "::1",
    "[fd00::A]",
    "fd00::/8",
    "fe80::1%e",
    "",
    " ",
    "localhost",
    "${X}",
    "api.example.com",
    ".api.example.com",
]
LISTS = st.lists(st.sampled_from([*NAMES, *NUMBERS, *OTHERS]), max_size=6).flatmap(
    lambda parts: st.sampled_from([",", ", ", ";", " "]).map(lambda separator: separator.join(parts))
)


@given(LISTS, st.sampled_from([Audience.NODE, Audience.POD]), st.sampled_from([None, NETWORK, ClusterNetwork()]))
def test_after_fix_only_a_person_can_do_more(text: str, audience: Audience, network: ClusterNetwork | None) -> None:
    corrected = fix(text, audience=audience, network=network)
    assert fix(corrected, audience=audience, network=network) == corrected
    left = {
        reported.rule for reported in lint_list(corrected, audience=audience, network=network) if reported.corrected
    }
    assert left == set()


@given(st.text(max_size=30))
def test_no_text_raises(text: str) -> None:
    for reported in lint_list(text, audience=Audience.POD, network=NETWORK):
        assert RULES[reported.rule].about == LIST
    fix(text, network=NETWORK)
