"""The forms in which other systems write a proxy, and the fields of ``spec`` they stand for.

YAML text in, fields of ``spec`` out; an empty URL is a word, too: there is no proxy. Values are
passed on as they are and judged elsewhere.

Sources: TKG: the document, ``config_default.yaml`` and ``get_no_proxy`` in ``ytt/lib/helpers.star`` of tanzu-framework,
which adds the networks of AWS and Azure, their metadata addresses, and ``::1`` for IPv6. Giant Swarm:
``secret-values.yaml.patch`` and ``<cluster>-cluster-values`` of the document, cluster-apps-operator
``clustersecret/desired.go``. Konvoy Image Builder: ``http-proxy-override.yaml`` of the document,
``ansible/roles/containerd``.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping

from krm_fn import yamledit
from krm_fn.config import ForeignValue
from krm_fn.errors import ConfigError, InputError
from krm_fn.formats import sops, ytt
from krm_fn.light_typing import Any
from krm_fn.patch import field_path, lookup
from krm_fn.products import giantswarm, konvoy, tkg
from krm_fn.products.proxy_keys import SHORT, SNAKE, UPPER, ProxyKeys
from krm_fn.yamledit import stream

TKG, GIANT_SWARM, IMAGE_BUILDER = "TKG", "GiantSwarm", "ImageBuilder"

_Path = tuple[str, ...]
_Fields = dict[_Path, ForeignValue]
_Places = tuple[tuple[_Path, ProxyKeys], ...]

_URLS = (("httpProxy",), ("httpsProxy",))
_SPEC = (*_URLS, ("noProxy",))

_OFF, _ON = ("false", "no", "off"), ("true", "yes", "on")
_TKG_NETWORKS = ("AWS_VPC_CIDR", "AZURE_VNET_CIDR")
_TKG_FAMILY = "TKG_IP_FAMILY"
_TKG_PROVIDER = "INFRASTRUCTURE_PROVIDER"
_TKG_FACTS = {
    "CLUSTER_CIDR": ("clusterDefaults", "podCIDRs"),
    "SERVICE_CIDR": ("clusterDefaults", "serviceCIDRs"),
    "VSPHERE_CONTROL_PLANE_ENDPOINT": ("clusterDefaults", "endpoint"),
    "AWS_REGION": ("clusterDefaults", "region"),
    "AZURE_LOCATION": ("clusterDefaults", "region"),
    _TKG_PROVIDER: ("clusterDefaults", "infrastructure"),
}
_TKG_NAMES = (*tkg.PROXY, tkg.PROXY_SWITCH, tkg.PROXY_CERTIFICATE, *_TKG_FACTS)
_TKG_INFRASTRUCTURES = {"vsphere": "VSphereCluster", "aws": "AWSCluster", "azure": "AzureCluster"}

_SWARM_PLACES: _Places = (
    (giantswarm.PROXY, SHORT),
    (giantswarm.CLUSTER_PROXY, SHORT),
    ((), SNAKE),
)
_BUILDER_PLACES: _Places = (
    ((), SNAKE),
    ((konvoy.PROXY_ENV,), UPPER),
    ((konvoy.PROXY_ENV,), SNAKE),
)


def read(text: str, form: str | None = None) -> Mapping[_Path, ForeignValue]:
    """Return the fields of ``spec`` that ``text`` sets, each with its place.

    Args:
        text: the whole file or value; of several YAML documents, later ones lie over earlier ones, where the system
            takes several.
        form: what it is; None: whichever it looks like.

    Raises:
        ConfigError: it is encrypted, no YAML, none of the forms, several of them, or not the one it is said to be.
    """
    if sops.hides(text):
        raise ConfigError([sops.ENCRYPTED])
    data = _whole(text)
    form = form or _form_of(data)
    count = len(stream.documents(text))
    if form == GIANT_SWARM and count > 1:
        raise ConfigError([f"must hold one YAML document, but it holds {count}"])
    found = READERS[form](data) if form else {}
    if not found:
        known = {form: _SHOWN[form]} if form else _SHOWN
        wanted = "; ".join(f"{name}: {names}" for name, names in known.items())
        raise ConfigError([f"must hold a proxy under the names of its system ({wanted})"])
    return found


def _form_of(data: Mapping[str, Any]) -> str | None:
    """Return the form that a file looks like; None if it looks like none of them.

    Raises:
        ConfigError: it looks like several of them.
    """
    likely = []
    for form, paths in _SIGNS.items():
        if any(lookup(data, path) is not None for path in paths):
            likely.append(form)
    if len(likely) > 1:
        names = " and ".join(likely)
        raise ConfigError(
            [f"must be of one form, but it looks like {names}: say which in `format`"]
        )
    if likely:
        return likely[0]
    return IMAGE_BUILDER if _first(data, _BUILDER_PLACES) else None


def left_out(text: str) -> list[str]:
    """Return names of a TKG file that add entries to TKG's own list and that ``spec`` has no field for."""
    data = _whole(text)
    names = [name for name in _TKG_NETWORKS if data.get(name)]
    if "ipv6" in str(data.get(_TKG_FAMILY)).lower():
        names.append(_TKG_FAMILY)
    if data.get(_TKG_PROVIDER) and not _fact(data, _TKG_PROVIDER).value:
        names.append(_TKG_PROVIDER)
    return names


