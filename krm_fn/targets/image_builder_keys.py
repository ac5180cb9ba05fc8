"""An override file of Konvoy Image Builder, with the proxy of the machine that is provisioned.

It edits one document as plain data, whether that stands in an object or in a file of its own. It
writes both places the playbooks read: `proxy_env`, the environment of Ansible's own tasks, under all six names, and the
top-level `http_proxy`, `https_proxy` and `no_proxy`, without which containerd gets no drop-in while provisioning.

Source: the Konvoy document's ``http-proxy-override.yaml``; mesosphere/konvoy-image-builder,
``ansible/roles/containerd/tasks/main.yaml`` (``when: http_proxy is defined or …``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from krm_fn import patch
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.three_keys import SNAKE, ThreeKeys
from krm_fn.engine.member_edits import MemberEdits, together
from krm_fn.krm.results import Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import Operation, Pointer, lookup
from krm_fn.settings import ProxySettings

_ENVIRONMENT = "proxy_env"
_ORDER = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy")
"""The six names of `proxy_env` as the document's own file has them."""

_TOP = ThreeKeys((), SNAKE, "the override file")


def edit(data: Any, settings: ProxySettings) -> MemberEdits | Finding:
    """What an override document lacks or has too much; its operations hold one after another.

    Args:
        data: the document as plain data; it is not changed.
        settings: the proxy; all empty means that the names are to go.

    Returns:
        A Finding where something else than a mapping stands in the place of one.
    """
    environment, top = (
        partial(_environment, settings=settings),
        partial(_TOP.edit, settings=settings),
    )
    made, problems = together(data, (environment, top))
    return problems[0] if problems else made


def is_there(data: Any) -> bool:
    """Whether a document sets one of the names already, in either place."""
    held = lookup(data, (_ENVIRONMENT,))
    return _TOP.is_in(data) or (isinstance(held, Mapping) and not held.keys().isdisjoint(_ORDER))


def seen(data: Any, text: Pointer) -> Iterator[Reading]:
    """What a document sets: in `proxy_env` each name for itself, at the top both cases, as the drop-in will have them.

    Args:
        data: the document as plain data.
        text: where the text stands that it was read from.
    """
    for name in _ORDER:
        value = lookup(data, (_ENVIRONMENT, name))
        if isinstance(value, str) and value:
            yield Reading(name, value, text, value, f"`{_ENVIRONMENT}`")
    yield from _TOP.read(data, text)


def _environment(data: Any, settings: ProxySettings) -> MemberEdits | Finding:
    """What `proxy_env` lacks or has too much."""
    if not isinstance(data, Mapping):
        return wrong_type((), data, "a mapping")
    held = data.get(_ENVIRONMENT)
    if held is not None and not isinstance(held, Mapping):
        return wrong_type((_ENVIRONMENT,), held, "a mapping")
    there, variables = held or {}, settings.variables()
    new = {name: variables[name] for name in _ORDER if name in variables}
    sets = [name for name, value in new.items() if there.get(name) != value]
    gone = [name for name in _ORDER if name in there and name not in new]
    parts = [
        (verb, ", ".join(f"`{name}`" for name in some))
        for verb, some in (("sets", sets), ("removes", gone))
    ]
    return MemberEdits(
        (*_settings(held, new, sets), *_removals(there, new, gone)),
        " and ".join(f"{verb} {names}" for verb, names in parts if names) + f" of `{_ENVIRONMENT}`",
        "\n".join(f"{name}={there[name]}" for name in (*sets, *gone) if name in there),
        "\n".join(f"{name}={new[name]}" for name in sets),
    )


def _settings(held: Any, new: Mapping[str, str], sets: list[str]) -> list[Operation]:
    """The names that are set, a new one in front of those that follow it in the document's order."""
    if held is None:
        return [patch.add(_ENVIRONMENT, value=dict(new))] if sets else []
    return [
        patch.replace(_ENVIRONMENT, name, value=new[name])
        if name in held
        else patch.add(_ENVIRONMENT, name, value=new[name], before=_follower(held, name))
        for name in sets
    ]


def _removals(there: Mapping[str, Any], new: Mapping[str, str], gone: list[str]) -> list[Operation]:
    """Without the names; without `proxy_env` where it held nothing else."""
    if gone and not new and len(gone) == len(there):
        return [patch.remove(_ENVIRONMENT)]
    return [patch.remove(_ENVIRONMENT, name) for name in gone]


def _follower(held: Mapping[str, Any], name: str) -> str:
    return next((other for other in _ORDER[_ORDER.index(name) + 1 :] if other in held), "")
