"""A cluster of CAREN (Nutanix, D2iQ's successor of Konvoy): its proxy is in the variable ``clusterConfig``."""

from __future__ import annotations

from krm_fn.clusters import CLUSTER_VARIABLES
from krm_fn.krm.results import Result
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import lookup, named_items
from krm_fn.places.mapping_forms import Members, steps_of
from krm_fn.places.place import Place
from krm_fn.products import nutanix
from krm_fn.targets.base import Context, Data, NodeUpdate, Places, Reach, Target, Writes

_MEMBERS = Members(
    steps_of("http", "https", "additionalNo"), is_list=True, is_strict=True, in_unit=True
)
_AT_MOST = 128


class CarenClusterConfig(Target):
    """The proxy in the variable ``clusterConfig`` of a Cluster.

    Example: in ``spec.topology.variables``::

        - name: clusterConfig
          value: {proxy: {http: "http://proxy:3128", https: "http://proxy:3128", additionalNo: [10.0.0.0/8]}}
    """

    audience = Audience.PRODUCT
    reach = Reach.CLUSTER
    writes = Writes.PROXY_AND_TRUST
    node_update = NodeUpdate()

    def places(self, data: Data, context: Context) -> Places:
        """Yield `proxy` of the variable `clusterConfig`; report a list that is too long for the product."""
        for entry in named_items(data, CLUSTER_VARIABLES, nutanix.CLUSTER_CONFIG):
            path = (*entry, "value", "proxy")
            yield Place(path, _MEMBERS, "the variable `clusterConfig`", len(entry) + 1)
            number = len(parse(context.settings.no_proxy))
            if number > _AT_MOST:
                yield Result(
                    "ProviderRefuses",
                    f"`additionalNo` must not hold more than {_AT_MOST} entries, not {number}: shorten `noProxy`",
                    (*path, "additionalNo"),
                )
            mirror = context.settings.mirror
            at = (*entry, *nutanix.MIRROR)
            if mirror and lookup(data, at) != mirror.url:
                message = f'is not the mirror of `spec.registryMirror`, and is never written here: set it to "{mirror.url}"'  # noqa: E501
                yield Result("OtherProxy", message, at)
