"""Kyverno policies inside other objects: as a part of their data, or in a text.

Sources: ``spec.policy-templates[].objectDefinition.spec.object-templates[].objectDefinition`` of a Policy of RHACM
(``policy.open-cluster-management.io``), ``spec.workload.manifests`` of its ManifestWork; ``spec.values`` of a
HelmRelease of Flux and ``spec.source.helm`` of an Application of Argo CD, where a chart chooses the names; the texts of
a ConfigMap, or of a Secret for a ClusterResourceSet of Cluster API.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from krm_fn.carriers.documents import DocumentSites, PlacesOf, TextDraft
from krm_fn.carriers.site import NestedSites
from krm_fn.engine import Draft
from krm_fn.formats import embedded
from krm_fn.formats.embedded import Value
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import compared, policy_rules
from krm_fn.targets.kyverno.inner_objects import ObjectSites

POLICIES = compared.KINDS | {
    ("kyverno.io", "ClusterPolicy"),
    ("kyverno.io", "Policy"),
    ("policies.kyverno.io", "MutatingPolicy"),
    ("policies.kyverno.io", "NamespacedMutatingPolicy"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
}
"""API groups and kinds of the policies that may set proxy variables."""

WRAPPERS = frozenset(
    {
        ("", "ConfigMap"),
        ("", "Secret"),
        ("argoproj.io", "Application"),
        ("helm.toolkit.fluxcd.io", "HelmRelease"),
        ("policy.open-cluster-management.io", "ConfigurationPolicy"),
        ("policy.open-cluster-management.io", "Policy"),
        ("work.open-cluster-management.io", "ManifestWork"),
    }
)
"""API groups and kinds of the objects that may hold such a policy."""

_TEXTS_IN_TEXTS = 4
"""How many texts may be one inside the other; a ConfigMap of an Application with values as text has two."""
_GROUPS_IN_TEXT = tuple(f"{group}/" for group in sorted({group for group, _ in POLICIES}))


def wrapped(draft: Draft, sites_of: PlacesOf, depth: int = 0) -> Iterator[NestedSites]:
    """Yield the policies in an object, or in a document of a text, that mention a proxy variable.

    Args:
        draft: the data of the object around them. It gets a finding for each text of a policy that cannot be read.
        sites_of: yields the sites in the draft of one policy.
        depth: how many texts are around the draft.
    """
    for path, value in _candidates(draft.data, depth):
        if isinstance(value, Value):
            yield from _in_text(draft, value, sites_of, depth + 1)
        else:
            yield ObjectSites(draft, path, sites_of)


def policies(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the data of each policy in an object that mentions a proxy variable, those in texts included."""
    for _, value in _candidates(data, depth):
        if not isinstance(value, Value):
            yield value
            continue
        documents = embedded.read(value)
        for one in documents if isinstance(documents, list) else ():
            yield from policies(one.data, depth + 1)


def _in_text(draft: Draft, value: Value, sites_of: PlacesOf, depth: int) -> Iterator[NestedSites]:
    documents = TextDraft(draft, value).documents()
    if isinstance(documents, Finding):
        draft.findings.append(documents)
        return
    for document in documents:
        if any(True for _ in policies(document.draft.data, depth)):
            of_document = partial(wrapped, sites_of=sites_of, depth=depth)
            yield DocumentSites(document, of_document)


def _candidates(data: Any, depth: int) -> Iterator[tuple[Pointer, Any]]:
    """Yield, in the order of the object, each policy in it, and each text that seems to hold one, as a Value.

    A document that is nothing but a text is prose.
    """
    left: list[tuple[Pointer, Any]] = [((), data)]
    while left:
        path, node = left.pop()
        if isinstance(node, dict) and group_kind(node) in POLICIES:
            if policy_rules.mentioned(node):
                yield path, node
        elif isinstance(node, dict):
            if not path and node.get("kind") == "Secret":
                yield from _texts_of_secret(node)
                continue
            members = [(key, value) for key, value in node.items() if isinstance(key, str)]
            left += [((*path, key), value) for key, value in reversed(members)]
        elif isinstance(node, list):
            left += [((*path, str(at)), item) for at, item in reversed(list(enumerate(node)))]
        elif isinstance(node, str) and path and depth < _TEXTS_IN_TEXTS and _may_hold_policy(node):
            yield path, Value(path, node)


def _texts_of_secret(secret: dict[str, Any]) -> Iterator[tuple[Pointer, Value]]:
    for value in embedded.values(secret):
        if isinstance(value, Value) and _may_hold_policy(value.text):
            yield value.path, value


def _may_hold_policy(text: str) -> bool:
    is_object = "kind" in text and any(group in text for group in _GROUPS_IN_TEXT)
    return is_object and any(name in text for name in PROXY_VARIABLES)
