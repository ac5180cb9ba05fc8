"""One search finds the proxies in an object, in whatever form they stand there."""

from __future__ import annotations

import base64
import gzip
import json
from textwrap import wrap
from typing import Any
from urllib.parse import quote

import pytest

from krm_fn.krm.resourcelist import objects
from krm_fn.places.proxy_search import proxies_in, urls_in_text

OLD = "http://old:1"


@pytest.mark.parametrize(
    ("data", "variables"),
    [
        pytest.param({"env": [{"name": "HTTPS_PROXY", "value": OLD}]}, ["HTTPS_PROXY"], id="a pair"),
        pytest.param({"env": [{"name": "NO_PROXY", "value": "a,b"}]}, ["NO_PROXY"], id="a pair with a list"),
        pytest.param({"proxy": {"httpProxy": OLD, "noProxy": ["a", "b"]}}, ["HTTP_PROXY", "NO_PROXY"], id="members"),
        pytest.param({"set": {"proxy.httpProxy": OLD}}, ["HTTP_PROXY"], id="a path of a HelmChart"),
        pytest.param({"x": {"httpProxy": "${PROXY}"}}, ["HTTP_PROXY"], id="a placeholder"),
        pytest.param({"x": {"httpProxy": "true"}}, [], id="no URL"),
        pytest.param({"proxy": OLD}, ["HTTPS_PROXY"], id="a Provider of Flux"),
        pytest.param({"remoteWrite": [{"url": "http://a", "proxyUrl": OLD}]}, ["HTTPS_PROXY"], id="Prometheus"),
        pytest.param({"proxies": {"http": OLD, "https": OLD}}, ["HTTP_PROXY", "HTTPS_PROXY"], id="MetalK8s"),
        pytest.param({"proxy": "http://a.example/path", "proxies": ["a"]}, [], id="an address of something else"),
        pytest.param({"env": [{"name": "DD_PROXY_HTTPS", "value": OLD}]}, ["HTTPS_PROXY"], id="Datadog"),
        pytest.param(
            {
                "location": "spec.containers[name:*].env[name:HTTP_PROXY].value",
                "parameters": {"assign": {"value": OLD}},
            },
            ["HTTP_PROXY"],
            id="an Assign of Gatekeeper",
        ),
        pytest.param({"x": {"description": f"HTTP_PROXY={OLD}"}}, [], id="a description"),
    ],
)
def test_a_name_tells_a_proxy(data: dict[str, Any], variables: list[str]) -> None:
    (obj,) = objects({"apiVersion": "example.com/v1", "kind": "Any", "spec": data})
    found = list(proxies_in(obj, []))
    assert [reading.variable for reading in found] == variables
    assert all(reading.path[0] == "spec" for reading in found)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param(f"export http_proxy={OLD}; x\n", ["http_proxy"], id="a profile"),
        pytest.param(json.dumps({"proxies": {"default": {"httpProxy": OLD}}}), ["httpProxy"], id="docker's client"),
        pytest.param(f'{{"proxies": {{"http-proxy": "{OLD}"}}}}', ["http-proxy"], id="the daemon of docker"),
        pytest.param(f'[Manager]\nDefaultEnvironment="HTTP_PROXY={OLD}" A=1\n', ["HTTP_PROXY"], id="all services"),
        pytest.param(f'Acquire::http::Proxy "{OLD}";\n', ["Acquire::http::Proxy"], id="apt"),
        pytest.param(f"apt-get -o Acquire::https::Proxy={OLD} update\n", ["Acquire::https::Proxy"], id="apt, option"),
        pytest.param(f"git config --global http.proxy {OLD}\n", ["http.proxy"], id="git"),
        pytest.param(
            f"git -c http.https://a.example.proxy={OLD}\n", ["http.https://a.example.proxy"], id="git: a host"
        ),
        pytest.param("curl --socks5-hostname old:1 x\n", ["--socks5-hostname"], id="curl, SOCKS"),
        pytest.param(f"snap set system proxy.https={OLD}\n", ["proxy.https"], id="snap"),
        pytest.param(f"curl -x {OLD} -fsSL https://example.org/x\n", ["-x"], id="curl"),
        pytest.param(f"pip install --proxy {OLD} x\ncurl --proxy={OLD} x\n", ["--proxy", "--proxy"], id="pip and curl"),
        pytest.param(f"[main]\nproxy={OLD}\n", ["proxy"], id="dnf"),
        pytest.param(f'proxy = "{OLD}"\n', ["proxy"], id="the file of curl"),
        pytest.param(f'echo "proxy={OLD}" >> /etc/dnf/dnf.conf\n', ["proxy"], id="a command"),
        pytest.param(f"DD_PROXY_HTTPS={OLD}\n", ["DD_PROXY_HTTPS"], id="Datadog"),
        pytest.param(f"proxy_pass {OLD};\nkube-proxy: {OLD}\nhttp.proxyHost=a\n", [], id="other names"),
        pytest.param(f"Environment=KUBELET_HTTPS_PROXY={OLD}\n", ["KUBELET_HTTPS_PROXY"], id="one process"),
        pytest.param(f"- name: HTTPS_PROXY\n  value: {OLD}\n", ["HTTPS_PROXY"], id="a pair in YAML"),
        pytest.param(f"# HTTP_PROXY={OLD}\n  ; HTTPS_PROXY={OLD}\n", [], id="comments"),
        pytest.param('export HTTP_PROXY="$P"\nHTTPS_PROXY=http://$HOST:1\n', [], id="what a shell fills in"),
        pytest.param(f"MY_CONTAINERD_HTTP_PROXY={OLD}\n", [], id="a longer name"),
        pytest.param(
            f'A={OLD}; HTTP_PROXY={OLD}; X=\'{{"httpsProxy": "{OLD}"}}\' # no_proxy\n',
            ["HTTP_PROXY", "httpsProxy"],
            id="two on a line",
        ),
        pytest.param(
            f"curl -x{OLD} x\ncurl -sSLx '{OLD}' x\ncurl -x={OLD} x\n", ["-x", "-sSLx", "-x"], id="options of curl"
        ),
        pytest.param("curl -x old:1 x\ncurl --proxy old:1\n", ["-x", "--proxy"], id="curl, no scheme"),
        pytest.param(
            f"npm config set proxy {OLD}\nnpm config set -g https-proxy={OLD}\n", ["proxy", "https-proxy"], id="npm"
        ),
        pytest.param(f'yarn config set httpsProxy "{OLD}"\n', ["httpsProxy"], id="yarn"),
        pytest.param(
            f"pip config --user set global.proxy {OLD}\npip3 --proxy old:1 install a\n",
            ["global.proxy", "--proxy"],
            id="pip",
        ),
        pytest.param(
            f"zypper --httpproxy {OLD} ref\ngem install --http-proxy {OLD}\n",
            ["--httpproxy", "--http-proxy"],
            id="zypper, gem",
        ),
        pytest.param(f'PROXY_ENABLED="yes"\nHTTP_PROXY="{OLD}"\n', ["HTTP_PROXY"], id="the file of zypper"),
        pytest.param(f'proxy = old:1\nproxy "{OLD}"\n-x {OLD}\n', ["proxy", "proxy", "-x"], id="lines of a .curlrc"),
        pytest.param(
            "[server]\nproxy_hostname = old\n\n# a port, and a scheme\nproxy_scheme = http\nproxy_port = 1\n",
            ["proxy_hostname"],
            id="rhsm.conf",
        ),
        pytest.param(
            "subscription-manager config --server.proxy_hostname=old --server.proxy_port=1\n"
            "subscription-manager register --proxy=old:1 --org a\n",
            ["proxy_hostname", "--proxy"],
            id="subscription-manager",
        ),
        pytest.param(
            f"dnf config-manager --setopt proxy={OLD}\ndnf config-manager --save --setopt=*.proxy={OLD}\n",
            ["proxy", "*.proxy"],
            id="options of dnf",
        ),
        pytest.param(
            f'Acquire {{ http::Proxy "{OLD}"; }}\nAcquire::https {{ Proxy "{OLD}"; }}\n',
            ["http::Proxy", "Proxy"],
            id="apt, in braces",
        ),
        pytest.param(
            "proxy: old:1\nproxy = old\ntar -x old\nset proxy to old:1\nproxy_hostname = old\n", [], id="no address"
        ),
    ],
)
def test_a_text_sets_a_proxy(text: str, names: list[str]) -> None:
    assert [name for name, _ in urls_in_text(text)] == names
    assert all(url == OLD for _, url in urls_in_text(text))


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode())).decode()


LINE = f"[Service]\nEnvironment=HTTPS_PROXY={OLD}\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"source: data:,{quote(LINE, safe='')}\n", id="percent"),
        pytest.param(f"source: 'data:text/plain;charset=utf-8,{quote(LINE)}'\n", id="percent, with a type"),
        pytest.param(json.dumps({"source": f"data:;base64,{_coded(LINE)}"}), id="base64"),
        pytest.param(f"data:text/plain;charset=utf-8;base64,{quote(_coded(LINE))}", id="base64, with a type"),
        pytest.param(f"compression: gzip\nsource: data:;base64,{_packed(LINE)}\n", id="gzip"),
        pytest.param(f"- encoding: gz+b64\n  content: {_packed(LINE)}\n", id="a file of cloud-init"),
        pytest.param("encoding: b64\ncontent: |\n  " + "\n  ".join(wrap(_coded(LINE), 20)), id="lines of base64"),
    ],
)
def test_a_node_decodes_a_text(text: str) -> None:
    assert list(urls_in_text(text)) == [("HTTPS_PROXY", OLD)]
