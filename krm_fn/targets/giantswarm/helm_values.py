"""Values of Helm charts, wherever an object holds them: of which chart they are, and their sites.

Which members of them hold a proxy is known by the targets. Values are left out where the object alone
does not say for which chart they are.

Sources: ``HelmRelease`` of Flux (``helm.toolkit.fluxcd.io``, v2beta1 to v2): ``spec.values``, the chart in
``spec.chart.spec.chart`` or ``spec.chartRef``, and ``valuesFrom`` with its default key ``values.yaml``; ``App`` of
Giant Swarm, whose ``spec.config`` and ``spec.userConfig`` name a ConfigMap or a Secret with the key ``values``
(``kubectl gs template`` calls it ``<app>-userconfig``, the documentation ``<app>-user-values``); the files
``secret-values.yaml.patch`` of a Giant Swarm config repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.carriers.documents import DocumentDraft, DocumentSites, SitesOf, TextDraft
from krm_fn.carriers.site import Site
from krm_fn.clusters import chart_of
from krm_fn.engine import Draft
from krm_fn.formats.embedded import Value, read, values
from krm_fn.krm.results import Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup

HELM_RELEASE = ("helm.toolkit.fluxcd.io", "HelmRelease")
KINDS = frozenset({HELM_RELEASE, ("", "Secret"), ("", "ConfigMap")})

_KEY = re.compile(r"(?:(?:secret|configmap)-)?values(?:\.ya?ml(?:\.(?:patch|template))?)?")


class HelmValues(NamedTuple):
    """Values that one object holds.

    Attributes:
        draft: the data of the object itself, or of the document in a text of it.
        of: a name that says of which chart they are: that of the chart itself, or that of the object.
        root: leads to them in the data.
        document: the document that they are; None where they are a part of the object.
    """

    draft: Draft
    of: str
    root: Pointer = ()
    document: DocumentDraft | None = None

    @property
    def data(self) -> Any:
        """What holds the values as plain data."""
        return self.draft.data

    def sites(self, of_draft: SitesOf) -> Iterator[Site | DocumentSites]:
        """Yield sites in the values: those that ``of_draft`` yields for their draft."""
        if self.document is None:
            yield from of_draft(self.draft)
        else:
            yield DocumentSites(self.document, of_draft)


def of_object(draft: Draft) -> Iterator[HelmValues]:
    """Yield the values in an object: those of a HelmRelease also where there are none yet."""
    obj = draft.data
    if obj.get("kind") == "HelmRelease":
        yield HelmValues(draft, chart_of(obj), root=("spec", "values"))
        return
    name = lookup(obj, ("metadata", "name"))
    for value in values(obj) if isinstance(name, str) else ():
        if isinstance(value, Finding) or not _KEY.fullmatch(value.path[-1]):
            continue
        documents = TextDraft(draft, value, empty=("{}",)).documents()
        for document in documents if isinstance(documents, list) else ():
            if isinstance(document.draft.data, dict):
                yield HelmValues(document.draft, str(name), document=document)
                break


def report_unread(draft: Draft) -> None:
    """Report the texts of a Secret or a ConfigMap that should hold values, and cannot be read as such."""
    for value in values(draft.data):
        if len(value.path) > 1 and not _KEY.fullmatch(value.path[-1]):
            continue
        if isinstance(value, Finding):
            draft.findings.append(value)
            continue
        documents = TextDraft(draft, value).documents()
        if isinstance(documents, Finding):
            draft.findings.append(documents)
            continue
        found = [document.draft.data for document in documents]
        has_mapping = any(isinstance(one, dict) for one in found)
        if found and found[0] is not None and not has_mapping:
            problem = wrong_type((), found[0], "a mapping")
            draft.findings.append(documents[0].about_text(problem))


def blank(draft: Draft) -> Iterator[TextDraft]:
    """Yield the texts of a Secret or a ConfigMap that are there to hold values, and hold none yet."""
    for value in values(draft.data):
        if isinstance(value, Value) and _KEY.fullmatch(value.path[-1]) and read(value) == []:
            yield TextDraft(draft, value)


def is_of_chart(name: str, chart: str) -> bool:
    """Return whether a name is that of the chart, or contains it between hyphens."""
    return f"-{chart}-" in f"-{name}-"
