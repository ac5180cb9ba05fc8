"""Lists, hosts and ports to ask models and real clients the same question with.

The same seed gives the same cases; a host is one that every parser of URLs reads alike, whereas
an entry may be anything people have been seen to write.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

SEED = 4242
LISTS = 100
HOSTS_PER_LIST = 6

HOSTS = (
    *("example.com", "sub.example.com", "a.b.example.com", "notexample.com", "example.com.", "example.org", "b", "a.b"),
    *(
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "foo.ns.svc.cluster.local",
        "xn--bcher-kva.example",
    ),
    *("10.1.2.3", "10.9.9.9", "110.1.2.3", "10.96.0.1", "192.168.3.1", "169.254.169.254", "100.64.0.7", "8.8.8.8"),
    *("fd00::1", "fd00::2", "fdff::a1", "2001:db8::1", "2001:db8:0:1::1", "localhost", "127.0.0.1", "127.9.9.9", "::1"),
)
PORTS = (80, 80, 80, 8080, 6443)
DOMAINS = (
    "example.com",
    "sub.example.com",
    "svc",
    "cluster.local",
    "kubernetes",
    "default.svc",
    "com",
    "b",
    "localhost",
)
ADDRESSES = (
    *(
        "10.1.2.3",
        "10.96.0.1",
        "192.168.3.1",
        "127.0.0.1",
        "169.254.169.254",
        "fd00::1",
        "FD00::1",
        "fd00:0:0::1",
        "::1",
    ),
    *("10.0.0.0/8", "10.1.2.3/8", "10.1.2.3/32", "10.96.0.0/12", "100.64.0.0/13", "192.168.0.0/16", "0.0.0.0/0"),
    *(
        "10.0.0/8",
        "10.0.0.0/33",
        "10.0.0.0/255.0.0.0",
        "10.0.0.0/0.255.255.255",
        "10.1.2.3/08",
        "10.1.2.3/x",
        "10.1.2.3/",
    ),
    *("fd00::/8", "fd00::/7", "fd00::/64", "2001:db8::/33", "2001:db8::/129", "::/0", "[fd00::1]", "[fd00::/8]"),
    *("10.1.2.*", "10.1.2.", "10.1.2.1-10.1.2.9", "10.1.2.9-10.1.2.1", "2.3", "3", "1", "010.1.2.3", "10.1.2.3.4"),
)
ODDITIES = (
    *(
        "*",
        "*",
        "",
        ".",
        "..",
        "*.",
        "*b",
        "www.*.com",
        "a b",
        "a;b",
        '"b"',
        "http://b",
        "https://b",
        "b/",
        "bücher.example",
    ),
    *(
        ":8080",
        "b:",
        "b:x",
        "a:b:8080",
        "[fd00::1]:",
        "[b]:8080",
        "fd00::1:6443",
        "10.0.0.0/8:6443",
        "@b",
        "user@b",
        "-",
        "b-b",
    ),
)
SEPARATORS = (",", ",", ",", ",", ",", ", ", " ,", ",,", " ", ",\t", ",\n")
FORMS = ("{}", ".{}", "*.{}", "*{}", "{}.", "..{}", "{}:8080", ".{}:8080", "*.{}:6443", "{}:80", " {} ")
ADDRESS_FORMS = ("{}", "{}", "{}", "{}:6443", "[{}]", "[{}]:6443", ".{}", "{} ")

SPELLINGS = (
    # IPv4 as URLs and `inet_aton` have it: octal, hexadecimal, with fewer numbers, and numbers that are too large.
    ("10.66051,0x0a.1.9.9,012.1.9.8,10.1.2311", "10.1.2.3 10.1.9.9 10.1.9.8 10.1.9.7"),
    ("127.1", "127.0.0.1 localhost"),
    ("10.1.2.256,10.256.2.3,10.1.65536", "10.1.3.0 11.0.2.3 10.2.0.0"),
    ("10.1.2.255,10.255.2.3,10.1.65535", "10.1.2.255 10.255.2.3 10.1.255.255"),
    ("0x0a.0x1.2.3/16", "10.1.9.9"),
    ("0x0a010203/8", "10.9.9.9"),
    ("012.1.0.0/16", "10.1.9.9"),
    ("10.1.2.300/24,10.1.2.256/24,10.256.0.0/16", "10.1.3.44 11.0.1.1"),
    ("10.255.0.0/16", "10.255.1.1"),
    # IPv4 inside IPv6
    ("::ffff:10.1.2.3", "10.1.2.3 10.1.2.4"),
    ("[::ffff:10.1.2.3]", "10.1.2.3"),
    ("::ffff:10.1.2.3/104", "10.9.9.9 11.0.0.1"),
    ("::ffff:10.0.0.0/95", "10.1.2.3 11.0.0.1"),
    ("::ffff:10.1.2.2/127", "10.1.2.3 10.1.2.4"),
    # Loopback by other names
    ("0.0.0.0", "127.0.0.1 localhost"),  # noqa: S104 -- compared, not bound
    ("::", "127.0.0.1"),
    ("::1", "127.0.0.1"),
    ("localhost", "::1 127.9.9.9 sub.localhost"),
    ("LOCALHOST", "localhost sub.localhost"),
    ("[::1]", "localhost"),
    ("localhost:8080", "127.0.0.1 127.0.0.1:8080"),
    # Brackets, one of them missing
    ("[fd00::]/64", "fd00::1"),
    ("[fd00::/64", "fd00::1"),
    ("fd00::]/64", "fd00::1"),
    ("[fd00::1", "fd00::1"),
    ("fd00::1]", "fd00::1"),
    ("[10.1.2.3]", "10.1.2.3"),
    ("[10.0.0.0]/8", "10.1.2.3"),
    # Prefixes, netmasks and ranges
    ("fd00::1/x", "fd00::1"),
    ("10.1.2.3/32", "::1"),
    ("10.1.2.3/8", "10.1.2.3"),
    ("10.0.0.0/255.0,10.0.0.0/255.0.0.0.", "10.1.2.3"),
    ("10.0.0.0/255.0.255.0", "10.9.0.3"),
    ("10.1.2.*", "10.1.2.3 10.1.20.3"),
    # Ports without a host, and hosts without the port
    (":8080", "b:8080 example.com.:8080"),
    ("b:", "b b:8080"),
    # URLs
    ("http://b:80,//10.1.2.3,@10.9.9.9", "b 10.1.2.3 10.9.9.9"),
    ("all://b", "b sub.b"),
    ("://b", "b"),
    ("all://*", "b"),
    ("http://*:8080", "b b:8080"),
    ("*:8080", "b b:8080"),
    ("b/https://x,1https://b", "b x"),
    # Names beyond ASCII
    ("xn--bcher-kva.example", "xn--bcher-kva.example sub.xn--bcher-kva.example"),
    ("bücher.example", "xn--bcher-kva.example sub.xn--bcher-kva.example"),
    ("*.bücher.example", "sub.xn--bcher-kva.example"),
    (" ,", "b"),
)
"""Lists that few people write, each with the hosts that tell clients apart."""


@dataclass(frozen=True)
class Case:
    """One request: would it go direct with this list?"""

    no_proxy: str
    host: str
    port: int

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}/" if self.port == 80 else f"http://{host}:{self.port}/"


def generated() -> list[Case]:
    """A few hundred cases, the same ones every time; half of the hosts are near an entry of their list.

    Then those of ``SPELLINGS``.
    """
    rng = random.Random(SEED)  # noqa: S311 -- cases, not keys
    cases = []
    for _ in range(LISTS):
        names, text = [], ""
        for _ in range(rng.randrange(1, 5)):
            name, entry = _entry(rng)
            names.append(name)
            text += entry + rng.choice(SEPARATORS)
        text = text.rstrip(", \t\n") + rng.choice(("", "", "", "", "\n", " ", ","))
        hosts = [_near(rng, rng.choice(names)) for _ in range(HOSTS_PER_LIST // 2)]
        hosts += rng.sample(HOSTS, HOSTS_PER_LIST - len(hosts))
        cases += [Case(text, host, rng.choice(PORTS)) for host in dict.fromkeys(hosts)]
    return cases + spelled()


def spelled() -> list[Case]:
    """The cases of ``SPELLINGS``, port 80 where none is written."""
    found = []
    for text, places in SPELLINGS:
        for place in places.split():
            host = place.removesuffix(":8080")
            found.append(Case(text, host, 80 if host == place else 8080))
    return found


def _entry(rng: random.Random) -> tuple[str, str]:
    """What the entry is about, and the entry."""
    kind = rng.randrange(10)
    if kind == 0:
        return "b", rng.choice(ODDITIES)
    name = rng.choice(DOMAINS if kind < 5 else ADDRESSES)
    entry = rng.choice(FORMS if kind < 5 else ADDRESS_FORMS).format(name)
    return name, entry.upper() if rng.randrange(12) == 0 else entry


def _near(rng: random.Random, name: str) -> str:
    """A host that an entry about ``name`` may be meant for, or may hit by mistake."""
    if name in DOMAINS or name == "b":
        return rng.choice(("{}", "{}", "sub.{}", "a.b.{}", "not{}", "{}.")).format(name)
    family = [host for host in HOSTS if (":" in host) == (":" in name) and host[:3] == name.lower().strip("[")[:3]]
    return rng.choice(family or HOSTS)


_entries = st.one_of(
    st.builds(str.format, st.sampled_from(FORMS), st.sampled_from(DOMAINS)),
    st.builds(str.format, st.sampled_from(ADDRESS_FORMS), st.sampled_from(ADDRESSES)),
    st.sampled_from(ODDITIES),
    st.text("abAB01.:/-*[] ", max_size=8),
)

cases = st.builds(
    Case,
    no_proxy=st.lists(st.tuples(_entries, st.sampled_from(SEPARATORS)).map("".join), max_size=4).map("".join),
    host=st.sampled_from(HOSTS),
    port=st.sampled_from(PORTS),
)
"""For matchers that run in this process: the same, and texts nobody has written yet."""
