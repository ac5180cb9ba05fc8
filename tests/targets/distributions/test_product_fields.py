"""Products that take their proxy in three members of one mapping, or in a list of variables."""

from __future__ import annotations

import base64
import copy
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

import certificates
from krm_fn.config import Certificates
from krm_fn.formats.pem import split
from krm_fn.patch import Pointer, lookup
from krm_fn.products.distributions import CA_CONFIG_MAP, OF_KIND, ROWS, DistributionRow
from krm_fn.products.proxy_keys import UPPER
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
from proposals import FULL, NO, NONE, apply, changes, env, findings, proposals

URL = "http://svc:se%40cret@proxy.corp.example:3128"
PASSWORD = ProxySettings(URL, URL, NO)
ONE_URL = FULL._replace(https_proxy=FULL.http_proxy)
EVERY_ROW = [pytest.param(row, id=f"{row.field} of {row.kind} of {row.group}") for row in ROWS]


def row_of(kind: str, target: str = "") -> DistributionRow:
    return next(row for row in ROWS if row.kind == kind and target in ("", row.target))


def full(row: DistributionRow) -> ProxySettings:
    """Settings that a product takes."""
    return ONE_URL if row.has_one_proxy else FULL


ASKED = {"aks": True, "eksAnywhere": True}


def asked(row: DistributionRow) -> dict[str, Any]:
    return ASKED if row.is_immutable else {}


def members(row: DistributionRow, settings: ProxySettings | None = None) -> Any:
    """What a row holds of settings."""
    settings = settings or full(row)
    variables = settings.variables()
    if row.container:
        return env(variables)
    if not row.keys:
        return env({name: value for name, value in variables.items() if name.isupper()})
    no_proxy = settings.no_proxy.split(",") if row.is_list else settings.no_proxy
    if row.has_one_proxy:
        url = urlsplit(settings.http_proxy)
        return {row.keys[0]: {"host": url.hostname, "port": url.port}, row.keys[2]: no_proxy}
    held: dict[str, Any] = {}
    for key, value in zip(row.keys, (settings.http_proxy, settings.https_proxy, no_proxy), strict=True):
        name, _, inner = key.partition(".")
        held[name] = {inner: value} if inner else value
    return held


def holding(row: DistributionRow, held: Any) -> dict[str, Any]:
    """An object of the kind of a row that holds something in all its places; None for nothing on the way to them."""
    version = row.versions[0] if row.versions else "v1"
    metadata = {"name": row.name or "prod", "namespace": "clusters"}
    obj: dict[str, Any] = {"apiVersion": f"{row.group}/{version}", "kind": row.kind, "metadata": metadata}
    for one in OF_KIND[row.group, row.kind]:
        if one.versions == row.versions:
            obj = merged(obj, nested(one, held))
    return obj


def nested(row: DistributionRow, held: Any) -> dict[str, Any]:
    path, inner = row.path, copy.deepcopy(held)
    if held is None and "*" in path:
        path, inner = path[: path.index("*") + 1], {}
    elif held is None:
        path, inner = path[: row.keep], {}
    elif row.container:
        inner = [{"name": row.container, **({"env": inner} if inner else {})}]
        deployment = around(path[3:], inner)
        return around(path[:3], {"selector": {}, **deployment})
    return around(path, inner, row.item)


def around(path: Pointer, inner: Any, item: tuple[str, str] = ("", "")) -> dict[str, Any]:
    """What has something at a path: a ``*`` is the second item of a list."""
    for step in reversed(path):
        inner = [{item[0]: "other"}, {item[0]: item[1], **inner}] if step == "*" else {step: inner}
    return cast("dict[str, Any]", inner)


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**one, **other, **{key: merged(one[key], other[key]) for key in one.keys() & other.keys()}}


@pytest.mark.parametrize("row", EVERY_ROW)
def test_the_proxy_is_set_read_changed_and_removed(row: DistributionRow) -> None:
    target, options, before = TARGETS[row.target], asked(row), holding(row, None)
    written = apply(target, before, full(row), **options)
    assert written == holding(row, members(row))

    read = {reading.variable: reading.value for reading in target.read(written, options)}
    names = {name for name, key in zip(UPPER, row.keys, strict=True) if key} if row.keys else set(UPPER)
    assert read == {name: value for name, value in full(row).variables().items() if name.upper() in names}

    url = "http://other.corp.example:8080"
    other = full(row)._replace(http_proxy=url, https_proxy=url)
    assert apply(target, written, other, **options) == holding(row, members(row, other))
    assert apply(target, written, NONE, **options) == before


