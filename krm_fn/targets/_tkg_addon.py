"""The add-ons of Tanzu Kubernetes Grid: where a proxy stands in the data values of one, and in its configuration.

It knows how TKG keeps data values, and no product; a target brings the table of its own. Data
values of another add-on, and overlays, are read and left as they are.

Sources: ``vmware-tanzu/tanzu-framework`` release-0.29, ``providers/ytt/02_addons`` (the type of the Secrets, their
annotation, label and header), ``providers/yttcb/clusterbootstrap.yaml`` (the other type), ``apis/addonconfigs`` and
``apis/run`` (the configuration resources).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from krm_fn.carriers import certificates
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.three_keys import ThreeKeys
from krm_fn.engine.member_edits import MemberEdits, together
from krm_fn.formats.embedded import Embedded, Value, read, values
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import ytt
from krm_fn.targets._whole_text import given_back
from krm_fn.targets.embedded_edits import in_documents

SECRET = ("", "Secret")
TEXT_HINTS = ("tkg.tanzu.vmware.com/addon", "clusterbootstrap-secret")
"""One of them stands in every Secret with data values of an add-on: its type."""

_NAME = ("metadata", "labels", "tkg.tanzu.vmware.com/addon-name")
_TYPE = ("metadata", "annotations", "tkg.tanzu.vmware.com/addon-type")

_NO_VALUES = (
    "there is no `values.yaml` in it, so {} get no proxy: add it with what TKG writes "
    "there, or delete the Secret"
)


@dataclass(frozen=True)
class AddOn:
    """One product: its ``name`` in label and annotation, and the ``slot`` in its data values.

    A document with the member ``mark`` is its data values, unless one of the members of ``unless`` has that value.
    ``certificates`` is what the member beside the three is called that holds certificates to trust, if there is one.
    """

    name: str
    mark: str
    slot: ThreeKeys
    unless: Mapping[str, str] = field(default_factory=dict)
    certificates: str = ""

    def owns(self, data: Any) -> bool:
        """Whether ``data`` is a document of its data values."""
        return isinstance(data, Mapping) and self.mark in data and not self.passes_by(data)

    def passes_by(self, data: Any) -> bool:
        """Whether ``data`` are values of a place where nothing reads a proxy."""
        return any(lookup(data, (name,)) == value for name, value in self.unless.items())


@dataclass(frozen=True)
class Config:
    """A configuration resource; ``mode`` is where it says how the product runs, and ``without`` what has no proxy.

    ``certificates`` as for an AddOn.
    """

    slot: ThreeKeys
    mode: tuple[str, ...] = ()
    without: str = ""
    certificates: str = ""

    def passes_by(self, obj: Mapping[str, Any]) -> bool:
        """Whether the product runs in a mode in which nothing reads a proxy."""
        return bool(self.without) and lookup(obj, self.mode) == self.without


@dataclass(frozen=True)
class Table:
    """What one target looks at: data values of ``addons``, and ``configs`` by (API group, kind)."""

    addons: tuple[AddOn, ...]
    configs: Mapping[tuple[str, str], Config] = field(default_factory=dict)

    @property
    def kinds(self) -> frozenset[tuple[str, str]]:
        """``KINDS`` of the target."""
        return frozenset({SECRET, *self.configs})

    @property
    def words(self) -> tuple[str, ...]:
        """``TEXT_HINTS`` of the target."""
        return (*TEXT_HINTS, *sorted({group for group, _ in self.configs}))


def propose(
    obj: Mapping[str, Any], table: Table, settings: ProxySettings
) -> Iterator[Change | Finding]:
    """What an object of the table lacks or has too much."""
    config = _config(obj, table)
    if config is not None:
        made, problems = together(obj, _parts(config, settings))
        yield from problems
        yield from made.changes()
    if _is_data_values(obj):
        yield from _propose_values(obj, table.addons, settings)


def observe(obj: Mapping[str, Any], table: Table) -> Iterator[Reading]:
    """What an object of the table says, whoever wrote it."""
    config = _config(obj, table)
    if config is not None:
        yield from config.slot.read(obj)
    for addon in table.addons if _is_data_values(obj) else ():
        for document in _all_documents(_texts(obj)):
            if addon.owns(document.data) or (
                _name(obj) == addon.name and not addon.passes_by(document.data)
            ):
                yield from addon.slot.read(document.data, document.value.path)


def _propose_values(
    obj: Mapping[str, Any], addons: tuple[AddOn, ...], settings: ProxySettings
) -> Iterator[Change | Finding]:
    name, texts = _name(obj), _texts(obj)
    if not name or name in {addon.name for addon in addons}:
        yield from (reported for reported in texts if isinstance(reported, Finding))
    made: list[tuple[Embedded, MemberEdits | Finding]] = []
    for addon in addons:
        ours = [document for document in _all_documents(texts) if addon.owns(document.data)]
        home = _home(texts) if name == addon.name else None
        if home is not None and not home.documents and not ours:
            yield from _begin(home.value, together({}, _parts(addon, settings))[0])
        elif name == addon.name and not texts and settings.variables():
            yield Finding(Severity.WARNING, _NO_VALUES.format(addon.slot.what), code="NoValues")
        first = home.documents[:1] if home is not None else []
        is_home = ours in ([], first)
        for document in ours or first:
            made += ((document, one) for one in _edits(document, addon, settings, is_home=is_home))
    plain = [
        text.value
        for text in texts
        if isinstance(text, _ValuesText) and "#@" not in text.value.text
    ]
    empty = [f"{addon.slot.path[0]}: {{}}" if addon.slot.path else "{}" for addon in addons]
    yield from (given_back(plain, empty, reported) for reported in in_documents(made))


def _home(texts: list[_ValuesText | Finding]) -> _ValuesText | None:
    """The text in which data values stand that lack the product's own mapping."""
    known = (text for text in texts if isinstance(text, _ValuesText))
    return next((text for text in known if text.value.path[-1].startswith("values.")), None)


