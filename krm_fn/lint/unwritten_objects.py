"""Objects that a person may expect to be written, and no target does: nodes of other systems, stale values, policies.

Most lists hold none, so a run imports this for one that does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from krm_fn import settings
from krm_fn.carriers.chosen_charts import is_chosen
from krm_fn.carriers.chosen_containers import is_refused
from krm_fn.carriers.data_uses import DataUses
from krm_fn.carriers.reading import Reading
from krm_fn.clusters import Foreign, Membership, System, charts_in, field_of, system_of, targets_of
from krm_fn.config import ProxyConfig
from krm_fn.formats import sops
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.light_typing import Any
from krm_fn.lint import proxy_urls
from krm_fn.patch import Pointer, lookup
from krm_fn.plan import Overview, PlannedEdit
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.products.node_kinds import TARGETS as NODE_TARGETS
from krm_fn.targets import TARGETS, of_kinds

_KYVERNO_GROUPS = ("kyverno.io", "policies.kyverno.io", "mutations.gatekeeper.sh")
_OWN_GROUP = "fn.inject-proxy.io"
_URL_NAMES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")
_ITS_SYSTEM = (
    "its nodes run {system} ({kind}), and no target writes their configuration in this form: "
    "set the proxy yourself, in {place}"
)
_NO_FIELD = (
    "its nodes run {system} ({kind}), and its manifests have no field for their proxy: {instead}"
)
_IMMUTABLE = (
    "its nodes run {system} ({kind}), and {place} cannot be changed once the object is there: set "
    "`spec.targets.{target}.enabled` to true before you create it, or leave it as it is"
)
_NO_VALUE = (
    "sets no proxy for {system}, and no target writes one there: set it yourself, in {place}"
)
_NOT_ASKED = (
    "sets no proxy for {system}, which takes it from {place}: set `spec.targets.{target}.enabled` to true, or to "
    "false where something else sets it"
)
_NO_VALUE_OF_CHART = (
    "sets no proxy for {system}, which takes it from {place}: choose the chart with a matcher in "
    '`spec.targets.charts.charts` or the annotation `fn.inject-proxy.io/proxy: "true"`; the same annotation with '
    '`"false"` leaves it without a proxy and without this warning'
)
_NO_CLASS = (
    'its nodes get no proxy here, because its ClusterClass "{name}" is not in the list: add the class and its '
    "templates, or run this function where they are"
)
_ELSEWHERE = (
    "nodes of it get no proxy here, because {names} {are} not in the list: add {them}, or run this function where "
    "{they}"
)
_SHOWN = 2
"""So many objects that are not in the list are named."""

_STALE = (
    "sets `{name}` to another proxy than this ProxyConfig says, and no target writes this place: change it "
    "yourself, or leave the object out with `spec.selector.exclude`"
)
_STALE_IMMUTABLE = (
    "sets `{name}` to another proxy than this ProxyConfig says, in a field that cannot be changed once the object is "
    "there: to create the cluster again with this proxy, set `spec.targets.{target}.enabled` to true, else leave the "
    "object out with `spec.selector.exclude`"
)
_STALE_NOT_ASKED = (
    "sets `{name}` to another proxy than this ProxyConfig says: set `spec.targets.{target}.enabled` to true to have it "
    "changed, or leave the object out with `spec.selector.exclude`"
)
_LEFT_NOT_ASKED = "sets `{name}`: set `spec.targets.{target}.enabled` to true to have it removed, or remove it yourself"
_LEFT_IMMUTABLE = (
    "sets `{name}` in a field that cannot be changed once the object is there: to create the cluster again without it, "
    "set `spec.targets.{target}.enabled` to true"
)
_LEFT = "sets `{name}`, and no target writes this place: remove it yourself"
_STALE_BESIDE = (
    "sets `{name}` to another proxy than this ProxyConfig says, in a place of this object that no target writes: "
    "change it yourself"
)
_LEFT_BESIDE = "sets `{name}` in a place of this object that no target writes: remove it yourself"
_CHART_NOT_CHOSEN = (
    "sets `{name}` to another proxy than this ProxyConfig says, and no target writes these values: choose the chart "
    'with a matcher in `spec.targets.charts.charts` or the annotation `fn.inject-proxy.io/proxy: "true"`, with '
    '`spec.targets.charts.conflict` as "Override"; the same annotation with `"false"` lets it keep its own proxy '
    "without this warning"
)
_CHART_NOT_CHOSEN_LEFT = (
    "sets `{name}`, and no target writes these values: remove it yourself, or choose the chart with a matcher in "
    '`spec.targets.charts.charts`, with `spec.targets.charts.conflict` as "Override"'
)
_KEPT_IN_CHART = (
    "sets `{name}`, which no run wrote, so it stays: remove it yourself, or set `spec.targets.charts.conflict` to "
    '"Override"'
)
_NOT_SELECTED = (
    "sets `{name}` to another proxy than this ProxyConfig says, and no target writes this workload: select "
    "it with a matcher in `spec.targets.workloads.workloads` or the annotation "
    '`fn.inject-proxy.io/proxy: "true"`{also}; the same annotation with `"false"` lets it keep its own proxy '
    "without this warning"
)
_OVERRIDE_TOO = ', with `spec.targets.workloads.conflict` as "Override", or else the value stays'
_NOT_SELECTED_LEFT = (
    "sets `{name}`, and no target writes this workload: remove it yourself, or select the workload with a matcher in "
    "`spec.targets.workloads.workloads`{also}"
)
_WRAPPED = (
    "holds a Kyverno policy that sets proxy variables, and inject-proxy changes no policy inside an object of this "
    "kind: run it over the policy itself, before the policy becomes part of this object"
)


def of_objects(
    overview: Overview, places: Sequence[PlannedEdit], wanted: ProxyConfig
) -> Iterator[Result]:
    """Yield a warning for each object that names a proxy, or should, in a place that no target writes."""
    of_object: dict[int, list[PlannedEdit]] = {id(obj.data): [] for obj, _ in overview.naming}
    written: set[int] = set()
    for place in places:
        one = id(place.obj.data)
        if one not in of_object:
            continue
        of_object[one].append(place)
        if one not in written and place.has_place:
            written.add(one)
    for obj, memberships in overview.naming:
        one = id(obj.data)
        if sops.is_encrypted(obj.data):
            continue  # nobody can say which proxy it sets
        if one in written:
            yield from _beside(obj, memberships, of_object[one], wanted, overview.uses)
        elif not _is_switched_off(obj, wanted):
            yield from _of_object(obj, memberships, wanted, overview.uses)


def of_nodes(
    overview: Overview,
    places: Sequence[PlannedEdit],
    wanted: ProxyConfig,
    stale: Collection[ObjectRef],
) -> Iterator[Result]:
    """Yield a warning for each Cluster whose nodes get no proxy; ``stale`` are objects that another line is about."""
    yield from _systems(overview.foreign, wanted, stale)
    yield from _without_class(overview, places, wanted)
    yield from _elsewhere(overview, wanted)


def _systems(
    found: Iterable[Foreign], wanted: ProxyConfig, stale: Collection[ObjectRef]
) -> Iterator[Result]:
    """Yield one warning for each Cluster and system.

    None if an object of the system has the proxy already, or is in ``stale``: another line names its field then.
    """
    first: dict[tuple[tuple[str, ...], str], Foreign] = {}
    done: set[tuple[tuple[str, ...], str]] = set()
    for one in found:
        memberships = (Membership(one.cluster),) if one.cluster else ()
        urls = _urls_of_nodes(one.system.targets, memberships, wanted, one.name)
        key = (_identity(one), one.system.name)
        if not urls or _has_writer(one.system, wanted):
            continue
        first.setdefault(key, one)
        if one.is_own and (one.obj.ref in stale or _holds_proxy(one.obj, urls)):
            done.add(key)
    for key, one in first.items():
        if key not in done:
            text = _ITS_SYSTEM if one.system.place else _NO_FIELD
            message = (_IMMUTABLE if one.system.waits else text).format(
                system=one.system.name,
                kind=one.kind,
                place=one.system.place,
                instead=one.system.instead,
                target=one.system.target,
            )
            is_listed = one.cluster is not None and one.cluster.is_listed
            yield Result(
                Severity.WARNING,
                message,
                one.cluster.ref if is_listed and one.cluster else one.obj.ref,
                code="NodeSystemUnsupported",
            )


def _has_writer(system: System, wanted: ProxyConfig) -> bool:
    """Return whether a target writes what there is of a system, says why it does not, or is switched off."""
    options = wanted.targets.get(system.target, {})
    return bool(system.target) and ("enabled" in options or not system.waits)


def _holds_proxy(obj: Object, urls: Sequence[str]) -> bool:
    """Return whether an object holds the proxy that it is to have, in a field or in any text."""
    if any(one.is_one_of(urls) for one in proxy_urls.in_object(obj)):
        return True
    return any(url in text for url in urls if url for _, text in _texts(obj.data))


def _identity(one: Foreign) -> tuple[str, ...]:
    cluster = one.cluster
    if cluster is None:
        return ("", one.obj.ref.namespace, one.obj.ref.name)
    return (cluster.namespace, cluster.name, cluster.ref.file_path)


def _without_class(
    overview: Overview, places: Sequence[PlannedEdit], wanted: ProxyConfig
) -> Iterator[Result]:
    """Yield a warning for each Cluster of an unknown class, unless a target writes into the Cluster itself."""
    if wanted.targets.get(OF_CLASSES, {}).get("sharedTemplates") == "Patch":
        return  # its target says so
    concerned = {obj.ref for obj, _, _ in overview.without_class}
    written = {
        place.obj.ref
        for place in places
        if place.obj.ref in concerned and place.target_id != OF_CLASSES and place.has_place
    }
    for obj, name, path in overview.without_class:
        urls = _urls_of_nodes(NODE_TARGETS, overview.memberships[obj.ref], wanted)
        if urls and obj.ref not in written:
            yield Result(
                Severity.WARNING, _NO_CLASS.format(name=name), obj.ref, path, code="ClassNotInList"
            )


def _elsewhere(overview: Overview, wanted: ProxyConfig) -> Iterator[Result]:
    """Yield a warning for each Cluster whose control plane, or a template of whose workers, is not in the list."""
    names: dict[ObjectRef, dict[str, None]] = {}
    for obj, key, memberships in overview.elsewhere:
        if not _urls_of_nodes(targets_of(*key[:2]), memberships, wanted, key[3]):
            continue
        listed = [one.cluster.ref for one in memberships if one.cluster.is_listed]
        ref = listed[0] if listed else obj.ref
        names.setdefault(ref, {})[f'{key[1]} "{key[3]}"'] = None
    for ref, found in names.items():
        shown = list(found)[:_SHOWN]
        if len(found) > _SHOWN:
            shown.append(f"{len(found) - _SHOWN} more")
        message = _ELSEWHERE.format(
            names=" and ".join(shown),
            are="are" if len(found) > 1 else "is",
            them="them" if len(found) > 1 else "it",
            they="they are" if len(found) > 1 else "it is",
        )
        yield Result(Severity.WARNING, message, ref, code="TemplateNotInList")


def _beside(
    obj: Object,
    memberships: tuple[Membership, ...],
    places: Sequence[PlannedEdit],
    wanted: ProxyConfig,
    uses: DataUses,
) -> Iterator[Result]:
    """Yield a warning for the first other proxy of a written object that no target reads, one for each object."""
    if obj.group_kind[0] in (*_KYVERNO_GROUPS, _OWN_GROUP):
        return
    right = {url for place in places for url in place.proxy_urls}
    read: list[Reading] | None = None
    for one in proxy_urls.in_object(obj):
        if one.value in right or not proxy_urls.is_set(one):
            continue
        if read is None:  # few objects come here
            urls = settings.declared_urls(wanted, memberships, target="", name=obj.base_name)
            if urls is None or _is_switched_off(obj, wanted):
                return
            right.update(urls)
            read = [reading for place in places for reading in place.readings_of_authors()]
        if not one.is_one_of(right) and not _is_read(one, read):
            yield _stale_beside(obj, one, wanted, uses, is_declared=any(right))
            return


def _is_read(one: proxy_urls.SetProxy, read: Sequence[Reading]) -> bool:
    """Return whether a target reads a proxy: where it is, or in the text that holds it beside others."""
    return any(
        one.path[: len(reading.path)] == reading.path and reading.value in (None, one.value)
        for reading in read
    )


def _stale_beside(
    obj: Object,
    one: proxy_urls.SetProxy,
    wanted: ProxyConfig,
    uses: DataUses,
    *,
    is_declared: bool,
) -> Result:
    """Return the warning about a proxy beside what targets write in an object."""
    message = _STALE_BESIDE if is_declared else _LEFT_BESIDE
    if _is_enabled("charts", wanted) and _could_be_of_chart(obj, one.path, wanted, uses):
        message = _CHART_NOT_CHOSEN if is_declared else _CHART_NOT_CHOSEN_LEFT
    text = message.format(name=one.name)
    return Result(Severity.WARNING, text, obj.ref, one.path, code="StaleProxy")


def _of_object(
    obj: Object, memberships: tuple[Membership, ...], wanted: ProxyConfig, uses: DataUses
) -> Iterator[Result]:
    urls = settings.declared_urls(wanted, memberships, target="", name=obj.base_name)
    if urls is None:
        return
    if obj.group_kind[0] in (*_KYVERNO_GROUPS, _OWN_GROUP):
        return
    if _holds_policy(obj.data, is_root=True):
        policies = TARGETS["kyvernoPolicies"]  # reports what it cannot read in objects of its kinds
        if _is_enabled(policies.id, wanted) and obj.group_kind not in policies.kinds:
            yield Result(Severity.WARNING, _WRAPPED, obj.ref, code="PolicyWrapped")
        return
    if _can_be_selected(obj, wanted) and _is_refused(obj, wanted):
        return
    charts = charts_in(obj, uses.chart_sources)
    has_chart = _is_enabled("charts", wanted) and any(True for _ in charts)
    if has_chart and is_refused(obj.data, ("spec",)):
        return
    right = [url for url in urls if url]
    found = list(proxy_urls.in_object(obj))
    for one in found:
        if proxy_urls.is_set(one) and not one.is_one_of(right):
            yield _stale(obj, one, wanted, uses, is_declared=bool(right))
            return
    if right and not any(one.value or one.is_elsewhere for one in found):
        yield from _without_value(obj, wanted, uses)


def _without_value(obj: Object, wanted: ProxyConfig, uses: DataUses) -> Iterator[Result]:
    """Yield a warning for each field of an object in which a proxy should be, and none is."""
    of_kind = field_of(*obj.group_kind)
    is_asked = of_kind is not None and _is_enabled("workloads", wanted)
    if of_kind is not None and is_asked and of_kind.is_needed and not _has_writer(of_kind, wanted):
        text = _NOT_ASKED if of_kind.target else _NO_VALUE
        message = text.format(system=of_kind.name, place=of_kind.place, target=of_kind.target)
        yield Result(Severity.WARNING, message, obj.ref, code="ProxyFieldEmpty")
    charts = charts_in(obj, uses.chart_sources)
    for row, path in charts if _is_enabled("charts", wanted) else ():
        if row.is_needed and not _has_values_elsewhere(obj, path):
            message = _NO_VALUE_OF_CHART.format(system=row.name, place=row.place)
            yield Result(Severity.WARNING, message, obj.ref, path, code="ProxyFieldEmpty")


def _has_values_elsewhere(obj: Object, path: Pointer) -> bool:
    """Return whether the values of a chart come from other objects or files, too."""
    return bool(lookup(obj.data, ("spec", "valuesFrom")) or lookup(obj.data, (*path, "valueFiles")))


def _stale(
    obj: Object,
    one: proxy_urls.SetProxy,
    wanted: ProxyConfig,
    uses: DataUses,
    *,
    is_declared: bool,
) -> Result:
    """Return the warning about a variable that no target writes, with the way to select the object if there is one."""
    if _can_be_selected(obj, wanted):
        conflict = wanted.targets.get("workloads", {}).get("conflict", "Unit")
        also = _OVERRIDE_TOO if conflict in ("Unit", "Keep") else ""
        message = (_NOT_SELECTED if is_declared else _NOT_SELECTED_LEFT).format(
            name=one.name, also=also
        )
        return Result(Severity.WARNING, message, obj.ref, one.path, code="WorkloadNotSelected")
    message = _STALE if is_declared else _LEFT
    if _is_enabled("charts", wanted) and _could_be_of_chart(obj, one.path, wanted, uses):
        message = _CHART_NOT_CHOSEN if is_declared else _left_in_chart(obj, wanted, uses)
    target = ""
    system = system_of(*obj.group_kind)
    of_kind = field_of(*obj.group_kind)
    if system is not None and system.waits:
        message = _STALE_IMMUTABLE if is_declared else _LEFT_IMMUTABLE
        target = system.target
    elif of_kind is not None and of_kind.waits:
        message = _STALE_NOT_ASKED if is_declared else _LEFT_NOT_ASKED
        target = of_kind.target
    message = message.format(name=one.name, target=target)
    return Result(Severity.WARNING, message, obj.ref, one.path, code="StaleProxy")


def _could_be_of_chart(obj: Object, path: Pointer, wanted: ProxyConfig, uses: DataUses) -> bool:
    """Return whether the target of charts would write a place if the chart were chosen and nothing kept."""
    charts = TARGETS["charts"]
    choice = {"charts": [{"kinds": ["*"]}], "conflict": "Override"}
    found = charts.read(obj.data, {**charts.options(wanted.targets), **choice}, uses)
    return any(path[: len(one.path)] == one.path for one in found)


def _left_in_chart(obj: Object, wanted: ProxyConfig, uses: DataUses) -> str:
    """Return what to say of a proxy that a removal leaves in the values of a chart."""
    if is_chosen(obj.data, TARGETS["charts"].options(wanted.targets), uses.chart_sources):
        return _KEPT_IN_CHART
    return _CHART_NOT_CHOSEN_LEFT


def _can_be_selected(obj: Object, wanted: ProxyConfig) -> bool:
    """Return whether the target of workloads could write an object."""
    return _is_enabled("workloads", wanted) and _edits("workloads", obj, wanted)


def _is_refused(obj: Object, wanted: ProxyConfig) -> bool:
    """Return whether an annotation of a workload says that it gets no proxy."""
    workloads = TARGETS["workloads"]
    return workloads.refuses(obj.data, workloads.options(wanted.targets))


def _holds_policy(data: Any, *, is_root: bool = False) -> bool:
    """Return whether a Kyverno policy with a proxy variable is inside ``data``, as an object or as a text."""
    for path, node in proxy_urls.nodes(data):
        if isinstance(node, str):
            names_policy = any(f"{group}/" in node for group in _KYVERNO_GROUPS) and "kind:" in node
            if names_policy and any(name in node for name in _URL_NAMES):
                return True
        elif isinstance(node, dict) and not (is_root and not path):
            version = node.get("apiVersion")
            is_policy = isinstance(version, str) and version.partition("/")[0] in _KYVERNO_GROUPS
            if is_policy and any(name in text for name in _URL_NAMES for _, text in _texts(node)):
                return True
    return False


def _texts(data: Any) -> Iterator[tuple[Pointer, str]]:
    for path, node in proxy_urls.nodes(data):
        if isinstance(node, str):
            yield path, node


def _urls_of_nodes(
    targets: Iterable[str],
    memberships: Sequence[Membership],
    wanted: ProxyConfig,
    name: str = "",
) -> list[str]:
    """Return the proxies that nodes are to have; none where the targets of their system are switched off.

    ``name`` is that of the object that makes them, "" where it is not known.
    """
    found: list[str] = []
    for target in targets:
        if _is_enabled(target, wanted):
            urls = settings.declared_urls(wanted, memberships, target=target, name=name) or ()
            found += [url for url in urls if url]
    return found


def _is_enabled(name: str, wanted: ProxyConfig) -> bool:
    return bool(wanted.targets.get(name, {}).get("enabled", True))


def _is_switched_off(obj: Object, wanted: ProxyConfig) -> bool:
    """Return whether a target that the user disabled writes the proxy of an object."""
    for name in TARGETS:
        if _is_enabled(name, wanted) or not _edits(name, obj, wanted):
            continue
        target = TARGETS[name]
        if any(True for _ in target.read(obj.data, target.options(wanted.targets))):
            return True
    return False


def _edits(name: str, obj: Object, wanted: ProxyConfig) -> bool:
    """Return whether a target edits objects of this kind; it is imported only where the table does not deny it."""
    has_kinds_of_options = "customKinds" in wanted.targets.get(name, {})
    if not has_kinds_of_options and name not in of_kinds(frozenset({obj.ref.kind})):
        return False
    target = TARGETS[name]
    return obj.group_kind in target.all_kinds(target.options(wanted.targets))
