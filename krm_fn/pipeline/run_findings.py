"""What a run reports about its comparison: values that are wrong, places that differ, and what nobody writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn import placeholders
from krm_fn.config import Mode, ProxyConfig
from krm_fn.formats import sops
from krm_fn.krm.results import ObjectRef, Result, count
from krm_fn.lint.judge_places import judge_config, judge_places
from krm_fn.lint.judge_values import Reader
from krm_fn.noproxy import Style
from krm_fn.noproxy.policy import SERVICE_ADDRESSES
from krm_fn.patch import lookup
from krm_fn.pipeline.nodes_without import nodes_without_proxy
from krm_fn.places.place import same_value
from krm_fn.plan import Overview
from krm_fn.plan.record import ObjectRecord, TargetRecord, edited_targets, is_change
from krm_fn.products.distributions import PRODUCTS
from krm_fn.products.node_kinds import KUBEADM, OF_CLASSES
from krm_fn.products.release_kinds import APPLICATION
from krm_fn.target_table import SYSTEMS
from krm_fn.targets import Reach, Writes

_SECRET = ("", "Secret")


def review(
    records: Sequence[ObjectRecord],
    overview: Overview,
    config: ProxyConfig,
    config_ref: ObjectRef,
) -> Iterator[Result]:
    """Yield what there is to say after a run, besides what its targets said.

    Args:
        records: the objects, each with what its targets did.
        overview: what the plan has seen besides them.
        config: the checked ProxyConfig.
        config_ref: its identity.
    """
    targets = [*edited_targets(records)]
    is_removal = config.mode is Mode.REMOVE
    without: list[Result] = []
    if not is_removal and overview.other_nodes:
        by_ref = {record.obj.ref: record for record in records}
        without += nodes_without_proxy(overview.other_nodes, by_ref, config)
    # A target that is asked about an object, and has no place in it, leaves an empty record.
    has_place = any(target_record.after or target_record.results for target_record in targets)
    if not is_removal and (has_place or without or any(record.findings for record in records)):
        yield from judge_config(config, config_ref)
    for record in records:
        yield from record.findings
    yield from without
    for target_record in targets:
        if variables := target_record.variables:
            yield from map(target_record.result, _about_place(target_record, variables))
    yield from _exposed_passwords(targets, config)
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
    )


def _about_place(target_record: TargetRecord, wanted: Mapping[str, str]) -> Iterator[Result]:
    """Yield what is wrong with what others wrote there, and a warning where it still differs and nobody said so."""
    yield from _encoded_placeholder(target_record, wanted)
    is_whole_system = target_record.target_id in SYSTEMS
    keeps = is_whole_system and target_record.options.get("conflict") == "Keep"
    ours = set()
    for reading in target_record.after:
        if reading.value == wanted.get(reading.variable):
            ours.add(reading.file)
    judged = target_record.after
    if ours:  # the target reports another file, which it cannot remove
        files = {*ours, ""}
        judged = tuple(reading for reading in judged if reading.file in files)
    for result in judge_places(judged, reader_of(target_record), wanted):
        # With `Keep` the user wants what is there, as far as it reaches its reader.
        if not keeps or result.code in ("ValueLost", "UrlInvalid"):
            yield result
    if keeps or not all(is_change(result) for result in target_record.results):
        return
    for reading in target_record.after:
        value = wanted.get(reading.variable, "")
        if reading.text and not same_value(reading.variable, reading.text, value):
            message = (
                f"`{reading.variable}` of {reading.place} has another value than this ProxyConfig says: "
                "change it yourself"
            )
            yield Result.of("OtherProxy", message, reading.path)
            return


def _encoded_placeholder(
    target_record: TargetRecord, wanted: Mapping[str, str]
) -> Iterator[Result]:
    """Yield a warning for a placeholder in an encoded text, where no later step finds it."""
    for reading in target_record.after:
        value = reading.value or ""
        if not placeholders.is_in(value) or value != wanted.get(reading.variable):
            continue
        stored = lookup(target_record.obj.data, reading.path)
        if isinstance(stored, str) and not placeholders.is_in(stored):
            message = (
                f"`{reading.variable}` holds a placeholder in an encoded text, where clusterctl and Flux do not "
                "fill it in: write the value itself into the ProxyConfig"
            )
            yield Result.of("ByHand", message, reading.path)
            return


# what no place of an object can hold


def unreached(records: Iterable[ObjectRecord]) -> Iterator[Result]:
    """Yield a warning for each object that cannot hold what an override says, or that claims a foreign Cluster."""
    for record in records:
        for target_record in record.targets:
            findings = list(_unreached(target_record))
            if not findings or sops.is_encrypted(record.obj.data):
                continue
            if target_record.has_place:
                yield from map(target_record.result, findings)


def _unreached(target_record: TargetRecord) -> Iterator[Result]:
    overrides = target_record.resolved.unreachable_overrides
    if (
        overrides
        and not target_record.class_context
        and target_record.target.reach is not Reach.OBJECT
    ):
        named = " and ".join(f"`{override}`" for override in overrides)
        message = (
            f"this place holds one proxy for all nodes of the cluster, so {named} cannot reach it: declare its proxy "
            "in `spec`, or in an override without `roles` and `workerGroups`"
        )
        yield Result.of("OverrideNotReached", message)
    claims = target_record.resolved.withheld
    if claims:
        names = dict.fromkeys(f"`{claim.cluster.full_name}`" for claim in claims)
        message = (
            f"gets no proxy: only {claims[0].how} says that it belongs to {' and '.join(names)}, but it is in "
            f'namespace "{claims[0].claimed_from}". If you trust who writes there, add the namespace to '
            "`spec.trustedNamespaces`"
        )
        yield Result.of("OtherNamespace", message)


# the list of objects as a whole


def _exposed_passwords(targets: Iterable[TargetRecord], config: ProxyConfig) -> Iterator[Result]:
    """Yield a warning for each object but a Secret into which a password is written that comes from a Secret."""
    exposed: set[ObjectRef] = set()
    for target_record in targets:
        ref = target_record.obj.ref
        if target_record.obj.group_kind == _SECRET:
            continue
        for reading in target_record.after:
            if reading.value in config.secret_urls and ref not in exposed:
                exposed.add(ref)
                message = (
                    f"this {ref.kind} holds the password of the proxy in clear text, which `spec.from` takes from a "
                    f"Secret; {_how_to_hide(target_record)}"
                )
                yield target_record.result(Result.of("PasswordExposed", message, reading.path))


def _how_to_hide(target_record: TargetRecord) -> str:
    """Return what keeps a password of the proxy in a Secret."""
    is_class = target_record.target_id == OF_CLASSES and target_record.obj.group_kind != APPLICATION
    if target_record.target_id in KUBEADM.targets or is_class:
        return (
            "set `content: Secret` for the targets `nodes.containerd` and `nodes.kubelet`, and `exports: false` for "
            "`nodes.commands`"
        )
    return (
        "let a Secret hold it, such as one that `valuesFrom` of a chart names, or give the target "
        f"`{target_record.target_id}` a proxy without a password, in an entry of `spec.overrides`"
    )


def _service_addresses(targets: Iterable[TargetRecord]) -> Iterator[Result]:
    """Yield a warning for each service CIDR that is a placeholder: a list lacks its first address."""
    for target_record in targets:
        policy = target_record.resolved.policy
        if policy.style is not Style.PORTABLE or not policy.derives(SERVICE_ADDRESSES):
            continue
        has_list = any(
            reading.is_list and reading.value is not None for reading in target_record.after
        )
        if not (has_list and target_record.variables):
            continue
        for membership in target_record.memberships:
            for fact in membership.cluster.network.service_cidrs:
                if placeholders.is_in(fact.value):
                    message = (
                        "the service CIDR is a placeholder, so `NO_PROXY` lacks its first address, the API server's, "
                        "which programs that read no CIDRs need: add it to `spec.noProxy`; "
                        f"`spec.noProxyPolicy.without: [{SERVICE_ADDRESSES}]` switches this warning off"
                    )
                    yield Result.of("FactsUnknown", message, fact.path).about(fact.ref)


def _about_list(overview: Overview, config: ProxyConfig, config_ref: ObjectRef) -> Iterator[Result]:
    """Yield what is wrong with the list of objects: nothing is selected, two Clusters of one name, unreadable texts."""
    if overview.candidates and not overview.selected:
        message = (
            "`spec.selector.include` fits nothing of this list that could hold a proxy "
            f"({count(overview.candidates, 'object')}), so inject-proxy changes nothing: correct it, or remove it"
        )
        yield Result.of("SettingUnused", message).about(config_ref)
    if config.mode is not Mode.REMOVE:
        for obj in overview.not_generated:
            message = (
                f'`spec.selector.include` does not fit the {obj.ref.kind} "{obj.ref.name}", so `generate` '
                "has no effect"
            )
            yield Result.of("SettingUnused", message).about(config_ref)
    for error in overview.unreadable:
        ref = ObjectRef(file_path=error.file, file_index=error.number)
        message = f"skipped: {error.problem}; correct it, or leave the file out"
        yield Result.of("TextUnreadable", message).about(ref)
