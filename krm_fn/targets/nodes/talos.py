"""Talos: patches of its machine configuration give the proxy to its services, and to the API server.

Sources: ``siderolabs/cluster-api-bootstrap-provider-talos`` (``api/v1beta1/talosconfig_types.go``;
``controllers/talosconfig_controller.go``: ``strategicPatches`` are merged behind ``configPatches``);
``siderolabs/talos`` ``pkg/machinery/config``: ``types/runtime/environment.go`` (``EnvironmentConfig``, from 1.13 on),
``types/k8s/apiserver.go`` (``KubeAPIServerConfig``, from 1.14 on, which excludes ``cluster.apiServer``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from krm_fn.carriers.documents import DocumentSites, TextDraft
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import NestedSites, Places, Site, SiteWithoutVariables, Variables, quoted
from krm_fn.carriers.variable_mapping import VariableMapping
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.formats import embedded
from krm_fn.krm.results import Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup
from krm_fn.products import proxy_keys
from krm_fn.products.cluster_api import Role
from krm_fn.products.node_kinds import kinds_of
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.base import Context, Target
from krm_fn.targets.nodes import config_spec
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.yamledit.render import block_text

_API_VERSION = "v1alpha1"
_JSON_PATCHES = "configPatches"
_WHOLE = "data"
"""The member with a whole machine configuration, which its author wrote."""

_Version = tuple[int, int]
_OLDEST, _NEWEST = (0, 0), (9_999, 0)
_VERSION = r"v?(\d{1,4})\.(\d{1,4})(?:\.|$)"


class _VariableForm(NamedTuple):
    """A form in which a machine configuration sets variables.

    Attributes:
        reader: who gets them.
        kind: that of the document; "" for the one without a kind.
        path: leads to the mapping of variables in the document.
        first: the first version of Talos that takes this form.
        last: the last one.
    """

    reader: str
    kind: str
    path: Pointer
    first: _Version = _OLDEST
    last: _Version = _NEWEST

    @property
    def label(self) -> str:
        """The mapping, for messages."""
        name = ".".join(self.path)
        return f"`{name}` of {self.kind}" if self.kind else f"`{name}`"

    @property
    def pointer(self) -> str:
        """The mapping, as an operation of a JSON patch names it."""
        return "/" + "/".join(self.path)

    def is_taken_by(self, version: _Version | None) -> bool:
        """Return whether Talos of a version takes the form, or None of every version."""
        if version is None:
            return (self.first, self.last) == (_OLDEST, _NEWEST)
        return self.first <= version <= self.last

    def is_in(self, document: Any) -> bool:
        """Return whether a document has such a mapping."""
        if not isinstance(document, Mapping) or document.get("kind", "") != self.kind:
            return False
        return isinstance(lookup(document, self.path), Mapping)

    def taken_away_by(self, operation: Any) -> set[str]:
        """Return the variables that an operation of a JSON patch takes out of the mapping, or together with it."""
        path = lookup(operation, ("path",))
        if lookup(operation, ("op",)) != "remove" or not isinstance(path, str):
            return set()
        if f"{self.pointer}/".startswith(f"{path}/"):
            return set(PROXY_VARIABLES)
        mapping, _, name = path.rpartition("/")
        return {name} & set(PROXY_VARIABLES) if mapping == self.pointer else set()


_SERVICES, _API_SERVER = "services", "API server"
_FORMS = (
    _VariableForm(_SERVICES, "EnvironmentConfig", ("variables",), first=(1, 13)),
    _VariableForm(_SERVICES, "", ("machine", "env")),
    _VariableForm(_API_SERVER, "KubeAPIServerConfig", ("env",), first=(1, 14)),
    _VariableForm(_API_SERVER, "", ("cluster", "apiServer", "env"), last=(1, 13)),
)
"""All forms; a new patch has the first of each reader that Talos takes."""
_OF_OTHER_PATCHES = frozenset(proxy_keys.UPPER)
"""What other patches may set beside a single variable."""


class _Talos(Target):
    id = "talos"
    kinds = kinds_of("talos")
    audience = Audience.NODE

    def sites(self, draft: Draft, context: Context) -> Places:
        """Yield the variables that patches set already, and a new patch for those of which none does."""
        is_wanted = context.settings.sets_any
        spec = config_spec.find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
        if spec is not None:
            yield from _Patches(spec).sites(is_wanted=is_wanted)


TARGET = _Talos()


class _Patches:
    """The patches of the machine configuration in one object.

    Args:
        spec: the configuration that holds them.
    """

    def __init__(self, spec: ConfigSpec) -> None:
        self._spec = spec
        self._draft = spec.draft
        self._list = (*spec.path, spec.system.patches)
        self._version = _version_of(spec.data)
        self._found: set[_VariableForm] = set()
        self._removals: list[_TakenAway] = []

    def sites(self, *, is_wanted: bool) -> Places:
        """Yield the places that are there, then what drops an empty patch, then a new one."""
        found = [*self._in_text((*self._spec.path, _WHOLE))]
        found += self._in_json_patch(self._draft, (*self._spec.path, _JSON_PATCHES))
        for at in range(len(self._spec.entries(self._list))):
            found += self._in_text((*self._list, str(at)))
        yield from found
        yield _EmptyPatches(self._draft, self._list)
        yield _NewPatch(self._draft, self._list, self._missing(is_wanted=is_wanted))

    def _in_json_patch(self, draft: Draft, patch: Pointer) -> Iterator[Site]:
        """Yield the mappings that a JSON patch sets as a whole and removals behind them, then its single variables."""
        forms = [form for form in _FORMS if not form.kind]
        operations = draft.get(patch)
        for at, operation in enumerate(operations if isinstance(operations, list) else ()):
            path = (*patch, str(at))
            target = _set_by(operation)
            mapping, _, name = target.rpartition("/")
            is_whole = isinstance(lookup(operation, ("value",)), Mapping)
            for form in forms:
                removed = form.taken_away_by(operation)
                if target == form.pointer and is_whole:
                    yield self._site(draft, form, (*path, "value"), keep=len(path) + 1)
                elif mapping == form.pointer:
                    self._is_set_again(form, {name})
                elif removed and form in self._found:
                    self._removals.append(_TakenAway(draft, path, form, removed))
                    yield self._removals[-1]
        for form in forms:
            yield _SingleVariables(draft, patch, form, is_taken=self._takes(form))

    def _in_document(self, draft: Draft) -> Iterator[Site]:
        if isinstance(draft.data, list):
            yield from self._in_json_patch(draft, ())
            return
        for form in _FORMS:
            if form.is_in(draft.data):
                yield self._site(draft, form, form.path)

    def _in_text(self, path: Pointer) -> Iterator[Site | NestedSites]:
        """Yield the documents of a text that holds a machine configuration, or a part of one."""
        text = self._draft.get(path)
        if not isinstance(text, str):
            return
        documents = TextDraft(self._draft, embedded.Value(path, text)).documents()
        if isinstance(documents, Finding):
            self._draft.findings.append(documents)
            return
        for document in documents:
            sites = [*self._in_document(document.draft)]
            yield DocumentSites(document, partial(_these, sites))

    def _site(self, draft: Draft, form: _VariableForm, path: Pointer, keep: int = 0) -> Site:
        if self._takes(form):
            self._found.add(form)
            self._is_set_again(form, set(PROXY_VARIABLES))
            return VariableMapping(draft, path, form.label, keep)
        return _NotTaken(draft, path, form.label, keep)

    def _is_set_again(self, form: _VariableForm, names: set[str]) -> None:
        """Forget that operations took variables away which a later patch sets for the same reader."""
        for removal in self._removals:
            if removal.form.reader == form.reader:
                removal.names -= names

    def _takes(self, form: _VariableForm) -> bool:
        is_taken = self._version is None or form.is_taken_by(self._version)
        return is_taken or self._is_by_its_author()

    def _missing(self, *, is_wanted: bool) -> list[_VariableForm]:
        """Return the forms of a new patch: one for each reader that gets nothing yet."""
        readers = [_SERVICES, _API_SERVER] if self._is_control_plane() else [_SERVICES]
        found = []
        for reader in readers:
            if any(form.reader == reader for form in self._found):
                continue
            forms = [one for one in _FORMS if one.reader == reader]
            taken = [one for one in forms if one.is_taken_by(self._version)]
            if taken:
                found.append(taken[0])
            elif is_wanted:
                self._report_unknown_version()
        return found

    def _is_control_plane(self) -> bool:
        if self._is_by_its_author():
            return False
        kind = self._spec.data.get("generateType")
        return kind in ("controlplane", "init") or self._spec.kind.role is Role.CONTROL_PLANE

    def _is_by_its_author(self) -> bool:
        """Return whether the provider generates nothing: then the forms are those of `data`, whatever the version."""
        return self._spec.data.get("generateType") == "none"

    def _report_unknown_version(self) -> None:
        message = (
            "`talosVersion` names no version, so the API server gets no proxy: Talos takes it in another form from "
            "1.14 on; set `talosVersion`"
        )
        path = (*self._spec.path, "talosVersion")
        self._draft.report(Severity.INFO, message, path, code="VersionUnknown")


class _NotTaken(VariableMapping):
    """A mapping of variables that Talos of this version does not take beside what the provider generates."""

    def write(self, variables: Variables) -> None:
        """Remove the variables, whatever is wanted.

        Raises:
            WrongTypeError: something else than a mapping is at the path or on the way to it.
        """
        super().write({})


class _SingleVariables:
    """The operations of a JSON patch that set one variable each, as a site: a new patch counts behind them.

    Args:
        draft: the data of the object, or of a document inside it.
        path: leads to the operations.
        form: says where in a machine configuration the variables are.
        is_taken: whether Talos of this version takes the form.
    """

    def __init__(self, draft: Draft, path: Pointer, form: _VariableForm, *, is_taken: bool) -> None:
        self._draft = draft
        self._path = path
        self._form = form
        self._is_taken = is_taken
        self.label = f"single variables of {form.label}"

    def read(self) -> Iterator[Reading]:
        """Yield what the operations set; other patches may set the other variables."""
        for at, name, value in self._operations():
            path = (*self._path, str(at), "value")
            yield Reading(name, value, path, value, self.label, beside=_OF_OTHER_PATCHES)

    def write(self, variables: Variables) -> None:
        """Give the operations the wanted values; remove those that set something else."""
        wanted = variables if self._is_taken else {}
        for at, name, _ in reversed([*self._operations()]):
            operation = (*self._path, str(at))
            if name in wanted:
                self._draft.set((*operation, "value"), wanted[name])
            else:
                self._draft.remove(operation, keep=max(len(self._path) - 1, 0))

    def _operations(self) -> Iterator[tuple[int, str, str]]:
        operations = self._draft.get(self._path)
        for at, operation in enumerate(operations if isinstance(operations, list) else ()):
            mapping, _, name = _set_by(operation).rpartition("/")
            value = lookup(operation, ("value",))
            if mapping == self._form.pointer and name in PROXY_VARIABLES and isinstance(value, str):
                yield at, name, value


class _TakenAway(SiteWithoutVariables):
    """An operation of a JSON patch that takes away what a patch in front of it sets, as a site: it is reported.

    Args:
        draft: the data of the object, or of a document inside it.
        path: leads to the operation.
        form: says where in a machine configuration the variables are.
        names: the variables; without those that a later patch sets again.
    """

    def __init__(self, draft: Draft, path: Pointer, form: _VariableForm, names: set[str]) -> None:
        self._draft = draft
        self._path = path
        self.form = form
        self.names = names
        self.label = f"an operation on {form.label}"

    def write(self, variables: Variables) -> None:
        """Report those of the variables that do not reach their reader."""
        gone = [name for name in variables if name in self.names]
        if gone:
            message = (
                f"the operation `remove` takes {quoted(gone)} out of {self.form.label} again; delete the operation, "
                "or move it in front of the patch that sets the proxy"
            )
            self._draft.report(Severity.WARNING, message, self._path, code="VariableUnset")


class _EmptyPatches(SiteWithoutVariables):
    """The patches that hold nothing any more, as a site: Talos takes no empty patch.

    Args:
        draft: the data of the object.
        path: leads to the list of patches.
    """

    label = "the patches"

    def __init__(self, draft: Draft, path: Pointer) -> None:
        self._draft = draft
        self._path = path

    def write(self, variables: Variables) -> None:
        """Drop each patch of which the sites before have left nothing, whatever the variables are."""
        before, now = lookup(self._draft.before, self._path), self._draft.get(self._path)
        if not isinstance(now, list):
            return
        kept, origins = [], []
        for at, text in enumerate(now):
            if text == before[at] or not _is_empty(text):
                kept.append(text)
                origins.append(at)
        if len(kept) < len(now):
            self._draft.set_items(self._path, kept, origins)
            self._draft.describe("removes a patch that would be empty")


class _NewPatch(NestedSites):
    """A patch that is not there yet.

    Args:
        parent: the data of the object.
        path: leads to the list of patches.
        forms: those that the patch has.
    """

    def __init__(self, parent: Draft, path: Pointer, forms: Sequence[_VariableForm]) -> None:
        self._parent = parent
        self._path = path
        self._forms = forms
        self.label = f"a new entry of `{path[-1]}`"
        self._kinds = list(dict.fromkeys(form.kind for form in forms))
        self.draft = Draft([_started(kind) for kind in self._kinds])

    def sites(self) -> Places:
        """Yield the mappings of the patch."""
        for form in self._forms:
            document = str(self._kinds.index(form.kind))
            yield VariableMapping(self.draft, (document, *form.path), form.label, keep=1)

    def read(self) -> Iterator[Reading]:
        """Yield nothing: the patch is not there."""
        yield from ()

    def commit(self, variables: Variables) -> bool:
        """Add the patch to the list; return whether that was possible."""
        if not self.draft.edits:
            return True
        documents = [block_text(document) for document in self.draft.data]
        try:
            self._parent.append(self._path, "---\n".join(documents))
        except WrongTypeError as error:
            self._parent.findings.append(wrong_type(error.path, error.value, error.wanted))
            return False
        return True


def _these(sites: list[Site], draft: Draft) -> list[Site]:
    """Return the sites of a document, which were asked for before any edit."""
    return sites


def _set_by(operation: Any) -> str:
    """Return what an operation of a JSON patch sets: its path; "" where it sets nothing."""
    path = lookup(operation, ("path",))
    sets = lookup(operation, ("op",)) in ("add", "replace")
    return path if sets and isinstance(path, str) else ""


def _started(kind: str) -> dict[str, str]:
    """Return a document in which only the variables are missing."""
    return {"apiVersion": _API_VERSION, "kind": kind} if kind else {}


def _is_empty(text: Any) -> bool:
    """Return whether a patch says nothing."""
    if not isinstance(text, str):
        return False
    documents = embedded.read(embedded.Value((), text))
    if isinstance(documents, Finding):
        return False
    for one in documents:
        is_head = isinstance(one.data, Mapping) and one.data.keys() <= {"apiVersion", "kind"}
        if one.data and not is_head:
            return False
    return True


def _version_of(spec: Mapping[str, Any]) -> _Version | None:
    """Return the version of Talos for which a configuration is; None where it is not known."""
    found = re.match(_VERSION, str(spec.get("talosVersion")))
    return (int(found[1]), int(found[2])) if found else None
