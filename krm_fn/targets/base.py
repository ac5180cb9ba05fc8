"""What a target is: which objects it edits, who reads them, and how it edits them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from krm_fn.carriers.data_uses import NO_USES, DataUses
from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Places, Site, has_site, read_sites, write_sites
from krm_fn.engine import Draft
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Edit, Finding
from krm_fn.light_typing import TYPE_CHECKING, Any, NamedTuple
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Pointer
from krm_fn.settings import ProxySettings
from krm_fn.target_table import ROWS
from krm_fn.targets.context import (
    NO_OPTIONS,
    Context,
    Data,
    GroupKind,
    ObjectName,
    Options,
    Reach,
    Writes,
)

if TYPE_CHECKING:
    from krm_fn.carriers.data_references import DataUsesReader  # few objects refer to any

__all__ = [
    "NO_OPTIONS",
    "Companions",
    "Context",
    "Creation",
    "Data",
    "FileForm",
    "GroupKind",
    "NodeSecret",
    "NodeUpdate",
    "ObjectName",
    "Options",
    "Present",
    "Reach",
    "Target",
    "Writes",
]

Companions = Callable[[Data, ProxySettings, Options], Iterator[dict[str, Any]]]
"""Yield objects that must be in the list beside another one, without a proxy: its sites fill them."""
Present = Callable[[frozenset[GroupKind]], Iterable[tuple[Object, bool]]]
"""Yield the objects of some kinds that the list has or gets, each with whether the run may change it."""


def _nothing(*_: object) -> Iterator[dict[str, Any]]:
    """Yield no object."""
    yield from ()


def _no_names(options: Options, present: Present) -> frozenset[ObjectName]:
    """Return no name."""
    return frozenset()


class Creation(NamedTuple):
    """How a target creates objects that the list lacks.

    Attributes:
        beside: the kinds of the objects beside which it creates others.
        companions: yields these. Each one has the label that ``created_objects`` describes, and a site removes it
            once nothing is left in it.
        option: the option of the target that asks for them; "" where the settings decide.
        generated: yields objects that every list must have with some options, without a proxy: its sites fill them,
            and remove each one that is not asked for any more.
        names_in_use: returns the names that it must not give to an object, which it asks of the list before any edit.
    """

    beside: frozenset[GroupKind] = frozenset()
    companions: Companions = _nothing
    option: str = ""
    generated: Callable[[Options], Iterator[dict[str, Any]]] = _nothing
    names_in_use: Callable[[Options, Present], frozenset[ObjectName]] = _no_names

    def is_wanted(self, options: Options) -> bool:
        """Return whether the options of the target ask for objects."""
        return not self.option or bool(options.get(self.option))


class FileForm(NamedTuple):
    """A plain file of a product, which a target fills as it fills objects.

    Attributes:
        audience: who reads the list of the file.
        sites: yields the sites of its document.
        members: what is given a value there, in a system that reads the file with ytt.
        problem: returns what keeps a proxy from being written into it; None for nothing.
    """

    audience: Audience
    sites: Callable[[Draft, ProxySettings], Iterable[Site]]
    members: tuple[Pointer, ...] = ()
    problem: Callable[[ProxySettings], Finding | None] | None = None


class NodeUpdate(NamedTuple):
    """What happens to the nodes of an object that changes, because a product sets them up with it.

    Attributes:
        is_rolled: the product replaces the nodes; if False, they keep what they have; None where the rules of
            Cluster API say it.
        why: the reason, as ``explain`` shows it.
    """

    is_rolled: bool | None = None
    why: str = ""


class NodeSecret(NamedTuple):
    """The Secret from which the nodes of a Cluster take files, and the keys that they take.

    ``name`` is "" where none of them has a proxy, and where an object is for many Clusters.
    """

    name: str
    keys: tuple[str, ...]


class Target:
    """One place in which a proxy is written, in objects of some kinds.

    A target sets ``id``, ``kinds`` and ``audience`` and has ``sites``; of the rest it sets or overrides what
    is different there. The others, from ``all_kinds`` on, are the same for all.

    Attributes:
        id: its key under ``spec.targets``.
        kinds: the objects that it edits.
        audience: who reads NO_PROXY there.
        writes: what it writes.
        reach: which nodes get the proxy that its place holds.
        creates: how it creates objects that the list lacks.
        node_update: what happens to nodes that a product sets up with what it writes; None if none does.
        file: the plain file of a product that it fills, too; None if there is none.
    """

    id: str
    kinds: frozenset[GroupKind]
    audience: Audience
    writes = Writes.PROXY
    reach = Reach.OBJECT
    creates = Creation()
    node_update: NodeUpdate | None = None
    file: FileForm | None = None

    def sites(self, draft: Draft, context: Context) -> Places:
        """Yield the places of an object that hold proxy variables; report what keeps the object from having one."""
        raise NotImplementedError

    def options(self, given: Mapping[str, Options]) -> Options:
        """Return the options of this target, given ``spec.targets`` as a whole."""
        return given.get(self.id, NO_OPTIONS)

    def hints(self, options: Options) -> tuple[str, ...]:
        """Return words of which one is in the text of every object that it edits with these options.

        Others need not be read. Without words all objects of its kinds are read.
        """
        return ROWS[self.id].text_hints

    def readers(self, data: Data, options: Options, uses: DataUses = NO_USES) -> Readers:
        """Return who reads what is written into an object, given what objects of the list refer to."""
        return Readers(self.audience)

    def note_references(self, uses: DataUsesReader, data: Data, options: Options) -> None:
        """Note the ConfigMaps and Secrets from which an object takes a proxy.

        The object has a kind of the target; a target that fills such ConfigMaps and Secrets is asked about any.
        """

    def node_secret(self, data: Data, context: Context) -> NodeSecret | None:
        """Return the Secret from which nodes take files because of what is written into an object.

        None where they take none.
        """
        return None

    def refuses(self, data: Data, options: Options) -> bool:
        """Return whether an object says of itself that it gets no proxy."""
        return False

    def names_of_rules(self, data: Data) -> Iterable[str]:
        """Return the names of the rules of an object, which overrides can match."""
        return ()

    def outdated(self, data: Data) -> Finding | None:
        """Return what is wrong with an object whatever proxy it has; None for nothing."""
        return None

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give the variables of one place other values; nothing is changed where that is not possible.

        Args:
            draft: the data of the object.
            place: everything that the place sets: at least one variable.
            values: what it has to set instead, or besides; a variable that is not named stays as it is.
            options: those with which the place was read.
        """

    def read(self, data: Data, options: Options, uses: DataUses | None = None) -> Iterator[Reading]:
        """Yield what an object sets in the places of the target, whoever wrote it, as its reader sees it."""
        context = Context(options, uses=uses or DataUses())
        yield from read_sites(self.sites(Draft(data), context))

    def all_kinds(self, options: Options) -> frozenset[GroupKind]:
        """Return the kinds of the objects that it edits: its own, and those that the option ``customKinds`` names."""
        custom = options.get("customKinds", ())
        if not custom:
            return self.kinds
        return self.kinds.union((one["group"], one["kind"]) for one in custom)

    def edit(self, data: Data, context: Context) -> Iterator[Edit | Finding]:
        """Yield what there is to say about an object, and at most one Edit that gives it its proxy.

        The object itself is not changed.
        """
        draft = Draft(data)
        edit = self.write(draft, context)
        yield from draft.findings
        if edit is not None:
            yield edit

    def write(self, draft: Draft, context: Context) -> Edit | None:
        """Give a draft the proxy of the context; the draft has the findings afterwards.

        Returns:
            What was changed in the draft since it was made; None where that is nothing.
        """
        return write_sites(draft, self.sites(draft, context), context.settings.variables())

    def has_site(self, data: Data, context: Context) -> bool:
        """Return whether an object has a place that this target writes, whatever is in it now."""
        declared = context.settings._replace(is_declared=True)
        asked = context._replace(settings=declared)
        return has_site(self.sites(Draft(data), asked))
