"""Read ``spec.targets`` and ``spec.only``: which targets are off, and the options of each system, as written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import list_at, lookup
from krm_fn.products.node_kinds import FILES_ON_REQUEST
from krm_fn.target_table import ROWS, SYSTEMS, part_of, system_of

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_DISTRIBUTIONS = "distributions"
_NODE_FILES = ("environment", "profile", "apt", "zypper", "docker")
"""What the option ``files`` of ``nodes`` may name."""
REMOVED = "removed"
"""Member of the options of ``workloads`` for objects that are to have no proxy: each ``WrittenProxy``, which goes."""


class WrittenProxy(NamedTuple):
    """A proxy that a ProxyConfig, or an override of it, writes into the environment of a container.

    Attributes:
        http: the URL for ``http://``, "" for none.
        https: the URL for ``https://``, "" for none.
        has_list: whether a list is written beside it.
    """

    http: str
    https: str
    has_list: bool


class TargetOptions(NamedTuple):
    """The options of all targets.

    Attributes:
        systems: key of ``spec.targets`` -> the mapping that is given for it.
        off: the IDs of the targets that are switched off.
    """

    systems: Mapping[str, Mapping[str, Any]] = _NOTHING
    off: frozenset[str] = frozenset()

    def is_on(self, target_id: str) -> bool:
        """Return whether a target is not switched off."""
        return target_id not in self.off

    def of(self, target_id: str) -> Mapping[str, Any]:
        """Return the options of the system of a target."""
        return self.systems.get(system_of(target_id), _NOTHING)

    def given_for(self, target_id: str) -> Any:
        """Return the value of the part of a target, or all options of its system."""
        part = part_of(target_id)
        options = self.of(target_id)
        return options.get(part) if part else options

    def names(self, target_id: str) -> bool:
        """Return whether something is given for a target itself, or its objects are asked for."""
        return bool(self.given_for(target_id)) or self.generates(target_id)

    def generates(self, target_id: str) -> bool:
        """Return whether the option ``generate`` asks for the objects of a target."""
        wanted = self.of(target_id).get("generate") or ()
        return wanted is True or part_of(target_id) in wanted

    def removing(self, proxies: Collection[WrittenProxy]) -> TargetOptions:
        """Return the options with which these proxies go from workloads that are to have none."""
        workloads = {**self.systems.get("workloads", {}), REMOVED: proxies}
        return self._replace(systems={**self.systems, "workloads": workloads})

    def with_all_on(self) -> TargetOptions:
        """Return the options with which every target is on, and replaces the values of others."""
        systems = {}
        for system in SYSTEMS:
            systems[system] = {**self.systems.get(system, {}), "conflict": "Override"}
        systems[_DISTRIBUTIONS] = {part_of(name): True for name in SYSTEMS[_DISTRIBUTIONS]}
        systems["nodes"]["files"] = [*_NODE_FILES]
        return TargetOptions(systems)


def target_options(spec: Any) -> TargetOptions:
    """Return the options that a ``spec`` without mistakes gives."""
    given = spec.get("targets", {})
    systems = {system: options for system, options in given.items() if isinstance(options, dict)}
    only = list_at(spec, ("only",))
    off = set()
    for name in ROWS:
        is_named = not only or name in only or system_of(name) in only
        if not is_named or is_switched_off(spec, name):
            off.add(name)
    for name in only:
        is_part = name in ROWS and system_of(name) == _DISTRIBUTIONS
        if is_part:  # to name it is to ask for it
            systems[_DISTRIBUTIONS] = {part_of(name): True, **systems.get(_DISTRIBUTIONS, {})}
    return TargetOptions(systems, frozenset(off))


def is_switched_off(spec: Any, target_id: str) -> bool:
    """Return whether ``spec.targets``, which may be wrong, says no to a target, or does not ask for one on request."""
    system = system_of(target_id)
    if lookup(spec, ("targets", system)) is False:
        return True
    given = lookup(spec, ("targets", system, part_of(target_id)))
    return given is False or (target_id == FILES_ON_REQUEST and not given)


def exports_variables(nodes: Mapping[str, Any]) -> bool:
    """Return whether the options of ``nodes`` leave the commands that export the variables."""
    commands = nodes.get("commands")
    return commands is not False and lookup(commands, ("exports",), True) is True


def names_of_only() -> tuple[str, ...]:
    """Return every name that ``spec.only`` may hold: systems, which are names for several targets, then targets."""
    return tuple(dict.fromkeys((*SYSTEMS, *ROWS)))
