"""ClusterClass: clusters of different networks share its templates, and each gets a list of its own."""

from __future__ import annotations

from krm_fn.clusters import variable_lists
from krm_fn.light_typing import Texts
from krm_fn.noproxy import Audience
from krm_fn.patch import named_items, text_at
from krm_fn.places import cluster_secret
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, Options, Places, Target
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.names import SECRET, VARIABLE, WORDS


class _ClusterClass(Target):
    audience = Audience.PRODUCT

    def hints(self, options: Options) -> Texts:
        """Return the names of what it writes: a list of which nothing else is known needs it for no other."""
        return WORDS

    def node_secret(self, data: Data, context: Context) -> str | None:
        """Return the name of the Secret from which nodes of a Cluster take drop-ins."""
        of_class = context.class_context
        if of_class is None or not of_class.is_wanted or not of_class.content.secret:
            return None
        proxies = (context.settings, *of_class.groups.values())
        has_proxy = any(proxy.http_proxy or proxy.https_proxy for proxy in proxies)
        if data.get("kind") != CLUSTER[1] or not has_proxy:
            return ""
        for path in variable_lists(data):
            for entry in named_items(data, path, VARIABLE):
                name = text_at(data, (*entry, "value", SECRET))
                if name:
                    return name
        return cluster_secret.name_for(context.settings.cluster)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the variable and the patches of a ClusterClass, or the variables of a Cluster.

        Where nothing is known of the list, all that this target wrote has to go.
        """
        from krm_fn.targets.nodes.clusterclass import class_patches, variable  # noqa: PLC0415 -- most lists have no class

        of_class, settings = context.class_context, context.settings
        if of_class is None:
            of_class, settings = ClassContext(), ProxySettings()
        if data.get("kind") == CLUSTER[1]:
            yield from variable.places(data, settings, of_class)
        else:
            yield from class_patches.places(data, settings, of_class)


TARGET = _ClusterClass
