"""Which ConfigMaps and Secrets of a list hold a proxy for others, and under which keys.

An object is filled if it is in the list; whoever refers to one that is not there gets what its ``conflict`` says. What
refers to them is read by ``data_references``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from krm_fn.clusters import NO_SOURCES, ChartSources
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import text_at

DataKey = tuple[str, str, str]
"""Kind, namespace and name of a ConfigMap or Secret."""

KeyOfData = tuple[DataKey, str, str]
"""A ConfigMap or Secret, one of its keys, and the variable in upper case that takes its value from the key."""


class DataUse:
    """How one ConfigMap or Secret is read.

    Attributes:
        keys: key -> variable in upper case, for ``valueFrom``.
        is_environment: its keys are variables of a container, for ``envFrom``.
        is_proxy_of_flux: Flux reads ``address``, ``username`` and ``password``.
        of_policies: key -> variables in upper case, each once, for rules of Kyverno.
        of_charts: key -> the charts that get the proxy and take values from it, with the names of these values.
        releases: the HelmReleases with such a chart of which more values count than those that get the proxy.
    """

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        self.of_policies: dict[str, dict[str, None]] = {}
        self.of_charts: dict[str, dict[str, tuple[str, ...]]] = {}
        self.releases: list[Mapping[str, Any]] = []
        self.is_environment = False
        self.is_proxy_of_flux = False


class DataUses(NamedTuple):
    """The ConfigMaps and Secrets of a list that are read as a proxy.

    Attributes:
        uses: how each one that something refers to is read.
        members: the keys of those of them that are in the list.
        values: what is in the text under a key from which charts take values.
        chart_sources: the objects of Flux that say which charts there are, and where.
    """

    uses: Mapping[DataKey, DataUse] = MappingProxyType({})
    members: Mapping[DataKey, frozenset[str]] = MappingProxyType({})
    values: Mapping[tuple[DataKey, str], Mapping[str, Any]] = MappingProxyType({})
    chart_sources: ChartSources = NO_SOURCES

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the ConfigMaps and Secrets that something refers to."""
        return tuple(dict.fromkeys(name for _, _, name in self.uses))

    def fills(self, key: DataKey, member: str) -> bool:
        """Return whether a ConfigMap or Secret is in the list, and one of its keys is read as a proxy."""
        use = self.uses.get(key)
        return key in self.members and use is not None and member in {*use.keys, *use.of_policies}

    def differs_from(self, other: DataUses) -> bool:
        """Return whether something else is read, or another ConfigMap or Secret is in the list."""
        own, others = ({key: vars(use) for key, use in one.uses.items()} for one in (self, other))
        rest = (self.members, self.values)
        return own != others or rest != (other.members, other.values)

    def use(self, obj: Mapping[str, Any]) -> DataUse:
        """Return how a ConfigMap or Secret is read; nothing is in it where nobody does."""
        return self.uses.get(data_key(obj), DataUse())


NO_USES = DataUses()
"""Those of a list of which nothing is known."""


def data_key(obj: Mapping[str, Any]) -> DataKey:
    """Return the kind, the namespace and the name of an object."""
    return str(obj.get("kind")), namespace_of(obj), text_at(obj, ("metadata", "name"))


def namespace_of(obj: Mapping[str, Any]) -> str:
    """Return the namespace that an object names, "" for none."""
    return text_at(obj, ("metadata", "namespace"))
