"""Judge the proxies in manifests as they are in a repository: nothing is injected.

Files in, results out. The plan of a run finds the places: every target looks, also one that the ProxyConfig switches
off, because every value in a manifest counts, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain

from krm_fn.config import KIND, Mode, ProxyConfig, Selector, load
from krm_fn.config.located import LocatedConfig, located_configs, misspelt
from krm_fn.errors import ConfigError, DocumentError, InputError
from krm_fn.krm.codes import OF_VALUES, Severity
from krm_fn.krm.manifests import KUSTOMIZE, Manifests
from krm_fn.krm.resourcelist import Object, objects
from krm_fn.krm.results import ObjectRef, Result, Results, sorted_results, without_duplicates
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.judge_places import judge_config, judge_places
from krm_fn.lint.judge_values import Reader
from krm_fn.noproxy import Audience
from krm_fn.patch import Data, list_at, text_at
from krm_fn.pipeline.other_places import OF_NODES, stale_files
from krm_fn.pipeline.outcome import Silencer, annotated
from krm_fn.pipeline.run_findings import reader_of
from krm_fn.pipeline.states import complete
from krm_fn.pipeline.unused import is_named
from krm_fn.places import choice
from krm_fn.places.containers import pod_spec
from krm_fn.places.place import Reading, same_value
from krm_fn.plan import plan_records
from krm_fn.plan.record import ObjectRecord
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.yamledit import read


class Audit(NamedTuple):
    """The findings about files.

    Attributes:
        results: in kyaml's order.
        judged: how many objects were judged.
        silenced: findings that somebody silences.
    """

    results: Sequence[Result]
    judged: int
    silenced: Sequence[Result] = ()


def audit(
    manifests: ReadableManifests,
    config: ProxyConfig | None = None,
    audience: Audience = Audience.NODE,
    found: Results = (),
) -> Audit:
    """Judge everything that files say about a proxy.

    Args:
        manifests: YAML documents, JSON, a ResourceList, and other files beside them.
        config: the ProxyConfig whose rules, defaults and options count; None: the one in the files.
        audience: who is taken to read the list of a ProxyConfig.
        found: findings of others about the files.
    """
    configs = manifests.configs()
    config, results = _judged_configs(configs, config, audience)
    results += found
    for ref, meant in misspelt(manifests):
        message = f"this object is no ProxyConfig: did you mean `{meant}`?"
        results.append(Result("ConfigIgnored", message, ref=ref))
    records = read_records(manifests, config)
    judged = len(configs)
    for record in records:
        results += _of_record(record)
        # The values of others have no reader that is known.
        is_workload = record.obj.group_kind in POD_KINDS
        judged += bool(record.targets or (record.others and is_workload))
    results += _disagreements(records)
    files = dict(manifests.others)
    for name, text in manifests.files.items():
        if KUSTOMIZE in text:
            files[name] = text.encode()
    results += stale_files(files, config)
    results += manifests.problems(config)
    silencer = Silencer(config, annotated(manifests), manifests.paths, at_most=Severity.ERROR)
    left = list(silencer.left(results))
    config_ref = configs[0].ref if configs else ObjectRef()
    idle = silencer.idle(config_ref, OF_VALUES)
    left += silencer.left(idle)
    return Audit(
        results=sorted_results(without_duplicates(left)),
        judged=judged,
        silenced=silencer.silenced,
    )


def _judged_configs(
    configs: Iterable[LocatedConfig], named: ProxyConfig | None, audience: Audience
) -> tuple[ProxyConfig, list[Result]]:
    """Return the ProxyConfig that counts, which is the named or the first one, and the faults of all."""
    results: list[Result] = []
    counting = named
    for located in configs:
        try:
            proxy_config = load(located.data)
        except ConfigError as error:
            results += located.results(error)
            continue
        if proxy_config is None:
            continue
        results += judge_config(proxy_config, located.ref, audience)
        counting = counting or proxy_config
        if named is None and proxy_config.lint != counting.lint:
            message = (
                "this ProxyConfig and another one differ in `lint`: name the one that counts with "
                "`--config`"
            )
            results.append(Result("ConfigIgnored", message, ref=located.ref))
    return counting or ProxyConfig(), results


class ReadableManifests(Manifests):
    """Files that are read once and not changed; a document that cannot be read is noted, and holds nothing."""

    def __init__(self, *given: Data) -> None:
        super().__init__(*given)
        self.errors: dict[int, DocumentError] = {}
        self._objects: dict[int, list[Object]] = {}

    def objects(self, index: int) -> list[Object]:
        """Return the objects of one document, and those in patches of a kustomization; none where it cannot be read."""
        if index not in self._objects:
            held = self._objects[index] = []
            try:
                for obj in super().objects(index):
                    held += [obj, *_inline_patches(obj)]
            except DocumentError as error:
                self.errors[index] = error
        return self._objects[index]

    def configs(self) -> list[LocatedConfig]:
        """Return the ProxyConfigs among the documents."""
        configs: list[LocatedConfig] = []
        for index in range(len(self)):
            configs += located_configs(self, index)
        return configs

    def problems(self, config: ProxyConfig) -> Results:
        """Yield a warning for each document that cannot be read, and an error where a run ends because of it."""
        for index, error in self.errors.items():
            ref = ObjectRef(file_path=self.documents[index].file)
            code = "TextUnreadable"
            state = "skipped"
            if KIND in self.kinds[index] or is_named(config, self, index):
                code = error.code
                state = "a run ends here"
            yield Result(code, f"{state}: {error.problem}", ref=ref)


def _inline_patches(obj: Object) -> Iterator[Object]:
    """Yield the objects that patches are which are texts in a kustomization."""
    if obj.ref.kind != "Kustomization":
        return
    for number in range(len(list_at(obj.data, "patches"))):
        path = ("patches", str(number), "patch")
        with suppress(InputError):
            data = read(text_at(obj.data, path))
            # One of a ProxyConfig does not count for this folder.
            if isinstance(data, dict) and data.get("kind") != KIND:
                yield from objects(data, (*obj.path, *path), obj.ref)


def read_records(manifests: Manifests, config: ProxyConfig) -> list[ObjectRecord]:
    """Return the records of objects in files that set a proxy, in places of targets and in others."""
    everywhere = config.targets.with_all_on()
    looking = config._replace(targets=everywhere, selector=Selector(), mode=Mode.INJECT)
    overview = plan_records(manifests, looking)
    records = []
    for record in overview.records:
        for target_record in record.targets:
            target_record.after = target_record.readings(target_record.places())
        record.targets = [target_record for target_record in record.targets if target_record.after]
        if not record.is_new and (record.targets or record.names_proxy):
            records.append(record)
    overview.records = records
    complete(overview, looking)
    return records


def _of_record(record: ObjectRecord) -> Results:
    """Yield the faults of the values of one object, and the values that win over them on nodes."""
    obj = record.obj
    for target_record in record.targets:
        outdated = target_record.target.outdated(obj.data)
        if outdated is not None:
            yield target_record.result(outdated)
        judged = judge_places(target_record.after, reader_of(target_record), {})
        yield from map(target_record.result, judged)
    at = pod_spec(obj.data)
    if at:
        networks = tuple(membership.cluster.network for membership in record.memberships)
        for result in judge_places(record.others, Reader(Audience.POD, networks), {}):
            yield result.about(obj.ref)
    # What a run would choose is not asked here.
    if obj.group_kind in OF_NODES or choice.is_refused(obj.data):
        yield from record.findings


def _disagreements(records: Iterable[ObjectRecord]) -> Results:
    """Yield a warning where the places of one Cluster and role have different values.

    Without a known Cluster an object is compared with itself alone. Workloads that no target knows are passed by: they
    may want a list of their own.
    """
    first: dict[object, Reading] = {}
    for target_record in chain.from_iterable(record.targets for record in records):
        clusters = tuple((member.cluster, member.role) for member in target_record.memberships)
        whose = clusters or (target_record.obj.ref, target_record.obj.path)
        reported = set()
        for reading in target_record.after:
            if reading.value is None and not reading.known:
                continue
            key = (whose, target_record.audience, reading.variable)
            other = first.setdefault(key, reading)
            if same_value(reading.variable, reading.text, other.text):
                continue
            if reading.place not in reported:
                reported.add(reading.place)
                message = (
                    f"{reading.place} must set the same `{reading.variable}` as {other.place} of the "
                    "same cluster"
                )
                yield target_record.result(Result("PlacesDiffer", message, reading.path))
