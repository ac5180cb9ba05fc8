"""Other places that set a proxy for the same nodes: reported where they differ, never written."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from krm_fn.carriers import unit_text
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer, lookup
from krm_fn.products.node_files import BY_PATH, NODE_FILES, NodeFile
from krm_fn.products.node_kinds import FILES_ON_REQUEST, SYSTEMS, WITH_FILES
from krm_fn.targets.base import NO_OPTIONS, Context, Options, Target, Writes
from krm_fn.targets.nodes import config_spec, other_files, process_variables
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.files import FileEntry, entries_of
from krm_fn.targets.nodes.process_variables import RANCHER

_INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io"
_FIELDS: dict[tuple[str, str], Pointer] = {
    (_INFRASTRUCTURE, "VCDCluster"): ("spec", "proxyConfigSpec"),
    (_INFRASTRUCTURE, "VCDClusterTemplate"): ("spec", "template", "spec", "proxyConfigSpec"),
}

_PATH_OF_KIND = {kind: path for (_, kind), path in _FIELDS.items()}
_LIST_OF_KIND = {kind: path for (_, kind), path in RANCHER.items()}
_MEMBERS = {"httpProxy": "HTTP_PROXY", "httpsProxy": "HTTPS_PROXY", "noProxy": "NO_PROXY"}
_ENVIRONMENT_FILES = frozenset(
    {"/etc/environment", "/etc/profile", "/etc/bash.bashrc"}
    | {
        f"/etc/{folder}/{name}"
        for folder in ("default", "sysconfig")
        for name in ("kubelet", "docker", "containerd", "k3s", "k3s-agent")
    }
    | {
        f"{start}{service.name}{end}"
        for system in SYSTEMS
        if system.has_environment_files
        for service in system.services
        for start, end in (("/etc/sysconfig/", ""), ("/usr/local/lib/systemd/system/", ".env"))
    }
)
_NOT_SEEN = "apt has no such list"


class _OtherPlaces:
    """What others set in one object, as a site that writes nothing and reports what differs."""

    label = "other places"

    def __init__(self, draft: Draft, written: Sequence[NodeFile]) -> None:
        self._draft = draft
        self._written = written

    def read(self) -> Iterator[Reading]:
        """Yield what other places of the object set."""
        obj = self._draft.data
        kind = str(obj.get("kind"))
        if kind in _PATH_OF_KIND:
            yield from _of_fields(obj, _PATH_OF_KIND[kind])
            return
        if kind in _LIST_OF_KIND:
            yield from process_variables.of_rancher(obj, _LIST_OF_KIND[kind])
            return
        spec = config_spec.find(Draft(obj))
        if spec is not None:
            for file in entries_of(spec):
                if not any(_belongs_to(file.path, one) for one in self._written):
                    yield from _of_file(spec, file)
            yield from process_variables.of_nodes(spec)

    def write(self, variables: Variables) -> None:
        """Report each place that sets another proxy, or one where none is wanted."""
        places: dict[tuple[str, Pointer], list[Reading]] = {}
        for one in self.read():
            if one.value and not _agrees(one, variables):
                path = one.path if one.process else ()  # each of its commands is a text of its own
                places.setdefault((one.place, path), []).append(one)
        for (place, _), differing in places.items():
            names = quoted(one.member or one.variable for one in differing)
            remedy = ""
            file = lookup(self._draft.data, (*differing[0].path[:-1], "path"))
            if isinstance(file, str) and file in BY_PATH:
                remedy = f", or name the file in `spec.targets.{FILES_ON_REQUEST}.files`"
            if variables:
                message = (
                    f"{place} sets {names} to another value than the one that is declared, and this "
                    f"function does not write there; change the value there, or remove it{remedy}"
                )
            else:
                message = (
                    f"{place} still sets {names}, and this function does not write there; remove it "
                    f"by hand{remedy}"
                )
            self._draft.report(Severity.WARNING, message, differing[0].path, code="OtherWriter")


def _belongs_to(path: str, file: NodeFile) -> bool:
    """Return whether a path is that of a file, or of another drop-in of its service."""
    is_drop_in = file.form is None
    return path == file.path or (
        is_drop_in and posixpath.dirname(path) == posixpath.dirname(file.path)
    )


def _agrees(one: Reading, wanted: Mapping[str, str]) -> bool:
    if one.variable.upper() == "NO_PROXY":
        return set(parse(one.value or "")) == set(parse(wanted.get(one.variable, "")))
    return (one.value or "").rstrip("/") == wanted.get(one.variable, "").rstrip("/")


def _of_fields(obj: Mapping[str, Any], path: Pointer) -> Iterator[Reading]:
    for member, name in _MEMBERS.items():
        value = lookup(obj, (*path, member))
        if isinstance(value, list):
            value = ",".join(entry for entry in value if isinstance(entry, str))
        if isinstance(value, str) and value:
            for variable in (name, name.lower()):
                yield Reading(
                    variable, value, (*path, member), value, f"`{path[-1]}` of {obj.get('kind')}"
                )


def _of_file(spec: ConfigSpec, one: FileEntry) -> Iterator[Reading]:
    file, text = one.path, one.text
    if not text:
        return
    path = (*spec.files, str(one.at), "content")
    place = f'the file "{file}"'
    for name, value in _variables_in(file, text).items():
        seen = Reading(
            name, value, path, "", place, "" if value is not None else "a shell expands it"
        )
        yield seen if one.entry.get("encoding") else spec.through_jinja(seen)
    if _is_of_apt(file) and other_files.of_apt(text):
        for name in ("NO_PROXY", "no_proxy"):  # nobody misses the list there
            yield Reading(name, None, path, "", place, _NOT_SEEN)


def _variables_in(file: str, text: str) -> dict[str, str | None]:
    """Return the variables that a file sets: name -> value.

    Empty for a file that no client reads for a proxy.
    """
    folder, name = posixpath.split(file)
    if file in _ENVIRONMENT_FILES or folder == "/etc/profile.d":
        return other_files.of_lines(text)
    if _is_of_apt(file):
        return _both_cases(other_files.of_apt(text))
    if file == "/etc/docker/daemon.json" or file.endswith("/.docker/config.json"):
        return _both_cases(other_files.of_docker(text))
    if folder.endswith("/systemd/system/docker.service.d") and name.endswith(".conf"):
        return {one.name: one.value for one in unit_text.settings_of(text)}
    if file == "/etc/systemd/system.conf" or folder.endswith("/systemd/system.conf.d"):
        return other_files.of_system_conf(text)
    return {}


def _is_of_apt(file: str) -> bool:
    return file == "/etc/apt/apt.conf" or posixpath.dirname(file) == "/etc/apt/apt.conf.d"


def _both_cases(values: Mapping[str, str | None]) -> dict[str, str | None]:
    return {case: value for name, value in values.items() for case in (name, name.lower())}


class _OtherWriters(Target):
    id = "otherWriters"
    kinds = WITH_FILES | frozenset([*_FIELDS, *RANCHER])
    audience = Audience.NODE
    writes = Writes.NOTHING

    def options(self, given: Mapping[str, Options]) -> Options:
        """Return what is given, and the files that another target writes on request."""
        of_files = given.get(FILES_ON_REQUEST, NO_OPTIONS)
        chosen = of_files.get("files", ()) if of_files.get("enabled", True) else ()
        return {**super().options(given), "written": [NODE_FILES[name] for name in chosen]}

    def sites(self, draft: Draft, context: Context) -> Iterator[_OtherPlaces]:
        """Yield the places that others write."""
        yield _OtherPlaces(draft, context.options.get("written", ()))


TARGET = _OtherWriters()
