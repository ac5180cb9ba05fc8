"""Trust store of workloads: programs in pods trust the authorities of your network.

A ConfigMap with the certificates is mounted in all containers, and variables name it to their programs. The volume and the
mounts that have our name, and the variables whose value is the path of the bundle, are ours.
"""  # noqa: E501

from __future__ import annotations

from functools import partial

from krm_fn.krm.results import Result
from krm_fn.light_typing import Fields, NamedTuple, Texts
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.places.certificates import write_entry
from krm_fn.places.choice import fits_object
from krm_fn.places.containers import (
    Container,
    all_containers,
    containers,
    pod_spec,
    wrong_types,
)
from krm_fn.places.place import Place, WrittenForm
from krm_fn.places.provided import name_of, namespace_of
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Context, Data, NewObjects, Options, Places, Target
from krm_fn.targets.created_objects import CA_KEY
from krm_fn.targets.workloads.programs import PROGRAMS, is_part_of

# Of the volume, of its mounts, and of the ConfigMap that is made for it.
NAME = "inject-proxy-trusted-ca"
# Where a Go program looks for certificates besides the default file: ``crypto/x509`` (``root_unix.go``).
DIRECTORIES = "SSL_CERT_DIR"
_FOLDERS_OF_GO = ("/etc/ssl/certs", "/etc/pki/tls/certs")
_CHOOSE = ("trustedCA", "choose")
_ANNOTATION = ("metadata", "annotations", "fn.inject-proxy.io/trusted-ca")


class _Bundle(NamedTuple):
    """The bundle for containers: a key of a ConfigMap as a file in a folder, and the variables that name the file."""

    config_map: str
    key: str
    folder: str
    variables: Texts

    def volume(self) -> Fields:
        """Return the entry of ``volumes``."""
        source: Fields = {}
        if self.key != CA_KEY:
            source["items"] = [{"key": self.key, "path": CA_KEY}]
        source["name"] = self.config_map
        return {"configMap": source, "name": NAME}

    @property
    def is_read_by_go(self) -> bool:
        """Whether a Go program finds it."""
        if self.folder in _FOLDERS_OF_GO:
            return True
        return DIRECTORIES in self.variables or "SSL_CERT_FILE" in self.variables


def _value(name: str, folder: str) -> str:
    """Return the value of a variable that names the bundle: folders for Go, or the path."""
    if name == DIRECTORIES:
        return ":".join((*_FOLDERS_OF_GO, folder))
    return f"{folder}/{CA_KEY}"


def _wanted(data: Data, settings: ProxySettings, options: Options) -> _Bundle | None:
    """Return the bundle for the containers of a workload, if they get one."""
    if not settings.trusted_ca.pem or not _is_meant(data, options):
        return None
    folder = text_at(options, ("trustedCA", "mountPath")) or "/etc/inject-proxy/trusted-ca"
    variables = list_at(options, ("trustedCA", "variables"))
    bundle = _Bundle(NAME, CA_KEY, folder, tuple(variables))
    if settings.trusted_ca.config_map:
        namespace, name, key = settings.trusted_ca.config_map
        if namespace == namespace_of(data):
            bundle = bundle._replace(config_map=name, key=key)
    if _is_known(data) and not bundle.is_read_by_go:  # both are Go programs
        bundle = bundle._replace(variables=(*bundle.variables, DIRECTORIES))
    return bundle


def _is_source(data: Data, name: str, settings: ProxySettings) -> bool:
    """Return whether a ConfigMap in the namespace of an object is the one from which the certificates come."""
    source = settings.trusted_ca.config_map
    if source is None:
        return False
    return source[:2] == (namespace_of(data), name)


def _is_meant(data: Data, options: Options) -> bool:
    """Return whether an annotation, a matcher or the program itself says that a workload gets the certificates."""
    annotation = text_at(data, _ANNOTATION)
    if annotation in ("true", "false"):
        return annotation == "true"
    is_chosen = any(fits_object(matcher, data) for matcher in list_at(options, _CHOOSE))
    return is_chosen or _is_known(data)


def is_forgotten(data: Data, options: Options) -> bool:
    """Return whether nothing says about a workload whether it gets the certificates."""
    is_off = options.get("trustedCA") is False
    return not is_off and lookup(data, _ANNOTATION) is None and not _is_meant(data, options)


def _is_known(data: Data) -> bool:
    """Return whether a workload is cert-manager or chart-operator."""
    if any(row.is_labelled(data) for row in PROGRAMS["chartOperator"]):
        return True
    return any(is_part_of("certManager", container, data) for container in containers(data))


