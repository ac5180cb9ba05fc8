"""What a target is: a row that says which objects it edits, who reads them, and how it edits them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from krm_fn.carriers.data_uses import DataUses, DataUsesReader
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Places, read_sites, write_sites
from krm_fn.engine import Draft
from krm_fn.krm.results import Edit, Finding
from krm_fn.noproxy import Audience, Readers
from krm_fn.settings import ProxySettings
from krm_fn.targets.class_context import ClassContext

GroupKind = tuple[str, str]
"""API group and kind: ``("apps", "Deployment")``; the group of ``v1`` is empty."""
Data = Mapping[str, Any]
"""One object as plain data; any field may be missing, null or of a wrong type."""
Options = Mapping[str, Any]
"""``spec.targets.<id>``, checked against the schema; defaults are not filled in."""
NO_OPTIONS: Options = MappingProxyType({})
"""Those of a target that is not named there."""


class Context(NamedTuple):
    """What a target knows besides the object.

    Attributes:
        options: ``spec.targets.<id>``.
        settings: the proxy that the object is to get, with its Cluster, certificates and mirror;
            empty where the object is only read, and where the proxy is removed.
        settings_of_rule: name of a rule in a Kyverno policy -> the proxy of that rule; None where
            all rules have the one of the object.
        class_context: what a target knows of the list around its object; None where nothing is known.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy.
        names_in_use: group, kind, namespace and name of the objects of the list that have a kind to which
            the target converts others, and of those that others name, so that they must not be converted.
        is_whole: another object of the list refers to the object, and no other file has one of its name: it is
            no patch.
    """

    options: Options = NO_OPTIONS
    settings: ProxySettings = ProxySettings()
    settings_of_rule: Callable[[str], ProxySettings] | None = None
    class_context: ClassContext | None = None
    uses: DataUses = DataUses()
    names_in_use: frozenset[tuple[str, str, str, str]] = frozenset()
    is_whole: bool = False


Sites = Callable[[Draft, Context], Places]
"""Yield the places of an object that hold proxy variables; report what keeps the object from having one."""

Companions = Callable[[Data, ProxySettings, Options], Iterator[dict[str, Any]]]
"""Yield objects that must be in the list beside another one, without a proxy: its sites fill them."""
Generates = Callable[[Options], Iterator[dict[str, Any]]]
"""Yield objects that every list must have with these options, without a proxy: its sites fill them."""
OptionsFrom = Callable[[Mapping[str, Options]], Options]
"""Return the options of a target from ``spec.targets`` as a whole."""


class Creation(NamedTuple):
    """How a target creates objects that the list lacks.

    ``companions`` yields them for each object whose kind is in ``beside``. Each one has the label
    that ``_created`` describes, and a site removes it once nothing is left in it. ``option`` is the
    option of the target that asks for them; "" where the settings decide.
    """

    beside: frozenset[GroupKind]
    companions: Companions
    option: str = ""

    def is_wanted(self, options: Options) -> bool:
        """Return whether the options of the target ask for objects."""
        return not self.option or bool(options.get(self.option))


class DataReferences(NamedTuple):
    """The ConfigMaps and Secrets to which objects refer.

    Attributes:
        note: notes in the first argument what an object refers to, given the options of the target.
        is_of_any_kind: the objects are not those that the target edits, but any.
    """

    note: Callable[[DataUsesReader, Data, Options], None]
    is_of_any_kind: bool = False


class NodeUpdate(NamedTuple):
    """What a system other than Cluster API does with the nodes of an object that changes.

    Attributes:
        is_rolled: it replaces the nodes; else they keep what they have.
        why: the reason, as ``explain`` shows it.
    """

    is_rolled: bool
    why: str


class Target(NamedTuple):
    """One place in which a proxy is written, in objects of some kinds.

    Attributes:
        id: its key under ``spec.targets``.
        kinds: the objects that it edits.
        audience: who reads NO_PROXY there.
        sites: yields the places that it reads and writes.
        text_hints: words of which at least one is in the text of every object that it edits, so that
            others need not be read; without hints all objects of its kinds are read.
        hints_from: returns them where they depend on its options.
        creates: how it creates missing objects beside others; None if it creates none.
        generates: yields the objects that its options ask for, whatever is in the list; None if it has
            no such option. A site removes each one that is not asked for any more.
        options_from: where options of other targets count, too.
        kinds_of: the kinds that its options name, besides ``kinds``.
        readers_of: who reads what is written into one object, where that is not ``audience``.
        one_proxy_for_all_nodes: its place holds one proxy for all nodes of a Cluster.
        takes_proxy_of_a_role: the machines of all roles share its place; without a proxy for the
            Cluster it gets the one of a role.
        is_concerned_without_proxy: it writes certificates or a mirror, or reports them, where
            nothing declares a proxy.
        only_reports: it writes nothing.
        writes_groups_of_workers: it writes a proxy of its own for each group of workers of a Cluster.
        has_names_of_its_author: the author of the object chooses which variables it sets.
        references: what its objects refer to; None if no target fills that.
        fills_references: it writes the ConfigMaps and Secrets that others refer to.
        refuses: returns whether the author of such an object says that it stays as it is.
        edits_last: it edits objects by what all other targets leave in them; ``plan`` asks it after them.
        names_of_rules: returns the names of the rules of a policy, which overrides can match.
        outdated: returns what is wrong with an object whatever proxy it has; the linter reports it.
        converts_to: the kinds to which its options make it convert other objects, and those of ``names_kept``.
        names_kept: returns group, kind, namespace and name of the objects that must not be converted, because
            another one names them.
        sets_up_nodes: a product sets up nodes with what it writes, although its audience is no node.
        node_update: what happens to nodes; None where that follows from the rules of Cluster API.
        drops: whether its sites remove an object as a whole with some options, whatever its proxy is.
    """

    id: str
    kinds: frozenset[GroupKind]
    audience: Audience
    sites: Sites
    text_hints: tuple[str, ...] = ()
    hints_from: Callable[[Options], tuple[str, ...]] | None = None
    creates: Creation | None = None
    generates: Generates | None = None
    options_from: OptionsFrom | None = None
    kinds_of: Callable[[Options], frozenset[GroupKind]] | None = None
    readers_of: Callable[[Data, Options], Readers] | None = None
    one_proxy_for_all_nodes: bool = False
    takes_proxy_of_a_role: bool = False
    is_concerned_without_proxy: bool = False
    only_reports: bool = False
    writes_groups_of_workers: bool = False
    has_names_of_its_author: bool = False
    references: DataReferences | None = None
    fills_references: bool = False
    refuses: Callable[[Data], bool] | None = None
    edits_last: bool = False
    names_of_rules: Callable[[Data], Iterable[str]] | None = None
    outdated: Callable[[Data], Finding | None] | None = None
    converts_to: Callable[[Options], frozenset[GroupKind]] | None = None
    names_kept: Callable[[Data], Iterable[tuple[str, str, str, str]]] | None = None
    sets_up_nodes: bool = False
    node_update: NodeUpdate | None = None
    drops: Callable[[Data, Options], bool] | None = None

    def options(self, given: Mapping[str, Options]) -> Options:
        """Return the options of this target, given ``spec.targets`` as a whole."""
        if self.options_from is not None:
            return self.options_from(given)
        return given.get(self.id, NO_OPTIONS)

    def hints(self, options: Options) -> tuple[str, ...]:
        """Return words of which one is in the text of every object that it edits with these options."""
        return self.hints_from(options) if self.hints_from is not None else self.text_hints

    def all_kinds(self, options: Options) -> frozenset[GroupKind]:
        """Return the kinds of the objects that it edits with these options."""
        return self.kinds | self.kinds_of(options) if self.kinds_of is not None else self.kinds

    def readers(self, data: Data, options: Options) -> Readers:
        """Return who reads what is written into an object."""
        if self.readers_of is not None:
            return self.readers_of(data, options)
        return Readers(self.audience)

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
        return any(True for _ in self.sites(Draft(data), asked))

    def read(self, data: Data, options: Options, uses: DataUses | None = None) -> Iterator[Reading]:
        """Yield what an object sets in the places of the target, whoever wrote it, as its reader sees it."""
        context = Context(options, uses=uses or DataUses())
        yield from read_sites(self.sites(Draft(data), context))
