"""Proxy variables of one process of a service: ``CONTAINERD_HTTPS_PROXY`` is ``HTTPS_PROXY`` of its containerd alone.

K3s, RKE2 and k0s take the name of the process off, and what is left wins over the variable of the whole service. So
another value there is what the process uses, whatever else the node gets.

Sources: ``k3s-io/k3s`` ``pkg/agent/containerd/containerd.go`` (``CONTAINERD_``, the rest in any case), ``install.sh``
(such variables go into the environment file); ``k0sproject/k0s`` ``pkg/supervisor/supervisor.go`` (``getEnv``: the rest
in any case, too, where a process does not keep its prefix, as etcd does in ``pkg/component/controller/etcd.go``).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from krm_fn.carriers import unit_text
from krm_fn.carriers.reading import Reading
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.products import proxy_keys
from krm_fn.products.distributions import ROWS
from krm_fn.products.node_kinds import K3S
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.nodes import other_files, shell_exports
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.files import entries_of

RANCHER = {(row.group, row.kind): row.path for row in ROWS if row.target == "rancher"}
"""The Clusters of Rancher -> where they have the variables of the nodes."""

_VARIABLE = rf"(?<![A-Za-z0-9_])([A-Z]{{1,20}}_)?({'|'.join(PROXY_VARIABLES)})(?![A-Za-z0-9_])"
_EXPANDED = r"[$`]"
_IN_UPPER_CASE = frozenset({"ETCD"})
"""Processes for which variables in lower case stay as they are, with the name in front."""
_OF_ITS_SERVICE = frozenset(proxy_keys.UPPER)
"""What the process gets from its service where it has none of its own."""


def of_nodes(spec: ConfigSpec) -> Iterator[Reading]:
    """Yield what files and commands of a configuration set for one process of a service."""
    for process in spec.system.processes:
        for file in entries_of(spec):
            if file.text is None:
                continue
            path = (*spec.files, str(file.at), "content")
            for name, value in _of_file(file.path, _seen_by(process, file.text)).items():
                seen = _reading(process, name, value, path, f'the file "{file.path}"')
                yield seen if file.entry.get("encoding") else spec.through_jinja(seen)
        yield from _of_commands(spec, process)


def of_rancher(obj: Mapping[str, Any], path: Pointer) -> Iterator[Reading]:
    """Yield what a list of a Cluster of Rancher sets for one process: the installer of K3s copies such variables."""
    variables, where = lookup(obj, path), f"`{'.'.join(path)}`"
    for at, one in enumerate(variables) if isinstance(variables, list) else ():
        name, value = str(lookup(one, ("name",))), lookup(one, ("value",))
        for process in K3S.processes:
            variable = name.removeprefix(f"{process}_")
            if variable != name and variable in PROXY_VARIABLES and isinstance(value, str):
                yield _reading(process, variable, value, (*path, str(at), "value"), where)


def _seen_by(process: str, text: str) -> str:
    """Return a text in which the variables of one process have their plain names, and no others have."""
    own = f"{process}_"
    if own not in text:
        return ""

    def seen(found: re.Match[str]) -> str:
        is_read = found[2].isupper() or process not in _IN_UPPER_CASE
        return found[2] if found[1] == own and is_read else f"_{found[2]}"

    return re.sub(_VARIABLE, seen, text)


def _of_file(path: str, text: str) -> Mapping[str, str | None]:
    """Return the variables that a file sets for a service; empty for one that no service reads."""
    folder, name = posixpath.split(path)
    if folder in ("/etc/default", "/etc/sysconfig") or name.endswith(".env"):
        return other_files.of_lines(text)
    if folder.endswith(".service.d") and name.endswith(".conf"):
        return {one.name: one.value for one in unit_text.settings_of(text)}
    return {}


def _of_commands(spec: ConfigSpec, process: str) -> Iterator[Reading]:
    """Yield what commands export, or write into a file, as far as their text shows it."""
    commands = spec.entries(spec.commands)
    texts = [_seen_by(process, one) if isinstance(one, str) else "" for one in commands]
    place = f"`{spec.system.commands}`"
    exported = {(at, one.name): one.value for at, one in shell_exports.live(texts)}
    for at, text in enumerate(texts):
        for name, written in shell_exports.assigned(text):
            value = exported.get((at, name))
            if value is None and not re.search(_EXPANDED, written):
                value = written
            seen = _reading(process, name, value, (*spec.commands, str(at)), place)
            yield spec.through_jinja(seen)


def _reading(process: str, name: str, value: str | None, path: Pointer, where: str) -> Reading:
    return Reading(
        name,
        value,
        path,
        "",
        f"{process.lower()}'s own environment in {where}",
        "" if value is not None else "a shell expands it",
        beside=_OF_ITS_SERVICE,
        member=f"{process}_{name}",
        process=process,
    )
