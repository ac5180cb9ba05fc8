"""The target that edits a ClusterClass, whose Clusters of different networks each get a list of their own.

It writes a variable and patches into the class, and the value of the variable into its Clusters.

The patches write a proxy into drop-ins and exports. Where all of that comes from the Secret of each Cluster, they need
to know only whether there is a proxy, and the variable holds no URL, so that no credential is in a ClusterClass or a
Cluster. ``secret`` is the name of that Secret where it has a hash: another name makes another template, for which
Cluster API rolls nodes. A Cluster, or a group of its workers, has a value of its own where the class, or the Cluster,
says something else, and where it names such a Secret; else it goes.

Sources: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``; "Writing a ClusterClass": a value is
checked against the schema, and members that the schema does not name are an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from krm_fn import noproxy
from krm_fn.clusters import CLUSTER_VARIABLES, class_name, variable_lists
from krm_fn.engine import Draft
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields
from krm_fn.noproxy import Audience
from krm_fn.patch import Data, Pointer, list_at, lookup, named_items, text_at
from krm_fn.places import cluster_secret
from krm_fn.places.mapping_forms import CAMEL, NamedItem, one_member
from krm_fn.places.place import Place, WrittenForm
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.settings import ProxySettings
from krm_fn.targets import ClassContext, ClassPlan
from krm_fn.targets.base import Context, Places, Target
from krm_fn.targets.nodes.clusterclass.class_data import (
    PATCHES,
    SECRET,
    VARIABLE,
    VARIABLES,
    others_in,
)

ENABLED = "enabled"

_TEXT = {"type": "string"}
_PROXY: Data = {
    "httpProxy": _TEXT,
    "httpsProxy": _TEXT,
    "noProxy": {
        "description": (
            "What is reached directly; builtin.cluster.network.* is what the Cluster says."
        ),
        "type": "array",
        "items": _TEXT,
    },
}
_NAME_OF_SECRET = {
    "description": "The Secret with the drop-ins; without it <cluster>-systemd-proxy.",
    **_TEXT,
}
# So many steps lead to a group of workers: ``spec.topology.workers.<section>.<index>``.
_GROUP = 5


def has_proxy(settings: ProxySettings) -> bool:
    """Return whether any proxy is set."""
    return bool(settings.http_proxy or settings.https_proxy)


def variable_value(settings: ProxySettings, context: ClassContext) -> Fields:
    """Return the value of the variable without the name of a Secret; empty for no proxy."""
    if not context.has_urls:
        if has_proxy(settings):
            return {ENABLED: True}
        return {}
    members = {
        "httpProxy": settings.http_proxy,
        "httpsProxy": settings.https_proxy,
        "noProxy": list(noproxy.parse(settings.no_proxy)),
    }
    return {name: value for name, value in members.items() if value}


def variable_definition(settings: ProxySettings, context: ClassContext) -> Fields:
    """Return the entry of ``spec.variables``; ``settings`` are its default.

    An earlier value in a Cluster stays valid where no URL is needed.
    """
    description = "The proxy of the nodes; without httpProxy and httpsProxy they have none."
    properties = dict(_PROXY)
    if not context.has_urls:
        description = (
            "Whether the nodes have a proxy, which is in a Secret of their Cluster; without enabled they have "
            "none. httpProxy counts as enabled, and is not read otherwise, nor are httpsProxy and noProxy."
        )
        properties = {ENABLED: {"type": "boolean"}, **properties}
    if context.has_secret:
        properties[SECRET] = _NAME_OF_SECRET
    schema = {
        "description": description,
        "type": "object",
        "properties": properties,
        "default": variable_value(settings, context),
    }
    return {"name": VARIABLE, "required": False, "schema": {"openAPIV3Schema": schema}}


def enabled_if(context: ClassContext) -> str:
    """Return the condition of patches for Clusters that have a proxy."""
    members = ".httpProxy .httpsProxy"
    if not context.has_urls:
        members = f".{ENABLED} {members}"
    return f"{{{{ with .{VARIABLE} }}}}{{{{ if or {members} }}}}true{{{{ end }}}}{{{{ end }}}}"


def places_in_cluster(data: Data, settings: ProxySettings, context: ClassContext) -> Places:
    """Yield the variables of a Cluster; ``settings`` are those of its control plane."""
    if not context.is_known:
        if settings.sets_any:
            yield Result(
                "NodesWithoutProxy",
                f'its ClusterClass "{class_name(data)}" must be in the list, so that it can be patched and this '
                "Cluster can be given what it needs: add it, or set `spec.targets.nodes.classes` to `Union`",
                ("spec", "topology"),
            )
        return
    if not any(proxy.is_declared for proxy in (settings, *context.groups.values())):
        return
    groups = {}
    for path, group in variable_lists(data):
        if any(group):
            groups[path] = context.groups.get(group, settings)
    if context.is_wanted and context.has_secret and has_proxy(settings):
        for path, proxy in groups.items():
            if has_proxy(proxy) and proxy.variables != settings.variables:
                yield Result(
                    "CannotWrite",
                    "the Secret `<cluster>-systemd-proxy` holds the proxy of the whole Cluster, but an entry of "
                    "`spec.overrides` asks for another one for these workers: let it match the whole Cluster, or set "
                    "`spec.targets.nodes.containerd.content` and `spec.targets.nodes.kubelet.content` to `Inline`",
                    path[:_GROUP],
                )
                return
    yield _place(data, CLUSTER_VARIABLES, settings, context.default, context)
    for path, proxy in groups.items():
        yield _place(data, path, proxy, settings, context)


def _place(
    data: Data, path: Pointer, proxy: ProxySettings, inherited: ProxySettings, context: ClassContext
) -> Place:
    """Return the place of the variable of some nodes; it goes where they inherit its value."""
    is_whole = path == CLUSTER_VARIABLES
    value = None
    secret = ""
    if context.is_wanted:
        secret = _secret(data, path, proxy, context)
        value = variable_value(proxy, context)
        is_inherited = value == variable_value(inherited, context)
        if is_inherited and not (is_whole and secret):  # a class names no Secret
            value = None
    if value is not None and secret:
        value[SECRET] = secret
    member = one_member(lambda _settings, _old: value, CAMEL)
    form = NamedItem(VARIABLE, ("value",), member, is_read=is_whole)
    label = f"the variable `{VARIABLE}`"
    if is_whole:
        return Place(path, form, label, len(CLUSTER_VARIABLES) - 1, is_unconditional=True)
    return Place(path, form, f"{label} of a group of workers", _GROUP, is_unconditional=True)


def _secret(data: Data, path: Pointer, proxy: ProxySettings, context: ClassContext) -> str:
    """Return the name of the Secret with the drop-ins, if it has a hash; else "".

    Only the rollout knows the hash, so a name that an earlier run wrote is kept until then.
    """
    if not context.has_secret or not has_proxy(proxy):
        return ""
    if context.secret is not None:
        return context.secret
    name = _named_secret(data, path)
    if not cluster_secret.is_named_for(name, proxy):
        return ""
    return name


def _named_secret(cluster_data: Data, path: Pointer) -> str:
    """Return the name of a Secret that our variable in a list says; "" for none."""
    for entry in named_items(cluster_data, path, VARIABLE):
        return text_at(cluster_data, (*entry, "value", SECRET))
    return ""


_DEFAULT = ("schema", "openAPIV3Schema", "default")


def places_in_class(data: Data, settings: ProxySettings, context: ClassContext) -> Places:
    """Yield the variable and the patches of a ClusterClass; ``settings`` are the default of the variable."""
    plan = context.plan or ClassPlan(others_in(data))
    yield from plan.findings
    is_asked = settings.is_declared or context.is_wanted or context.repairs_erased
    if plan.patches is None or not is_asked:
        return
    if settings.is_declared or not named_items(data, VARIABLES, VARIABLE):
        ours = []
        if plan.has_ours and context.is_wanted:
            ours.append(variable_definition(settings, context))
        write = partial(_write_list, _with_ours(data, ours))
        definitions = WrittenForm(write, NamedItem(VARIABLE, _DEFAULT, CAMEL))
        yield Place(VARIABLES, definitions, f"the variable `{VARIABLE}`", 1, is_unconditional=True)
    patches = WrittenForm(partial(_write_list, plan.patches))
    yield Place(PATCHES, patches, "our patches", is_unconditional=True)


def _with_ours(data: Data, ours: Sequence[Any]) -> list[Any]:
    """Return the definitions of variables with our one in its place, else at the end."""
    definitions = []
    for definition in list_at(data, VARIABLES):
        if lookup(definition, "name") != VARIABLE:
            definitions.append(definition)
        else:
            definitions += ours
            ours = []
    return [*definitions, *ours]


def _write_list(items: Sequence[Any], draft: Draft, place: Place, _settings: ProxySettings) -> None:
    """Make a list of a class hold some items, in order: definitions of variables, or patches."""
    draft.set_items(place.path, items)


class ClusterClass(Target):
    """The variable and the patches of a ClusterClass, and the variables of its Clusters.

    Example: in ``spec`` of a ClusterClass::

        patches: [{name: theirs}]

    becomes::

        patches: [{name: theirs}, {name: inject-proxy-nodes}]
        variables: [{name: injectProxy}]
    """

    audience = Audience.PRODUCT

    def node_secret(self, data: Data, context: Context) -> str | None:
        """Return the name of the Secret from which nodes of a Cluster take drop-ins."""
        of_class = context.class_context
        if of_class is None or not of_class.is_wanted or not of_class.has_secret:
            return None
        proxies = (context.settings, *of_class.groups.values())
        if data.get("kind") != CLUSTER[1] or not any(map(has_proxy, proxies)):
            return ""
        for path, _ in variable_lists(data):
            name = _named_secret(data, path)
            if name:
                return name
        return cluster_secret.name_for(context.settings.cluster)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the variable and the patches of a ClusterClass, or the variables of a Cluster.

        Where nothing is known of the list, all that this target wrote has to go.
        """
        of_class = context.class_context
        settings = context.settings
        if of_class is None:
            of_class = ClassContext()
            settings = ProxySettings()
        if data.get("kind") == CLUSTER[1]:
            yield from places_in_cluster(data, settings, of_class)
        else:
            yield from places_in_class(data, settings, of_class)
