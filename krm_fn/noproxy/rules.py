"""The table of rules: what each finds, how much it matters, why, and what ``fix`` may do about it.

Written by hand, in the order of the ids; ``docs/no-proxy.md`` shows this table and a test
compares the two. An id never changes its meaning: ``spec.lint.rules`` and other people's notes name it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from krm_fn.krm.results import Severity


class About(Enum):
    """What a rule looks at."""

    LIST = "list"
    PROXY = "proxy URL"
    OBJECT = "object"
    RUN = "run"


@dataclass(frozen=True)
class Rule:
    """One rule; ``fix`` is what the program may do about it, "" where a person has to decide."""

    id: str
    severity: Severity
    about: About
    finds: str
    why: str
    fix: str = ""


@dataclass(frozen=True)
class Problem:
    """What one rule found: the entry it is about ("" for the whole), one line for a person, and the mended text.

    ``mended`` is what to write for ``entry``, or for the whole where ``entry`` is empty; "" where a person has to
    decide, or where it would hold a credential.
    """

    rule: str
    severity: Severity
    entry: str
    message: str
    mended: str = ""


def problem(
    rule: str, entry: str, message: str, *, mended: str = "", severity: Severity | None = None
) -> Problem:
    """A problem with the severity of its rule, unless this case is another."""
    return Problem(rule, severity or RULES[rule].severity, entry, message, mended)


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO
_LIST, _PROXY, _OBJECT, _RUN = About.LIST, About.PROXY, About.OBJECT, About.RUN

_TABLE = (
    Rule("NP001", _E, _OBJECT, "a single `%` in `Environment=` of a systemd unit",
         "systemd reads a specifier, and drops the variable or puts something else there", "double the `%`"),
    Rule("NP002", _E, _LIST, "a proxy, but an empty list",
         "everything inside the cluster goes through the proxy", "compose the list"),
    Rule("NP003", _E, _LIST, "a pod CIDR, a service CIDR, the domain or the endpoint of the cluster is not covered",
         "traffic of the kubelet, the API server and webhooks goes through the proxy", "append it"),
    Rule("NP004", _W, _LIST, "a service CIDR without its first address",
         "wget, apt, httpx, boto3, Node, .NET and Java read no CIDRs, and it is the API server's", "append it"),
    Rule("NP005", _E, _PROXY, "user name or password not percent-encoded",
         "Go silently ignores such a proxy and goes direct", "percent-encode them, never twice"),
    Rule("NP006", _E, _PROXY, "no or an unknown scheme, blanks, quotes, no host, a port that is none",
         "apt, aiohttp, Ruby and Node ignore such a proxy", "trim it, put `http://` in front"),
    Rule("NP007", _E, _OBJECT, "the upper and the lower variable differ",
         "Go reads the upper one, curl, Python and Node the lower one"),
    Rule("NP008", _W, _OBJECT, "only one case of a variable is set",
         "curl, wget and apt read no `HTTP_PROXY`, wget and apt no `NO_PROXY`", "add the other one"),
    Rule("NP009", _E, _OBJECT, "a value that does not survive the layer it stands in",
         "systemd, the shell, cloud-init, Kubernetes, Kyverno or Flux make something else of it", "write it anew"),
    Rule("NP010", _E, _LIST, "blanks or line breaks, or `;` or `|` as separator",
         "wget, apt and curl miss the entry beside it", "trim, split, join by `,`"),
    Rule("NP011", _W, _LIST, "a domain without its dotted form, or the dotted form alone (then, and for names of "
         "three labels, which may be hosts, an info)",
         "each misses some hosts in some clients; together they work in all", "add the dotted form; "
         "the bare one only for names inside the cluster"),
    Rule("NP012", _W, _LIST, "a glob or a range: `*.d`, `*d`, `10.1.*`, `10.1.0.1-10.1.0.9`",
         "curl, wget, apt and Python read none", "write `.d`, or the CIDR"),
    Rule("NP013", _E, _LIST, "`*` among other entries; a warning where it stands alone",
         "Go, httpx and Node reach everything directly, curl and requests ignore it"),
    Rule("NP014", _E, _LIST, "`0.0.0.0/0` or `::/0`",
         "Go reaches every address directly", "drop it"),
    Rule("NP015", _E, _LIST, "a CIDR or an address that is none: prefix too long, netmask, octet above 255, too few, a "
         "`/` without a prefix; a warning for `0.0.0.0`",
         "no client, or only one, reads it", "a netmask becomes a prefix, a `/` at the end goes"),
    Rule("NP016", _W, _LIST, "a CIDR with bits behind its prefix",
         "it says something else than a reader thinks", "clear the bits"),
    Rule("NP017", _W, _LIST, "a port",
         "curl, git, wget, apt, .NET and Java ignore the entry", "drop the port"),
    Rule("NP018", _E, _LIST, "a URL, a path or user information in the place of a host",
         "no client reads it", "leave the host; nothing where there is an `@`"),
    Rule("NP019", _W, _LIST, "IPv6 in brackets, with a zone, or in a long form; for pods also with a prefix",
         "few clients read it, and httpx fails on every request (then an error)", "the short form; drop it for pods"),
    Rule("NP020", _W, _LIST, "an IPv6 address in a list for pods that Ruby takes apart",
         "Ruby reads `::1` as `1` and goes direct to every address that ends in `.1`"),
    Rule("NP021", _W, _LIST, "capital letters",
         "LWP, httplib2 and websocket-client compare them", "lower case"),
    Rule("NP022", _W, _LIST, "letters that are not ASCII",
         "only Go and aiohttp convert them, httpx fails on every request", "the A-label (`xn--`)"),
    Rule("NP023", _W, _LIST, "the metadata service of the infrastructure is missing",
         "requests for credentials go to the proxy", "append it"),
    Rule("NP024", _W, _LIST, "`localhost` or `127.0.0.1` is missing",
         "only Go, Ruby and Java leave loopback out on their own", "append it"),
    Rule("NP025", _W, _LIST, "an entry that means more than its author thinks: `com`, `amazonaws.com`, `2.3`, a CIDR "
         "around a private network such as `10.0.0.0/7`, public addresses of `172.0.0.0/8`",
         "every name, or even address, with that end goes direct, and so do public addresses"),
    Rule("NP026", _W, _LIST, "a list that is too long; an error from 131063 bytes on",
         "Cluster API takes 10240 characters for a file, and a drop-in holds the list twice", "drop what others cover"),
    Rule("NP027", _I, _LIST, "an entry that is empty, there twice, or covered by another in every client or almost "
         "every one (an address never is)",
         "it says nothing", "drop what is empty or equal"),
    Rule("NP028", _I, _PROXY, "the proxy's own host in the list",
         "harmless, but usually meant otherwise"),
    Rule("NP029", _E, _LIST, "`x.` without `x` or a domain around it",
         "outside curl it matches only names that are written with the final dot", "add `x`"),
    Rule("NP030", _W, _OBJECT, "a file with a password that others may read, or not `0640` or the like for Ignition",
         "`644` is a decimal number there, and without any Cluster API makes no node", "put a 0 in front; write one"),
    Rule("NP031", _W, _OBJECT, "two writers of one file",
         "the later one wins: Cloud Director's provider writes a containerd drop-in of its own where "
         "`spec.proxyConfigSpec` of the VCDCluster names a proxy"),
    Rule("NP032", _W, _PROXY, "a proxy URL that begins with `https://`",
         "wget, urllib, Ruby, aiohttp and .NET cannot"),
    Rule("NP033", _I, _PROXY, "a password in clear text in a manifest",
         "everyone who reads the repository reads it"),
    Rule("NP034", _W, _LIST, "quotes inside an entry",
         "they came through from another layer, and match nothing anywhere", "drop them"),
    Rule("NP035", _W, _PROXY, "a proxy for `http://` only",
         "registries and APIs are called by `https://`, which goes direct in most clients"),
    Rule("NP036", _W, _PROXY, "a proxy without a port",
         "curl takes 1080, wget 80"),
    Rule("NP037", _E, _LIST, "a name with an empty label: `a..b`",
         "no host has such a name"),
    Rule("NP038", _W, _RUN, "a fact that the list should hold and that nobody says: pod CIDRs, service CIDRs, "
         "endpoint, infrastructure",
         "what it stands for goes through the proxy; said once for all objects of a Cluster"),
    Rule("NP039", _W, _RUN, "an object that belongs to its Cluster by names only",
         "names may mislead: a label or a reference is sure"),
    Rule("NP040", _W, _RUN, "a place that does not say what the other places of its cluster say",
         "the programs of one cluster disagree about the proxy"),
    Rule("NP041", _W, _RUN, "an override for some nodes, and an object that holds one proxy for all of them",
         "those nodes get another proxy than the override says"),
)  # fmt: skip

RULES: dict[str, Rule] = {rule.id: rule for rule in _TABLE}
