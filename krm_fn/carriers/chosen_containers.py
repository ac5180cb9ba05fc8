"""What annotations say about which containers of a workload get the proxy, and which have got it.

Sources of the names that are not ours: ``kyverno-policies-connectivity`` of Giant Swarm, AKS ("HTTP
proxy support"), and OpenShift's cluster-version-operator (``lib/resourcebuilder/podspec.go``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup

ANNOTATION = "fn.inject-proxy.io/proxy"
"""``"true"``, ``"false"``, or the names of containers, separated by commas."""

WRITTEN = "fn.inject-proxy.io/proxy-containers"
"""The containers whose proxy variables the target ``workloads`` wrote (``Container.key``), separated by commas."""

LISTS = (ANNOTATION, "config.openshift.io/inject-proxy")
REFUSALS = {
    ANNOTATION: "false",
    "policies.kyverno.io/inject-proxy-env": "exclude",
    "kubernetes.azure.com/no-http-proxy-vars": "true",
}


class Wish(NamedTuple):
    """What the author of a workload says: nothing, all containers that the options name, or some by name."""

    is_wanted: bool = False
    names: tuple[str, ...] = ()


def is_refused(obj: Mapping[str, Any], at: Pointer) -> bool:
    """Return whether an annotation of an object, or of its pod template, says that it gets no proxy.

    Args:
        obj: a workload.
        at: leads to its pod specification.
    """
    return any(
        mapping.get(name) == value
        for mapping in _annotations(obj, at)
        for name, value in REFUSALS.items()
    )


def wish(obj: Mapping[str, Any], at: Pointer) -> Wish:
    """Return what the annotations of an object and of its pod template ask for; arguments as ``is_refused``."""
    is_wanted = False
    names: dict[str, None] = {}
    for mapping in _annotations(obj, at):
        for name in LISTS:
            text = mapping.get(name)
            if text == "true":
                is_wanted = True
            elif isinstance(text, str):
                names.update(dict.fromkeys(names_in(text)))
    return Wish(is_wanted, tuple(names))


def no_strings(obj: Mapping[str, Any], at: Pointer) -> Iterator[tuple[Pointer, Any]]:
    """Yield the annotations that say who gets the proxy and are no strings, such as `true` without quotes.

    The API server rejects them. A value that is not there, as in `name:`, is none of them. Arguments as ``is_refused``.
    """
    for path, mapping in _located_annotations(obj, at):
        for name in dict.fromkeys((*LISTS, *REFUSALS)):
            value = mapping.get(name)
            if value is not None and not isinstance(value, str):
                yield (*path, name), value


def written(obj: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the containers whose variables are ours, by the annotation of an earlier run."""
    text = lookup(obj, ("metadata", "annotations", WRITTEN))
    if not isinstance(text, str):
        return ()
    from urllib.parse import unquote  # noqa: PLC0415 -- few objects have this annotation

    return tuple(map(unquote, names_in(text)))


def noted(names: Iterable[str]) -> str:
    """Return the text of that annotation: a comma or a blank in a name, which the API server refuses, is encoded."""
    return ",".join(re.sub(r"[%,\s]", _encoded, name) for name in dict.fromkeys(names))


def _encoded(character: re.Match[str]) -> str:
    from urllib.parse import quote  # noqa: PLC0415 -- hardly any name has such a character

    return quote(character[0])


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a text that separates them by commas."""
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _annotations(obj: Mapping[str, Any], at: Pointer) -> Iterator[Mapping[str, Any]]:
    for _, found in _located_annotations(obj, at):
        yield found


def _located_annotations(
    obj: Mapping[str, Any], at: Pointer
) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    for above in dict.fromkeys((("metadata",), (*at[:-1], "metadata"))):
        path = (*above, "annotations")
        found = lookup(obj, path)
        if isinstance(found, Mapping):
            yield path, found
