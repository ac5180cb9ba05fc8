"""Values that a FunctionConfig takes from objects of the list: which, what they mean, and what is wrong with them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from function_configs import PROXY, config_map, lines_of, list_with_config, proxy_config
from krm_fn.config import Certificates
from krm_fn.errors import ConfigError
from krm_fn.krm.masking import redact
from krm_fn.pipeline.run import run
from manifests import control_plane, named
from values_from import FROM, LOCAL, PASSWORD, PEM, TKG, entries, load, secret

CONTROL_PLANE = control_plane("one")


def ca(text: str = PEM, **metadata: Any) -> dict[str, Any]:
    whole = {"name": "corporate-ca", "namespace": "default", **metadata}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": whole, "data": {"ca-bundle.crt": text}}


def wrong(function_config: dict[str, Any], *items: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(function_config, *items)
    lines = lines_of(caught.value)
    for line in lines:
        assert PASSWORD not in line
        assert line == redact(" ".join(line.split()))
    return lines


@pytest.mark.parametrize(
    ("spec", "items", "urls", "listed"),
    [
        pytest.param(
            {"httpProxy": PROXY, "noProxy": ["own"]},
            [secret(TKG)],
            (PROXY, "https://asdf2"),
            [".corp.example", "10.0.0.0/8", "own"],
            id="a URL of the spec wins, and its list comes behind",
        ),
        pytest.param(
            {"from": [*FROM, {"kind": "Secret", "name": "other"}]},
            [secret(TKG), secret("http_proxy: http://last\n", name="other")],
            ("http://last", "https://asdf2"),
            [".corp.example", "10.0.0.0/8"],
            id="of several objects the last wins, field by field",
        ),
        pytest.param(
            {"from": FROM},
            [secret("http_proxy: http://a\n", namespace=""), secret(TKG, namespace="team-x")],
            ("http://a", ""),
            [],
            id="an object without a namespace goes before one of that name in another",
        ),
        pytest.param(
            {"from": [{**FROM[0], "key": "x"}]},
            [secret(TKG, data={"x": base64.b64encode(b"http_proxy: http://x").decode()})],
            ("http://x", ""),
            [],
            id="a key chooses among several, in base64",
        ),
    ],
)
def test_what_objects_say_lies_below_the_spec(
    spec: dict[str, Any], items: list[dict[str, Any]], urls: tuple[str, str], listed: list[str]
) -> None:
    loaded = load(proxy_config(**{"from": FROM, **spec}), *items)
    assert (loaded.declaration.http_proxy, loaded.declaration.https_proxy, entries(loaded)) == (*urls, listed)


@pytest.mark.parametrize(
    ("text", "spec", "says_none"),
    [
        pytest.param(f"{TKG}TKG_HTTP_PROXY_ENABLED: false\n", {}, True, id="a switch of TKG that is off"),
        pytest.param("proxy: {http: '', https: '', noProxy: ''}\n", {}, True, id="URLs that are empty"),
        pytest.param(f"{TKG}TKG_HTTP_PROXY_ENABLED: false\n", {"httpProxy": PROXY}, False, id="the spec names one"),
    ],
)
def test_an_object_may_say_that_there_is_no_proxy(text: str, spec: dict[str, Any], says_none: bool) -> None:
    loaded = load(proxy_config(**{"from": FROM, **spec}), secret(text))
    assert loaded.declaration.is_declared
    assert bool(loaded.declaration.http_proxy or loaded.declaration.https_proxy) is not says_none


@pytest.mark.parametrize(
    ("source", "items", "reported"),
    [
        pytest.param(
            {},
            [],
            'must name an object of the list: there is no Secret "values" in it; name its file on the '
            "command line, or among the `resources` beside the objects",
            id="no object",
        ),
        pytest.param(
            {},
            [secret(TKG, namespace="a"), secret(TKG, namespace="b")],
            'must name one object: there are 2 of Secret "values" in the list, say in `namespace` which one is meant',
            id="several objects",
        ),
        pytest.param(
            {},
            [secret(TKG, namespace="team-x"), ca(namespace="org")],
            'must say in `namespace` that the Secret "values" of namespace "team-x" is meant, because the list holds '
            "objects of other namespaces, too, and anybody may own one of that name",
            id="the only object of that name, where the list holds several namespaces",
        ),
        pytest.param(
            {},
            [secret(TKG, stringData={}, data={"value": PASSWORD + "!"})],
            'Secret "values" key `value`: `value` must be base64 of UTF-8 text; correct it, or write the text itself '
            "under `stringData`",
            id="no base64",
        ),
        pytest.param(
            {},
            [secret(f"proxy:\n  http: http://u:{PASSWORD}!@a\n")],
            'Secret "values" proxy.http must hold a user name, and user name and password percent-encoded: every '
            'character but letters, digits and "-._~" is written as "%" and two hexadecimal digits, "@" as "%40", a '
            'further colon as "%3A", "%" itself as "%25", as in "http://user:***@host:3128"',
            id="a password that is not encoded",
        ),
    ],
)
def test_what_is_wrong_has_its_place(source: dict[str, Any], items: list[dict[str, Any]], reported: str) -> None:
    function_config = proxy_config(**{"from": [{**FROM[0], **source}]})
    assert wrong(function_config, *items) == [f"spec.from[0]: {reported}"]


def test_all_problems_are_reported_at_once_in_the_words_of_a_config_map() -> None:
    data = {"from": json.dumps(FROM), "trustedCA.configMap.name": "no-ca"}
    problems = wrong(config_map(**data), secret("TKG_HTTP_PROXY: proxy\nTKG_HTTPS_PROXY: ftp://a\n"))
    assert [problem.partition(" must ")[0] for problem in problems] == [
        'data.from[0]: Secret "values" TKG_HTTPS_PROXY',
        'data.from[0]: Secret "values" TKG_HTTP_PROXY',
        "data.trustedCA.configMap:",
    ]


@pytest.mark.parametrize(
    ("metadata", "place"),
    [
        pytest.param({}, ("default", "corporate-ca", "ca-bundle.crt"), id="one that reaches the cluster"),
        pytest.param({"annotations": LOCAL}, None, id="one that is only local"),
    ],
)
def test_certificates_are_taken_from_a_config_map(metadata: dict[str, Any], place: tuple[str, str, str] | None) -> None:
    named = {"configMap": {"name": "corporate-ca"}}
    mirror = {"url": "https://r.example:5000", "ca": named}
    loaded = load(proxy_config(trustedCA=named, registryMirror=mirror), ca(**metadata))
    assert loaded.trusted_ca == Certificates(PEM, place)
    assert loaded.mirror is not None
    assert loaded.mirror.ca.pem == PEM


def test_a_private_key_in_the_place_of_certificates_is_reported() -> None:
    item = ca(f"-----BEGIN PRIVATE KEY-----\n{PASSWORD}\n-----END PRIVATE KEY-----\n")
    (problem,) = wrong(proxy_config(trustedCA={"configMap": {"name": "corporate-ca"}}), item)
    assert problem.startswith('spec.trustedCA.configMap: its key "ca-bundle.crt" must hold the certificates themselves')


KEYS = ("proxy", "proxy_env", "cluster", "TKG_HTTP_PROXY", "TKG_PROXY_CA_CERT", "http_proxy", "CLUSTER_CIDR")
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["http", "proxy", "x"]), inner, max_size=2)
    ),
)


@given(st.dictionaries(st.sampled_from(KEYS), TREES))
def test_values_of_any_shape_are_reported_and_never_raise(values: dict[str, Any]) -> None:
    try:
        load(proxy_config(**{"from": FROM}), secret(json.dumps(values)))
    except ConfigError as error:
        assert all(problem.path[:2] == ("spec", "from") for problem in error.problems)


@pytest.mark.parametrize("mode", ["Inject", "Remove"])
def test_an_object_that_values_are_read_from_is_never_written(mode: str) -> None:
    source = named(
        "Secret",
        "one-config-values",
        namespace="org",
        type="addons.cluster.x-k8s.io/resource-set",
        stringData={"value": "TKG_HTTP_PROXY_ENABLED: true\nTKG_HTTP_PROXY: http://asdf\n"},
    )
    spec = {"from": [{"kind": "Secret", "name": "one-config-values"}], "noProxy": ["own.example"], "mode": mode}
    outcome = run(list_with_config(spec, source, CONTROL_PLANE))
    (there, nodes) = json.loads(outcome.output)["items"]
    assert outcome.exit_code == 0
    assert there == source
    assert (nodes != CONTROL_PLANE) == (mode == "Inject")
    assert run(outcome.output).output == outcome.output
