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

from collections.abc import Mapping

from krm_fn import yamledit
from krm_fn.config import ForeignValue
from krm_fn.errors import ConfigError, InputError
from krm_fn.formats import left_alone
from krm_fn.formats.escaping import text_of_base64
from krm_fn.light_typing import Any, Fields, NamedTuple, Texts
from krm_fn.patch import Data, Pointer, field_path, lookup
from krm_fn.products import giantswarm, konvoy, tkg
from krm_fn.products.proxy_keys import SHORT, SNAKE, UPPER
from krm_fn.yamledit import stream

TKG, GIANT_SWARM, IMAGE_BUILDER = "TKG", "GiantSwarm", "ImageBuilder"

_Fields = dict[Pointer, ForeignValue]

_URLS = (("httpProxy",), ("httpsProxy",))
_SPEC = (*_URLS, ("noProxy",))

_OFF = ("false", "no", "off")
_ON = ("true", "yes", "on")
_TKG_NETWORKS = ("AWS_VPC_CIDR", "AZURE_VNET_CIDR")
_TKG_FAMILY = "TKG_IP_FAMILY"
_TKG_PROVIDER = "INFRASTRUCTURE_PROVIDER"
_TKG_FACTS = {
    "CLUSTER_CIDR": ("clusterDefaults", "podCIDRs"),
    "SERVICE_CIDR": ("clusterDefaults", "serviceCIDRs"),
    "VSPHERE_CONTROL_PLANE_ENDPOINT": ("clusterDefaults", "endpoint"),
    "AWS_REGION": ("clusterDefaults", "region"),
    "AZURE_LOCATION": ("clusterDefaults", "region"),
}
_TKG_INFRASTRUCTURES = {"vsphere": "VSphereCluster", "aws": "AWSCluster", "azure": "AzureCluster"}


class Format(NamedTuple):
    """How a system writes a proxy.

    Attributes:
        places: the mappings that hold it, and the names in each; of a field, the first place that has it counts.
        shown: the names, for a message.
    """

    places: tuple[tuple[Pointer, Texts], ...]
    shown: str


# What two formats have; alone, it tells none.
_TOP = ((), SNAKE)

# Name of a format -> what it is like.
FORMATS = {
    TKG: Format((((), tkg.PROXY),), "`TKG_HTTP_PROXY`, `TKG_HTTPS_PROXY`, `TKG_NO_PROXY`"),
    GIANT_SWARM: Format(
        ((giantswarm.PROXY, SHORT), (giantswarm.CLUSTER_PROXY, SHORT), _TOP),
        "`proxy.http`, `proxy.https`, `proxy.noProxy`",
    ),
    IMAGE_BUILDER: Format(
        # The names at the top are for a drop-in: a run doubles `%` there.
        (((konvoy.PROXY_ENV,), UPPER), ((konvoy.PROXY_ENV,), SNAKE), _TOP),
        "`http_proxy`, `https_proxy`, `no_proxy`, which need no `format`, or these in `proxy_env`",
    ),
}


def read(text: str, name: str | None = None) -> Mapping[Pointer, ForeignValue]:
    """Return the fields of ``spec`` that ``text`` sets, each with its place.

    Args:
        text: the whole file or value; of several YAML documents, later ones lie over earlier ones, where the system
            takes several.
        name: that of its format; None: whichever it looks like.

    Raises:
        ConfigError: it is encrypted, no YAML, in none of the formats, in several of them, or not in that one.
    """
    if left_alone.hides(text):
        raise ConfigError(left_alone.ENCRYPTED)
    data = _whole(text)
    name = name or _likely(data)
    count = len(stream.documents(text))
    if name == GIANT_SWARM and count > 1:
        raise ConfigError(f"must hold one YAML document, but it holds {count}")
    fields = _tkg(data) if name == TKG else _proxy(data, name)
    if fields:
        return fields
    names = [name] if name else FORMATS
    known = "; ".join(f"{known}: {FORMATS[known].shown}" for known in names)
    raise ConfigError(f"must hold a proxy under the names of its system ({known})")


