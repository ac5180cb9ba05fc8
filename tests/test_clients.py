"""The models against what was measured: every cell of the matrix, and the facts around it.

A cell is what the real client did when it was run (.NET: what its source says); where a model and
a cell differ, the model is wrong.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import krm_fn.noproxy.clients
from krm_fn.noproxy.clients import CLIENTS

ROOM = Path(krm_fn.noproxy.clients.__file__).parent


def who_goes_direct(no_proxy: str, host: str, port: int = 80) -> set[str]:
    return {client.ID for client in CLIENTS.values() if client.goes_direct(no_proxy, host, port)}


def cell(client: str, no_proxy: str, host: str, port: int) -> str:
    """``D`` direct, ``·`` through the proxy, ``!`` an exception: the signs of the matrix."""
    model = CLIENTS[client]
    if model.breaks_on(no_proxy):
        return "!"
    return "D" if model.goes_direct(no_proxy, host, port) else "·"


# --- what must go through the proxy ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("no_proxy", "host", "wrongly_direct"),
    [
        pytest.param("example.com", "notexample.com", {"apt", "lwp"}, id="a name that only ends in the same letters"),
        pytest.param(".example.com", "notexample.com", {"websocket-client"}, id="the same beside a dotted entry"),
        pytest.param("10.1.2.3", "110.1.2.3", {"apt", "lwp"}, id="an address that only ends in the same digits"),
        pytest.param("10.1.2.3", "10.1.2.30", set(), id="an address that begins with the same digits"),
        pytest.param("example.com", "example.org", set(), id="another name"),
        pytest.param("example.com", "example.com.evil.org", set(), id="a name that only begins so"),
        pytest.param("10.96.0.0/12", "10.112.0.1", set(), id="the first address behind a network"),
        pytest.param("10.96.0.0/12", "10.95.255.255", set(), id="the last address before a network"),
        pytest.param("fd00::/8", "fe00::1", set(), id="an address behind a network of IPv6"),
        pytest.param("10.0.0.0/33", "10.1.2.3", set(), id="a prefix that is too long"),
        pytest.param("fd00::/129", "fd00::1", set(), id="a prefix that is too long, of IPv6"),
        pytest.param("www.*.com", "www.example.com", set(), id="a star inside"),
        pytest.param("a;b", "a", set(), id="a semicolon"),
        pytest.param("10.1.2.", "10.1.2.3", set(), id="the beginning of an address"),
        pytest.param("example.com:8080", "example.com", set(), id="an entry for another port"),
        pytest.param("", "example.com", set(), id="no list at all"),
        pytest.param(" ", "example.com", set(), id="a blank list"),
    ],
)
def test_a_host_that_is_not_in_the_list_goes_through_the_proxy(
    no_proxy: str, host: str, wrongly_direct: set[str]
) -> None:
    assert who_goes_direct(no_proxy, host) == wrongly_direct


# --- the matrix ------------------------------------------------------------------------------------------------------

COLUMNS = (
    *("go", "curl-old", "curl", "curl-8.18", "wget-old", "wget", "apt"),
    *("urllib", "requests", "httpx", "aiohttp", "botocore", "kubernetes-python", "ruby", "lwp"),
    *("undici", "node", "proxy-from-env", "reqwest", "dotnet", "java"),
)

# The list, the host, the port, and a sign per column: Go, curl, wget and apt, Python, Ruby and Perl, Node, the rest.
MATRIX = (
    ("example.com", "example.com", 80, "D DDD DDD DDDDDD DD DDD DDD"),
    ("example.com", "sub.example.com", 80, "D DDD DDD DDDDDD DD D·· D··"),
    ("example.com", "notexample.com", 80, "· ··· ··D ······ ·D ··· ···"),
    ("example.com", "example.com.", 80, "· ·DD ··· ······ ·· ··· ···"),
    (".example.com", "example.com", 80, "· DDD ··· DD·DDD ·· DD· DD·"),
    (".example.com", "sub.example.com", 80, "D DDD ·DD DDDDDD DD DDD DD·"),
    ("*.example.com", "sub.example.com", 80, "D ··· ··· ······ ·· DDD ··D"),
    ("*.example.com", "example.com", 80, "· ··· ··· ······ ·· D·· ···"),
    ("*", "host.invalid", 80, "D DDD ··· DDDDDD ·· DDD D·D"),
    ("foo.test,*", "host.invalid", 80, "D ··· ··· ··D··D ·· ·DD D·D"),
    ("EXAMPLE.COM", "example.com", 80, "D DDD DDD DDDDDD D· DDD DDD"),
    ("example.com.", "example.com", 80, "· ·DD ··· ······ ·· ··· ···"),
    ("example.com:8080", "example.com", 8080, "D ··· ··· DDD·DD D· DDD ···"),
    ("10.1.2.3:6443", "10.1.2.3", 6443, "D ··· ··· D·D·DD D· DDD ···"),
    ("10.1.2.3", "10.1.2.3", 80, "D DDD DDD DDDDDD DD DDD DDD"),
    ("10.1.2.3", "110.1.2.3", 80, "· ··· ··D ······ ·D ··· ···"),
    ("10.0.0.0/8", "10.1.2.3", 80, "D ·DD ··· ·D···D D· ··· D··"),
    ("10.1.2.3/8", "10.9.9.9", 80, "D ·DD ··· ·D···D D· ··· D··"),
    ("10.1.2.3/32", "10.1.2.3", 80, "D ·DD ··· ·DD··D D· ··· D··"),
    ("0.0.0.0/0", "10.1.2.3", 80, "D ··· ··· ·····D D· ··· D··"),
    ("10.1.2.*", "10.1.2.3", 80, "· ··· ··· ······ ·· ··· ··D"),
    ("10.1.2.", "10.1.2.3", 80, "· ··· ··· ······ ·· ··· ···"),
    ("10.1.2.1-10.1.2.9", "10.1.2.3", 80, "· ··· ··· ······ ·· ·D· ···"),
    ("2.3", "10.1.2.3", 80, "· D·· DDD DDDDDD DD D·· ···"),
    ("fd00::1", "fd00::1", 80, "D DDD DDD ·DDD·D ·D ·D· D··"),
    ("[fd00::1]", "fd00::1", 80, "· ··· ··· D·!·DD ·· D·D ·DD"),
    ("[fd00::1]:6443", "fd00::1", 6443, "D ··· ··· D·!·DD ·· D·D ···"),
    ("fd00::/8", "fd00::1", 80, "D ··D ··· ··!··D ·· ··· D··"),
    ("", "localhost", 80, "D ··· ··· ······ D· ··· ···"),
    ("", "127.0.0.1", 80, "D ··· ··· ······ D· ··· ···"),
    ("a, b", "b", 80, "D DDD DD· DDDDDD DD DDD DD·"),
    ("a ,b", "a", 80, "D DDD ··· DDDDDD DD DDD DD·"),
    ("a b", "b", 80, "· DD· ··· ······ D· D·D ···"),
    ("a;b", "b", 80, "· ··· ··· ······ ·· ··· ···"),
    ("b\n", "b", 80, "D ··· ··· DDDDDD D· DDD DD·"),
    ('"b"', "b", 80, "· ··· ··· ······ ·· ··· ···"),
    ("http://b", "b", 80, "· ··· ··· ··D··· ·· ··· ···"),
    ("bücher.example", "xn--bcher-kva.example", 80, "D ··· ··· ··!D·· ·· ··· ···"),
    ("svc", "kubernetes.default.svc", 80, "D DDD DDD DDDDDD DD D·· D··"),
    (".svc", "kubernetes.default.svc", 80, "D DDD ·DD DDDDDD DD DDD DD·"),
    ("example.com,.example.com", "sub.example.com", 80, "D DDD DDD DDDDDD DD DDD DD·"),
    ("example.com,.example.com", "example.com", 80, "D DDD DDD DDDDDD DD DDD DDD"),
)


@pytest.mark.parametrize(
    ("no_proxy", "host", "port", "measured"),
    [pytest.param(*row, id=f"{row[1]}:{row[2]} with {row[0]!r}") for row in MATRIX],
)
def test_each_model_says_what_was_measured(no_proxy: str, host: str, port: int, measured: str) -> None:
    signs = dict(zip(COLUMNS, measured.replace(" ", ""), strict=True))
    assert {client: cell(client, no_proxy, host, port) for client in COLUMNS} == signs


# --- the rows beside the matrix --------------------------------------------------------------------------------------

CURL_FROM_7_87 = {"curl", "curl-8.9", "curl-8.18"}
AXIOS = {"proxy-from-env", "axios-1.15", "axios"}


@pytest.mark.parametrize(
    ("no_proxy", "host", "port", "direct"),
    [
        pytest.param("*example.com", "sub.example.com", 80, {*AXIOS, "java"}, id="a star without a dot"),
        pytest.param("*example.com", "notexample.com", 80, {*AXIOS, "java"}, id="which hits too much"),
        pytest.param("10.0.0/8", "10.1.2.3", 80, {"requests", "axios"}, id="a network with three octets"),
        pytest.param(
            "10.0.0.0/255.0.0.0", "10.1.2.3", 80, {"kubernetes-python", "ruby", "websocket-client"}, id="a netmask"
        ),
        pytest.param("10.0.0.0/33", "10.0.0.0", 80, {"httpx"}, id="httpx reads a URL with a path, not a network"),
        pytest.param("10.0.0.0/8:6443", "10.1.2.3", 6443, {"curl", "curl-8.9", "ruby"}, id="a network with a port"),
        pytest.param(
            "10.1.2.3/8",
            "10.9.9.9",
            80,
            {"go", *CURL_FROM_7_87, "requests", "kubernetes-python", "ruby", "reqwest", "axios"},
            id="host bits, which websocket-client alone minds",
        ),
        pytest.param(
            "fd00::1",
            "fd00:0:0::1",
            80,
            {
                "go",
                *CURL_FROM_7_87,
                "aiohttp",
                "kubernetes-python",
                "websocket-client",
                "reqwest",
                "node",
                "axios-1.15",
                "axios",
            },
            id="an address written in another way",
        ),
        pytest.param(
            "fd00::/7",
            "fdff::1",
            80,
            {"go", "curl-8.18", "kubernetes-python", "reqwest", "axios"},
            id="a prefix of IPv6 that ends inside a byte, with host bits",
        ),
        pytest.param(
            "fc00::/7",
            "fdff::1",
            80,
            {"go", "curl-8.18", "kubernetes-python", "websocket-client", "reqwest", "axios"},
            id="a prefix of IPv6 that ends inside a byte",
        ),
        pytest.param(
            "a b",
            "a",
            80,
            CURL_FROM_7_87 | {"curl-old", "ruby", "undici", *AXIOS},
            id="the first of two entries with a blank between them",
        ),
        pytest.param(
            "a b",
            "b",
            80,
            {"curl", "curl-old", "ruby", "undici", *AXIOS},
            id="the second, which curl from 8.9 does not reach",
        ),
        pytest.param(
            "a b,c",
            "c",
            80,
            set(CLIENTS) - {"curl-8.9", "curl-8.18"},
            id="and neither what stands behind the next comma",
        ),
        pytest.param("::1", "10.0.0.1", 80, {"ruby"}, id="what Ruby makes of IPv6 loopback"),
        pytest.param("b:", "b", 80, {"go", "httpx", "ruby"}, id="a port that is not there"),
        pytest.param("https://b", "b", 443, {"httpx"}, id="a URL, which httpx alone reads"),
        pytest.param("https://b", "b", 80, set(), id="for its scheme alone"),
        pytest.param("https://b:443", "b", 443, {"httpx"}, id="with the port of the scheme"),
        pytest.param("http://b", "b", 443, set(), id="a URL of the other scheme"),
        pytest.param("fd00::1/x", "fd00::1", 80, set(), id="a prefix that is no number"),
        pytest.param("10.1.2.3-10.1.2.9", "10.1.2.3", 80, {"node"}, id="the first address of a range"),
        pytest.param("10.1.2.1-10.1.2.3", "10.1.2.3", 80, {"node"}, id="the last address of a range"),
        pytest.param("10.1.2.1-10.1.2.9", "b", 80, set(), id="a name is in no range"),
        pytest.param(
            "10.1.2.3", "::ffff:10.1.2.3", 80, {"go", "apt", "lwp", "axios-1.15", "axios"}, id="IPv4 inside IPv6"
        ),
        pytest.param("10.0.0.0/8", "::ffff:10.1.2.3", 80, {"go", "axios"}, id="a network with IPv4 inside IPv6"),
        pytest.param("::ffff:10.0.0.0/104", "10.1.2.3", 80, {"go", "axios"}, id="a network of IPv4 inside IPv6"),
        pytest.param("a,,b", "example.com", 80, {"lwp"}, id="what Perl makes of two commas"),
        pytest.param(
            "*",
            "10.1.2.3",
            80,
            {
                "go",
                "curl-old",
                *CURL_FROM_7_87,
                "urllib",
                "requests",
                "httpx",
                "aiohttp",
                "botocore",
                "kubernetes-python",
                "httplib2",
                "websocket-client",
                "undici",
                "node",
                *AXIOS,
                "java",
            },
            id="a star, which lets no address go direct in reqwest",
        ),
        pytest.param(
            "example.com:443",
            "example.com",
            443,
            {"go", "ruby", "undici", "node", *AXIOS},
            id="a port that the URL does not write",
        ),
    ],
)
def test_only_these_go_direct(no_proxy: str, host: str, port: int, direct: set[str]) -> None:
    assert who_goes_direct(no_proxy, host, port) == direct


@pytest.mark.parametrize(
    ("no_proxy", "host", "port", "direct"),
    [
        pytest.param("10.96.0.0/12", "10.96.0.1", 443, {"axios"}, id="a CIDR is read from 1.20 on"),
        pytest.param("fd00::/8", "fd00::1", 443, {"axios"}, id="a CIDR of IPv6, too"),
        pytest.param("fd00::1", "fd00::1", 443, {"axios-1.15", "axios"}, id="IPv6 without brackets since 1.15"),
        pytest.param(".svc.cluster.local", "a.b.svc.cluster.local.", 80, {"axios-1.15", "axios"}, id="a final dot"),
        pytest.param("127.0.0.1", "localhost", 80, {"axios-1.15", "axios"}, id="loopback is one host"),
        pytest.param("foo.test,*", "10.1.2.3", 80, AXIOS, id="a star among others"),
        pytest.param("example.com", "sub.example.com", 80, set(), id="no version takes a name for a domain"),
    ],
)
def test_what_each_generation_of_axios_reads(no_proxy: str, host: str, port: int, direct: set[str]) -> None:
    assert who_goes_direct(no_proxy, host, port) & AXIOS == direct


@pytest.mark.parametrize("client", ["httpx", "urllib", "undici", "lwp", "httplib2"])
def test_an_address_in_upper_case_fails_where_text_is_compared(client: str) -> None:
    assert not CLIENTS[client].goes_direct("FD00::1", "fd00::1", 80)
    assert CLIENTS["go"].goes_direct("FD00::1", "fd00::1", 80)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1"])
def test_without_an_entry_only_go_and_ruby_leave_loopback_alone(host: str) -> None:
    assert who_goes_direct("", host) == {"go", "ruby"}


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1"])
def test_java_leaves_loopback_alone_as_soon_as_there_is_a_list(host: str) -> None:
    assert who_goes_direct("example.org", host) == {"go", "ruby", "java"}


# --- the lists of the documents, counted -----------------------------------------------------------------------------

NORMALISED = (
    "localhost,127.0.0.1,svc,.svc,cluster.local,.cluster.local,10.96.0.0/12,10.96.0.1,192.168.0.0/16,178.170.32.59,"
    "169.254.169.254,internal.corpdomain.net,.internal.corpdomain.net"
)
GIANT_SWARM = "cluster.local,10.96.0.0/12,192.168.0.0/16,178.170.32.59,internal.corpdomain.net,svc,127.0.0.1,localhost"
TKG = ".svc.cluster.local,.svc,localhost,127.0.0.1,10.96.0.0/12,192.168.0.0/16,.internal.corpdomain.net"

# The measurement counted git and PHP beside curl 7.88, and knew neither curl 8.9 nor axios 1.15 nor Java's own syntax.
MEASURED = {**dict.fromkeys(set(CLIENTS) - {"java", "curl-8.9", "axios-1.15", "axios"}, 1), "curl": 3}


def count(no_proxy: str, host: str, port: int = 443) -> int:
    return sum(times for ID, times in MEASURED.items() if CLIENTS[ID].goes_direct(no_proxy, host, port))


@pytest.mark.parametrize(
    ("host", "normalised", "giant_swarm", "tkg"),
    [
        pytest.param("quay.io", 0, 0, 0, id="a public registry is proxied everywhere"),
        pytest.param("8.8.8.8", 0, 0, 0, id="a public address is proxied everywhere"),
        pytest.param("svc.example.org", 0, 0, 0, id="a public name that begins like a domain of the cluster"),
        pytest.param("notinternal.corpdomain.net", 3, 2, 1, id="a neighbour of the domain escapes in few"),
        pytest.param("kubernetes.default.svc", 24, 20, 23, id="the name of the API server"),
        pytest.param("foo.ns.svc.cluster.local", 24, 20, 23, id="a service by its full name"),
        pytest.param("10.96.0.1", 24, 10, 10, id="the API server by its address, as every client in a pod knows it"),
        pytest.param("192.168.3.4", 10, 10, 10, id="a pod by its address has no form that all read"),
        pytest.param("169.254.169.254", 24, 0, 0, id="the metadata of the cloud"),
        pytest.param("internal.corpdomain.net", 24, 24, 16, id="the apex of a domain"),
        pytest.param("x.internal.corpdomain.net", 24, 20, 23, id="a name below a domain"),
    ],
)
def test_as_many_go_direct_as_were_counted(host: str, normalised: int, giant_swarm: int, tkg: int) -> None:
    port = 10250 if host == "192.168.3.4" else 443
    assert [count(text, host, port) for text in (NORMALISED, GIANT_SWARM, TKG)] == [normalised, giant_swarm, tkg]


# --- breaking --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("no_proxy", "named"),
    [
        pytest.param("a,b.c,.d,10.0.0.0/8,fd00::1,b:8080", "", id="a list httpx can read"),
        pytest.param("[fd00::1],*", "", id="a star saves it: no other entry is looked at"),
        pytest.param("a,[fd00::1]", '"[fd00::1]"', id="IPv6 in brackets"),
        pytest.param("a,fd00::/8", '"fd00::/8"', id="a network of IPv6"),
        pytest.param("bücher.example", '"bücher.example"', id="a name beyond ASCII"),
        pytest.param("b:x", '"b:x"', id="a port that is no number"),
        pytest.param("b\tc", '"b?c"', id="a character that cannot be printed"),
        pytest.param("u:secret@b:x", "`@`", id="what may be a credential is not repeated"),
    ],
)
def test_httpx_breaks_and_names_the_entry(no_proxy: str, named: str) -> None:
    reason = CLIENTS["httpx"].breaks_on(no_proxy)
    assert bool(reason) == bool(named)
    assert named in reason
    assert "secret" not in reason
    assert not reason or who_goes_direct(no_proxy, "a.example").isdisjoint({"httpx"})


def test_no_other_client_breaks() -> None:
    assert [ID for ID, model in CLIENTS.items() if model.breaks_on("[fd00::1],fd00::/8,bücher.example")] == ["httpx"]


# --- the package


def test_there_are_twenty_six_models_under_their_own_ids() -> None:
    assert len(CLIENTS) == 26
    assert [model.ID for model in CLIENTS.values()] == list(CLIENTS)
    assert set(COLUMNS) | {"curl-8.9", "httplib2", "websocket-client", "axios-1.15", "axios"} == set(CLIENTS)
    assert len({model.NAME for model in CLIENTS.values()}) == len(CLIENTS)


@given(st.text(), st.sampled_from(["example.com", "10.1.2.3", "fd00::1", "bücher.example", ""]), st.integers(1, 65535))
def test_no_list_makes_a_model_raise(no_proxy: str, host: str, port: int) -> None:
    for model in CLIENTS.values():
        assert model.goes_direct(no_proxy, host, port) in (True, False)
        assert "\n" not in model.breaks_on(no_proxy)


def test_the_room_knows_nothing_but_the_standard_library() -> None:
    allowed = {"__future__", "collections.abc", "dataclasses", "functools", "ipaddress", "re"}
    allowed.add("krm_fn.light_typing")  # names of types, which nothing reads in a run
    imported = {
        name
        for path in ROOM.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [str(node.module)]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert {name for name in imported if not name.startswith("krm_fn.noproxy.clients")} <= allowed
