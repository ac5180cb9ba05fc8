"""Other places that set a proxy for the same nodes: reported where they differ, never written.

Sources: systemd.exec(5), pam_env(8), apt.conf(5), Docker's "Use a proxy server"; ``k3s-io/k3s``
``pkg/agent/containerd/containerd.go`` and ``k0sproject/k0s`` ``pkg/supervisor/supervisor.go``: with the name of a
process in front, a variable is that process' own, and wins over the one of its service.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from krm_fn.config import TargetOptions
from krm_fn.engine import Draft
from krm_fn.formats import escaping
from krm_fn.krm.resourcelist import group_kind
from krm_fn.light_typing import Any, GroupKind, NamedTuple
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.places.members import CAMEL
from krm_fn.places.place import Place
from krm_fn.places.reading import Reading, quoted, same_value
from krm_fn.products import proxy_keys
from krm_fn.products.distributions import ROWS
from krm_fn.products.node_kinds import FILES_ON_REQUEST, K3S
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.base import Context, Data, Options, Places, Target, Writes
from krm_fn.targets.nodes import node_config
from krm_fn.targets.nodes.node_config import NodeConfig
from krm_fn.targets.nodes.node_files import BY_PATH, NODE_FILES

_GROUP = "infrastructure.cluster.x-k8s.io"
_FIELDS: dict[GroupKind, Pointer] = {
    (_GROUP, "VCDCluster"): ("spec", "proxyConfigSpec"),
    (_GROUP, "VCDClusterTemplate"): ("spec", "template", "spec", "proxyConfigSpec"),
}
_RANCHER = {
    (row.group, row.kind): row.path for row in ROWS if row.target == "distributions.rancher"
}

_READ = (
    r"/etc/(?:environment|profile|bash\.bashrc)|/etc/(?:default|sysconfig|profile\.d)/.*|.*\.env|"
    r"/etc/apt/apt\.conf(?:\.d/.*)?|.*/\.docker/config\.json|/etc/docker/daemon\.json|"
    r".*/systemd/system/docker\.service\.d/.*\.conf|/etc/systemd/system\.conf(?:\.d/.*)?"
)
"""The files in which programs of a node look for a proxy."""
_OF_SERVICE = r".*\.service\.d/.*\.conf|/etc/(?:default|sysconfig)/.*|.*\.env"
"""Those in which a service looks for the proxy of its processes."""
_COMMENTS = r"(?m)^[ \t]*[#;].*$"
_NAMES = "|".join(PROXY_VARIABLES)
_ASSIGNED = (
    rf"(?<![A-Za-z0-9_])(?:(?P<process>[A-Z]{{1,20}})_)?(?P<name>{_NAMES})="
    r"(?P<value>\"[^\"\r\n]*\"|'[^'\r\n]*'|[^\s\"';]*)"
)
_APT = r"(?i)Acquire::(?P<name>https?)::Proxy[ \t]+\"(?P<value>[^\"\r\n]*)\""
_DOCKER = r"(?i)\"(?P<name>https?|no)-?proxy\"\s*:\s*\"(?P<value>[^\"\r\n]*)\""
_LONGEST = 262_144
"""Longer texts are not read."""


def _readings_in(text: str, path: Pointer, place: str) -> Iterator[Reading]:
    """Yield the variables that a text assigns, in any of the forms of files on a node."""
    text = text[:_LONGEST]
    if "proxy" not in text.lower():
        return
    text = re.sub(_COMMENTS, "", text)
    for match in re.finditer(_ASSIGNED, text):
        value = escaping.shell_word(match["value"])
        why = "a shell expands it" if value is None else ""
        reading = Reading(match["name"], value, path, "", place, why)
        if match["process"]:
            reading = _of_process(reading, match["process"])
        yield reading
    for pattern in (_APT, _DOCKER):
        for name, value in re.findall(pattern, text):
            variable = f"{name.upper()}_PROXY"
            yield Reading(variable, value, path, "", place)
            yield Reading(variable.lower(), value, path, "", place)


def _of_process(reading: Reading, process: str) -> Reading:
    """Return the reading of a variable with the name of the process that alone reads it in front."""
    return reading._replace(
        place=f"{process.lower()}'s own environment in {reading.place}",
        maybe_elsewhere=frozenset(proxy_keys.UPPER),
        member=f"{process}_{reading.variable}",
        process=process,
    )


class _OtherPlaces(NamedTuple):
    """What others set in one object, as a form that writes nothing and reports what differs.

    ``written``: the files that another target writes on request.
    """

    written: Sequence[str]

    def read(self, obj: Any, place: Place) -> Iterator[Reading]:
        """Yield what other places of the object set."""
        kind = group_kind(obj)
        if kind in _FIELDS:
            path = _FIELDS[kind]
            place = Place(path, CAMEL, f"`{path[-1]}` of {kind[1]}")
            for reading in CAMEL.read(obj, place):
                yield reading._replace(member="")
        elif kind in _RANCHER:
            yield from _of_rancher(obj, _RANCHER[kind])
        else:
            config = node_config.find(Draft(obj))
            if config is not None:
                yield from self._of_nodes(config, obj)

    def _of_nodes(self, config: NodeConfig, obj: Any) -> Iterator[Reading]:
        """Yield what files of the nodes set, and what files and commands set for one process alone."""
        processes = config.system.processes
        for file in config.files_in(obj):
            is_read = re.fullmatch(_READ, file.path) and not self._is_written(config, file.path)
            is_of_service = re.fullmatch(_OF_SERVICE, file.path)
            if not (is_read or is_of_service):
                continue
            place = f'the file "{file.path}"'
            for reading in _readings_in(file.text or "", file.field("content"), place):
                is_of_process = is_of_service and reading.process in processes
                if is_of_process if reading.process else is_read:
                    yield reading
        if not processes:
            return
        place = f"`{config.commands[-1]}`"
        for index, text in enumerate(config.commands_in(obj)):
            path = (*config.commands, str(index))
            for reading in _readings_in(text, path, place):
                if reading.process in processes:
                    yield reading

    def _is_written(self, config: NodeConfig, path: str) -> bool:
        """Return whether another target writes a file, or a drop-in beside it."""
        folder, name = posixpath.split(path)
        if config.system.has_environment_files and folder == "/etc/default":
            return name in config.kind.services
        if path in self.written:
            return True
        is_drop_in = folder.endswith(".d") and name.endswith(".conf")
        return is_drop_in and folder in map(posixpath.dirname, self.written)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Report each place that sets another proxy, or one where none is wanted."""
        variables = settings.variables()
        places: dict[tuple[str, Pointer], list[Reading]] = {}
        for reading in self.read(draft.data, place):
            declared = variables.get(reading.variable, "").rstrip("/")
            value = (reading.value or "").rstrip("/")
            if not reading.value or same_value(reading.variable, value, declared):
                continue
            # Each command is a text of its own.
            path = reading.path if reading.process else ()
            places.setdefault((reading.place, path), []).append(reading)
        other = "another proxy than the one that is declared" if variables else "a proxy"
        for (name, _), differing in places.items():
            names = quoted(reading.member or reading.variable for reading in differing)
            message = (
                f"{name} sets {names} to {other}, and is not written here; change or remove it"
            )
            path = differing[0].path
            if text_at(draft.data, (*path[:-1], "path")) in BY_PATH:
                message += f", or name the file in `spec.targets.{FILES_ON_REQUEST}`"
            draft.report("OtherProxy", message, path)


def _of_rancher(obj: Data, path: Pointer) -> Iterator[Reading]:
    """Yield what a list of a Cluster of Rancher sets for one process: the installer of K3s copies such variables."""
    for index, variable in enumerate(list_at(obj, path)):
        process, _, name = text_at(variable, ("name",)).partition("_")
        value = lookup(variable, ("value",))
        if not isinstance(value, str):
            continue
        if process in K3S.processes and name in PROXY_VARIABLES:
            place = (*path, str(index), "value")
            reading = Reading(name, value, place, "", f"`{'.'.join(path)}`")
            yield _of_process(reading, process)


class _OtherWriters(Target):
    id = "nodes.otherWriters"
    audience = Audience.NODE
    writes = Writes.NOTHING

    def options(self, given: TargetOptions) -> Options:
        """Return what is given, and the files that another target writes on request."""
        written: list[str] = []
        if given.is_on(FILES_ON_REQUEST):
            for name in given.given_for(FILES_ON_REQUEST) or ():
                written += NODE_FILES[name].paths
        return {**super().options(given), "written": written}

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places that others write."""
        yield Place((), _OtherPlaces(context.options.get("written", ())), "other places")


TARGET = _OtherWriters()
