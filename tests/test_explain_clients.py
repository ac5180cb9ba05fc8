"""The rows of clients against what was measured: what the real client did (.NET: what its source says)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.explain.clients import CLIENTS


def who_goes_direct(no_proxy: str, host: str, port: int = 80) -> set[str]:
    return {client.ID for client in CLIENTS.values() if client.goes_direct(no_proxy, host, port)}


def cell(client: str, no_proxy: str, host: str, port: int) -> str:
    """``D`` direct, ``·`` through the proxy, ``!`` an exception: the signs of the matrix."""
    row = CLIENTS[client]
    if row.breaks_on(no_proxy):
        return "!"
    return "D" if row.goes_direct(no_proxy, host, port) else "·"


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
    ("10.1.2.3", "10.1.2.3", 80, "D DDD DDD DDDDDD DD DDD DDD"),
    ("10.0.0.0/8", "10.1.2.3", 80, "D ·DD ··· ·D···D D· ··· D··"),
    ("10.1.2.3/8", "10.9.9.9", 80, "D ·DD ··· ·D···D D· ··· D··"),
    ("10.1.2.", "10.1.2.3", 80, "· ··· ··· ······ ·· ··· ···"),
    ("fd00::1", "fd00::1", 80, "D DDD DDD ·DDD·D ·D ·D· D··"),
    ("[fd00::1]", "fd00::1", 80, "· ··· ··· D·!·DD ·· D·D ·DD"),
    ("fd00::/8", "fd00::1", 80, "D ··D ··· ··!··D ·· ··· D··"),
    ("foo.test", "localhost", 80, "D ··· ··· ······ D· ··· ··D"),
    ("foo.test", "127.0.0.1", 80, "D ··· ··· ······ D· ··· ··D"),
    ("a, b", "b", 80, "D DDD DD· DDDDDD DD DDD DD·"),
    ("a ,b", "a", 80, "D DDD ··· DDDDDD DD DDD DD·"),
    ("a b", "b", 80, "· DD· ··· ······ D· D·D ···"),
    ("a;b", "b", 80, "· ··· ··· ······ ·· ··· ···"),
    ('"b"', "b", 80, "· ··· ··· ······ ·· ··· ···"),
    ("svc", "kubernetes.default.svc", 80, "D DDD DDD DDDDDD DD D·· D··"),
    (".svc", "kubernetes.default.svc", 80, "D DDD ·DD DDDDDD DD DDD DD·"),
    ("example.com,.example.com", "sub.example.com", 80, "D DDD DDD DDDDDD DD DDD DD·"),
    ("example.com,.example.com", "example.com", 80, "D DDD DDD DDDDDD DD DDD DDD"),
)


@pytest.mark.parametrize(
    ("no_proxy", "host", "port", "measured"),
    [pytest.param(*row, id=f"{row[1]}:{row[2]} with {row[0]!r}") for row in MATRIX],
)
def test_each_row_says_what_was_measured(no_proxy: str, host: str, port: int, measured: str) -> None:
    signs = dict(zip(COLUMNS, measured.replace(" ", ""), strict=True))
    assert {client: cell(client, no_proxy, host, port) for client in COLUMNS} == signs


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


@pytest.mark.parametrize(
    ("no_proxy", "breaks"),
    [
        pytest.param("a,b.c,.d,10.0.0.0/8,fd00::1,b:8080", False, id="a list httpx can read"),
        pytest.param("a,[fd00::1]", True, id="IPv6 in brackets"),
        pytest.param("a,fd00::/8", True, id="a network of IPv6"),
        pytest.param("bücher.example", True, id="a name beyond ASCII"),
        pytest.param("b\tc", True, id="a character that cannot be printed"),
    ],
)
def test_httpx_alone_breaks(no_proxy: str, breaks: bool) -> None:
    assert [row.ID for row in CLIENTS.values() if row.breaks_on(no_proxy)] == ["httpx"] * breaks


def test_each_row_has_an_id_and_a_name_of_its_own() -> None:
    assert [row.ID for row in CLIENTS.values()] == list(CLIENTS)
    assert len({row.NAME for row in CLIENTS.values()}) == len(CLIENTS)


@given(st.text(), st.sampled_from(["example.com", "10.1.2.3", "fd00::1", "bücher.example", ""]), st.integers(1, 65535))
def test_no_list_makes_a_row_raise(no_proxy: str, host: str, port: int) -> None:
    for row in CLIENTS.values():
        assert row.goes_direct(no_proxy, host, port) in (True, False)
        assert row.breaks_on(no_proxy) in (True, False)
