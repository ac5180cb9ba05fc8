"""An override file of Konvoy Image Builder, with the proxy of the machine that is provisioned.

The law of this room: it edits one document as plain data, whether that stands in an object or in a file of its own. It
writes both places the playbooks read: `proxy_env`, the environment of Ansible's own tasks, under all six names, and the
top-level `http_proxy`, `https_proxy` and `no_proxy`, without which containerd gets no drop-in while provisioning.

Source: the Konvoy document's ``http-proxy-override.yaml``; mesosphere/konvoy-image-builder,
``ansible/roles/containerd/tasks/http-proxy.yaml`` (``when: http_proxy is defined or …``).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from krm_fn import patch
from krm_fn.results import Finding
from krm_fn.settings import ProxySettings
from krm_fn.targets import _values
from krm_fn.targets._edit import Edit, together
from krm_fn.targets._values import SNAKE, Keys, Slot

_ENVIRONMENT = "proxy_env"
_UPPER = Keys("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_ORDER = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy")
"""That of the document's own file, for a `proxy_env` that is new."""

SLOTS = (
    Slot((_ENVIRONMENT,), _UPPER, f"`{_ENVIRONMENT}`", kept=0),
    Slot((_ENVIRONMENT,), SNAKE, f"`{_ENVIRONMENT}`", kept=0),
    Slot((), SNAKE, "the override file"),
)
"""Where the names stand, for ``_values.edit`` and ``_values.seen``."""


def edit(data: Any, settings: ProxySettings) -> Edit | Finding:
    """What an override document lacks or has too much; its operations hold one after another.

    Args:
        data: the document as plain data; it is not changed.
        settings: the proxy; all empty means that the names are to go.

    Returns:
        A Finding where something else than a mapping stands in the place of one.
    """
    slots = [partial(_values.edit, slot=slot, settings=settings) for slot in SLOTS]
    made, problems = together(data, (partial(_environment, settings=settings), *slots))
    return problems[0] if problems else made


def _environment(data: Any, settings: ProxySettings) -> Edit:
    """The whole of `proxy_env`, where there is none yet."""
    values = settings.variables()
    if not values or not isinstance(data, dict) or data.get(_ENVIRONMENT) is not None:
        return Edit(())
    new = {name: values[name] for name in _ORDER if name in values}
    names = ", ".join(f"`{name}`" for name in new)
    lines = "\n".join(f"{name}={value}" for name, value in new.items())
    return Edit((patch.add(_ENVIRONMENT, value=new),), f"sets {names} of `{_ENVIRONMENT}`", proposed=lines)
