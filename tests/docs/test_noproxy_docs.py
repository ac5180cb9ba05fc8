"""The page about NO_PROXY says what the code does."""

from __future__ import annotations

import re

import pytest

from function_configs import ALL_DERIVED
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.explain.clients import CLIENTS
from krm_fn.noproxy import Audience, Entry, Policy, Style, join
from krm_fn.noproxy.composition import compose
from support import ROOT

PAGE = (ROOT / "docs" / "no-proxy.md").read_text(encoding="utf-8")

DOCUMENTS = ClusterNetwork(
    pod_cidrs=(Fact("100.96.0.0/11"),),
    service_cidrs=(Fact("100.64.0.0/13"),),
    service_domain=(Fact("cluster.local"),),
    endpoint=(Fact("178.170.32.59"),),
)
USER = tuple(map(Entry, ("172.16.0.0/16", "internal.corpdomain.net", "example.com")))


@pytest.mark.parametrize("style", Style)
def test_the_example_of_each_style_is_its_output(style: Style) -> None:
    example = join(compose(USER, (DOCUMENTS,), Policy(style=style), Audience.NODE))
    assert f"\n{style.value}:\n    {example}\n" in PAGE


def test_every_name_that_can_be_derived_is_explained() -> None:
    explained = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert set(explained) >= ALL_DERIVED


NAMES = {
    "curl": "curl-old curl curl-8.9 curl-8.18", "curl from 7.86": "curl curl-8.9 curl-8.18",
    "curl from 8.18": "curl-8.18", "wget": "wget-old wget", "wget before 1.20": "wget-old", "boto3": "botocore",
    "Node": "undici node proxy-from-env axios-1.15 axios", "Node's http": "node",
    "axios": "proxy-from-env axios-1.15 axios", "axios from 1.20": "axios", ".NET": "dotnet",
    **{name: name.lower() for name in ("Go", "Ruby", "Java", "LWP")},
}  # fmt: skip
"""What the page calls a program -> its rows; axios before 1.16 leaves the decision to proxy-from-env."""


@pytest.mark.parametrize(
    ("entry", "host", "answer", "programs"),
    [
        ("10.96.0.0/12", "10.97.1.2", True,
         "Go, curl from 7.86, requests, kubernetes-python, Ruby, reqwest, axios from 1.20"),
        ("10.96.0.1", "10.96.0.1", False, ""),
        ("example.com", "sub.example.com", False, ".NET, Java, axios, Node's http, httplib2"),
        (".example.com", "sub.example.com", False, "wget before 1.20, Java"),
        (".example.com", "example.com", False, "Go, wget, apt, httpx, Ruby, LWP, axios, Java"),
        ("example.com,.example.com", "sub.example.com", False, "Java"),
        ("*.example.com", "sub.example.com", True, "Go, Node, Java"),
        ("example.com:8080", "example.com:8080", True,
         "Go, Ruby, Node, urllib, requests, httpx, boto3, kubernetes-python"),
        ("fd00::/8", "fd00::1", True, "Go, curl from 8.18, kubernetes-python, reqwest, axios from 1.20"),
        ("[fd00::1]", "fd00::1", True, "urllib, boto3, kubernetes-python, axios, undici, .NET, Java"),
    ],
)  # fmt: skip
def test_the_page_says_which_programs_understand_an_entry(entry: str, host: str, answer: bool, programs: str) -> None:
    """``answer``: whether the programs are those that go direct, or those that do not."""
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{entry.replace(',', '`, `')}` |")]
    assert all(program in line for program in programs.split(", "))
    named = {row for program in programs.split(", ") for row in NAMES.get(program, program).split()}
    name = host.removesuffix(":8080")
    # The package websocket-client is a part of kubernetes-python, and reads no ports.
    rows = {key: row for key, row in CLIENTS.items() if key != "websocket-client" and not row.breaks_on(entry)}
    assert {key for key, row in rows.items() if row.goes_direct(entry, name, 8080) is answer} == named


BY_ADDRESS = r"with `GiantSwarm` and `TKG` only the (\d+)\nthat read CIDRs"


@pytest.mark.parametrize(
    ("sentence", "style"),
    [
        pytest.param(r"(\d+) of the (\d+) programs read no CIDRs", None, id="programs that read no CIDRs"),
        pytest.param(r"Of the (\d+) programs that are known, all\nbut Java", Style.PORTABLE, id="Portable"),
        pytest.param(BY_ADDRESS, Style.GIANT_SWARM, id="GiantSwarm"),
        pytest.param(BY_ADDRESS, Style.TKG, id="TKG"),
    ],
)
def test_the_page_counts_the_programs_as_they_are(sentence: str, style: Style | None) -> None:
    written = re.search(sentence, PAGE)
    assert written, "the sentence is there"
    if style is None:
        by_address = {name for name, row in CLIENTS.items() if row.goes_direct("10.0.0.0/8", "10.1.2.3", 443)}
        assert [int(number) for number in written.groups()] == [len(CLIENTS) - len(by_address), len(CLIENTS)]
        return
    proxy_list = join(compose(USER, (DOCUMENTS,), Policy(style=style), Audience.NODE))
    direct = {name for name, row in CLIENTS.items() if row.goes_direct(proxy_list, "100.64.0.1", 443)}
    if style is Style.PORTABLE:
        for host in ("kubernetes.default.svc", "sub.example.com"):
            direct &= {name for name, row in CLIENTS.items() if row.goes_direct(proxy_list, host, 443)}
        assert int(written[1]) == len(CLIENTS)
        assert set(CLIENTS) - direct == {"java"}
    else:
        assert int(written[1]) == len(direct)
