"""Plain files of other systems, filled with a proxy as losslessly as objects of a list.

The law of this room: one text in, the same text out with the proxy of its system in it; the names it writes are those
that ``formats`` reads, and whoever knows how to edit them does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from krm_fn import patch
from krm_fn.errors import InputError
from krm_fn.formats import embedded, sops
from krm_fn.formats.embedded import Value
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Consumer
from krm_fn.patch import Pointer
from krm_fn.settings import ProxySettings
from krm_fn.sources import formats
from krm_fn.targets import (
    _image_builder,
    _values,
    _ytt,
    giantswarm_installation_values,
    image_builder_overrides,
    tkg_cluster_config,
)
from krm_fn.targets._edit import Edit, together
from krm_fn.targets._tkg import half
from krm_fn.targets._values import SHORT, Slot

_SWITCH = "TKG_HTTP_PROXY_ENABLED"
_SWARM = Slot(("proxy",), SHORT, "`proxy`", kept=0)

_Edit = Callable[[Any, ProxySettings], "Edit | Finding"]


@dataclass(frozen=True)
class Kind:
    """A kind of file: the target and the consumer that its settings are for, and what edits its document.

    ``members``: what it edits there, in a system that reads the file with ytt.
    """

    target: str
    consumer: Consumer
    edit: _Edit
    members: tuple[Pointer, ...] = ()


def _tkg(data: Any, settings: ProxySettings) -> Edit | Finding:
    """In a file, unlike in the Secret that TKG makes of it, nothing counts without the switch."""
    problem = half(settings)
    if problem:
        return problem
    parts = (partial(one, settings=settings) for one in (_switch, tkg_cluster_config.edit_document))
    made, problems = together(data, parts)
    return problems[0] if problems else made


def _switch(data: Any, settings: ProxySettings) -> Edit:
    is_missing = isinstance(data, dict) and data.get(_SWITCH) is None
    if not (is_missing and settings.variables()):
        return Edit(())
    return Edit((patch.add(_SWITCH, value=True),), f"sets `{_SWITCH}`", proposed=f"{_SWITCH}=true")


KINDS = {
    formats.TKG: Kind(tkg_cluster_config.ID, Consumer.PRODUCT, _tkg, tkg_cluster_config.MEMBERS),
    formats.GIANT_SWARM: Kind(
        giantswarm_installation_values.ID,
        giantswarm_installation_values.CONSUMER,
        lambda data, settings: _values.edit(data, _SWARM, settings),
    ),
    formats.IMAGE_BUILDER: Kind(
        image_builder_overrides.ID, image_builder_overrides.CONSUMER, _image_builder.edit
    ),
}
"""Product: TKG and cluster-apps-operator add the networks of each cluster by themselves."""


def filled(text: str, form: str, settings: ProxySettings) -> tuple[str, list[str]]:
    """``text`` with the proxy of ``settings``, or without one, and what was done, a phrase for each edit.

    Args:
        text: a file of the system; one that holds no document yet gets its first.
        form: a key of ``KINDS``.
        settings: the proxy.

    Raises:
        InputError: the file cannot be read or edited, or is none of the system.
    """
    if sops.hides(text):
        raise InputError(f"the file {sops.ENCRYPTED}")
    told = []
    for one in _proposals(Value((), text), KINDS[form], settings):
        if isinstance(one, Finding):
            raise InputError(one.message)
        text = one.operation.value
        told.append(one.message)
    return text, told


def _proposals(value: Value, kind: Kind, settings: ProxySettings) -> Iterator[Change | Finding]:
    found = embedded.read(value)
    if isinstance(found, Finding):
        yield found
    elif len(found) > 1:
        yield Finding(
            Severity.ERROR, f"the file must hold one YAML document, but it holds {len(found)}"
        )
    elif found:
        made = kind.edit(found[0].data, settings)
        yield from _values.in_document(
            found[0], _ytt.checked(found[0], made, kind.members) if kind.members else made
        )
    else:
        made = kind.edit({}, settings)
        if isinstance(made, Edit) and made.operations:
            yield _ytt.begun(value, made)
