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
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from krm_fn.carriers import env_list
from krm_fn.carriers.reading import Reading
from krm_fn.config import ProxyConfig
from krm_fn.engine import Draft
from krm_fn.krm.results import ObjectRef, Result, Severity, in_order, once
from krm_fn.lint import drift
from krm_fn.lint.drift import ObservedObject
from krm_fn.lint.levels import Rules, levelled
from krm_fn.lint.manifests import configs, fixed_values
from krm_fn.lint.manifests.fixed_values import listed
from krm_fn.lint.manifests.reading import ManifestFiles, Where
from krm_fn.lint.manifests.sites import options_of, seen_objects
from krm_fn.lint.objects import places
from krm_fn.lint.seen import SeenObject, judged
from krm_fn.lint.silenced import Silencer, values_of
from krm_fn.lint.stale_files import stale_files
from krm_fn.noproxy import Audience
from krm_fn.patch import Operation
from krm_fn.targets import TARGETS

_KUSTOMIZE = b"kustomize.config.k8s.io/"

__all__ = ["Audit", "audit", "fixed_files", "listed"]


@dataclass(frozen=True)
class Audit:
    """What there is to say, in kyaml's order, how many objects were judged, and the files that are to be written.

    ``read`` names the files of which an object, or a ResourceList, was read; ``silenced`` are findings that somebody
    silences in one place.
    """

    results: tuple[Result, ...]
    judged: int
    corrected: Mapping[str, bytes] = field(default_factory=dict)
    read: frozenset[str] = frozenset()
    silenced: tuple[Result, ...] = ()


def audit(
    files: Mapping[str, bytes],
    *,
    config: ProxyConfig | None = None,
    audience: Audience = Audience.NODE,
    others: Mapping[str, bytes] = MappingProxyType({}),
    paths: Mapping[str, str] = MappingProxyType({}),
) -> Audit:
    """Judge everything that ``files`` say about a proxy.

    Args:
        files: name -> content: YAML documents, JSON, a ResourceList.
        config: whose ``lint``, ``clusterDefaults`` and ``targets`` count; None: those of the ProxyConfig in ``files``.
        audience: who is taken to read the list of a ProxyConfig; objects know who reads theirs.
        others: files that hold no objects, as ``files``.
        paths: name -> absolute path of files.
    """
    found = ManifestFiles(files)
    wanted, problems = (config, []) if config else configs.chosen(found.configs)
    rules, places = Rules(wanted.lint), list(seen_objects(found.items, wanted))
    results = [*found.problems, *found.unreadable(wanted), *problems]
    for seen in places:
        results += judged(seen, rules, seen.readings)
    results += levelled([*_disagreements(places), *_outdated(places)], rules)
    results += levelled(stale_files({**_kustomizations(files), **others}, wanted), rules)
    for given in found.configs:
        results += configs.judge(given, rules, audience)
    silencer = _silencer(found, wanted, paths)
    results = list(silencer.left(results))
    config_ref = found.configs[0].ref if found.configs else ObjectRef()
    results += levelled(silencer.idle(config_ref, of_lint=True), rules)
    number = len({(_where(seen), seen.obj.path) for seen in places}) + len(found.configs)
    return Audit(
        tuple(in_order(once(results))), number, read=found.read(), silenced=tuple(silencer.silenced)
    )


def fixed_files(
    files: Mapping[str, bytes],
    *,
    config: ProxyConfig | None = None,
    audience: Audience = Audience.NODE,
    others: Mapping[str, bytes] = MappingProxyType({}),
    paths: Mapping[str, str] = MappingProxyType({}),
) -> Audit:
    """Do in the objects of files what the rules' fix allows; the results are about the files as they are then.

    Args: as for ``audit``.
    """
    found = ManifestFiles(files)
    wanted = config or configs.chosen(found.configs)[0]
    rules, places = Rules(wanted.lint), list(seen_objects(found.items, wanted))
    silencer = _silencer(found, wanted, paths)
    changes: dict[Where, list[Operation]] = {}
    notes: list[Result] = []
    for seen in places:
        operations, reported = _corrected(seen, rules, wanted, silencer)
        changes.setdefault(_where(seen), []).extend(operations)
        notes += reported
    corrected, refused = found.edited(changes)
    after = audit(
        {**files, **corrected}, config=config, audience=audience, others=others, paths=paths
    )
    results = tuple(in_order(once([*after.results, *notes, *refused])))
    return replace(after, results=results, corrected=corrected)