@pytest.mark.parametrize("row", [pytest.param(row, id=row.kind) for row in ROWS if row.is_immutable])
@pytest.mark.parametrize("settings", [pytest.param(FULL, id="inject"), pytest.param(NONE, id="remove")])
def test_what_the_api_server_does_not_change_is_written_on_request_with_a_warning(
    row: DistributionRow, settings: ProxySettings
) -> None:
    target = TARGETS[row.target]
    there = holding(row, members(row, FULL._replace(http_proxy="http://old.corp.example:1")))

    assert proposals(target, there, settings) == []
    assert len(findings(target, there, settings, **ASKED)) == 1
    assert findings(target, holding(row, {}), **ASKED) == []
    assert findings(target, holding(row, members(row)), **ASKED) == []


# What a product does not take.

HTTPS_PROXY = FULL._replace(http_proxy="https://proxy.corp.example:3129")
REFUSED = [
    pytest.param("distributions.aks", "ManagedCluster", PASSWORD, id="AKS: a password"),
    pytest.param("distributions.aks", "ManagedCluster", HTTPS_PROXY, id="AKS: HTTPS"),
    pytest.param("distributions.openshift", "Proxy", HTTPS_PROXY, id="OpenShift: HTTPS"),
    pytest.param("distributions.eksAnywhere", "Cluster", FULL._replace(https_proxy=""), id="EKS Anywhere: one of both"),
    pytest.param(
        "distributions.eksAnywhere",
        "Cluster",
        FULL._replace(http_proxy="http://proxy.corp.example"),
        id="EKS Anywhere: no port",
    ),
    pytest.param(
        "distributions.kubeOne", "KubeOneCluster", FULL._replace(http_proxy=""), id="KubeOne: no proxy for HTTP"
    ),
    pytest.param("distributions.kops", "Cluster", PASSWORD, id="kOps: a password"),
    *[
        pytest.param(
            "distributions.kops", "Cluster", FULL._replace(http_proxy=http, https_proxy=https), id=f"kOps: {name}"
        )
        for name, http, https in (
            ("two proxies", FULL.http_proxy, "http://other.corp.example:3128"),
            ("no proxy for HTTPS", FULL.http_proxy, ""),
            ("a proxy that is reached by HTTPS", *["https://proxy.corp.example:3128"] * 2),
            ("a placeholder for the host", *["http://${HOST}:3128"] * 2),
            ("a placeholder for the URL", *["${PROXY}"] * 2),
        )
    ],
]


@pytest.mark.parametrize(("target", "kind", "settings"), REFUSED)
def test_what_a_product_does_not_take_is_an_error_and_can_be_removed(
    target: str, kind: str, settings: ProxySettings
) -> None:
    row = row_of(kind, target)
    obj = holding(row, {})
    assert [finding.code for finding in findings(TARGETS[target], obj, settings, **ASKED)] == ["CannotWrite"]
    assert "cret" not in str(proposals(TARGETS[target], obj, settings, **ASKED))
    assert changes(TARGETS[target], obj, settings, **ASKED) == []

    both = settings._replace(
        http_proxy=settings.http_proxy or settings.https_proxy, https_proxy=settings.https_proxy or settings.http_proxy
    )
    there = holding(row, members(row, both)) if "$" not in both.http_proxy else obj
    left = apply(TARGETS[target], there, NONE, **ASKED)
    assert list(TARGETS[target].read(left, ASKED)) == []


UNQUOTED = " $\"'`\\"
BREAKS = {
    "distributions.openshift": " ",
    "distributions.aks": "",
    "distributions.eksAnywhere": "%",
    "distributions.canonicalKubernetes": UNQUOTED,
    "distributions.kubeOne": UNQUOTED,
    "distributions.kops": "",
    "distributions.rancher": '$"`\\',
}
"""What each product would break, as its sources say; its other values are quoted, or are no text of a shell."""


@pytest.mark.parametrize("character", [" ", "%", "$", '"', "'", "`", "\\"])
@pytest.mark.parametrize("target", BREAKS)
def test_a_character_is_refused_only_where_the_product_would_break_it(target: str, character: str) -> None:
    row = next(row for row in ROWS if row.target == target)
    settings = full(row)._replace(no_proxy=f"a{character}b")
    held: Any = {} if row.keys else []

    codes = [result.code for result in findings(TARGETS[target], holding(row, held), settings, **ASKED)]

    assert codes.count("CannotWrite") == (character in BREAKS[target])
    assert set(codes) <= {"CannotWrite", "NetworkBeforeProxy"}


@pytest.mark.parametrize("target", BREAKS)
def test_a_list_with_a_placeholder_is_written_as_it_is(target: str) -> None:
    row = next(row for row in ROWS if row.target == target)
    settings = full(row)._replace(no_proxy=".corp.example,${VIP:=10.0.0.5}")
    written = apply(TARGETS[target], holding(row, {} if row.keys else []), settings, **asked(row))
    assert written == holding(row, members(row, settings))


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        pytest.param({}, ["NetworkBeforeProxy"], id="nothing"),
        pytest.param({"airGapped": True}, [], id="no snap from a store"),
        pytest.param({"preRunCommands": ["snap set system proxy.https=http://proxy:1"]}, [], id="a command"),
    ],
)
def test_canonicals_snap_is_installed_before_snapd_knows_the_proxy(more: dict[str, Any], codes: list[str]) -> None:
    obj = holding(row_of("CK8sConfigTemplate"), more)
    assert [result.code for result in findings(TARGETS["distributions.canonicalKubernetes"], obj)] == codes
    assert findings(TARGETS["distributions.canonicalKubernetes"], obj, NONE) == []


