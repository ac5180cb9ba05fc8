"""The tables of `docs/no-proxy.md` that compare styles: generated here, so that they are never a claim."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.explain.hosts import Row, rows
from krm_fn.noproxy import Audience, Entry, Policy, Style
from krm_fn.explain.clients import CLIENTS
from krm_fn.noproxy.composition import compose, join

PAGE = Path(__file__).parent.parent / "docs" / "no-proxy.md"
STYLES = (Style.PORTABLE, Style.GIANT_SWARM, Style.TKG)
USER = ("172.16.0.0/16", "internal.corp.example")
NETWORKS = {
    "AWS": ("AWSCluster", "eu-west-1", "prod-1-apiserver-0123456789.eu-west-1.elb.amazonaws.com"),
    "Azure": ("AzureCluster", "westeurope", "prod-1.westeurope.cloudapp.azure.com"),
    "vSphere": ("VSphereCluster", "", "192.0.2.10"),
}


def _network(provider: str) -> ClusterNetwork:
    infrastructure, region, endpoint = NETWORKS[provider]
    return ClusterNetwork(
        pod_cidrs=(Fact("192.168.0.0/16"),),
        service_cidrs=(Fact("10.96.0.0/12"),),
        service_domain=Fact("cluster.local"),
        endpoint=Fact(endpoint),
        infrastructure=Fact(infrastructure),
        region=Fact(region) if region else None,
    )


def _rows(provider: str, style: Style, audience: Audience = Audience.POD) -> tuple[Row, ...]:
    network = _network(provider)
    entries = compose([Entry(text) for text in USER], [network], Policy(style), audience)
    return rows(join(entries), [network], USER)


def _table(provider: str) -> str:
    head = f"| host ({provider}) | what it is | " + " | ".join(f"`{style.value}`" for style in STYLES) + " |"
    lines = [head, "|---|---|" + "---|" * len(STYLES)]
    by_style = [_rows(provider, style) for style in STYLES]
    for same in zip(*by_style, strict=True):
        counts = " | ".join(str(row.counted[0]) for row in same)
        lines.append(f"| `{same[0].host.name}` | {same[0].host.what} | {counts} |")
    return "\n".join(lines)


def test_the_page_holds_the_tables_as_the_models_count(golden: Callable[[Path, bytes], None]) -> None:
    text = PAGE.read_text()
    tables = "\n\n".join(map(_table, NETWORKS))
    marks = r"(<!-- tables: `make docs` writes these tables -->\n).*?(<!-- end of tables -->)"
    assert re.search(marks, text, re.DOTALL)

    golden(PAGE, re.sub(marks, lambda match: f"{match[1]}\n{tables}\n\n{match[2]}", text, flags=re.DOTALL).encode())


@pytest.mark.parametrize("audience", [Audience.NODE, Audience.POD])
@pytest.mark.parametrize("provider", NETWORKS)
def test_every_program_but_java_reaches_what_is_inside_directly(provider: str, audience: Audience) -> None:
    for row in _rows(provider, Style.PORTABLE, audience):
        if row.host.direct:
            proxied = [name for name, verdict in zip(CLIENTS, row.verdicts, strict=True) if verdict is not True]
            assert set(proxied) <= {"java"}, row.host.name


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("provider", NETWORKS)
def test_no_program_reaches_a_public_host_directly(provider: str, style: Style) -> None:
    public = [row for row in _rows(provider, style) if row.host.direct is False]

    assert public
    assert all(verdict is False for row in public for verdict in row.verdicts)
