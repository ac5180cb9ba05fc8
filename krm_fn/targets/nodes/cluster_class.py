"""ClusterClass: clusters of different networks share its templates, and each gets a list of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers import drop_in_secret
from krm_fn.carriers.cluster_variables import KIND, lists, named
from krm_fn.carriers.site import Site
from krm_fn.engine import Draft
from krm_fn.light_typing import TYPE_CHECKING, Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.products.cluster_api import OUR_PATCHES
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, NodeSecret, Options, Target
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.names import VARIABLE, Possibility

if TYPE_CHECKING:
    from krm_fn.targets.nodes.clusterclass.variables_of_products import ProductVariable


def is_on(options: Mapping[str, Any]) -> bool:
    """Return whether the run patches classes instead of filling their templates."""
    return bool(options.get("sharedTemplates") == "Patch")


def erases(obj: Mapping[str, Any], class_context: ClassContext) -> bool:
    """Return whether patches of a ClusterClass remove what its templates must hold, at any path."""
    from krm_fn.targets.nodes.clusterclass import class_site  # noqa: PLC0415 -- most lists have no class

    return any(True for _ in class_site.erasers_of(obj, class_context))


def possibility(
    obj: Mapping[str, Any], settings: ProxySettings, class_context: ClassContext
) -> Possibility:
    """Return whether a ClusterClass can be patched; ``settings`` are the default of its variable."""
    from krm_fn.targets.nodes.clusterclass import class_site  # noqa: PLC0415 -- most lists have no class

    return class_site.possibility(obj, settings, class_context)


def variable_of_product(
    obj: Mapping[str, Any],
    of_cluster: Mapping[str, Any],
    options: Mapping[str, Mapping[str, Any]],
    *,
    is_selected: bool,
) -> ProductVariable | None:
    """Return the variable of a Cluster out of which its ClusterClass ``obj`` writes the proxy on its nodes.

    None where it does not; ``options`` are ``spec.targets``.
    """
    from krm_fn.targets.nodes.clusterclass import variables_of_products  # noqa: PLC0415 -- most lists have no class

    return variables_of_products.find(obj, of_cluster, options, is_selected=is_selected)


def repeated_path(
    obj: Mapping[str, Any], options: Mapping[str, Mapping[str, Any]], kind: str
) -> str:
    """Return the path of a drop-in that a patch of a ClusterClass writes as the targets do; "" for none.

    Args:
        obj: the ClusterClass.
        options: ``spec.targets``.
        kind: that of the templates that count.
    """
    from krm_fn.targets.nodes.clusterclass import variables_of_products  # noqa: PLC0415 -- most lists have no class

    return variables_of_products.repeated(obj, options, kind)


def is_patched(obj: Mapping[str, Any]) -> bool:
    """Return whether a ClusterClass holds a patch or the variable of an earlier run."""
    entries = (lookup(obj, ("spec", name)) for name in ("patches", "variables"))
    names = [lookup(one, ("name",)) for held in entries if isinstance(held, list) for one in held]
    return any(name in (VARIABLE, *OUR_PATCHES) for name in names)


class _ClusterClass(Target):
    id = "clusterClass"
    kinds = frozenset({KIND, ("cluster.x-k8s.io", "ClusterClass")})
    audience = Audience.PRODUCT

    def hints(self, options: Options) -> tuple[str, ...]:
        """Return the names of what it writes: a list of which nothing else is known needs it for no other."""
        return (VARIABLE, *OUR_PATCHES)

    def node_secret(self, data: Data, context: Context) -> NodeSecret | None:
        """Return the Secret from which nodes of a Cluster take drop-ins; of a class only its keys are known."""
        from krm_fn.targets.nodes.clusterclass import variable  # noqa: PLC0415 -- most lists have no class

        of_class, settings = context.class_context, context.settings
        if of_class is None or not of_class.is_wanted:
            return None
        keys = tuple(drop_in_secret.KEYS[unit] for unit in variable.units_in_secret(of_class))
        if not keys:
            return None
        if data.get("kind") != KIND[1] or not any(
            map(variable.has_proxy, (settings, *of_class.groups.values()))
        ):
            return NodeSecret("", keys)
        for path in lists(data):
            for entry in named(data, path, VARIABLE):
                name = lookup(data, (*entry, "value", variable.SECRET))
                if isinstance(name, str) and name:
                    return NodeSecret(name, keys)
        return NodeSecret(drop_in_secret.name_for(settings.cluster), keys)

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the variable and the patches of a ClusterClass, or the variables of a Cluster.

        Where nothing is known of the list, all that this target wrote has to go.
        """
        from krm_fn.targets.nodes.clusterclass import class_site, cluster_variable  # noqa: PLC0415 -- most lists have no class

        settings = context.settings if context.class_context else ProxySettings()
        class_context = context.class_context or ClassContext()
        if draft.data.get("kind") == KIND[1]:
            yield from cluster_variable.sites(draft, settings, class_context)
        else:
            yield from class_site.sites(draft, settings, class_context)


TARGET = _ClusterClass()
