"""What a repository and the shell already say about a proxy, for `inject-proxy init`.

It reads with the readers of the linter and of `import`, and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from krm_fn import config, noproxy, placeholders, settings
from krm_fn.carriers.reading import Reading
from krm_fn.clusters import Membership
from krm_fn.config import ProxyConfig
from krm_fn.errors import ConfigError, InputError
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Severity
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.lint.manifests import listed
from krm_fn.lint.manifests.reading import ManifestFiles
from krm_fn.lint.manifests.sites import seen_objects
from krm_fn.lint.objects import Listing, places
from krm_fn.lint.seen import SeenObject
from krm_fn.lint.values import corrected_url, lint_list
from krm_fn.noproxy import Audience
from krm_fn.patch import text_at
from krm_fn.plan.sources import formats
from krm_fn.proxy_url import split_url

_CLUSTER = ("cluster.x-k8s.io", "Cluster")
_COMPLETED = "NP011"
"""The rule about one form of a domain, of which a ProxyConfig writes both."""
_SHELL = "the environment of the shell"


class ProxyPlace(NamedTuple):
    """Where a proxy is set: an object, or a file that holds none, and the Clusters to which it belongs.

    ``rule`` is that of a Kyverno policy. ``is_unknown``: no target writes there unless it is chosen.
    """

    name: str
    ref: ObjectRef = ObjectRef()
    clusters: frozenset[tuple[str, str]] = frozenset()
    rule: str = ""
    is_unknown: bool = False


@dataclass
class FoundProxy:
    """A proxy, by its two URLs without credentials, the places that set it and the entries of their lists.

    ``doubtful`` are entries that the linter warns about, each with its rule.
    """

    http: str
    https: str
    has_password: bool = False
    places: list[ProxyPlace] = field(default_factory=list)
    entries: dict[str, None] = field(default_factory=dict)
    doubtful: dict[str, str] = field(default_factory=dict)

    @property
    def clusters(self) -> frozenset[tuple[str, str]]:
        """The namespace and the name of each Cluster with a place that sets it."""
        return frozenset(one for place in self.places for one in place.clusters)


def document(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ProxyConfig as data."""
    return {
        "apiVersion": config.API_VERSION,
        "kind": config.KIND,
        "metadata": {"name": "proxy"},
        "spec": spec,
    }


@dataclass(frozen=True)
class Found:
    """What there is: proxies, the one with most places first, and the namespace and name of each Cluster.

    ``unclear`` counts places whose URL is not in the manifest, is no URL, or is filled in later.
    """

    proxies: list[FoundProxy]
    clusters: list[tuple[str, str]]
    unclear: int


def look(
    manifests: ManifestFiles, others: Mapping[str, bytes], environment: Mapping[str, str]
) -> Found:
    """Return what the objects, the other files and the variables of the shell say about a proxy.

    The list of the shell counts where no file names a proxy.
    """
    by_urls: dict[tuple[str, str], FoundProxy] = {}
    unclear = 0
    for seen in seen_objects(manifests.items, ProxyConfig()):
        for readings in places(seen.readings):
            values = _values(readings)
            found = _noted(by_urls, values, _place(seen, next(iter(readings.values())).rule))
            if found is not None:
                _note_entries(found, values.get("NO_PROXY", ""), seen.memberships)
            elif any(name != "NO_PROXY" for name in values):
                unclear += 1
    for name, content in others.items():
        values = _values_of_file(content)
        found = _noted(by_urls, values, ProxyPlace(name))
        if found is not None:
            _note_entries(found, values.get("NO_PROXY", ""), ())
    of_files = set(by_urls)
    values = _values_of_shell(environment)
    found = _noted(by_urls, values, ProxyPlace(_SHELL))
    # What this machine reaches directly is no word about the hosts of clusters that have a proxy already.
    if found is not None and not of_files:
        _note_entries(found, values.get("NO_PROXY", ""), ())
    proxies = sorted(by_urls.values(), key=lambda one: -len(one.places))
    return Found(proxies, _clusters(manifests), unclear)


def proxy_of(url: str) -> FoundProxy | None:
    """Return the proxy of a URL that a person typed; None where it is none."""
    return _noted({}, {"HTTP_PROXY": url, "HTTPS_PROXY": url}, ProxyPlace("your answer"))


def entries_of(text: str) -> list[str]:
    """Return the entries of a list that can be in a ProxyConfig."""
    return [one for one in noproxy.parse(text) if not noproxy.mistake(one)]


