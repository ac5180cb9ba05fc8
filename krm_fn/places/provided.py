"""The ConfigMaps and Secrets of a list from which others take a proxy, and what refers to them.

Containers read them by ``valueFrom`` and ``envFrom``, objects of Flux by ``proxySecretRef``; a HelmRelease takes values
of its chart from them by ``valuesFrom``. Only containers count that a target would write: nobody asked for the others.
An object is filled if it is in the list; whoever refers to one that is not there gets what its ``conflict`` says. Of
several with one name a reference means the nearest one, see ``clusters.nearness``; all of those that are equally near.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from krm_fn.clusters import Folders, Key, ObjectIndex, key_of
from krm_fn.krm.resourcelist import Object, group_kind
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.patch import Data, list_at, text_at
from krm_fn.places.charts import NO_SOURCES, ChartSources
from krm_fn.places.choice import is_refused
from krm_fn.places.containers import Container
from krm_fn.places.env_entries import Provided, variable_of
from krm_fn.settings import PROXY_VARIABLES

_OF_ONE_KEY = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
_OF_ALL_KEYS = {"configMapRef": "ConfigMap", "secretRef": "Secret"}
_FLUX_GROUP = ".toolkit.fluxcd.io"

class DataUse:
    """How one ConfigMap or Secret is read.

    Attributes:
        keys: key -> variable in upper case, for ``valueFrom``.
        is_environment: its keys are variables of a container, for ``envFrom``.
        is_proxy_of_flux: Flux reads ``address``, ``username`` and ``password``.
        of_charts: key -> the charts that get the proxy and take values from it, with the names of these values.
        releases: the HelmReleases with such a chart of which more values count than those that get the proxy.
        members: its keys; None where it is not in the list.
        values: key -> what is in the text from which charts take values.
    """

    is_environment = False
    is_proxy_of_flux = False
    members: frozenset[str] | None = None

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        self.of_charts: dict[str, dict[str, Texts]] = {}
        self.releases: list[Data] = []
        self.values: dict[str, Data] = {}

    def add(self, other: DataUse) -> None:
        """Add how objects in another file read it."""
        self.is_environment |= other.is_environment
        self.is_proxy_of_flux |= other.is_proxy_of_flux
        self.keys |= other.keys
        self.releases += other.releases
        for member, charts in other.of_charts.items():
            self.of_charts.setdefault(member, {}).update(charts)

    def read(self, obj: Data) -> None:
        """Note the keys of the ConfigMap or Secret itself, and the values that charts take from them."""
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
        fills_variables: the variables that objects refer to are filled; without it, only values of charts are noted.
        chart_sources: the objects of Flux that say which charts there are, and where.
        folders: tells the folders of clusters apart.
    """

    def __init__(
        self,
        *,
        fills_variables: bool = True,
        chart_sources: ChartSources = NO_SOURCES,
        folders: Folders | None = None,
    ) -> None:
        self.chart_sources = chart_sources
        self._fills_variables = fills_variables
        self._file = ""
        self._noted: dict[Key, DataUse] = {}
        self._listed: ObjectIndex[DataUse] = ObjectIndex(folders=folders)

    def seen_from(self, file: str) -> DataUses:
        """Return the same uses, and the sources of charts, as a file sees them."""
        import copy  # noqa: PLC0415 -- most lists hold nothing that is looked for

        uses = copy.copy(self)
        uses._file = file  # noqa: SLF001 -- a copy of itself
        uses.chart_sources = self.chart_sources._replace(file=file)
        return uses

    @property
    def names(self) -> Texts:
        """The names of the ConfigMaps and Secrets that something refers to."""
        return tuple(dict.fromkeys(key.name for key in self._noted))

    def use(self, obj: Data) -> DataUse:
        """Return how a ConfigMap or Secret of this file is read; nothing is in it where nobody does."""
        key = data_key(str(obj.get("kind")), namespace_of(obj), name_of(obj))
        key = key._replace(file=self._file)
        return self._listed[key] if self._listed.find(key) == key else _NOBODY

    def meant(self, key: Key) -> list[DataUse]:
        """Return what is known of the ConfigMaps or Secrets that a reference in this file means."""
        namesakes = self._listed.namesakes(key._replace(file=self._file))
        return [self._listed[near] for near in namesakes if near.namespace == key.namespace]

    def note_containers(self, obj: Data, containers: Iterable[Container]) -> None:
        """Note what containers of an object refer to."""
        if not self._fills_variables:
            return
        for container in containers:
            for reference in _references(namespace_of(obj), container):
                use = self._use_noted(reference.key)
                if reference.member:
                    use.keys[reference.member] = reference.variable
                else:
                    use.is_environment = True

    def note_flux(self, obj: Data) -> None:
        """Note the Secret that an object of Flux refers to; nothing for any other object."""
        name = text_at(obj, ("spec", "proxySecretRef", "name"))
        group, _ = group_kind(obj)
        if name and group.endswith(_FLUX_GROUP):
            use = self._use_noted(data_key("Secret", namespace_of(obj), name))
            use.is_proxy_of_flux = True

    def note_values(self, key: Key, member: str, chart: str, names: Texts) -> None:
        """Note a key from which a chart that gets the proxy takes values; ``names``: those that get it, or all."""
        self._use_noted(key).of_charts.setdefault(member, {})[chart] = names

    def note_release(self, key: Key, member: str, release: Data) -> None:
        """Note a key from which a HelmRelease takes values that count besides those that get the proxy."""
        use = self._use_noted(key)
        use.of_charts.setdefault(member, {})
        use.releases.append(release)

    def note_data(self, listed: Iterable[Object]) -> None:
        """Note the ConfigMaps and Secrets of the list, each with those that read it.

        The annotation of one may say that it stays as it is.
        """
        objects = {key_of(obj): obj.data for obj in listed}
        for key in objects:
            self._listed.add(key, DataUse())
        for key, noted in self._noted.items():
            for use in self.seen_from(key.file).meant(key):
                use.add(noted)
        for key, data in objects.items():
            if not is_refused(data):
                self._listed[key].read(data)

    def _use_noted(self, key: Key) -> DataUse:
        return self._noted.setdefault(key._replace(file=self._file), DataUse())


