"""The selector of the Deployment in a DeploymentRuntimeConfig: Crossplane wants one beside containers."""

from __future__ import annotations

from krm_fn.light_typing import Any
from krm_fn.patch import list_at
from krm_fn.places.mapping_forms import OneMember
from krm_fn.places.place import Place
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Data, Places

_DEPLOYMENT = ("spec", "deploymentTemplate", "spec")


def selector(data: Data, settings: ProxySettings) -> Places:
    """Yield the place of the selector; it stays where the Deployment holds more than variables of one container."""
    if settings.sets_any or _is_only_ours(data):
        yield Place((*_DEPLOYMENT, "selector"), OneMember(_selector), "`selector`")


def _is_only_ours(data: Data) -> bool:
    """Return whether a Deployment holds nothing but variables of one container."""
    containers = list_at(data, (*_DEPLOYMENT, "template", "spec", "containers"))
    members = [list(container) for container in containers if isinstance(container, dict)]
    return members == [["name", "env"]]


def _selector(settings: ProxySettings, old: Any) -> Any:
    """Return an empty selector where there is none; it goes with the containers."""
    if settings.sets_any:
        return {} if old is None else old
    return old or None
