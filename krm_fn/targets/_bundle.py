"""A bundle of certificates in the pods of a workload: a volume, and for each container a mount and variables.

Ours are the volume and the mounts of our name, and the variables whose value is the path of the
bundle; nothing else is touched. A variable that says something else is its author's, and is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import ListEdit, Operation, Pointer, lookup
from krm_fn.targets._env import Container, name_of, quoted
from krm_fn.targets._podspec import containers

NAME = "inject-proxy-trusted-ca"
"""Of the volume, of its mounts, and of the ConfigMap that is made for it."""

FILE = "ca-bundle.crt"
"""The file in the mounted folder, and the key of the ConfigMap that is made."""

DIRECTORIES = "SSL_CERT_DIR"
"""The variable in which a Go program looks for folders of certificates.

Source: ``crypto/x509`` of Go (``root_unix.go``, ``root_linux.go``): it replaces the default folders and leaves the
default file as it is, so the default folders with ours behind them add to what the program trusts.
"""

_FOLDERS_OF_GO = ("/etc/ssl/certs", "/etc/pki/tls/certs")
_READ_BY_GO = (DIRECTORIES, "SSL_CERT_FILE")


@dataclass(frozen=True)
class Bundle:
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
        """Return the variables with their values: the folders for ``SSL_CERT_DIR``, the path for all others."""
        return {
            name: _directories(self.folder) if name == DIRECTORIES else self.path
            for name in self.variables
        }

    @property
    def is_read_by_go(self) -> bool:
        """Return whether a Go program finds the bundle: by a variable, or because it looks into the folder anyway."""
        return self.folder in _FOLDERS_OF_GO or any(name in self.variables for name in _READ_BY_GO)

    def volume(self) -> dict[str, Any]:
        """The entry of ``volumes``."""
        items = {} if self.key == FILE else {"items": [{"key": self.key, "path": FILE}]}
        return {"configMap": {**items, "name": self.config_map}, "name": NAME}

    def mount(self) -> dict[str, Any]:
        """The entry of ``volumeMounts``."""
        return {"mountPath": self.folder, "name": NAME, "readOnly": True}


def _directories(folder: str) -> str:
    return ":".join((*_FOLDERS_OF_GO, folder))


def propose(
    obj: Mapping[str, Any], at: Pointer, bundle: Bundle | None
) -> Iterator[Change | Finding]:
    """Yield what the pod specification at ``at`` lacks or has too much; without a ``bundle``, all of ours goes."""
    found: list[Container] = []
    for field in ("initContainers", "containers"):
        some, problems = containers(obj, field, at=at)
        found += some
        yield from problems if bundle else ()
    if found or not bundle:
        wanted = bundle.volume() if bundle else None
        yield from _entry(
            (*at, "volumes"), lookup(obj, (*at, "volumes")), wanted, "the volume of the bundle"
        )
    for container in found:
        yield from _in_container(container, bundle)
    if bundle and not bundle.variables and not bundle.is_read_by_go and _mounted(found, bundle):
        message = (
            "mounts the certificates, and no variable tells the programs where they are: name the variable that they"
            " read in `spec.targets.workloadTrustStore.variables`, such as `SSL_CERT_DIR` for a Go program"
        )
        yield Finding(Severity.WARNING, message, at, code="CertificatesNotRead")


def _mounted(found: Sequence[Container], bundle: Bundle) -> bool:
    """Return whether any of the containers gets the bundle."""
    return any(_taken(container.fields.get("volumeMounts"), bundle) is None for container in found)


def _in_container(container: Container, bundle: Bundle | None) -> Iterator[Change | Finding]:
    mounts = container.fields.get("volumeMounts")
    taken = bundle and _taken(mounts, bundle)
    if bundle and taken is not None:
        message = (
            f'"{bundle.folder}" is taken already {_whose(container)}, so it does not get the bundle: set '
            "`spec.targets.workloadTrustStore.mountPath` to another folder"
        )
        yield Finding(
            Severity.WARNING,
            message,
            (*container.path, "volumeMounts", str(taken)),
            code="MountPathTaken",
        )
        return
    wanted = bundle.mount() if bundle else None
    yield from _variables(container, bundle)
    where = f"the mount of the bundle {_whose(container)}"
    yield from _entry((*container.path, "volumeMounts"), mounts, wanted, where)


def _taken(mounts: Any, bundle: Bundle) -> int | None:
    """Which mount of another volume has the folder of the bundle."""
    for index, mount in enumerate(mounts if isinstance(mounts, list) else ()):
        path = lookup(mount, ("mountPath",))
        if (
            isinstance(path, str)
            and path.rstrip("/") == bundle.folder
            and lookup(mount, ("name",)) != NAME
        ):
            return index
    return None


def _entry(
    path: Pointer, entries: Any, wanted: Mapping[str, Any] | None, what: str
) -> Iterator[Change | Finding]:
    """The one entry of our name in a list of volumes or of mounts."""
    if entries is not None and not isinstance(entries, list):
        yield from (wrong_type(path, entries, "a list"),) if wanted else ()
        return
    old = entries or []
    ours = [index for index, entry in enumerate(old) if lookup(entry, ("name",)) == NAME]
    edit = ListEdit(path, old)
    edit.removed.update(ours[1:] if wanted else ours)
    if wanted and not ours:
        edit.appended.append(wanted)
    elif wanted and old[ours[0]] != wanted:
        edit.replaced[ours[0]] = wanted
    verbs = {"add": "adds", "replace": "updates", "remove": "removes"}
    yield from (
        Change(operation, f"{verbs[operation.op]} {what}") for operation in edit.operations()
    )


def _variables(container: Container, bundle: Bundle | None) -> Iterator[Change | Finding]:
    path, env = (*container.path, "env"), container.fields.get("env")
    if env is not None and not isinstance(env, list):
        yield from (wrong_type(path, env, "a list"),) if bundle and bundle.variables else ()
        return
    wanted = (
        {name: {"name": name, "value": value} for name, value in bundle.values.items()}
        if bundle
        else {}
    )
    edit, met = ListEdit(path, env, _tail(env or ())), set()
    for index, name in _ours(container, bundle):
        if name in wanted and name not in met:
            met.add(name)
            edit.replaced |= {index: wanted[name]} if lookup(env, (index,)) != wanted[name] else {}
        else:
            edit.removed.add(index)
    named = {
        name: index
        for index, entry in enumerate(env or ())
        if isinstance(name := lookup(entry, ("name",)), str)
    }
    theirs = {name: named[name] for name in wanted if name in named and name not in met}
    edit.appended += [
        entry for name, entry in wanted.items() if name not in met and name not in theirs
    ]
    yield from (_change(operation, edit, container) for operation in edit.operations())
    for name, index in theirs.items():
        message = f"`{name}` {_whose(container)} does not name the bundle and is left as it is: remove the entry"
        yield Finding(
            Severity.WARNING,
            message,
            (*path, str(edit.place_of(index))),
            code="CertificateVariableTaken",
        )


def _ours(container: Container, bundle: Bundle | None) -> Iterator[tuple[int, str]]:
    """Index and name of each variable with the path of the bundle: as it is mounted, and as it is to be mounted."""
    mounts = container.fields.get("volumeMounts")
    mounts = mounts if isinstance(mounts, list) else ()
    mounted = [
        lookup(mount, ("mountPath",)) for mount in mounts if lookup(mount, ("name",)) == NAME
    ]
    folders = [folder for folder in mounted if isinstance(folder, str)] + (
        [bundle.folder] if bundle else []
    )
    paths = {f"{folder}/{FILE}" for folder in folders} | {
        _directories(folder) for folder in folders
    }
    for index, entry in enumerate(container.fields.get("env") or ()):
        name, value = lookup(entry, ("name",)), lookup(entry, ("value",))
        if isinstance(name, str) and isinstance(value, str) and value in paths:
            yield index, name


def _tail(env: Sequence[Any]) -> int:
    """How many entries at the end set a proxy: other targets keep theirs last."""
    number = 0
    for entry in reversed(env):
        if not name_of(entry):
            break
        number += 1
    return number


def _change(operation: Operation, edit: ListEdit, container: Container) -> Change:
    is_list = len(operation.path) == len(edit.path)
    if operation.op == "remove":
        entries = edit.old or () if is_list else [lookup(edit.old, operation.path[-1:])]
    else:
        entries = operation.value if is_list else [operation.value]
    verb = "removes" if operation.op == "remove" else "sets"
    return Change(
        operation, f"{verb} {quoted(entry['name'] for entry in entries)} {_whose(container)}"
    )


def _whose(container: Container) -> str:
    return f'in container "{container.name}"'
