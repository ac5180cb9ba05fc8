"""Where the values of a chart come from, and the names of Services that its templates make of them.

Sources: ``ChartValuesFromReferences``, ``GetReleaseName`` and ``ShortenName`` of helm-controller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from krm_fn.clusters import Key
from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.places.installed_charts import ChartUse
from krm_fn.places.provided import DataUses, name_of, namespace_of
from krm_fn.products.charts import CHARTS, Chart, ChartValue, Services, Signs, Version
from krm_fn.products.release_kinds import APPLICATION, HELM_RELEASE
from krm_fn.targets.base import Data

_OTHER_NAMES = ("fullnameOverride", "nameOverride", "namespaceOverride", "serverServiceName")
_RELEASE_NAME = r"[a-z0-9][a-z0-9-]{0,52}"
"""Flux shortens a longer one, and puts a hash behind it."""
_BOUND = re.compile(
    r"""(?<![\w.-])
    ([<>=!~^]*)\s*          # an operator: ">=", "~", or none for one version
    v?(\d+(?:\.\d+)*)       # "9", "9.1", "9.1.2"; the rest of "9.1.x" says nothing more
    (?!\w)                 # and no name, as "7f2a"
    """,
    re.VERBOSE,
)
_IN_CLUSTER = re.compile(
    r"""\bhttp://
    ([a-z0-9-]+            # the name of a Service: "tempo"
      (?:\.[a-z0-9-]+)?)   # its namespace: "loki.logs"
    (?![\w.-])             # and no further part, as in "loki.logs.svc"
    """,
    re.VERBOSE,
)
"""The URL of a Service, as its name alone or with the namespace; `NO_PROXY` holds all that end with `.svc`."""


def values_from(data: Data) -> Iterator[tuple[Key, str]]:
    """Yield the keys of ConfigMaps and Secrets from which a HelmRelease takes values, the last one first."""
    for source in reversed(list_at(data, ("spec", "valuesFrom"))):
        name = text_at(source, ("name",))
        key = text_at(source, ("valuesKey",)) or "values.yaml"
        # With ``targetPath`` the text of a key is one value, and no document of values.
        if name and not lookup(source, ("targetPath",)):
            yield Key("", text_at(source, ("kind",)), namespace_of(data), name), key


def lowest_version(text: str) -> Version | None:
    """Return the lowest version that a text allows; None if it says no version, or allows any.

    Source: Masterminds/semver, as Helm uses it: ``9.1.2``, ``>=9.0.0 <10``, ``9.x || ~10.2``, ``1.2 - 1.5``.
    """
    if "$" in text or "{" in text:  # filled in later
        return None
    lowest = []
    for alternative in text.split("||"):
        begin, _, _ = alternative.partition(" - ")
        versions = []
        bounds = _BOUND.findall(begin)
        for operator, number in bounds:
            if not operator.startswith(("<", "!")):
                parts = [int(part) for part in number.split(".")]
                versions.append((*parts, 0, 0)[: max(len(parts), 3)])
        version = max(versions, default=(0, 0, 0))
        if not any(version) and len(versions) == len(bounds):  # ``*``, or ``>=0.0.0``
            return None
        lowest.append(version)
    return min(lowest)


class VersionValues(NamedTuple):
    """The places of a chart in one version.

    Attributes:
        values: those that it has, or that are there.
        new: those among them that are not there, and that older versions do not have.
        later: those that only later versions have.
    """

    values: list[ChartValue]
    new: list[ChartValue]
    later: list[ChartValue]


def values_of_version(
    values: Iterable[ChartValue], version: Version | None, documents: Sequence[Any]
) -> VersionValues:
    """Return the places that a version of a chart has, each in one form; one that is in a document counts, too."""
    chosen: dict[str, ChartValue] = {}
    new = []
    later = []
    for value in values:
        is_there = any(holds(value, document) for document in documents)
        is_new = bool(value.since) and not is_there and is_read(value, documents[0])
        if value.is_in(version) or (value.since and is_there):
            chosen.setdefault(value.name, value)
            if is_new:
                new.append(value)
        elif is_new:
            later.append(value)
    # Where there is an older form, or an older place, nothing is missing.
    if any(value.before for value in chosen.values()):
        later = []
    return VersionValues([*chosen.values()], new, later)


def values_path(use: ChartUse, data: Data) -> Pointer:
    """Return the path of the values of a chart that a HelmRelease or an Application holds as data."""
    if group_kind(data) == HELM_RELEASE:
        return (*use.path, "values")
    return (*use.path, "helm", "valuesObject")


def own_values(use: ChartUse, data: Data) -> Any:
    """Return the values of a chart that a HelmRelease or an Application holds as data; None if they are a text."""
    return lookup(data, values_path(use, data))


def read_values(use: ChartUse, data: Data) -> Any:
    """Return the values of a chart that a HelmRelease or an Application holds, as data or as a text."""
    text = text_at(data, (*use.path, "helm", "values"))
    if own_values(use, data) is None and text:
        for document in embedded.mappings(embedded.Value((), text)):
            return document.data
    return own_values(use, data)


def find_override(value: ChartValue, use: ChartUse, data: Data) -> Result | None:
    """Return a warning if something else sets a value, or a part of it, over the values of an object.

    That is an entry of another list, or a Secret that is named beside a text: ``httpProxySecret`` beside ``httpProxy``.
    """
    values = read_values(use, data)
    for *above, last in value.texts.values():
        secret = (*above, f"{last}Secret")
        if text_at(values, secret):
            text = f"the Secret of `{'.'.join(secret)}` wins over `{value.name}`: set the proxy there yourself"
            return Result.of("ByHand", text, use.path)
    path: Pointer = ("spec", "valuesFrom")
    member, message = "targetPath", "a `targetPath` sets `{}` over all other values"
    if group_kind(data) == APPLICATION:
        path = (*use.path, "helm", "parameters")
        member, message = "name", "a parameter sets `{}`, and no run writes parameters"
    for entry in list_at(data, path):
        # ``proxy.url``, or ``env[0].value``, in which a bracket begins a step as a dot does
        steps = text_at(entry, (member,)).replace("[", ".") + "."
        for name in value.names:
            if steps != "." and (steps.startswith(f"{name}.") or name.startswith(steps)):
                text = f"{message.format(value.name)}: set the proxy there yourself"
                return Result.of("ByHand", text, path)
    return None


def values_elsewhere(data: Data, uses: DataUses) -> list[Any]:
    """Return the values that a HelmRelease takes from ConfigMaps and Secrets of the list."""
    values = []
    for key, member in values_from(data):
        for source in uses.meant(key):
            for text in embedded.values(source):
                if text.path[-1] == member:
                    values += [document.data for document in embedded.mappings(text)][:1]
    return values


def holds(value: ChartValue, values: Any) -> bool:
    """Return whether values have a place: a list or a mapping of variables, or one of the texts."""
    if value.texts:
        return any(lookup(values, path) is not None for path in value.texts.values())
    return isinstance(lookup(values, value.steps), (list, dict))


def is_read(value: ChartValue, values: Any) -> bool:
    """Return whether values say that the program is there, and calls out, that reads one of them."""
    own = lookup(values, (value.below,)) if value.below else values
    if value.where and not _have(own, value.where):
        return False
    return not _have(own, value.unless)


def _have(values: Any, signs: Signs) -> bool:
    """Return whether one of the signs is among some values."""
    for path, word in signs:
        for value in _values_at(values, path.split(".")):
            if word in str(value):
                return True
    return False


def _values_at(values: Any, steps: Sequence[str]) -> list[Any]:
    """Return the values at a path, in which ``*`` stands for each member of a mapping."""
    values_there = [values]
    for step in steps:
        members: list[Any] = []
        for value in values_there:
            if step == "*" and isinstance(value, dict):
                members += value.values()
            else:
                members.append(lookup(value, (step,)))
        values_there = [member for member in members if member is not None]
    return values_there


def chart_in_table(use: ChartUse, data: Data, uses: DataUses) -> Chart | None:
    """Return the row of a chart.

    A chart of Bitnami has other values. A folder may hold another chart of the same name, so it has the row only if its
    values have a place of the row.
    """
    if use.is_of_bitnami:
        return None
    documents = [read_values(use, data), *values_elsewhere(data, uses)]
    chart = None
    for document in documents:
        chart = fitted_chart(use.name, document)
        if chart is None or chart.below:
            break
    if chart is None or not use.is_folder:
        return chart
    for value in chart.values:
        if any(holds(value, document) for document in documents):
            return chart
    return None


def fitted_chart(name: str, values: Any) -> Chart | None:
    """Return the row of a chart, with paths below its name where the values are those of an umbrella chart.

    Helm gives a dependency the values under its name, so ``falco: {driver: {}}`` is for a chart that has falco in it.
    """
    chart = CHARTS.get(name)
    inner = lookup(values, (name,))
    if chart is None or not isinstance(inner, dict):
        return chart
    first_steps = {value.list_path for value in chart.values}
    for value in chart.values:
        for path in value.texts.values() or [value.steps]:
            first_steps.add(path[0])
    is_own = chart.has_own_name or not first_steps.isdisjoint(values)
    if is_own and first_steps.isdisjoint(inner):
        return chart
    return chart._replace(values=tuple(value._replace(below=name) for value in chart.values))


def namespace_of_release(data: Data) -> str:
    """Return the namespace in which the programs of a chart run; "" where nothing names it."""
    if group_kind(data) == APPLICATION:  # its own namespace is that of Argo CD
        return text_at(data, ("spec", "destination", "namespace"))
    return text_at(data, ("spec", "targetNamespace")) or namespace_of(data)


def all_values(use: ChartUse, data: Data, uses: DataUses, chart: Chart) -> list[Any]:
    """Return the documents with values of a chart, the ones that win first."""
    documents = [read_values(use, data), *values_elsewhere(data, uses)]
    if chart.below:
        return [lookup(document, (chart.below,)) for document in documents]
    return documents


def service_names(use: ChartUse, data: Data, uses: DataUses) -> list[str] | None:
    """Return the names by which the programs of a chart call each other, as its templates make them.

    None if values give others, or if the name of the release or its namespace is not known.
    """
    chart = chart_in_table(use, data, uses)
    if chart is None or not chart.services:
        return []
    documents = all_values(use, data, uses, chart)
    release = _release_name(use, data)
    namespace = namespace_of_release(data)
    text = _text_of_values(use, data, uses)
    names: list[str] = []
    for services in chart.services:
        if services.where and not any(_have(values, services.where) for values in documents):
            continue
        is_renamed = any(name in text for name in _OTHER_NAMES)
        if is_renamed or not re.fullmatch(_RELEASE_NAME, release):
            return None
        if services.has_namespace and not namespace:
            return None
        behind = f".{namespace}" if services.has_namespace else ""
        names += [f"{_full_name(services, release)}{part}{behind}" for part in services.parts]
    return names


def _full_name(services: Services, release: str) -> str:
    """Return the begin of the names, as the helper ``fullname`` of each chart makes it of the name of the release."""
    if not services.own:
        return ""
    # ``contains $name .Release.Name``, then ``trunc 63 | trimSuffix "-"``.
    name = release if services.own in release else f"{release}-{services.own}"
    return name[: services.longest].removesuffix("-") + "-"


def other_names(use: ChartUse, data: Data, uses: DataUses) -> list[str]:
    """Return the names of other Services that the programs of a chart call by URLs among the values."""
    chart = chart_in_table(use, data, uses)
    if chart is None or not chart.others:
        return []
    _, _, urls = _text_of_values(use, data, uses).partition(chart.others)
    return _IN_CLUSTER.findall(urls)


def is_in_cluster(url: str) -> bool:
    """Return whether a URL leads to a Service."""
    return bool(_IN_CLUSTER.match(url)) or ".svc" in url


def _text_of_values(use: ChartUse, data: Data, uses: DataUses) -> str:
    return str([lookup(data, use.path), *values_elsewhere(data, uses)])


def _release_name(use: ChartUse, data: Data) -> str:
    """Return the name of the release, which Flux makes of two names where nobody gives it."""
    own = name_of(data)
    if group_kind(data) == APPLICATION:
        return text_at(data, (*use.path, "helm", "releaseName")) or own
    name = text_at(data, ("spec", "releaseName"))
    if name:
        return name
    target = text_at(data, ("spec", "targetNamespace"))
    return f"{target}-{own}" if target else own
