"""The whole flow of a run: bytes in, bytes and results out.

It knows the order of the packages, and no kind, path or text of the domain. A run makes all changes
or none: one error leaves every item as it was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby
from typing import Any, NamedTuple, Protocol

from krm_fn import config, lint, patch, settings
from krm_fn.config import Lookup, Mode, ProxyConfig
from krm_fn.errors import ConfigError
from krm_fn.krm import proxy_values, results
from krm_fn.krm.resourcelist import Object, ResourceList, reference
from krm_fn.krm.results import Edit, Finding, ObjectRef, Result, Severity
from krm_fn.lint.after_injection import review, unreached, withheld
from krm_fn.lint.exposure import exposed_passwords
from krm_fn.lint.unwritten import unwritten
from krm_fn.patch import Operation, Pointer
from krm_fn.plan import ObjectSource, Overview, PlannedEdit, plan_edits
from krm_fn.rollout import RolloutNote, new_refs, rollout, secret_names
from krm_fn.settings import Resolved
from krm_fn.sources import Objects
from krm_fn.yamledit import limited

CHANGE_DUE = "ProxyMissing"
"""The code of a change that a check reports and does not make."""


class Outcome(NamedTuple):
    """The outcome of a run: ``pieces`` make the ResourceList to be written, ``results`` are in kyaml's order.

    ``fail_on`` is the least severity that makes the run fail. A warning that does leaves the output as it is, with
    all changes made: only an error means that nothing was changed.
    """

    pieces: Sequence[bytes]
    results: tuple[Result, ...]
    items: int
    changed: int
    fail_on: Severity = Severity.ERROR

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


def run(data: bytes) -> Outcome:
    """Do what the FunctionConfig of a ResourceList asks for.

    Args:
        data: a ResourceList in YAML or JSON, UTF-8.

    Raises:
        InputError: the list, or an object that is to be changed, cannot be read or edited.
        InternalError: a check of this program on itself failed.
    """
    with limited():
        resource_list = ResourceList(data)
        del data  # of a long list, the text is enough
        return run_list(resource_list, Objects(resource_list))


def run_list(resource_list: EditableList, referred: Lookup) -> Outcome:
    """Do what the FunctionConfig of a list asks for, as ``run`` does; raises as it does.

    Args:
        resource_list: a ResourceList, or files of manifests that are one list.
        referred: reads the objects that the FunctionConfig refers to.
    """
    try:
        wanted = config.load(
            resource_list.function_config,
            referred,
            repeated=resource_list.repeated_in_function_config,
        )
    except ConfigError as error:
        return _outcome(
            resource_list,
            _PlannedOperations(),
            _in_report([_about_config(resource_list, text) for text in error.problems]),
        )
    if wanted is None:
        nothing = (
            "inject-proxy changes nothing, because it got no FunctionConfig: "
            "name a ProxyConfig under `transformers` of the kustomization.yaml, or in `configPath` of the "
            "Kptfile, or give values behind `kpt fn eval`, such as `-- httpProxy=URL httpsProxy=URL`"
        )
        return _outcome(
            resource_list,
            _PlannedOperations(),
            [
                Result(
                    Severity.WARNING, nothing, _config_ref(resource_list), code="NoFunctionConfig"
                )
            ],
        )
    return run_checked(resource_list, wanted)


def run_checked(resource_list: EditableList, wanted: ProxyConfig) -> Outcome:
    """Do what a checked FunctionConfig asks for, as ``run`` does; raises as it does."""
    edits, found = _planned(resource_list, wanted)
    if wanted.mode is Mode.CHECK or results.are_severe(found, Severity.ERROR):
        edits = _PlannedOperations()
        found = [result for result in found if result.severity is not Severity.INFO]
    found = _in_report(found)
    # By now the data of the objects is forgotten, and each value is there once: a long list takes less memory.
    return _outcome(resource_list, edits, found)._replace(fail_on=wanted.fail_on)


def _planned(
    resource_list: EditableList, wanted: ProxyConfig
) -> "tuple[_PlannedOperations, list[Result]]":
    """Return what is to become of a list, and all that there is to say about it."""
    edits = _PlannedOperations()
    found: list[Result] = []
    overview = Overview()
    every = list(plan_edits(resource_list, wanted, overview))
    places = [place for place in every if place.is_asked]
    for _, places_of_object in groupby(places, key=lambda place: id(place.obj)):
        reported: list[Result] = []
        for place in places_of_object:
            for operations, result in _proposals(place, wanted.mode):
                reported = [*(_at_new_place(one, operations, place) for one in reported), result]
                edits.note(place, operations)
        found += reported
    places = [_of_new_kind(place, wanted.mode) for place in places]
    rules = lint.Rules(wanted.lint, at_most=Severity.WARNING)
    found = _once_for_each_fact(lint.levelled(found, rules))
    places, found = _roll_out(resource_list, places, found, edits, wanted)
    found = list(lint.levelled(found, rules))
    idle = settings.idle(wanted, (one for place in every for one in place.subjects))
    annotation = config.ineffective_annotation(resource_list.function_config)
    about_config = [*idle, *([annotation] if annotation else [])]
    found += lint.levelled((one.about(_config_ref(resource_list)) for one in about_config), rules)
    found += lint.levelled(unreached(every), rules)
    found += lint.levelled(withheld(every), rules)
    found += lint.levelled(unwritten(overview, every, wanted, _config_ref(resource_list)), rules)
    found += lint.levelled(review(places, wanted, _config_ref(resource_list)), rules)
    found += lint.levelled(exposed_passwords(places, wanted.secret_urls), rules)
    return edits, found


class _PlannedOperations:
    """What is to become of the list: operations on its items, and objects that it lacks."""

    def __init__(self) -> None:
        self.new_items: list[Mapping[str, Any]] = []
        self.beside: list[int] = []
        self._changes: dict[int, list[Operation]] = {}
        self._gone: dict[int, list[Operation]] = {}
        self.touched: set[int] = set()

    def note(self, place: PlannedEdit, operations: list[Operation]) -> None:
        """Note what is to be done at a place; what is new is added as its data is in the end."""
        if place.is_new:
            self.new_items += [place.obj.data] if operations else []
            self.beside += [place.item_index] if operations else []
            return
        self.touched |= {id(place.obj)} if operations else set()
        self.add(place.item_index, place.obj, operations)

    def add(self, index: int, obj: Object, operations: list[Operation]) -> None:
        """Note operations on an object of an item, from the root of the item."""
        for operation in operations:
            is_all = operation.op == "remove" and operation.path == obj.path
            (self._gone if is_all else self._changes).setdefault(index, []).append(operation)

    @property
    def changes(self) -> dict[int, list[Operation]]:
        """Index of an item -> operations; an object goes when all else is done, from the back, so that paths hold."""
        touched = sorted({*self._changes, *self._gone})
        return {
            index: [*self._changes.get(index, ()), *self._gone.get(index, ())[::-1]]
            for index in touched
        }

    @property
    def number(self) -> int:
        """How many items change, come or go."""
        return len(self.changes) + len(self.new_items)


def _roll_out(
    resource_list: EditableList,
    places: list[PlannedEdit],
    found: list[Result],
    edits: _PlannedOperations,
    wanted: ProxyConfig,
) -> tuple[list[PlannedEdit], list[Result]]:
    """Return places and results with the names that their objects have after templates are renamed."""
    is_check = wanted.mode is Mode.CHECK
    if not is_check and any(result.severity is Severity.ERROR for result in found):
        return places, found  # nothing will be changed
    reported = list(found)
    made = {id(place.obj.data) for place in places if place.is_new}
    rollout_notes = secret_names(resource_list, places, wanted, edits.touched)
    for one in rollout_notes:
        result = _rolled(one, edits, wanted.mode, is_new=id(one.obj.data) in made)
        reported.append(result)
        if isinstance(one.what, Edit):  # a template has a name that follows from these names
            patch.apply(one.obj.data, one.what.operations)
            edits.touched.add(id(one.obj))
    of_templates = list(rollout(resource_list, places, wanted, edits.touched))
    reported += [_rolled(one, edits, wanted.mode) for one in of_templates]
    rollout_notes += of_templates
    refs = {} if is_check else new_refs(rollout_notes)
    if not refs:
        return places, reported
    return (
        [
            place._replace(obj=place.obj._replace(ref=refs.get(place.obj.ref, place.obj.ref)))
            for place in places
        ],
        [result._replace(ref=refs.get(result.ref, result.ref)) for result in reported],
    )


def _rolled(
    one: RolloutNote, edits: _PlannedOperations, mode: Mode, *, is_new: bool = False
) -> Result:
    """Return the result about a name, and note the operations, unless the object is created in this run."""
    if isinstance(one.what, Finding):
        return one.what.about(one.obj.ref)
    operations, result = _result_of_edit(one.what, one.obj, mode)
    if not is_new:
        edits.add(one.item_index, one.obj, operations)
    return result


def _outcome(
    resource_list: EditableList, edits: _PlannedOperations, reported: list[Result]
) -> Outcome:
    pieces = resource_list.write(
        edits.changes,
        (result.to_data() for result in reported),
        edits.new_items,
        edits.beside,
    )
    return Outcome(pieces, tuple(reported), len(resource_list), edits.number)


def _in_report(found: list[Result]) -> list[Result]:
    """Return the results as they are reported: in order, and nothing of them twice."""
    return _values_once(results.in_order(_once(found)))


def _once(found: list[Result]) -> list[Result]:
    """Return the results without those that another target reported for the same field of the same object."""
    first = {
        (result.line(), repr(result.current), repr(result.proposed)): result
        for result in reversed(found)
    }
    return list(reversed(first.values()))


def _values_once(found: Iterable[Result]) -> list[Result]:
    """Return the results, each value only in the first one that shows it: the list of a Cluster is long.

    Readers find the others in the manifests, and by the name of the variable in the message.
    """
    shown: set[str] = set()
    reported = []
    for result in found:
        current = _not_shown_yet(result.current, shown)
        proposed = _not_shown_yet(result.proposed, shown)
        is_same = current is result.current and proposed is result.proposed
        reported.append(result if is_same else result._replace(current=current, proposed=proposed))
    return reported


def _not_shown_yet(value: Any, shown: set[str]) -> Any:
    """Return a value, or the members of a mapping, without what was shown before.

    Note it as shown.
    """
    if isinstance(value, Mapping):
        left = {name: _not_shown_yet(member, shown) for name, member in value.items()}
        return {name: member for name, member in left.items() if member is not None} or None
    if not isinstance(value, str):
        return value
    if value in shown:
        return None
    shown.add(value)
    return value


_ABOUT_FACTS = frozenset({"NP038"})
"""Rules about a fact of a Cluster, which is the same for each object that belongs to it."""


def _once_for_each_fact(found: Iterable[Result]) -> list[Result]:
    """Return the results; of those that say the same fact, only the first one, with the number of other objects."""
    objects: dict[tuple[Severity, str], set[ObjectRef]] = {}
    reported: list[Result] = []
    for result in found:
        if result.code in _ABOUT_FACTS and result.severity is not Severity.INFO:
            same = objects.setdefault((result.severity, result.message), set())
            is_first = not same
            same.add(result.ref)
            if not is_first:
                continue
        reported.append(result)
    return [_with_number(result, objects) for result in reported]


def _with_number(result: Result, objects: Mapping[tuple[Severity, str], Set[ObjectRef]]) -> Result:
    """Return the first result about a fact with the number of other objects that it is true of."""
    others = len(objects.get((result.severity, result.message), ())) - 1
    if result.code not in _ABOUT_FACTS or others < 1:
        return result
    also = f"{others} more object{'s' * (others > 1)}"
    return result._replace(message=f"{result.message} (also true of {also})")


def _at_new_place(reported: Result, operations: list[Operation], place: PlannedEdit) -> Result:
    """Return a result of another target with the index after ``operations`` removed an item before it.

    So the next run, which finds it there, says the same. A target knows of its own removals.
    """
    within = [
        operation.path[len(place.obj.path) :]
        for operation in operations
        if operation.op == "remove"
    ]
    for *above, last in filter(None, within if reported.target != place.target_id else ()):
        depth = len(above)
        behind = (
            reported.path[depth]
            if reported.path[:depth] == tuple(above) and len(reported.path) > depth
            else ""
        )
        if last.isdigit() and behind.isdigit() and int(behind) > int(last):
            reported = reported._replace(
                path=(*above, str(int(behind) - 1), *reported.path[depth + 1 :])
            )
    return reported


def _about_config(resource_list: EditableList, message: str) -> Result:
    return Result(Severity.ERROR, message, _config_ref(resource_list), code=ConfigError.code)


def _config_ref(resource_list: EditableList) -> ObjectRef:
    given = resource_list.function_config
    return reference(given) if isinstance(given, dict) else ObjectRef()


def _proposals(place: PlannedEdit, mode: Mode) -> Iterator[tuple[list[Operation], Result]]:
    """Yield the results and operations of one place, and apply them to the object's data.

    What a field for a proxy holds is shown only if it is a URL: anything else may be a password.
    """
    proposals = list(place.proposals())
    readings = list(place.readings())
    if not proposals and not readings:
        return
    hidden = proxy_values.hidden_texts((one.variable, one.value) for one in readings)
    for operations, result in _done_and_found(place, proposals, mode, has_readings=bool(readings)):
        current = proxy_values.shown(result.current, result.path, result.proposed)
        message, current, proposed = (
            proxy_values.without(one, hidden) for one in (result.message, current, result.proposed)
        )
        yield operations, result._replace(message=message, current=current, proposed=proposed)


def _done_and_found(
    place: PlannedEdit, proposals: Sequence[Edit | Finding], mode: Mode, *, has_readings: bool
) -> Iterator[tuple[list[Operation], Result]]:
    edits = [one for one in proposals if isinstance(one, Edit)]
    for one in proposals:
        if isinstance(one, Finding):
            is_error = one.is_stale and mode is Mode.CHECK
            yield [], place.result(one._replace(severity=Severity.ERROR) if is_error else one)
    for edit in edits:
        done = _done(place, edit, mode)
        place = _of_new_kind(place, mode)
        operations, result = done
        yield operations, result._replace(ref=place.obj.ref)
    if edits or has_readings:
        yield from (
            ([], place.result(note)) for note in settings.notes(_resolved(place), place.memberships)
        )


def _resolved(place: PlannedEdit) -> Resolved:
    """Return how the proxy of a place was resolved.

    What its list lacks counts only if the place holds our list.
    """
    holds_list = not place.resolved.missing or any(
        one.variable.upper() == "NO_PROXY" and one.value is not None for one in place.readings()
    )
    return place.resolved if holds_list else place.resolved._replace(missing=())


def _done(place: PlannedEdit, edit: Edit, mode: Mode) -> tuple[list[Operation], Result]:
    """Apply an edit to the data of its object, and return its operations from the root of the item."""
    data = place.obj.data
    if place.is_new:
        patch.apply(data, edit.operations)
        message = f"created: the list has no such object; {edit.message}"
        edit = Edit((patch.add(value=data),), message)
        return _result_of_edit(edit, place.obj, mode, place.target_id)
    done = _result_of_edit(edit, place.obj, mode, place.target_id)
    if edit.removes_object:
        data.clear()  # no other target finds anything in it
    else:
        patch.apply(data, edit.operations)
    return done


def _of_new_kind(place: PlannedEdit, mode: Mode) -> PlannedEdit:
    """Return a place with the kind that its object has now: a target may have converted it."""
    if mode is Mode.CHECK or place.target.converts_to is None:
        return place
    ref = reference(place.obj.data)
    if not ref.kind:
        return place
    new = place.obj.ref._replace(api_version=ref.api_version, kind=ref.kind)
    if new == place.obj.ref:  # what has changed is known by the identity of its object
        return place
    return place._replace(obj=place.obj._replace(ref=new))


def _not_done(message: str) -> str:
    return f"{message}: not done, because `mode: Check` changes nothing"


def _result_of_edit(
    edit: Edit, obj: Object, mode: Mode, target: str = ""
) -> tuple[list[Operation], Result]:
    """Return the operations of an edit from the root of the item, and the one result about them."""
    severity, message, code = Severity.INFO, edit.message, ""
    if mode is Mode.CHECK:
        severity, message, code = Severity.ERROR, _not_done(edit.message), CHANGE_DUE
    ref = obj.ref
    result = Result(severity, message, ref, edit.path, edit.current, edit.proposed, target, code)
    operations = [
        operation._replace(path=(*obj.path, *operation.path)) for operation in edit.operations
    ]
    return operations, result
