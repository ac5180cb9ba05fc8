"""Read the entries of a list, classify one, and give it the forms that every client understands.

No cluster, no style. Each step is idempotent, and none makes an entry mean more than its author wrote: a bare name
already covers its subdomains in Go, curl, Python and apt.

The steps are those that were measured with 24 clients: ``split``, ``bare``, ``canonical``, ``forms``.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache

from krm_fn.clusters.cluster import Fact
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.placeholders import is_template

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Cidr = ipaddress.IPv4Network | ipaddress.IPv6Network


class EntryKind(Enum):
    """The kind of an entry, once scheme, path and port are gone."""

    NAME = "a name"
    DOMAIN = "a domain with a leading dot"
    GLOB = "a domain behind `*.`"
    EVERYTHING = "everything"
    ADDRESS = "an address"
    CIDR = "a CIDR"
    NUMBERS = "numbers that are no address"
    TEMPLATE = "a template that another tool fills in"
    UNKNOWN = "nothing that a client reads"


# The kinds that may hold a colon that is in front of no port.
_ADDRESSES = {EntryKind.ADDRESS, EntryKind.CIDR}

# Names of one host each: they never mean a domain.
SHORT_NAMES = {
    "api.metadata.cloud.ibm.com",
    "kubernetes",
    "kubernetes.default",
    "localhost",
    "metadata",
    "metadata.google.internal",
    "metadata.platformequinix.com",
}

# Domains inside a cluster: their bare name is never a public site, so a dotted form is completed by it.
CLUSTER_NAMES = {"svc", "cluster.local"}

# Single labels that are domains. Source: IANA's root zone, as far as companies use it, and ``PRIVATE_SUFFIXES``.
_TOP_LEVEL = r"""(?x)
    [a-z]{2}                                              # a country: "de"
    | biz | com | edu | gov | info | int | mil | net | org  # "example.com" without "example."
    | app | cloud | dev | xyz | arpa | onion
    | corp | example | home | internal | intranet | invalid | lan | local | localdomain | private | test
