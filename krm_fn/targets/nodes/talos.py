"""Talos: patches of its machine configuration give the proxy to its services, and to the API server.

Sources: ``siderolabs/cluster-api-bootstrap-provider-talos`` (``api/v1beta1/talosconfig_types.go``;
``controllers/talosconfig_controller.go``: ``strategicPatches`` are merged behind ``configPatches``);
``siderolabs/talos`` ``pkg/machinery/config``: ``types/runtime/environment.go`` (``EnvironmentConfig``, from 1.13 on),
``types/k8s/apiserver.go`` (``KubeAPIServerConfig``, from 1.14 on, which excludes ``cluster.apiServer``). The provider
reads patches by the machinery that it was built with, whatever ``talosVersion`` says: 0.6.12 and 0.7.0-alpha.2 by 1.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from krm_fn.engine import Draft
from krm_fn.formats.embedded import Value, readable
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, items_at, lookup, text_at
from krm_fn.places.mapping_forms import VariableMembers
from krm_fn.places.place import Place, WrittenForm
from krm_fn.places.text_forms import Text, YamlText, text_place
from krm_fn.products.cluster_api import Role
from krm_fn.proxy_url import split_url
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.base import Context, Places
from krm_fn.targets.nodes.node_config import ConfigTarget, NodeConfig
from krm_fn.yamledit.render import block_text


class _VariableForm(NamedTuple):
    """A form in which a machine configuration sets variables.

    Attributes:
        reader: who gets them.
        kind: that of the document; "" for the one without a kind.
        path: leads to the mapping of variables in the document.
    """

    reader: str
    kind: str
    path: Pointer

    @property
    def label(self) -> str:
        """The mapping, for messages."""
        name = ".".join(self.path)
        if not self.kind:
            return f"`{name}`"
        return f"`{name}` of {self.kind}"


_SERVICES, _API_SERVER = "services", "API server"
# A new patch has forms without a kind: every version of Talos takes them, and all providers that were released.
_FORMS = (
    _VariableForm(_SERVICES, "", ("machine", "env")),
    _VariableForm(_SERVICES, "EnvironmentConfig", ("variables",)),
    _VariableForm(_API_SERVER, "", ("cluster", "apiServer", "env")),
    _VariableForm(_API_SERVER, "KubeAPIServerConfig", ("env",)),
)
# The forms that an operation of a JSON patch can set, by its path.
_BY_POINTER = {"/" + "/".join(form.path): form for form in _FORMS if not form.kind}


class Talos(ConfigTarget):
    """The variables of the machine configuration of Talos.

    Example: a TalosConfigTemplate with::

        {generateType: join}

    gets::

        strategicPatches: ["machine: {env: {HTTP_PROXY: http://proxy:3128}}"]
    """

    audience = Audience.NODE

    def places_in(self, node_config: NodeConfig, context: Context) -> Places:
        """Yield the variables that patches set already, and a new patch for readers that get none by them."""
        data = node_config.obj
        kind = node_config.data.get("generateType")
        is_control_plane = node_config.kind.role is Role.CONTROL_PLANE and kind != "none"
        readers = {_SERVICES}
        if is_control_plane or kind in ("controlplane", "init"):
            readers.add(_API_SERVER)
        for path, operation in items_at(data, (*node_config.path, "configPatches")):
            form = _BY_POINTER.get(text_at(operation, "path"))
            value = lookup(operation, "value")
            if form and isinstance(value, Mapping):
                readers.discard(form.reader)
                yield Place((*path, "value"), VariableMembers(), form.label, len(path))
            else:
                yield from _left_behind([operation], (*path, "path"), context.settings)
        patches = (*node_config.path, "strategicPatches")
        texts = [path for path, _ in items_at(data, patches)]
        # From the end, so that an entry that goes moves none that is still to be edited.
        for path in ((*node_config.path, "data"), *reversed(texts)):
            text = Value(path, text_at(data, path))
            if not text.text:
                continue
            place = text_place(text, _PATCH, f"`{path[-1]}`")
            yield place._replace(kept_steps=len(node_config.path))
            for document in readable(text):
                if isinstance(document, list):
                    yield from _left_behind(document, path, context.settings)
                for set_form in _forms_in(document):
                    readers.discard(set_form.reader)
        missing = [form.path for form in _BY_POINTER.values() if form.reader in readers]
        path = (*patches, str(len(texts)))
        new_patch = WrittenForm(partial(_add_patch, missing), Text(Value(path, ""), _PATCH))
        yield Place(path, new_patch, "a new entry of `strategicPatches`")


def _forms_in(document: Any) -> Iterator[_VariableForm]:
    """Yield the forms whose mapping a document has, or is there for."""
    kind = lookup(document, "kind", "")
    for form in _FORMS:
        if form.kind != kind:
            continue
        value = lookup(document, form.path)
        is_missing = value is None and kind
        if is_missing or isinstance(value, Mapping):
            yield form


def _in_document(document: Any) -> Places:
    """Yield the mappings of variables in one document of a patch."""
    for form in _forms_in(document):
        yield Place(form.path, VariableMembers(), form.label)


def _left_behind(operations: list[Any], path: Pointer, settings: ProxySettings) -> Results:
    """Yield a finding about each operation on a variable, which is not edited; a password that stays is an error."""
    variables = settings.variables
    for operation in operations:
        for name, value in _operation_variables(operation).items():
            if value == variables.get(name):
                continue
            code = "OtherProxy"
            if isinstance(value, str) and split_url(value).user_info:
                code = "PasswordLeft"
            yield Result(
                code,
                f"an operation of a JSON patch is about `{name}`, and is not edited: remove it",
                path,
            )


def _add_patch(
    paths: Sequence[Pointer], draft: Draft, place: Place, settings: ProxySettings
) -> None:
    """Add a patch with the mappings of variables at some paths behind all others, if there is anything to set."""
    document = Draft({})
    variables = settings.variables
    if not variables:
        return
    for path in paths:
        document.set(path, variables)
    if document.data:
        draft.append(place.path[:-1], block_text(document.data))


def _operation_variables(operation: Any) -> Fields:
    """Return the proxy variables that an operation of a JSON patch is about, with their values; None for no value."""
    value = lookup(operation, "value")
    pointer = text_at(operation, "path")
    if pointer in _BY_POINTER and isinstance(value, Mapping):
        return {name: value[name] for name in PROXY_VARIABLES if name in value}
    mapping, _, name = pointer.rpartition("/")
    if mapping in _BY_POINTER and name in PROXY_VARIABLES:
        return {name: value}
    return {}


def _says_nothing(document: Any) -> bool:
    return not document or document.keys() <= {"apiVersion", "kind"}


# A text that is merged into the machine configuration.
_PATCH = YamlText(_in_document, is_first_only=False, says_nothing=_says_nothing)
