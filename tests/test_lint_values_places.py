"""The rules about a proxy URL, a pair of variables, a unit, a layer, permissions and writers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.krm.results import Severity
from krm_fn.lint.values import (
    RULES,
    corrected_url,
    lint_pair,
    lint_permissions,
    lint_proxy,
    lint_variables,
    lint_writers,
)
from krm_fn.noproxy.lint_rules import PROXY

_URL = "http://proxy:3128"


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("http://proxy.example.com:3128", id="a host and a port"),
        pytest.param("http://proxy.example.com:3128/", id="a final slash"),
        pytest.param("http://user@proxy.example.com:3128", id="a user alone"),
        pytest.param("http://user:p%40ss@10.0.0.1:3128", id="a password that is encoded"),
        pytest.param("http://[fd00::1]:3128", id="an IPv6 address"),
        pytest.param("${PROXY}", id="a template"),
    ],
)
def test_a_proxy_without_a_problem(url: str) -> None:
    assert lint_proxy(url, no_proxy="localhost,example.com") == []
    assert corrected_url(url) == url


@pytest.mark.parametrize(
    ("url", "expected", "corrected"),
    [
        pytest.param("proxy:3128", ["NP006"], "http://proxy:3128", id="no scheme"),
        pytest.param("HTTP://proxy:3128", ["NP006"], "http://proxy:3128", id="a scheme in capitals"),
        pytest.param("socks5://proxy:1080", ["NP006"], "socks5://proxy:1080", id="another kind of proxy"),
        pytest.param(" http://proxy:3128\n", ["NP006"], "http://proxy:3128", id="blanks around it"),
        pytest.param('"http://proxy:3128"', ["NP006"], "http://proxy:3128", id="quotes around it"),
        pytest.param("http://", ["NP006"], "http://", id="no host"),
        pytest.param("http://proxy:0", ["NP006"], "http://proxy:0", id="port 0"),
        pytest.param("http://proxy:99999", ["NP006"], "http://proxy:99999", id="a port that is too large"),
        pytest.param("http://proxy/path", ["NP006"], "http://proxy/path", id="a path"),
        pytest.param("http://u:p@ss@proxy:1", ["NP005"], "http://u:p%40ss@proxy:1", id="a raw at sign"),
        pytest.param("http://u:p%zz@proxy:1", ["NP005"], "http://u:p%25zz@proxy:1", id="a percent sign alone"),
        pytest.param("http://u:a%40b#c@proxy:1", ["NP005"], "http://u:a%40b%23c@proxy:1", id="never encoded twice"),
        pytest.param("http://D\\u:p@proxy:1", ["NP005"], "http://D%5Cu:p@proxy:1", id="a Windows domain"),
        pytest.param("https://proxy:3128", ["NP032"], "https://proxy:3128", id="TLS to the proxy"),
        pytest.param("http://proxy.example.com", ["NP036"], "http://proxy.example.com", id="no port"),
        pytest.param("http://proxy.example.com/", ["NP036"], "http://proxy.example.com/", id="a slash in its place"),
    ],
)
def test_each_rule_about_a_proxy_hits(url: str, expected: list[str], corrected: str) -> None:
    found = lint_proxy(url)
    assert [reported.rule for reported in found] == expected
    assert corrected_url(url) == corrected
    assert all(RULES[reported.rule].about == PROXY for reported in found)


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        pytest.param(("", ""), [], id="no proxy"),
        pytest.param((_URL, _URL), [], id="both"),
        pytest.param(("", _URL), [], id="one for https"),
        pytest.param((_URL, ""), ["NP035"], id="one for http only"),
    ],
)
def test_a_proxy_for_one_scheme_only(urls: tuple[str, str], expected: list[str]) -> None:
    assert [reported.rule for reported in lint_pair(*urls)] == expected


def test_the_password_counts_where_people_read_it() -> None:
    assert [reported.rule for reported in lint_proxy("http://u:p@proxy:1", in_manifest=True)] == ["NP033"]
    assert lint_proxy("http://u@proxy:1", in_manifest=True) == []
    assert lint_proxy("http://u:p@proxy:1") == []


@pytest.mark.parametrize(
    ("no_proxy", "expected"),
    [
        pytest.param("proxy.com,example.com", ["NP028"], id="its own host, as in the Konvoy document"),
        pytest.param("PROXY.com:3128", ["NP028"], id="in capitals and with a port"),
        pytest.param("example.com", [], id="another host"),
        pytest.param("com", [], id="a domain that holds it is not its host"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_the_proxy_in_its_own_list(no_proxy: str, expected: list[str]) -> None:
    assert [reported.rule for reported in lint_proxy("http://proxy.com:3128", no_proxy=no_proxy)] == expected


@given(st.text(max_size=12), st.text(max_size=12))
def test_no_message_about_a_proxy_repeats_it(user: str, password: str) -> None:
    secret = f"Q{password}Q"
    for reported in lint_proxy(f"http://Z{user}Z:{secret}@proxy:3128", no_proxy="proxy", in_manifest=True):
        assert secret not in f"{reported.message}{reported.corrected}"


@given(st.text(alphabet="ab%4@:/#\\ é", max_size=12))
def test_mending_twice_is_mending_once(password: str) -> None:
    once = corrected_url(f"http://u:{password}x@proxy:3128")
    assert corrected_url(once) == once
    assert "NP005" not in [reported.rule for reported in lint_proxy(once)]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"HTTP_PROXY": "a", "http_proxy": "a"}, [], id="both equal"),
        pytest.param({"ALL_PROXY": "a"}, [], id="a variable that is not of the six"),
        pytest.param({"HTTP_PROXY": "a", "http_proxy": "b"}, ["NP007"], id="both different"),
        pytest.param({"NO_PROXY": "a", "no_proxy": ""}, ["NP007"], id="an empty one is another value"),
        pytest.param({"NO_PROXY": "a"}, ["NP008"], id="the upper alone"),
        pytest.param({"https_proxy": "a"}, ["NP008"], id="the lower alone"),
        pytest.param({"HTTP_PROXY": "a", "NO_PROXY": "b"}, ["NP008", "NP008"], id="each pair for itself"),
    ],
)
def test_the_two_cases_of_a_variable(variables: dict[str, str], expected: list[str]) -> None:
    found = lint_variables(variables)
    assert [reported.rule for reported in found] == expected
    assert all("must" in reported.message or "add `" in reported.message for reported in found)
    assert all("PROXY" in reported.message.upper() for reported in found)


@pytest.mark.parametrize(
    ("permissions", "has_password", "ignition", "count", "corrected"),
    [
        pytest.param("0644", False, False, 0, "", id="no password, everyone may read"),
        pytest.param("0640", True, False, 0, "", id="a password, others may not"),
        pytest.param("0600", True, True, 0, "", id="the owner alone"),
        pytest.param("640", True, False, 0, "", id="cloud-init reads it without a 0"),
        pytest.param("", False, False, 0, "", id="not given"),
        pytest.param("0644", True, False, 1, "", id="a password that others may read"),
        pytest.param("", True, False, 1, "", id="not given is 0644"),
        pytest.param("", False, True, 1, "0640", id="not given with Ignition"),
        pytest.param("640", False, True, 1, "0640", id="Ignition reads a decimal number"),
        pytest.param("644", True, True, 2, "0644", id="both at once"),
    ],
)
def test_permissions(permissions: str, has_password: bool, ignition: bool, count: int, corrected: str) -> None:
    found = lint_permissions(permissions, has_password=has_password, ignition=ignition)
    assert [reported.rule for reported in found] == ["NP030"] * count
    assert not corrected or found[0].corrected == corrected


@pytest.mark.parametrize(
    ("writers", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["inject-proxy"], [], id="one"),
        pytest.param(["inject-proxy", "inject-proxy"], [], id="the same one twice"),
        pytest.param(["inject-proxy", "VCDCluster/prod"], ["NP031"], id="two"),
    ],
)
def test_writers_of_one_file(writers: list[str], expected: list[str]) -> None:
    found = lint_writers("/etc/systemd/system/containerd.service.d/http-proxy.conf", writers)
    assert [reported.rule for reported in found] == expected
    assert all("inject-proxy and VCDCluster/prod" in reported.message for reported in found)
    assert all(reported.severity is Severity.WARNING for reported in found)
