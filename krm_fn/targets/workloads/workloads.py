"""Workloads whose programs reach the world outside through the proxy: the environment of their containers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Pointer
from krm_fn.places import choice
from krm_fn.places.choice import fits_object
from krm_fn.places.containers import (
    CONTAINERS,
    INIT_CONTAINERS,
    POD_KINDS,
    POD_SPEC,
    Container,
    containers,
    pod_spec,
    wrong_types,
)
from krm_fn.places.env_entries import PAIRS, EnvEntries
from krm_fn.places.named_item import NamedItem
from krm_fn.places.place import KEEP, OVERRIDE, Place
from krm_fn.places.provided import NO_USES, DataUses, provided_for
from krm_fn.products.distributions import OF_KIND
from krm_fn.targets.base import Context, Data, Options, Target
from krm_fn.targets.workloads.programs import (
    OWN_TARGETS,
    PROGRAMS,
    PROVIDER_GROUP,
    Program,
    cert_manager_containers,
    chart_operator_containers,
    containers_of,
    is_cert_manager,
    is_chart_operator,
    is_of,
    matches_any,
)

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
_OF_PROVIDER = ("spec", "deployment")
"""Where a provider object overrides containers of a manifest elsewhere."""
_MANAGER = "manager"
"""The container of every Cluster API provider (contract "Components YAML")."""
_FIELDS = (INIT_CONTAINERS, CONTAINERS)


def _env_place(data: Data, container: Container, context: Context) -> Place:
    """Return the place of the variables of a container."""
    keeps = context.options.get("conflict", OVERRIDE) == KEEP
    provided = provided_for(context.uses, data, container)
    form = EnvEntries(PAIRS, provided, container.fields.get("envFrom"))
    kind = "init container" if container.is_init else "container"
    label = f'{kind} "{container.key}"'
    return Place((*container.path, "env"), form, label, len(container.path), on_conflict_keep=keeps)


class _OneProgram(Target):
    """A program that always gets the proxy.

    Args:
        target: its key under ``spec.targets``.
        kinds: those of its workloads.
        finds: yields its containers.
        is_one: returns whether the labels of a workload name it.
        name: that of its container.
    """

    audience = Audience.GO

    def __init__(
        self,
        target: str,
        kinds: Iterable[tuple[str, str]],
        finds: Callable[[Data], Iterable[Container]],
        is_one: Callable[[Data], bool],
        name: str,
    ) -> None:
        self.id = target
        self.kinds = frozenset(kinds)
        self._finds = finds
        self._is_one = is_one
        self._name = name

    def places(self, data: Data, context: Context) -> Iterator[Place | Result]:
        """Yield the environments of its containers; report a workload of it in which no container is known."""
        if choice.is_refused(data, POD_SPEC):
            return
        chosen = list(self._finds(data))
        if not chosen and not self._is_one(data):
            return
        if context.settings.sets_any:
            yield from wrong_types(data, POD_SPEC)
        is_main = [container for container in chosen if not container.is_init]
        if not is_main and any(containers(data)) and context.settings.sets_any:
            message = f"no container is named `{self._name}`, so none gets the proxy: give its own that name"
            path = (*POD_SPEC, CONTAINERS)
            yield Result.of("SettingUnused", message, path)
        for container in chosen:
            yield _env_place(data, container, context)

    def note_references(self, uses: DataUses, data: Data, options: Options) -> None:
        """Note the ConfigMaps and Secrets that its containers read."""
        if not choice.is_refused(data, POD_SPEC):
            uses.note_containers(data, self._finds(data))


class _Choice(NamedTuple):
    """The containers that get the proxy, and the names of those that a provider object lacks."""

    existing: tuple[Container, ...] = ()
    missing: tuple[str, ...] = ()
    is_chosen: bool = False


def _pod_spec(data: Data, options: Options) -> Pointer | None:
    """Return where an object keeps its containers; None for an object of another kind."""
    kind = group_kind(data)
    if kind in _PROVIDERS:
        return _OF_PROVIDER
    for custom in options.get("customKinds", ()):
        if (custom["group"], custom["kind"]) == kind:
            path = custom.get("podSpecPath", ".spec.template.spec")
            return tuple(path.removeprefix(".").split("."))
    return pod_spec(data)


def _programs(options: Options) -> list[Program]:
    return [PROGRAMS[name] for name in options.get("presets", ())]


def _is_matched(data: Data, at: Pointer, options: Options) -> bool:
    return any(fits_object(matcher, data, at) for matcher in options.get("workloads", ()))


def _choose(data: Data, at: Pointer, options: Options) -> _Choice:
    """Return the containers of a workload that get the proxy: by annotations, or by matchers and presets."""
    if choice.is_refused(data, at):
        return _Choice()
    request = choice.request_of(data, at)
    is_chosen = request.is_wanted or bool(request.names) or _is_matched(data, at, options)
    missing = list(request.names)
    existing = []
    for field in _FIELDS:
        for container in containers(data, field, at=at):
            if container.name in missing:
                missing.remove(container.name)
            if request.names:
                gets_proxy = container.name in request.names
            else:
                gets_proxy = _gets_proxy(container, data, at, options, is_chosen)
            if gets_proxy:
                existing.append(container)
    if at == _OF_PROVIDER and not (existing or request.names):
        presets = [program.group for program in _programs(options)]
        missing = [_MANAGER] if is_chosen or PROVIDER_GROUP in presets else []
    return _Choice(tuple(existing), tuple(missing), is_chosen)


def _gets_proxy(
    container: Container, data: Data, at: Pointer, options: Options, is_chosen: bool
) -> bool:
    """Return whether a container gets the proxy where no annotation names containers."""
    other_targets = options.get("otherTargets", OWN_TARGETS)
    if any(is_of(PROGRAMS[name], container, data, at) for name in other_targets):
        return False
    if any(is_of(program, container, data, at) for program in _programs(options)):
        return True
    may_be = not container.is_init or options.get("initContainers", True)
    return is_chosen and may_be and matches_any(container.name, options.get("containers", ("*",)))


class _Workloads(Target):
    id = "workloads"
    kinds = POD_KINDS | _PROVIDERS
    audience = Audience.POD

    def hints(self, options: Options) -> tuple[str, ...]:
        """Return the text hints; none where matchers or presets select workloads, as their text can be any."""
        is_any = options.get("workloads") or options.get("presets")
        return () if is_any else super().hints(options)

    def options(self, given: Mapping[str, Options]) -> Options:
        """Return the options, with the targets that write containers of their own unless they are switched off."""
        own = given.get("workloads", {})
        others = [name for name in OWN_TARGETS if given.get(name, {}).get("enabled", True)]
        kinds = [kind for kind in own.get("customKinds", ()) if not _has_writer(kind, given)]
        return {**own, "customKinds": kinds, "otherTargets": others}

    def places(self, data: Data, context: Context) -> Iterator[Place | Result]:
        """Yield the environments of the chosen containers."""
        at = _pod_spec(data, context.options)
        if at is None:
            return
        chosen = _choose(data, at, context.options)
        if context.settings.sets_any:
            yield from choice.wrong_annotations(data, at)
            if chosen.existing or chosen.is_chosen:
                yield from wrong_types(data, at)
        for container in chosen.existing if at != _OF_PROVIDER else ():
            yield _env_place(data, container, context)
        if at == _OF_PROVIDER:
            # A container of this name overrides that of the released manifest; it goes with the variables.
            for name in (*(container.name for container in chosen.existing), *chosen.missing):
                form = NamedItem(name, ("env",), EnvEntries())
                yield Place((*at, CONTAINERS), form, f'container "{name}"', 1)
        elif chosen.missing and context.settings.sets_any:
            names = ", ".join(f"`{name}`" for name in chosen.missing)
            message = (
                f"an annotation chooses {names} for the proxy, and no container or init container has this name: it must "  # noqa: E501
                'be "true", "false" or names of its containers'
            )
            path = ("metadata", "annotations")
            yield Result.of("SettingUnused", message, path)

    def readers(self, data: Data, options: Options, uses: DataUses = NO_USES) -> Readers:
        """Return who reads the list in an object: Go programs where only presets choose it."""
        at = _pod_spec(data, options)
        if at is None or choice.is_refused(data, at):
            return Readers(Audience.POD)
        is_provider = at == _OF_PROVIDER
        programs = [
            program
            for program in _programs(options)
            if any(containers_of(program, data, at))
            or (is_provider and program.group == PROVIDER_GROUP)
        ]
        request = choice.request_of(data, at)
        is_any = (
            not programs or request.is_wanted or request.names or _is_matched(data, at, options)
        )
        return Readers(
            Audience.POD if is_any else Audience.GO,
            tuple(name for program in programs for name in program.names),
            any(program.writes_rooted_names for program in programs),
        )

    def note_references(self, uses: DataUses, data: Data, options: Options) -> None:
        """Note the ConfigMaps and Secrets that the chosen containers read."""
        at = _pod_spec(data, options)
        if at is not None:
            uses.note_containers(data, _choose(data, at, options).existing)

    def refuses(self, data: Data, options: Options) -> bool:
        """Return whether an annotation of a workload says that it gets no proxy."""
        at = _pod_spec(data, options)
        return at is not None and choice.is_refused(data, at)


def _has_writer(kind: Mapping[str, str], given: Mapping[str, Options]) -> bool:
    """Return whether a target of its own writes the containers of a kind."""
    rows = OF_KIND.get((kind["group"], kind["kind"]), ())
    return any(not row.keys and given.get(row.target, {}).get("enabled", True) for row in rows)


TARGETS = {
    "certManager": _OneProgram(
        "certManager",
        (("apps", "Deployment"), ("extensions", "Deployment"), ("batch", "Job")),
        cert_manager_containers,
        is_cert_manager,
        "cert-manager-controller",
    ),
    "chartOperator": _OneProgram(
        "chartOperator",
        (("apps", "Deployment"), ("extensions", "Deployment")),
        chart_operator_containers,
        is_chart_operator,
        "chart-operator",
    ),
    "workloads": _Workloads(),
}
"""ID -> target."""
