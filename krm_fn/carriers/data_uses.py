"""Which ConfigMaps and Secrets of a list hold a proxy for others, and under which keys.

Containers read them by ``valueFrom`` and ``envFrom``, objects of Flux by ``proxySecretRef``, rules of
Kyverno by ``context``; a HelmRelease takes values of its chart from them by ``valuesFrom``. Only containers count
that a target would write: the others are nobody's wish. An object is filled if it is in the list; whoever refers to one
that is not there gets what its ``conflict`` says.

Sources: ``EnvVarSource`` and ``EnvFromSource`` of the Kubernetes API, core/v1;
``spec.proxySecretRef`` of ``source.toolkit.fluxcd.io``, ``image.toolkit.fluxcd.io`` and
``notification.toolkit.fluxcd.io``; ``configMap`` of a ``ContextEntry`` of Kyverno, which takes the
namespace of a Policy, or ``default``, where it names none (``pkg/engine/context/loaders/configmap.go``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from krm_fn.carriers import chosen_containers
from krm_fn.carriers.env_list import Provided, variable_of
from krm_fn.carriers.pod_spec import Container
from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.named_tuple import NamedTuple
from krm_fn.patch import lookup, text_at
from krm_fn.settings import PROXY_VARIABLES

DataKey = tuple[str, str, str]
"""Kind, namespace and name of a ConfigMap or Secret."""

KeyOfData = tuple[DataKey, str, str]
"""A ConfigMap or Secret, one of its keys, and the variable in upper case that takes its value from the key."""

_KEY_REFERENCES = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
_WHOLE_REFERENCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}
_FLUX_GROUP = ".toolkit.fluxcd.io"


class DataUse:
    """How one ConfigMap or Secret is read.

    Attributes:
        keys: key -> variable in upper case, for ``valueFrom``.
        is_environment: its keys are variables of a container, for ``envFrom``.
        is_proxy_of_flux: Flux reads ``address``, ``username`` and ``password``.
        of_policies: key -> variables in upper case, each once, for rules of Kyverno.
        of_charts: key -> the charts that get the proxy and take values from it, with the names of these values.
    """

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        self.of_policies: dict[str, dict[str, None]] = {}
        self.of_charts: dict[str, dict[str, tuple[str, ...]]] = {}
        self.is_environment = False
        self.is_proxy_of_flux = False


class DataUses(NamedTuple):
    """The ConfigMaps and Secrets of a list that are read as a proxy.

    Attributes:
        uses: how each one that something refers to is read.
        members: the keys of those of them that are in the list.
        values: what is in the text under a key from which charts take values.
    """

    uses: Mapping[DataKey, DataUse] = MappingProxyType({})
    members: Mapping[DataKey, frozenset[str]] = MappingProxyType({})
    values: Mapping[tuple[DataKey, str], Mapping[str, Any]] = MappingProxyType({})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the ConfigMaps and Secrets that something refers to."""
        return tuple(dict.fromkeys(name for _, _, name in self.uses))

    def fills(self, key: DataKey, member: str) -> bool:
        """Return whether a ConfigMap or Secret is in the list, and one of its keys is read as a proxy."""
        use = self.uses.get(key)
        return key in self.members and use is not None and member in {*use.keys, *use.of_policies}

    def differs_from(self, other: DataUses) -> bool:
        """Return whether something else is read, or something else is in the list."""
        own, others = ({key: vars(use) for key, use in one.uses.items()} for one in (self, other))
        return (own, self.members, self.values) != (others, other.members, other.values)

    def use(self, obj: Mapping[str, Any]) -> DataUse:
        """Return how a ConfigMap or Secret is read; nothing is in it where nobody does."""
        return self.uses.get(data_key(obj), DataUse())

    def provided(self, obj: Mapping[str, Any], container: Container) -> Provided:
        """Return what a container of an object gets from ConfigMaps and Secrets of the list."""
        namespace = namespace_of(obj)
        entries = []
        names: set[str] = set()
        for entry in _list(container, "env"):
            found = _reference(namespace, entry)
            if found and found[0] in self.members:
                entries.append(entry)
                names.add(found[2])
        sources = []
        for source in _list(container, "envFrom"):
            key = _whole_reference(namespace, source)
            if key is None or key not in self.members:
                continue
            sources.append(source)
            for member in self.members[key]:
                if member in PROXY_VARIABLES:
                    names.add(member.upper())
        return Provided(frozenset(names), tuple(entries), tuple(sources))


