"""The targets of all products of ``products/distributions.py``, whose rows say where each takes its proxy."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from krm_fn import placeholders
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.places.certificates import CertificateText
from krm_fn.places.env_entries import EnvEntries
from krm_fn.places.members import HostAndPort, Members, OneMember
from krm_fn.places.named_item import NamedItem
from krm_fn.places.place import Form, Place
from krm_fn.products import proxy_keys
from krm_fn.products.distributions import (
    CA_CONFIG_MAP,
    OF_KIND,
    PRODUCTS,
    DistributionRow,
    rows_of,
)
from krm_fn.proxy_url import is_port, split_url
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Context, Data, NewObjects, Options, Places, Target, Writes
from krm_fn.targets.distributions import crossplane

_CONFIG_MAP = ("", "ConfigMap")
_IMMUTABLE = (
    "the API server takes no other proxy for an object that exists: create the cluster again, or leave it out with "
    "`spec.selector.exclude`"
)


class _Distribution(Target):
    """The proxy of one product."""

    def __init__(self, target: str) -> None:
        self.id = target
        self._product = PRODUCTS[target]
        self.audience = Audience.NODE if self._product.has_nodes else Audience.POD
        if self._product.completes_the_list:
            self.audience = Audience.PRODUCT
        if any(row.bundle or row.encoded_bundle for row in rows_of(target)):
            self.writes = Writes.PROXY_AND_TRUST

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places that the rows say; none where the product does not take the settings."""
        settings = context.settings
        if group_kind(data) == _CONFIG_MAP:
            if text_at(data, ("metadata", "name")) == CA_CONFIG_MAP:
                yield created_objects.trusted_config_map()
            return
        problem = self._refusal(settings)
        for row in _fitting(data):
            if row.is_immutable and context.options.get("enabled") is not True:
                continue
            for path in _paths(data, row):
                if problem:
                    yield Result.of("CannotWrite", problem, path)
                    continue
                if row.container:
                    yield from crossplane.selector(data, settings)
                place = Place(path, _form(row), f"`{row.field}`", row.keep)
                yield place
                yield from _certificates(data, path, row, settings)
                if row.is_immutable and _is_changed(data, place, settings):
                    yield Result.of("ProviderRefuses", _IMMUTABLE, path)

    def companions(self, data: Data, settings: ProxySettings, options: Options) -> NewObjects:
        """Yield the ConfigMap with the certificates, where an object is to name the one of inject-proxy."""
        for row in _fitting(data):
            named = text_at(data, (*row.path, "trustedCA", "name"))
            if row.trusted_ca and settings.trusted_ca.pem and named in ("", CA_CONFIG_MAP):
                beside = {"metadata": {"namespace": _namespace(data, row)}}
                yield created_objects.skeleton("ConfigMap", CA_CONFIG_MAP, beside)

    def _refusal(self, settings: ProxySettings) -> str:
        """Return why the product does not take the settings; "" where it takes them."""
        product = self._product
        urls = [url for url in (settings.http_proxy, settings.https_proxy) if url]
        plain = [placeholders.without(url) for url in urls]
        reason = ""
        if not settings.sets_any:
            return ""
        if product.needs_both and len(urls) < 2:
            reason = (
                "no proxy for one scheme only: declare `httpProxy` and `httpsProxy`, both or none"
            )
        elif not product.takes_password and any("@" in url for url in plain):
            reason = "no user and password in the URL of a proxy: declare one without them"
        elif product.needs_port and any(url and urlsplit(url).port is None for url in plain):
            reason = "no URL of a proxy without a port: declare its port"
        elif product.needs_http and settings.http_proxy.startswith("https://"):
            reason = "no `https://` as the proxy for HTTP: declare an `httpProxy` with `http://`"
        elif product.has_one and not _is_one(settings):
            reason = "one proxy for HTTP and HTTPS with `http://`, a host and a port: declare both as that"
        elif any(sign in text for sign in product.refused for text in (*plain, settings.no_proxy)):
            reason = f"none of the characters {product.refused!r} in a value, which would break it: declare one without"
        if not reason:
            return ""
        override = f"an entry of `spec.overrides` with `match: {{targets: [{self.id}]}}`"
        return f"{product.name} takes {reason} in {override}, or set `spec.targets.{self.id}.enabled: false`"


