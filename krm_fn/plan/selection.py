"""Which objects, and which targets, the FunctionConfig leaves in a run."""

from __future__ import annotations

from krm_fn.config import ProxyConfig, Selector
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


def is_enabled(name: str, config: ProxyConfig) -> bool:
    """Return whether the FunctionConfig leaves a target enabled."""
    return config.targets.is_on(name)


def is_selected(obj: Object, config: ProxyConfig) -> bool:
    """Return whether the run may change an object: the selector includes it, and it is not local configuration."""
    return not obj.is_local and fits(obj, config.selector)


def fits(obj: Object, selector: Selector) -> bool:
    """Return whether a selector includes an object."""
    if not (selector.include or selector.exclude):
        return True
    return selector.selects(
        kind=obj.ref.kind,
        name=obj.base_name,
        namespace=obj.ref.namespace,
        labels=obj.labels,
        annotations=obj.annotations,
    )


def is_edited(target: Target, obj: Object, config: ProxyConfig) -> bool:
    """Return whether a target edits objects of the kind of this one, with its options."""
    return obj.group_kind in target.all_kinds(target.options(config.targets))