class DataUsesReader:
    """Reads what the objects of a list refer to; ``found`` has what was read so far.

    Args:
        fills_variables: the variables that they refer to are filled; without it, only values of charts are noted.
    """

    def __init__(self, *, fills_variables: bool = True) -> None:
        self._fills_variables = fills_variables
        self._uses: dict[DataKey, DataUse] = {}
        self._members: dict[DataKey, frozenset[str]] = {}
        self._values: dict[tuple[DataKey, str], Mapping[str, Any]] = {}
        self.found = DataUses(self._uses, self._members, self._values)

    def note_containers(self, obj: Mapping[str, Any], containers: Iterable[Container]) -> None:
        """Note what containers of an object refer to."""
        if not self._fills_variables:
            return
        namespace = namespace_of(obj)
        for container in containers:
            for entry in _list(container, "env"):
                found = _reference(namespace, entry)
                if found:
                    key, member, variable = found
                    self._uses.setdefault(key, DataUse()).keys[member] = variable
            for source in _list(container, "envFrom"):
                key_of_all = _whole_reference(namespace, source)
                if key_of_all:
                    self._uses.setdefault(key_of_all, DataUse()).is_environment = True

    def note_flux(self, obj: Mapping[str, Any]) -> None:
        """Note the Secret that an object of Flux refers to; nothing for any other object."""
        group, _ = group_kind(obj)
        name = text_at(obj, ("spec", "proxySecretRef", "name"))
        if group.endswith(_FLUX_GROUP) and name:
            key = ("Secret", namespace_of(obj), name)
            self._uses.setdefault(key, DataUse()).is_proxy_of_flux = True

    def note_keys(self, keys: Iterable[KeyOfData]) -> None:
        """Note keys from which policies take a proxy."""
        for key, member, variable in keys:
            use = self._uses.setdefault(key, DataUse())
            use.of_policies.setdefault(member, {})[variable] = None

    def note_values(self, key: DataKey, member: str, chart: str, names: tuple[str, ...]) -> None:
        """Note a key from which a chart that gets the proxy takes values; ``names``: those that get it, or all."""
        self._uses.setdefault(key, DataUse()).of_charts.setdefault(member, {})[chart] = names

    def note_data(self, obj: Mapping[str, Any]) -> None:
        """Note that a ConfigMap or Secret is in the list, unless its annotation says that it stays as it is."""
        key = data_key(obj)
        if key in self._uses and not chosen_containers.is_refused(obj, ("spec",)):
            members = [lookup(obj, (name,)) for name in ("data", "stringData")]
            names = {
                str(one) for mapping in members if isinstance(mapping, dict) for one in mapping
            }
            self._members[key] = frozenset(names)
            self._note_texts(obj, key)

    def _note_texts(self, obj: Mapping[str, Any], key: DataKey) -> None:
        """Note what is in the texts from which charts take values."""
        members = self._uses[key].of_charts
        for text in embedded.values(obj) if members else ():
            if isinstance(text, embedded.Value) and text.path[-1] in members:
                for document in embedded.mappings(text):
                    self._values.setdefault((key, text.path[-1]), document.data)


def data_key(obj: Mapping[str, Any]) -> DataKey:
    """Return the kind, the namespace and the name of an object."""
    return str(obj.get("kind")), namespace_of(obj), text_at(obj, ("metadata", "name"))


def namespace_of(obj: Mapping[str, Any]) -> str:
    """Return the namespace that an object names, "" for none."""
    return text_at(obj, ("metadata", "namespace"))


def _reference(namespace: str, entry: Any) -> tuple[DataKey, str, str] | None:
    """Return the object, the key in it and the variable of an entry of ``env`` that takes its value from a key.

    The name of the key must say that it holds this variable: a key ``url`` may be read as something else elsewhere.
    """
    variable = variable_of(entry)
    for name, kind in _KEY_REFERENCES.items():
        source = lookup(entry, ("valueFrom", name)) if variable else None
        if not isinstance(source, Mapping) or variable is None:
            continue
        key, member = source.get("name"), source.get("key")
        if isinstance(key, str) and isinstance(member, str):
            letters = re.sub(r"[^a-z]", "", member.lower())
            if letters.endswith(variable.lower().replace("_", "")):
                return (kind, namespace, key), member, variable.upper()
    return None


def _whole_reference(namespace: str, source: Any) -> DataKey | None:
    """Return the object all of whose keys an entry of ``envFrom`` reads; None for one with a ``prefix``."""
    if not isinstance(source, Mapping) or source.get("prefix"):
        return None
    for name, kind in _WHOLE_REFERENCES.items():
        key = text_at(source, (name, "name"))
        if key:
            return kind, namespace, key
    return None


def _list(container: Container, name: str) -> list[Any]:
    value = container.fields.get(name)
    return value if isinstance(value, list) else []