def _likely(data: Data) -> str | None:
    """Return the format that a file looks like; None if it looks like none of them.

    Raises:
        ConfigError: it looks like several of them.
    """
    likely = []
    for name, form in FORMATS.items():
        for path, keys in form.places:
            given = [key for key in keys if lookup(data, (*path, key)) is not None]
            if name == TKG and tkg.PROXY_SWITCH in data:
                given.append(tkg.PROXY_SWITCH)
            if given and (path, keys) != _TOP and name not in likely:
                likely.append(name)
    if len(likely) > 1:
        names = " and ".join(likely)
        text = f"must be of one form, but it looks like {names}: say which in `format`"
        raise ConfigError(text)
    if likely:
        return likely[0]
    if _proxy(data, IMAGE_BUILDER):
        return IMAGE_BUILDER
    return None


def left_out(text: str) -> list[str]:
    """Return names of a TKG file that add entries to TKG's own list and that ``spec`` has no field for."""
    data = _whole(text)
    names = [name for name in _TKG_NETWORKS if data.get(name)]
    if "ipv6" in str(data.get(_TKG_FAMILY)).lower():
        names.append(_TKG_FAMILY)
    if data.get(_TKG_PROVIDER) and not _infrastructure(data):
        names.append(_TKG_PROVIDER)
    return names


def _whole(text: str) -> Fields:
    try:
        parts = [yamledit.read(part) for part in stream.texts_of_documents(text)]
    except InputError as error:
        raise ConfigError(f"must be YAML: {error}") from None
    if left_alone.has_code(text):
        raise ConfigError(
            "must say its values itself, but code of ytt decides about them: write them there"
        )
    whole = {}
    for part in parts:
        if isinstance(part, dict):
            whole.update(part)
    return whole


def _proxy(data: Any, name: str | None) -> _Fields:
    """Return the URLs and the list of a format."""
    fields: _Fields = {}
    if not name:
        return fields
    for path, keys in FORMATS[name].places:
        for field, key in zip(_SPEC, keys, strict=True):
            place = (*path, key)
            value = lookup(data, place)
            if value is None or field in fields:
                continue
            is_list = isinstance(value, list) and field not in _URLS
            if is_list and all(isinstance(entry, str) for entry in value):
                value = ",".join(value)
            fields[field] = ForeignValue(value, field_path(place))
    return fields


def _tkg(data: Any) -> _Fields:
    """Return the values of a TKG file about the proxy, and then about the cluster."""
    fields = _proxy(data, TKG)
    if _is_off(lookup(data, tkg.PROXY_SWITCH)):
        fields = {path: ForeignValue("", tkg.PROXY_SWITCH) for path in _URLS}
    if not fields:
        return {}
    for name, path in _TKG_FACTS.items():
        value = lookup(data, name)
        if value:
            fields[path] = ForeignValue(value, name)
    infrastructure = _infrastructure(data)
    if infrastructure:
        fields["clusterDefaults", "infrastructure"] = ForeignValue(infrastructure, _TKG_PROVIDER)
    certificates = lookup(data, tkg.PROXY_CERTIFICATE)
    if certificates:
        pem = _decoded(certificates)
        fields["trustedCA", "pem"] = ForeignValue(pem, tkg.PROXY_CERTIFICATE)
    return fields


def _is_off(switch: Any) -> bool:
    word = str(switch).strip().lower()
    if word in _OFF:
        return True
    if switch not in (None, "") and word not in _ON:
        raise ConfigError(f"`{tkg.PROXY_SWITCH}` must be true or false")
    return False


def _infrastructure(data: Any) -> str:
    """Return the kind of the infrastructure that a TKG file names; "" for none that is known."""
    provider = lookup(data, _TKG_PROVIDER)
    return _TKG_INFRASTRUCTURES.get(str(provider).lower(), "")


def _decoded(text: Any) -> str:
    try:
        return text_of_base64(str(text))
    except ValueError:
        reason = f"must hold base64 of certificates in PEM form in `{tkg.PROXY_CERTIFICATE}`"
        raise ConfigError(reason) from None
