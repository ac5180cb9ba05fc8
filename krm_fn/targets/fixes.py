"""Other values for proxy variables that stand in an object already: one place, edited where it stands.

It writes what it is given, and the twin of what is there; it brings no proxy to a place that has
none, and touches nothing where it does not know all that it would have to write anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.formats import embedded
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.formats.file_content import decode, encode
from krm_fn.patch import APPEND, ListEdit, Operation, Pointer, add, lookup, replace
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets import (
    _exports,
    _unit_file,
    cert_manager,
    chart_operator,
    containerd_drop_in,
    giantswarm_systemd_proxy,
    kubeadm_commands,
    kubelet_drop_in,
    kyverno_policies,
    workloads,
)
from krm_fn.targets._kyverno_values import ValuePlace, new_value
from krm_fn.targets._unit_meant import meant, without_strays

Values = Mapping[str, str | None]
"""Variable -> the value it is to have; None for the twin of one whose value is not known: the same source."""

Editor = Callable[[Mapping[str, Any], Mapping[str, Reading], Values], list[Operation]]


def as_meant(place: Mapping[str, Reading]) -> dict[str, Reading]:
    """What one place says, with the values that systemd loses as their author meant them."""
    return {name: meant(one) for name, one in place.items()}


def operations(
    obj: Mapping[str, Any], target: str, place: Mapping[str, Reading], values: Values
) -> list[Operation]:
    """What gives the variables of one place other values.

    Args:
        obj: the object as plain data, as it was when it was observed.
        target: ID of the target that saw the place; "" for the environment of any container.
        place: everything that the place sets: at least one variable.
        values: what it is to set instead, or besides; a variable that is not named stays as it is.

    Returns:
        Nothing where the place cannot be edited, or its target has no editor.
    """
    editor = _EDITORS.get(target)
    return editor(obj, place, values) if editor and values else []


def _of_env(
    obj: Mapping[str, Any], place: Mapping[str, Reading], values: Values
) -> list[Operation]:
    """No variable is added beside an ``envFrom``, which may set it already."""
    env = _entry(next(iter(place.values())))[:-1]
    is_all = not lookup(obj, (*env[:-1], "envFrom"))
    return [
        _env_edit(obj, env, place, name, value)
        for name, value in values.items()
        if name in place or is_all
    ]


def _env_edit(
    obj: Mapping[str, Any], env: Pointer, place: Mapping[str, Reading], name: str, value: str | None
) -> Operation:
    twin = place.get(name.swapcase())
    if value is None and twin is not None:
        return add(*env, APPEND, value={**lookup(obj, _entry(twin)), "name": name})
    text = kubernetes_env(value or "")
    if name not in place:
        return add(*env, APPEND, value={"name": name, "value": text})
    at = _entry(place[name])
    return (add if lookup(obj, (*at, "value")) is None else replace)(*at, "value", value=text)


def _entry(one: Reading) -> Pointer:
    """Where the entry of ``env`` stands that a path leads to, or into."""
    return one.path if one.path[-1].isdigit() else one.path[:-1]


def _of_drop_in(
    obj: Mapping[str, Any], place: Mapping[str, Reading], values: Values
) -> list[Operation]:
    path = next(iter(place.values())).path
    entry = lookup(obj, path[:-1])
    text = decode(entry) if path[-1] == "content" else None
    edited = None if text is None else _unit(text, place, values)
    return (
        [replace(*path, value=encode(edited, entry.get("encoding")))] if edited is not None else []
    )


def _of_systemd_secret(
    obj: Mapping[str, Any], place: Mapping[str, Reading], values: Values
) -> list[Operation]:
    path = next(iter(place.values())).path
    texts = [
        one for one in embedded.values(obj) if isinstance(one, embedded.Value) and one.path == path
    ]
    edits = [(one, _unit(one.text, place, values)) for one in texts]
    return [
        replace(*path, value=one.written(edited)) for one, edited in edits if edited is not None
    ]


def _unit(text: str, place: Mapping[str, Reading], values: Values) -> str | None:
    """A drop-in with other values; None where there is nothing to change, or not all of it is known."""
    known = {name: one.value for name, one in as_meant(place).items()} | dict(values)
    wanted = {
        name: value
        for name in PROXY_VARIABLES
        if name in known and (value := known[name]) is not None
    }
    if len(wanted) < len(known):
        return None
    try:
        edited = _unit_file.edit(without_strays(text), wanted)
    except ValueError:  # a value that no unit file can carry
        return None
    return edited if edited != text else None


def _of_commands(
    obj: Mapping[str, Any], place: Mapping[str, Reading], values: Values
) -> list[Operation]:
    path = next(iter(place.values())).path[:-1]
    commands = [command if isinstance(command, str) else "" for command in lookup(obj, path)]
    plain = {
        index: names
        for index, command in enumerate(commands)
        if (names := _exports.exported(command))
    }
    # A command stays as it is if another one, which cannot be edited, decides about a variable of it.
    sound = {
        name for name, one in place.items() if one.value is not None and int(one.path[-1]) in plain
    }
    edited = {index for index, names in plain.items() if sound.issuperset(names)}
    named = {name for index in edited for name in plain[index]}
    wanted: dict[str, str] = {}
    for name in PROXY_VARIABLES:
        value = values[name] if name in values else place[name].value if name in named else None
        is_new = name not in place and (name.swapcase() in named or name.upper() == "NO_PROXY")
        if value is not None and (name in named or is_new):
            wanted[name] = value
    if not edited or values.keys().isdisjoint(wanted):
        return []
    texts = [command if index in edited else "" for index, command in enumerate(commands)]
    planned = _exports.plan(texts, wanted, in_one_block=True)
    edit = ListEdit(path, lookup(obj, path))
    edit.replaced.update(planned.rewritten)
    edit.removed.update(planned.removed)
    edit.appended += [_exports.export(name, wanted[name]) for name in planned.missing]
    return edit.operations()


def _of_policy(
    obj: Mapping[str, Any], place: Mapping[str, Reading], values: Values
) -> list[Operation]:
    """No entry is added: the author of a policy decides which names it sets."""
    edits: dict[Pointer, Operation] = {}
    for name, value in values.items():
        if name in place and value is not None:
            path = place[name].path
            written = lookup(obj, path)
            text = new_value(
                ValuePlace(path, written), kubernetes_env(value), is_list=name.upper() == "NO_PROXY"
            )
            if isinstance(text, str):
                edits[path] = (add if written is None else replace)(*path, value=text)
    return list(edits.values())


_EDITORS: dict[str, Editor] = {
    "": _of_env,
    cert_manager.TARGET.id: _of_env,
    chart_operator.TARGET.id: _of_env,
    workloads.TARGET.id: _of_env,
    containerd_drop_in.TARGET.id: _of_drop_in,
    kubelet_drop_in.TARGET.id: _of_drop_in,
    giantswarm_systemd_proxy.TARGET.id: _of_systemd_secret,
    kubeadm_commands.TARGET.id: _of_commands,
    kyverno_policies.TARGET.id: _of_policy,
}
