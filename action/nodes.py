"""Say which nodes Cluster API replaces when the manifests of one state are applied after those of another one.

It compares objects of equal kind, namespace and name in equal files, whatever has changed them: a pull request in which
the manifests hold the proxy already is judged like one in which `inject-proxy run` has still to write it.

Sources: Cluster API book, "Updating Machine Infrastructure and Bootstrap Templates", "Changing a ClusterClass";
``controlplane/kubeadm/internal/filters.go`` (what of a KubeadmControlPlane makes its machines differ).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from krm_fn.errors import InputError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import printable, redact

Fields = tuple[tuple[str, ...], ...]
_OF_MACHINES: Fields = (
    ("spec", "template", "spec", "bootstrap"),
    ("spec", "template", "spec", "infrastructureRef"),
    ("spec", "template", "spec", "version"),
)
REPLACES: Mapping[str, Fields] = {
    "KubeadmControlPlane": (
        ("spec", "kubeadmConfigSpec"),
        ("spec", "machineTemplate", "infrastructureRef"),
        ("spec", "machineTemplate", "spec", "infrastructureRef"),
        ("spec", "version"),
    ),
    "MachineDeployment": _OF_MACHINES,
    "MachinePool": _OF_MACHINES,
    "Cluster": (("spec", "topology"),),
    "ClusterClass": (("spec",),),
}
"""Kind -> the fields whose change makes Cluster API replace nodes, or may do so (a Cluster, a ClusterClass)."""
TEMPLATES = {"KubeadmConfigTemplate", "KubeadmControlPlaneTemplate"}
_USERS = {"MachineDeployment", "MachineSet", "MachinePool"}
_COMPARED = {*REPLACES, *TEMPLATES, *_USERS}
LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is read."""

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
_REFERENCE = re.compile("[@#]")


class Key(NamedTuple):
    """The identity of an object, and its file."""

    file: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{as_code(self.kind, self.namespace, self.name)} in {as_code(self.file)}"


@dataclass
class NodeChanges:
    """Which objects have their nodes replaced, and which keep what they have although their template changes; why."""

    replaced: dict[Key, str] = field(default_factory=dict)
    kept: dict[Key, str] = field(default_factory=dict)


def as_code(*parts: str) -> str:
    """Return parts of a name, those that are not empty, as code of Markdown, which no character in them can end."""
    text = "/".join(part for part in parts if part)
    return f"`{printable(' '.join(redact(text).replace('`', chr(39)).split()))}`"


def as_text(message: str) -> str:
    """Return a message as Markdown that shows it: what is in back-quotes as code, nothing else has a meaning.

    Sources: CommonMark 0.31, "Backslash escapes": any punctuation of ASCII may have one. GitHub takes a name behind
    "@" and a number behind "#" as references also then, and not behind a blank of no width.
    """
    parts = message.split("`")
    if len(parts) % 2 == 0:  # the last back-quote has no partner
        parts[-2:] = ["'".join(parts[-2:])]
    shown = []
    for number, part in enumerate(parts):
        if number % 2:
            shown.append(as_code(part))
        else:
            escaped = _PUNCTUATION.sub(r"\\\g<0>", printable(part))
            shown.append(_REFERENCE.sub("\\g<0>\u200b", escaped))
    return "".join(shown)


def compare(before: Mapping[Key, Any], after: Mapping[Key, Any]) -> NodeChanges:
    """Return the nodes that a change of objects replaces; an object in only one of both states replaces none."""
    changes = NodeChanges()
    changed_templates: set[tuple[str, str, str]] = set()
    for key in sorted({*before} & {*after}):
        old, new = before[key], after[key]
        fields = [path for path in REPLACES.get(key.kind, ()) if _at(old, path) != _at(new, path)]
        if fields:
            named = ", ".join(f"`{'.'.join(path)}`" for path in fields)
            changes.replaced[key] = f"{named} changes"
        if key.kind in TEMPLATES and old.get("spec") != new.get("spec"):
            changed_templates.add(key[1:])
    for key, data in sorted(after.items(), key=lambda item: item[0]):
        same = [name for name in _references(data, key.namespace) if name in changed_templates]
        if not same or key in changes.replaced:
            continue
        templates = " and ".join(as_code(kind, name) for kind, _, name in same)
        of_template = f"the content of {templates}"
        if key.kind in _USERS:
            changes.kept[key] = f"{of_template} changes, and its name does not"
        elif key.kind == "ClusterClass":
            changes.replaced[key] = f"{of_template} changes"
    return changes


def objects_in(folder: Path) -> dict[Key, Any]:
    """Return the objects about nodes in the YAML and JSON files of a folder.

    Links and pipes are left out, and so is what `inject-proxy run` does not read either: what is no YAML, such as a
    template, and what aliases make too large.
    """
    found: dict[Key, Any] = {}
    for file in sorted(folder.rglob("*")):
        is_named_so = file.suffix in {".yaml", ".yml", ".json"}
        if is_named_so and file.is_file() and not file.is_symlink():
            found |= _objects(file, file.relative_to(folder).as_posix())
    return found


def _objects(file: Path, name: str) -> dict[Key, Any]:
    try:
        if file.stat().st_size > LARGEST:
            return {}
        manifests = Manifests({name: file.read_bytes()})
    except (OSError, InputError):
        return {}
    found = {}
    for index in range(len(manifests)):
        if _COMPARED.isdisjoint(manifests.kinds[index]):
            continue
        try:
            objects = manifests.objects(index)
        except InputError:
            continue
        for obj in objects:
            if obj.ref.kind in _COMPARED:
                found[Key(name, obj.ref.kind, obj.ref.namespace, obj.ref.name)] = obj.data
    return found


def _references(data: Any, namespace: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind, namespace and name of each template that a value refers to."""
    if isinstance(data, list):
        for member in data:
            yield from _references(member, namespace)
    elif isinstance(data, dict):
        kind, name, own = data.get("kind"), data.get("name"), data.get("namespace") or namespace
        # The schema of a CustomResourceDefinition has mappings under these names.
        if (
            isinstance(kind, str)
            and isinstance(name, str)
            and isinstance(own, str)
            and kind in TEMPLATES
        ):
            yield kind, own, name
        for member in data.values():
            yield from _references(member, namespace)


def _at(data: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data
