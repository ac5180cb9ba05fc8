"""Products that take their proxy in three members of one mapping, or in a list of variables."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import certificates
from all_targets import TARGETS
from function_configs import proxy_config
from krm_fn.config import Certificates
from krm_fn.formats.pem import split
from krm_fn.patch import Pointer, lookup
from krm_fn.pipeline.run import run
from krm_fn.products.distributions import CA_CONFIG_MAP, ROWS, DistributionRow
from krm_fn.products.proxy_keys import UPPER
from krm_fn.settings import ProxySettings
from product_objects import BREAKS, asked, full, holding, members, row_of
from proposals import NO, NONE, apply, changes, findings, proposals

EVERY_ROW = [pytest.param(row, id=f"{row.field} of {row.kind} of {row.group}") for row in ROWS]


@pytest.mark.parametrize("row", EVERY_ROW)
def test_the_proxy_is_set_read_changed_and_removed(row: DistributionRow) -> None:
    target, options, before = TARGETS[row.target], asked(row), holding(row, None)
    written = apply(target, before, full(row), **options)
    assert written == holding(row, members(row))

    read = {reading.variable: reading.value for reading in target.read(written, options)}
    names = {name for name, key in zip(UPPER, row.keys, strict=True) if key} if row.keys else set(UPPER)
    assert read == {name: value for name, value in full(row).variables.items() if name.upper() in names}

    url = "http://other.corp.example:8080"
    other = full(row)._replace(http_proxy=url, https_proxy=url)
    assert apply(target, written, other, **options) == holding(row, members(row, other))
    assert apply(target, written, NONE, **options) == before


# What a product does not take.


@pytest.mark.parametrize("target", BREAKS)
def test_a_list_with_a_placeholder_is_written_as_it_is(target: str) -> None:
    row = next(row for row in ROWS if row.target == target)
    settings = full(row)._replace(no_proxy=".corp.example,${VIP:=10.0.0.5}")
    written = apply(TARGETS[target], holding(row, {} if row.keys else []), settings, **asked(row))
    assert written == holding(row, members(row, settings))


# GitHub's runners and kOps.


@pytest.mark.parametrize(
    ("url", "held"),
    [
        pytest.param("http://proxy.corp.example", {"host": "proxy.corp.example"}, id="no port"),
        pytest.param("http://[fd00::1]:3128", {"host": "[fd00::1]", "port": 3128}, id="an address of IPv6"),
    ],
)
def test_kops_gets_host_and_port(url: str, held: dict[str, Any]) -> None:
    written = apply(
        TARGETS["distributions.kops"],
        holding(row_of("Cluster", "distributions.kops"), None),
        ProxySettings(url, url, NO),
    )

    assert written["spec"]["egressProxy"] == {"httpProxy": held, "excludes": NO}


# Certificates.

TRUSTING = [row for row in ROWS if row.bundle or row.encoded_bundle]
WITH_CERTIFICATES = [pytest.param(row, id=f"{row.field} of {row.kind}") for row in TRUSTING]
ONLY_A = ProxySettings(trusted_ca=Certificates(certificates.A), is_declared=False)
BOTH = ONLY_A._replace(trusted_ca=Certificates(certificates.A + certificates.B))


def path_of_text(row: DistributionRow) -> Pointer:
    path = (*row.path[:-1], row.bundle) if row.bundle else (*row.path, row.encoded_bundle)
    return tuple("1" if step == "*" else step for step in path)


def text_of(row: DistributionRow, obj: dict[str, Any]) -> str:
    """The certificates of an object, as its reader decodes them; "" for no member."""
    text = lookup(obj, path_of_text(row)) or ""
    return text if row.bundle else base64.b64decode(text).decode()


@pytest.mark.parametrize("row", WITH_CERTIFICATES)
def test_certificates_are_set_changed_and_removed_and_a_proxy_that_is_not_declared_stays(row: DistributionRow) -> None:
    target, options = TARGETS[row.target], asked(row)
    for before in (holding(row, None), holding(row, members(row))):
        one = apply(target, before, ONLY_A, **options)
        assert split(text_of(row, one)) == [certificates.A]
        assert list(target.read(one, options)) == list(target.read(before, options))

        both = apply(target, one, BOTH, **options)
        assert split(text_of(row, both)) == [certificates.A, certificates.B]
        assert apply(target, both, ProxySettings(is_declared=False), **options) == before


BY_NAME = [pytest.param(row, id=row.kind) for row in ROWS if row.trusted_ca]


def naming(row: DistributionRow, name: str) -> dict[str, Any]:
    return holding(row, {"trustedCA": {"name": name}})


def namespace_of(row: DistributionRow) -> str:
    return "clusters" if row.trusted_ca == "*" else row.trusted_ca


@pytest.mark.parametrize("row", BY_NAME)
def test_the_name_of_the_config_map_is_set_and_removed(row: DistributionRow) -> None:
    target, before = TARGETS[row.target], holding(row, None)

    written = apply(target, before, ONLY_A)

    assert lookup(written, (*row.path, "trustedCA")) == {"name": CA_CONFIG_MAP}
    assert apply(target, written, NONE) == before
    assert apply(target, naming(row, ""), ONLY_A) == naming(row, CA_CONFIG_MAP)


OF_OPENSHIFT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: config.openshift.io/v1
  kind: Proxy
  metadata: {name: cluster}
  SPEC
functionConfig: CONFIG
"""


