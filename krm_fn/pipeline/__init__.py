"""The whole flow of a run: bytes in, bytes and results out.

It knows the order of the packages, and no kind, path or text of the domain. A run makes all changes
or none: one error leaves every item as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from krm_fn import config, settings
from krm_fn.config import Lookup, Mode, ProxyConfig
from krm_fn.errors import ConfigError
from krm_fn.krm import results
from krm_fn.krm.resourcelist import Object, ResourceList, reference
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.light_typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from krm_fn.lint.levels import Rules, levelled
from krm_fn.lint.silenced import Silencer, annotated, has_annotation, values_of
from krm_fn.lint.unwritten import unwritten
from krm_fn.patch import Operation, Pointer
from krm_fn.pipeline._operations import PlannedOperations
from krm_fn.pipeline._report import CHANGE_DUE, in_report, once_for_each_fact
from krm_fn.plan import ObjectSource, Overview, PlannedEdit, plan_edits
from krm_fn.plan.sources import Objects
from krm_fn.yamledit import Budget

if TYPE_CHECKING:
    from krm_fn.plan.part import ListPart  # few runs ask for a part

__all__ = ["CHANGE_DUE", "EditableList", "Observe", "Outcome", "run", "run_checked", "run_list"]


_NO_CONFIG = (
    "inject-proxy changes nothing, because it got no FunctionConfig: "
    "name a ProxyConfig under `transformers` of the kustomization.yaml, or in `configPath` of the "
    "Kptfile, or give values behind `kpt fn eval`, such as `-- httpProxy=URL httpsProxy=URL`"
)


class Outcome(NamedTuple):
    """The outcome of a run: ``pieces`` make the ResourceList to be written, ``results`` are in kyaml's order.

    ``fail_on`` is the least severity that makes the run fail. A warning that does leaves the output as it is, with
    all changes made: only an error means that nothing was changed. ``proxy_urls`` are those that the FunctionConfig
    names, with their passwords. ``silenced`` are findings that somebody silences in one place, and
    ``switched_off`` those of codes that are `Off`, of what must change and cannot.
    """

    pieces: Sequence[bytes]
    results: tuple[Result, ...]
    items: int
    changed: int
    fail_on: Severity = Severity.ERROR
    silenced: tuple[Result, ...] = ()
    switched_off: tuple[Result, ...] = ()
    proxy_urls: frozenset[str] = frozenset()

    @property
    def output(self) -> bytes:
        """The ResourceList as a whole, which is in memory twice then."""
        return b"".join(self.pieces)

    @property
    def exit_code(self) -> int:
        """1 if a result is an error (kyaml's ``Results.ExitCode``), or as severe as ``fail_on``; else 0."""
        return int(results.are_severe(self.results, self.fail_on))


class EditableList(ObjectSource, Protocol):
    """A list of objects with a FunctionConfig, which can be written back: see ``ResourceList``."""

    @property
    def function_config(self) -> Any:
        """Plain data of the FunctionConfig, None if there is none."""

    @property
    def paths(self) -> Mapping[str, str]:
        """Name of a file of the list -> its absolute path, as far as these are files of this machine."""

    @property
    def others(self) -> Mapping[str, bytes]:
        """Name -> content of files that are read and hold no objects."""

    @property
    def repeated_in_function_config(self) -> list[Pointer]:
        """Paths in it of keys that are there twice."""

    def write(
        self,
        changes: Mapping[int, Sequence[Operation]],
        results: Iterable[Mapping[str, Any]],
        new_items: Sequence[Mapping[str, Any]],
        beside: Sequence[int],
    ) -> Sequence[bytes]:
        """Return the list after its changes, in pieces.

        ``beside`` has the index of an item for each of ``new_items``.
        """


Observe = Callable[[Sequence[PlannedEdit], Sequence[Result]], None]


def run(data: bytes) -> Outcome:
    """Do what the FunctionConfig of a ResourceList asks for.

    Args:
        data: a ResourceList in YAML or JSON, UTF-8.

    Raises:
        InputError: the list, or an object that is to be changed, cannot be read or edited.
        InternalError: a check of this program on itself failed.
    """
    with Budget():
        resource_list = ResourceList(data)
        del data  # of a long list, the text is enough
        return run_list(resource_list, Objects(resource_list))


def run_list(
    resource_list: EditableList,
    referred: Lookup,
    observe: Observe | None = None,
    part: ListPart | None = None,
) -> Outcome:
    """Do what the FunctionConfig of a list asks for, as ``run`` does; raises as it does.

    Args:
        resource_list: a ResourceList, or files of manifests that are one list.
        referred: reads the objects that the FunctionConfig refers to.
        observe: gets the plan and all results of a run, also of what is silenced later, while the data is there.
        part: the part of the list that is edited and judged; None for all of it.
    """
    try:
        wanted = config.load(
            resource_list.function_config,
            referred,
            repeated=resource_list.repeated_in_function_config,
        )
    except ConfigError as error:
        ref = _config_ref(resource_list)
        wrong = [
            Result(Severity.ERROR, text, ref, code=ConfigError.code) for text in error.problems
        ]
        return _outcome(resource_list, PlannedOperations(), in_report(wrong))
    if wanted is None:
        ref = _config_ref(resource_list)
        nothing = Result(Severity.WARNING, _NO_CONFIG, ref, code="NoFunctionConfig")
        return _outcome(resource_list, PlannedOperations(), [nothing])
    return run_checked(resource_list, wanted, observe, part)


def run_checked(
    resource_list: EditableList,
    wanted: ProxyConfig,
    observe: Observe | None = None,
    part: ListPart | None = None,
) -> Outcome:
    """Do what a checked FunctionConfig asks for, as ``run`` does; raises as it does."""
    silencer = _silencer(resource_list, wanted)
    operations, found = _planned(resource_list, wanted, silencer, observe, part)
    if wanted.mode is Mode.CHECK or results.are_severe(found, Severity.ERROR):
        operations = PlannedOperations()
        found = [result for result in found if result.severity is not Severity.INFO]
    found = in_report(found)
    # By now the data of the objects is forgotten, and each value is there once: a long list takes less memory.
    outcome = _outcome(resource_list, operations, found)
    return outcome._replace(
        fail_on=wanted.fail_on,
        proxy_urls=wanted.proxy_urls,
        silenced=tuple(silencer.silenced),
        switched_off=tuple(one for one in silencer.switched_off if one.is_stale),
    )


def _silencer(resource_list: EditableList, wanted: ProxyConfig) -> Silencer:
    """Return what is silenced in a list: what annotations and the ProxyConfig name."""
    values = values_of(annotated(resource_list))
    given = resource_list.function_config
    if has_annotation(given):
        values |= values_of([Object((), given, _config_ref(resource_list))])
    return Silencer(wanted, values, resource_list.paths)


def _planned(
    resource_list: EditableList,
    wanted: ProxyConfig,
    silencer: Silencer,
    observe: Observe | None,
    part: ListPart | None,
) -> tuple[PlannedOperations, list[Result]]:
    """Return what is to become of a list, and all that there is to say about it."""
    operations, overview = PlannedOperations(), Overview(part)
    every = list(plan_edits(resource_list, wanted, overview))
    if part is not None:
        part.choose(every, overview)
    concerned = [place for place in every if part is None or part.has_place(place)]
    ref = _config_ref(resource_list)
    rules = Rules(wanted.lint, at_most=Severity.WARNING)

    def left(found: Iterable[Result]) -> Iterator[Result]:
        return silencer.left(levelled(found, rules, silencer.switched_off))

    places: list[PlannedEdit] = []
    found: list[Result] = []
    if concerned:
        # Most of what a run imports, and not every list has a place for a proxy.
        from krm_fn.pipeline import _places  # noqa: PLC0415

        places, edits = _places.edited(concerned, operations, wanted.mode)
        found = once_for_each_fact(_of_part(left(edits), part))
        places, found = _places.roll_out(resource_list, places, found, operations, wanted)
    if observe is not None:
        observe(places, found)
    if concerned:
        found += _places.judged(places, concerned, wanted, ref)
    found += _about_config(resource_list, every, wanted)
    unasked = (place for place in concerned if not place.is_asked)
    found += _of_part(unwritten(overview, [*places, *unasked], wanted, ref), part)
    if resource_list.others:
        from krm_fn.lint.stale_files import stale_files  # noqa: PLC0415 -- a ResourceList has none

        found += _of_part(stale_files(resource_list.others, wanted), part)
    if part is not None and part.is_of_config():
        from krm_fn.lint.after_injection import review_settings  # noqa: PLC0415 -- see above

        others = (place for place in every if not part.has_place(place))
        found += review_settings(others, wanted, ref)
    found = list(left(found))
    if wanted.mode is not Mode.REMOVE:
        idle = silencer.idle(ref, of_lint=False)
        found += levelled(_of_part(idle, part), rules)
    return operations, found


def _of_part(found: Iterable[Result], part: ListPart | None) -> Iterator[Result]:
    """Yield the results about objects of a part of the list; without a part all of them."""
    for result in found:
        if part is None or part.reports(result.ref):
            yield result


def _about_config(
    resource_list: EditableList, every: Sequence[PlannedEdit], wanted: ProxyConfig
) -> Iterator[Result]:
    """Yield what in the FunctionConfig has no effect."""
    ref = _config_ref(resource_list)
    for finding in settings.idle(wanted, (one for place in every for one in place.subjects)):
        yield finding.about(ref)
    annotation = config.ineffective_annotation(resource_list.function_config)
    if annotation is not None:
        yield annotation.about(ref)


def _config_ref(resource_list: EditableList) -> ObjectRef:
    given = resource_list.function_config
    return reference(given) if isinstance(given, dict) else ObjectRef()


def _outcome(
    resource_list: EditableList, operations: PlannedOperations, reported: list[Result]
) -> Outcome:
    """Return the outcome of a list that is written with its operations and results."""
    pieces = resource_list.write(
        operations.changes,
        results.entries(results.most_important_first(reported)),
        operations.new_items,
        operations.beside,
    )
    return Outcome(pieces, tuple(reported), len(resource_list), operations.number)
