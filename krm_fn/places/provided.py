"""Find the ConfigMaps and Secrets of a list from which others take a proxy, and the references to them.

Containers read them by ``valueFrom`` and ``envFrom``, objects of Flux by ``proxySecretRef``; a HelmRelease takes values
of its chart from them by ``valuesFrom``. Only containers count that a target would write: nobody asked for the others.
An object is filled if it is in the list; whoever refers to one that is not there gets what its ``conflict`` says. Of
several with one name a reference means the nearest one, see ``clusters.nearness``; all of those that are equally near.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import MappingProxyType

from krm_fn.clusters import Folders, Key, ObjectIndex, key_of
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple, Texts
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
        member: the key that it reads, "" for all.
        variable: the variable in upper case that gets the value of this key.
        entry: the entry of ``env`` or ``envFrom`` that says so.
        is_proxy_of_flux: Flux reads ``address``, ``username`` and ``password``.
        chart: the chart that gets the proxy and takes values from the key.
        names: those of the values that get the proxy.
        release: the HelmRelease with such a chart, where more values count than those that get the proxy.
    """

    key: Key
    member: str = ""
    variable: str = ""
    entry: Data = MappingProxyType({})
    is_proxy_of_flux: bool = False
    chart: str = ""
    names: Texts = ()
    release: Data | None = None


class DataUse:
    """How one ConfigMap or Secret is read.

    Attributes:
        keys: key -> variable in upper case, for ``valueFrom``.
        is_environment: its keys are variables of a container, for ``envFrom``.
        is_proxy_of_flux: Flux reads ``address``, ``username`` and ``password``.
        of_charts: key -> the charts that get the proxy and take values from it, with the names of these values.
        releases: the HelmReleases with such a chart of which more values count than those that get the proxy.
        members: its keys; None where its annotation says that it stays as it is.
        values: key -> the content of the text from which charts take values.
    """

    is_environment = False
    is_proxy_of_flux = False
    members: frozenset[str] | None = None

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        self.of_charts: dict[str, dict[str, Texts]] = {}
        self.releases: list[Data] = []
        self.values: dict[str, Data] = {}

    def add(self, reference: DataReference) -> None:
        """Add that an object reads it."""
        member = reference.member
        if reference.is_proxy_of_flux:
            self.is_proxy_of_flux = True
        elif reference.variable:
            self.keys[member] = reference.variable
        elif not member:
            self.is_environment = True
        else:
            charts = self.of_charts.setdefault(member, {})
            if reference.names:
                charts[reference.chart] = reference.names
            if reference.release:
                self.releases.append(reference.release)

    def read(self, obj: Data) -> None:
        """Note its keys, and the values that charts take from them."""
        from krm_fn.formats import embedded  # noqa: PLC0415 -- few lists have any

        members = set()
        for text in embedded.values(obj):
            member = text.path[-1]
            members.add(member)
            if member not in self.of_charts:
                continue
            for document in embedded.mappings(text):
                self.values.setdefault(member, document.data)
        self.members = frozenset(members)


_NOBODY = DataUse()


class DataUses:
    """The ConfigMaps and Secrets of a list that are read as a proxy, as a file sees them; nothing is in it at first.

    Args:
        folders: tells the folders of clusters apart.
        fills_variables: the variables that objects refer to are filled; without it, only values of charts are noted.
        chart_sources: the objects of Flux that say which charts there are, and where.
    """

    def __init__(
        self,
        folders: Folders,
        *,
        fills_variables: bool = True,
        chart_sources: ChartSources = NO_SOURCES,
    ) -> None:
        self.chart_sources = chart_sources
        self._fills_variables = fills_variables
        self._file = ""
        self._references: list[DataReference] = []
        self._listed: ObjectIndex[DataUse] = ObjectIndex(folders=folders)

    def seen_from(self, file: str) -> DataUses:
        """Return the same uses, and the sources of charts, as a file sees them."""
        import copy  # noqa: PLC0415 -- most lists hold nothing that is looked for

        uses = copy.copy(self)
        uses._file = file
        uses.chart_sources = self.chart_sources._replace(file=file)
        return uses

    @property
    def names(self) -> Texts:
        """The names of the ConfigMaps and Secrets that something refers to."""
        return tuple(dict.fromkeys(reference.key.name for reference in self._references))

    def use(self, obj: Data) -> DataUse:
        """Return how a ConfigMap or Secret of this file is read; nothing is in it where nobody does."""
        kind = str(obj.get("kind"))
        key = Key("", kind, namespace_of(obj), name_of(obj), self._file)
        return self._listed[key] if self._listed.find(key) == key else _NOBODY

    def meant(self, key: Key) -> list[DataUse]:
        """Return the ConfigMaps or Secrets that a reference in this file means."""
        candidates = self._listed.candidates(key._replace(file=self._file))
        return [self._listed[near] for near in candidates if near.namespace == key.namespace]

    def note(self, reference: DataReference) -> None:
        """Note that an object of this file reads a ConfigMap or a Secret."""
        key = reference.key._replace(file=self._file)
        self._references.append(reference._replace(key=key))

    def note_containers(self, obj: Data, containers: Iterable[Container]) -> None:
        """Note the references in containers of an object."""
        if not self._fills_variables:
            return
        for container in containers:
            for reference in _references(namespace_of(obj), container):
                self.note(reference)

    def note_data(self, listed: Iterable[Object]) -> None:
        """Note the ConfigMaps and Secrets of the list, each with the references that mean it."""
        objects = {key_of(obj): obj.data for obj in listed}
        for key in objects:
            self._listed.add(key, DataUse())
        for reference in self._references:
            for use in self.seen_from(reference.key.file).meant(reference.key):
                use.add(reference)
        for key, data in objects.items():
            if not is_refused(data):
                self._listed[key].read(data)


NO_USES = DataUses(Folders())
"""Those of a list of which nothing is known."""


def name_of(obj: Data) -> str:
    """Return the name of an object, "" for none."""
    return text_at(obj, ("metadata", "name"))


def namespace_of(obj: Data) -> str:
    """Return the namespace that an object names, "" for none."""
    return text_at(obj, ("metadata", "namespace"))


def _references(namespace: str, container: Container) -> Iterator[DataReference]:
    """Yield the variables that a container takes from ConfigMaps and Secrets.

    The name of a key must say that it holds its variable: a key ``url`` may be read as something else elsewhere.
    """
    for entry in list_at(container.fields, ("env",)):
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
    for entry in list_at(container.fields, ("envFrom",)):
        for field, kind in _OF_ALL_KEYS.items():
            name = text_at(entry, (field, "name"))
            if name and not entry.get("prefix"):
                yield DataReference(Key("", kind, namespace, name), entry=entry)


def provided_for(uses: DataUses, obj: Data, container: Container) -> Provided:
    """Return the variables that a container of an object gets from ConfigMaps and Secrets of the list."""
    entries = []
    names: set[str] = set()
    for reference in _references(namespace_of(obj), container):
        listed = [use.members for use in uses.meant(reference.key) if use.members is not None]
        if not listed:
            continue
        entries.append(reference.entry)
        if reference.member:
            names.add(reference.variable)
        else:
            for member in PROXY_VARIABLES:
                if all(member in members for members in listed):
                    names.add(member.upper())
    return Provided(frozenset(names), tuple(entries))
