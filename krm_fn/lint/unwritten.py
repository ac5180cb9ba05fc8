"""What a run does not write although a person may expect it: of the list as a whole, and of its objects.

Each is one line that says what to do, and only where a proxy is wanted: an object that the selector excludes, a
disabled target, and a Cluster without a proxy are not mentioned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.noproxy import InvalidField
from krm_fn.plan import Overview, PlannedEdit

_SAME_NAME = (
    "has the same namespace and name as another Cluster{where}, and says something else about the network, which does "
    "not count: run this function for each of them by itself"
)
_NO_CIDRS = "holds something that is no CIDR, and `NO_PROXY` goes without that: correct it"
_NO_HOST = (
    "holds neither a name nor an address, so `NO_PROXY` holds what another field says: correct it"
)
_UNREADABLE = "skipped: {problem}; correct it, or leave the file out"
_NOTHING_SELECTED = (
    "`spec.selector.include` fits none of the {number} objects of this list that could hold a proxy, so inject-proxy "
    "changes nothing: correct it, or remove it"
)
_NOT_GENERATED = (
    '`spec.selector.include` does not fit the {kind} "{name}", so `spec.targets.kyvernoPolicies.generate` has no '
    "effect: include this object, or remove `generate`"
)


def unwritten(
    overview: Overview, places: Sequence[PlannedEdit], wanted: ProxyConfig, config_ref: ObjectRef
) -> Iterator[Result]:
    """Yield a warning for each thing that nobody writes.

    Args:
        overview: what `plan_edits` has seen besides its places.
        places: all of them, with their objects as the run leaves them.
        wanted: the checked FunctionConfig.
        config_ref: its identity.
    """
    if overview.candidates and not overview.selected:
        yield Result(
            Severity.WARNING,
            _NOTHING_SELECTED.format(number=overview.candidates),
            config_ref,
            code="NothingSelected",
        )
    for obj in overview.not_generated if wanted.mode is not Mode.REMOVE else ():
        message = _NOT_GENERATED.format(kind=obj.ref.kind, name=obj.ref.name)
        yield Result(Severity.WARNING, message, config_ref, code="PolicyNotGenerated")
    about_objects: list[Result] = []
    if overview.naming or overview.foreign or overview.without_class or overview.elsewhere:
        from krm_fn.lint import unwritten_objects  # noqa: PLC0415 -- most lists hold none of these

        about_objects += unwritten_objects.of_objects(overview, places, wanted)
        if wanted.mode is not Mode.REMOVE:
            stale = {result.ref for result in about_objects if result.code == "StaleProxy"}
            yield from unwritten_objects.of_nodes(overview, places, wanted, stale)
    for obj, other in overview.same_name if wanted.mode is not Mode.REMOVE else ():
        where = f" ({other.ref.file_path})" if other.ref.file_path else ""
        message = _SAME_NAME.format(where=where)
        yield Result(Severity.WARNING, message, obj.ref, code="ClusterNameTaken")
    yield from _invalid_fields(places, wanted)
    for error in overview.unreadable:
        ref = ObjectRef(file_path=error.file, file_index=error.number)
        message = _UNREADABLE.format(problem=error.problem)
        yield Result(Severity.WARNING, message, ref, code="DocumentUnreadable")
    yield from about_objects


def _invalid_fields(places: Sequence[PlannedEdit], wanted: ProxyConfig) -> Iterator[Result]:
    """Yield a warning for each invalid field of a fact that other fields say.

    NP038 names those of the other facts, unless it is switched off.
    """
    concerned = [place for place in places if place.resolved.invalid and place.has_place]
    named: set[InvalidField] = set()
    if wanted.lint.get("NP038", Severity.WARNING) is not None:
        for place in concerned:
            named.update(field for one in place.resolved.missing for field in one.invalid)
    found = dict.fromkeys(field for place in concerned for field in place.resolved.invalid)
    for field in found:
        if field not in named:
            message = _NO_HOST if field.name == "endpoint" else _NO_CIDRS
            yield Result(
                Severity.WARNING, message, field.ref, field.path, code="ClusterFieldInvalid"
            )
