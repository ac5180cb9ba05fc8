"""The parameters of a chart in an Application of Argo CD, as the values that they set.

Argo CD gives each one to Helm as ``--set name=value``, behind all other values. Sources: ``strvals`` of Helm for the
names (``env[0].name``, a backslash in front of a dot that belongs to a key; ``env.0`` is a key, too);
``util/helm/cmd.go`` of Argo CD, which escapes the commas of a value itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import NestedSites, Places, Variables
from krm_fn.engine import Draft
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup

_STEP = re.compile(r"\[([0-9]{1,5})\]|((?:\\.|[^.\[\]\\])+)")
_LARGEST_INDEX = 65_536
_MOST_LEVELS = 30
"""``MaxIndex`` and ``MaxNestedNameLevel`` of ``strvals``: Helm refuses what is beyond them."""

Steps = tuple[int | str, ...]
"""The way to a value: an ``int`` is an index, a ``str`` a key."""


class Parameters(NestedSites):
    """The places among the parameters of one chart.

    Args:
        parent: the data of the Application.
        path: leads to the list of parameters.
        sites: yields the sites in the draft of the values.
        wanted: the places that they read.
    """

    def __init__(
        self,
        parent: Draft,
        path: Pointer,
        sites: Callable[[Draft], Places],
        wanted: Collection[Pointer],
    ) -> None:
        self._parent = parent
        self._path = path
        self._sites = sites
        values = set_by(parent.get(path), wanted)
        self._before = dict(_leaves(values))
        self.draft = Draft(values)

    def sites(self) -> Places:
        """Yield the sites in the values."""
        return self._sites(self.draft)

    def read(self) -> Iterator[Reading]:
        """Yield what the sites set; each path leads to the parameters."""
        for site in self.sites():
            for reading in site.read():
                yield reading._replace(path=self._path)

    def commit(self, variables: Variables) -> bool:
        """Write the values that changed into the parameters; new ones are added at the end."""
        found = [finding._replace(path=self._path) for finding in self.draft.findings]
        self._parent.findings += dict.fromkeys(found)
        self.draft.findings.clear()
        after = dict(_leaves(self.draft.data))
        changed = {
            path for path in {**self._before, **after} if self._before.get(path) != after.get(path)
        }
        listed = []
        for one in self._parent.items(self._path) or []:
            path = _steps(one.get("name")) if isinstance(one, Mapping) else None
            if path not in changed:
                listed.append(one)
            elif path in after:
                listed.append({**one, "value": after.pop(path)})
        listed += [
            {"name": _name(path), "value": value}
            for path, value in after.items()
            if path in changed
        ]
        self._parent.set_items(self._path, listed)
        return True


def set_by(parameters: Any, wanted: Collection[Pointer]) -> dict[str, Any]:
    """Return the values that parameters set at some places, above and below them.

    All others, and those with a name that is not understood, are left out: nothing is built for them.
    """
    values: dict[str, Any] = {}
    for one in parameters if isinstance(parameters, list) else ():
        steps = _steps(lookup(one, ("name",)))
        if steps and any(_is_at(steps, place) for place in wanted):
            _put(values, steps, lookup(one, ("value",)))
    return values


def _steps(name: Any) -> Steps | None:
    """Return the path that a name means; None where it is not understood."""
    if not isinstance(name, str):
        return None
    steps: list[int | str] = []
    at = 0
    while at < len(name):
        found = _STEP.match(name, at)
        if found is None or len(steps) == _MOST_LEVELS:
            return None
        if found[1] is None:
            steps.append(re.sub(r"\\(.)", r"\1", found[2]))
        elif int(found[1]) <= _LARGEST_INDEX:
            steps.append(int(found[1]))
        else:
            return None
        at = found.end() + name.startswith(".", found.end())
    return tuple(steps)


def _is_at(steps: Steps, place: Pointer) -> bool:
    """Return whether a path leads to a place, above or below it.

    A list can be at the place itself: no proxy is in one further below.
    """
    shared = min(len(steps), len(place))
    if steps[:shared] != place[:shared]:
        return False
    return not any(isinstance(step, int) for step in steps[len(place) + 1 :])


def _put(holder: Any, steps: Steps, value: Any) -> None:
    """Set a value below a mapping or a list; what has another type gives way."""
    key: Any = steps[0]
    if isinstance(holder, list):
        holder += [None] * (key + 1 - len(holder))
    elif key not in holder:
        holder[key] = None
    if len(steps) == 1:
        holder[key] = value
        return
    empty: Any = [] if isinstance(steps[1], int) else {}
    if type(holder[key]) is not type(empty):
        holder[key] = empty
    _put(holder[key], steps[1:], value)


def _leaves(data: Any, path: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield the values in mappings and lists that are neither."""
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(data, dict):
        members = data.items()
    elif isinstance(data, list):
        members = enumerate(data)
    elif data is not None:
        yield path, data
    for step, member in members:
        yield from _leaves(member, (*path, step))


def _name(path: Steps) -> str:
    """Return the name that means a path."""
    name = ""
    for step in path:
        if isinstance(step, int):
            name += f"[{step}]"
        else:
            name += "." * bool(name) + re.sub(r"([.,\[\]\\=])", r"\\\1", step)
    return name
