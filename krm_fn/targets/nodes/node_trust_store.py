"""Trust store of the nodes: containerd, and all else that runs on a node, trusts the authorities of your network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.carriers.site import Site, Variables
from krm_fn.engine import Draft
from krm_fn.formats import pem
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.products.node_kinds import WITH_FILES
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Target
from krm_fn.targets.nodes import config_spec, trust_commands
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.container_runtime import LINUX
from krm_fn.targets.nodes.files import File, NodeFiles
from krm_fn.targets.nodes.trust_commands import TrustCommands

_MOST_FILES = 200


class _CertificateFiles(NodeFiles):
    """The certificates, as a site that also reports more files than Cluster API takes."""

    def __init__(self, spec: ConfigSpec, wanted: Sequence[File]) -> None:
        label = "certificates of the trust store"
        super().__init__(spec, label, _is_ours, wanted, pem.shown)
        self._is_wanted = bool(wanted)

    def write(self, variables: Variables) -> None:
        """Write the certificates, and report where there are too many files.

        Raises:
            WrongTypeError: ``files`` is no list, and there are certificates.
        """
        super().write(variables)
        number = len(self.spec.entries(self.spec.files))
        if self._is_wanted and number > _MOST_FILES and self.spec.version == "v1beta2":
            message = (
                f"`files` must not have more than {_MOST_FILES} entries in v1beta2, this would have "
                f"{number}: leave public authorities, which nodes trust already, out of "
                "`spec.trustedCA`"
            )
            self.spec.draft.report(Severity.ERROR, message, self.spec.files, code="TooManyFiles")


def files(settings: ProxySettings) -> list[File]:
    """Return the files that a node needs; none without certificates."""
    return [
        File(_path(number), text, permissions="0644")
        for number, text in enumerate(pem.split(settings.trusted_ca.pem))
    ]


def commands(options: Mapping[str, Any]) -> list[str]:
    """Return the commands for the node images that the option ``os`` names."""
    return trust_commands.commands(options.get("os", trust_commands.ALL))


def _path(number: int) -> str:
    return f"{trust_commands.FOLDER}/inject-proxy-{number}.pem"


def _is_ours(path: str, text: str) -> bool:
    return path.startswith(f"{trust_commands.FOLDER}/")


class _NodeTrustStore(Target):
    id = "nodeTrustStore"
    kinds = WITH_FILES
    audience = Audience.NOBODY

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the certificates, and the commands that put them into the trust store."""
        wanted = files(context.settings)
        spec = config_spec.find(draft, is_wanted=bool(wanted), is_whole=context.is_whole)
        if spec is None:
            return
        if spec.operating_system != LINUX:
            wanted = []
        spec.report_form(is_wanted=bool(wanted))
        yield _CertificateFiles(spec, wanted)
        yield TrustCommands(spec, commands(context.options) if wanted else [])


TARGET = _NodeTrustStore()
