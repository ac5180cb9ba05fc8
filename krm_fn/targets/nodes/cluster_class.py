"""ClusterClass: clusters of different networks share its templates, and each gets a list of its own.

What it sets: with ``sharedTemplates: Patch``, the variable ``injectProxy`` (``httpProxy``, ``httpsProxy``, ``noProxy``)
whose default is the installation-wide proxy, and two patches: ``inject-proxy-lists`` starts the lists that a template
lacks and restarts containerd where that has to be, ``inject-proxy-nodes`` gives each node the drop-ins and the exports
of ``containerdDropIn``, ``kubeletDropIn`` and ``kubeadmCommands``, with the options of these. In ``noProxy``
``builtin.cluster.network.`` before ``pods``, ``services``, ``services.first`` (the first address of each service CIDR)
and ``domain`` means what the Cluster itself says; Cluster API fills that in for each Cluster. Where the patches write
no proxy themselves, because ``content: Secret`` takes every drop-in from the Secret of the Cluster and ``exports`` is
off, the variable holds no URL, only ``enabled: true``. With ``hashNames`` its member ``secret`` names that Secret with
its hash.

Exports and restart are at the end of the commands, or at the beginning where a command of the template or of the
class's own patches needs the network; a restart is behind what installs or configures containerd. Cluster API lets a
patch add at the two ends of a list only, so that where only a place between two commands is right, a warning says so.

With ``Union`` a class gets the same patches if its own patches erase what its templates hold: if one of them writes or
removes the whole list ``files`` or ``preKubeadmCommands``, or a mapping around it, on any path (a patch with
``enabledIf`` may run or not). An info names the operation that erases. ``inject-proxy-files`` then adds certificates
and registry mirror for all Clusters, too, and a class that shares a template with such a class is patched as well.

Where: ``spec.variables`` and ``spec.patches`` of ClusterClass, behind those of others; ours move to the end where a
patch was added behind them that erases. ``inject-proxy-empty-lists`` is the exception: it is before the first patch
that may or may not write a list, so that there is a list in the end. ``spec.topology.variables`` of a Cluster
that needs more than the default (its endpoint, a proxy of its own), and ``variables.overrides`` of a group of workers
whose proxy is not that of its Cluster. The patches name the control plane and all classes of workers, machine pools
too.

What it leaves alone: all other variables and patches. The templates of a class that is patched hold no proxy: the three
targets take out what is theirs. Templates that belong to no class that is patched, or to something else as well, are
filled by them as ever. A class that writes the proxy on its nodes itself, out of the variable ``clusterConfig`` (CAREN)
or ``proxy`` (TKG) of a Cluster in the list, is never patched, and its templates hold no proxy. A class whose nodes are
all of another system than Linux with kubeadm gets nothing, nor do its Clusters. What is in the way of a patch is a
warning, and an error with ``--check`` and ``mode: Check``; the class and its Clusters then stay as they are: a template
that is not in the list (with ``Union`` only a warning), belongs to something else than a class, or holds a file of our
path with more in it than a proxy; a patch that may remove a list, so that no patch can add to it; a runtime extension
that may start a list that a template lacks, because what it does cannot be seen. Without a proxy, and with ``Union``
where no patch erases, variable and patches go.

Before and after:

```diff
   variables:
+  - name: injectProxy
+    required: false
+    schema:
+      openAPIV3Schema:
+        type: object
+        default:
+          httpProxy: http://proxy.corp.example:3128
+          noProxy:
+          - localhost
+          - builtin.cluster.network.pods
   patches:
+  - name: inject-proxy-nodes
+    enabledIf: "{{ with .injectProxy }}{{ if or .httpProxy .httpsProxy }}true{{ end }}{{ end }}"
+    definitions:
+    - selector:
+        kind: KubeadmControlPlaneTemplate
+        matchResources:
+          controlPlane: true
```

Options:

* ``sharedTemplates`` (default ``Union``): with ``Union`` a template that several Clusters share holds a ``NO_PROXY``
  with what each of them needs, and only classes that erase what their templates hold are patched. ``Patch``: all are.
* ``enabled: false``: no class is patched, and a warning at a template says that its class erases what is written.

Why: one text cannot be right for two networks. Variable and patch are as Cluster API's "Writing a ClusterClass" has
them, and its own engine and webhooks judge them in the tests. Cluster API writes the default of a variable into a
Cluster when it is made: so that those that are there get another one, set or remove ``injectProxy`` in the running
Cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from krm_fn.carriers import drop_in_secret
from krm_fn.carriers.cluster_variables import KIND, lists, named
from krm_fn.carriers.site import Site
from krm_fn.engine import Draft
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Target
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.names import PATCHES, VARIABLE, Possibility

if TYPE_CHECKING:
    from krm_fn.targets.nodes.clusterclass.variables_of_products import ProductVariable


def is_on(options: Mapping[str, Any]) -> bool:
    """Return whether the run patches classes instead of filling their templates."""
    return bool(options.get("sharedTemplates") == "Patch")


def erases(obj: Mapping[str, Any], class_context: ClassContext) -> bool:
    """Return whether patches of a ClusterClass remove what its templates must hold, at any path."""
    from krm_fn.targets.nodes.clusterclass import patches  # noqa: PLC0415 -- most lists have no class

    return any(True for _ in patches.erasers_of(obj, class_context))


def possibility(
    obj: Mapping[str, Any], settings: ProxySettings, class_context: ClassContext
) -> Possibility:
    """Return whether a ClusterClass can be patched; ``settings`` are the default of its variable."""
    from krm_fn.targets.nodes.clusterclass import patches  # noqa: PLC0415 -- most lists have no class

    return patches.possibility(obj, settings, class_context)


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
    return any(name in (VARIABLE, *PATCHES) for name in names)


def secret_keys(class_context: ClassContext) -> list[str]:
    """Return the keys that nodes take from the Secret of their Cluster.

    None if the patches refer to no Secret.
    """
    from krm_fn.targets.nodes.clusterclass import variable  # noqa: PLC0415 -- most lists have no class

    units = variable.units_in_secret(class_context) if class_context.is_wanted else []
    return [drop_in_secret.KEYS[unit] for unit in units]


def secret_of(obj: Mapping[str, Any], settings: ProxySettings, class_context: ClassContext) -> str:
    """Return the name of the Secret from which nodes of a Cluster take drop-ins.

    "" if no node has a proxy.

    Args:
        obj: the Cluster.
        settings: the proxy of its control plane.
        class_context: its class, and the proxies of its groups of workers.
    """
    from krm_fn.targets.nodes.clusterclass import variable  # noqa: PLC0415 -- most lists have no class

    is_any = any(map(variable.has_proxy, (settings, *class_context.groups.values())))
    if not (is_any and secret_keys(class_context)):
        return ""
    paths = (entry for path in lists(obj) for entry in named(obj, path, VARIABLE))
    names = (lookup(obj, (*path, "value", variable.SECRET)) for path in paths)
    found = (name for name in names if isinstance(name, str) and name)
    return next(found, drop_in_secret.name_for(settings.cluster))


def sites(draft: Draft, context: Context) -> Iterator[Site]:
    """Yield the variable and the patches of a ClusterClass, or the variables of a Cluster.

    Where nothing is known of the list, all that this target wrote has to go.
    """
    from krm_fn.targets.nodes.clusterclass import patches, values  # noqa: PLC0415 -- most lists have no class

    settings = context.settings if context.class_context else ProxySettings()
    class_context = context.class_context or ClassContext()
    if draft.data.get("kind") == KIND[1]:
        yield from values.sites(draft, settings, class_context)
    else:
        yield from patches.sites(draft, settings, class_context)


TARGET = Target(
    id="clusterClass",
    kinds=frozenset({KIND, ("cluster.x-k8s.io", "ClusterClass")}),
    audience=Audience.PRODUCT,
    text_hints=(VARIABLE, *PATCHES),
    sites=sites,
    edits_last=True,
    sets_up_nodes=True,
)
