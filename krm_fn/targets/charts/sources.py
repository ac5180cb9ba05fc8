"""Where the values of a chart come from, and the names of Services that its templates make of them.

Sources: ``ChartValuesFromReferences``, ``GetReleaseName`` and ``ShortenName`` of helm-controller;
``spec.source.helm`` of Argo CD, where parameters win over ``valuesObject``, and that over ``values``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from krm_fn.carriers.data_uses import DataKey, DataUses, namespace_of
from krm_fn.clusters import APPLICATION, HELM_RELEASE, ChartUse
from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.products.charts import CHARTS, Chart
from krm_fn.targets.base import Data
from krm_fn.targets.charts.parameters import set_by

_DEFAULT_KEY = "values.yaml"
_LONGEST_RELEASE_NAME = 53
_LONGEST_NAME = 63
_HASH_LENGTH = 12


def sources(data: Data) -> Iterator[tuple[DataKey, str]]:
    """Yield the keys of ConfigMaps and Secrets from which a HelmRelease takes values, the last one first."""
    listed = lookup(data, ("spec", "valuesFrom")) if group_kind(data) == HELM_RELEASE else None
    for one in reversed(listed) if isinstance(listed, list) else ():
        kind, name = lookup(one, ("kind",)), lookup(one, ("name",))
        member = lookup(one, ("valuesKey",)) or _DEFAULT_KEY
        if isinstance(name, str) and isinstance(member, str) and not lookup(one, ("targetPath",)):
            yield (str(kind), namespace_of(data), name), member


def values_from(data: Data, uses: DataUses) -> Iterator[Mapping[str, Any]]:
    """Yield the values that a HelmRelease takes from ConfigMaps and Secrets of the list, those that win first."""
    for source in sources(data):
        if source in uses.values:
            yield uses.values[source]


def namespace_of_release(data: Data) -> str:
    """Return the namespace in which the programs of a chart run; "" where nothing names it."""
    if group_kind(data) == APPLICATION:  # its own namespace is that of Argo CD
        return text_at(data, ("spec", "destination", "namespace"))
    return text_at(data, ("spec", "targetNamespace")) or namespace_of(data)


def chart_in_table(use: ChartUse) -> Chart | None:
    """Return what the table says of a chart; nothing of one of Bitnami, which has other values."""
    return None if use.is_of_bitnami else CHARTS.get(use.name)


def reads_more_values(use: ChartUse) -> bool:
    """Return whether more of the values of a chart count here than those that hold a proxy."""
    chart = chart_in_table(use)
    return chart is not None and (chart.services is not None or chart.unreached is not None)


def has_services(use: ChartUse) -> bool:
    """Return whether the programs of a chart call each other by names that only its object makes known."""
    chart = chart_in_table(use)
    return chart is not None and chart.services is not None


def service_names(use: ChartUse, data: Data, uses: DataUses) -> Iterator[str]:
    """Yield the names by which the programs of a chart call each other, as its templates make them.

    Args:
        use: the chart.
        data: the HelmRelease or the Application that installs it.
        uses: what is in the objects from which it takes values.
    """
    chart = chart_in_table(use)
    if chart is None or chart.services is None:
        return
    services = chart.services
    paths = {part: tuple(path.split(".")) for part, path in services.parts.items() if path}
    names = [("nameOverride",), ("fullnameOverride",), ("namespaceOverride",), *paths.values()]
    layers = list(values_of(use, data, uses, names))
    whole = _text(layers, ("fullnameOverride",), "")
    if not whole:
        own = _text(layers, ("nameOverride",), services.own) or use.name
        release = _release_name(use, data)
        whole = release if own in release else f"{release}-{own}"
    whole = _cut(whole, services.longest)
    behind = ""
    if services.has_namespace:
        given = text_at(data, (*use.path, "helm", "namespace"))
        override = _text(layers, ("namespaceOverride",), "")
        namespace = override or given or namespace_of_release(data)
        if not namespace:
            return
        behind = f".{namespace}"
    for part in services.parts:
        end = _text(layers, paths[part], part) if part in paths else part
        name = _cut(f"{whole}-{end}", _LONGEST_NAME) + behind
        if re.fullmatch(r"[a-z0-9.-]+", name):  # anything else would be another entry of the list
            yield name


def values_of(
    use: ChartUse, data: Data, uses: DataUses, names: Collection[Pointer]
) -> Iterator[Any]:
    """Yield all that sets values of a chart and is seen, those that win first; of parameters those of some names."""
    if group_kind(data) != APPLICATION:
        yield lookup(data, (*use.path, "values"))
        yield from values_from(data, uses)
        return
    helm = (*use.path, "helm")
    yield set_by(lookup(data, (*helm, "parameters")), names)
    mapping = lookup(data, (*helm, "valuesObject"))
    text = lookup(data, (*helm, "values"))
    if mapping is not None:
        yield mapping
    elif isinstance(text, str):
        for document in embedded.mappings(embedded.Value((*helm, "values"), text)):
            yield document.data


def _text(layers: list[Any], path: Pointer, default: str) -> str:
    """Return the value that the first layer with one sets; the default where that is no part of a name."""
    for layer in layers:
        value = lookup(layer, path)
        if value is not None:
            is_name = isinstance(value, str) and re.fullmatch(r"[a-z0-9-]*", value)
            return str(value) if is_name else default
    return default


def _release_name(use: ChartUse, data: Data) -> str:
    """Return the name of the release, which Flux makes of two names and shortens where nobody gives it."""
    own = text_at(data, ("metadata", "name"))
    if group_kind(data) == APPLICATION:
        return text_at(data, (*use.path, "helm", "releaseName")) or own
    target = text_at(data, ("spec", "targetNamespace"))
    name = text_at(data, ("spec", "releaseName")) or (f"{target}-{own}" if target else own)
    if len(name) <= _LONGEST_RELEASE_NAME:
        return name
    from hashlib import sha256  # noqa: PLC0415 -- few names are that long

    end = "-" + sha256(name.encode()).hexdigest()[:_HASH_LENGTH]
    return name[: _LONGEST_RELEASE_NAME - len(end)] + end


def _cut(name: str, longest: int) -> str:
    """Return what ``trunc`` and ``trimSuffix "-"`` of a template make of a name."""
    return name[:longest].removesuffix("-")