def _values(readings: Mapping[str, Reading]) -> dict[str, str]:
    """Return the value of each variable, in upper case, of one place."""
    values: dict[str, str] = {}
    for name, reading in readings.items():
        value = reading.known if reading.value is None else reading.value
        values.setdefault(name.upper(), value)
    return values


def _values_of_file(content: bytes) -> dict[str, str]:
    """Return the values of a file of another system, such as a cluster configuration file of TKG."""
    try:
        fields = formats.read(content.decode())
    except (ConfigError, InputError, UnicodeDecodeError):
        return {}
    values: dict[str, str] = {}
    for name, key in (("HTTP_PROXY", "httpProxy"), ("HTTPS_PROXY", "httpsProxy")):
        found = fields.get((key,))
        if found is not None and isinstance(found.value, str):
            values[name] = found.value
    listed_there = fields.get(("noProxy",))
    if listed_there is not None and isinstance(listed_there.value, str):
        values["NO_PROXY"] = listed_there.value
    return values


def _values_of_shell(environment: Mapping[str, str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for name in settings.PROXY_VARIABLES:
        if environment.get(name):
            values.setdefault(name.upper(), environment[name])
    return values


def _noted(
    by_urls: dict[tuple[str, str], FoundProxy], values: Mapping[str, str], place: ProxyPlace
) -> FoundProxy | None:
    """Note the proxy of a place; a URL that is missing is the other one. None where the place names no proxy."""
    http, https = values.get("HTTP_PROXY", ""), values.get("HTTPS_PROXY", "")
    urls = [_usable(url) for url in (http or https, https or http)]
    if not all(urls):
        return None
    parts = [split_url(url) for url in urls]
    key = (parts[0].without_credentials, parts[1].without_credentials)
    found = by_urls.setdefault(key, FoundProxy(*key))
    found.has_password |= any(part.user_info is not None for part in parts)
    if place not in found.places:
        found.places.append(place)
    return found


def _usable(url: str) -> str:
    """Return a URL as a ProxyConfig takes it; "" for one that it does not take, and for one that is filled in later.

    A host that is base64 of a URL with a password is none.
    """
    corrected = corrected_url(url)
    without_credentials = split_url(corrected).without_credentials
    if not url or placeholders.is_in(url) or redact(without_credentials) != without_credentials:
        return ""
    try:
        config.load(document({"httpProxy": without_credentials}))
    except ConfigError:
        return ""
    return corrected


def _note_entries(found: FoundProxy, text: str, memberships: tuple[Membership, ...]) -> None:
    """Note the entries that a person wrote: not what a run derives for the Clusters of the place."""
    if not text or noproxy.may_hold_a_credential(text):
        return
    wanted = ProxyConfig(http_proxy=found.http, https_proxy=found.https)
    resolved = settings.resolve(wanted, memberships, target="", audience=Audience.NODE)
    derived = {entry.text for entry in resolved.entries}
    listing = Listing(Audience.NODE, resolved.networks)
    for entry in entries_of(listed(text, listing, has_proxy=False)):
        if entry in derived or entry.lstrip(".") in derived:
            continue
        rule = _doubt(entry)
        if rule:
            found.doubtful[entry] = rule
        else:
            found.entries.setdefault(entry)


def _doubt(entry: str) -> str:
    """Return the rule that warns about an entry, whatever else the list holds; "" where none does."""
    for one in lint_list(entry, audience=Audience.NODE):
        if one.entry == entry and one.severity is not Severity.INFO and one.rule != _COMPLETED:
            return one.rule
    return ""


def _place(seen: SeenObject, rule: str) -> ProxyPlace:
    clusters = {(one.cluster.namespace, one.cluster.name) for one in seen.memberships}
    ref = seen.obj.ref
    return ProxyPlace(
        f"{ref.file_path} ({ref.kind}/{ref.name})", ref, frozenset(clusters), rule, not seen.target
    )


def _clusters(manifests: ManifestFiles) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for item in manifests.items:
        for obj in item.objects:
            if obj.group_kind == _CLUSTER:
                found[text_at(obj.data, ("metadata", "namespace")), obj.ref.name] = None
    return list(found)


def matchers(objects: Iterable[ObjectRef]) -> Iterator[dict[str, list[str]]]:
    """Yield matchers that choose objects: one for a kind of a namespace."""
    names: dict[tuple[str, str], list[str]] = {}
    for ref in objects:
        names.setdefault((ref.kind, ref.namespace), []).append(ref.name)
    for (kind, namespace), of_kind in names.items():
        matcher = {"kinds": [kind], "names": list(dict.fromkeys(of_kind))}
        if namespace:
            matcher["namespaces"] = [namespace]
        yield matcher
