"""The whole flow of a run: bytes in, bytes and results out.

It knows the order of the packages, and no kind, path or text of the domain; ``covered`` alone knows kinds, presets
and charts, to say why an object is left. A run makes all changes or none: one error leaves every item as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.config import Lookup, ProxyConfig, load
from krm_fn.errors import ConfigError
from krm_fn.krm import results
from krm_fn.krm.codes import OF_RUN, Severity
from krm_fn.krm.resourcelist import ListChanges, Object, ObjectSource, ResourceList, function_config
from krm_fn.krm.results import Result
from krm_fn.pipeline.outcome import (
    NOT_PLANNED,
    Outcome,
    Silencer,
    annotated,
    in_report,
    once_for_each_fact,
)
from krm_fn.pipeline.run_findings import review
from krm_fn.plan import plan_records
from krm_fn.plan.record import ObjectRecord, Overview, edited_targets
from krm_fn.plan.sources import Objects

_NO_CONFIG = (
    "inject-proxy changes nothing, because it got no FunctionConfig: "
    "name a ProxyConfig under `transformers` of the kustomization.yaml, or in `configPath` of the "
    "Kptfile, or give values behind `kpt fn eval`, such as `-- httpProxy=URL httpsProxy=URL`"
)


_NO_FUNCTION_CONFIG = function_config(None)


def run(content: bytes) -> Outcome:
    """Run the FunctionConfig of a ResourceList over its items.

    Args:
        content: a ResourceList in YAML or JSON, UTF-8.

    Raises:
        InputError: the list, or an object that is to be changed, cannot be read or edited.
        InternalError: a check of this program on itself failed.
    """
    resource_list = ResourceList(content)
    del content  # of a long list, the text is enough
    outcome = run_list(resource_list, resource_list.function_config, Objects(resource_list))
    left = ""
    overview = outcome.overview
    if overview is not NOT_PLANNED and not overview.config.is_removal:
        from krm_fn.pipeline.covered import total  # noqa: PLC0415 -- a removal counts nothing

        left = total(outcome, resource_list)
    reported = [*outcome.results]
    if left and outcome.changed:  # else the bytes of the list are passed on
        reported.append(Result("", left, ref=resource_list.function_config.ref))
        reported = results.sorted_results(reported)
    # A long list takes less memory without the records; each refers to those of its targets, and they to it.
    for record in overview.records:
        record.targets.clear()
    del overview
    outcome = outcome._replace(
        found=(),
        overview=NOT_PLANNED,
        results=reported,
        left=left,
    )
    listed = [_without_new_file(result, outcome.changes) for result in outcome.results]
    entries = results.entries(results.by_importance(listed))
    return outcome._replace(pieces=resource_list.write(outcome.changes, entries))


def _without_new_file(result: Result, changes: ListChanges) -> Result:
    """Return a result that names no file for a new object: it is not in the one of its neighbour."""
    if all(result.ref != new.ref for new in changes.created):
        return result
    return result._replace(ref=result.ref._replace(file_path=""))


def run_list(objects: ObjectSource, given: Object, referred: Lookup | None) -> Outcome:
    """Run a FunctionConfig over a list; raises as ``run`` does.

    Args:
        objects: a ResourceList, or files of manifests that are one list.
        given: the FunctionConfig; its data may be of any type, and is None where there is none.
        referred: reads the objects that the FunctionConfig refers to; None: these are left out.
    """
    try:
        config = load(given.data, referred)
        if config is not None:
            return run_checked(objects, config, given)
    except ConfigError as error:
        wrong = [
            Result(error.code, problem.text, problem.path, ref=given.ref)
            for problem in error.problems
        ]
        reported = in_report(results.without_duplicates(wrong))
        return Outcome(ListChanges(), reported, len(objects))
    nothing = Result("ConfigIgnored", _NO_CONFIG, ref=given.ref)
    return Outcome(ListChanges(), (nothing,), len(objects))


def run_checked(
    objects: ObjectSource, config: ProxyConfig, given: Object = _NO_FUNCTION_CONFIG
) -> Outcome:
    """Run a checked FunctionConfig over a list; raises as ``run`` does."""
    overview = plan_records(objects, config)
    _refuse_named(objects, overview, config)
    records = overview.records
    silencer = Silencer(config, [*annotated(objects), given], objects.paths)
    changes = ListChanges()
    found = _edited(objects, records, changes, config, silencer) if records else []
    if records:
        from krm_fn.pipeline.states import complete  # noqa: PLC0415 -- many lists hold no proxy

        complete(overview, config)
    judged = [*review(overview, config, given.ref)]
    judged += _unused(objects, overview, config, given)
    if config.secret_urls or config.urls_in_secrets:
        from krm_fn.pipeline import passwords  # noqa: PLC0415 -- few proxies have one

        judged += passwords.review(objects, records, config, given.ref)
    if objects.others:
        from krm_fn.pipeline.other_places import stale_files  # noqa: PLC0415 -- as above

        judged += stale_files(objects.others, config)
    if objects.kustomizations and not config.is_removal:
        from krm_fn.pipeline.overlays import replacing_patches  # noqa: PLC0415 -- as above

        judged += replacing_patches(objects, records, config.proxy_urls)
    found += once_for_each_fact(silencer.left(judged))
    if not config.is_removal:
        found += silencer.left(silencer.idle(given.ref, OF_RUN))
    hidden = [*silencer.silenced, *silencer.switched_off]
    known = found = results.without_duplicates(found)
    has_errors = results.are_severe(found, Severity.ERROR)
    is_failed = has_errors and not config.is_check
    if config.is_check or has_errors:
        changes = ListChanges()
        found = results.severe(found)
    return Outcome(
        changes,
        in_report(found),
        len(objects),
        config.fail_on,
        silencer.silenced,
        known,
        hidden,
        overview,
        is_failed,
    )


def _refuse_named(objects: ObjectSource, overview: Overview, config: ProxyConfig) -> None:
    """Raise the error of the first document that cannot be read, if a matcher names it; others stay as they are."""
    for index, error in overview.unreadable.items():
        from krm_fn.pipeline.unused import is_named  # noqa: PLC0415 -- nearly all lists can be read

        if is_named(config, objects, index):
            raise error


def _edited(
    objects: ObjectSource,
    records: Sequence[ObjectRecord],
    changes: ListChanges,
    config: ProxyConfig,
    silencer: Silencer,
) -> list[Result]:
    """Make all edits and new names, and complete the records; return the results."""
    if not any(record.targets for record in records):
        return []
    # Most of what a run imports, and not every list has a place for a proxy.
    from krm_fn.pipeline.edits import edit_all, roll_out  # noqa: PLC0415

    edit_all(records, changes, config)
    of_places = []
    for target_record in edited_targets(records):
        of_places += target_record.results
    found = once_for_each_fact(silencer.left(of_places))
    return roll_out(objects, records, found, changes, config, silencer)


def _unused(
    objects: ObjectSource,
    overview: Overview,
    config: ProxyConfig,
    given: Object,
) -> list[Result]:
    """Return the matchers of the ProxyConfig that fit nothing, and the annotations that say nothing."""
    from krm_fn.pipeline import unused  # noqa: PLC0415 -- it is imported with most of what edits

    subjects = []
    for record in overview.records if config.overrides else ():
        for target_record in record.targets:
            subjects += target_record.subjects
    idle = [*unused.unused_overrides(config, subjects)]
    if not config.is_removal:
        idle += unused.unused_matchers(config, overview, objects)
    return [
        *(finding.about(given.ref) for finding in idle),
        *unused.unknown_annotations(overview.records, objects),
    ]
