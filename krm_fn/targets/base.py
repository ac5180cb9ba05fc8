"""The base of all targets: which objects a target edits, who reads them, and how it edits them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from krm_fn.config import TargetOptions
from krm_fn.engine import Draft
from krm_fn.krm.results import Edit, Result
from krm_fn.light_typing import Any, GroupKind, NamedTuple, Texts
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Data
from krm_fn.places.installed_charts import ChartSources
from krm_fn.places.place import Places, Readings, read_places, write_places
from krm_fn.places.provided import DataReference, DataUses, namespace_of
from krm_fn.settings import ProxySettings
from krm_fn.target_table import ROWS
from krm_fn.targets import (
    Context,
    Options,
    Reach,
    Writes,
)
from krm_fn.targets.created_objects import NewObjects, was_created

_SOME_PROXY = ProxySettings("http://proxy.invalid", "http://proxy.invalid", "proxy.invalid")


class FileForm(NamedTuple):
    """A plain file of a product, which a target fills as it fills objects.

    Attributes:
        audience: who reads the list of the file.
        places: yields the places of its document, given the settings, or a finding for a proxy that cannot be written.
    """

    audience: Audience
    places: Callable[[ProxySettings, Any], Places]


class NodeUpdate(NamedTuple):
    """The effect on the nodes of an object that changes, because a product sets them up with it.

    Attributes:
        is_rolled: the product replaces the nodes; if False, they keep what they have; None where the rules of
            Cluster API say it.
        why: the reason, as ``explain`` shows it.
    """

    is_rolled: bool | None = None
    why: str = ""


class Target:
    """One place in which a proxy is written, in objects of some kinds.

    Its row in the table says which objects it edits. A class sets ``audience`` and has ``places``; of the rest it sets
    or overrides only where it differs from others. ``read``, ``write`` and ``edit`` are the same for all.

    Attributes:
        id: its path below ``spec.targets``.
        row: its row in the table of targets.
        audience: who reads NO_PROXY there.
        writes: the kind of its content.
        reach: which nodes get the proxy that its place holds.
        is_service_in_go: one service of a node reads it, which is written in Go.
        node_update: the effect of a change on nodes, if a product sets them up with the object.
        file: the plain file of a product that it fills, too, if there is one.
    """

    audience: Audience
    writes = Writes.PROXY
    reach = Reach.OBJECT
    is_service_in_go = False
    node_update: NodeUpdate | None = None
    file: FileForm | None = None

    def __init__(self, target_id: str) -> None:
        self.id = target_id
        self.row = ROWS[target_id]

    def options(self, all_options: TargetOptions) -> Options:
        """Return the options of this target, out of those of all targets."""
        return all_options.of(self.id)

    def hints(self, options: Options) -> Texts:
        """Return words of which one is in the text of every object that it edits with these options.

        Others need not be read. Without words all objects of its kinds are read.
        """
        return self.row.text_hints

    def readers(self, data: Data, options: Options, uses: DataUses) -> Readers:
        """Return who reads the list in an object, given the ConfigMaps and Secrets that others read."""
        return Readers(self.audience)

    def references(
        self, data: Data, options: Options, sources: ChartSources
    ) -> Iterator[DataReference]:
        """Yield the references to ConfigMaps and Secrets from which an object takes a proxy.

        The object has a kind of the target; a target that fills such ConfigMaps and Secrets is asked about any.
        """
        yield from ()

    def companions(self, data: Data, settings: ProxySettings, options: Options) -> NewObjects:
        """Yield the objects that must be in the list beside one of ``TargetRow.beside``."""
        yield from ()

    def generated(self, options: Options) -> NewObjects:
        """Yield the objects that every list must have; its places remove each one that is not asked for any more."""
        yield from ()

    def node_secret(self, data: Data, context: Context) -> str | None:
        """Return the name of the Secret from which the nodes of an edited object take files.

        Returns:
            "" if no node has a proxy, or the object is for many Clusters; None if nodes take no files from a Secret.
        """
        return None

    def pod_namespaces(self, data: Data, options: Options) -> Texts:
        """Return the namespaces of the pods that read the proxy of an object; "" for one that nothing names."""
        return (namespace_of(data),)

    def outdated(self, data: Data) -> Result | None:
        """Return a finding about an object that holds for any proxy, such as a kind that its product gives up."""
        return None

    def all_kinds(self, options: Options) -> frozenset[GroupKind]:
        """Return the kinds of the objects that it edits: its own, and those that the option ``customKinds`` names."""
        custom = options.get("customKinds", ())
        if not custom:
            return self.row.kinds
        return self.row.kinds.union((kind["group"], kind["kind"]) for kind in custom)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places of an object, and a finding for each one that cannot be written."""
        raise NotImplementedError

    def read(self, data: Data, options: Options) -> Readings:
        """Yield the readings of the places of an object, whoever wrote them."""
        return read_places(data, self.places(data, Context(options)))

    def has_site(self, data: Data, context: Context) -> bool:
        """Return whether an object has a place for a proxy: one would be written there, or refused."""
        draft = Draft(data)
        self.write(draft, context._replace(settings=_SOME_PROXY))
        return bool(draft.edits or draft.findings)

    def write(self, draft: Draft, context: Context) -> None:
        """Give a draft the proxy of the context."""
        write_places(draft, self.places(draft.data, context), context.settings)

    def edit(
        self, data: Data, context: Context, places: Places | None = None
    ) -> Iterator[Edit | Result]:
        """Yield the findings about an object, and at most one Edit that gives it its proxy.

        ``places`` are those of the object in this context, where they are known.
        """
        draft = Draft(data)
        if places is None:
            places = self.places(data, context)
        write_places(draft, places, context.settings)
        if (
            draft.edits
            and not context.settings.sets_any
            and was_created(data)
            and _is_empty(draft.data)
        ):
            draft.remove(())
            draft.describe(
                "removes the object, which inject-proxy created and which holds nothing else"
            )
        yield from draft.findings
        operations = draft.operations()
        if operations:
            yield Edit(operations, ", ".join(draft.descriptions), data=draft.data)


def _is_empty(data: Data) -> bool:
    """Return whether a ConfigMap or a Secret holds nothing."""
    if not data or data.get("kind") not in ("ConfigMap", "Secret"):
        return False
    return not (data.get("data") or data.get("stringData"))
