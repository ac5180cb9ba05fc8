"""Lists, hosts and ports to ask rows and real clients the same question with.

Lists are those that people write; hosts are ones that every parser of URLs reads alike.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

NAMES = ("example.com", ".example.com", "*.example.com", "example.com.", "EXAMPLE.COM", "example.com:8080", "svc")
ADDRESSES = ("10.1.2.3", "10.0.0.0/8", "fd00::1", "[fd00::1]", "fd00::/8")
LISTS = (
    *NAMES,
    *ADDRESSES,
    "*",
    "localhost,127.0.0.1,::1",
    *map(", ".join, itertools.pairwise(NAMES)),
    *map(",".join, itertools.pairwise(ADDRESSES)),
    "example.com,.example.com",
    ".svc,10.96.0.0/12,10.96.0.1,b",
    "localhost,127.0.0.1,svc,.svc,cluster.local,.cluster.local,10.96.0.0/12,10.96.0.1,example.com,.example.com",
)
HOSTS = (
    *("example.com", "sub.example.com", "a.b.example.com", "notexample.com", "example.com.", "example.org", "b"),
    *("kubernetes.default.svc", "foo.ns.svc.cluster.local", "localhost", "127.0.0.1", "::1"),
    *("10.1.2.3", "10.9.9.9", "110.1.2.3", "10.96.0.1", "8.8.8.8", "fd00::1", "2001:db8::1"),
)


class Case(NamedTuple):
    """One request: would it go direct with this list?"""

    no_proxy: str
    host: str
    port: int

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}/" if self.port == 80 else f"http://{host}:{self.port}/"


CASES = list(itertools.starmap(Case, itertools.product(LISTS, HOSTS, (80, 8080))))
