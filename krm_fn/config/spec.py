"""The ``spec`` as the user wrote it: the names of its places, its texts, and the ProxyConfig that it makes.

A ProxyConfig is built only from a ``spec`` without problems: nothing is checked here. Every entry and every fact gets
the name of its field, in the form that the user wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn import noproxy
from krm_fn.clusters import CLOUD_NAMES, ClusterNetwork, Fact
from krm_fn.config.proxy_config import (
    Certificates,
    Declaration,
    Mirror,
    Mode,
    Override,
    ProxyConfig,
    Selector,
    target_options,
)
from krm_fn.errors import ConfigProblem
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import HIDDEN
from krm_fn.light_typing import Any, Fields, NamedTuple, Urls
from krm_fn.noproxy import Entry, Style, may_hold_a_credential
from krm_fn.noproxy.entries import NoProxy
from krm_fn.patch import Data, Pointer, field_path, list_at, lookup, text_at
from krm_fn.proxy_url import url_in_secret

_LONGEST = 80
# Texts of a ``spec``, or about it, each with its place.
PlacedTexts = Iterator[tuple[Pointer, str]]


class FieldName(NamedTuple):
    """The path of a field as the user wrote it, and which value of another object it refers to, to be shown."""

    path: Pointer
    referred: str = ""

    def __str__(self) -> str:
        name = field_path(self.path)
        if self.referred:
            return f"{name}: {self.referred}"
        return name


class FieldNames:
    """The names of the places of one ``spec``: ``spec.noProxy[2]``, ``data.NO_PROXY``, or a key of another object.

    Attributes:
        root: ``spec`` or ``data``.
        keys: the places below ``spec`` that keys of a ConfigMap fill, and these keys.
        foreign: the places that another object fills, and their names.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.keys: dict[Pointer, str] = {}
        self.foreign: dict[Pointer, FieldName] = {}

    def name(self, path: Pointer) -> FieldName:
        """Return the name of a place below ``spec``."""
        for depth in range(len(path), 0, -1):
            outer = path[:depth]
            if outer in self.foreign:
                return self.foreign[outer]
            if outer in self.keys:
                return FieldName((self.root, self.keys[outer], *map(shown, path[depth:])))
        return FieldName((self.root, *map(shown, path)))

    def problem(self, path: Pointer, text: str) -> ConfigProblem:
        """Return a problem at a place."""
        name = self.name(path)
        return ConfigProblem(name.path, f"{name.referred} {text}".lstrip())


def shown(name: Any) -> str:
    """Return a key of the user for a message: on one line, shortened, and hidden if it may be a credential."""
    words = str(name).split()
    text = " ".join(words)
    if "://" in text or may_hold_a_credential(text):
        return HIDDEN
    return text[:_LONGEST]


def texts_at(data: Any, path: Pointer) -> PlacedTexts:
    """Yield place and text of each item of the list at ``place``, or of the one text of entries that is there."""
    given = lookup(data, path)
    if isinstance(given, str):
        yield path, given
    elif isinstance(given, list):
        for index, text in enumerate(given):
            if isinstance(text, str):
                yield (*path, str(index)), text


# Member of a ``ClusterNetwork`` -> field of ``spec.clusterDefaults``.
_CLUSTER_DEFAULTS = {
    "pod_cidrs": "podCIDRs",
    "service_cidrs": "serviceCIDRs",
    "service_domain": "serviceDomain",
    "endpoint": "endpoint",
    "infrastructure": "infrastructure",
    "region": "region",
    "networks": "networks",
}


def built(spec: Data, names: FieldNames) -> ProxyConfig:
    """Return the ProxyConfig of ``spec``, which is right."""
    overrides = range(len(spec.get("overrides", ())))
    mode = spec.get("mode", Mode.INJECT.value)
    fail_on = spec.get("failOn", "Error")
    declaration = Declaration().under(_override(spec, (), names))
    config = ProxyConfig(
        declaration._replace(is_declared=any((*declaration.urls, declaration.secret))),
        mode=Mode(mode),
        overrides=tuple(_override(spec, ("overrides", str(at)), names) for at in overrides),
        cluster_defaults=_cluster_defaults(spec, names),
        lint=_severities(lookup(spec, ("lint", "rules"), {})),
        ignore=tuple(list_at(spec, ("lint", "ignore"))),
        selector=_selector(spec),
        targets=target_options(spec),
        trusted_ca=_certificates(spec.get("trustedCA", {})),
        mirror=_mirror(spec.get("registryMirror")),
        hash_names=lookup(spec, ("rollout", "hashNames")),
        fail_on=Severity[fail_on.upper()],
        trusted_namespaces=tuple(spec.get("trustedNamespaces", ())),
        clear_text=tuple(spec.get("allowClearText", ())),
    )
    if not config.removes or not config.proxy_urls:
        return config
    return config._replace(targets=config.targets.removing(_written_proxies(config)))


