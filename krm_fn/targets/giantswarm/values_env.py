"""A list of environment variables among Helm values, which a chart gives to its containers.

Only entries of the six names are edited. Upper-case names only are added, as cluster-apps-operator
does; lower-case ones are kept up to date where they are there.

Source: ``giantswarm/cluster-apps-operator``,
``service/controller/resource/clustersecret/desired.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.carriers.env_list import read_entry, variable_of
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables
from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup

_ADDED = ("NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY")
"""What is added, in the order of cluster-apps-operator."""


class ValuesEnv:
    """A list of environment variables in values, as a site; a list that is not there is created.

    Args:
        draft: the data of an object, or of a document inside one.
        path: leads to the list.
    """

    def __init__(self, draft: Draft, path: Pointer) -> None:
        self._draft = draft
        self._path = path
        self.label = f"`{path[-1]}`"

    def read(self) -> Iterator[Reading]:
        """Yield what the list sets, the last of repeated names.

        An upper-case name alone counts for both cases: what takes such a list (external-dns-app) is
        written in Go, which reads either.
        """
        entries = self._draft.get(self._path)
        if not isinstance(entries, list):
            return
        last = {variable_of(entry): index for index, entry in enumerate(entries)}
        for name, index in last.items():
            if name is None:
                continue
            blank = Reading(name, None, (*self._path, str(index)), "", self.label, member=name)
            reading = read_entry(blank, entries[index])
            yield reading
            if name.lower() not in last:
                yield reading._replace(variable=name.lower())

    def write(self, variables: Variables) -> None:
        """Correct the first entry of each variable, remove the others, and add what is missing.

        Upper-case names only are added.

        Raises:
            WrongTypeError: something else than a list is there, or no mapping on the way.
        """
        old = self._draft.items(self._path) or []
        wanted = {name: _entry(name, value) for name, value in variables.items()}
        done: set[str] = set()
        entries: list[Any] = []
        for entry in old:
            name = variable_of(entry)
            if name is None:
                entries.append(entry)
            elif name in wanted and name not in done:
                entries.append(wanted[name])
                done.add(name)
        missing = [name for name in _ADDED if name in wanted and name not in done]
        _insert(entries, missing, wanted)
        if entries == old:
            return
        keep = len(self._path) - 1
        if entries:
            self._draft.set(self._path, entries, keep=keep)
        else:
            self._draft.remove(self._path, keep=keep)


def has_variables(data: Any, path: Pointer) -> bool:
    """Return whether the list at ``path`` of plain data sets one of the six names."""
    entries = lookup(data, path)
    return isinstance(entries, list) and any(map(variable_of, entries))


def _entry(name: str, value: str) -> dict[str, str]:
    return {"name": name, "value": kubernetes_env(value)}


def _insert(
    entries: list[Any], missing: Sequence[str], wanted: Mapping[str, Mapping[str, str]]
) -> None:
    """Insert entries in front of those that follow them in our order, or else at the end.

    So one that was removed and comes back is in its place again.
    """
    at_end = []
    for name in missing:
        followers = _ADDED[_ADDED.index(name) + 1 :]
        places = [index for index, entry in enumerate(entries) if variable_of(entry) in followers]
        if places:
            entries.insert(places[0], wanted[name])
        else:
            at_end.append(wanted[name])
    entries += at_end