"""

# The text between two separators, which count as letters inside a template.
_TOKEN = re.compile(
    r"""
    (?:
        [^\s,;|{$]+          # the usual letters: "10.0.0.0/8"
        | \{\{ [^{}]* \}\}    # a template, with its separators: "{{ .name }}"
        | \$\{ [^$}]* \}      # "${NAME:-a,b}"
        | \$\( [^$)]* \)      # "$(NAME)"
        | [^\s,;|]           # a brace or a dollar sign of no template: "$NAME"
    )+
    """,
    re.VERBOSE,
)
# Suffixes that no public name ends in: an author who writes one means their own network.
#
# Source: RFC 2606, RFC 6761 and RFC 8375 (``home.arpa``); RFC 6762, section 3 (``.local``) and appendix G (the others);
# ICANN delegates none of them.
PRIVATE_SUFFIXES = {
    "corp",
    "example",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "private",
    "test",
}

_QUOTES = re.compile(r"[\"'\\]")
# Separators that people write in the place of commas.
_SEPARATORS = r"[\s;|]+"
# Characters of the other parts of a URL, and of addresses of IPv6.
_NOT_IN_HOSTS = frozenset("/?#:[]")
_URL = r"""(?x)
    (?: (?: [A-Za-z][A-Za-z0-9+.-]*: )? // )?              # "http://", "//"
    (?P<host> \[[^\]]*\] [^/?\#]* | [^/?\#\[\]]* )       # "[fd00::1]:80", "example.com:80"
    (?P<rest> [/?\#].* )?                                # "/path?query#fragment"
"""
_WITH_PREFIX = re.compile(r"[0-9A-Fa-f:.\[\]]+/[0-9.]+(?::[0-9]*)?")
_WITH_PORT = r"""(?x)
    (?P<host> \[[^\]]*\] (?:/[0-9]+)? | [^:\[\]]+ )      # "[fd00::]/64", "example.com"
    : (?: [0-9]{1,5} | \* )                              # ":443", ":*"
"""
NAME = re.compile(
    r"""
    [a-z0-9_] (?: [a-z0-9_-]* [a-z0-9_] )?                # a label: "example"
    (?: \. [a-z0-9_] (?: [a-z0-9_-]* [a-z0-9_] )? )*      # further ones: ".com"
    \.?                                                  # the root: "example.com."
    """,
    re.VERBOSE,
)
_IN_CREDENTIALS = "[@:%=]"
_SCHEME = r"\A[a-z][a-z0-9+.-]*:///?"
# Somebody meant an address, although it may be none.
_LIKE_IPV6 = r"\[?[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*\]?(?:/[0-9]*)?"
# An address and a colon without a port: behind a name, or in front of a blank, the colon may separate a password.
_WITHOUT_PORT = r"""(?x)
    (?<! [^\s,;|] )                                      # at the begin of an entry
    (?P<host> (?:[0-9]{1,3}\.){3}[0-9]{1,3} | \[[0-9A-Fa-f:.]+\] )  # "10.0.0.0", "[fd00::1]"
    (?P<prefix> /[0-9]{1,3} )?                           # "/8"
    : (?= [,;|] )                                        # a colon, and the entry ends
"""
_NUMERIC = r"(?=.*[0-9])(?=.*[.:/])[0-9a-f.:/\[\]%]+"
_RANGE = r"[0-9.]+-[0-9.]+|[0-9.]+\*[0-9.*]*|(?:[0-9]+\.){1,3}"
# IDNA 2003, which Python's codec implements, turns these into another name than today's IDNA 2008.
_AMBIGUOUS = "[\u00df\u03c2\u200c\u200d]"
_CIDR = r"[0-9A-Fa-f:.\[\]]+/[0-9.]+"
_AROUND_HOST = r"""(?x)
    \A (?: [A-Za-z][A-Za-z0-9+.-]* :// )?                # "http://"
    (?P<host> \[[^\]]*\] | [^/:?\#]* ) .*               # "example.com", and the rest: ":80/path"
"""
_A_HOST = "a host name, a domain, an address or a CIDR"


def parse(lists: str | Iterable[str]) -> Texts:
    """Return the entries of one or several comma-separated texts, in order, without blanks and empty ones."""
    texts = lists
    if isinstance(lists, str):
        texts = [lists]
    parts = [part.strip() for text in texts for part in text.split(",")]
    return tuple(filter(None, parts))


def why_wrong(entry: str) -> str:
    """Return why no client, or only some, understand ``entry``, and the correction; "" for a correct one."""
    reason = why_wrong_pattern(entry)
    if reason:
        return reason
    # Nobody fills in a variable of a shell here.
    if not is_template(entry) and re.search(r"\$[A-Za-z_]", entry):
        return "an entry must not be the name of a variable: write its entries"
    # There is one at most: a second one would be a separator, which is wrong in patterns, too.
    token = next(iter(split(entry)), "")
    if classify(bare(token)) is not EntryKind.UNKNOWN:
        return ""
    if re.fullmatch(_NUMERIC, token) or re.fullmatch(_RANGE, token):
        return f'entry "{token}" must be a whole address or CIDR, such as "10.1.2.0/24"'
    if token.endswith(":") or ".." in token:
        return f'entry "{token}" must be {_A_HOST}'
    return ""


def why_wrong_pattern(entry: str) -> str:
    """Return why an entry, or a glob for entries, is wrong, and the correction; "" for a correct one.

    apt and wget miss an entry beside a blank; no client reads ``;``, ``|`` or a URL (measured). A possible credential
    is not repeated.
    """
    if may_hold_a_credential(entry):
        return (
            "an entry must not hold user name and password. Write the host alone, "
            'as in "git.example.com" or "git.example.com:443"'
        )
    if re.search(_SEPARATORS, entry):
        corrected = ",".join(filter(None, re.split(_SEPARATORS, entry)))
        return f'entry "{" ".join(entry.split())}" must not hold blanks, ";" or "|": write "{corrected}"'
    if "/" not in entry or re.fullmatch(_CIDR, entry):
        return ""
    host = re.sub(_AROUND_HOST, r"\g<host>", entry).strip("[]")
    corrected = _A_HOST
    if host:
        corrected = f'"{host}"'
    return f"an entry must not be a URL: write {corrected}"


def split(text: str) -> Texts:
    """Return the entries of a text (step 1), in lower case, without quotes, with any separator that people use.

    Blanks, ``;`` and ``|`` separate as commas do. A template (``${NAME}``, ``$(NAME)``, ``{{ .name }}``) stays whole
    and as it is, and so does an entry with an ``@``, which may be a credential.
    """
    parts = []
    for token in _TOKEN.findall(text):
        entry = token if _is_left_alone(token) else _QUOTES.sub("", token).lower()
        if entry:
            parts.append(entry)
    return tuple(parts)


def _is_left_alone(token: str) -> bool:
    return is_template(token) or "@" in token


def may_hold_a_credential(text: str) -> bool:
    """Return whether a part of a list may be `user:password`, as it is or percent-encoded, or a name with its value.

    Nobody can know which part of the list belongs to it: a password may hold commas and blanks. Characters that
    look alike count as those of ASCII, as they do in names of hosts (RFC 3490, section 4).
    """
    if not text.isascii():
        from unicodedata import normalize  # noqa: PLC0415 -- few lists are not ASCII

        text = normalize("NFKC", text)
    if not re.search(_IN_CREDENTIALS, text):
        return False
    parts = split(re.sub(_WITHOUT_PORT, r"\g<host>\g<prefix>", text))
    # "Password: secret": a name in front of its value, as in a line of YAML or a header of HTTP.
    if any(map(_ends_in_colon, parts[:-1])):
        return True
    return any(map(_may_be_a_credential, parts))


@lru_cache(maxsize=16384)
def _may_be_a_credential(token: str) -> bool:
    if is_template(token):
        return False
    if "@" in token or "=" in token:
        return True
    host = re.sub(_SCHEME, "", bare(token)).rstrip(":")
    if re.fullmatch(_LIKE_IPV6, host):
        return False
    if {":", "%"}.isdisjoint(host):
        return False
    return classify(host) not in _ADDRESSES


def _ends_in_colon(token: str) -> bool:
    is_name = token.endswith(":") and not is_template(token)
    return is_name and re.fullmatch(_LIKE_IPV6, token) is None


@lru_cache(maxsize=16384)
def bare(entry: str) -> str:
    """Return the host of an entry (step 2) in ASCII, without scheme, path and port, or the entry if it has no host.

    Only Go, Ruby and some Python and Node clients read a port, and none reads a URL.
    """
    if _is_left_alone(entry):
        return entry
    if _NOT_IN_HOSTS.isdisjoint(entry):
        return _ascii(entry)
    host = entry
    match = None if _WITH_PREFIX.fullmatch(entry) else re.fullmatch(_URL, entry)
    if match:
        host = match["host"] or entry
    with_port = re.fullmatch(_WITH_PORT, host)
    if with_port:
        return _ascii(with_port["host"])
    without_colon = host.removesuffix(":")
    is_address = address(without_colon) is not None or network(without_colon) is not None
    if is_address:
        return without_colon
    return _ascii(host)


def _ascii(token: str) -> str:
    """Return a non-ASCII name as its A-label (``xn--``), unless IDNA 2003 and 2008 disagree about it."""
    if token.isascii() or re.search(_AMBIGUOUS, token):
        return token
    dots = len(token) - len(token.removeprefix("*").removeprefix("."))
    try:
        label = token[dots:].encode("idna").decode("ascii").lower()
    except UnicodeError:
        return token
    if NAME.fullmatch(label):
        return token[:dots] + label
    return token


@lru_cache(maxsize=16384)
def classify(entry: str) -> EntryKind:
    """Return the kind of ``entry``, which is one of ``bare``."""
    if is_template(entry):
        return EntryKind.TEMPLATE
    if entry == "*":
        return EntryKind.EVERYTHING
    if address(entry):
        return EntryKind.ADDRESS
    if network(entry):
        return EntryKind.CIDR
    name = entry.removeprefix("*").removeprefix(".")
    if not NAME.fullmatch(name) or ("-" in name and re.fullmatch(_RANGE, name)):
        return EntryKind.UNKNOWN
    if name.replace(".", "").isdigit():
        if name.count(".") >= 3 or "*" in entry:
            return EntryKind.UNKNOWN
        return EntryKind.NUMBERS
    if entry.startswith("*"):
        if entry.startswith("*."):
            return EntryKind.GLOB
        return EntryKind.UNKNOWN
    if entry.startswith("."):
        return EntryKind.DOMAIN
    return EntryKind.NAME


@lru_cache(maxsize=16384)
def address(entry: str) -> Address | None:
    """Return ``entry`` as an address, with or without brackets, or None."""
    text = entry
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    if _is_name(text):
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _is_name(text: str) -> bool:
    """Return whether a text cannot be an address, as most cannot: ``ipaddress`` takes long to say so."""
    return ":" not in text and not text[-1:].isdigit()


@lru_cache(maxsize=16384)
def network(entry: str) -> Cidr | None:
    """Return ``entry`` as a CIDR, also with host bits, a netmask or brackets, or None."""
    text = entry.replace("[", "").replace("]", "")
    host, slash, _ = text.partition("/")
    if not slash or _is_name(host):
        return None
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def canonical(entry: str) -> Texts:
    """Return addresses and CIDRs as everyone writes them (step 3), anything else as it is.

    A CIDR of one address is followed by the address: wget, apt, urllib, Node and .NET read no CIDR.
    """
    host = address(entry)
    if host is not None:
        return (str(host),)
    cidr = network(entry)
    if cidr is None:
        return (entry,)
    if cidr.prefixlen == cidr.max_prefixlen:
        return (str(cidr), str(cidr.network_address))
    return (str(cidr),)


def forms(entry: str) -> Texts:
    """Return the forms of a domain that all clients together need (step 4), anything else as it is.

    ``d`` is followed by ``.d``, which .NET, axios, Node's http and httplib2 need for subdomains. ``*.d`` becomes
    ``.d``. ``.d`` is followed by ``d`` only for names inside a cluster: elsewhere the bare name may be a public site
    that only the proxy reaches. ``d.`` is followed by the forms of ``d``: outside curl it matches rooted names alone.
    """
    kind = classify(entry)
    if kind is EntryKind.GLOB:
        return forms(entry.removeprefix("*"))
    if kind not in (EntryKind.NAME, EntryKind.DOMAIN):
        return (entry,)
    if entry.endswith("."):
        return (entry, *forms(entry.rstrip(".")))
    if kind is EntryKind.DOMAIN:
        if entry[1:] in CLUSTER_NAMES:
            return (entry, entry[1:])
        return (entry,)
    # A single label is a domain only if it is a known one.
    is_label = "." not in entry and entry not in CLUSTER_NAMES and not is_top_level(entry)
    if is_label or entry in SHORT_NAMES:
        return (entry,)
    return (entry, f".{entry}")


def is_top_level(label: str) -> bool:
    """Return whether a single label is a known domain: a country, a common suffix, a usual private one."""
    return re.fullmatch(_TOP_LEVEL, label) is not None


@lru_cache(maxsize=16384)
def plain(text: str) -> Texts:
    """Return the entries of a text as everyone writes them, each once: steps 1 to 3."""
    parts = {}
    for token in split(text):
        parts.update(dict.fromkeys(canonical(bare(token))))
    return tuple(parts)


@lru_cache(maxsize=16384)
def expand(text: str) -> Texts:
    """Return the entries to write for one entry of the user, in order: steps 1 to 4."""
    return tuple(dict.fromkeys(form for part in plain(text) for form in forms(part)))


def normalise(texts: Iterable[str]) -> Texts:
    """Return a list in its portable forms (steps 1 to 4 and 6).

    Of equal entries the first one keeps its place.
    """
    return tuple(dict.fromkeys(entry for text in texts for entry in expand(text)))


def holds_every_address(entry: str) -> bool:
    """Return whether ``entry`` is a CIDR that contains every address."""
    cidr = network(entry)
    return cidr is not None and cidr.prefixlen == 0


def holds(entry: str, host: str) -> bool:
    """Return whether ``entry`` is a CIDR and contains the address ``host``."""
    cidr = network(entry)
    number = address(host)
    return cidr is not None and number is not None and number in cidr


def breaks_clients(entry: str) -> bool:
    """Return whether ``entry`` makes some client fail on every request (httpx raises ``InvalidURL``).

    It does for IPv6 in brackets or with a prefix, and for names that are not ASCII; nodes run no such client.
    """
    if is_template(entry):
        return False
    if not entry.isascii():
        return True
    if ":" not in entry:
        return False
    if address(entry) is None:
        return True
    return not set(entry).isdisjoint("[]%")


def confuses_ruby(entry: str) -> bool:
    """Return whether Ruby reads a part of the IPv6 address ``entry`` as the end of other hosts' names.

    Ruby takes an entry apart at colons (``URI::Generic.use_proxy?``): ``::1`` is "1" and matches "10.0.0.1", and
    ``2001:db8::de`` matches everything in Germany.
    """
    if not isinstance(address(entry), ipaddress.IPv6Address):
        return False
    return any(re.fullmatch("[0-9]{1,3}|[a-f]{2,}", group) for group in entry.split(":"))


# The entries of a list, with their reasons.


class Origin(Enum):
    """The source of an entry."""

    # A field of the FunctionConfig, or of a source that it names: a person wrote it.
    CONFIG = "config"
    # A field of an object of the input, or the default that Cluster API or a provider takes for it.
    OBJECT = "object"
    # A rule of the style, or of the clients that read the list.
    RULE = "rule"


_CONFIG = frozenset({Origin.CONFIG})
_OBJECT = frozenset({Origin.OBJECT})
_RULE = frozenset({Origin.RULE})


class Entry(NamedTuple):
    """One entry of a list, and why it is there.

    Attributes:
        text: as the list holds it.
        why: a line for each reason, in the order in which they were found.
        origins: the sources of the reasons.
    """

    text: str
    why: Texts = ()
    origins: frozenset[Origin] = frozenset()

    @classmethod
    def from_config(cls, text: str, field_path: str) -> Entry:
        """Return an entry that a field of the FunctionConfig holds."""
        return cls(text, (f"`{field_path}`",), _CONFIG)

    @classmethod
    def from_fact(cls, fact: Fact) -> Entry:
        """Return the entry for a fact about a Cluster."""
        if fact.config_field:
            return cls.from_config(fact.value, fact.config_field)
        if not fact.reason:
            return cls(fact.value)
        return cls(fact.value, (fact.reason,), _OBJECT)

    @classmethod
    def from_rule(cls, text: str, rule: str) -> Entry:
        """Return an entry that is in the list for a rule alone."""
        return cls(text, (f"rule: {rule}",), _RULE)

    def by_rule(self, text: str, rule: str) -> Entry:
        """Return the entry ``text``, which a rule adds because of this one."""
        return Entry(text, (*self.why, f"rule: {rule}"), self.origins | _RULE)


# The entries of a list, in their order.
NoProxy = tuple[Entry, ...]


def join(entries: Iterable[Entry]) -> str:
    """Return the value of NO_PROXY: a comma without a blank between entries, because apt and wget read no blanks."""
    return ",".join(entry.text for entry in entries)


def united(entries: Iterable[Entry]) -> list[Entry]:
    """Return each entry once, in its first place, with the reasons and origins of all that are equal."""
    by_text: dict[str, Entry] = {}
    for entry in entries:
        first = by_text.setdefault(entry.text, entry)
        if first is not entry:
            why = tuple(dict.fromkeys(first.why + entry.why))
            by_text[entry.text] = Entry(entry.text, why, first.origins | entry.origins)
    return list(by_text.values())
