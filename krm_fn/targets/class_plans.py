"""What a plan asks about the ClusterClasses of a list, and the answers for a list without any."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from krm_fn.clusters.model import Memberships
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.settings import Resolved
from krm_fn.targets.class_context import ClassContext

ALL_NODES = ("", "")
"""The nodes of a Cluster of which nothing else is said, in ``Topology.nodes_of``."""


class ClassEdit(NamedTuple):
    """The nodes of a ClusterClass, or of a Cluster of one, the proxy that they get, and what is known of the list."""

    memberships: Memberships
    resolved: Resolved
    context: ClassContext


class TemplateRules(NamedTuple):
    """How the classes of a template change what targets do with it.

    Attributes:
        kept: the targets that leave it as it is, because a class keeps patches of an earlier run.
        emptied: the targets that write nothing into it, because its classes give nodes what they would write.
        notes: target -> what is to be said where it would write a proxy.
        is_awaited: a class is patched only once somebody has changed its templates. A run that began the configuration
            of such a template would make the next run patch the class.
    """

    kept: Collection[str] = ()
    emptied: Collection[str] = ()
    notes: Mapping[str, Sequence[Result]] = MappingProxyType({})
    is_awaited: bool = False


NO_RULES = TemplateRules()
"""Those of a template of no class, or of classes that leave the proxy to it."""


class ClassPlans:
    """The answers for a list in which no ClusterClass is, and no Cluster of one.

    Attributes:
        kinds: the kinds of objects that ``edit_of`` is to be asked for.
        words: words of which one is in the text of each such object; empty for all of them.
    """

    kinds: Texts = ()
    words: Texts = ()

    def rules_of(self, template: Object) -> TemplateRules:
        """Return what the classes of a template say."""
        return NO_RULES

    def edit_of(self, obj: Object) -> ClassEdit | None:
        """Return how a ClusterClass, or a Cluster of one, is edited; None where it stays as it is."""
        return None
