"""Plain files of other systems, filled with a proxy as losslessly as objects of a list.

One text in, the same text out with the proxy of its system in it. The names it writes are those
that ``formats`` reads; the sites are those of the targets.
"""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.carriers.documents import DocumentSites, TextDraft
from krm_fn.carriers.site import Site, write_sites
from krm_fn.engine import Draft
from krm_fn.errors import InputError, InternalError
from krm_fn.formats import sops
from krm_fn.formats.embedded import Value
from krm_fn.formats.ytt import YttSyntax
from krm_fn.krm.results import Finding
from krm_fn.plan.sources import formats
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
from krm_fn.targets.base import FileForm

_TARGETS = {
    formats.TKG: "tkgClusterConfig",
    formats.GIANT_SWARM: "giantswarmInstallationValues",
    formats.IMAGE_BUILDER: "imageBuilderOverrides",
    formats.OPENSHIFT: "openshift",
}
"""Form -> the target that fills a file of it."""


def kind_of(form: str) -> tuple[str, FileForm]:
    """Return the ID of the target that fills files of a form, and how it does that."""
    target = TARGETS[_TARGETS[form]]
    if target.file is None:
        raise InternalError(f"`{target.id}` fills no files")
    return target.id, target.file


def filled(text: str, form: str, settings: ProxySettings) -> tuple[str, list[str]]:
    """Return a file with the proxy of ``settings``, or without one, and what was done, if anything was.

    Args:
        text: a file of the system; one that holds no document yet gets its first.
        form: one of ``formats``.
        settings: the proxy.

    Raises:
        InputError: the file cannot be read or edited, or is none of the system.
    """
    if sops.hides(text):
        raise InputError(f"the file {sops.ENCRYPTED}")
    draft = Draft(text)
    sites = _sites(draft, kind_of(form)[1], settings)
    edit = write_sites(draft, [sites], settings.variables())
    for finding in draft.findings:
        raise InputError(finding.message)
    return str(draft.data), [edit.message] if edit is not None else []


def _sites(draft: Draft, kind: FileForm, settings: ProxySettings) -> DocumentSites:
    """Return the sites of the one document of a file."""
    text = TextDraft(draft, Value((), draft.data))
    found = text.documents()
    if isinstance(found, Finding):
        raise InputError(found.message)
    if len(found) > 1:
        raise InputError(f"the file must hold one YAML document, but it holds {len(found)}")
    problem = kind.problem(settings) if kind.problem and found else None
    if problem is not None:
        raise InputError(problem.message)

    def sites(document: Draft) -> Iterable[Site]:
        return kind.sites(document, settings)

    if not found:
        return DocumentSites(text.new_document(), sites, YttSyntax(kind.members))
    return DocumentSites(found[0], sites, YttSyntax(kind.members) if kind.members else None)
