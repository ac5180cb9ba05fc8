"""Which targets edit which objects of a list, and the proxy that each object gets.

It brings objects, targets, Clusters and settings together. An item that concerns no target and no
Cluster is never read, and none is read twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn import clusters
from krm_fn.clusters import ObjectIndex, Topology
from krm_fn.config import ProxyConfig
from krm_fn.formats import left_alone
from krm_fn.krm.resourcelist import Object, ObjectSource
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.plan.items import (
    ItemReader,
    ItemTargets,
    add_whole,
    fits,
    is_edited,
    is_selected,
    items_of_kinds,
    targets_of_items,
)
from krm_fn.plan.kustomizations import Builds
from krm_fn.plan.record import ObjectRecord, Overview
from krm_fn.plan.subjects import (
    add_target,
    by_groups,
    companions,
    generated,
    identity,
    lacking,
    resolved_for,
)
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.products.proxy_keys import PROXY_NAMES, encoded_names
from krm_fn.products.systems import field_kinds, system_kinds
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.target_table import ROWS
from krm_fn.targets import TemplateRules, class_plans, load_target

if TYPE_CHECKING:
    from krm_fn.targets.base import Target

_NO_TARGETS = ItemTargets([], [])


def plan_records(source: ObjectSource, config: ProxyConfig) -> Overview:
    """Return a record for each object that a target looks at or that names a proxy, and the facts found besides.

    All targets of an object share its data: each sees the changes of those before it.

    Args:
        source: the objects.
        config: the checked FunctionConfig.

    Raises:
        InputError: an item of a ResourceList that concerns a target or a Cluster cannot be read.
    """
    overview = Overview(config)
    reader = ItemReader(source)
    occurring = (kind for kinds in source.by_kinds for kind in kinds)
    read = reader.of_kinds(clusters.kinds(occurring), is_needed=True)
    read += reader.of_kinds(system_kinds())
    topology = Topology(read)
    classes = class_plans(read, lambda obj: is_selected(obj, config), topology, config)
    folders = topology.folders()
    by_themselves = targets_of_items(source, config, ())
    if _may_read_data(source):
        from krm_fn.plan.references import data_uses  # noqa: PLC0415 -- many lists hold none of these words

        overview.uses = data_uses(reader, config, folders, by_themselves)
    uses = overview.uses
    overview.take(read, topology)
    del read  # so that memory is freed as items are taken
    targets_of = by_themselves
    if uses.listed:
        names = {key.name: None for key in uses.listed}
        targets_of = targets_of_items(source, config, tuple(names))
    patched: set[int] = set()
    if config.targets.is_on(OF_CLASSES):
        patched.update(items_of_kinds(source, classes.kinds, classes.words))
    naming = _naming_a_proxy(source)
    known: ObjectIndex[None] = ObjectIndex(folders=folders)
    new_objects: list[ObjectRecord] = []
    named = config.trusted_ca.config_map
    certificates = items_of_kinds(source, ["ConfigMap"], named[1:2]) if named else ()
    for index in sorted({*targets_of, *patched, *naming, *certificates}):
        targets, creators = targets_of.get(index, _NO_TARGETS)
        is_needed = index in targets_of or index in patched
        has_code = left_alone.has_code(source.text_for_ytt(index))
        for obj in reader.take(index, is_needed=is_needed):
            known.add(identity(obj), None)
            if index in by_themselves:
                add_whole(folders, obj)
            _count(overview, obj, targets, config)
            record = ObjectRecord(index, obj, topology.of(obj))
            # What says the proxy of this run does not have it.
            record.names_proxy = index in naming and not config.selector.reads(obj.subject)
            # A removal names what it leaves in an object that is left out.
            record.is_left_out = not is_selected(obj, config)
            if is_needed and not record.is_left_out:
                rules = classes.rules_for(obj)
                record.is_whole = topology.is_whole(obj) and not rules.is_awaited
                if not record.memberships:
                    record.standalone = topology.standalone_cluster(obj)
                if uses.listed or uses.chart_sources.listed:
                    record.uses = uses.seen_from(obj.ref.file_path)
                record.has_code = has_code
                seen = config.seen_from(obj.ref.file_path)
                _add_targets(record, targets, seen, topology, rules)
                edit = classes.edit_for(obj) if index in patched else None
                if edit:
                    add_target(record, load_target(OF_CLASSES), edit, seen)
                new_objects += companions(record, creators, seen)
            if record.targets or (record.names_proxy and not obj.is_local):
                overview.records.append(record)
    new_objects += generated(topology, config)
    overview.records += lacking(new_objects, known, folders, Builds(source), overview)
    overview.unreadable = reader.unreadable
    overview.kinds = reader.kinds
    return overview


def _may_read_data(source: ObjectSource) -> bool:
    """Return whether an object may refer to a ConfigMap or a Secret, or to the source of a chart."""
    words: set[str] = set()
    for row in ROWS.values():
        words.update(row.reference_words)
    return bool(items_of_kinds(source, ["HelmRelease"]) or source.holding(tuple(words)))


def _naming_a_proxy(source: ObjectSource) -> set[int]:
    """Return the items that may set a proxy in whatever place, judged by their text."""
    # Few texts hold one of these letters, so the many words are looked for in few of them.
    possible = source.holding(("rox", "ROX", "curl"))
    naming = {*source.holding(PROXY_NAMES, possible)}
    naming.update(items_of_kinds(source, field_kinds()))
    encoded = {*items_of_kinds(source, ("Secret",)), *source.holding(("b64", "ase64"))}
    # Descriptions there say base64, and the many words would be looked for in long texts.
    encoded.difference_update(items_of_kinds(source, ("CustomResourceDefinition",)))
    if encoded:
        naming.update(source.holding(tuple(encoded_names()), sorted(encoded)))
    return naming


def _count(overview: Overview, obj: Object, targets: Sequence[Target], config: ProxyConfig) -> None:
    """Count an object that could hold a proxy; objects in ``exclude`` count as selected: that is intended."""
    if obj.is_local:
        return
    if any(is_edited(target, obj, config) for target in targets):
        overview.candidates += 1
        overview.selected += fits(obj, config.selector._replace(exclude=(), sources=()))


def _add_targets(
    record: ObjectRecord,
    targets: Sequence[Target],
    config: ProxyConfig,
    topology: Topology,
    rules: TemplateRules,
) -> None:
    """Add the targets of an object to its record, in the order of the table of targets."""
    known: dict[tuple[object, ...], Resolved] = {}
    for target in targets:
        if target.id in rules.kept or not is_edited(target, record.obj, config):
            continue
        resolved = resolved_for(record, target, config, known)
        notes = rules.notes.get(target.id, ()) if resolved.settings.sets_any else ()
        if target.id in rules.emptied:
            blank = ProxySettings(cluster=resolved.settings.cluster, is_declared=resolved.declared)
            resolved = Resolved(blank)  # the class holds what the template must not
        object_proxy = by_groups(record, target, resolved, config, topology)
        add_target(record, target, object_proxy, config, notes)
