"""The forms in which other systems write a proxy, each as the fields of a ProxyConfig."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from function_configs import proxy_config
from krm_fn.config import Certificates
from krm_fn.errors import ConfigError, InputError
from krm_fn.plan.sources import formats
from values_from import FROM, PASSWORD, PEM, TKG, entries, load, secret

SWARM = f"""\
proxy:
  noProxy: "172.16.0.0/16,internal.corpdomain.net,example.com"
  http: "http://myProxyUser:{PASSWORD}@192.168.52.220:3128"
  https: "http://myProxyUser:{PASSWORD}@192.168.52.220:3128"
"""
SWARM_URL = f"http://myProxyUser:{PASSWORD}@192.168.52.220:3128"
BUILDER = "proxy_env: {HTTPS_PROXY: 'http://proxy.com', no_proxy: 'proxy.com,example.com'}\n"


@pytest.mark.parametrize(
    ("text", "form", "urls", "listed"),
    [
        pytest.param(TKG, "TKG", ("http://asdf", "https://asdf2"), [".corp.example", "10.0.0.0/8"], id="TKG"),
        pytest.param(
            "cluster:\n  proxy: {http: http://a, noProxy: [x, y]}\nhttp_proxy: http://b\nhttps_proxy: http://c\n",
            "GiantSwarm",
            ("http://a", "http://c"),
            ["x", "y"],
            id="values of a cluster, field by field, with a list",
        ),
        pytest.param(
            SWARM,
            "GiantSwarm",
            (SWARM_URL, SWARM_URL),
            ["172.16.0.0/16", "internal.corpdomain.net", "example.com"],
            id="Giant Swarm",
        ),
    ],
)
@pytest.mark.parametrize("is_said", [True, False], ids=["said", "seen"])
def test_forms_are_read(text: str, form: str | None, urls: tuple[str, str], listed: list[str], is_said: bool) -> None:
    said = {"format": form} if is_said and form else {}
    loaded = load(proxy_config(**{"from": [{**FROM[0], **said}]}), secret(text))
    assert (loaded.declaration.http_proxy, loaded.declaration.https_proxy, entries(loaded)) == (*urls, listed)


def test_facts_of_a_tkg_cluster_become_defaults_and_its_certificate_is_trusted() -> None:
    text = f"{TKG}TKG_PROXY_CA_CERT: {base64.b64encode(PEM.encode()).decode()}\n"
    loaded = load(proxy_config(**{"from": FROM}), secret(text))
    known = loaded.cluster_defaults
    assert [fact.value for fact in (*known.pod_cidrs, *known.service_cidrs)] == ["100.96.0.0/11", "100.64.0.0/13"]
    assert known.endpoint is not None
    assert (known.endpoint[0].value, known.infrastructure_kind) == ("10.180.122.23", "VSphereCluster")
    assert loaded.trusted_ca == Certificates(PEM)


@given(st.text(max_size=60) | st.sampled_from([TKG, SWARM, BUILDER]), st.sampled_from([None, *formats.FORMATS]))
def test_no_text_is_more_than_wrong(text: str, form: str | None) -> None:
    try:
        found = formats.read(text, form)
    except (ConfigError, InputError):
        return
    assert found
