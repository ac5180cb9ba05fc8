"""The page about NO_PROXY says what the code does."""

from __future__ import annotations

import re

import pytest

from function_configs import ALL_DERIVED
from krm_fn.clusters import ClusterNetwork, Fact
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