def _silencer(found: ManifestFiles, wanted: ProxyConfig, paths: Mapping[str, str]) -> Silencer:
    objects = [obj for item in found.items for obj in item.objects]
    return Silencer(wanted, values_of(objects), paths)


def _kustomizations(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the kustomizations of kustomize, whose inline patches are no objects."""
    return {name: content for name, content in files.items() if _KUSTOMIZE in content}


def _where(seen: SeenObject) -> Where:
    return seen.obj.ref.file_path, seen.obj.ref.file_index


def _corrected(
    seen: SeenObject, rules: Rules, config: ProxyConfig, silencer: Silencer
) -> tuple[list[Operation], list[Result]]:
    """Return the operations on one object, and a warning for each place where a person has to choose.

    What is silenced about the object is not corrected.
    """
    silences = partial(silencer.silences, seen.obj.ref)
    draft = Draft(seen.obj.data)
    notes: list[Result] = []
    for place in places(seen.readings):
        first = next(iter(place.values()))
        clash = fixed_values.clash(place)
        wanted = {} if clash else fixed_values.corrected(place, seen.listing, rules, silences)
        if seen.target:
            target = TARGETS[seen.target]
            target.fix(draft, place, wanted, options_of(target, config))
        else:
            env_list.correct(draft, place, wanted)
        if clash:
            message = f"`--fix` changes nothing in {first.place}, because {clash} differ: make them equal first"
            notes.append(
                Result(
                    Severity.WARNING,
                    message,
                    seen.obj.ref,
                    first.path,
                    target=seen.target,
                    code="FixNotClear",
                )
            )
    operations = draft.operations() if draft.edits else []
    return [one._replace(path=(*seen.obj.path, *one.path)) for one in operations], notes


def _outdated(places: Sequence[SeenObject]) -> Iterator[Result]:
    """Yield what is wrong with objects whatever proxy they have."""
    for seen in places:
        target = TARGETS.get(seen.target)
        finding = target.outdated(seen.obj.data) if target and seen.readings else None
        if finding is not None:
            yield finding.about(seen.obj.ref, seen.target)


def _disagreements(places: Sequence[SeenObject]) -> Iterator[Result]:
    """Yield a warning where the nodes, or the special workloads, of one cluster have different values.

    Without a known Cluster an object is compared with itself alone: a folder may hold manifests of many clusters.
    What is not known here is passed by, and so are workloads that no target knows: they may want a list of their own.
    A process with variables of its own is compared with the same one of other nodes only: it may differ from others.
    """
    groups: dict[object, list[ObservedObject]] = {}
    for seen in places:
        known: dict[str, list[Reading]] = {}
        for one in seen.readings if seen.target else ():
            if one.value or one.known:
                known.setdefault(one.process, []).append(one)
        clusters = tuple(seen.clusters)
        roles = tuple(one.role for one in seen.memberships)
        alone = () if roles else (seen.obj.path, _where(seen))
        for process, readings in known.items():
            key = (seen.listing.audience, clusters, roles, alone, process)
            observed = ObservedObject(seen.obj.ref, seen.target, tuple(readings), {}, clusters)
            groups.setdefault(key, []).append(observed)
    for members in groups.values():
        first_values: dict[str, str] = {}
        for one in (one for member in members for one in member.readings):
            first_values.setdefault(one.variable, one.known if one.value is None else one.value)
        yield from drift.disagreements(member._replace(wanted=first_values) for member in members)
