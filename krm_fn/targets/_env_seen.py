"""What the environment of a container sets, as the program in it reads it.

It looks, and proposes nothing. Of a repeated name the last entry counts, as in the kubelet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.formats.escaping import read_kubernetes_env
from krm_fn.targets._env import Container, name_of

_SOURCES = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}


def observe(container: Container) -> Iterator[Reading]:
    """The proxy variables that ``env`` of a container sets; nothing where it is no list."""
    env = container.fields.get("env")
    last = {name_of(item): index for index, item in enumerate(env if isinstance(env, list) else ())}
    for name, index in last.items():
        if name is not None and isinstance(env, list):
            place = f'{"init container" if "initContainers" in container.path else "container"} "{container.name}"'
            path = (*container.path, "env", str(index))
            yield of_entry(Reading(name, None, path, "", place), env[index])


def of_entry(blank: Reading, entry: Mapping[str, Any]) -> Reading:
    """``blank``, whose ``path`` leads to an entry of ``env``, with what that entry gives the variable."""
    value = entry.get("value")
    if entry.get("valueFrom") is not None:
        return _filled(blank, "valueFrom", None, "", source_of(entry["valueFrom"]))
    if value is None:
        return Reading(blank.variable, "", blank.path, "", blank.place)
    if not isinstance(value, str):
        return _filled(blank, "value", None, str(value), "its `value` must be a string")
    read = read_kubernetes_env(value)
    return _filled(
        blank, "value", read, value, "" if read is not None else "it refers to another variable"
    )


def source_of(value_from: Any) -> str:
    """Where a ``valueFrom`` takes the value from, as the end of a sentence."""
    for key, kind in _SOURCES.items():
        source = value_from.get(key) if isinstance(value_from, Mapping) else None
        if isinstance(source, Mapping):
            return (
                f'it comes from the key "{source.get("key")}" of the {kind} "{source.get("name")}"'
            )
    return "it comes from a `valueFrom`"


def _filled(blank: Reading, key: str, value: str | None, raw: str, why: str) -> Reading:
    return Reading(blank.variable, value, (*blank.path, key), raw, blank.place, why)
