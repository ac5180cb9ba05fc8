"""What a target is: a row that says which objects it edits, who reads them, and how it edits them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from krm_fn.carriers.env_list import Provided
from krm_fn.carriers.pod_spec import Container
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Site, read_sites, write_sites
from krm_fn.engine import Draft
from krm_fn.krm.results import Change, Edit, Finding, one_edit
from krm_fn.noproxy import Audience, Readers
from krm_fn.settings import ProxySettings
from krm_fn.targets._around import TargetContext
from krm_fn.targets.data_uses import DataUses, namespace_of

GroupKind = tuple[str, str]
"""API group and kind: ``("apps", "Deployment")``; the group of ``v1`` is empty."""
Data = Mapping[str, Any]
"""One object as plain data; any field may be missing, null or of a wrong type."""
Options = Mapping[str, Any]
"""``spec.targets.<id>``, checked against the schema; defaults are not filled in."""


@dataclass(frozen=True)
class Context:
    """What a target knows besides the object.

    Attributes:
        options: ``spec.targets.<id>``.
        settings: the proxy that the object is to get, with its Cluster, certificates and mirror;
            empty where the object is only read, and where the proxy is removed.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy.
    """

    options: Options = field(default_factory=dict)
    settings: ProxySettings = field(default_factory=ProxySettings)
    uses: DataUses = field(default_factory=DataUses)


def provided(draft: Draft, container: Container, context: Context) -> Provided:
    """Return what a container of an object gets from ConfigMaps and Secrets of the list."""
    return context.uses.provided(namespace_of(draft.data), container)


Sites = Callable[[Draft, Context], Iterable[Site]]
"""Yield the places of an object that hold proxy variables; report what keeps the object from having one."""

Propose = Callable[[Data, ProxySettings, Options], Iterator[Change | Finding]]
"""Yield what differs between an object and the desired state.

Empty settings mean that every trace of a proxy is removed. The operations of all Changes hold when
applied to the object one after another; the object itself is not changed.
"""
Observe = Callable[[Data, Options], Iterator[Reading]]
"""Yield what an object sets in the place of a target, whoever wrote it, as its reader sees it."""
ProposeIn = Callable[[Data, ProxySettings, TargetContext], Iterator[Change | Finding]]
"""As ``Propose``, for an object whose desired state depends on other objects of the list."""
Companions = Callable[[Data, ProxySettings, Options], Iterator[dict[str, Any]]]
"""Yield objects that must be in the list beside another one, without a proxy: ``propose`` fills them."""
OptionsFrom = Callable[[Mapping[str, Options]], Options]
"""Return the options of a target from ``spec.targets`` as a whole."""


@dataclass(frozen=True)
class Creation:
    """How a target creates objects that the list lacks.

    ``companions`` yields them for each object whose kind is in ``beside``. Each one has the label
    that ``_made`` describes, and ``propose`` removes it once nothing is left in it.
    """

    beside: frozenset[GroupKind]
    companions: Companions


@dataclass(frozen=True)
class Target:
    """One place in which a proxy is written, in objects of some kinds.

    Attributes:
        id: its key under ``spec.targets``.
        kinds: the objects that it edits.
        audience: who reads NO_PROXY there.
        sites: yields the places that it reads and writes.
        propose: yields what has to change, for a target without ``sites``.
        observe: yields what is there, for a target without ``sites``.
        text_hints: words of which at least one is in the text of every object that it edits, so that
            others need not be read; without hints all objects of its kinds are read.
        creates: how it creates missing objects; None if it creates none.
        propose_in: takes the place of ``propose`` for objects that depend on others: a ClusterClass,
            and a Cluster whose groups of workers have proxies of their own.
        options_from: where options of other targets count, too.
        kinds_of: the kinds that its options name, besides ``kinds``.
        readers_of: who reads what is written into one object, where that is not ``audience``.
        one_proxy_for_all_nodes: its place holds one proxy for all nodes of a Cluster.
        takes_proxy_of_a_role: the machines of all roles share its place; without a proxy for the
            Cluster it gets the one of a role.
        is_concerned_without_proxy: it writes certificates or a mirror, or reports them, where
            nothing declares a proxy.
        only_reports: it writes nothing.
        has_names_of_its_author: the author of the object chooses which variables it sets.
    """

    id: str
    kinds: frozenset[GroupKind]
    audience: Audience
    sites: Sites | None = None
    propose: Propose | None = None
    observe: Observe | None = None
    text_hints: tuple[str, ...] = ()
    creates: Creation | None = None
    propose_in: ProposeIn | None = None
    options_from: OptionsFrom | None = None
    kinds_of: Callable[[Options], frozenset[GroupKind]] | None = None
    readers_of: Callable[[Data, Options], Readers] | None = None
    one_proxy_for_all_nodes: bool = False
    takes_proxy_of_a_role: bool = False
    is_concerned_without_proxy: bool = False
    only_reports: bool = False
    has_names_of_its_author: bool = False

    def options(self, given: Mapping[str, Options]) -> Options:
        """Return the options of this target, given ``spec.targets`` as a whole."""
        if self.options_from is not None:
            return self.options_from(given)
        return given.get(self.id, {})

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
        if self.propose is not None:
            yield from one_edit(self.propose(data, context.settings, context.options))
        if self.sites is None:
            return
        draft = Draft(data)
        edit = write_sites(draft, self.sites(draft, context), context.settings.variables())
        yield from draft.findings
        if edit is not None:
            yield edit

    def read(self, data: Data, options: Options, uses: DataUses | None = None) -> Iterator[Reading]:
        """Yield what an object sets in the places of the target, whoever wrote it, as its reader sees it."""
        if self.observe is not None:
            yield from self.observe(data, options)
        if self.sites is not None:
            context = Context(options, uses=uses or DataUses())
            yield from read_sites(self.sites(Draft(data), context))