def _whole(text: str) -> dict[str, Any]:
    try:
        parts = [yamledit.read(text[start:end]) for start, end in stream.documents(text)]
    except InputError as error:
        raise ConfigError([f"must be YAML: {error}"]) from None
    twice = [field_path(path) for path in yamledit.repeated_keys_of_text(text)]
    if twice:
        raise ConfigError([f"must not say `{name}` twice: keep one of them" for name in twice])
    if ytt.has_code(text):
        raise ConfigError(
            ["must say its values itself, but code of ytt decides about them: write them there"]
        )
    return {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}


def _tkg(data: Any) -> _Fields:
    found = _three(data, (), tkg.PROXY)
    switch = lookup(data, (tkg.PROXY_SWITCH,))
    if _is_off(switch):
        found = {path: ForeignValue("", tkg.PROXY_SWITCH) for path in _URLS}
    facts = {
        path: _fact(data, name)
        for name, path in _TKG_FACTS.items()
        if lookup(data, (name,)) not in (None, "")
    }
    found |= {path: given for path, given in facts.items() if given.value}
    certificates = lookup(data, (tkg.PROXY_CERTIFICATE,))
    if certificates and found:
        found["trustedCA", "pem"] = ForeignValue(_decoded(certificates), tkg.PROXY_CERTIFICATE)
    return found if any(path in found for path in _SPEC) else {}


def _is_off(switch: Any) -> bool:
    word = str(switch).strip().lower()
    if switch not in (None, "") and word not in (*_OFF, *_ON):
        raise ConfigError([f"`{tkg.PROXY_SWITCH}` must be true or false"])
    return word in _OFF


def _fact(data: Any, name: str) -> ForeignValue:
    value = lookup(data, (name,))
    known = _TKG_INFRASTRUCTURES.get(str(value).lower(), "") if name == _TKG_PROVIDER else value
    return ForeignValue(known, name)


def _decoded(text: Any) -> str:
    try:
        return base64.b64decode("".join(str(text).split()), validate=True).decode()
    except (binascii.Error, ValueError):
        raise ConfigError(
            [f"must hold base64 of certificates in PEM form in `{tkg.PROXY_CERTIFICATE}`"]
        ) from None


def _first(data: Any, places: _Places) -> _Fields:
    """Return, field by field, the value of the first place that has one."""
    found: _Fields = {}
    for path, names in places:
        found = {**_three(data, path, names), **found}
    return found


def _three(data: Any, path: _Path, names: ProxyKeys) -> _Fields:
    found: _Fields = {}
    for target, name in zip(_SPEC, names, strict=True):
        value = lookup(data, (*path, name))
        if value is None:
            continue
        if target not in _URLS:
            value = _text(value)
        found[target] = ForeignValue(value, field_path((*path, name)))
    return found


def _text(value: Any) -> Any:
    """Return a list of entries as one text; its place is that of the list."""
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return ",".join(value)
    return value


READERS: dict[str, Callable[[Any], _Fields]] = {
    TKG: _tkg,
    GIANT_SWARM: lambda data: _first(data, _SWARM_PLACES),
    IMAGE_BUILDER: lambda data: _first(data, _BUILDER_PLACES),
}
"""Name of a form -> what reads it."""

_SIGNS: dict[str, tuple[_Path, ...]] = {
    TKG: tuple((name,) for name in (*tkg.PROXY, tkg.PROXY_SWITCH)),
    GIANT_SWARM: (
        *((*giantswarm.PROXY, name) for name in SHORT),
        *((*giantswarm.CLUSTER_PROXY, name) for name in SHORT),
    ),
    IMAGE_BUILDER: ((konvoy.PROXY_ENV,),),
}
"""Names that are in one form only: `http_proxy` at the top is in two of them."""

_SHOWN = {
    TKG: "`TKG_HTTP_PROXY`, `TKG_HTTPS_PROXY`, `TKG_NO_PROXY`",
    GIANT_SWARM: "`proxy.http`, `proxy.https`, `proxy.noProxy`",
    IMAGE_BUILDER: "`http_proxy`, `https_proxy`, `no_proxy`, which need no `format`, or these in `proxy_env`",
}
