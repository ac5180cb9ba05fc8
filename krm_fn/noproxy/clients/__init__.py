"""Models of what reads NO_PROXY: would this client reach this host directly, or through the proxy?

The text of NO_PROXY, a host and a port are all it knows; no model calls a name server, the network
or the rest of this program.

Twenty-six implementations, because hardly two agree; of curl and wget every range of versions whose rules differ. Each
function names the source it follows; ``tests/test_clients.py`` holds it against what was measured, and
``tests/test_clients_real.py`` against the client itself wherever that is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from krm_fn.light_typing import Protocol
from krm_fn.noproxy.clients import curl, gnu, go, httpx, node, others, python, ruby


class Client(Protocol):
    """One client, or one range of versions of it."""

    @property
    def ID(self) -> str:  # noqa: N802 -- a constant of the model, as `ID` of a target is
        """The stable name: what programs write and read."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """What a person calls it, with the programs that are known to use it."""

    def goes_direct(self, no_proxy: str, host: str, port: int) -> bool:
        """Return whether a request to ``host`` does not go through the proxy.

        ``no_proxy`` is the exact text of the variable; ``host`` is that of a URL, but IPv6 without brackets; ``port``
        is the one that is connected to: 80 and 443 count as not written in the URL. False where the client breaks.
        """

    def breaks_on(self, no_proxy: str) -> str:
        """Return why this client fails for every host with this list, as one line.

        "" if it does not.
        """


def _never(no_proxy: str) -> str:
    del no_proxy
    return ""


@dataclass(frozen=True)
class _Model:
    ID: str
    NAME: str
    matches: Callable[[str, str, int], bool]
    fails: Callable[[str], str] = _never

    def goes_direct(self, no_proxy: str, host: str, port: int) -> bool:
        return self.matches(no_proxy, host, port)

    def breaks_on(self, no_proxy: str) -> str:
        return self.fails(no_proxy)


_TABLE: tuple[Client, ...] = (
    _Model("go", "Go (containerd, kubelet, kubectl, Helm, Flux, Argo CD, Kyverno)", go.net_http),
    _Model("curl-old", "curl up to 7.85 (Ubuntu 22.04, RHEL 9)", curl.curl_7_85),
    _Model("curl", "curl 7.87 to 8.8, git, PHP (Debian 12)", curl.curl_8_8),
    _Model("curl-8.9", "curl 8.9 to 8.17, git, PHP (Debian 13)", curl.curl_8_17),
    _Model("curl-8.18", "curl 8.18 and later", curl.curl_8_18),
    _Model("wget-old", "wget up to 1.19 (RHEL 8)", gnu.wget_1_19),
    _Model("wget", "wget 1.20 and later", gnu.wget_1_20),
    _Model("apt", "apt", gnu.apt),
    _Model("urllib", "Python urllib", python.urllib),
    _Model("requests", "Python requests (pip)", python.requests),
    _Model("httpx", "Python httpx", httpx.httpx, httpx.breaks_on),
    _Model("aiohttp", "Python aiohttp", python.aiohttp),
    _Model("botocore", "Python botocore (boto3, AWS CLI)", python.urllib),
    _Model("kubernetes-python", "Python Kubernetes client", python.kubernetes),
    _Model("httplib2", "Python httplib2 (older Google clients)", python.httplib2),
    _Model("websocket-client", "Python websocket-client", python.websocket_client),
    _Model("ruby", "Ruby Net::HTTP (Fluentd, Puppet)", ruby.net_http),
    _Model("lwp", "Perl LWP", others.lwp),
    _Model("undici", "Node.js fetch, undici", node.undici),
    _Model("node", "Node.js 24 http", node.node_http),
    _Model("proxy-from-env", "Node.js axios before 1.15, proxy-from-env", node.proxy_from_env),
    _Model("axios-1.15", "Node.js axios 1.15 to 1.19", node.axios_1_19),
    _Model("axios", "Node.js axios 1.20 and later", node.axios),
    _Model("reqwest", "Rust reqwest", others.reqwest),
    _Model("dotnet", ".NET HttpClient", others.dotnet),
    _Model("java", "Java (the list as http.nonProxyHosts)", others.java),
)

CLIENTS: dict[str, Client] = {client.ID: client for client in _TABLE}
"""Every model by its ID, in the order in which they are listed; written by hand."""
