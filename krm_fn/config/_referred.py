"""What a FunctionConfig takes from objects of the list: values of other systems, and certificates.

What an object says is judged as if it were in the FunctionConfig, and lies below what is
there. A place is named by the entry that refers to it and by the object; what is in the object is never repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from krm_fn.config import _build, _schema
from krm_fn.config._model import Certificates, ForeignValue, Lookup, Path, ProxyConfig
from krm_fn.errors import ConfigError
from krm_fn.light_typing import Any
from krm_fn.patch import lookup
from krm_fn.proxy_url import split_url

_URLS = (("httpProxy",), ("httpsProxy",))

Judge = Callable[[Any], Iterable[tuple[_schema.Place, str]]]
"""A ``spec`` -> what is wrong with it: where, and one line that says it."""


class ReferenceReader:
    """Reads what is referred to; ``problems`` gathers what is wrong, each with its place."""

    def __init__(self, objects: Lookup, name: _build.Name, judge: Judge) -> None:
        self.objects = objects
        self.name = name
        self.judge = judge
        self.problems: list[str] = []

    def values(self, at: int, source: Mapping[str, Any]) -> dict[Path, ForeignValue]:
        """Return the values of an entry of ``from``, each with its source, which reasons show in back-quotes."""
        place = self.name(("from", at))
        try:
            found = self.objects.values(source)
        except ConfigError as error:
            self.problems.extend(f"{place}: {text}" for text in error.problems)
            return {}
        for path, text in self.judge(_nested(found)):
            given = next((one for known, one in found.items() if path[: len(known)] == known), None)
            if given is not None:
                self.problems.append(f"{place}: {given.place} {text}")
        return {
            path: given._replace(place=f"{place}`: {given.place.removesuffix('`')}")
            for path, given in found.items()
        }

    def certificates(self, spec: Mapping[str, Any], path: Path) -> Certificates | None:
        """Return the certificates of a ConfigMap, where ``path`` leads to one."""
        written = lookup(spec, (*path, "configMap"))
        if written is None:
            return None
        wanted = {"key": _schema.fields()["trustedCA.configMap.key"]["default"], **written}
        place = self.name((*path, "configMap"))
        try:
            found = self.objects.certificates(wanted)
        except ConfigError as error:
            self.problems.extend(f"{place}: {text}" for text in error.problems)
            return None
        wrong = [text for _, text in self.judge({"trustedCA": {"pem": found.pem}})]
        self.problems.extend(
            f'{place}: its key "{_schema.shown(wanted["key"])}" {text}' for text in wrong
        )
        return found._replace(pem=_build.pem(found.pem))


def followed(config: ProxyConfig, spec: Mapping[str, Any], reader: ReferenceReader) -> ProxyConfig:
    """Return ``config`` with the values that its ``spec`` refers to.

    Raises:
        ConfigError: with everything that is wrong there.
    """
    given: dict[Path, ForeignValue] = {}
    for at, source in enumerate(spec.get("from", ())):
        given |= reader.values(at, source)
    trusted = reader.certificates(spec, ("trustedCA",))
    mirror_ca = reader.certificates(spec, ("registryMirror", "ca"))
    if reader.problems:
        raise ConfigError(sorted(set(reader.problems)))
    if config.mirror and mirror_ca:
        config = config._replace(mirror=config.mirror._replace(ca=mirror_ca))
    merged = _over(config._replace(trusted_ca=trusted or config.trusted_ca), spec, given)
    if spec.get("from") and not _asks(merged):
        place = reader.name(("from",))
        raise ConfigError(
            [f"{place}: must name a proxy, or `spec` itself must: there is none in it"]
        )
    return merged


def _over(
    config: ProxyConfig, spec: Mapping[str, Any], given: Mapping[Path, ForeignValue]
) -> ProxyConfig:
    """Return ``config`` with the values of other objects where it sets none itself."""
    below = _build.built(_nested(given), lambda path: given[tuple(map(str, path))].place)
    http = config.http_proxy if "httpProxy" in spec else below.http_proxy
    https = config.https_proxy if "httpsProxy" in spec else below.https_proxy
    known = {entry.text for entry in below.no_proxy}
    denied = all(path in given and given[path].value == "" for path in _URLS)
    return config._replace(
        http_proxy=http,
        https_proxy=https,
        no_proxy=(
            *below.no_proxy,
            *(entry for entry in config.no_proxy if entry.text not in known),
        ),
        cluster_defaults=config.cluster_defaults.completed_by(below.cluster_defaults),
        trusted_ca=config.trusted_ca if config.trusted_ca.pem else below.trusted_ca,
        says_none=denied and not (http or https),
        secret_urls=_secret_urls(given),
        reads_objects=bool(given),
    )


def _secret_urls(given: Mapping[Path, ForeignValue]) -> frozenset[str]:
    """Return the proxy URLs that hold a password and come from a Secret."""
    found = [given[path].value for path in _URLS if path in given and given[path].in_secret]
    return frozenset(url for url in found if split_url(url).password)


def _asks(config: ProxyConfig) -> bool:
    """Return whether the config asks to write or to remove something."""
    urls = [config.http_proxy, config.https_proxy]
    urls += [
        url
        for override in config.overrides
        for url in (override.http_proxy, override.https_proxy)
        if url
    ]
    return any(urls) or config.says_none or bool(config.trusted_ca.pem or config.mirror)


def _nested(given: Mapping[Path, ForeignValue]) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    for path, one in given.items():
        node = spec
        for step in path[:-1]:
            node = node.setdefault(step, {})
        node[path[-1]] = one.value
    return spec
