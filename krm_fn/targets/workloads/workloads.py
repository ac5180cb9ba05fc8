"""Workloads of your choice: their containers reach the world outside through the proxy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers import chosen_containers, pod_spec
from krm_fn.carriers.data_references import DataUsesReader, provided_for
from krm_fn.carriers.data_uses import NO_USES, DataUses
from krm_fn.carriers.env_list import KEEP, OVERRIDE, UNIT, EnvList, correct
from krm_fn.carriers.pod_spec import CONTAINERS, INIT_CONTAINERS, Container, containers
from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Site, SiteWithoutVariables, Variables, quoted
from krm_fn.config import Matcher
from krm_fn.engine import Draft
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Severity
from krm_fn.krm.type_errors import type_name
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Pointer
from krm_fn.products.distributions import OF_KIND
from krm_fn.targets.base import Context, Data, Options, Target
from krm_fn.targets.workloads.presets import (
    PRESETS,
    PROVIDER_GROUP,
    Preset,
    fits_object,
    fits_one,
    preset_containers,
)

_MANAGER = "manager"
"""The container of every Cluster API provider (contract "Components YAML": one Deployment with it)."""

_PROVIDERS = frozenset(
    (PROVIDER_GROUP, f"{name}Provider")
    for name in (
        "Addon",
        "Bootstrap",
        "ControlPlane",
        "Core",
        "Infrastructure",
        "IPAM",
        "RuntimeExtension",
    )
)
_ANNOTATIONS: Pointer = ("metadata", "annotations")
_OWNERS = tuple(preset.target for preset in PRESETS.values() if preset.target)
_KINDS_OF_OWNERS = frozenset({"Deployment", "Job"})


class _Released(EnvList):
    """A container that is chosen no more: ours goes, whatever the settings are."""

    def write(self, variables: Variables) -> None:
        """Remove the variables.

        Raises:
            WrongTypeError: ``env`` is no list.
        """
        super().write({})


class _Overridden(EnvList):
    """A container of a provider object, which overrides the one of this name in the released manifest.

    Args:
        draft: the data of the provider object.
        name: the container, which is not in the list.
        at: leads to the list of containers.
        behind: how many containers are added before this one.
    """

    def __init__(self, draft: Draft, name: str, at: Pointer, behind: int) -> None:
        self._at = at
        listed = draft.get(at)
        index = behind + (len(listed) if isinstance(listed, list) else 0)
        super().__init__(draft, Container(name, (*at, str(index)), {"name": name}))

    def write(self, variables: Variables) -> None:
        """Add the container with the variables.

        Raises:
            WrongTypeError: the list of containers is no list.
        """
        if variables:
            self._draft.append(self._at, {"name": self.key})
            super().write(variables)


class _WrittenContainers(SiteWithoutVariables):
    """The annotation that keeps which containers are ours, as a site; it holds no proxy variable.

    Args:
        draft: the data of the workload.
        chosen: the containers that were written before this site is.
        before: the containers that the annotation had.
        keeps_others: the option ``conflict`` leaves no container to us that was not ours before.
        added_at: leads to the list of containers to which we may have added some; None: to none.
    """

    label = f"the annotation {quoted([chosen_containers.WRITTEN])}"

    def __init__(
        self,
        draft: Draft,
        chosen: list[EnvList],
        before: tuple[str, ...],
        *,
        keeps_others: bool,
        added_at: Pointer | None,
    ) -> None:
        self._draft = draft
        self._chosen = chosen
        self._before = before
        self._keeps_others = keeps_others
        self._added_at = added_at

    def write(self, variables: Variables) -> None:
        """Note the containers whose variables are ours now.

        Raises:
            WrongTypeError: ``metadata.annotations`` is no mapping.
        """
        ours = []
        for one in self._chosen:
            is_candidate = one.key in self._before or not self._keeps_others
            if variables and is_candidate and one.sets(variables):
                ours.append(one.key)
        path = (*_ANNOTATIONS, chosen_containers.WRITTEN)
        text = chosen_containers.noted(ours)
        if not text:
            self._draft.remove(path, keep=1)
        elif self._draft.get(path) != text:
            self._draft.set(path, text, keep=1)
        self._remove_added(ours)

    def _remove_added(self, ours: list[str]) -> None:
        """Remove containers of a provider object that hold nothing: ours was all that was in them."""
        if self._added_at is None:
            return
        gone = [{"name": name} for name in self._before if name not in ours]
        listed = self._draft.items(self._added_at) or []
        left = [one for one in listed if one not in gone]
        if len(left) == len(listed):
            return
        if left:
            self._draft.set(self._added_at, left)
        else:
            self._draft.remove(self._added_at, keep=1)


class _Place(NamedTuple):
    """Where an object keeps its containers; ``is_provider``: it overrides those of a manifest elsewhere."""

    at: Pointer
    is_provider: bool = False


def _place(obj: Data, options: Options) -> _Place | None:
    """Return where an object keeps its containers; None for an object of another kind."""
    at = pod_spec.pod_spec(obj)
    if at:
        return _Place(at)
    kind = group_kind(obj)
    if kind in _PROVIDERS:
        return _Place(("spec", "deployment"), is_provider=True)
    for one in options.get("customKinds", ()):
        if (one["group"], one["kind"]) == kind:
            path = one.get("podSpecPath", ".spec.template.spec")
            return _Place(tuple(path.removeprefix(".").split(".")))
    return None


class _Choice(NamedTuple):
    """The containers that get the proxy, and the names of those that a provider object lacks.

    ``is_wanted``: an annotation or a matcher chooses the workload, whatever containers it has.
    """

    existing: tuple[Container, ...] = ()
    missing: tuple[str, ...] = ()
    is_wanted: bool = False


def _choose(draft: Draft, place: _Place, context: Context) -> _Choice:
    """Return the containers of a workload that get the proxy, by its annotations, the matchers and the presets."""
    obj, options = draft.data, context.options
    if chosen_containers.is_refused(obj, place.at):
        return _Choice()
    every = list(_all_containers(obj, place.at))
    wish = chosen_containers.wish(obj, place.at)
    found: set[Pointer] = set()
    missing: list[str] = []
    is_wanted = True
    if wish.names:
        found |= {one.path for one in every if one.name in wish.names}
        names = {one.name for one in every}
        missing = [name for name in wish.names if name not in names]
    else:
        is_wanted = wish.is_wanted or _is_matched(obj, place.at, options)
        if is_wanted:
            found |= {one.path for one in every if _is_named(one, options)}
        is_preset = False
        for preset in _presets(options):
            found |= {one.path for one in preset_containers(preset, obj, place.at)}
            is_preset = is_preset or _is_of_preset(obj, place, preset)
        if place.is_provider and (is_wanted or is_preset) and not found:
            missing = [_MANAGER]
    found -= _owned(obj, options)
    if missing and not place.is_provider:
        _report_missing(draft, missing, context)
        missing = []
    existing = tuple(one for one in every if one.path in found)
    return _Choice(existing, tuple(missing), is_wanted)


def _is_matched(obj: Data, at: Pointer, options: Options) -> bool:
    return any(fits_object(Matcher.of(one), obj, at) for one in options.get("workloads", ()))


def _is_named(container: Container, options: Options) -> bool:
    if container.is_init and not options.get("initContainers", True):
        return False
    return fits_one(container.name, options.get("containers", ("*",)))


def _presets(options: Options) -> Iterator[Preset]:
    yield from (PRESETS[name] for name in options.get("presets", ()))


def _is_of_preset(obj: Data, place: _Place, preset: Preset) -> bool:
    if place.is_provider:
        return PROVIDER_GROUP in preset.groups
    return any(True for _ in preset_containers(preset, obj, place.at))


def _owned(obj: Data, options: Options) -> set[Pointer]:
    """Return the containers that a target of their own writes."""
    owners = options.get("owners", _OWNERS)
    at = pod_spec.POD_SPEC
    return {
        one.path
        for preset in PRESETS.values()
        if preset.target in owners and str(obj.get("kind")) in _KINDS_OF_OWNERS
        for one in preset_containers(preset, obj, at)
    }


def _report_missing(draft: Draft, names: list[str], context: Context) -> None:
    if context.settings.sets_any:
        message = (
            f"an annotation chooses {quoted(names)} for the proxy, and no container or init container "
            'has this name: the annotation must be "true", "false" or names of its containers'
        )
        draft.report(Severity.WARNING, message, _ANNOTATIONS, code="ContainerNotFound")


def _report_wrong_annotations(draft: Draft, place: _Place, context: Context) -> None:
    """Report annotations that have no effect, because their values are no strings."""
    for path, value in chosen_containers.no_strings(draft.data, place.at):
        if context.settings.sets_any:
            message = (
                f"the annotation `{path[-1]}` has no effect, because its value must be a string, not "
                f"{type_name(value)}: put it in quotes"
            )
            draft.report(Severity.WARNING, message, path, code="AnnotationNoString")


def _all_containers(obj: Any, at: Pointer) -> Iterator[Container]:
    for name in (INIT_CONTAINERS, CONTAINERS):
        yield from containers(obj, name, at=at)


def _has_writer(kind: Mapping[str, str], given: Mapping[str, Options]) -> bool:
    """Return whether a target of its own writes the containers of a kind."""
    rows = OF_KIND.get((kind["group"], kind["kind"]), ())
    enabled = [
        given.get(row.target, {}).get("enabled", not row.waits) for row in rows if row.is_env
    ]
    return any(enabled)


class _Workloads(Target):
    id = "workloads"
    kinds = pod_spec.KINDS | _PROVIDERS
    audience = Audience.POD

    def hints(self, options: Options) -> tuple[str, ...]:
        """Return the text hints; none where matchers or presets select workloads, as their text can be any."""
        is_any = options.get("workloads") or options.get("presets")
        return () if is_any else super().hints(options)

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the environments of the chosen containers, of those that were chosen before, and the annotation."""
        place = _place(draft.data, context.options)
        if place is None:
            return
        before = chosen_containers.written(draft.data)
        chosen = _choose(draft, place, context)
        _report_wrong_annotations(draft, place, context)
        if not (chosen.is_wanted or chosen.existing or chosen.missing or before):
            return
        for name in (INIT_CONTAINERS, CONTAINERS):
            pod_spec.report_wrong_types(draft, name, at=place.at)
        conflict = context.options.get("conflict", UNIT)
        keeps_unit = conflict == UNIT and not context.settings.sets_any
        written: list[EnvList] = []
        for one in chosen.existing:
            # What we wrote is no author's value; without a proxy, what is its author's alone is left.
            is_ours = one.key in before
            if is_ours or not keeps_unit:
                provided = provided_for(context.uses, draft.data, one)
                written.append(EnvList(draft, one, OVERRIDE if is_ours else conflict, provided))
        for number, name in enumerate(chosen.missing):
            written.append(_Overridden(draft, name, (*place.at, CONTAINERS), number))
        yield from written
        keys = {one.key for one in written}
        for one in _all_containers(draft.data, place.at):
            if one.key in before and one.key not in keys:
                yield _Released(draft, one, OVERRIDE, provided_for(context.uses, draft.data, one))
        yield _WrittenContainers(
            draft,
            written,
            before,
            keeps_others=conflict == KEEP,
            added_at=(*place.at, CONTAINERS) if place.is_provider else None,
        )

    def options(self, given: Mapping[str, Options]) -> Options:
        """Return the options, with the targets that write containers of their own unless they are switched off."""
        enabled = [name for name in _OWNERS if given.get(name, {}).get("enabled", True)]
        own = given.get("workloads", {})
        kinds = [one for one in own.get("customKinds", ()) if not _has_writer(one, given)]
        return {**own, "customKinds": kinds, "owners": enabled}

    def readers(self, obj: Data, options: Options, uses: DataUses = NO_USES) -> Readers:
        """Return who reads the list in an object: Go programs where only presets choose it."""
        place = _place(obj, options)
        if place is None or chosen_containers.is_refused(obj, place.at):
            return Readers(Audience.POD)
        fitting = [one for one in _presets(options) if _is_of_preset(obj, place, one)]
        wish = chosen_containers.wish(obj, place.at)
        is_any = not fitting or wish.is_wanted or wish.names or _is_matched(obj, place.at, options)
        return Readers(
            Audience.POD if is_any else Audience.GO,
            tuple(name for preset in fitting for name in preset.names),
            any(preset.writes_rooted_names for preset in fitting),
        )

    def note_references(self, uses: DataUsesReader, obj: Data, options: Options) -> None:
        """Note the ConfigMaps and Secrets that the chosen containers of a workload read."""
        place = _place(obj, options)
        if place is not None and not chosen_containers.is_refused(obj, place.at):
            uses.note_containers(obj, _choose(Draft(obj), place, Context(options)).existing)

    def refuses(self, data: Data, options: Options) -> bool:
        """Return whether an annotation of a workload says that it gets no proxy."""
        place = _place(data, options)
        return place is not None and chosen_containers.is_refused(data, place.at)

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give entries of ``env`` other values."""
        correct(draft, place, values)


TARGET = _Workloads()
