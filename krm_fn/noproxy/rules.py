"""The table of rules: what each finds, how much it matters, why, and what ``fix`` may do about it.

Written by hand, in the order of the IDs; `make docs` writes ``docs/messages.md`` and the rules in ``docs/lint.md``
from it. An ID never changes its meaning: ``spec.lint.rules`` and other people's notes name it.
"""

from enum import Enum
from typing import NamedTuple

from krm_fn.krm.results import Severity


class About(Enum):
    """What a rule looks at."""

    LIST = "list"
    PROXY = "proxy URL"
    OBJECT = "object"
    RUN = "run"


class Rule(NamedTuple):
    """One rule.

    ``finds`` and ``why`` are what it finds and why that matters, ``remedy`` a sentence that says what a person does,
    and ``fix`` what ``inject-proxy lint --fix`` does, "" where a person has to decide.
    """

    id: str
    severity: Severity
    about: About
    finds: str
    why: str
    remedy: str
    fix: str = ""


class Problem(NamedTuple):
    """What one rule found: the entry it is about ("" for the whole), one line for a person, and the corrected text.

    ``corrected`` is what to write for ``entry``, or for the whole where ``entry`` is empty; "" where a person has to
    decide, or where it would hold a credential.
    """

    rule: str
    severity: Severity
    entry: str
    message: str
    corrected: str = ""


def problem(
    rule: str, entry: str, message: str, *, corrected: str = "", severity: Severity | None = None
) -> Problem:
    """Return a problem with the severity of its rule, unless this case is another."""
    return Problem(rule, severity or RULES[rule].severity, entry, message, corrected)


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO
_LIST, _PROXY, _OBJECT, _RUN = About.LIST, About.PROXY, About.OBJECT, About.RUN

