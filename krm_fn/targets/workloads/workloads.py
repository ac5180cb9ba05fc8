"""Workloads whose programs reach the world outside through the proxy: the environment of their containers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from krm_fn.config import Declaration, matches_any
from krm_fn.config.proxy_config import REMOVED
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import Texts
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Pointer, lookup
from krm_fn.places import choice
from krm_fn.places.containers import (
    CONTAINERS,
    Container,
    EnvEntries,
    all_containers,
    pod_spec,
    wrong_types,
)
from krm_fn.places.installed_charts import ChartSources
from krm_fn.places.mapping_forms import NamedItem
from krm_fn.places.place import KEEP, OVERRIDE, Place, quoted, read_pairs
from krm_fn.places.provided import (
    DataReference,
    DataUses,
    name_of,
    namespace_of,
    provided_for,
    references_in,
)
from krm_fn.products import cluster_api
from krm_fn.products.proxy_keys import UPPER
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.base import Context, Data, Options, Places, Target
from krm_fn.targets.workloads.programs import (
    PROGRAMS,
    active_presets,
    is_part_of,
)

# Where a provider object overrides containers of a manifest elsewhere.
_OF_PROVIDER = ("spec", "deployment")
# The preset that chooses all provider objects.
_PROVIDERS = "clusterAPIProviders"
# The container of every Cluster API provider (contract "Components YAML").
_MANAGER = "manager"
_NO_POD_SPEC = "nothing is at `{}` of this object, so it gets no proxy: correct its `podSpecPath` in `customKinds`"


def _env_place(data: Data, container: Container, context: Context) -> Place:
    """Return the place of the variables of a container."""
    keeps = context.options.get("conflict", OVERRIDE) == KEEP
    provided = provided_for(context.uses, namespace_of(data), container)
    ours = context.settings.urls_in_secrets
    form = EnvEntries(provided=provided, env_from=container.env_from, ours=ours)
    path = container.path
    return Place((*path, "env"), form, container.label, len(path), on_conflict_keep=keeps)


def _pod_spec(data: Data, options: Options) -> Pointer | None:
    """Return the path to the lists of containers of an object; None for an object of another kind."""
    kind = group_kind(data)
    if kind in cluster_api.PROVIDERS:
        return _OF_PROVIDER
    for custom in options.get("customKinds", ()):
        if (custom["group"], custom["kind"]) == kind:
            path = custom.get("podSpecPath", ".spec.template.spec")
            return tuple(path.removeprefix(".").split("."))
    return pod_spec(data)


def _read_request(data: Data, at: Pointer, options: Options) -> choice.Request:
    """Return the choice that annotations of a workload state; a matcher chooses it, too."""
    request = choice.read_request(data, at)
    if any(choice.fits_object(matcher, data, at) for matcher in options.get("choose", ())):
        return request._replace(is_wanted=True)
    return request


def _chosen(data: Data, at: Pointer, options: Options, request: choice.Request) -> list[Container]:
    """Return the containers of a workload that get the proxy, or that lose it, as a removal finds it there."""
    is_refused = choice.is_refused(data, at)
    # A removal takes our proxy also out of containers that nobody chooses any more.
    return [
        container
        for container in all_containers(data, at)
        if (not is_refused and _gets_proxy(container, data, options, request))
        or _is_written(container, options.get(REMOVED, ()))
    ]


def _is_written(container: Container, proxies: Collection[Declaration]) -> bool:
    """Return whether the proxy variables of a container are exactly those that a run would write there.

    Then a run wrote them, whoever chose the container once: both cases of each variable, with one value, and no other.
    """
    for proxy in proxies:
        form = EnvEntries(ours=proxy.urls)
        pairs = read_pairs(form.read(container.fields, Place(("env",), form, container.label)))
        listed = pairs.get("NO_PROXY")
        written = zip(UPPER, (*proxy.urls, listed), strict=True)
        if proxy.has_list is bool(listed) and pairs == {
            name: text for name, text in written if text
        }:
            return True
    return False


def _gets_proxy(
    container: Container, data: Data, options: Options, request: choice.Request
) -> bool:
    """Return whether a container gets the proxy: it is named, or the options choose it where none is."""
    if request.names:
        return container.name in request.names
    if any(is_part_of(name, container, data) for name in active_presets(options)):
        return True
    if not request.is_wanted or (container.is_init and not options.get("initContainers", True)):
        return False
    return matches_any(container.name, options.get("containers", ("*",)))


def _lacks_certificates(data: Data, at: Pointer, context: Context) -> Results:
    """Yield a warning where a workload gets the proxy, and nothing says whether it gets the certificates."""
    if not context.settings.sets_any or not context.settings.trusted_ca.pem:
        return
    from krm_fn.targets.workloads import workload_trust_store as store  # noqa: PLC0415 -- few declare certificates

    if store.is_forgotten(data, context.options):
        yield Result(
            "CertificatesNotSet",
            f"gets the proxy, and not the certificates of `spec.trustedCA`: add `{{names: [{name_of(data)}]}}` to "
            "`spec.targets.workloads.trustedCA.choose`, or refuse them with the annotation "
            '`fn.inject-proxy.io/trusted-ca: "false"`',
            at,
        )


class Workloads(Target):
    """The variables of containers that matchers, annotations or presets choose.

    Example: a container of a chosen Deployment::

        {name: web}

    becomes::

        {name: web, env: [{name: HTTP_PROXY, value: "http://proxy:3128"}, {name: http_proxy, value: "http://proxy:3128"}]}
    """

    audience = Audience.POD

    def hints(self, options: Options) -> Texts:
        """Return the text hints; with matchers or presets the text of a chosen workload can be any."""
        if options.get("choose") or options.get("presets"):
            return ()
        if options.get(REMOVED):
            return *super().hints(options), *PROXY_VARIABLES
        return super().hints(options)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the environments of the chosen containers."""
        options = context.options
        at = _pod_spec(data, options)
        if at is None:
            return
        if choice.is_refused(data, at) and not options.get(REMOVED):
            return
        request = _read_request(data, at, options)
        names = request.names
        chosen = _chosen(data, at, options, request)
        known = [
            row
            for preset in active_presets(options)
            for row in PROGRAMS[preset]
            if row.is_labelled(data)
        ]
        if context.settings.sets_any and (chosen or known or request.is_wanted):
            yield from wrong_types(data, at)
            is_custom = at != _OF_PROVIDER and group_kind(data) not in POD_KINDS
            if is_custom and lookup(data, at) is None:
                yield Result("SettingUnused", _NO_POD_SPEC.format(".".join(("", *at))))
        if at == _OF_PROVIDER:
            is_preset = _PROVIDERS in options.get("presets", ())
            # Cluster API Operator merges containers by name into the manifest that it installs.
            if not names and (is_preset or request.is_wanted):
                names = (_MANAGER,)
            # A container of this name overrides that of the released manifest; it goes with the variables.
            for name in names:
                form = NamedItem(name, ("env",), EnvEntries(ours=context.settings.urls_in_secrets))
                yield Place((*at, CONTAINERS), form, f'container "{name}"')
            return
        for container in chosen:
            yield _env_place(data, container, context)
        yield from _lacks_certificates(data, at, context) if chosen else ()
        there = [container.name for container in all_containers(data, at)]
        missing = [name for name in names if name not in there]
        if missing and context.settings.sets_any:
            path = ("metadata", "annotations")
            yield Result(
                "SettingUnused",
                f"an annotation chooses {quoted(missing)} for the proxy, and no container or init container has "
                'this name: it must be "true", "false" or names of its containers',
                path,
            )
        for row in known:
            if row.main and there and row.main not in there and context.settings.sets_any:
                yield Result(
                    "SettingUnused",
                    f"no container is named `{row.main}`, so none gets the proxy: give its own that name",
                    (*at, CONTAINERS),
                )

    def readers(self, data: Data, options: Options, uses: DataUses) -> Readers:
        """Return who reads the list in an object: Go programs where only presets choose it."""
        at = _pod_spec(data, options)
        if at is None or choice.is_refused(data, at):
            return Readers(Audience.POD)
        audience = Audience.POD
        names: Texts = ()
        writes_rooted_names = False
        listed = [*all_containers(data, at)]
        for preset in active_presets(options):
            is_provider = at == _OF_PROVIDER and preset == _PROVIDERS
            for program in PROGRAMS[preset]:
                is_read = any(program.is_read_by(container, data) for container in listed)
                if is_read or is_provider:
                    audience = Audience.GO
                    names += program.names
                    # Flux calls http://source-controller.flux-system.svc.cluster.local./ with a final dot.
                    writes_rooted_names |= preset == "flux"
        # A person may choose a program in any language.
        if _read_request(data, at, options).is_wanted:
            audience = Audience.POD
        return Readers(audience, names, writes_rooted_names)

    def references(
        self, data: Data, options: Options, sources: ChartSources
    ) -> Iterator[DataReference]:
        """Yield the references to ConfigMaps and Secrets in the chosen containers."""
        at = _pod_spec(data, options)
        if at is not None:
            request = _read_request(data, at, options)
            for container in _chosen(data, at, {**options, REMOVED: ()}, request):
                yield from references_in(namespace_of(data), container)
