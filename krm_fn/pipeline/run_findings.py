"""The findings of a run about its records: wrong values, places that differ, and nodes that get no proxy."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import relpath

from krm_fn import placeholders
from krm_fn.clusters import may_be_same
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.formats import left_alone
from krm_fn.krm.resourcelist import new_file_name
from krm_fn.krm.results import ObjectRef, Result, Results, count
from krm_fn.lint.judge_places import judge_config, judge_places
from krm_fn.lint.judge_values import Reader
from krm_fn.noproxy import Style
from krm_fn.noproxy.policy import SERVICE_ADDRESSES
from krm_fn.patch import lookup
from krm_fn.places.place import LACKS_TEXT, same_value
from krm_fn.plan.record import ObjectRecord, OtherNodes, Overview, TargetRecord, edited_targets
from krm_fn.products.distributions import PRODUCTS
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.products.node_kinds import TARGETS as NODE_TARGETS
from krm_fn.products.systems import targets_of
from krm_fn.settings import declared_urls
from krm_fn.settings.proxy_settings import names_of_clusters
from krm_fn.target_table import SYSTEMS
from krm_fn.targets import Reach, Writes

_SECRET = ("", "Secret")


def review(
    overview: Overview,
    config: ProxyConfig,
    config_ref: ObjectRef,
) -> Results:
    """Yield the findings after a run, besides those of its targets.

    Args:
        overview: the records, each with the results of its targets, and the facts that the plan found besides.
        config: the checked ProxyConfig.
        config_ref: its identity.
    """
    records = overview.records
    yield from _unreached_objects(records)
    targets = [*edited_targets(records)]
    is_removal = config.is_removal
    without = [] if is_removal else [*_nodes_without_proxy(overview, config)]
    # A target that is asked about an object, and has no place in it, leaves an empty record.
    has_place = any(target_record.after or target_record.results for target_record in targets)
    if not is_removal and (has_place or without or any(record.findings for record in records)):
        yield from judge_config(config, config_ref)
    for record in records:
        yield from record.findings
    yield from without
    for target_record in targets:
        if target_record.variables:
            yield from map(target_record.result, _about_place(target_record))
    yield from _service_addresses(targets)
    yield from _about_list(overview, config, config_ref)


# one place


def reader_of(target_record: TargetRecord) -> Reader:
    """Return who reads the values of a place."""
    product = PRODUCTS.get(target_record.target_id)
    return Reader(
        target_record.audience,
        target_record.resolved.networks,
        in_secret=target_record.obj.group_kind == _SECRET,
        names_are_given=target_record.target.writes is Writes.VALUES,
        takes_host_and_port=product is not None and product.takes_host_and_port,
        is_service_in_go=target_record.target.is_service_in_go,
    )


def _about_place(target_record: TargetRecord) -> Results:
    """Yield the faults of values that others wrote there, and a warning where it still differs and nobody said so."""
    yield from _encoded_placeholder(target_record)
    variables = target_record.variables
    is_whole_system = target_record.target_id in SYSTEMS
    keeps = is_whole_system and target_record.context.options.get("conflict") == "Keep"
    judged = target_record.after
    ours = [reading for reading in judged if reading.value == variables.get(reading.variable)]
    if ours:  # the target reports another file, which it cannot remove
        files = {"", *(reading.file for reading in ours)}
        judged = [reading for reading in judged if reading.file in files]
    for result in judge_places(judged, reader_of(target_record), variables):
        # `inject-proxy lint` says it of every file, a run of those that it writes.
        if result.code == "FilePermissions" and not target_record.is_changed:
            continue
        # With `Keep` the user wants what is there, as far as it reaches its reader.
        if not keeps or result.code in ("ValueLost", "UrlInvalid"):
            yield result
    if keeps or not all(result.reports_edit for result in target_record.results):
        return
    settings = target_record.resolved.settings
    texts = (settings.in_text or settings).variables
    for reading in target_record.after:
        value = variables.get(reading.variable, "")
        if reading.value == texts.get(reading.variable):
            continue
        if reading.text and not same_value(reading.variable, reading.text, value):
            yield Result(
                "OtherProxy",
                f"`{reading.variable}` of {reading.place} has another value than this ProxyConfig says: "
                "change it yourself",
                reading.path,
            )
            return


def _encoded_placeholder(target_record: TargetRecord) -> Results:
    """Yield a warning for a placeholder in an encoded text, where no later step finds it."""
    ours = target_record.variables
    for reading in target_record.after:
        value = reading.value or ""
        if value != ours.get(reading.variable) or not placeholders.is_in(value):
            continue
        stored = lookup(target_record.obj.data, reading.path)
        if isinstance(stored, str) and not placeholders.is_in(stored):
            yield Result(
                "ByHand",
                f"`{reading.variable}` holds a placeholder in an encoded text, where clusterctl and Flux do not "
                "fill it in: write the value itself into the ProxyConfig",
                reading.path,
            )
            return


# what no place of an object can hold


def _unreached_objects(records: Iterable[ObjectRecord]) -> Results:
    """Yield a warning for each object that cannot hold the proxy of an override, or that claims a foreign Cluster."""
    for record in records:
        for target_record in record.targets:
            findings = list(_unreached(target_record))
            if not findings or left_alone.is_encrypted(record.obj.data):
                continue
            if target_record.has_place:
                yield from map(target_record.result, findings)


def _unreached(target_record: TargetRecord) -> Results:
    overrides = target_record.resolved.unreachable_overrides
    if (
        overrides
        and not target_record.class_context
        and target_record.target.reach is not Reach.OBJECT
    ):
        named = " and ".join(f"`{override}`" for override in overrides)
        yield Result(
            "OverrideNotReached",
            f"this place holds one proxy for all nodes of the cluster, so {named} cannot reach it: declare its proxy "
            "in `spec`, or in an override without `roles` and `workerGroups`",
        )
    if target_record.resolved.lacks_text:
        yield Result("ByHand", LACKS_TEXT)
    claims = target_record.resolved.withheld
    if claims:
        yield Result(
            "OtherNamespace",
            f"gets no proxy: only {claims[0].how} says that it belongs to {' and '.join(names_of_clusters(claims))}, "
            f'but it is in namespace "{claims[0].claimed_from}". If you trust who writes there, add the namespace to '
            "`spec.trustedNamespaces`",
        )


# the list of objects as a whole


def _service_addresses(targets: Iterable[TargetRecord]) -> Results:
    """Yield an information for each service CIDR that a later step fills in: a list lacks its first address."""
    for target_record in targets:
        policy = target_record.resolved.policy
        if policy.style is not Style.PORTABLE or not policy.derives(SERVICE_ADDRESSES):
            continue
        if not (target_record.has_list and target_record.variables):
            continue
        for membership in target_record.memberships:
            for fact in membership.cluster.network.service_cidrs:
                if placeholders.is_in(fact.value):
                    message = (
                        "the service CIDR is a placeholder, so `NO_PROXY` lacks its first address, the API server's, "
                        "which programs that read no CIDRs need: add it to `spec.noProxy`; "
                        f"`spec.noProxyPolicy.without: [{SERVICE_ADDRESSES}]` switches this message off"
                    )
                    yield Result("FactsUnknown", message, fact.path, is_info=True, ref=fact.ref)


def _about_list(overview: Overview, config: ProxyConfig, config_ref: ObjectRef) -> Results:
    """Yield the faults of the list of objects: nothing is selected, two Clusters of one name, unreadable texts."""
    if overview.candidates and not overview.selected:
        message = (
            "`spec.selector.include` fits nothing of this list that could hold a proxy "
            f"({count(overview.candidates, 'object')}), so inject-proxy changes nothing: correct it, or remove it"
        )
        yield Result("SettingUnused", message, ref=config_ref)
    if not config.is_removal:
        for obj in overview.not_generated:
            message = (
                f'`spec.selector.include` does not fit the {obj.ref.kind} "{obj.ref.name}", so `generate` '
                "has no effect"
            )
            yield Result("SettingUnused", message, ref=config_ref)
    for need, obj in overview.not_built.items():
        message = (
            f'objects in "{relpath(need.file)}" read the {obj.ref.kind} "{need.name}", which is not there: write it '
            f"into a file of that folder, and add `- {new_file_name(obj.data)}` to `resources` of a kustomization"
        )
        code = "SecretMissing" if obj.ref.kind == "Secret" else "CertificatesNotSet"
        yield Result(code, message, ref=obj.ref)
    for error in overview.unreadable.values():
        ref = ObjectRef(file_path=error.file, file_index=error.number)
        message = f"skipped: {error.problem}; correct it, or leave the file out"
        yield Result("TextUnreadable", message, ref=ref)


def _nodes_without_proxy(overview: Overview, config: ProxyConfig) -> Results:
    """Yield a warning for the nodes that get no proxy, each system of a Cluster once."""
    other_nodes = overview.other_nodes
    if not other_nodes:
        return
    records = {record.obj.ref: record for record in overview.records}
    reported = set()
    for nodes in other_nodes:
        record = records.get(nodes.obj.ref)
        if nodes.system and nodes.is_own and record and record.holds_proxy:
            for ref, _ in _owners(nodes):
                reported.add((ref, nodes.system.name))
    for nodes in sorted(other_nodes, key=lambda nodes: nodes.system is None):
        record = records.get(nodes.obj.ref)
        is_written = record is not None and _is_written(record)
        why = why_without(nodes, config, is_written=is_written)
        if not why:
            continue
        for ref, memberships in _owners(nodes):
            key = (ref, nodes.system.name if nodes.system else why)
            if key not in reported and _gets_any(nodes, memberships, config):
                reported.add(key)
                yield Result("NodesWithoutProxy", why, ref=ref)


def why_without(nodes: OtherNodes, config: ProxyConfig, *, is_written: bool) -> str:
    """Return why no target writes the proxy of some nodes, with advice; "" where one does.

    ``is_written``: a target writes the proxy into the Cluster itself.
    """
    key = nodes.key
    system = nodes.system
    options = config.targets
    is_done = False
    if system and system.target:
        is_done = bool(options.given_for(system.target)) or not system.waits
    if system and not is_done:
        advice = f"it has no field for a proxy: {system.instead}"
        if system.waits:
            advice = f"set `spec.targets.{system.target}` to true before the cluster is created"
        elif system.place:
            advice = f"no target writes it: set the proxy yourself, in {system.place}"
        return f"its nodes run {system.name} ({key.kind}): {advice}"
    is_patched = is_written or options.given_for(OF_CLASSES) == "Patch"
    if not nodes.is_missing or (key.kind == "ClusterClass" and is_patched):
        return ""
    return (
        f'its {key.kind} "{key.name}" is not in the list: add it, or run this function where it is'
    )


def _is_written(record: ObjectRecord) -> bool:
    """Return whether a target writes into an object, other than by a class."""
    return any(
        target_record.after and target_record.is_asked and target_record.target_id != OF_CLASSES
        for target_record in record.targets
    )


def _owners(nodes: OtherNodes) -> list[tuple[ObjectRef, Memberships]]:
    """Return the objects that results about nodes name: their Clusters in the list, else the object with the nodes."""
    ref = nodes.obj.ref
    if nodes.key.kind == "ClusterClass" or not nodes.memberships:
        return [(ref, nodes.memberships)]
    owners: list[tuple[ObjectRef, Memberships]] = []
    for membership in nodes.memberships:
        cluster = membership.cluster
        # Of another namespace it is the only Cluster, or one of the same name.
        is_near = cluster.is_listed and may_be_same(ref.namespace, cluster.namespace)
        owners.append((cluster.ref if is_near else ref, [membership]))
    return owners


def _gets_any(nodes: OtherNodes, memberships: Memberships, config: ProxyConfig) -> bool:
    """Return whether nodes are to have a proxy; not where the targets of their system are switched off."""
    key = nodes.key
    targets = targets_of(key.group, key.kind)
    name = key.name
    if key.kind == "ClusterClass":
        targets = NODE_TARGETS
        name = ""
    elif nodes.system:
        targets = nodes.system.targets
    for target in targets:
        if config.targets.is_on(target):
            urls = declared_urls(config, memberships, target_id=target, name=name)
            if any(urls or ()):
                return True
    return False