# GitHub's runners and kOps.


def runner_set(**proxy: Any) -> dict[str, Any]:
    return holding(row_of("AutoscalingRunnerSet"), proxy)


def test_the_url_of_a_runner_goes_without_the_password_that_belongs_into_a_secret() -> None:
    target, plain = TARGETS["distributions.githubRunners"], "http://proxy.corp.example:3128"

    written = apply(target, runner_set(), PASSWORD)

    assert written["spec"]["proxy"] == {"http": {"url": plain}, "https": {"url": plain}, "noProxy": NO.split(",")}
    assert [one.code for one in findings(target, runner_set(), PASSWORD)] == ["ProxyReduced", "ProxyReduced"]

    named = runner_set(http={"credentialSecretRef": "proxy"}, https={"credentialSecretRef": "proxy"})
    assert findings(target, named, PASSWORD) == []
    unknown = {reading.variable for reading in target.read(apply(target, named, PASSWORD), {}) if reading.value is None}
    assert unknown == {*FULL.variables()} - {"NO_PROXY", "no_proxy"}


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

WITH_CERTIFICATES = [
    pytest.param(row, id=f"{row.field} of {row.kind}") for row in ROWS if row.bundle or row.encoded_bundle
]
ONLY_A = ProxySettings(trusted_ca=Certificates(certificates.A), is_declared=False)
BOTH = ONLY_A._replace(trusted_ca=Certificates(certificates.A + certificates.B))


def path_of_text(row: DistributionRow) -> Pointer:
    path = (*row.path[:-1], row.bundle) if row.bundle else (*row.path, row.encoded_bundle)
    return tuple("1" if step == "*" else step for step in path)


def text_of(row: DistributionRow, obj: dict[str, Any]) -> str:
    """The certificates of an object, as its reader decodes them; "" for no member."""
    text = lookup(obj, path_of_text(row)) or ""
    return text if row.bundle else base64.b64decode(text).decode()


def with_text(row: DistributionRow, text: str) -> dict[str, Any]:
    obj, path = holding(row, {}), path_of_text(row)
    lookup(obj, path[:-1])[path[-1]] = text if row.bundle else base64.b64encode(text.encode()).decode()
    return obj


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


@pytest.mark.parametrize("row", WITH_CERTIFICATES)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"# of the data centre\n{certificates.B}\n", id="another one with a comment and an empty line"),
        pytest.param(certificates.A, id="the same one, which others wrote"),
    ],
)
def test_certificates_of_others_stay_and_nothing_is_behind_the_last_one(row: DistributionRow, text: str) -> None:
    """Installers of OpenShift refuse what is behind it (``CABundle``)."""
    there = with_text(row, text)

    written = apply(TARGETS[row.target], there, ONLY_A, **asked(row))

    assert set(split(text_of(row, written))) == {*split(f"{text}\n"), certificates.A}
    assert text_of(row, written) == text or text_of(row, written).endswith("-----END CERTIFICATE-----\n")
    assert apply(TARGETS[row.target], written, NONE, **asked(row)) == there


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
    assert apply(target, written, NONE) == (naming(row, "") if row.name == "cluster" else before)
    assert apply(target, naming(row, ""), ONLY_A) == naming(row, CA_CONFIG_MAP)


@pytest.mark.parametrize("row", BY_NAME)
def test_the_name_of_another_config_map_stays(row: DistributionRow) -> None:
    target, there = TARGETS[row.target], naming(row, "user-ca-bundle")
    the_same = Certificates(certificates.A, (namespace_of(row), "user-ca-bundle", "ca-bundle.crt"))

    assert changes(target, there, ONLY_A) == []
    assert len(findings(target, there, ONLY_A)) == 1
    assert proposals(target, there, ONLY_A._replace(trusted_ca=the_same)) == []
    assert proposals(target, there, NONE) == []


@pytest.mark.parametrize(
    ("name", "is_created"),
    [pytest.param("", True, id="no name"), (CA_CONFIG_MAP, True), ("user-ca-bundle", False)],
)
@pytest.mark.parametrize("row", BY_NAME)
def test_the_config_map_is_created_where_it_is_named(row: DistributionRow, name: str, is_created: bool) -> None:
    companions = TARGETS[row.target].companions

    made = [one["metadata"] for one in companions(naming(row, name), ONLY_A, {})]

    assert [(one["name"], one["namespace"]) for one in made] == [(CA_CONFIG_MAP, namespace_of(row))] * is_created
    assert list(companions(naming(row, name), NONE, {})) == []
