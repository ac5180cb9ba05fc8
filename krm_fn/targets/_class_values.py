"""The variable of one Cluster: its value for all nodes, and for those groups of workers that differ.

It is written where the class, or the Cluster as a whole, says something else, and where it names a Secret with a hash;
else it goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from krm_fn.carriers import systemd_secret
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.patch import Pointer, lookup, replace
from krm_fn.settings import ProxySettings
from krm_fn.targets._around import TargetContext
from krm_fn.targets._class_templates import VARIABLE
from krm_fn.targets._class_variable import SECRET, has_proxy, units_in_secret, value_of
from krm_fn.targets._cluster_variables import (
    VARIABLES,
    appended,
    class_of,
    in_turn,
    lists,
    named,
    without,
)

_GROUP = 5
"""So many steps lead to a group of workers: ``spec.topology.workers.<section>.<index>``."""


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, around: TargetContext
) -> Iterator[Change | Finding]:
    """Yield what the variables of a Cluster lack or have too much; ``settings`` are those of its control plane."""
    if not around.is_known:
        if settings.variables():
            message = (
                f'its ClusterClass "{class_of(obj)}" must be in the list, so that it can be patched and this Cluster '
                "can be given what it needs: add it, or set `spec.targets.clusterClass.sharedTemplates` to `Union`"
            )
            yield Finding(Severity.WARNING, message, ("spec", "topology"), code="ClassNotInList")
        return
    if particular := _particular(obj, settings, around):
        yield particular
        return
    yield from in_turn(
        obj,
        (
            partial(_edited, path=path, wanted=wanted)
            for path, wanted in _wanted(obj, settings, around)
        ),
    )


def _particular(
    obj: Mapping[str, Any], settings: ProxySettings, around: TargetContext
) -> Finding | None:
    """What is wrong where the Secret of a Cluster would have to hold several proxies."""
    if not (around.is_wanted and units_in_secret(around) and has_proxy(settings)):
        return None
    for path in lists(obj):
        group = _group(obj, path, settings, around) if len(path) > _GROUP else settings
        if has_proxy(group) and group.variables() != settings.variables():
            message = (
                "the Secret `<cluster>-systemd-proxy` holds the proxy of the whole Cluster, but an entry of "
                "`spec.overrides` asks for another one for these workers: let it match the whole Cluster, or set "
                "`spec.targets.containerdDropIn.content` and `spec.targets.kubeletDropIn.content` to `Inline`"
            )
            return Finding(Severity.ERROR, message, path[:_GROUP])
    return None


def _wanted(
    obj: Mapping[str, Any], settings: ProxySettings, around: TargetContext
) -> Iterator[tuple[Pointer, dict[str, Any] | None]]:
    """Each list of variables that is ours to fill, and the value that it is to hold."""
    whole = value_of(settings, around)
    for path in lists(obj):
        if path == VARIABLES:
            name = _secret(obj, path, settings, around)
            is_own = around.is_wanted and (bool(name) or whole != value_of(around.default, around))
            yield path, {**whole, **name} if is_own else None
        elif len(path) > _GROUP:
            group = _group(obj, path, settings, around)
            value = value_of(group, around)
            is_different = around.is_wanted and value != whole
            yield path, {**value, **_secret(obj, path, group, around)} if is_different else None


def _group(
    obj: Mapping[str, Any], path: Pointer, settings: ProxySettings, around: TargetContext
) -> ProxySettings:
    """The proxy of the group of workers whose list of variables is at ``path``."""
    name = lookup(obj, (*path[:_GROUP], "name"))
    return around.groups.get((path[_GROUP - 2], str(name)), settings)


def _secret(
    obj: Mapping[str, Any], path: Pointer, settings: ProxySettings, around: TargetContext
) -> dict[str, str]:
    """The member that names the Secret with the drop-ins, where its name has a hash; else empty.

    Only the rollout knows the hash, so a name that an earlier run wrote is kept until then.
    """
    if not (around.is_wanted and has_proxy(settings) and units_in_secret(around)):
        return {}
    name: Any = around.secret
    if not name and around.has_hashed_secrets:
        entries = named(obj, path, VARIABLE)
        name = lookup(obj, (*entries[-1], "value", SECRET)) if entries else None
        if not isinstance(name, str) or not systemd_secret.is_of(name, settings):
            return {}
    return {SECRET: name} if name else {}


def _edited(
    obj: Mapping[str, Any], *, path: Pointer, wanted: dict[str, Any] | None
) -> Iterator[Change | Finding]:
    entries = named(obj, path, VARIABLE)
    kept = len(VARIABLES) - 1 if path == VARIABLES else _GROUP
    for entry in entries if wanted is None else entries[:-1]:
        yield Change(without(obj, entry, kept), f"removes the variable `{VARIABLE}`")
    if wanted is None:
        return
    if not entries:
        yield appended(
            obj, path, {"name": VARIABLE, "value": wanted}, f"sets the variable `{VARIABLE}`"
        )
    elif lookup(obj, (*entries[-1], "value")) != wanted:
        yield Change(
            replace(*entries[-1], "value", value=wanted), f"sets the variable `{VARIABLE}`"
        )
