"""The configuration of nodes inside an object: where it is, and what its version and its nodes allow.

Whatever is in an object is read without raising; what has a wrong type is reported at its field.

Which kinds hold one, and where, is in ``products/node_kinds.py``.

Sources: Cluster API ``api/bootstrap/kubeadm/v1beta1`` and ``v1beta2`` (``kubeadmconfig_types.go``) for limits;
cloud-init ``cloudinit/templater.py`` for what it renders; ``internal/ignition/clc`` of Cluster API (no ``gzip``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any
from krm_fn.noproxy.entries import is_template
from krm_fn.patch import Pointer, field_path, lookup
from krm_fn.products.node_kinds import NODE_KINDS, NodeConfigKind
from krm_fn.targets.nodes.container_runtime import (
    ADVICE,
    LINUX,
    operating_system_of,
    runtime_of,
)

_LONGEST = 10_240
_JINJA = ("{{", "{%", "{#")
_GZIP = ("gzip", "gzip+base64")


class ConfigSpec:
    """The configuration of nodes in one object, which is being edited.

    Args:
        draft: the data of the object.
        kind: says where in it the configuration is, and what sets up the nodes.
        data: what it held when it was looked up; empty where it is null.

    Attributes:
        files: leads to the list of files.
        commands: leads to the list of commands that run before the nodes are set up.
    """

    def __init__(
        self,
        draft: Draft,
        kind: NodeConfigKind,
        data: Mapping[str, Any],
    ) -> None:
        self.draft = draft
        self.path: Pointer = kind.path
        self.kind = kind
        self.data = data
        version = str(draft.data.get("apiVersion")).rpartition("/")[2]
        self.system = kind.system
        if version in self.system.commands_of:
            self.system = kind.system._replace(commands=self.system.commands_of[version])
        self.files: Pointer = (*kind.path, self.system.files)
        self.commands: Pointer = (*kind.path, self.system.commands)
        known = self.system.versions
        self.version_is_known = not known or version in known
        self.version = version if self.version_is_known else known[-1]

    @cached_property
    def operating_system(self) -> str:
        """Return the system of the nodes; to others than Linux nothing is written."""
        return operating_system_of(self.data, self.system)

    @property
    def ignition(self) -> bool:
        """Return whether the node is set up by Ignition, not by cloud-init."""
        named = self.system.ignition
        if named and lookup(self.data, named) is not None:
            return True
        return bool(lookup(self.data, self.system.format) == "ignition")

    @property
    def runtime(self) -> str:
        """Return the service that pulls images on the nodes."""
        return runtime_of(self.data)

    def entries(self, path: Pointer) -> Sequence[Any]:
        """Return the list at ``files`` or ``commands`` as it is now; empty where there is none."""
        value = self.draft.get(path)
        return value if isinstance(value, list) else ()

    def writable(self, variables: Variables) -> Variables:
        """Return the variables that the nodes can get: none on other systems than Linux."""
        return variables if self.operating_system == LINUX else {}

    def is_rendered(self, text: str) -> bool:
        """Return whether cloud-init would take a part of ``text`` for a template."""
        return "{" in text and any(mark in text for mark in _JINJA) and not self.ignition

    def through_jinja(self, seen: Reading) -> Reading:
        """Return a reading without its value where cloud-init renders the text as a template."""
        if seen.value is None or not self.is_rendered(seen.value):
            return seen
        why = "cloud-init renders it as a jinja template"
        return seen._replace(value=None, why_unknown=why, is_lost=not is_template(seen.value))

    def report_form(self, *, is_wanted: bool) -> None:
        """Report a ``format`` of a wrong type, and an API version that is not known.

        Args:
            is_wanted: whether something has to be written; else the version does not matter.
        """
        form = lookup(self.data, self.system.format)
        if form is not None and not isinstance(form, str):
            self.draft.findings.append(
                wrong_type((*self.path, *self.system.format), form, "a string")
            )
        if is_wanted and self.operating_system == LINUX and not self.version_is_known:
            message = (
                f"this API version is not known; its limits are taken to be those of {self.version}"
            )
            self.draft.report(Severity.INFO, message, ("apiVersion",), code="VersionUnknown")

    def report_jinja(self, variables: Variables, path: Pointer) -> None:
        """Report values that cloud-init would render as a template, as it does with all it gets."""
        for name, value in variables.items():
            if name.isupper() and self.is_rendered(value):
                mark = next(mark for mark in _JINJA if mark in value)
                message = (
                    f'`{name}` holds "{mark}", which cloud-init renders as a jinja template on the '
                    "node; if that is not meant, percent-encode it"
                )
                self.draft.report(Severity.WARNING, message, path, code="RenderedByCloudInit")

    def report_encoding(self, encoding: object, place: Pointer) -> None:
        """Report an encoding of the file at ``place`` that Ignition cannot unpack."""
        if self.ignition and encoding in _GZIP:
            message = (
                f'`encoding` must not be "{encoding}" with Ignition, which cannot unpack it; '
                "use base64"
            )
            self.draft.report(
                Severity.WARNING, message, (*place, "encoding"), code="EncodingUnusable"
            )

    def report_length(self, path: Pointer, text: str, remedy: str) -> None:
        """Report a text that is longer than a file's content or a command may be in this version."""
        if len(text) <= _LONGEST or self.version not in self.system.limited:
            return
        field = path[-2] if path[-1].isdigit() else path[-1]
        is_newest = self.version == self.system.versions[-1]
        rejected_by = "" if is_newest else "; Cluster API 1.10 and newer rejects it"
        message = (
            f"`{field}` must not be longer than {_LONGEST} characters in {self.version}, this would "
            f"have {len(text)}{rejected_by}: {remedy}"
        )
        severity = Severity.ERROR if is_newest else Severity.WARNING
        self.draft.report(severity, message, path, code="TooLong")


