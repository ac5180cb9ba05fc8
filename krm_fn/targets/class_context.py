"""What a target may know about other objects of the list: values that ``plan`` collects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from krm_fn.clusters import Key, may_be_same, target_of
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.products.node_kinds import FILES_ON_REQUEST, KUBEADM
from krm_fn.settings import ProxySettings


class ClassContext(NamedTuple):
    """What a target knows of the other objects of the list while it edits a ClusterClass, or a Cluster of one.

    With the defaults, no Cluster of the list gets a proxy by the class. A target that patches no class gets ``groups``
    only.

    Attributes:
        is_wanted: the nodes of some Cluster get a proxy by the class.
        is_known: the class is in the list, and is not left out of it.
        targets: those whose edits in its templates the patches of the class make instead.
        options: ``spec.targets`` as a whole.
        templates: the objects that belong to such classes and to nothing else, by what a reference names.
        default: the proxy that the class gives to nodes of which nothing is said.
        groups: the proxy of each group of workers of a Cluster: (section, name) -> proxy.
        is_chosen: the user wants all classes patched; else only this one is, because its own patches, or those of a
            class with the same template, erase what a template holds.
        repairs_erased: its patches erase lists, so what is the same for all Clusters is added by a patch, too.
        of_class: the class itself, or that of the Cluster.
        has_hashed_secrets: the Secret of each Cluster gets a name with a hash.
        secret: the name of that Secret of this Cluster, "" as long as it is not known.
    """

    is_wanted: bool = False
    is_known: bool = True
    targets: tuple[str, ...] = KUBEADM.targets
    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    templates: Mapping[Key, Mapping[str, Any]] = MappingProxyType({})
    default: ProxySettings = ProxySettings()
    groups: Mapping[tuple[str, str], ProxySettings] = MappingProxyType({})
    is_chosen: bool = True
    repairs_erased: bool = False
    of_class: Key | None = None
    has_hashed_secrets: bool = False
    secret: str = ""

    def enabled(self, names: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """Return those of some targets that write anything on the nodes of the class, with their options."""
        found = {}
        for name in names:
            given = self.options.get(name, {})
            writes = name != FILES_ON_REQUEST or given.get("files")
            if writes and given.get("enabled", True):
                found[name] = given
        return found

    def template(self, reference: Any, namespace: str) -> Mapping[str, Any] | None:
        """Return the object that a reference in an object of ``namespace`` names, if it is one of ``templates``.

        It is looked for in the file of the class first; Cluster API refuses a reference into another namespace.
        """
        key = target_of(reference, namespace, self.of_class.file if self.of_class else "")
        if key is None or not may_be_same(key.namespace, namespace):
            return None
        return self.templates.get(key)
