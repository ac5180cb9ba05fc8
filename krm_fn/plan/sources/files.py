"""Plain files of other systems, filled with a proxy as losslessly as objects of a list.

One text in, the same text out with the proxy of its system in it. The names it writes are those
that ``formats`` reads; the sites are those of the targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from krm_fn.carriers.documents import DocumentSites, TextDraft
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Site, Variables, write_sites
from krm_fn.carriers.three_keys import SHORT, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.errors import InputError
from krm_fn.formats import sops
from krm_fn.formats.embedded import Value
from krm_fn.krm.results import Finding
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer
from krm_fn.plan.sources import formats
from krm_fn.products import giantswarm, tkg
from krm_fn.settings import ProxySettings
from krm_fn.targets.giantswarm import installation_values
from krm_fn.targets.konvoy import image_builder_keys, image_builder_overrides
from krm_fn.targets.tkg import cluster_config
from krm_fn.targets.tkg.rules import half
from krm_fn.targets.tkg.ytt import YttSyntax

_SWARM = ThreeKeys(giantswarm.PROXY, SHORT, "`proxy`", kept=0)

_FileSites = Callable[[Draft, ProxySettings], Iterable[Site]]
"""Yield the sites in the document of a file."""


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Attributes:
        target: its settings are for this target,
        audience: and for this audience.
        sites: yields the sites of its document.
        members: what is given a value there, in a system that reads the file with ytt.
        takes_both_proxies: the system takes two proxies or none.
    """

    target: str
    audience: Audience
    sites: _FileSites
    members: tuple[Pointer, ...] = ()
    takes_both_proxies: bool = False


class _Switch:
    """The switch of a file for TKG, as a site: without it nothing else in the file counts.

    The Secret that TKG makes of the file needs none.
    """

    label = f"`{tkg.PROXY_SWITCH}`"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def read(self) -> Iterator[Reading]:
        """Yield nothing: a switch says nothing about which proxy there is."""
        yield from ()

    def write(self, variables: Variables) -> None:
        """Set the switch where there is a proxy and no switch yet."""
        data = self._draft.data
        if variables and isinstance(data, dict) and data.get(tkg.PROXY_SWITCH) is None:
            self._draft.set((tkg.PROXY_SWITCH,), value=True)
            self._draft.describe(f"sets `{tkg.PROXY_SWITCH}`")


def _tkg(draft: Draft, settings: ProxySettings) -> Iterator[Site]:
    yield _Switch(draft)
    yield from cluster_config.document_sites(draft, settings)


def _giant_swarm(draft: Draft, _settings: ProxySettings) -> Iterator[Site]:
    yield _SWARM.in_draft(draft)


def _image_builder(draft: Draft, _settings: ProxySettings) -> Iterator[Site]:
    yield from image_builder_keys.sites(draft)


KINDS = {
    formats.TKG: FileKind(
        cluster_config.TARGET.id,
        Audience.PRODUCT,
        _tkg,
        cluster_config.MEMBERS,
        takes_both_proxies=True,
    ),
    formats.GIANT_SWARM: FileKind(
        installation_values.TARGET.id,
        installation_values.TARGET.audience,
        _giant_swarm,
    ),
    formats.IMAGE_BUILDER: FileKind(
        image_builder_overrides.TARGET.id,
        image_builder_overrides.TARGET.audience,
        _image_builder,
    ),
}
"""Product: TKG and cluster-apps-operator add the networks of each cluster by themselves."""


def filled(text: str, form: str, settings: ProxySettings) -> tuple[str, list[str]]:
    """Return a file with the proxy of ``settings``, or without one, and what was done, if anything was.

    Args:
        text: a file of the system; one that holds no document yet gets its first.
        form: a key of ``KINDS``.
        settings: the proxy.

    Raises:
        InputError: the file cannot be read or edited, or is none of the system.
    """
    if sops.hides(text):
        raise InputError(f"the file {sops.ENCRYPTED}")
    draft = Draft(text)
    sites = _sites(draft, KINDS[form], settings)
    edit = write_sites(draft, [sites], settings.variables())
    for finding in draft.findings:
        raise InputError(finding.message)
    return str(draft.data), [edit.message] if edit is not None else []


def _sites(draft: Draft, kind: FileKind, settings: ProxySettings) -> DocumentSites:
    """Return the sites of the one document of a file."""
    text = TextDraft(draft, Value((), draft.data))
    found = text.documents()
    if isinstance(found, Finding):
        raise InputError(found.message)
    if len(found) > 1:
        raise InputError(f"the file must hold one YAML document, but it holds {len(found)}")
    problem = half(settings) if kind.takes_both_proxies and found else None
    if problem is not None:
        raise InputError(problem.message)

    def sites(document: Draft) -> Iterable[Site]:
        return kind.sites(document, settings)

    if not found:
        return DocumentSites(text.new_document(), sites, YttSyntax(kind.members))
    return DocumentSites(found[0], sites, YttSyntax(kind.members) if kind.members else None)