def _begin(value: Value, made: MemberEdits) -> Iterator[Change | Finding]:
    if made.operations:
        yield ytt.begun(value, made)


def _edits(
    document: Embedded, addon: AddOn, settings: ProxySettings, *, is_home: bool
) -> Iterator[MemberEdits | Finding]:
    """The edit of one document, and what is in its way; ``is_home``: the mapping of the product may be made there."""
    if addon.passes_by(document.data):
        return
    made, problems = _checked(document, addon, settings, is_home=is_home)
    if isinstance(made, Finding) and addon.certificates and settings.trusted_ca.pem:
        alone, _ = _checked(document, replace(addon, certificates=""), settings, is_home=is_home)
        problems = [*problems, made] if isinstance(alone, MemberEdits) else problems
        made = alone
    yield from problems
    yield made


def _checked(
    document: Embedded, addon: AddOn, settings: ProxySettings, *, is_home: bool
) -> tuple[MemberEdits | Finding, list[Finding]]:
    made: MemberEdits | Finding = MemberEdits(())
    problems: list[Finding] = []
    for slot in _slots(addon.slot, document.data, is_home=is_home):
        one, problems = together(document.data, _parts(replace(addon, slot=slot), settings))
        made = ytt.checked(document, one, _members(addon, settings))
        if isinstance(made, MemberEdits):
            break
    return made, problems


def _slots(slot: ThreeKeys, data: Any, *, is_home: bool) -> Iterator[ThreeKeys]:
    if is_home and slot.path and isinstance(data, Mapping) and len(data) > 1:
        yield replace(slot, kept=0)
    yield slot


def _members(addon: AddOn, settings: ProxySettings) -> list[Pointer]:
    """What is given a value in a document."""
    has_certificates = addon.certificates and settings.trusted_ca.pem
    certificates = [(*addon.slot.path, addon.certificates)] if has_certificates else []
    return [*(addon.slot.members if settings.is_declared else ()), *certificates]


def _parts(
    product: AddOn | Config, settings: ProxySettings
) -> list[Callable[[Any], MemberEdits | Finding]]:
    """What is to be done to values of a product, one after another."""
    pem = settings.trusted_ca.pem
    slot = replace(
        product.slot, keys=replace(product.slot.keys, is_fixed=True)
    )  # TKG's schemas know texts only
    parts: list[Callable[[Any], MemberEdits | Finding]] = []
    if settings.is_declared:
        parts.append(partial(slot.edit, settings=settings))
    if product.certificates and (pem or settings.is_declared):
        path = (*slot.path, product.certificates)
        parts.append(partial(certificates.edit, path=path, pem=pem, kept=slot.kept))
    return parts


@dataclass(frozen=True)
class _ValuesText:
    """One value of a Secret, and the documents in it."""

    value: Value
    documents: list[Embedded]


def _texts(obj: Mapping[str, Any]) -> list[_ValuesText | Finding]:
    """The values that are YAML by their name, and what is wrong where one cannot be read."""
    found: list[_ValuesText | Finding] = []
    for value in values(obj):
        if isinstance(value, Finding):
            found += [value] if len(value.path) == 1 or _is_yaml(value.path[-1]) else []
        elif _is_yaml(value.path[-1]):
            documents = read(value)
            found.append(
                documents if isinstance(documents, Finding) else _ValuesText(value, documents)
            )
    return found


def _all_documents(texts: list[_ValuesText | Finding]) -> Iterator[Embedded]:
    for text in texts:
        yield from text.documents if isinstance(text, _ValuesText) else ()


def _is_yaml(key: str) -> bool:
    return key.endswith((".yaml", ".yml"))


def _is_data_values(obj: Mapping[str, Any]) -> bool:
    return obj.get("kind") == "Secret" and obj.get("type") in TEXT_HINTS


def _config(obj: Mapping[str, Any], table: Table) -> Config | None:
    group = str(obj.get("apiVersion")).rpartition("/")[0]
    config = table.configs.get((group, str(obj.get("kind"))))
    return None if config is None or config.passes_by(obj) else config


def _name(obj: Mapping[str, Any]) -> str:
    """The name of the add-on by its label, or by its annotation, which is ``<group>/<name>``; "" if it has none."""
    found = lookup(obj, _NAME) or lookup(obj, _TYPE)
    return found.rpartition("/")[2] if isinstance(found, str) else ""