NO_USES = DataUses()
"""Those of a list of which nothing is known."""


def data_key(kind: str, namespace: str, name: str) -> Key:
    """Return the key of a ConfigMap or a Secret."""
    return Key("", kind, namespace, name)


def name_of(obj: Data) -> str:
    """Return the name of an object, "" for none."""
    return text_at(obj, ("metadata", "name"))


def namespace_of(obj: Data) -> str:
    """Return the namespace that an object names, "" for none."""
    return text_at(obj, ("metadata", "namespace"))


class _DataReference(NamedTuple):
    """An entry of ``env``, or of ``envFrom``: ``member`` and ``variable`` are "" there."""

    entry: Data
    key: Key
    member: str = ""
    variable: str = ""


def _references(namespace: str, container: Container) -> Iterator[_DataReference]:
    """Yield what a container takes from ConfigMaps and Secrets.

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
                key = data_key(kind, namespace, name)
                yield _DataReference(entry, key, member, variable.upper())
    for entry in list_at(container.fields, ("envFrom",)):
        for field, kind in _OF_ALL_KEYS.items():
            name = text_at(entry, (field, "name"))
            if name and not entry.get("prefix"):
                yield _DataReference(entry, data_key(kind, namespace, name))


def provided_for(uses: DataUses, obj: Data, container: Container) -> Provided:
    """Return what a container of an object gets from ConfigMaps and Secrets of the list."""
    entries = []
    sources = []
    names: set[str] = set()
    for reference in _references(namespace_of(obj), container):
        listed = [use.members for use in uses.meant(reference.key) if use.members is not None]
        if not listed:
            continue
        if reference.member:
            entries.append(reference.entry)
            names.add(reference.variable)
        else:
            sources.append(reference.entry)
            for member in PROXY_VARIABLES:
                if all(member in members for members in listed):
                    names.add(member.upper())
    return Provided(frozenset(names), tuple(entries), tuple(sources))
