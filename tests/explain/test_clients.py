"""The rows of clients against what was measured: what the real client did (.NET: what its source says)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.explain.clients import CLIENTS


def cell(client: str, no_proxy: str, host: str, port: int) -> str:
    """``D`` direct, ``·`` through the proxy, ``!`` an exception: the signs of the matrix."""
    row = CLIENTS[client]
    if row.breaks_on(no_proxy):
        return "!"
    return "D" if row.goes_direct(no_proxy, host, port) else "·"


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
    ("svc", "kubernetes.default.svc", 80, "D DDD DDD DDDDDD DD D·· D··"),
    (".svc", "kubernetes.default.svc", 80, "D DDD ·DD DDDDDD DD DDD DD·"),
    ("example.com:8080", "example.com", 80, "· ··· ··· ······ ·· ··· ···"),
    (" ", "example.com", 80, "· ··· ··· ······ ·· ··· ···"),
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


@pytest.mark.parametrize(
    ("no_proxy", "breaks"),
    [
        pytest.param("a,b.c,.d,10.0.0.0/8,fd00::1,b:8080", False, id="a list httpx can read"),
        pytest.param("bücher.example", True, id="a name beyond ASCII"),
        pytest.param("b\tc", True, id="a character that cannot be printed"),
    ],
)
def test_httpx_alone_breaks(no_proxy: str, breaks: bool) -> None:
    assert [key for key, row in CLIENTS.items() if row.breaks_on(no_proxy)] == ["httpx"] * breaks


@given(st.text(), st.sampled_from(["example.com", "10.1.2.3", "fd00::1", "bücher.example", ""]), st.integers(1, 65535))
def test_no_list_makes_a_row_raise(no_proxy: str, host: str, port: int) -> None:
    for row in CLIENTS.values():
        assert row.goes_direct(no_proxy, host, port) in (True, False)
        assert row.breaks_on(no_proxy) in (True, False)
