"""Whatever stands in a FunctionConfig, the answer is a ProxyConfig or a ConfigError; and what a selector selects."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_configs import PROXY, problems, proxy_config
from krm_fn.config import Matcher, Selector, load
from krm_fn.errors import ConfigError

ACCEPTED = "must be `fn.inject-proxy.io/v1alpha1 ProxyConfig`, or `v1 ConfigMap` with the same keys under `data`"


@pytest.mark.parametrize(
    ("function_config", "given_form"),
    [
        pytest.param({"kind": "Secret"}, ', not "Secret"', id="no apiVersion"),
        pytest.param({"metadata": {}}, "", id="neither apiVersion nor kind"),
        pytest.param(
            {"apiVersion": "networking.istio.io/v1", "kind": "ProxyConfig"},
            ', not "networking.istio.io/v1 ProxyConfig"',
            id="another group",
        ),
        pytest.param({"apiVersion": "v1", "kind": "Secret"}, ', not "v1 Secret"', id="another kind"),
        pytest.param({"apiVersion": 1, "kind": ["ConfigMap"]}, "", id="wrong types"),
        pytest.param([], "", id="a list"),
        pytest.param("text", "", id="a text"),
        pytest.param(0, "", id="a number"),
        pytest.param(
            {"apiVersion": "v1", "kind": "http://u:S3CRET@h"},
            ', not "v1 ***"',
            id="a URL in the wrong place",
        ),
    ],
)
def test_another_form_is_one_problem_that_says_what_is_accepted(function_config: Any, given_form: str) -> None:
    assert problems(function_config) == [f"functionConfig: {ACCEPTED}{given_form}"]


OURS = "fn.inject-proxy.io/v1alpha1"


@pytest.mark.parametrize(
    ("api_version", "kind", "meant"),
    [
        pytest.param(OURS, "ProxyConfg", "`ProxyConfig`", id="a misspelt kind"),
        pytest.param(OURS, "proxyconfig", "`ProxyConfig`", id="a kind in lower case"),
        pytest.param(OURS, "Proxy", "`ProxyConfig`", id="another kind of this group"),
        pytest.param("fn.inject-proxy.io/v1", "ProxyConfig", f"`{OURS}`", id="another version"),
        pytest.param("inject-proxy.io/v1alpha1", "ProxyConfig", f"`{OURS}`", id="a group that is cut off"),
        pytest.param("", "ProxyConfig", f"`{OURS}`", id="no apiVersion"),
        pytest.param("v1", "ProxyConfigs", f"`{OURS}` and `ProxyConfig`", id="both"),
        pytest.param("networking.istio.io/v1beta1", "ProxyConfig", "", id="the kind of Istio"),
        pytest.param("v1", "Secret", "", id="something else"),
    ],
)
def test_what_is_probably_meant_is_said(api_version: str, kind: str, meant: str) -> None:
    (reported,) = problems({"apiVersion": api_version, "kind": kind})
    assert reported.endswith(f"; did you mean {meant}?" if meant else '"')
    assert "did you mean" in reported or not meant


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        pytest.param(("spec", "httpProxy"), "spec.httpProxy: must not be given twice", id="a field"),
        pytest.param(
            ("spec", "overrides", "0", "match"), "spec.overrides[0].match: must not be given twice", id="inside a list"
        ),
        pytest.param(("kind",), "kind: must not be given twice", id="a field beside spec"),
        pytest.param(("spec", "http://u:S3CRET@h"), "spec: must not hold a key twice", id="a key like a credential"),
        pytest.param(("spec", "S3CRET"), "spec: must not hold a key twice", id="any other key"),
        pytest.param(("spec", "S3CRET", "mode"), "spec: must not hold a key twice", id="a field below such a key"),
        pytest.param(("S3CRET",), "functionConfig: must not hold a key twice", id="at the top"),
        pytest.param(("data", "noProxyPolicy.style"), "data.noProxyPolicy.style: must not be given twice", id="dots"),
        pytest.param(("data", "spec.S3CRET"), "data: must not hold a key twice", id="another key with a dot"),
    ],
)
def test_a_key_that_stands_twice_is_a_problem_of_its_own(path: tuple[str, ...], problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(proxy_config(httpProxy=PROXY), repeated=[path])
    assert caught.value.problems == [f"{problem} in one mapping: keep one of the two"]


def test_a_field_beside_spec_is_reported() -> None:
    assert problems({**proxy_config(mode="Remove"), "httpProxy": PROXY, "sepc": {}}) == [
        "httpProxy: unknown field; did you mean `spec.httpProxy`?",
        "sepc: unknown field; did you mean `spec`?",
    ]


@pytest.mark.parametrize("spec", [[], "", "text", 0, False, 7, datetime.date(2024, 1, 1)])
def test_a_spec_of_a_wrong_type(spec: Any) -> None:
    assert problems({**proxy_config(), "spec": spec})[0].startswith("spec: must be a mapping")


def cycle() -> list[Any]:
    endless: list[Any] = []
    endless.append({"a": endless})
    return endless


def deep() -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for _ in range(5000):
        nested = {"a": nested}
    return nested


@pytest.mark.parametrize(
    "name",
    [
        "httpProxy",
        "noProxy",
        "mode",
        "noProxyPolicy",
        "overrides",
        "clusterDefaults",
        "lint",
        "selector",
        "targets",
        "other",
    ],
)
@pytest.mark.parametrize("value", [cycle(), deep(), [deep()]], ids=["a cycle", "a deep nesting", "a nesting in a list"])
def test_neither_depth_nor_a_cycle_is_followed(name: str, value: Any) -> None:
    reported = problems(proxy_config(**{"httpProxy": PROXY, name: value}))
    assert all(problem.startswith(f"spec.{name}") for problem in reported if "must hold `httpProxy`" not in problem)


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(datetime.date(2024, 1, 1))
)
NAMES = st.sampled_from(["httpProxy", "noProxy", "mode", "selector", "include", "names", "labels", "targets", "path"])
OTHERS = ["kubeletDropIn", "enabled", "noProxyPolicy", "style", "overrides", "match", "clusters", "lint", "rules"]
KEYS = NAMES | st.sampled_from([*OTHERS, "clusterDefaults", "podCIDRs", "extra", "derive"]) | st.text(max_size=3)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.integers() | st.none(), inner, max_size=4),
    max_leaves=12,
)
FORMS = st.sampled_from([("fn.inject-proxy.io/v1alpha1", "ProxyConfig", "spec"), ("v1", "ConfigMap", "data")])


@settings(deadline=None)  # the first run loads the schema
@given(FORMS, DATA)
def test_any_data_gives_a_config_or_a_config_error(form: tuple[str, str, str], data: Any) -> None:
    api_version, kind, root = form
    try:
        load({"apiVersion": api_version, "kind": kind, root: data})
    except ConfigError as error:
        assert error.problems
        assert all(problem and "\n" not in problem for problem in error.problems)


IDENTITY: dict[str, Any] = {
    "kind": "KubeadmControlPlane",
    "name": "prod-1",
    "namespace": "org-acme",
    "labels": {"tier": "gold", "zone": "a", "number": 7},
    "annotations": {"example.com/proxy": "yes"},
}


@pytest.mark.parametrize(
    ("matcher", "fits"),
    [
        pytest.param(Matcher(names=("prod-1",)), True, id="the name"),
        pytest.param(Matcher(names=("stage", "prod-*")), True, id="one glob of several"),
        pytest.param(Matcher(names=("PROD-*",)), False, id="globs are case-sensitive"),
        pytest.param(Matcher(names=("prod",)), False, id="a glob is no prefix"),
        pytest.param(Matcher(names=("prod-[0-9]",), kinds=("Kubeadm*",)), True, id="both fields fit"),
        pytest.param(Matcher(names=("prod-*",), kinds=("Deployment",)), False, id="one field of two fits"),
        pytest.param(Matcher(namespaces=("org-?cme",)), True, id="a namespace"),
        pytest.param(Matcher(namespaces=("",)), False, id="the empty namespace is one of its own"),
        pytest.param(Matcher(labels={"tier": "g*", "zone": "a"}), True, id="all labels"),
        pytest.param(Matcher(labels={"tier": "gold", "zone": "b"}), False, id="one label of two"),
        pytest.param(Matcher(labels={"other": "*"}), False, id="a label that is not there"),
        pytest.param(Matcher(labels={"number": "7"}), False, id="a label that is not a string"),
        pytest.param(Matcher(annotations={"example.com/proxy": "*"}), True, id="an annotation"),
    ],
)
def test_a_matcher(matcher: Matcher, fits: bool) -> None:
    assert matcher.fits(**IDENTITY) is fits
    assert Selector(include=(matcher,)).selects(**IDENTITY) is fits
    assert Selector(exclude=(matcher,)).selects(**IDENTITY) is not fits


FITS, FITS_NOT = Matcher(names=("prod-1",)), Matcher(names=("other",))


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        pytest.param(Selector(), True, id="an empty selector selects everything"),
        pytest.param(Selector(include=(FITS_NOT, FITS)), True, id="one matcher of include is enough"),
        pytest.param(Selector(exclude=(FITS_NOT, FITS)), False, id="one matcher of exclude is enough"),
        pytest.param(Selector(include=(FITS,), exclude=(FITS,)), False, id="exclude wins"),
        pytest.param(Selector(include=(FITS_NOT,)), False, id="include without a match"),
    ],
)
def test_a_selector(selector: Selector, selected: bool) -> None:
    assert selector.selects(**IDENTITY) is selected


def test_an_object_that_says_nothing_of_itself() -> None:
    assert Selector(include=(Matcher(namespaces=("*",)),)).selects(kind="Deployment")
    assert not Selector(include=(Matcher(labels={"a": "*"}),)).selects(kind="Deployment")
