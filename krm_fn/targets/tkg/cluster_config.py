"""The configuration of a TKG cluster: the Secret, or the file, from which TKG makes it."""

from __future__ import annotations

from functools import partial

from krm_fn.formats import embedded
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, parse
from krm_fn.places.certificates import in_base64
from krm_fn.places.mapping_forms import Members, one_member, steps_of
from krm_fn.places.place import Place
from krm_fn.places.provided import name_of
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.products import cluster_api, tkg
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, FileForm, NodeUpdate, Places, Reach, Target, Writes

_MEMBERS = Members(steps_of(*tkg.PROXY), is_strict=True)
_LABEL = "the configuration of the cluster"


def half(settings: ProxySettings) -> Result | None:
    """Return the finding for settings with only one of both proxies."""
    if bool(settings.http_proxy) == bool(settings.https_proxy):
        return None
    name = "httpProxy" if settings.http_proxy else "httpsProxy"
    return Result(
        "ProxyReduced",
        f"TKG takes two proxies or none, and only `{name}` is declared, so what is here stays as it is: declare "
        "`httpProxy` and `httpsProxy`, with the same URL if one proxy serves both",
    )


def lost(settings: ProxySettings) -> Results:
    """Yield a finding for a URL that not all readers of the nodes get, whatever text is written."""
    if "%" in settings.http_proxy + settings.https_proxy:
        yield Result(
            "ValueLost",
            "TKG puts the URL as it is into exports and into drop-ins, where systemd drops one with `%`, so "
            "containerd pulls nothing: declare a password without characters to encode",
        )


def whole(settings: ProxySettings) -> ProxySettings:
    """Return settings, without a proxy if only one of both is set, because TKG rejects that."""
    if half(settings) is None:
        return settings
    return settings._replace(http_proxy="", https_proxy="", no_proxy="", is_declared=False)


def _places_of_file(settings: ProxySettings, document: Any) -> Places:
    """Yield the places in a configuration file, in which nothing counts without the switch."""
    problem = half(settings)
    if problem:
        yield problem
    else:
        yield from _places_of_document(settings, {tkg.PROXY_SWITCH: None, **document})


def _places_of_document(settings: ProxySettings, document: Any) -> Places:
    """Yield the places in a configuration."""
    yield Place((), _MEMBERS, _LABEL)
    if tkg.PROXY_SWITCH in document:
        yield Place((tkg.PROXY_SWITCH,), one_member(_switch), f"`{tkg.PROXY_SWITCH}`")
    yield Place(
        (tkg.PROXY_CERTIFICATE,),
        one_member(_certificate),
        f"`{tkg.PROXY_CERTIFICATE}`",
        is_unconditional=True,
    )
    server = document.get("VSPHERE_SERVER")
    is_checked = str(document.get("VSPHERE_INSECURE")).lower() != "true"
    is_missing = settings.no_proxy and server not in parse(settings.no_proxy)
    if server and is_checked and is_missing:
        yield Result(
            "FactsUnknown",
            "the list lacks the host of `VSPHERE_SERVER`, and TKG renders no cluster from it: add the host to "
            "`spec.noProxy`, or set `VSPHERE_INSECURE` if its certificate need not be checked",
        )
    yield from lost(settings)


def _switch(settings: ProxySettings, old: Any) -> bool | str:
    """Return the switch, in the form that it has."""
    if isinstance(old, str):
        return str(settings.sets_any).lower()
    return settings.sets_any


def _certificate(settings: ProxySettings, old: Any) -> Any:
    """Return the certificates; those of somebody else stay as long as there is a proxy."""
    certificates = in_base64(settings)
    if certificates:
        return certificates
    if settings.sets_any or not settings.is_declared:
        return old
    return None


class ClusterConfig(Target):
    """The proxy in the configuration from which TKG makes a cluster.

    Example: the text ``value`` of the Secret "c1-config-values" gets::

        TKG_HTTP_PROXY: http://proxy:3128
        TKG_HTTPS_PROXY: http://proxy:3128
        TKG_NO_PROXY: 10.0.0.0/8
    """

    audience = Audience.TKG
    reach = Reach.CLUSTER
    writes = Writes.PROXY_AND_TRUST
    file = FileForm(Audience.PRODUCT, _places_of_file)  # TKG adds the networks itself
    node_update = NodeUpdate(
        is_rolled=False, why="TKG reads the Secret when it renders the objects of the cluster"
    )

    def places(self, data: Data, context: Context) -> Places:
        """Yield the text with the configuration in a Secret of TKG."""
        name = name_of(data)
        is_configuration = name.endswith(tkg.CONFIG_VALUES_SUFFIX)
        if data.get("type") != cluster_api.RESOURCE_SET or not is_configuration:
            return
        settings = whole(context.settings)
        for value in embedded.values(data):
            if value.path[-1] not in ("sops", "value"):
                continue
            problem = half(context.settings)
            if problem:
                yield problem._replace(path=value.path)
            if settings.sets_any and not _may_be_filled(value):
                yield Result(
                    "TextUnreadable",
                    "it must hold a YAML mapping to get a proxy: write the configuration there, or delete the Secret",
                    value.path,
                )
            form = YamlText(partial(_places_of_document, settings))
            yield text_place(value, form, _LABEL)._replace(settings=settings, is_unconditional=True)


def _may_be_filled(value: embedded.Value) -> bool:
    """Return whether a text holds a mapping; True for one that cannot be read, which is reported."""
    try:
        documents = embedded.read(value)
    except embedded.NotEditedError:
        return True
    return any(isinstance(document.data, dict) for document in documents)
