"""The objects that a command line names as KIND/NAME, as kubectl has it."""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.errors import UsageError
from krm_fn.krm.resourcelist import Object
from krm_fn.near_names import did_you_mean


def named_objects(
    names: Iterable[str], namespace: str | None, known: Iterable[Object], called: str
) -> list[Object]:
    """Return the objects of some names; of several files if they are in one namespace.

    Args:
        names: KIND/NAME, in letters of any case.
        namespace: that of the objects; None for any.
        known: the objects that can be named.
        called: the kind of these objects, in words.

    Raises:
        UsageError: no object has a name, or several of different namespaces have it.
    """
    by_name: dict[str, list[Object]] = {}
    for obj in known:
        by_name.setdefault(f"{obj.ref.kind}/{obj.ref.name}".lower(), []).append(obj)
    named: list[Object] = []
    for name in names:
        objects = by_name.get(name.lower(), [])
        if not objects:
            meant = did_you_mean(name, by_name) or "; KIND/NAME is such as `deployment/web`"
            raise UsageError(f'no {called} is "{name}"{meant}')
        meant_objects = [obj for obj in objects if namespace in (None, obj.ref.namespace)]
        namespaces = {obj.ref.namespace or '""' for obj in meant_objects or objects}
        if not meant_objects or len(namespaces) > 1:
            raise UsageError(
                f'"{name}" is in {", ".join(sorted(namespaces))}: `-n NAMESPACE` says which'
            )
        named += meant_objects
    return named
