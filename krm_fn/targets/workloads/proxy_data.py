"""ConfigMaps and Secrets from which others read their proxy: they are filled, and the references stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from urllib.parse import unquote

from krm_fn.clusters import Key
from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result, Results
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import text_at
from krm_fn.places import choice
from krm_fn.places.installed_charts import ChartSources
from krm_fn.places.place import Place
from krm_fn.places.provided import DataReference, DataUses, name_of, namespace_of
from krm_fn.places.text_forms import ComputedText, Text, new_text, one_variable
from krm_fn.proxy_url import split_url
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.base import Context, Data, Options, Places, Target, Writes

_ARGO_TYPES = {"repository", "repo-creds", "repository-write", "repo-write-creds"}
_SECRET: Data = {"kind": "Secret"}
_TextsByKey = Mapping[str, embedded.Value]


def _url(settings: ProxySettings) -> str:
    return settings.https_proxy or settings.http_proxy


# Key of a Secret that Flux reads -> what it holds; Flux knows no exceptions.
_OF_FLUX = {
    "address": ComputedText(
        lambda settings: split_url(_url(settings)).without_credentials, "HTTPS_PROXY"
    ),
    "username": ComputedText(lambda settings: unquote(split_url(_url(settings)).user)),
    "password": ComputedText(lambda settings: unquote(split_url(_url(settings)).password)),
}


def _list_beside(variable: str, settings: ProxySettings) -> str:
    """Return the list, which goes with the proxy of a variable."""
    if not settings.variables.get(variable):
        return ""
    return settings.no_proxy


def _is_of_argo(data: Data) -> bool:
    if data.get("kind") != "Secret":
        return False
    return text_at(data, ("metadata", "labels", "argocd.argoproj.io/secret-type")) in _ARGO_TYPES


def _places_of_containers(
    data: Data, references: Iterable[DataReference], texts: _TextsByKey
) -> Places:
    """Yield the texts that containers read; an emptied one stays, for a container does not start without it."""
    variables = {}
    is_environment = False
    for reference in references:
        if reference.variable:
            variables[reference.member] = reference.variable
        elif not (reference.member or reference.is_proxy_of_flux):
            is_environment = True
    if is_environment or (
        data.get("kind") == "ConfigMap" and name_of(data) == "proxy-environment-variables"
    ):
        variables |= {name: name.upper() for name in PROXY_VARIABLES if name in texts}
    elsewhere = frozenset({"NO_PROXY"}).difference(variables.values())
    like = {"kind": data.get("kind")}
    for key, variable in variables.items():
        form = one_variable(variable)._replace(maybe_elsewhere=elsewhere)
        text = texts.get(key) or new_text(like, key)
        yield Place(text.path, Text(text, form, stays=True), "the data")


def _places_of_flux(texts: _TextsByKey, settings: ProxySettings) -> Places:
    """Yield the texts of a Secret that ``spec.proxySecretRef`` names."""
    if "address" in texts and _is_socks(texts["address"].text):
        yield from _left_alone(texts["address"], settings)
        return
    if not _url(settings) and "address" in texts and settings.is_declared:
        yield Result(
            "LeftBehind",
            "holds no proxy any more, and Flux reports an error about a Secret without `address`: remove "
            "`spec.proxySecretRef` from what refers to it",
        )
    for key, form in _OF_FLUX.items():
        text = texts.get(key) or new_text(_SECRET, key)
        yield Place(text.path, Text(text, form), f"`{key}` of the proxy of Flux")


def _places_of_argo(texts: _TextsByKey, settings: ProxySettings) -> Places:
    """Yield the texts of a Secret with a repository of Argo CD."""
    url = texts["url"].text.strip() if "url" in texts else ""
    # For git over SSH, Argo CD speaks SOCKS5 to the proxy, whatever the scheme says (``util/git/creds.go``).
    is_ssh = (bool(url) and "://" not in url) or url.startswith("ssh://")
    if is_ssh or _is_socks(texts["proxy"].text):
        yield from _left_alone(texts["proxy"], settings)
        return
    variable = "HTTP_PROXY" if url.startswith("http://") else "HTTPS_PROXY"
    no_proxy = ComputedText(partial(_list_beside, variable), "NO_PROXY")
    for key, form in (("proxy", one_variable(variable)), ("noProxy", no_proxy)):
        text = texts.get(key) or new_text(_SECRET, key)
        yield Place(text.path, Text(text, form), "the repository")


def _is_socks(url: str) -> bool:
    """Return whether a URL is that of a SOCKS proxy: ``socks5://`` or ``socks5h://``."""
    return split_url(url.strip()).scheme.lower().startswith("socks")


def _left_alone(value: embedded.Value, settings: ProxySettings) -> Results:
    """Yield that a proxy for git over SSH stays, for an HTTP proxy cannot take its place."""
    if settings.sets_any:
        yield Result(
            "ByHand",
            "is a SOCKS proxy, or one for git over SSH, in whose place an HTTP proxy does nothing, so it stays as "
            "it is, with its user and password",
            value.path,
            is_info=True,
        )


class ProxyData(Target):
    """The ConfigMaps and Secrets from which containers, Flux and Argo CD read a proxy.

    Example: a ConfigMap that a chosen container names in ``envFrom``::

        data: {HTTP_PROXY: "http://old:3128"}

    becomes::

        data: {HTTP_PROXY: "http://proxy:3128"}
    """

    audience = Audience.POD
    writes = Writes.VALUES

    def places(self, data: Data, context: Context) -> Places:
        """Yield the texts of a ConfigMap or Secret that others read as a proxy."""
        if choice.is_refused(data):
            return
        references = context.uses.references_to(data)
        texts = {text.path[-1]: text for text in embedded.values(data)}
        yield from _places_of_containers(data, references, texts)
        if any(reference.is_proxy_of_flux for reference in references):
            yield from _places_of_flux(texts, context.settings)
        if _is_of_argo(data) and "proxy" in texts:
            yield from _places_of_argo(texts, context.settings)

    def readers(self, data: Data, options: Options, uses: DataUses) -> Readers:
        """Return who reads the list in an object: Argo CD is written in Go, and Flux reads none at all."""
        if _is_of_argo(data):
            return Readers(Audience.GO)
        if data.get("kind") != "Secret":
            return Readers(Audience.POD)
        keys = [
            key
            for members in (data.get("data"), data.get("stringData"))
            if isinstance(members, dict)
            for key in members
        ]
        if not keys or "address" in keys:  # no key at all: a Secret that waits for its address
            return Readers(Audience.PRODUCT)
        return Readers(Audience.POD)

    def references(
        self, data: Data, options: Options, sources: ChartSources
    ) -> Iterator[DataReference]:
        """Yield the reference of an object of Flux to a Secret."""
        name = text_at(data, ("spec", "proxySecretRef", "name"))
        group, _ = group_kind(data)
        if name and group.endswith(".toolkit.fluxcd.io"):
            key = Key("", "Secret", namespace_of(data), name)
            yield DataReference(key, is_proxy_of_flux=True)
