"""The KubeadmConfigSpec inside the four Kubeadm kinds: where it is, what its version allows, how to reach into it.

Whatever stands in an object is read without raising; what has the wrong shape is a finding that
names the field.

Sources: Cluster API ``api/bootstrap/kubeadm/v1beta1`` and ``v1beta2`` (``kubeadmconfig_types.go``) for paths and
limits; cloud-init ``cloudinit/templater.py`` for what it renders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from krm_fn.carriers.node_system import ADVICE, NodeSystem, runtime_of, system_of
from krm_fn.carriers.reading import Reading
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.noproxy.entries import is_template
from krm_fn.patch import ListEdit, Operation, Pointer, add, field_path, lookup
from krm_fn.settings import ProxySettings

_CONTROL_PLANE = "controlplane.cluster.x-k8s.io"
_BOOTSTRAP = "bootstrap.cluster.x-k8s.io"

_PATHS: dict[tuple[str, str], Pointer] = {
    (_CONTROL_PLANE, "KubeadmControlPlane"): ("spec", "kubeadmConfigSpec"),
    (_CONTROL_PLANE, "KubeadmControlPlaneTemplate"): (
        "spec",
        "template",
        "spec",
        "kubeadmConfigSpec",
    ),
    (_BOOTSTRAP, "KubeadmConfig"): ("spec",),
    (_BOOTSTRAP, "KubeadmConfigTemplate"): ("spec", "template", "spec"),
}
KINDS = frozenset(_PATHS)
"""The (API group, kind) pairs that carry a KubeadmConfigSpec."""

_PATH_OF_KIND = {kind: path for (_, kind), path in _PATHS.items()}
_VERSIONS = ("v1alpha3", "v1alpha4", "v1beta1", "v1beta2")
_NEWEST = _VERSIONS[-1]
_LONGEST = 10_240
_MISSING = object()
_JINJA = ("{{", "{%", "{#")


@dataclass(frozen=True)
class ConfigSpec:
    """The KubeadmConfigSpec of one object; ``data`` is empty where the object has none yet.

    ``version`` is the newest known one where the object's own is not known.
    """

    obj: Mapping[str, Any]
    path: Pointer
    data: Mapping[str, Any]
    version: str
    version_is_known: bool

    @property
    def ignition(self) -> bool:
        """True if the node is set up by Ignition, not by cloud-init."""
        return self.data.get("format") == "ignition"

    @property
    def system(self) -> NodeSystem:
        """The system of the nodes; to others than Linux nothing is written."""
        return system_of(self.data)

    @property
    def runtime(self) -> str:
        """The service that pulls images on the nodes."""
        return runtime_of(self.data)

    def unwritten(self) -> Iterator[Finding]:
        """A warning where the nodes are of a system to which nothing is written."""
        if self.system in ADVICE:
            yield Finding(
                Severity.WARNING, ADVICE[self.system], self.path, code="NodeSystemUnsupported"
            )

    def entries(self, key: str) -> Sequence[Any] | Finding | None:
        """The list ``key``; None where it is missing; what is wrong where it is no list."""
        value = self.data.get(key)
        return (
            value
            if value is None or isinstance(value, list)
            else wrong_type((*self.path, key), value, "a list")
        )

    def rooted(self, operation: Operation) -> Operation:
        """The same operation, an addition with the mapping above it where null stands in its place."""
        path, value = operation.path, operation.value
        while len(path) > 1 and lookup(self.obj, path[:-1]) is None:
            path, value = path[:-1], {path[-1]: value}
        return operation if path == operation.path else add(*path, value=value)

    def is_rendered(self, text: str) -> bool:
        """Whether cloud-init would take a part of ``text`` for a template."""
        return not self.ignition and any(mark in text for mark in _JINJA)

    def through_jinja(self, seen: Reading) -> Reading:
        """The same, without a value where cloud-init renders the text as a template."""
        if seen.value is None or not self.is_rendered(seen.value):
            return seen
        why = "cloud-init renders it as a jinja template"
        return replace(seen, value=None, why_unknown=why, is_lost=not is_template(seen.value))

    def findings(self, settings: ProxySettings) -> Iterator[Finding]:
        """What there is to say about the object as a whole when ``settings`` are to go into it."""
        form = self.data.get("format")
        if form is not None and not isinstance(form, str):
            yield wrong_type((*self.path, "format"), form, "a string")
        if settings.variables() and not self.version_is_known:
            message = (
                f"this API version is not known; its limits are taken to be those of {_NEWEST}"
            )
            yield Finding(
                Severity.INFO,
                message,
                ("apiVersion",),
                current=self.obj.get("apiVersion"),
                code="VersionUnknown",
            )

    def jinja(self, settings: ProxySettings, path: Pointer) -> Iterator[Finding]:
        """A warning for values that cloud-init would render as a template, as it does with all it is given."""
        for name, value in settings.variables().items():
            if name.isupper() and self.is_rendered(value):
                mark = next(mark for mark in _JINJA if mark in value)
                message = (
                    f'`{name}` holds "{mark}", which cloud-init renders as a jinja template on the node; '
                    "if that is not meant, percent-encode it"
                )
                yield Finding(Severity.WARNING, message, path, code="RenderedByCloudInit")

    def too_long(self, path: Pointer, text: str, remedy: str) -> Iterator[Finding]:
        """A finding if ``text`` is longer than a file's content or a command may be in this version."""
        if len(text) <= _LONGEST or self.version not in ("v1beta1", "v1beta2"):
            return
        rejected_by = "" if self.version == _NEWEST else "; Cluster API 1.10 and newer rejects it"
        message = (
            f"`{path[-1] if not path[-1].isdigit() else path[-2]}` must not be longer than {_LONGEST} characters in "
            f"{self.version}, this would have {len(text)}{rejected_by}: {remedy}"
        )
        yield Finding(
            Severity.ERROR if self.version == _NEWEST else Severity.WARNING,
            message,
            path,
            code="TooLong",
        )


def find(obj: Mapping[str, Any], *, wanted: bool = False) -> ConfigSpec | Finding | None:
    """The KubeadmConfigSpec of ``obj``, what is wrong on the way to it, or None where there is none.

    None is made: an object without it is a patch more often than not, and lists of a patch replace those of its object.
    Where a proxy is ``wanted`` in it, that is a warning.
    """
    path = _PATH_OF_KIND.get(str(obj.get("kind")))
    if path is None:
        return None
    for depth in range(1, len(path) + 1):
        value = lookup(obj, path[:depth])
        if value is not None and not isinstance(value, Mapping):
            return wrong_type(path[:depth], value, "a mapping")
        if lookup(obj, path[:depth], _MISSING) is _MISSING:
            message = (
                f"`{field_path(path)}` is missing, so there is no place for a proxy: write "
                f"`{{}}` if this is no patch"
            )
            return (
                Finding(Severity.WARNING, message, path, code="ConfigSpecMissing")
                if wanted
                else None
            )
    version = str(obj.get("apiVersion")).rpartition("/")[2]
    known = version in _VERSIONS
    return ConfigSpec(obj, path, lookup(obj, path) or {}, version if known else _NEWEST, known)


def at_new_places(said: Iterable[Change | Finding], edit: ListEdit) -> Iterator[Change | Finding]:
    """The same, findings about entries of the edited list with the index that the next run will find them at."""
    depth = len(edit.path)
    for one in said:
        if isinstance(one, Finding) and one.path[:depth] == edit.path and len(one.path) > depth:
            index = edit.place_of(int(one.path[depth]))
            yield replace(one, path=(*edit.path, str(index), *one.path[depth + 1 :]))
        else:
            yield one
