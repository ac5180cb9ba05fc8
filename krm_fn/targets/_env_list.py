"""A list of environment variables among Helm values: what a chart hands on to the containers it renders.

It edits the entries of the six names in one list, and nothing else. It adds upper-case names
only, as cluster-apps-operator does; lower-case ones are kept up to date where they are there.

Source: ``giantswarm/cluster-apps-operator``, ``service/controller/resource/clustersecret/desired.go``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from krm_fn.carriers import env_list
from krm_fn.carriers.reading import Reading
from krm_fn.engine.member_edits import MemberEdits
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.results import Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import ListEdit, Pointer, add, lookup
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

_NEW = ("NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY")
"""What is added, in the order of cluster-apps-operator."""


def edit(data: Any, path: Pointer, settings: ProxySettings) -> MemberEdits | Finding:
    """What the list at ``path`` of ``data`` lacks or has too much; a list that is not there is made."""
    entries = lookup(data, path)
    if entries is not None and not isinstance(entries, list):
        return wrong_type(path, entries, "a list")
    new = {
        name: _entry(name, kubernetes_env(value)) for name, value in settings.variables().items()
    }
    listed, old = ListEdit(path, entries), _by_name(entries or ())
    for index, entry in enumerate(entries or ()):
        name = _name(entry)
        if name and (name not in new or index != old[name][0]):
            listed.removed.add(index)
        elif name and entry != new[name]:
            listed.replaced[index] = new[name]
    added = [name for name in _NEW if name in new and name not in old]
    names = [
        _name(entry) for index, entry in enumerate(entries or ()) if index not in listed.removed
    ]
    inside = [name for name in added if _followers(name, names)]
    listed.appended += [new[name] for name in added if name not in inside]
    operations = listed.operations()
    for name in inside:
        place = min(map(names.index, _followers(name, names)))
        names.insert(place, name)
        operations.append(add(*path, place, value=new[name]))
    sets = [*(_name(entry) for entry in listed.replaced.values()), *added]
    gone = [name for name in old if name not in new]
    return MemberEdits(
        tuple(operations),
        _message(sets, gone, path),
        _lines(old[name][1] for name in (*sets, *gone) if name in old),
        _lines(new[name] for name in sets),
    )


def _followers(name: str, names: Sequence[str]) -> list[str]:
    """Those of the names in front of which a new one stands: so one that went and comes back is in its place."""
    return [other for other in _NEW[_NEW.index(name) + 1 :] if other in names]


def is_there(data: Any, path: Pointer) -> bool:
    """Whether the list at ``path`` sets one of the six names."""
    entries = lookup(data, path)
    return isinstance(entries, list) and any(map(_name, entries))


def seen(data: Any, path: Pointer, what: str, text: Pointer = ()) -> Iterator[Reading]:
    """What the list sets, the last of repeated names.

    An upper-case name alone counts for both cases: what takes such a list (external-dns-app) is written in Go, which
    reads either.

    Args:
        data: an object, or a document inside one.
        path: where the list stands in it.
        what: the list in one phrase.
        text: where the text stands that ``data`` was read from; () if ``data`` is the object itself.
    """
    entries = lookup(data, path)
    last = {
        _name(entry): index
        for index, entry in enumerate(entries if isinstance(entries, list) else ())
    }
    for name, index in last.items():
        if name:
            one = env_list.read_entry(
                Reading(name, None, (*path, str(index)), "", what), entries[index]
            )
            for variable in (name,) if name.lower() in last else (name, name.lower()):
                yield replace(one, variable=variable, path=text or one.path)


def _name(entry: Any) -> str:
    """The one of the six names that an entry sets; "" for none."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return name if isinstance(name, str) and name in PROXY_VARIABLES else ""


def _by_name(entries: Sequence[Any]) -> dict[str, tuple[int, Any]]:
    """Name -> where it stands first, and the entry."""
    found: dict[str, tuple[int, Any]] = {}
    for index, entry in enumerate(entries):
        if name := _name(entry):
            found.setdefault(name, (index, entry))
    return found


def _entry(name: str, value: str) -> dict[str, str]:
    return {"name": name, "value": value}


def _message(sets: list[str], gone: list[str], path: Pointer) -> str:
    parts = [
        (verb, ", ".join(f"`{name}`" for name in names))
        for verb, names in (("sets", sets), ("removes", gone))
    ]
    said = (
        " and ".join(f"{verb} {names}" for verb, names in parts if names)
        or "removes what stands there twice"
    )
    return f"{said} of `{'.'.join(path)}`"


def _lines(entries: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(f"{entry['name']}={entry.get('value', '')}" for entry in entries)