_TABLE = (
    Rule(
        "NP001",
        _E,
        _OBJECT,
        "a single `%` in `Environment=` of a systemd unit",
        "systemd reads a specifier, and drops the variable or puts something else there",
        "Write `%%` for each `%` in `Environment=` of the drop-in.",
        "double the `%`",
    ),
    Rule(
        "NP002",
        _E,
        _LIST,
        "a proxy, but an empty list",
        "everything inside the cluster goes through the proxy",
        (
            "Set `NO_PROXY` and `no_proxy` beside the proxy, with the networks and names inside "
            "the cluster."
        ),
        "compose the list",
    ),
    Rule(
        "NP003",
        _E,
        _LIST,
        "a pod CIDR, a service CIDR, the domain or the endpoint of the cluster is not covered",
        "traffic of the kubelet, the API server and webhooks goes through the proxy",
        (
            "Add the entry that the message names to `spec.noProxy`, or remove what excludes it "
            "from `spec.noProxyPolicy`."
        ),
        "append it",
    ),
    Rule(
        "NP004",
        _W,
        _LIST,
        "a service CIDR without its first address",
        "wget, apt, httpx, boto3, Node, .NET and Java read no CIDRs, and it is the API server's",
        (
            "Add the first address of the service CIDR to the list, such as `10.96.0.1` for "
            "`10.96.0.0/12`."
        ),
        "append it",
    ),
    Rule(
        "NP005",
        _E,
        _PROXY,
        "user name or password not percent-encoded",
        "Go silently ignores such a proxy and goes direct",
        (
            "Write every special character of user name and password as `%` and two hexadecimal "
            "digits, such as `%40` for `@`."
        ),
        "percent-encode them, never twice",
    ),
    Rule(
        "NP006",
        _E,
        _PROXY,
        "no or an unknown scheme, blanks, quotes, no host, an invalid port",
        "apt, aiohttp, Ruby and Node ignore such a proxy",
        "Write the URL as `http://host:port`, with nothing around it.",
        "trim it, put `http://` in front",
    ),
    Rule(
        "NP007",
        _E,
        _OBJECT,
        "the upper and the lower variable differ",
        "Go reads the upper one, curl, Python and Node the lower one",
        "Give both variables the same value.",
    ),
    Rule(
        "NP008",
        _W,
        _OBJECT,
        "only one case of a variable is set",
        "curl, wget and apt read no `HTTP_PROXY`, wget and apt no `NO_PROXY`",
        "Set the other case of the variable, too, with the same value.",
        "add the other one",
    ),
    Rule(
        "NP009",
        _E,
        _OBJECT,
        "a value that changes on the way to its reader",
        "systemd, the shell, cloud-init, Kubernetes, Kyverno or Flux make something else of it",
        (
            "Write the value in the form that the message names, or set the proxy in `spec` and "
            "let inject-proxy write it."
        ),
        "write it in the form that survives",
    ),
    Rule(
        "NP010",
        _E,
        _LIST,
        "blanks or line breaks, or `;` or `|` as separator",
        "wget, apt and curl miss the entry beside it",
        "Separate the entries by `,` alone, with no blank or line break beside it.",
        "trim, split, join by `,`",
    ),
    Rule(
        "NP011",
        _W,
        _LIST,
        (
            "a domain without its dotted form, or the dotted form alone (then, and for names of "
            "three labels, which may be hosts, an info)"
        ),
        "each misses some hosts in some clients; together they work in all",
        "Add the form that the message names if hosts of both forms are inside your network.",
        "add the dotted form; the bare one only for names inside the cluster",
    ),
    Rule(
        "NP012",
        _W,
        _LIST,
        "a glob or a range: `*.d`, `*d`, `10.1.*`, `10.1.0.1-10.1.0.9`",
        "curl, wget, apt and Python read none",
        "Write the domain as `.example.com`, and a range of addresses as a CIDR.",
        "write `.d`, or the CIDR",
    ),
    Rule(
        "NP013",
        _E,
        _LIST,
        "`*` among other entries; a warning where it is the only one",
        "Go, httpx and Node reach everything directly, curl and requests ignore it",
        "Remove `*`. To use no proxy at all, remove the proxy variables instead.",
    ),
    Rule(
        "NP014",
        _E,
        _LIST,
        "`0.0.0.0/0` or `::/0`",
        "Go reaches every address directly",
        "Remove the entry. To use no proxy at all, remove the proxy variables instead.",
        "remove it",
    ),
    Rule(
        "NP015",
        _E,
        _LIST,
        (
            "an invalid CIDR or address: prefix too long, netmask, octet above 255, too few "
            "octets, a `/` without a prefix; a warning for `0.0.0.0`"
        ),
        "no client, or only one, reads it",
        "Write a whole address such as `10.1.2.3`, or a CIDR such as `10.1.2.0/24`.",
        "write a netmask as a prefix length, remove a `/` at the end",
    ),
    Rule(
        "NP016",
        _W,
        _LIST,
        "a CIDR with bits behind its prefix",
        "it covers other addresses than a reader thinks",
        (
            "Write the first address of the network before the `/`, or the prefix length that you "
            "mean."
        ),
        "clear the bits",
    ),
    Rule(
        "NP017",
        _W,
        _LIST,
        "a port",
        "curl, git, wget, apt, .NET and Java ignore the entry",
        "Remove the port from the entry.",
        "remove the port",
    ),
    Rule(
        "NP018",
        _E,
        _LIST,
        "a URL, a path or user information in the place of a host",
        "no client reads it",
        "Write the host alone, without scheme, path, user name and password.",
        "keep the host; nothing where there is an `@`",
    ),
    Rule(
        "NP019",
        _W,
        _LIST,
        "IPv6 in brackets, with a zone, or in a long form; for pods also with a prefix",
        "few clients read it, and httpx fails on every request (then an error)",
        (
            "Write the short form of the address without brackets and zone; name addresses, not "
            "networks, for pods."
        ),
        "write the short form; remove it for pods",
    ),
    Rule(
        "NP020",
        _W,
        _LIST,
        "an IPv6 address in a list for pods that Ruby takes apart",
        "Ruby reads `::1` as `1` and goes direct to every address that ends in `.1`",
        "Name the host instead of its IPv6 address, or accept it if no pod runs Ruby.",
    ),
    Rule(
        "NP021",
        _W,
        _LIST,
        "capital letters",
        "LWP, httplib2 and websocket-client compare them",
        "Write the entry in lower case.",
        "write it in lower case",
    ),
    Rule(
        "NP022",
        _W,
        _LIST,
        "letters that are not ASCII",
        "only Go and aiohttp convert them, httpx fails on every request",
        "Write the name in its ASCII form, which begins with `xn--`.",
        "write the A-label (`xn--`)",
    ),
    Rule(
        "NP023",
        _W,
        _LIST,
        "the metadata service of the infrastructure is missing",
        "requests for credentials go to the proxy",
        (
            "Add the address that the message names to `spec.noProxy`, or remove what excludes it "
            "from `spec.noProxyPolicy`."
        ),
        "append it",
    ),
    Rule(
        "NP024",
        _W,
        _LIST,
        "`localhost` or `127.0.0.1` is missing",
        "only Go, Ruby and Java leave loopback out on their own",
        "Add `localhost` and `127.0.0.1` to the list.",
        "append it",
    ),
    Rule(
        "NP025",
        _W,
        _LIST,
        (
            "an entry that means more than its author thinks: `com`, `amazonaws.com`, `2.3`, a "
            "CIDR around a private network such as `10.0.0.0/7`, public addresses of `172.0.0.0/8`"
        ),
        "every name, or even address, with that end goes direct, and so do public addresses",
        "Name the hosts, the domains or the private network that you mean.",
    ),
    Rule(
        "NP026",
        _W,
        _LIST,
        "a list that is too long; an error from 131063 bytes on",
        "Cluster API takes 10240 characters for a file, and a drop-in holds the list twice",
        (
            "Write one domain or CIDR for many hosts, or raise `spec.noProxyPolicy.maxLength` if "
            "the limit is yours."
        ),
        "remove what others cover",
    ),
    Rule(
        "NP027",
        _I,
        _LIST,
        (
            "an entry that is empty, there twice, or covered by another in every client or almost "
            "every one (an address never is)"
        ),
        "the entry has no effect",
        "Remove the entry, or keep it: it does no harm.",
        "remove what is empty or equal",
    ),
    Rule(
        "NP028",
        _I,
        _PROXY,
        "the proxy's own host in the list",
        "harmless, but usually meant otherwise",
        (
            "Remove the host of the proxy from the list, unless programs must reach it directly "
            "on another port."
        ),
    ),
    Rule(
        "NP029",
        _E,
        _LIST,
        "`x.` without `x` or a domain around it",
        "outside curl it matches only names that are written with the final dot",
        "Write the name without the final dot as well.",
        "add `x`",
    ),
    Rule(
        "NP030",
        _W,
        _OBJECT,
        "a file with a password that others may read, or not `0640` or the like for Ignition",
        "`644` is a decimal number there, and Cluster API creates no node without any",
        'Write `permissions: "0640"` or `"0600"` for the file.',
        "put a 0 in front; write one",
    ),
    Rule(
        "NP031",
        _W,
        _OBJECT,
        "two writers of one file",
        (
            "the later one wins: Cloud Director's provider writes a containerd drop-in of its own "
            "where `spec.proxyConfigSpec` of the VCDCluster names a proxy"
        ),
        (
            "Let only one of the two write the file: switch the other one off, or give its file "
            "another path."
        ),
    ),
    Rule(
        "NP032",
        _W,
        _PROXY,
        "a proxy URL that begins with `https://`",
        "wget, urllib, Ruby, aiohttp and .NET cannot",
        "Use a proxy URL that begins with `http://`; HTTPS traffic uses it as well.",
    ),
    Rule(
        "NP033",
        _I,
        _PROXY,
        "a password in clear text in a manifest",
        "everyone who reads the repository reads it",
        (
            "Set `content: Secret` for the drop-ins, keep the manifest in a Secret, or use a "
            "proxy without a password."
        ),
    ),
    Rule(
        "NP034",
        _W,
        _LIST,
        "quotes inside an entry",
        "they are left from another layer, and no client matches such an entry",
        "Remove the quotes from the entry.",
        "remove them",
    ),
    Rule(
        "NP035",
        _W,
        _PROXY,
        "a proxy for `http://` only",
        "registries and APIs are called by `https://`, which goes direct in most clients",
        "Set `HTTPS_PROXY` and `https_proxy`, too (`spec.httpsProxy`).",
    ),
    Rule(
        "NP036",
        _W,
        _PROXY,
        "a proxy without a port",
        "curl takes 1080, wget 80",
        "Write the port of the proxy in its URL, such as `:3128`.",
    ),
    Rule(
        "NP037",
        _E,
        _LIST,
        "a name with an empty label: `a..b`",
        "no host has such a name",
        "Correct the name: it must not have two dots in a row.",
    ),
    Rule(
        "NP038",
        _W,
        _RUN,
        (
            "a fact that the list should hold and that no object and no field states: pod CIDRs, "
            "service CIDRs, endpoint, infrastructure"
        ),
        (
            "traffic to these addresses goes through the proxy; one warning for all objects of a "
            "Cluster"
        ),
        (
            "Set the field of `spec.clusterDefaults` that the message names, add the Cluster to "
            "the list, or switch off what you do not need in `spec.noProxyPolicy.derive`."
        ),
    ),
    Rule(
        "NP039",
        _W,
        _RUN,
        "an object that belongs to its Cluster by names only",
        "names may mislead: a label or a reference is certain",
        (
            "Set the label `cluster.x-k8s.io/cluster-name` on the object, or the annotation "
            "`cluster.x-k8s.io/cluster-namespace` where several Clusters have the name."
        ),
    ),
    Rule(
        "NP040",
        _W,
        _RUN,
        "a place with another value than the other places of its cluster",
        "the programs of one cluster disagree about the proxy",
        (
            "Set the value that the message names in this place, or leave the object out with "
            "`spec.selector.exclude`."
        ),
    ),
    Rule(
        "NP041",
        _W,
        _RUN,
        "an override for some nodes, and an object that holds one proxy for all of them",
        "those nodes get another proxy than the override declares",
        (
            "Set the proxy in `spec.httpProxy` and `spec.httpsProxy`, or in an override without "
            "`match.roles` and `match.workerGroups`."
        ),
    ),
    Rule(
        "NP042",
        _E,
        _LIST,
        "a name of a variable, `$NO_PROXY`, or an entry that ends with a colon, `https:`",
        "no program puts the value in its place, and no host has such a name",
        "Write the entries of that list, or the host name.",
    ),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _TABLE}
