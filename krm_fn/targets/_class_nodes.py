"""The sorts of nodes that a ClusterClass makes: where their template is named, and what it holds without a proxy.

The law of this room: of a template that is not known nothing is assumed; that is a finding at the reference to it.

Source: Cluster API ``api/core`` v1beta1 (``template.bootstrap.ref``) and v1beta2 (``bootstrap.templateRef``).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from krm_fn import patch
from krm_fn.patch import Pointer, lookup
from krm_fn.results import Change, Finding, Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets import _kubeadm, _restart, containerd_drop_in, kubeadm_commands, kubelet_drop_in
from krm_fn.targets._around import Around
from krm_fn.targets._drop_in_seen import path_of
from krm_fn.targets._kubeadm import ConfigSpec

NODE_TARGETS = {target.ID: target for target in (containerd_drop_in, kubelet_drop_in, kubeadm_commands)}
"""The targets in whose place the patches stand."""

UNITS = {containerd_drop_in.ID: "containerd", kubelet_drop_in.ID: "kubelet"}

_SECTIONS = ("machineDeployments", "machinePools")
_HOLDERS = (("template", "bootstrap"), ("bootstrap",))
_REMEDY = "or set `spec.targets.clusterClass.sharedTemplates` to `Union`"


@dataclass(frozen=True)
class Nodes:
    """One sort of nodes: ``section`` and ``name`` are those of a class of workers, "" for the control plane.

    ``path`` leads to the KubeadmConfigSpec in their template; the rest says what stands in it.
    """

    section: str
    name: str
    api_version: str
    kind: str
    path: Pointer
    has_files: bool
    has_commands: bool
    needs_restart: bool

    @property
    def place(self) -> tuple[Any, ...]:
        """What tells the templates of these nodes from those of others, and where in them there is something to do."""
        return self.api_version, self.kind, self.path

    @property
    def sort(self) -> tuple[Any, ...]:
        """The same, and what their templates hold."""
        return *self.place, self.has_files, self.has_commands, self.needs_restart


def enabled(around: Around) -> dict[str, Mapping[str, Any]]:
    """Those of the node targets that are at work, with their options."""
    options = {name: around.options.get(name, {}) for name in NODE_TARGETS}
    return {name: given for name, given in options.items() if given.get("enabled", True)}


def nodes_of(obj: Mapping[str, Any], around: Around) -> Iterator[Nodes | Finding]:
    """The sorts of nodes of a ClusterClass; a finding for each whose template cannot be patched."""
    for section, name, path in _references(obj):
        reference = lookup(obj, path)
        kind = lookup(reference, ("kind",))
        if kind not in [kind for _, kind in _kubeadm.KINDS]:
            message = f'nodes of a "{kind}" are not set up by kubeadm, so they get no proxy here: see to it yourself'
            yield Finding(Severity.WARNING, message, path)
            continue
        template = around.template(reference, str(lookup(obj, ("metadata", "namespace")) or ""))
        if template is None:
            called = f'the {reference["kind"]} "{reference.get("name")}"'
            message = (
                f"{called} must be in the list, and belong to nothing but ClusterClasses, so that the patch can follow "
                f"what it holds: add it, take it out of `spec.selector.exclude`, {_REMEDY}"
            )
            yield Finding(Severity.ERROR, message, path)
        else:
            yield _nodes(section, name, reference, _Template(template, around), path)


def _references(obj: Mapping[str, Any]) -> Iterator[tuple[str, str, Pointer]]:
    """Section and name of each sort of nodes, and where its template is named."""
    for ref in ("ref", "templateRef"):
        if isinstance(lookup(obj, ("spec", "controlPlane", ref)), Mapping):
            yield "", "", ("spec", "controlPlane", ref)
    for section in _SECTIONS:
        classes = lookup(obj, ("spec", "workers", section))
        for index, worker in enumerate(classes if isinstance(classes, list) else ()):
            name = lookup(worker, ("class",))
            for path in ((*holder, ref) for holder in _HOLDERS for ref in ("ref", "templateRef")):
                if isinstance(name, str) and isinstance(lookup(worker, path), Mapping):
                    yield section, name, ("spec", "workers", section, str(index), *path)


@dataclass(frozen=True)
class _Template:
    obj: Mapping[str, Any]
    around: Around

    def cleared(self) -> Any:
        """The template as the node targets leave it, which take out what is theirs."""
        data = copy.deepcopy(dict(self.obj))
        for name, options in enabled(self.around).items():
            said = list(NODE_TARGETS[name].propose(data, ProxySettings(), options))
            patch.apply(data, [one.operation for one in said if isinstance(one, Change)])
        return data


def _nodes(
    section: str, name: str, reference: Mapping[str, Any], template: _Template, path: Pointer
) -> Nodes | Finding:
    data = template.cleared()
    spec = _kubeadm.find(data)
    called = f'the {reference["kind"]} "{reference.get("name")}"'
    if not isinstance(spec, ConfigSpec):
        message = f"{called} has no KubeadmConfigSpec that a patch could add to: write one with a `files` entry in it"
        return Finding(Severity.ERROR, message, path)
    lists = [spec.entries(key) for key in ("files", "preKubeadmCommands")]
    files, commands = (found if isinstance(found, list) else [] for found in lists)
    problem = next((found for found in lists if isinstance(found, Finding)), None)
    if problem:
        return Finding(Severity.ERROR, f"in {called}, {problem.message}", path)
    at_work = enabled(template.around)
    ours = [path_of(options, UNITS[target], files) for target, options in at_work.items() if target in UNITS]
    taken = next((lookup(file, ("path",)) for file in files if lookup(file, ("path",)) in ours), None)
    if taken:
        message = (
            f'{called} holds a file "{taken}" with more in it than a proxy, and a path must be unique: move the rest '
            f"to another file, or set `path` of the target to another one, {_REMEDY}"
        )
        return Finding(Severity.ERROR, message, path)
    texts = [command for command in commands if isinstance(command, str)]
    return Nodes(
        section,
        name,
        str(reference.get("apiVersion")),
        str(reference.get("kind")),
        spec.path,
        has_files=bool(files),
        has_commands=bool(commands),
        needs_restart=not spec.ignition and not _restart.is_restarted(texts),
    )