def _is_one(settings: ProxySettings) -> bool:
    """Return whether both proxies are the same, and nothing but ``http://``, a host and perhaps a port."""
    url = split_url(settings.http_proxy)
    is_plain = url.scheme == "http" and url.host and url.user_info is None
    is_whole = "$" not in settings.http_proxy and "{" not in settings.http_proxy
    has_port = not url.port or is_port(url.port[1:])
    return bool(settings.http_proxy == settings.https_proxy and is_plain and is_whole and has_port)


def _fitting(data: Data) -> Iterator[DistributionRow]:
    """Yield the rows that say where an object keeps its proxy."""
    group, _, version = str(data.get("apiVersion")).partition("/")
    for row in OF_KIND.get((group, str(data.get("kind"))), ()):
        is_of_version = not row.versions or version in row.versions
        if is_of_version and row.name in ("", text_at(data, ("metadata", "name"))):
            yield row


def _paths(data: Data, row: DistributionRow) -> list[Pointer]:
    """Return where in an object the place of a row is."""
    if "*" not in row.path:
        return [row.path]
    at, (member, value) = row.path.index("*"), row.item
    paths = []
    for index, item in enumerate(list_at(data, row.path[:at])):
        if lookup(item, (member,)) == value:
            paths.append((*row.path[:at], str(index), *row.path[at + 1 :]))
    return paths


def _form(row: DistributionRow) -> Form:
    """Return the form of a place."""
    if row.container:
        return NamedItem(row.container, ("env",), EnvEntries())
    if not row.keys:
        return EnvEntries(proxy_keys.UPPER)
    if PRODUCTS[row.target].has_one:
        return HostAndPort(row.keys[0], row.keys[2])
    keys = zip(proxy_keys.UPPER, row.keys, strict=True)
    steps = {variable: tuple(key.split(".")) for variable, key in keys}
    last = "trustedCA" if row.trusted_ca else row.encoded_bundle
    return Members(steps, row.is_list, is_strict=True, last=last, secret=row.secret)


def _certificates(
    data: Data, path: Pointer, row: DistributionRow, settings: ProxySettings
) -> Places:
    """Yield the place of the certificates that belong to the mapping at a path."""
    if row.bundle:
        yield Place((*path[:-1], row.bundle), CertificateText(), f"`{row.bundle}`", is_trust=True)
    if row.encoded_bundle:
        encoded = CertificateText(is_base64=True)
        yield Place((*path, row.encoded_bundle), encoded, f"`{row.encoded_bundle}`", is_trust=True)
    if row.trusted_ca:
        named = (*path, "trustedCA", "name")
        has_empty = row.name == "cluster"  # it names no ConfigMap, and has the member all the same
        form = OneMember(
            lambda settings, old: _name_of_bundle(settings, old, "" if has_empty else None)
        )
        yield Place(named, form, "`trustedCA`", is_trust=True)
        other = text_at(data, named)
        if settings.trusted_ca.pem and other not in ("", CA_CONFIG_MAP):
            source = settings.trusted_ca.config_map or ("", "")
            if source[:2] != (_namespace(data, row), other):
                message = "names another ConfigMap, which stays: put the certificates of `spec.trustedCA` there"
                yield Result.of("ByHand", message, named)


def _name_of_bundle(settings: ProxySettings, old: Any, empty: str | None) -> Any:
    """Return the name of the ConfigMap with certificates: ours, unless somebody named another one."""
    if settings.trusted_ca.pem:
        return CA_CONFIG_MAP if old in (None, "") else old
    return empty if old == CA_CONFIG_MAP else old


def _namespace(data: Data, row: DistributionRow) -> str:
    """Return the namespace of the ConfigMap that an object names."""
    return text_at(data, ("metadata", "namespace")) if row.trusted_ca == "*" else row.trusted_ca


def _is_changed(data: Data, place: Place, settings: ProxySettings) -> bool:
    """Return whether a proxy that is there gives way to another, or to none."""
    there = {reading.variable: reading.value for reading in place.form.read(data, place)}
    return bool(there) and settings.is_declared and there != settings.variables()


TARGETS = {target: _Distribution(target) for target in PRODUCTS}
"""ID -> target."""
