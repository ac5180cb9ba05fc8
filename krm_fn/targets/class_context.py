"""What a target may know of the ClusterClasses of the list: values that ``plan`` collects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from krm_fn.clusters import Key
from krm_fn.clusters.references import WorkerClass
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.settings import ProxySettings


class ClassPlan(NamedTuple):
    """The patches that a ClusterClass has to have.

    Attributes:
        patches: all of them, in order; None where something is in the way, so that the class stays as it is.
        has_ours: some of them are ours.
        findings: what the user should know.
    """

    patches: Sequence[Any] | None
    has_ours: bool = False
    findings: Sequence[Result] = ()


class VariableContent(NamedTuple):
    """What our variable of a class has to hold for its patches.

    Attributes:
        proxy: the proxy itself, because a patch writes it into a drop-in or a command; if False, whether there is one.
        secret: the name of a Secret, because drop-ins come from that of each Cluster.
    """

    proxy: bool = False
    secret: bool = False


class ClassContext(NamedTuple):
    """What a target knows of the other objects of the list while it edits a ClusterClass, or a Cluster of one.

    With the defaults, no Cluster of the list gets a proxy by the class. A target that patches no class gets ``groups``
    only.

    Attributes:
        is_wanted: the nodes of some Cluster get a proxy by the class.
        is_known: the class is in the list, and is not left out of it.
        content: what our variable holds.
        default: the proxy that the class gives to nodes of which nothing is said.
        groups: the proxy of each group of workers of a Cluster: (section, name) -> proxy.
        repairs_erased: its patches erase lists, so what is the same for all Clusters is added by a patch, too.
        of_class: the class itself, or that of the Cluster.
        has_hashed_secrets: the Secret of each Cluster gets a name with a hash.
        secret: the name of that Secret of this Cluster, "" as long as it is not known.
        plan: the patches of the class; None where it has to have none of ours.
    """

    is_wanted: bool = False
    is_known: bool = True
    content: VariableContent = VariableContent()
    default: ProxySettings = ProxySettings()
    groups: Mapping[WorkerClass, ProxySettings] = MappingProxyType({})
    repairs_erased: bool = False
    of_class: Key | None = None
    has_hashed_secrets: bool = False
    secret: str = ""
    plan: ClassPlan | None = None