def _written_proxies(config: ProxyConfig) -> list[Declaration]:
    """Return the proxies that a run writes into containers: that of `spec`, and that of each override."""
    declared = config.declaration
    proxies = [declared, *map(declared.under, config.overrides)]
    proxies += [proxy._replace(by_secret=True) for proxy in proxies if proxy.secret]
    return [proxy for proxy in proxies if any(proxy.urls)]


def _entries(spec: Any, path: Pointer, names: FieldNames) -> NoProxy:
    return tuple(Entry.from_config(text, name) for text, name in _texts(spec, path, names))


def _cluster_defaults(spec: Any, names: FieldNames) -> ClusterNetwork:
    facts = {}
    for member, field in _CLUSTER_DEFAULTS.items():
        texts = _texts(spec, ("clusterDefaults", field), names)
        facts[member] = tuple(Fact(text, config_field=name) for text, name in texts)
    facts["infrastructure"] = tuple(
        # A short name means a kind.
        fact._replace(value=CLOUD_NAMES.get(fact.value, fact.value))
        for fact in facts["infrastructure"]
    )
    return ClusterNetwork(**facts)


def _texts(spec: Any, path: Pointer, names: FieldNames) -> Iterator[tuple[str, str]]:
    """Yield the entries of the list, or of the text, at a place, each with the name of its field."""
    for text_place, text in texts_at(spec, path):
        for entry in noproxy.parse(text):
            yield entry, str(names.name(text_place))


def _policy(spec: Any, path: Pointer, names: FieldNames) -> Fields:
    """Return the members of a ``Policy`` that ``spec``, or the override at ``place``, sets; a list replaces a list."""
    path = (*path, "noProxyPolicy")
    written = lookup(spec, path, {})
    members: Fields = {}
    for field, member, read in (
        ("style", "style", Style),
        ("without", "without", frozenset),
        ("infrastructureEndpoint", "infrastructure_endpoint", bool),
        ("exclude", "exclude", noproxy.parse),
        ("rooted", "rooted", bool),
    ):
        if field in written:
            members[member] = read(written[field])
    if "extra" in written:
        members["extra"] = _entries(spec, (*path, "extra"), names)
    return members


def _override(spec: Any, path: Pointer, names: FieldNames) -> Override:
    """Return the settings at a place: those of an override, or of ``spec`` itself, which matches all."""
    written = lookup(spec, path)
    no_proxy = _entries(spec, (*path, "noProxy"), names)
    return Override(
        match=written.get("match", {}),
        http_proxy=written.get("httpProxy"),
        https_proxy=written.get("httpsProxy"),
        no_proxy=no_proxy if "noProxy" in written else None,
        replaces=written.get("noProxyMode") == "Replace",
        disabled=written.get("disabled"),
        policy=_policy(spec, path, names),
        secret=_urls_in_secret(written.get("secretRef")),
    )


def _urls_in_secret(written: Data | None) -> Urls | None:
    if not written:
        return None
    name = written["name"]
    keys = (written.get("httpProxyKey", "http_proxy"), written.get("httpsProxyKey", "https_proxy"))
    return (url_in_secret(name, keys[0]), url_in_secret(name, keys[1]))


def _severities(rules: Mapping[str, str]) -> dict[str, Severity | None]:
    severities: dict[str, Severity | None] = dict.fromkeys(rules)
    for rule, level in rules.items():
        if level != "Off":
            severities[rule] = Severity[level.upper()]
    return severities


def _selector(spec: Data) -> Selector:
    """Return the selector of the user, with the objects of ``from`` and ``secretRef`` as its sources."""
    named = [*spec.get("from", ())]
    parts = [spec, *spec.get("overrides", ())]
    secrets = [part["secretRef"]["name"] for part in parts if "secretRef" in part]
    named += [{"kind": "Secret", "name": name} for name in secrets]
    sources = []
    for source in named:
        matcher = {"names": [source["name"]], "kinds": [source["kind"]]}
        if "namespace" in source:
            matcher["namespaces"] = [source["namespace"]]
        sources.append(matcher)
    include = list_at(spec, ("selector", "include"))
    exclude = list_at(spec, ("selector", "exclude"))
    return Selector(tuple(include), tuple(exclude), tuple(sources))


def _certificates(written: Data) -> Certificates:
    """Return certificates without blank lines and surrounding blanks."""
    pem = ""
    for line in text_at(written, "pem").splitlines():
        if line.strip():
            pem += f"{line.strip()}\n"
    return Certificates(pem)


def _mirror(written: Data | None) -> Mirror | None:
    if written is None:
        return None
    from urllib.parse import urlsplit  # noqa: PLC0415 -- most runs have no mirror

    url = written["url"]
    host = urlsplit(url).hostname or ""
    return Mirror(url, host, _certificates(written.get("ca", {})))
