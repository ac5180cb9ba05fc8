"""Other values for proxy variables that an object sets already: what ``inject-proxy lint --fix`` writes.

A place gets the values that it is given, and the other case of a variable that is there. A place without
a proxy gets none, and nothing is changed where not all that would have to be rewritten is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from krm_fn.carriers import unit_text
from krm_fn.carriers.reading import Reading
from krm_fn.engine import Draft
from krm_fn.formats import embedded
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.formats.file_content import decode, encode
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.giantswarm import systemd_proxy
from krm_fn.targets.kyverno import policies
from krm_fn.targets.kyverno.values import ValuePlace, new_value
from krm_fn.targets.nodes import (
    containerd_drop_in,
    kubeadm_commands,
    kubelet_drop_in,
    shell_exports,
)
from krm_fn.targets.nodes.unit_meant import meant, without_strays
from krm_fn.targets.workloads import cert_manager, chart_operator, workloads

Values = Mapping[str, str | None]
"""Variable -> its value; None for the other case of one whose value is not known: the same source."""

Editor = Callable[[Draft, Mapping[str, Reading], Values], None]


def as_meant(place: Mapping[str, Reading]) -> dict[str, Reading]:
    """Return what one place sets, with the values that systemd loses as their author meant them."""
    return {name: meant(one) for name, one in place.items()}


def fix(draft: Draft, target: str, place: Mapping[str, Reading], values: Values) -> None:
    """Give the variables of one place other values; nothing is changed where that is not possible.

    Args:
        draft: the data of the object.
        target: ID of the target that read the place; "" for the environment of any container.
        place: everything that the place sets: at least one variable.
        values: what it has to set instead, or besides; a variable that is not named stays as it is.
    """
    editor = _EDITORS.get(target)
    if editor and values:
        editor(draft, place, values)


def _fix_env(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    """Set entries of ``env``; none is added beside an ``envFrom``, which may set the variable already."""
    env = _entry(next(iter(place.values())))[:-1]
    may_add = not draft.get((*env[:-1], "envFrom"))
    for name, value in values.items():
        twin = place.get(name.swapcase())
        if name in place:
            draft.set((*_entry(place[name]), "value"), kubernetes_env(value or ""))
        elif may_add and value is None and twin is not None:
            draft.insert(env, {**draft.get(_entry(twin)), "name": name})
        elif may_add:
            draft.insert(env, {"name": name, "value": kubernetes_env(value or "")})


def _entry(one: Reading) -> Pointer:
    """Return the path of the entry of ``env`` that a path leads to, or into."""
    return one.path if one.path[-1].isdigit() else one.path[:-1]


def _fix_drop_in(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    path = next(iter(place.values())).path
    entry = draft.get(path[:-1])
    text = decode(entry) if path[-1] == "content" else None
    edited = None if text is None else _unit(text, place, values)
    if edited is not None:
        draft.set(path, encode(edited, entry.get("encoding")))


def _fix_systemd_secret(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    path = next(iter(place.values())).path
    for one in embedded.values(draft.data):
        if isinstance(one, embedded.Value) and one.path == path:
            edited = _unit(one.text, place, values)
            if edited is not None:
                draft.set(path, one.written(edited))


def _unit(text: str, place: Mapping[str, Reading], values: Values) -> str | None:
    """Return a drop-in with other values; None where nothing changes, or not all of it is known."""
    known = {name: one.value for name, one in as_meant(place).items()} | dict(values)
    wanted = {
        name: value
        for name in PROXY_VARIABLES
        if name in known and (value := known[name]) is not None
    }
    if len(wanted) < len(known) or unit_text.has_rejected_header(text):
        return None
    try:
        edited = unit_text.edit(without_strays(text), wanted)
    except ValueError:  # a value that no unit file can carry
        return None
    return edited if edited != text else None


def _fix_commands(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    path = next(iter(place.values())).path[:-1]
    commands = draft.get(path)
    exports: dict[int, list[str]] = {}
    for index, command in enumerate(commands):
        names = shell_exports.exported(command) if isinstance(command, str) else []
        if names:
            exports[index] = list(names)
    # A command stays as it is if another one, which cannot be edited, decides about a variable of it.
    sound = {
        name
        for name, one in place.items()
        if one.value is not None and int(one.path[-1]) in exports
    }
    edited = {index for index, names in exports.items() if sound.issuperset(names)}
    wanted = _wanted_exports(place, values, {name for index in edited for name in exports[index]})
    if not edited or values.keys().isdisjoint(wanted):
        return
    texts = [command if index in edited else "" for index, command in enumerate(commands)]
    planned = shell_exports.plan(texts, wanted, in_one_block=True)
    left = [
        planned.rewritten.get(index, command)
        for index, command in enumerate(commands)
        if index not in planned.removed
    ]
    left += [shell_exports.export(name, wanted[name]) for name in planned.missing]
    draft.set_items(path, left)


def _wanted_exports(
    place: Mapping[str, Reading], values: Values, exported: Set[str]
) -> dict[str, str]:
    """Return what the commands have to export: what they do now with other values, and what belongs to it."""
    wanted: dict[str, str] = {}
    for name in PROXY_VARIABLES:
        value = values.get(name)
        if name not in values and name in exported:
            value = place[name].value
        is_new = name not in place and (name.swapcase() in exported or name.upper() == "NO_PROXY")
        if value is not None and (name in exported or is_new):
            wanted[name] = value
    return wanted


def _fix_policy(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    """Set values of entries and of context variables; the author of a policy decides which names it sets.

    JSON patches, CEL expressions and policies in a text, which hold more than one value, stay as they are.
    """
    for name, value in values.items():
        one = place.get(name)
        path = one.path if one is not None else ()
        if value is None or one is None or not path or "value" not in path[-1]:
            continue
        if draft.get(path) != one.raw:  # a text around the policy
            continue
        text = new_value(
            ValuePlace(path, draft.get(path)),
            kubernetes_env(value),
            is_list=name.upper() == "NO_PROXY",
        )
        if isinstance(text, str):
            draft.set(path, text)


_EDITORS: dict[str, Editor] = {
    "": _fix_env,
    cert_manager.TARGET.id: _fix_env,
    chart_operator.TARGET.id: _fix_env,
    workloads.TARGET.id: _fix_env,
    containerd_drop_in.TARGET.id: _fix_drop_in,
    kubelet_drop_in.TARGET.id: _fix_drop_in,
    systemd_proxy.TARGET.id: _fix_systemd_secret,
    kubeadm_commands.TARGET.id: _fix_commands,
    policies.TARGET.id: _fix_policy,
}