@pytest.mark.parametrize(
    "spec",
    [
        "spec: {}",
        "spec:",
        "spec: {trustedCA: {}}",
        "spec:\n    trustedCA: {}",
        "spec:\n    trustedCA:",
        "spec: {trustedCA: {name: ''}}",
        "spec:\n    trustedCA:\n      name: ''  # none",
        "# no spec",
    ],
)
def test_the_proxy_of_openshift_is_the_same_text_after_a_removal(spec: str) -> None:
    def ran(text: str, mode: str) -> str:
        config = proxy_config(trustedCA={"pem": certificates.A}, httpProxy="http://proxy:1", mode=mode)
        return run(text.replace("CONFIG", json.dumps(config)).encode()).output.decode()

    before = OF_OPENSHIFT.replace("SPEC", spec)
    written, _, _ = ran(before, "Inject").partition("functionConfig")
    assert CA_CONFIG_MAP in written
    removed, _, _ = ran(f"{written}functionConfig: CONFIG\n", "Remove").partition("functionConfig")
    assert removed == before.partition("functionConfig")[0]


@pytest.mark.parametrize("row", BY_NAME)
def test_the_name_of_another_config_map_stays(row: DistributionRow) -> None:
    target, there = TARGETS[row.target], naming(row, "user-ca-bundle")
    the_same = Certificates(certificates.A, (namespace_of(row), "user-ca-bundle", "ca-bundle.crt"))

    assert changes(target, there, ONLY_A) == []
    assert len(findings(target, there, ONLY_A)) == 1
    assert proposals(target, there, ONLY_A._replace(trusted_ca=the_same)) == []
    assert proposals(target, there, NONE) == []


@pytest.mark.parametrize(
    ("name", "is_created"), [pytest.param("", True, id="no name"), (CA_CONFIG_MAP, True), ("user-ca-bundle", False)]
)
@pytest.mark.parametrize("row", BY_NAME)
def test_the_config_map_is_created_where_it_is_named(row: DistributionRow, name: str, is_created: bool) -> None:
    companions = TARGETS[row.target].companions

    made = [one["metadata"] for one in companions(naming(row, name), ONLY_A, {})]

    assert [(one["name"], one["namespace"]) for one in made] == [(CA_CONFIG_MAP, namespace_of(row))] * is_created
    assert list(companions(naming(row, name), NONE, {})) == []
