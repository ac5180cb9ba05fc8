"""What in an object refers to ConfigMaps and Secrets from which it takes a proxy.

Containers read them by ``valueFrom`` and ``envFrom``, objects of Flux by ``proxySecretRef``, rules of
Kyverno by ``context``; a HelmRelease takes values of its chart from them by ``valuesFrom``. Only containers count
that a target would write: the others are nobody's wish.

Sources: ``EnvVarSource`` and ``EnvFromSource`` of the Kubernetes API, core/v1;
``spec.proxySecretRef`` of ``source.toolkit.fluxcd.io``, ``image.toolkit.fluxcd.io`` and
``notification.toolkit.fluxcd.io``; ``configMap`` of a ``ContextEntry`` of Kyverno, which takes the
namespace of a Policy, or ``default``, where it names none (``pkg/engine/context/loaders/configmap.go``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from krm_fn.carriers import chosen_containers
from krm_fn.carriers.data_uses import DataKey, DataUse, DataUses, KeyOfData, data_key, namespace_of
from krm_fn.carriers.env_list import Provided, variable_of
from krm_fn.carriers.pod_spec import Container
from krm_fn.clusters import NO_SOURCES, ChartSources
from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.light_typing import Any
from krm_fn.patch import lookup, text_at
from krm_fn.settings import PROXY_VARIABLES

_KEY_REFERENCES = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
_WHOLE_REFERENCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}
_FLUX_GROUP = ".toolkit.fluxcd.io"


class DataUsesReader:
    """Reads what the objects of a list refer to; ``found`` has what was read so far.

    Args:
        fills_variables: the variables that they refer to are filled; without it, only values of charts are noted.
        chart_sources: those of the list.
    """

    def __init__(
        self, *, fills_variables: bool = True, chart_sources: ChartSources = NO_SOURCES
    ) -> None:
        self._fills_variables = fills_variables
        self._uses: dict[DataKey, DataUse] = {}
        self._members: dict[DataKey, frozenset[str]] = {}
        self._values: dict[tuple[DataKey, str], Mapping[str, Any]] = {}
        self.found = DataUses(self._uses, self._members, self._values, chart_sources)

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

    def note_release(self, key: DataKey, member: str, release: Mapping[str, Any]) -> None:
        """Note a key from which a HelmRelease takes values that count besides those that get the proxy."""
        use = self._uses.setdefault(key, DataUse())
        use.of_charts.setdefault(member, {})
        use.releases.append(release)

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


def provided_for(uses: DataUses, obj: Mapping[str, Any], container: Container) -> Provided:
    """Return what a container of an object gets from ConfigMaps and Secrets of the list."""
    namespace = namespace_of(obj)
    entries = []
    names: set[str] = set()
    for entry in _list(container, "env"):
        found = _reference(namespace, entry)
        if found and found[0] in uses.members:
            entries.append(entry)
            names.add(found[2])
    sources = []
    for source in _list(container, "envFrom"):
        key = _whole_reference(namespace, source)
        if key is None or key not in uses.members:
            continue
        sources.append(source)
        for member in uses.members[key]:
            if member in PROXY_VARIABLES:
                names.add(member.upper())
    return Provided(frozenset(names), tuple(entries), tuple(sources))


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
