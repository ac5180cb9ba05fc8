"""A bundle of certificates in the pods of a workload: a volume, and for each container a mount and variables.

The volume and the mounts that have our name, and the variables whose value is the path of the bundle, are ours;
nothing else is touched. A variable with another value is its author's, and is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.carriers.env_list import variable_of
from krm_fn.carriers.pod_spec import (
    CONTAINERS,
    INIT_CONTAINERS,
    Container,
    containers,
    report_wrong_types,
)
from krm_fn.carriers.site import SiteWithoutVariables, Variables, quoted
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.trusted_config_map import KEY

NAME = "inject-proxy-trusted-ca"
"""Of the volume, of its mounts, and of the ConfigMap that is made for it."""

FILE = KEY
"""The file in the mounted folder, and the key of the ConfigMap that is made."""

DIRECTORIES = "SSL_CERT_DIR"
"""The variable in which a Go program looks for folders of certificates.

Source: ``crypto/x509`` of Go (``root_unix.go``, ``root_linux.go``): it replaces the default folders and leaves the
default file as it is, so the default folders with ours behind them add to what the program trusts.
"""

_FOLDERS_OF_GO = ("/etc/ssl/certs", "/etc/pki/tls/certs")
_READ_BY_GO = (DIRECTORIES, "SSL_CERT_FILE")


class Bundle(NamedTuple):
    """What the containers are to see: ``key`` of a ConfigMap as a file in ``folder``, and variables with its path."""

    config_map: str
    key: str
    folder: str
    variables: Sequence[str] = ()

    @property
    def path(self) -> str:
        """Return the path of the bundle in the containers."""
        return f"{self.folder}/{FILE}"

    @property
    def values(self) -> dict[str, str]:
        """Return the variables with their values.

        The folders for ``SSL_CERT_DIR``, the path for all others.
        """
        return {
            name: _directories(self.folder) if name == DIRECTORIES else self.path
            for name in self.variables
        }

    @property
    def is_read_by_go(self) -> bool:
        """Return whether a Go program finds the bundle.

        By a variable, or because it looks into the folder anyway.
        """
        return self.folder in _FOLDERS_OF_GO or any(name in self.variables for name in _READ_BY_GO)

    def volume(self) -> dict[str, Any]:
        """Return the entry of ``volumes``."""
        items = {} if self.key == FILE else {"items": [{"key": self.key, "path": FILE}]}
        return {"configMap": {**items, "name": self.config_map}, "name": NAME}

    def mount(self) -> dict[str, Any]:
        """Return the entry of ``volumeMounts``."""
        return {"mountPath": self.folder, "name": NAME, "readOnly": True}


def _directories(folder: str) -> str:
    return ":".join((*_FOLDERS_OF_GO, folder))


class TrustBundle(SiteWithoutVariables):
    """The bundle in the pod specification at ``at``, as a site; it holds no proxy variable.

    Args:
        draft: the data of the workload.
        at: leads to its pod specification.
        bundle: what the containers see; None: all that is our own is removed.
    """

    label = "the trusted certificates"

    def __init__(self, draft: Draft, at: Pointer, bundle: Bundle | None) -> None:
        self._draft = draft
        self._at = at
        self._bundle = bundle

    def write(self, variables: Variables) -> None:
        """Mount the bundle in all containers, or remove what is ours.

        Raises:
            WrongTypeError: a field is no list, or no mapping.
        """
        bundle = self._bundle
        found: list[Container] = []
        for field in (INIT_CONTAINERS, CONTAINERS):
            if bundle:
                report_wrong_types(self._draft, field, at=self._at)
            found += containers(self._draft.data, field, at=self._at)
        wanted = bundle.volume() if bundle else None
        if found or not bundle:
            self._set_entry((*self._at, "volumes"), wanted, "the volume of the bundle")
        is_mounted = [self._write_container(container) for container in found]
        if bundle and not bundle.variables and not bundle.is_read_by_go and any(is_mounted):
            message = (
                "mounts the certificates, and no variable names them to the programs: name the "
                "variable that they read in `spec.targets.workloadTrustStore.variables`, such as "
                "`SSL_CERT_DIR` for a Go program"
            )
            self._draft.report(Severity.WARNING, message, self._at, code="CertificatesNotRead")

    def _write_container(self, container: Container) -> bool:
        """Mount the bundle in one container; return whether it is mounted there."""
        bundle, path = self._bundle, (*container.path, "volumeMounts")
        other = _mount_in_the_way(container.fields.get("volumeMounts"), bundle) if bundle else None
        if bundle and other is not None:
            message = (
                f'"{bundle.folder}" is used by another mount in container "{container.name}", so it '
                "does not get the bundle: set `spec.targets.workloadTrustStore.mountPath` to another "
                "folder"
            )
            self._draft.report(
                Severity.WARNING, message, (*path, str(other)), code="MountPathTaken"
            )
            return False
        self._write_variables(container)
        mount = bundle.mount() if bundle else None
        self._set_entry(path, mount, f'the mount of the bundle in container "{container.name}"')
        return bundle is not None

    def _set_entry(self, path: Pointer, wanted: Mapping[str, Any] | None, what: str) -> None:
        """Set the one entry of our name in a list of volumes or of mounts, or remove it."""
        value = self._draft.get(path)
        if not isinstance(value, list) and wanted is None:
            return
        entries = self._draft.items(path) or []
        ours = [index for index, entry in enumerate(entries) if _has_our_name(entry)]
        for index in reversed(ours[1:] if wanted else ours):
            self._draft.remove((*path, str(index)), keep=len(path) - 1)
            self._draft.describe(f"removes {what}")
        if wanted and not ours:
            self._draft.append(path, wanted)
            self._draft.describe(f"adds {what}")
        elif wanted and entries[ours[0]] != wanted:
            self._draft.set((*path, str(ours[0])), wanted)
            self._draft.describe(f"updates {what}")

    def _write_variables(self, container: Container) -> None:
        bundle, path = self._bundle, (*container.path, "env")
        values = bundle.values if bundle else {}
        env = self._draft.get(path)
        if not isinstance(env, list) and not values:
            return
        env = self._draft.items(path) or []
        ours = dict(_ours(container, bundle))
        entries: list[Any] = []
        present: set[str] = set()
        for index, entry in enumerate(env):
            name = ours.get(index)
            if name is None:
                entries.append(entry)
            elif name in values and name not in present:
                present.add(name)
                entries.append({"name": name, "value": values[name]})
        at = len(entries) - _proxy_entries_at_end(entries)
        for name, value in values.items():
            other = _index_of(entries, name)
            if name not in present and other is not None:
                self._report_other_value(container, name, (*path, str(other)))
            elif name not in present:
                entries.insert(at, {"name": name, "value": value})
                at += 1
        self._set_env(container, env, entries, sorted({*ours.values()} - present))

    def _set_env(
        self, container: Container, env: list[Any], entries: list[Any], removed: list[str]
    ) -> None:
        if entries == env:
            return
        path, where = (*container.path, "env"), f'in container "{container.name}"'
        changed = [entry["name"] for entry in entries if entry not in env]
        if changed:
            self._draft.describe(f"sets {quoted(changed)} {where}")
        if removed:
            self._draft.describe(f"removes {quoted(removed)} {where}")
        if entries:
            self._draft.set(path, entries, keep=len(path) - 1)
        else:
            self._draft.remove(path, keep=len(path) - 1)

    def _report_other_value(self, container: Container, name: str, path: Pointer) -> None:
        message = (
            f'`{name}` in container "{container.name}" does not name the bundle and is left as it is: '
            "remove the entry"
        )
        self._draft.report(Severity.WARNING, message, path, code="CertificateVariableTaken")


def _has_our_name(entry: Any) -> bool:
    return bool(lookup(entry, ("name",)) == NAME)


def _mount_in_the_way(mounts: Any, bundle: Bundle) -> int | None:
    """Return which mount of another volume has the folder of the bundle."""
    for index, mount in enumerate(mounts if isinstance(mounts, list) else ()):
        path = lookup(mount, ("mountPath",))
        is_there = isinstance(path, str) and path.rstrip("/") == bundle.folder
        if is_there and not _has_our_name(mount):
            return index
    return None


def _ours(container: Container, bundle: Bundle | None) -> Iterator[tuple[int, str]]:
    """Yield index and name of each variable with the path of the bundle, as it is mounted or will be."""
    folders = [bundle.folder] if bundle else []
    mounts = container.fields.get("volumeMounts")
    for mount in mounts if isinstance(mounts, list) else ():
        folder = lookup(mount, ("mountPath",))
        if _has_our_name(mount) and isinstance(folder, str):
            folders.append(folder)
    paths = {f"{folder}/{FILE}" for folder in folders}
    paths |= {_directories(folder) for folder in folders}
    env = container.fields.get("env")
    for index, entry in enumerate(env if isinstance(env, list) else ()):
        name, value = lookup(entry, ("name",)), lookup(entry, ("value",))
        if isinstance(name, str) and isinstance(value, str) and value in paths:
            yield index, name


def _index_of(entries: Sequence[Any], name: str) -> int | None:
    """Return the index of the last entry that has a name."""
    found = None
    for index, entry in enumerate(entries):
        if lookup(entry, ("name",)) == name:
            found = index
    return found


def _proxy_entries_at_end(env: Sequence[Any]) -> int:
    """Return how many entries at the end set a proxy: other targets keep theirs last."""
    number = 0
    for entry in reversed(env):
        if not variable_of(entry):
            break
        number += 1
    return number
