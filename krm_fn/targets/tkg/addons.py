"""The add-ons of Tanzu Kubernetes Grid: the proxy in their data values and in their configuration.

A target is a table of products: see ``vsphere_cpi`` and its neighbours. Data values of another
add-on, and overlays, are read and left as they are.

Sources: ``vmware-tanzu/tanzu-framework`` release-0.29, ``providers/ytt/02_addons`` (the type of
the Secrets, their annotation, label and header), ``providers/yttcb/clusterbootstrap.yaml`` (the
other type), ``apis/addonconfigs`` and ``apis/run`` (the configuration resources).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from krm_fn.carriers.certificate_text import CertificateText
from krm_fn.carriers.documents import DocumentDraft, DocumentSites, SitesOf, TextDraft
from krm_fn.carriers.site import Site, Variables
from krm_fn.carriers.three_keys import ThreeKeys
from krm_fn.engine import Draft
from krm_fn.formats.embedded import values
from krm_fn.formats.ytt import YttSyntax
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup
from krm_fn.products import tkg
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Target

SECRET = ("", "Secret")
_NAME = ("metadata", "labels", tkg.ADD_ON_NAME_LABEL)
_TYPE = ("metadata", "annotations", tkg.ADD_ON_TYPE_ANNOTATION)


@dataclass(frozen=True)
class AddOn:
    """One product with data values.

    Attributes:
        name: the product in label and annotation of the Secret.
        mark: a document with this member is its data values.
        slot: where its proxy is in them.
        unless: a document in which one of these members has that value is for a place where
            nothing reads a proxy.
        certificates: the member beside the three that holds certificates to trust; "" if there
            is none.
    """

    name: str
    mark: str
    slot: ThreeKeys
    unless: Mapping[str, str] = field(default_factory=dict)
    certificates: str = ""

    def owns(self, data: Any) -> bool:
        """Return whether a document is data values of the product in which it reads a proxy."""
        return isinstance(data, Mapping) and self.mark in data and not self.reads_no_proxy(data)

    def reads_no_proxy(self, data: Any) -> bool:
        """Return whether a document is for a place where nothing reads a proxy."""
        return any(lookup(data, (name,)) == value for name, value in self.unless.items())

    @property
    def empty(self) -> str:
        """The document of which nothing but the mapping of the product is left."""
        return f"{self.slot.path[0]}: {{}}" if self.slot.path else "{}"


@dataclass(frozen=True)
class Config:
    """A configuration resource of a product.

    Attributes:
        slot: where its proxy is.
        mode: leads to the field that says how the product runs.
        without: the mode in which nothing reads a proxy; "" if there is none.
        certificates: as for an AddOn.
    """

    slot: ThreeKeys
    mode: tuple[str, ...] = ()
    without: str = ""
    certificates: str = ""

    def reads_no_proxy(self, obj: Mapping[str, Any]) -> bool:
        """Return whether the product runs in a mode in which nothing reads a proxy."""
        return bool(self.without) and lookup(obj, self.mode) == self.without


class AddOnTarget(Target):
    """What edits data values of ``addons``, and ``configs`` by (API group, kind).

    Args:
        id_: its key under ``spec.targets``.
        addons: the products.
        configs: their configuration resources.
    """

    audience = Audience.GO

    def __init__(
        self,
        id_: str,
        addons: tuple[AddOn, ...],
        configs: Mapping[tuple[str, str], Config] = MappingProxyType({}),
    ) -> None:
        self.id = id_
        self.kinds = frozenset({SECRET, *configs})
        self._addons = addons
        self._configs = configs

    def sites(self, draft: Draft, context: Context) -> Iterator[Site | DocumentSites]:
        """Yield the places of a proxy in a Secret with data values, or in a configuration."""
        obj = draft.data
        config = self._configs.get(group_kind(obj))
        if config is not None and not config.reads_no_proxy(obj):
            if context.settings.is_declared:
                yield _slot(config).in_draft(draft)
            if _has_certificates(config, context.settings):
                yield _certificates(config, draft, context.settings)
        if obj.get("kind") == "Secret" and obj.get("type") in tkg.ADD_ON_SECRET_TYPES:
            yield from _data_values(draft, context.settings, self._addons)


class _AddOnSites(DocumentSites):
    """The sites of a product in one document of data values.

    Args:
        document: the document.
        sites: yields them; they may remove the mapping of the product with its last member.
        members: what they give a value.
        keeping: yields the same, but they leave that mapping.
        mapping: leads to it; () if the members are at the root.
    """

    def __init__(
        self,
        document: DocumentDraft,
        sites: SitesOf,
        members: Iterable[Pointer],
        keeping: SitesOf,
        mapping: Pointer,
    ) -> None:
        super().__init__(document, sites, YttSyntax(members))
        self._keeping = keeping
        self._mapping = mapping

    def write_text(self, variables: Variables) -> Finding | None:
        """Write what changed.

        Where an annotation of ytt holds the mapping that would go, it stays and is empty.
        """
        goes = self.draft.get(self._mapping) is None
        problem = super().write_text(variables)
        if problem is None or not goes or self.draft.get(self._mapping) is None:
            return problem
        for site in self._keeping(self.draft):
            site.write(variables)
        return super().write_text(variables)


def _data_values(
    draft: Draft, settings: ProxySettings, addons: tuple[AddOn, ...]
) -> Iterator[DocumentSites]:
    name = _product_name(draft.data)
    texts, problems = _texts(draft, addons)
    if not name or name in {addon.name for addon in addons}:
        draft.findings += problems
    for addon in addons:
        ours = [
            document
            for text in texts
            for document in text.documents
            if addon.owns(document.draft.data)
        ]
        home = _home(texts) if name == addon.name else None
        if home is not None and not home.documents and not ours:
            yield from _document_sites(home.text.new_document(), addon, settings, is_home=False)
        elif name == addon.name and not texts and not problems and settings.sets_any:
            _report_no_values(draft, addon)
        first = home.documents[:1] if home is not None else []
        is_home = ours in ([], first)
        for document in ours or first:
            yield from _document_sites(document, addon, settings, is_home=is_home)


def _document_sites(
    document: DocumentDraft, addon: AddOn, settings: ProxySettings, *, is_home: bool
) -> Iterator[DocumentSites]:
    """Yield the sites of a product in a document.

    ``is_home``: the mapping of the product may be created, and removed, there. Certificates are
    written apart from the proxy, so that the proxy is written where code decides about them.
    """
    data = document.draft.data
    if addon.reads_no_proxy(data):
        return
    goes = is_home and bool(addon.slot.path) and isinstance(data, Mapping) and len(data) > 1
    removing = replace(addon, slot=addon.slot._replace(kept=0)) if goes else addon
    mapping = addon.slot.path[:1] if goes else ()
    if settings.is_declared:
        yield _AddOnSites(
            document,
            lambda draft: [_slot(removing).in_draft(draft)],
            addon.slot.members,
            lambda draft: [_slot(addon).in_draft(draft)],
            mapping,
        )
    if _has_certificates(addon, settings) and not document.is_refused:
        path = (*addon.slot.path, addon.certificates)
        yield _AddOnSites(
            document,
            lambda draft: [_certificates(removing, draft, settings)],
            [path] if settings.trusted_ca.pem else [],
            lambda draft: [_certificates(addon, draft, settings)],
            mapping,
        )


def _slot(product: AddOn | Config) -> ThreeKeys:
    """Return where the three members are; the schemas of TKG allow texts only."""
    return product.slot._replace(keys=product.slot.keys._replace(is_fixed=True))


def _has_certificates(product: AddOn | Config, settings: ProxySettings) -> bool:
    """Return whether our own certificates are to be written or removed."""
    is_asked_for = bool(settings.trusted_ca.pem) or settings.is_declared
    return bool(product.certificates) and is_asked_for


def _certificates(
    product: AddOn | Config, draft: Draft, settings: ProxySettings
) -> CertificateText:
    path = (*product.slot.path, product.certificates)
    return CertificateText(draft, path, settings.trusted_ca.pem, product.slot.kept)


@dataclass(frozen=True)
class _ValuesText:
    """One text of a Secret, and the documents in it."""

    text: TextDraft
    documents: list[DocumentDraft]


def _texts(draft: Draft, addons: Iterable[AddOn]) -> tuple[list[_ValuesText], list[Finding]]:
    """Return the texts that are YAML by their name, and what is wrong where one cannot be read."""
    texts: list[_ValuesText] = []
    problems: list[Finding] = []
    for value in values(draft.data):
        if len(value.path) > 1 and not value.path[-1].endswith((".yaml", ".yml")):
            continue
        if isinstance(value, Finding):
            problems.append(value)
            continue
        # What ytt reads above an empty document may be about its members, so that document stays.
        empty = () if "#@" in value.text else [addon.empty for addon in addons]
        text = TextDraft(draft, value, empty)
        documents = text.documents()
        if isinstance(documents, Finding):
            problems.append(documents)
        else:
            texts.append(_ValuesText(text, documents))
    return texts, problems


def _home(texts: Iterable[_ValuesText]) -> _ValuesText | None:
    """Return the text that holds the data values of a product that have no mapping of it yet."""
    for text in texts:
        if text.text.value.path[-1].startswith("values."):
            return text
    return None


def _report_no_values(draft: Draft, addon: AddOn) -> None:
    message = (
        f"there is no `values.yaml` in it, so {addon.slot.label} get no proxy: add it with what "
        "TKG writes there, or delete the Secret"
    )
    draft.report(Severity.WARNING, message, code="NoValues")


def _product_name(obj: Mapping[str, Any]) -> str:
    """Return the name of the add-on, "" for none: its label, or its annotation ``<group>/<name>``."""
    found = lookup(obj, _NAME) or lookup(obj, _TYPE)
    return found.rpartition("/")[2] if isinstance(found, str) else ""
