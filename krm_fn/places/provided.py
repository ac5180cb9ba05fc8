"""The ConfigMaps and Secrets of a list from which others take a proxy, and what refers to them.

Containers read them by ``valueFrom`` and ``envFrom``, objects of Flux by ``proxySecretRef``; a HelmRelease takes values
of its chart from them by ``valuesFrom``. Only containers count that a target would write: nobody asked for the others.
An object is filled if it is in the list; whoever refers to one that is not there gets what its ``conflict`` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from krm_fn.krm.resourcelist import group_kind
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

DataKey = tuple[str, str, str]
"""Kind, namespace and name of a ConfigMap or Secret."""


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


class DataUses:
    """The ConfigMaps and Secrets of a list that are read as a proxy; nothing is in it at first.

    Args:
        fills_variables: the variables that objects refer to are filled; without it, only values of charts are noted.
        chart_sources: the objects of Flux that say which charts there are, and where.
    """

    def __init__(
        self, *, fills_variables: bool = True, chart_sources: ChartSources = NO_SOURCES
    ) -> None:
        self.chart_sources = chart_sources
        self._fills_variables = fills_variables
        self._uses: dict[DataKey, DataUse] = {}

    def seen_from(self, file: str) -> DataUses:
        """Return the same uses with the sources of charts that are nearest to a file."""
        if not self.chart_sources.urls:
            return self
        import copy  # noqa: PLC0415 -- few lists hold sources of charts

        uses = copy.copy(self)
        uses.chart_sources = self.chart_sources._replace(file=file)
        return uses

    @property
    def names(self) -> Texts:
        """The names of the ConfigMaps and Secrets that something refers to."""
        names = [name for _, _, name in self._uses]
        return tuple(dict.fromkeys(names))

    def use(self, key: DataKey) -> DataUse:
        """Return how a ConfigMap or Secret is read; nothing is in it where nobody does."""
        return self._uses.get(key, DataUse())

    def note_containers(self, obj: Data, containers: Iterable[Container]) -> None:
        """Note what containers of an object refer to."""
        if not self._fills_variables:
            return
        for container in containers:
            for reference in _references(namespace_of(obj), container):
                use = self._noted(reference.key)
                if reference.member:
                    use.keys[reference.member] = reference.variable
                else:
                    use.is_environment = True

    def note_flux(self, obj: Data) -> None:
        """Note the Secret that an object of Flux refers to; nothing for any other object."""
        name = text_at(obj, ("spec", "proxySecretRef", "name"))
        group, _ = group_kind(obj)
        if name and group.endswith(_FLUX_GROUP):
            use = self._noted(("Secret", namespace_of(obj), name))
            use.is_proxy_of_flux = True

    def note_values(self, key: DataKey, member: str, chart: str, names: Texts) -> None:
        """Note a key from which a chart that gets the proxy takes values; ``names``: those that get it, or all."""
        self._noted(key).of_charts.setdefault(member, {})[chart] = names

    def note_release(self, key: DataKey, member: str, release: Data) -> None:
        """Note a key from which a HelmRelease takes values that count besides those that get the proxy."""
        use = self._noted(key)
        use.of_charts.setdefault(member, {})
        use.releases.append(release)

    def note_data(self, obj: Data) -> None:
        """Note that a ConfigMap or Secret is in the list, unless its annotation says that it stays as it is."""
        key = data_key(obj)
        if key not in self._uses or is_refused(obj):
            return
        from krm_fn.formats import embedded  # noqa: PLC0415 -- few lists have any

        use = self._uses[key]
        members = set()
        for text in embedded.values(obj):
            member = text.path[-1]
            members.add(member)
            if member not in use.of_charts:
                continue
            for document in embedded.mappings(text):
                use.values.setdefault(member, document.data)
        use.members = frozenset(members)

    def _noted(self, key: DataKey) -> DataUse:
        return self._uses.setdefault(key, DataUse())


NO_USES = DataUses()
"""Those of a list of which nothing is known."""


def data_key(obj: Data) -> DataKey:
    """Return the kind, the namespace and the name of an object."""
    kind = str(obj.get("kind"))
    return kind, namespace_of(obj), name_of(obj)


def name_of(obj: Data) -> str:
    """Return the name of an object, "" for none."""
    return text_at(obj, ("metadata", "name"))


def namespace_of(obj: Data) -> str:
    """Return the namespace that an object names, "" for none."""
    return text_at(obj, ("metadata", "namespace"))


class _DataReference(NamedTuple):
    """An entry of ``env``, or of ``envFrom``: ``member`` and ``variable`` are "" there."""

    entry: Data
    key: DataKey
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
                yield _DataReference(entry, (kind, namespace, name), member, variable.upper())
    for entry in list_at(container.fields, ("envFrom",)):
        for field, kind in _OF_ALL_KEYS.items():
            name = text_at(entry, (field, "name"))
            if name and not entry.get("prefix"):
                yield _DataReference(entry, (kind, namespace, name))


def provided_for(uses: DataUses, obj: Data, container: Container) -> Provided:
    """Return what a container of an object gets from ConfigMaps and Secrets of the list."""
    entries = []
    sources = []
    names: set[str] = set()
    for reference in _references(namespace_of(obj), container):
        members = uses.use(reference.key).members
        if members is None:
            continue
        if reference.member:
            entries.append(reference.entry)
            names.add(reference.variable)
        else:
            sources.append(reference.entry)
            for member in members.intersection(PROXY_VARIABLES):
                names.add(member.upper())
    return Provided(frozenset(names), tuple(entries), tuple(sources))
