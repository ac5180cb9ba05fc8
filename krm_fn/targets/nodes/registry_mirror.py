"""containerd: a registry mirror that every node asks before any other registry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.carriers.site import Variables
from krm_fn.config import Mirror
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup
from krm_fn.products.node_kinds import WITH_MIRRORS
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Target
from krm_fn.targets.nodes import config_spec, hosts_toml, registries_yaml
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.container_runtime import LINUX
from krm_fn.targets.nodes.files import File, NodeFiles, decode, entries_of

_CONFIG = "/etc/containerd/config.toml"


class _MirrorFiles(NodeFiles):
    """The files of the mirror, as a site that also reports whether containerd looks at them."""

    def __init__(self, spec: ConfigSpec, wanted: Sequence[File]) -> None:
        label = "the registry mirror of containerd"
        super().__init__(spec, label, self._is_ours, wanted, hosts_toml.described)
        self._is_wanted = bool(wanted)

    def write(self, variables: Variables) -> None:
        """Write the files, and report what keeps containerd from reading them.

        Raises:
            WrongTypeError: ``files`` is no list, and there is a mirror.
        """
        super().write(variables)
        if self._is_wanted and not self.spec.system.registries:
            _report_readers(self.spec)

    def _is_ours(self, path: str, text: str) -> bool:
        registries = self.spec.system.registries
        if registries:
            return registries_yaml.is_ours(path, text, registries)
        return hosts_toml.is_ours(path, text)


def _files(settings: ProxySettings, spec: ConfigSpec) -> list[File]:
    """Return the files that a node needs; none without a mirror, and where a field becomes such a file."""
    if settings.mirror is None or spec.operating_system != LINUX:
        return []
    registries, field = spec.system.registries, spec.system.registries_field
    if field and lookup(spec.data, (field,)):
        _report_field(spec, (*spec.path, field), settings.mirror)
        return []
    if registries:
        return registries_yaml.files_of(settings.mirror, registries)
    return hosts_toml.files_of(settings.mirror)


def _report_field(spec: ConfigSpec, path: Pointer, mirror: Mirror) -> None:
    """Report that the mirror is not in the field that becomes the file: ours would replace all of it."""
    endpoints = spec.draft.get((*path, "mirrors", "*", "endpoint"))
    if isinstance(endpoints, list) and mirror.url in endpoints:
        return
    message = (
        f'becomes "{spec.system.registries}", which a file with the mirror of `spec.registryMirror` would replace, so '
        'none is written: add its URL to `mirrors."*".endpoint` here'
    )
    if mirror.ca.pem:
        message += ", and its certificates to `configs`"
    spec.draft.report(Severity.WARNING, message, path, code="OtherMirror")


def _report_readers(spec: ConfigSpec) -> None:
    """Report that containerd does not look at our files, or that nothing says that it does."""
    texts = [text for text in spec.entries(spec.commands) if isinstance(text, str)]
    for file in entries_of(spec):
        text = decode(file.entry)
        if not text:
            continue
        texts.append(text)
        why = hosts_toml.obstacle(text) if file.path == _CONFIG else None
        if why:
            message = (
                f'"{_CONFIG}" must make containerd read "{hosts_toml.CERTS_D}", but {why}: '
                "the registry mirror has no effect; change it by hand"
            )
            place = (*spec.files, str(file.at), "content")
            spec.draft.report(Severity.WARNING, message, place, code="MirrorNotRead")
            return
    if not any(map(hosts_toml.reads_certs_d, texts)):
        message = (
            "containerd obeys the registry mirror from version 2.2 on, or if its `config_path` is "
            f'"{hosts_toml.CERTS_D}": check that the node image has one of them'
        )
        spec.draft.report(Severity.INFO, message, spec.path, code="MirrorNotRead")


class _RegistryMirror(Target):
    id = "registryMirror"
    kinds = WITH_MIRRORS
    audience = Audience.NOBODY

    def sites(self, draft: Draft, context: Context) -> Iterator[NodeFiles]:
        """Yield the files of the mirror; there are no options."""
        is_wanted = context.settings.mirror is not None
        spec = config_spec.find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
        if spec is not None:
            yield _MirrorFiles(spec, _files(context.settings, spec))


TARGET = _RegistryMirror()
