"""Where the values of a chart come from, and the names of Services that its templates make of them.

Sources: ``ChartValuesFromReferences``, ``GetReleaseName`` and ``ShortenName`` of helm-controller;
``spec.source.helm`` of Argo CD, where parameters win over ``valuesObject``, and that over ``values``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.places.charts import ChartUse
from krm_fn.places.provided import DataKey, DataUses, namespace_of
from krm_fn.products.charts import CHARTS, Chart
from krm_fn.products.releases import APPLICATION, HELM_RELEASE
from krm_fn.targets.base import Data

_LONGEST_RELEASE_NAME = 53
_LONGEST_NAME = 63
_HASH_LENGTH = 12


def sources(data: Data) -> Iterator[tuple[DataKey, str]]:
    """Yield the keys of ConfigMaps and Secrets from which a HelmRelease takes values, the last one first."""
    if group_kind(data) != HELM_RELEASE:
        return
    for source in reversed(list_at(data, ("spec", "valuesFrom"))):
        name, key = text_at(source, ("name",)), text_at(source, ("valuesKey",)) or "values.yaml"
        if name and not lookup(source, ("targetPath",)):
            yield (text_at(source, ("kind",)), namespace_of(data), name), key


def chart_in_table(use: ChartUse) -> Chart | None:
    """Return what the table says of a chart; nothing of one of Bitnami, which has other values."""
    return None if use.is_of_bitnami else CHARTS.get(use.name)


def namespace_of_release(data: Data) -> str:
    """Return the namespace in which the programs of a chart run; "" where nothing names it."""
    if group_kind(data) == APPLICATION:  # its own namespace is that of Argo CD
        return text_at(data, ("spec", "destination", "namespace"))
    return text_at(data, ("spec", "targetNamespace")) or namespace_of(data)


def layers_of(use: ChartUse, data: Data, uses: DataUses) -> Iterator[Any]:
    """Yield all that sets values of a chart and is seen, those that win first."""
    if group_kind(data) != APPLICATION:
        yield lookup(data, (*use.path, "values"))
        yield from (uses.values[source] for source in sources(data) if source in uses.values)
        return
    helm = (*use.path, "helm")
    yield parameters_of(data, helm)
    values_object, text = lookup(data, (*helm, "valuesObject")), text_at(data, (*helm, "values"))
    if values_object is not None:
        yield values_object
    elif text:
        yield from (one.data for one in embedded.mappings(embedded.Value((*helm, "values"), text)))


def parameters_of(data: Data, helm: Pointer) -> dict[str, Any]:
    """Return the values that parameters of Argo CD set, without those inside of lists."""
    found: dict[str, Any] = {}
    for parameter in list_at(data, (*helm, "parameters")):
        *above, last = text_at(parameter, ("name",)).split(".")
        holder: Any = found
        for step in above:
            holder = holder.setdefault(step, {}) if isinstance(holder, dict) else None
        if isinstance(holder, dict):
            holder[last] = lookup(parameter, ("value",))
    return found


def service_names(use: ChartUse, data: Data, uses: DataUses) -> Iterator[str]:
    """Yield the names by which the programs of a chart call each other, as its templates make them."""
    chart = chart_in_table(use)
    services = chart.services if chart else None
    if services is None:
        return
    layers = list(layers_of(use, data, uses))
    whole = _text(layers, "fullnameOverride", "")
    if not whole:
        own, release = _text(layers, "nameOverride", services.own), _release_name(use, data)
        whole = release if own in release else f"{release}-{own}"
    behind = ""
    if services.has_namespace:
        namespace = _text(layers, "namespaceOverride", "") or namespace_of_release(data)
        if not namespace:
            return
        behind = f".{namespace}"
    for part, path in services.parts.items():
        end = _text(layers, path, part) if path else part
        name = _cut(f"{_cut(whole, services.longest)}-{end}", _LONGEST_NAME) + behind
        if re.fullmatch(r"[a-z0-9.-]+", name):  # anything else would be another entry of the list
            yield name


def _text(layers: list[Any], path: str, default: str) -> str:
    """Return the text that the first layer with one sets at a path."""
    for layer in layers:
        value = lookup(layer, path.split("."))
        if value is not None:
            return value if isinstance(value, str) else default
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
