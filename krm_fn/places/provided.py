"""Find the ConfigMaps and Secrets of a list from which others take a proxy, and the references to them.

Containers read them by ``valueFrom`` and ``envFrom``, objects of Flux by ``proxySecretRef``; a HelmRelease takes values
of its chart from them by ``valuesFrom``. Only containers count that a target would write: nobody asked for the others.
An object is filled if it is in the list; whoever refers to one that is not there gets what its ``conflict`` says. Of
several with one name a reference means the nearest one (``clusters.references``), or all that are equally near.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import MappingProxyType

from krm_fn.clusters import Key, ObjectIndex
from krm_fn.light_typing import Any, Fields, NamedTuple, Texts
from krm_fn.patch import Data, list_at, text_at
from krm_fn.places.choice import is_refused
from krm_fn.places.containers import Container, Provided, variable_of
from krm_fn.places.installed_charts import NO_SOURCES, ChartSources
from krm_fn.settings import PROXY_VARIABLES

_OF_ONE_KEY = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
_OF_ALL_KEYS = {"configMapRef": "ConfigMap", "secretRef": "Secret"}


class DataReference(NamedTuple):
    """That an object reads a ConfigMap or a Secret.

    Attributes:
        key: what it names; the file is that of the object.
        member: the key that it reads, "" for all of them, which are variables of a container.
        variable: the variable in upper case that gets the value of this key.
        entry: the entry of ``env`` or ``envFrom`` that says so.
        is_proxy_of_flux: Flux reads ``address``, ``username`` and ``password``.
        chart: the chart that gets the proxy and takes values from the key.
        names: those of the values that get the proxy.
        release: the HelmRelease with such a chart, where more values count than those that get the proxy.
        alternatives: the values of all ConfigMaps or Secrets that it means, in one, where they are several.
    """

    key: Key
    member: str = ""
    variable: str = ""
    entry: Data = MappingProxyType({})
    is_proxy_of_flux: bool = False
    chart: str = ""
    names: Texts = ()
    release: Data | None = None
    alternatives: Data = MappingProxyType({})


class DataUse(NamedTuple):
    """A ConfigMap or a Secret as it was before the run, and the references that mean it."""

    data: Data
    references: list[DataReference]


class DataUses(NamedTuple):
    """The ConfigMaps and Secrets of a list that others read, as a file sees them.

    Attributes:
        listed: those to which something refers.
        chart_sources: the objects of Flux that say which charts there are, and where.
        file: the path of the file.
    """

    listed: ObjectIndex[DataUse] = ObjectIndex()
    chart_sources: ChartSources = NO_SOURCES
    file: str = ""

    def seen_from(self, file: str) -> DataUses:
        """Return the same uses, and the sources of charts, as a file sees them."""
        sources = self.chart_sources._replace(file=file)
        return DataUses(self.listed, sources, file)

    def references_to(self, data: Data) -> list[DataReference]:
        """Return the references that mean a ConfigMap or a Secret of this file."""
        kind = str(data.get("kind"))
        key = Key("", kind, namespace_of(data), name_of(data), self.file)
        if self.listed.find(key) != key:
            return []
        return self.listed[key].references

    def meant(self, key: Key) -> list[Data]:
        """Return the ConfigMaps or Secrets that a reference in this file means, but for those that stay as they are."""
        uses = find_uses(self.listed, key._replace(file=self.file))
        return [use.data for use in uses if not is_refused(use.data)]


def find_uses(listed: ObjectIndex[DataUse], key: Key) -> list[DataUse]:
    """Return the ConfigMaps or Secrets that the key of a reference means; several where they are equally near."""
    near = listed.candidates(key)
    return [listed[other] for other in near if other.namespace == key.namespace]


def values_in(sources: Iterable[Data], member: str) -> Iterator[Any]:
    """Yield the values of a chart that ConfigMaps and Secrets hold under a key, but for those that stay as they are."""
    from krm_fn.formats import embedded  # noqa: PLC0415 -- few lists hold values of charts

    for source in sources:
        for text in embedded.values(source):
            if text.path[-1] == member and not is_refused(source):
                yield from embedded.mappings(text)[:1]


def unite(values: Data, united: Fields) -> None:
    """Add to united values the paths that others have."""
    for name, value in values.items():
        if isinstance(value, dict):
            below = united.setdefault(name, {})
            if isinstance(below, dict):
                unite(value, below)
        elif value is not None:
            united.setdefault(name, value)


def name_of(data: Data) -> str:
    """Return the name of an object, "" for none."""
    return text_at(data, ("metadata", "name"))


def namespace_of(data: Data) -> str:
    """Return the namespace that an object names, "" for none."""
    return text_at(data, ("metadata", "namespace"))


def references_in(namespace: str, container: Container) -> Iterator[DataReference]:
    """Yield the variables that a container takes from ConfigMaps and Secrets.

    The name of a key must say that it holds its variable: a key ``url`` may be read as something else elsewhere.
    """
    for entry in list_at(container.fields, "env"):
        variable = variable_of(entry)
        if variable is None:
            continue
        for field, kind in _OF_ONE_KEY.items():
            name = text_at(entry, ("valueFrom", field, "name"))
            member = text_at(entry, ("valueFrom", field, "key"))
            letters = re.sub(r"[^a-z]", "", member.lower())
            ending = variable.lower().replace("_", "")
            if name and letters.endswith(ending):
                key = Key("", kind, namespace, name)
                yield DataReference(key, member, variable.upper(), entry)
    for entry in list_at(container.fields, "envFrom"):
        for field, kind in _OF_ALL_KEYS.items():
            name = text_at(entry, (field, "name"))
            if name and not entry.get("prefix"):
                yield DataReference(Key("", kind, namespace, name), entry=entry)


def provided_for(uses: DataUses, namespace: str, container: Container) -> Provided:
    """Return the variables that a container in a namespace gets from ConfigMaps and Secrets of the list."""
    entries = []
    names = set()
    for reference in references_in(namespace, container):
        listed = uses.meant(reference.key)
        if not listed:
            continue
        entries.append(reference.entry)
        if reference.variable:
            names.add(reference.variable)
            continue
        from krm_fn.formats import embedded  # noqa: PLC0415 -- few containers take all of a ConfigMap

        common = set(PROXY_VARIABLES)
        for data in listed:
            common.intersection_update(text.path[-1] for text in embedded.values(data))
        names.update(map(str.upper, common))
    return Provided(frozenset(names), entries)