def _in_container(container: Container, bundle: _Bundle | None) -> Places:
    """Yield the mount and the variables of one container; report an obstacle."""
    where = f'container "{container.name}"'
    mounts = {
        text_at(mount, "mountPath").rstrip("/"): text_at(mount, "name")
        for mount in list_at(container.fields, "volumeMounts")
    }
    if bundle and mounts.get(bundle.folder, NAME) != NAME:
        yield Result(
            "CertificatesNotSet",
            f'"{bundle.folder}" in {where} is used by another mount, so it does not get the bundle: set '
            "`spec.targets.workloads.trustedCA.mountPath` to another folder",
            container.path,
        )
        return
    # A mount of our name in another folder is that of an earlier ``mountPath``; it and its variables go.
    folders = [folder for folder, name in mounts.items() if name == NAME]
    entries: dict[str, Fields | None] = {}
    if bundle:
        folders.append(bundle.folder)
        for name in bundle.variables:
            entries[name] = {"name": name, "value": _value(name, bundle.folder)}
    for entry in list_at(container.fields, "env"):
        name = text_at(entry, "name")
        if text_at(entry, "value") in [_value(name, folder) for folder in folders]:
            entries.setdefault(name, None)
        elif entries.pop(name, None):
            yield Result(
                "CertificatesNotSet",
                f"`{name}` in {where} does not name the bundle and is left as it is: remove the entry",
                container.path,
            )
    at = container.path
    for name, entry in entries.items():
        yield _entry((*at, "env"), name, entry, f"`{name}` in {where}")
    mount = {"mountPath": bundle.folder, "name": NAME, "readOnly": True} if bundle else None
    yield _entry((*at, "volumeMounts"), NAME, mount, f"the mount of the bundle in {where}")


def _in_config_map(data: Data, pem: str) -> Places:
    """Yield the certificates of our ConfigMap; report one of its name that somebody else made and that lacks them."""
    if created_objects.was_created(data):
        yield created_objects.trusted_config_map()
    elif pem and pem not in text_at(data, ("data", CA_KEY)):
        yield Result(
            "CertificatesNotSet",
            "lacks the certificates, and stays as it is, for somebody else made it: add them, or delete the "
            "ConfigMap",
            ("data", CA_KEY),
        )


def _entry(path: Pointer, name: str, member: Data | None, label: str) -> Place:
    form = WrittenForm(partial(write_entry, name, member))
    return Place(path, form, label, len(path) - 1, is_unconditional=True)


class WorkloadTrustStore(Target):
    """The certificates of ``spec.trustedCA`` in the containers of chosen workloads.

    Example: a container gets::

        env: [{name: SSL_CERT_FILE, value: /etc/inject-proxy/trusted-ca/ca-bundle.crt}]
        volumeMounts: [{mountPath: /etc/inject-proxy/trusted-ca, name: inject-proxy-trusted-ca, readOnly: true}]
    """

    audience = Audience.NOBODY

    def hints(self, options: Options) -> Texts:
        """Return the text hints; with matchers the text of a chosen workload can be any."""
        if lookup(options, _CHOOSE):
            return ()
        return super().hints(options)

    def companions(self, data: Data, settings: ProxySettings, options: Options) -> NewObjects:
        """Yield the ConfigMap with the certificates, which a run creates where it is the one of inject-proxy."""
        bundle = _wanted(data, settings, options)
        if bundle:
            config_map = created_objects.skeleton(
                "ConfigMap", bundle.config_map, namespace_of(data)
            )
            if _is_source(data, bundle.config_map, settings):
                del config_map["metadata"]["labels"]
            yield config_map

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places in a workload, or in the ConfigMap beside it."""
        at = pod_spec(data)
        settings = context.settings
        if at is None:
            name = name_of(data)
            if name == NAME and not _is_source(data, name, settings):
                yield from _in_config_map(data, settings.trusted_ca.pem)
            return
        bundle = _wanted(data, settings, context.options)
        listed = list(all_containers(data, at))
        if bundle:
            yield from wrong_types(data, at)
            if listed and not bundle.variables and not bundle.is_read_by_go:
                yield Result(
                    "CertificatesNotSet",
                    "mounts the certificates, and no variable names them to the programs: name the one that they "
                    "read in `spec.targets.workloads.trustedCA.variables`, such as `SSL_CERT_DIR` for a Go program",
                    at,
                )
        if listed or not bundle:
            volume = bundle.volume() if bundle else None
            yield _entry((*at, "volumes"), NAME, volume, "the volume of the bundle")
        for container in listed:
            yield from _in_container(container, bundle)
