"""The judge of a list: each problem is found where it is, and nothing in a list that is right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.explain.clients import CLIENTS
from krm_fn.krm.codes import OF_VALUES
from krm_fn.lint.judge_values import LONGEST, LONGEST_ON_NODES, Reader, corrected_list, judge_list, judge_url
from krm_fn.noproxy import Audience, Entry, Policy, join
from krm_fn.noproxy.composition import compose
from krm_fn.products.clouds import CLOUDS

LOOPBACK = "localhost,127.0.0.1"
NETWORK = ClusterNetwork(
    pod_cidrs=(Fact("192.168.0.0/16"),),
    service_cidrs=(Fact("10.96.0.0/12"),),
    service_domain=(Fact("prod.local"),),
    endpoint=(Fact("api.example.com"),),
    infrastructure=(Fact("AWSCluster"),),
)
NODE, POD = Audience.NODE, Audience.POD


def codes(text: str, audience: Audience = NODE, network: ClusterNetwork | None = None, **more: bool) -> list[str]:
    reader = Reader(audience, (network,) if network else ())
    return [problem.code for problem in judge_list(text, reader, **more)]


def composed(network: ClusterNetwork, audience: Audience = NODE) -> str:
    return join(compose((Entry("corp.example"),), (network,), Policy(), audience))


@pytest.mark.parametrize("audience", [NODE, POD])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(".corp,.lan,.internal,.home.arpa,.intranet,.local", id="suffixes that nobody owns"),
        pytest.param("8.8.8.0/24", id="public addresses that are meant"),
        pytest.param("fd00::abc0", id="an IPv6 address that Ruby does not misread"),
        pytest.param("${NO_PROXY},{{ .Values.A B }}", id="templates that others fill in"),
    ],
)
def test_a_list_without_a_problem(text: str, audience: Audience) -> None:
    text = f"{LOOPBACK},{text}".removesuffix(",")
    assert codes(text, audience) == []


@pytest.mark.parametrize("audience", [NODE, POD])
@pytest.mark.parametrize("infrastructure", ["VSphereCluster", *CLOUDS])
def test_the_composed_list_has_no_problem(audience: Audience, infrastructure: str) -> None:
    network = NETWORK._replace(infrastructure=(Fact(infrastructure),), region=(Fact("eu-west-1"),))
    text = composed(network, audience)
    assert codes(text, audience, network) == []
    assert corrected_list(text, Reader(audience, (network,))) == text


@pytest.mark.parametrize(
    ("text", "expected", "corrected"),
    [
        pytest.param("a;b", ["EntryForm"], "a,b", id="a semicolon"),
        pytest.param("a, b", ["EntryForm"], "a,b", id="a blank beside an entry"),
        pytest.param("*.a.b", ["EntryForm"], ".a.b", id="a glob"),
        pytest.param("*a.b", ["EntryUnread"], "*a.b", id="a glob that no entry can say"),
        pytest.param("10.1.2.3/8", ["EntryForm"], "10.0.0.0/8", id="host bits"),
        pytest.param("http://a:80/x", ["EntryForm"], "a", id="a URL"),
        pytest.param("fe80::a%eth0", ["EntryUnread"], "fe80::a%eth0", id="a zone"),
        pytest.param("a,*", ["ProxyNeverUsed"], "a,*", id="everything among others"),
        pytest.param("0.0.0.0/0", ["ProxyNeverUsed"], "", id="every IPv4 address"),
        pytest.param("0.0.0.0", ["EntryUnread"], "0.0.0.0", id="an address that no host has"),  # noqa: S104
        pytest.param("a.b", ["DomainForm"], "a.b,.a.b", id="a domain without its dotted form"),
        pytest.param("api.example.com", [], "api.example.com,.api.example.com", id="a name of three labels"),
        pytest.param("2.3", ["EntryTooBroad"], "2.3", id="the end of an address"),
        pytest.param("172.0.0.0/8", ["EntryTooBroad"], "172.0.0.0/8", id="a CIDR around a private network"),
        pytest.param("172.32.0.0/16", ["EntryTooBroad"], "172.32.0.0/16", id="public addresses that look private"),
        pytest.param("10.0.0.0/8,10.1.0.0/16", ["EntryNeedless"], "10.0.0.0/8,10.1.0.0/16", id="a CIDR in a CIDR"),
        pytest.param("b.c,.b.c,a.b.c", ["EntryNeedless"], "b.c,.b.c,a.b.c", id="a name under a domain"),
    ],
)
def test_each_problem_of_an_entry(text: str, expected: list[str], corrected: str) -> None:
    problems = judge_list(f"{LOOPBACK},{text}", Reader(NODE))
    assert [problem.code for problem in problems] == expected
    assert not any("\n" in problem.message for problem in problems)
    assert corrected_list(f"{LOOPBACK},{text}", Reader(NODE)) == f"{LOOPBACK},{corrected}".removesuffix(",")


@pytest.mark.parametrize(
    ("text", "node", "pod"),
    [
        pytest.param("fd00::/8", [], ["EntryUnread"], id="an IPv6 CIDR, which breaks httpx"),
        pytest.param("::1", [], ["EntryTooBroad"], id="loopback that Ruby reads as an end"),
    ],
)
def test_who_reads_the_list_matters(text: str, node: list[str], pod: list[str]) -> None:
    assert (codes(f"{LOOPBACK},{text}"), codes(f"{LOOPBACK},{text}", POD)) == (node, pod)


@pytest.mark.parametrize(
    ("text", "has_proxy", "expected"),
    [
        pytest.param("", True, ["ListEmpty"], id="an empty list beside a proxy"),
        pytest.param("a", False, [], id="a list without a proxy lacks nothing"),
        pytest.param("127.0.0.1", True, ["AddressNotListed"], id="no localhost"),
    ],
)
def test_what_a_list_needs_depends_on_the_proxy(text: str, has_proxy: bool, expected: list[str]) -> None:
    assert codes(text, has_proxy=has_proxy) == expected


@pytest.mark.parametrize(
    ("gone", "code", "missing"),
    [
        pytest.param({"192.168.0.0/16"}, "ClusterNotListed", "192.168.0.0/16", id="the pod CIDR"),
        pytest.param({"prod.local", ".prod.local", ".svc.prod.local."}, "ClusterNotListed", "prod.local", id="domain"),
        pytest.param({"svc", ".svc"}, "ClusterNotListed", "svc", id="the services"),
        pytest.param({"10.96.0.1"}, "AddressNotListed", "10.96.0.1", id="the API server's address"),
        pytest.param({"169.254.169.254"}, "AddressNotListed", "169.254.169.254", id="the metadata service"),
    ],
)
def test_what_a_cluster_needs(gone: set[str], code: str, missing: str) -> None:
    text = ",".join(entry for entry in composed(NETWORK).split(",") if entry not in gone)
    (problem,) = judge_list(text, Reader(NODE, (NETWORK,)))
    assert (problem.code, problem.proposed) == (code, missing)
    corrected = corrected_list(text, Reader(NODE, (NETWORK,)))
    assert missing in corrected.split(",")
    assert codes(corrected, NODE, NETWORK) == []


@pytest.mark.parametrize(
    ("covering", "gone"),
    [
        pytest.param("192.0.0.0/8", "192.168.0.0/16", id="a wider CIDR"),
        pytest.param(".example.com,example.com", "api.example.com", id="the domain of the endpoint"),
    ],
)
def test_what_another_entry_covers_is_not_missed(covering: str, gone: str) -> None:
    entries = [entry for entry in composed(NETWORK).split(",") if entry.strip(".") != gone]
    assert not {"ClusterNotListed", "AddressNotListed"} & set(codes(",".join([*entries, covering]), NODE, NETWORK))


def test_names_of_the_cluster_are_no_mistakes() -> None:
    assert "EntryTooBroad" in codes("cloud,.cloud")
    assert "EntryTooBroad" not in codes("cloud,.cloud", network=ClusterNetwork(service_domain=(Fact("cloud"),)))
    text = f"{LOOPBACK},example.net"
    assert codes(text) == ["DomainForm"]
    assert "DomainForm" not in codes(text, network=ClusterNetwork(endpoint=(Fact("example.net"),)))


@pytest.mark.parametrize(("longest", "audience"), [(LONGEST_ON_NODES, NODE), (LONGEST, POD)])
def test_a_list_may_be_too_long(longest: int, audience: Audience) -> None:
    reader = Reader(audience)
    judged = [judge_list("a" * length, reader, has_proxy=False) for length in (longest, longest + 1)]
    assert [["ListTooLong" in {problem.code for problem in problems}] for problems in judged] == [[False], [True]]


@pytest.mark.parametrize(
    "text",
    [
        *("http://user:S3,CRET@host:3128", "a,user:S3CRET@host", "http://u:S3 CRET@x,b", "S3@C"),
        *("Authorization: Basic S3CRET", "a;token=S3CRET", "proxy?x=S3CRET", "10.0.0.1: S3CRET", "x[::1]:,S3CRET"),
        *("S3＠CRET", "user：S3CRET", "user﹕S3CRET"),  # noqa: RUF001
    ],
)
def test_what_could_be_a_password_is_neither_repeated_nor_corrected(text: str) -> None:
    (problem,) = judge_list(text, Reader(NODE))
    assert problem.code == "PasswordInList"
    assert not any(part in f"{problem.message}{problem.proposed}" for part in ("S3", "CRET"))
    assert corrected_list(text, Reader(NODE)) == text


@pytest.mark.parametrize("cover", ["b.c,.b.c", "10.0.0.0/8"])
@pytest.mark.parametrize("text", ["a.b.c", ".a.b.c", "x.y.b.c", "10.1.0.0/16", "10.1.2.0/24"])
def test_hardly_any_program_needs_an_entry_that_is_said_to_be_needless(cover: str, text: str) -> None:
    hosts = ("a.b.c", "x.a.b.c", "b.c", "x.y.b.c", "c", "10.1.2.3", "10.1.0.0", "10.2.0.1")
    differing = {
        name
        for name, client in CLIENTS.items()
        for host in hosts
        if client.goes_direct(f"{cover},{text}", host, 443) != client.goes_direct(cover, host, 443)
    }
    if "EntryNeedless" in codes(f"{cover},{text}"):
        assert differing <= {"httpx", "java", "wget-old"}


PARTS = (
    "a.b svc .c.d *.e * A x:80 http://h/p bücher.de com z. straße.de 10.1.* 10.1.2.3/8 10.0.0.0/255.0.0.0 0.0.0.0/0 "
    "10.0.0.1-10.0.0.2 2.3 ::1 [fd00::A] fd00::/8 fe80::1%e localhost .api.example.com"
).split()
LISTS = st.lists(st.sampled_from([*PARTS, "", " ", "${A b}"]), max_size=6).flatmap(
    lambda parts: st.sampled_from([",", ", ", ";", " "]).map(lambda separator: separator.join(parts))
)


@given(LISTS, st.sampled_from([NODE, POD]), st.sampled_from([(), (NETWORK,)]))
def test_a_list_is_corrected_once_for_all(text: str, audience: Audience, networks: tuple[ClusterNetwork, ...]) -> None:
    corrected = corrected_list(text, Reader(audience, networks))
    assert corrected_list(corrected, Reader(audience, networks)) == corrected
    left = {problem.code for problem in judge_list(corrected, Reader(audience, networks), has_proxy=bool(corrected))}
    assert not left & {"EntryForm", "ClusterNotListed", "AddressNotListed"} or "*" in corrected


@given(st.text(max_size=30))
def test_no_text_raises(text: str) -> None:
    for problem in judge_list(text, Reader(POD, (NETWORK,))):
        assert problem.code in OF_VALUES
    corrected_list(text, Reader(POD, (NETWORK,)))


URL_READER = Reader(Audience.NODE)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("http://proxy.example.com:3128", [], id="a host and a port"),
        pytest.param("http://user:p%40ss@10.0.0.1:3128", ["PasswordInClearText"], id="an encoded password"),
        pytest.param("${PROXY}", [], id="a template"),
        pytest.param("proxy:3128", ["UrlInvalid"], id="no scheme"),
        pytest.param(" http://proxy:3128\n", ["UrlInvalid"], id="blanks around it"),
        pytest.param("http://proxy/path", ["UrlInvalid"], id="a path"),
        pytest.param("http://u%zz@proxy:1", ["UrlInvalid"], id="a percent sign alone"),
        pytest.param("http://D\\u@proxy:1", ["UrlInvalid"], id="a Windows domain"),
        pytest.param("https://proxy:3128", ["UrlHttps"], id="TLS to the proxy"),
        pytest.param("http://proxy.example.com", ["UrlWithoutPort"], id="no port"),
    ],
)
def test_each_problem_of_a_url(url: str, expected: list[str]) -> None:
    assert [problem.code for problem in judge_url(url, URL_READER)] == expected


def test_what_is_right_depends_on_the_reader() -> None:
    assert judge_url("http://u:p@proxy:1", URL_READER._replace(in_secret=True)) == []
    assert judge_url("proxy:3128", URL_READER._replace(takes_host_and_port=True)) == []


@given(st.text(max_size=12), st.text(max_size=12))
def test_no_message_repeats_the_password(user: str, password: str) -> None:
    secret = f"Q{password}Q"
    for problem in judge_url(f"http://Z{user}Z:{secret}@proxy:3128", URL_READER):
        assert secret not in f"{problem.message}{problem.proposed}"