def find(draft: Draft, *, is_wanted: bool = False, is_whole: bool = False) -> ConfigSpec | None:
    """Return the configuration of nodes in an object; None where there is none.

    An object without it is a patch more often than not, and lists of a patch replace those of its object. So it is
    created only in a template without ``spec`` that is known to be no patch. That it is missing, and that its nodes are
    of a system to which nothing is written, is reported where something has to be written.

    Args:
        draft: the data of the object, of any shape.
        is_wanted: whether something has to be written into it.
        is_whole: whether another object refers to it, and none of its name is elsewhere.
    """
    obj = draft.data
    kind = NODE_KINDS.get((str(obj.get("apiVersion")).rpartition("/")[0], str(obj.get("kind"))))
    if kind is None:
        return None
    path: Pointer = kind.path
    value: Any = obj
    for depth, step in enumerate(path, start=1):
        if value is None or step not in value:
            if is_wanted and is_whole and _may_get_spec(obj, kind):
                value = None
                break
            if is_wanted:
                message = (
                    f"`{field_path(path)}` is missing, so there is no place for a proxy: write "
                    "`{}` if this is no patch"
                )
                draft.report(Severity.WARNING, message, path, code="ConfigSpecMissing")
            return None
        value = value[step]
        if value is not None and not isinstance(value, dict):
            draft.findings.append(wrong_type(path[:depth], value, "a mapping"))
            return None
    spec = ConfigSpec(draft, kind, value or {})
    if is_wanted and spec.operating_system in ADVICE:
        draft.report(
            Severity.WARNING, ADVICE[spec.operating_system], path, code="NodeSystemUnsupported"
        )
    return spec


def begun(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a template without ``spec`` as a run begins it, before anything is in it; any other object as it is."""
    kind = NODE_KINDS.get((str(obj.get("apiVersion")).rpartition("/")[0], str(obj.get("kind"))))
    if kind is None or not _may_get_spec(obj, kind):
        return obj
    inner: Mapping[str, Any] = {}
    for step in reversed(kind.path):
        inner = {step: inner}
    return {**obj, **inner}


def _may_get_spec(obj: Mapping[str, Any], kind: NodeConfigKind) -> bool:
    """Return whether an object is a template without ``spec``, which makes workers all the same."""
    is_of_workers = kind.is_template and not kind.is_control_plane
    return is_of_workers and not {"spec", "$patch"} & obj.keys()
