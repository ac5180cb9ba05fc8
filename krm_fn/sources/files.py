"""Plain files of other systems, filled with a proxy as losslessly as objects of a list.

One text in, the same text out with the proxy of its system in it; the names it writes are those
that ``formats`` reads, and whoever knows how to edit them does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from krm_fn import patch
from krm_fn.carriers.three_keys import SHORT, ThreeKeys
from krm_fn.engine.member_edits import MemberEdits, together
from krm_fn.errors import InputError
from krm_fn.formats import embedded, sops
from krm_fn.formats.embedded import Value
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer
from krm_fn.settings import ProxySettings
from krm_fn.sources import formats
from krm_fn.targets import (
    embedded_edits,
    giantswarm_installation_values,
    image_builder_keys,
    image_builder_overrides,
    tkg_cluster_config,
    ytt,
)
from krm_fn.targets.tkg_rules import half

_SWITCH = "TKG_HTTP_PROXY_ENABLED"
_SWARM = ThreeKeys(("proxy",), SHORT, "`proxy`", kept=0)

_Edit = Callable[[Any, ProxySettings], "MemberEdits | Finding"]


@dataclass(frozen=True)
class FileKind:
    """A kind of file: the target and the audience that its settings are for, and what edits its document.

    ``members``: what it edits there, in a system that reads the file with ytt.
    """

    target: str
    audience: Audience
    edit: _Edit
    members: tuple[Pointer, ...] = ()


def _tkg(data: Any, settings: ProxySettings) -> MemberEdits | Finding:
    """In a file, unlike in the Secret that TKG makes of it, nothing counts without the switch."""
    problem = half(settings)
    if problem:
        return problem
    parts = (partial(one, settings=settings) for one in (_switch, tkg_cluster_config.edit_document))
    made, problems = together(data, parts)
    return problems[0] if problems else made


def _switch(data: Any, settings: ProxySettings) -> MemberEdits:
    is_missing = isinstance(data, dict) and data.get(_SWITCH) is None
    if not (is_missing and settings.variables()):
        return MemberEdits(())
    return MemberEdits(
        (patch.add(_SWITCH, value=True),), f"sets `{_SWITCH}`", proposed=f"{_SWITCH}=true"
    )


KINDS = {
    formats.TKG: FileKind(
        tkg_cluster_config.TARGET.id, Audience.PRODUCT, _tkg, tkg_cluster_config.MEMBERS
    ),
    formats.GIANT_SWARM: FileKind(
        giantswarm_installation_values.TARGET.id,
        giantswarm_installation_values.TARGET.audience,
        _SWARM.edit,
    ),
    formats.IMAGE_BUILDER: FileKind(
        image_builder_overrides.TARGET.id,
        image_builder_overrides.TARGET.audience,
        image_builder_keys.edit,
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
    reported = []
    for one in _proposals(Value((), text), KINDS[form], settings):
        if isinstance(one, Finding):
            raise InputError(one.message)
        text = one.operation.value
        reported.append(one.message)
    return text, reported


def _proposals(value: Value, kind: FileKind, settings: ProxySettings) -> Iterator[Change | Finding]:
    found = embedded.read(value)
    if isinstance(found, Finding):
        yield found
    elif len(found) > 1:
        yield Finding(
            Severity.ERROR, f"the file must hold one YAML document, but it holds {len(found)}"
        )
    elif found:
        made = kind.edit(found[0].data, settings)
        yield from embedded_edits.in_document(
            found[0], ytt.checked(found[0], made, kind.members) if kind.members else made
        )
    else:
        made = kind.edit({}, settings)
        if isinstance(made, MemberEdits) and made.operations:
            yield ytt.begun(value, made)
