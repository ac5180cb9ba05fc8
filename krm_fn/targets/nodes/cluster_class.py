"""ClusterClass: clusters of different networks share its templates, and each gets a list of its own."""

from __future__ import annotations

from krm_fn.clusters import variable_lists
from krm_fn.light_typing import Texts
from krm_fn.noproxy import Audience
from krm_fn.patch import named_items, text_at
from krm_fn.places import cluster_secret
from krm_fn.products.cluster_api import CLUSTER, CORE, OUR_PATCHES
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, Options, Places, Target
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.names import VARIABLE

CLASS = (CORE, "ClusterClass")
WORDS = (VARIABLE, *OUR_PATCHES)
"""The names of what it writes."""


class _ClusterClass(Target):
    id = OF_CLASSES
    audience = Audience.PRODUCT

    def hints(self, options: Options) -> Texts:
        """Return the names of what it writes: a list of which nothing else is known needs it for no other."""
        return WORDS

    def node_secret(self, data: Data, context: Context) -> str | None:
        """Return the name of the Secret from which nodes of a Cluster take drop-ins."""
        from krm_fn.targets.nodes.clusterclass import variable  # noqa: PLC0415 -- most lists have no class

        of_class, settings = context.class_context, context.settings
        if of_class is None or not of_class.is_wanted:
            return None
        if not variable.units_in_secret(of_class):
            return None
        groups = (settings, *of_class.groups.values())
        if data.get("kind") != CLUSTER[1] or not any(map(variable.has_proxy, groups)):
            return ""
        for path in variable_lists(data):
            for entry in named_items(data, path, VARIABLE):
                name = text_at(data, (*entry, "value", variable.SECRET))
                if name:
                    return name
        return cluster_secret.name_for(settings.cluster)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the variable and the patches of a ClusterClass, or the variables of a Cluster.

        Where nothing is known of the list, all that this target wrote has to go.
        """
        from krm_fn.targets.nodes.clusterclass import class_patches, variable  # noqa: PLC0415 -- most lists have no class

        settings = context.settings if context.class_context else ProxySettings()
        module = variable if data.get("kind") == CLUSTER[1] else class_patches
        yield from module.places(data, settings, context.class_context or ClassContext())


TARGET = _ClusterClass()
