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
