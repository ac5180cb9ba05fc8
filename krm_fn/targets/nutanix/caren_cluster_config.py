"""A cluster of CAREN (Nutanix, D2iQ's successor of Konvoy): its proxy is in the variable ``clusterConfig``."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.cluster_variables import KIND, VARIABLES, named
from krm_fn.carriers.three_keys import Keys, ThreeKeys, ThreeKeysSite
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer
from krm_fn.products import nutanix
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, NodeUpdate, Reach, Target, Writes

_MEMBERS = Keys("http", "https", "additionalNo", is_list=True, is_fixed=True)
_AT_MOST = 128


def _slot(entry: Pointer) -> ThreeKeys:
    return ThreeKeys(
        (*entry, "value", "proxy"), _MEMBERS, "the variable `clusterConfig`", kept=len(entry) + 1
    )


def _report_what_is_not_taken(draft: Draft, entry: Pointer, settings: ProxySettings) -> None:
    number = len(parse(settings.no_proxy))
    if number > _AT_MOST:
        message = (
            f"`additionalNo` must not hold more than {_AT_MOST} entries, not {number}: "
            "shorten `noProxy`"
        )
        path = (*entry, "value", "proxy", _MEMBERS.no)
        draft.report(Severity.WARNING, message, path, code="TooLong")
    mirror = settings.mirror
    if mirror and draft.get((*entry, *nutanix.MIRROR)) != mirror.url:
        message = (
            "is not the mirror of `spec.registryMirror`, and is never written here: "
            f'set it to "{mirror.url}"'
        )
        draft.report(Severity.WARNING, message, (*entry, *nutanix.MIRROR), code="OtherMirror")


class _CarenClusterConfig(Target):
    id = "carenClusterConfig"
    kinds = frozenset({KIND})
    audience = Audience.PRODUCT
    reach = Reach.CLUSTER
    writes = Writes.PROXY_AND_TRUST
    node_update = NodeUpdate()

    def sites(self, draft: Draft, context: Context) -> Iterator[ThreeKeysSite]:
        """Yield `proxy` of the variable `clusterConfig`; report what the product will not take."""
        for entry in named(draft.data, VARIABLES, nutanix.CLUSTER_CONFIG):
            slot = _slot(entry)
            if context.settings.is_declared:
                yield slot.in_draft(draft)
            try:
                draft.mapping(slot.path)
            except WrongTypeError:
                continue  # writing has reported it
            _report_what_is_not_taken(draft, entry, context.settings)


TARGET = _CarenClusterConfig()
