"""What manifests say about a proxy, judged, and corrected in objects, as they are in a repository: nothing is injected.

Files in, results and corrected files out; it opens none. A file that cannot be read is reported and
passed by.

    reading   files, their objects, and the ProxyConfigs among them
    sites     where an object says something about a proxy, and what is known about its Clusters
    values    what the variables of one place should be
    configs   the lists and URLs of a ProxyConfig
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from krm_fn import lint
from krm_fn.carriers import env_list
from krm_fn.config import ProxyConfig
from krm_fn.engine import Draft
from krm_fn.krm.results import Result, Severity, in_order
from krm_fn.lint import Rules, WrittenFile, drift
from krm_fn.lint.drift import ObservedObject
from krm_fn.lint.manifests import configs, values
from krm_fn.lint.manifests.reading import ManifestFiles, Where
from krm_fn.lint.manifests.sites import LintSubject, sites
from krm_fn.lint.manifests.values import listed
from krm_fn.lint.stale_files import stale_files
from krm_fn.noproxy import Audience
from krm_fn.patch import Operation
from krm_fn.settings import provider_files
from krm_fn.targets import TARGETS, Writes

_KUSTOMIZE = b"kustomize.config.k8s.io/"

__all__ = ["Audit", "audit", "fixed_files", "listed"]


@dataclass(frozen=True)
class Audit:
    """What there is to say, in kyaml's order, how many objects were judged, and the files that are to be written.

    ``empty`` names the files in which nothing looks like an object.
    """

    results: tuple[Result, ...]
    judged: int
    corrected: Mapping[str, bytes] = field(default_factory=dict)
    empty: frozenset[str] = frozenset()


def audit(
    files: Mapping[str, bytes],
    *,
    config: ProxyConfig | None = None,
    audience: Audience = Audience.NODE,
    others: Mapping[str, bytes] = MappingProxyType({}),
) -> Audit:
    """Judge everything that ``files`` say about a proxy.

    Args:
        files: name -> content: YAML documents, JSON, a ResourceList.
        config: whose ``lint``, ``clusterDefaults`` and ``targets`` count; None: those of the ProxyConfig in ``files``.
        audience: who is taken to read the list of a ProxyConfig; objects know who reads theirs.
        others: files that hold no objects, as ``files``.
    """
    found = ManifestFiles(files)
    wanted, problems = (config, []) if config else configs.chosen(found.configs)
    rules, places = Rules(wanted.lint), list(sites(found.items, wanted))
    results = [*found.problems, *found.unreadable(wanted), *problems]
    results += _of_sites(places, rules)
    results += lint.levelled([*_disagreements(places), *_outdated(places)], rules)
    results += lint.levelled(stale_files({**_kustomizations(files), **others}, wanted), rules)
    for given in found.configs:
        results += configs.judge(given, rules, audience)
    judged = len({(place.where, place.obj.path) for place in places}) + len(found.configs)
    return Audit(tuple(in_order(results)), judged, empty=frozenset(found.empty))


def fixed_files(
    files: Mapping[str, bytes],
    *,
    config: ProxyConfig | None = None,
    audience: Audience = Audience.NODE,
    others: Mapping[str, bytes] = MappingProxyType({}),
) -> Audit:
    """Do in the objects of files what the rules' fix allows; the results are about the files as they are then.

    Args: as for ``audit``.
    """
    found = ManifestFiles(files)
    wanted = config or configs.chosen(found.configs)[0]
    rules, places = Rules(wanted.lint), list(sites(found.items, wanted))
    changes: dict[Where, list[Operation]] = {}
    notes: list[Result] = []
    for site in places:
        operations, reported = _corrected(site, rules)
        changes.setdefault(site.where, []).extend(operations)
        notes += reported
    corrected, refused = found.edited(changes)
    after = audit({**files, **corrected}, config=config, audience=audience, others=others)
    return Audit(
        tuple(in_order([*after.results, *notes, *refused])), after.judged, corrected, after.empty
    )


def _kustomizations(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the kustomizations of kustomize, whose inline patches are no objects."""
    return {name: content for name, content in files.items() if _KUSTOMIZE in content}


def _of_sites(places: Sequence[LintSubject], rules: Rules) -> Iterator[Result]:
    for site in places:
        target = TARGETS.get(site.target)
        names_are_chosen = target is not None and target.writes is Writes.VALUES
        for finding in lint.lint_object(
            site.readings, site.listing, rules=rules, names_are_chosen=names_are_chosen
        ):
            yield finding.about(site.obj.ref, site.target)
        files = [WrittenFile(path, writer) for path, writer in provider_files(site.memberships)]
        for finding in lint.lint_provider(site.readings, files, rules):
            yield finding.about(site.obj.ref, site.target)


def _corrected(site: LintSubject, rules: Rules) -> tuple[list[Operation], list[Result]]:
    """Return the operations on one object, and a warning for each place where a person has to choose."""
    draft = Draft(site.obj.data)
    notes: list[Result] = []
    for place in lint.places(site.readings):
        first = next(iter(place.values()))
        clash = values.clash(place)
        wanted = {} if clash else values.corrected(place, site.listing, rules)
        correct = TARGETS[site.target].fix if site.target else env_list.correct
        correct(draft, place, wanted)
        if clash:
            message = f"`--fix` changes nothing in {first.place}, because {clash} differ: make them equal first"
            notes.append(
                Result(
                    Severity.WARNING,
                    message,
                    site.obj.ref,
                    first.path,
                    target=site.target,
                    code="FixNotClear",
                )
            )
    operations = draft.operations() if draft.edits else []
    return [one._replace(path=(*site.obj.path, *one.path)) for one in operations], notes


def _outdated(places: Sequence[LintSubject]) -> Iterator[Result]:
    """Yield what is wrong with objects whatever proxy they have."""
    for site in places:
        target = TARGETS.get(site.target)
        finding = target.outdated(site.obj.data) if target and site.readings else None
        if finding is not None:
            yield finding.about(site.obj.ref, site.target)


def _disagreements(places: Sequence[LintSubject]) -> Iterator[Result]:
    """Yield a warning where the nodes, or the special workloads, of one cluster have different values.

    Without a known Cluster an object is compared with itself alone: a folder may hold manifests of many clusters.
    What is not known here is passed by, and so are workloads that no target knows: they may want a list of their own.
    """
    groups: dict[object, list[ObservedObject]] = {}
    for site in places:
        readings = tuple(one for one in site.readings if one.value or one.known)
        clusters = tuple(
            (one.cluster.namespace, one.cluster.name, one.cluster.ref.file_path, one.role)
            for one in site.memberships
        )
        key = (
            (site.listing.audience, clusters)
            if clusters
            else (site.where, site.obj.path, site.listing.audience)
        )
        if site.target and readings:
            groups.setdefault(key, []).append(
                ObservedObject(site.obj.ref, site.target, readings, {}, site.clusters)
            )
    for members in groups.values():
        first_values: dict[str, str] = {}
        for one in (one for member in members for one in member.readings):
            first_values.setdefault(one.variable, one.known if one.value is None else one.value)
        yield from drift.disagreements(member._replace(wanted=first_values) for member in members)
