"""The configuration of a TKG cluster: the Secret in which TKG keeps what the cluster was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from krm_fn.carriers.documents import DocumentSites, TextDraft
from krm_fn.carriers.site import Site, SiteWithoutVariables, Variables
from krm_fn.carriers.three_keys import Keys, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.formats.embedded import Value, values
from krm_fn.formats.ytt import YttSyntax
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import lookup
from krm_fn.products import cluster_api, tkg
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, FileForm, NodeUpdate, Reach, Target, Writes
from krm_fn.targets.tkg.requirements import certificate, half, whole

_KEYS = Keys(*tkg.PROXY, is_fixed=True)
_SLOT = ThreeKeys((), _KEYS, "the configuration of the cluster", kept=0)
MEMBERS = (*_SLOT.members, (tkg.PROXY_SWITCH,), (tkg.PROXY_CERTIFICATE,))

_VCENTER = (
    "the list lacks the host of `VSPHERE_SERVER`, and TKG renders no cluster from it: add the host to `spec.noProxy`, "
    "or set `VSPHERE_INSECURE` if its certificate need not be checked"
)
_NOTHING = (
    "it must hold a YAML mapping to get a proxy: write the configuration of the cluster "
    "there, or delete the Secret"
)


def document_sites(draft: Draft, settings: ProxySettings) -> Iterator[Site]:
    """Yield the sites in the configuration of a cluster, also where it is a file of its own."""
    settings = whole(settings)
    if settings.is_declared:
        yield _SLOT.in_draft(draft)
    yield _SwitchAndCertificate(draft, settings)


def _sites_of_file(draft: Draft, settings: ProxySettings) -> Iterator[Site]:
    yield _FileSwitch(draft)
    yield from document_sites(draft, settings)


class _FileSwitch(SiteWithoutVariables):
    """The switch of a file for TKG, as a site: without it nothing else in the file counts.

    The Secret that TKG makes of the file needs none.
    """

    label = f"`{tkg.PROXY_SWITCH}`"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, variables: Variables) -> None:
        """Set the switch where there is a proxy and no switch yet."""
        data = self._draft.data
        if variables and isinstance(data, dict) and data.get(tkg.PROXY_SWITCH) is None:
            self._draft.set((tkg.PROXY_SWITCH,), value=True)
            self._draft.describe(f"sets `{tkg.PROXY_SWITCH}`")


def _lacks_vcenter(data: Mapping[str, Any], settings: ProxySettings) -> bool:
    """Return whether TKG will refuse the list.

    It must hold the vCenter, unless its certificate is not checked.
    """
    server = data.get("VSPHERE_SERVER")
    if not isinstance(server, str) or not server or not settings.no_proxy:
        return False
    is_insecure = str(data.get("VSPHERE_INSECURE")).lower() == "true"
    return not is_insecure and server not in parse(settings.no_proxy)


class _SwitchAndCertificate(SiteWithoutVariables):
    """What belongs to the three members, as a site: a switch that is there, and the certificate."""

    label = _SLOT.label

    def __init__(self, draft: Draft, settings: ProxySettings) -> None:
        self._draft = draft
        self._settings = settings

    def write(self, variables: Variables) -> None:
        """Turn the switch that is there on or off, and set or remove the certificate."""
        is_on = self._settings.sets_any
        is_declared = self._settings.is_declared
        old = self._draft.get((tkg.PROXY_SWITCH,))
        if is_declared and tkg.PROXY_SWITCH in self._draft.data:
            self._set(tkg.PROXY_SWITCH, is_on if isinstance(old, bool) else str(is_on).lower())
        pem = certificate(self._settings)
        if pem:
            self._set(tkg.PROXY_CERTIFICATE, pem)
        elif is_declared and not is_on and tkg.PROXY_CERTIFICATE in self._draft.data:
            self._draft.remove((tkg.PROXY_CERTIFICATE,))
            self._draft.describe(f"removes `{tkg.PROXY_CERTIFICATE}`")

    def _set(self, name: str, value: bool | str) -> None:
        if self._draft.get((name,)) != value:
            self._draft.set((name,), value)
            self._draft.describe(f"sets `{name}`")


def _values(obj: Mapping[str, Any]) -> Iterator[Value | Finding]:
    """Yield the text under ``value`` of a Secret of TKG, or a finding."""
    name = lookup(obj, ("metadata", "name"))
    if (
        obj.get("type") == cluster_api.RESOURCE_SET
        and isinstance(name, str)
        and name.endswith(tkg.CONFIG_VALUES_SUFFIX)
    ):
        yield from (value for value in values(obj) if value.path[-1] in ("sops", "value"))


class _TkgClusterConfig(Target):
    id = "tkgClusterConfig"
    kinds = frozenset({("", "Secret")})
    audience = Audience.TKG
    reach = Reach.CLUSTER
    writes = Writes.PROXY_AND_TRUST
    file = FileForm(Audience.PRODUCT, _sites_of_file, MEMBERS, half)  # TKG adds the networks itself
    node_update = NodeUpdate(
        is_rolled=False, why="TKG reads the Secret when it renders the objects of the cluster"
    )

    def sites(self, draft: Draft, context: Context) -> Iterator[DocumentSites]:
        """Yield the configuration of a cluster in a Secret.

        Report what keeps it from having a proxy.
        """
        settings = context.settings
        for value in _values(draft.data):
            found = TextDraft(draft, value).documents() if isinstance(value, Value) else value
            if isinstance(found, Finding):
                draft.findings.append(found)
                continue
            first = [document for document in found if isinstance(document.draft.data, dict)][:1]
            if not first and whole(settings).sets_any:
                draft.report(Severity.WARNING, _NOTHING, value.path, code="NoValues")
            for document in first:
                problem = half(settings)
                if problem:
                    draft.findings.append(problem._replace(path=value.path))
                if _lacks_vcenter(document.draft.data, whole(settings)):
                    draft.report(Severity.WARNING, _VCENTER, value.path, code="VCenterNotInList")
                of_document = partial(document_sites, settings=settings)
                yield DocumentSites(document, of_document, YttSyntax(MEMBERS))


TARGET = _TkgClusterConfig()
