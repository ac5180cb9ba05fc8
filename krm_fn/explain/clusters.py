"""What each Cluster gets: its proxies, what changes, which nodes are replaced, and what gets nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from krm_fn.explain.grants import READERS, Grant
from krm_fn.explain.nodes import NodeChange
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.pipeline import Comparison
from krm_fn.plan.selection import is_selected
from krm_fn.settings import declared_urls

_NOTHING = ("NodesWithoutProxy", "ClassPatchErases")
"""The codes of what leaves nodes without a proxy."""


@dataclass
class ClusterAnswer:
    """What one Cluster gets.

    Attributes:
        name: ``namespace/name``.
        proxies: its parts -> their proxy.
        objects: how many objects get one.
        changed: how many of these a run changes.
        replaced: which of its nodes are replaced.
        kept: which of its nodes keep what they have.
        left: what of it gets no proxy, and why.
        codes: the codes of the errors and warnings about it.
    """

    name: str
    proxies: dict[str, str] = field(default_factory=dict)
    objects: int = 0
    changed: int = 0
    replaced: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


@dataclass
class _About:
    """What is known of one Cluster."""

    why_nothing: str = ""
    grants: list[Grant] = field(default_factory=list)
    nodes: list[NodeChange] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    silenced: list[Result] = field(default_factory=list)


def clusters_of(
    comparison: Comparison,
    grants: Sequence[Grant],
    nodes: Iterable[NodeChange],
    belonging: Mapping[ObjectRef, set[str]],
) -> list[ClusterAnswer]:
    """Return what each Cluster gets; first those of which something gets nothing.

    Args:
        comparison: what the run found out.
        grants: who gets which proxy.
        nodes: which nodes are replaced.
        belonging: object -> the names of its Clusters.
    """
    by_name: dict[str, _About] = {}
    for grant in grants:
        for name in grant.clusters:
            by_name.setdefault(name, _About()).grants.append(grant)
    for name, why in _why_nothing(comparison, grants).items():
        by_name.setdefault(name, _About()).why_nothing = why
    for change in nodes:
        for name in by_name.keys() & set(change.clusters):
            by_name[name].nodes.append(change)
    for result in comparison.results:
        for name in by_name.keys() & clusters_about(result, belonging):
            by_name[name].results.append(result)
    for result in comparison.silenced:
        for name in by_name.keys() & clusters_about(result, belonging):
            by_name[name].silenced.append(result)
    answers = [_answer(name, about) for name, about in by_name.items()]
    return sorted(answers, key=lambda answer: not answer.left)


def clusters_about(result: Result, belonging: Mapping[ObjectRef, set[str]]) -> set[str]:
    """Return the names of the Clusters of its object, and of those of which it is true as well."""
    others = {redact(name.removeprefix("Cluster/")) for name in result.clusters}
    return others | belonging.get(result.ref, set())


def _answer(name: str, about: _About) -> ClusterAnswer:
    answer = ClusterAnswer(name)
    changed: dict[ObjectRef, bool] = {}
    for grant in about.grants:
        url = grant.urls[0] or grant.urls[1] or "no proxy"
        _add_parts(answer.proxies, grant.parts or (READERS[grant.audience],), url)
        ref = grant.record.obj.ref
        changed[ref] = changed.get(ref, False) or grant.record.is_changed
    answer.objects = len(changed)
    answer.changed = sum(changed.values())
    for change in about.nodes:
        kinds = answer.replaced if change.is_replaced else answer.kept
        kinds += [_kind(part) for part in change.parts or ("nodes",)]
    for result in [*about.results, *about.silenced]:
        if result.code in _NOTHING:
            answer.left.append(f"{result.ref}: {redact(result.message)}")
    if about.why_nothing and not (answer.proxies or answer.left):
        answer.left.append(about.why_nothing)
    answer.codes = [result.code for result in about.results if result.severity is not Severity.INFO]
    for names in (answer.replaced, answer.kept, answer.left, answer.codes):
        names[:] = dict.fromkeys(names)
    return answer


def _kind(part: str) -> str:
    return "workers" if part.startswith("worker") else part


def _add_parts(proxies: dict[str, str], parts: Iterable[str], url: str) -> None:
    """Note the proxy of some parts; groups of workers are one part where all of them get the same."""
    for part in parts:
        if proxies.setdefault(_kind(part), url) != url:
            proxies[part] = url


def _why_nothing(comparison: Comparison, grants: Iterable[Grant]) -> dict[str, str]:
    """Return each Cluster of the list -> why it would get no proxy; "" where its nodes have it by something else."""
    overview = comparison.overview
    served = {foreign.cluster.ref for foreign in overview.foreign if foreign.cluster}
    contexts = [grant.record.place.class_context for grant in grants]
    classes = {context.of_class for context in contexts if context}
    for record in comparison.compared:
        context = record.place.class_context
        if context and context.of_class in classes:
            served.update(membership.cluster.ref for membership in record.place.memberships)
    reasons = {}
    wanted = overview.config
    for obj, memberships in overview.clusters:
        if obj.ref in served or wanted is None:
            why = ""
        elif not is_selected(obj, wanted):
            why = "`spec.selector` leaves the Cluster out"
        elif not any(declared_urls(wanted, memberships, target="") or ()):
            why = "no proxy is declared for it, in `spec` or in an override that fits"
        else:
            why = "no object of the input that a target writes into makes its nodes"
        reasons[redact("/".join(filter(None, (obj.ref.namespace, obj.ref.name))))] = why
    return reasons
