"""The objects that a run creates: beside others, and because an option asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.clusters import Folders, Key, ObjectIndex, Topology, key_of
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import NO_ITEM, Object, reference
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.plan.model import Overview
from krm_fn.plan.record import ObjectRecord, TargetRecord
from krm_fn.plan.selection import fits, is_enabled, is_selected
from krm_fn.plan.subjects import Subject, resolved_for
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


def companions(
    subject: Subject, creators: Sequence[Target], config: ProxyConfig
) -> Iterator[TargetRecord]:
    """Yield the objects to create beside an object, of the same Clusters and with the same proxy."""
    obj = subject.obj
    beside = Subject(subject.item_index, obj, subject.memberships)
    for target in creators:
        if obj.group_kind not in ROWS[target.id].beside:
            continue
        options = target.options(config.targets)
        proxy = resolved_for(beside, target, config).settings
        for data in target.companions(obj.data, proxy, options):
            created = beside._replace(obj=_new_object(data, obj.ref.file_path))
            # An override may name the one or the other: the next run finds what is created in the list.
            resolved = resolved_for(created, target, config)
            yield created.record_for(target, resolved, config)._replace(is_new=True)


def generated(topology: Topology, config: ProxyConfig) -> Iterator[TargetRecord]:
    """Yield the objects that the options of a target ask for, whatever is in the list."""
    for name in ROWS:  # a target without options can ask for none, so it is not imported
        if not (is_enabled(name, config) and config.targets.names(name)):
            continue
        target = TARGETS[name]
        for data in target.generated(target.options(config.targets)):
            created = _new_object(data)
            subject = Subject(NO_ITEM, created, topology.of(created))
            resolved = resolved_for(subject, target, config)
            yield subject.record_for(target, resolved, config)._replace(is_new=True)


def lacking(
    created: Sequence[TargetRecord],
    known: ObjectIndex[None],
    folders: Folders,
    config: ProxyConfig,
    overview: Overview,
) -> Iterator[ObjectRecord]:
    """Yield the records of the new objects that the list lacks and the selector includes, each once for a cluster.

    One that is created for a folder without Clusters is not there for a folder with some, nor the other way round: a
    run over one of the two alone creates it.
    """
    new: dict[str | None, ObjectIndex[None]] = {}
    for target_record in created:
        obj = target_record.obj
        key = identity(obj)
        beside = new.setdefault(folders.cluster_folder(key.file), ObjectIndex(folders=folders))
        if known.candidates(key) or beside.candidates(key):
            continue
        if is_selected(obj, config):
            beside.add(key, None)
            index, memberships = target_record.item_index, target_record.memberships
            yield ObjectRecord(index, obj, memberships, [target_record])
            continue
        is_excluded = fits(obj, config.selector._replace(exclude=()))
        if target_record.item_index == NO_ITEM and target_record.is_asked and not is_excluded:
            overview.not_generated.append(obj)


def identity(obj: Object) -> Key:
    """Return the key of an object, without the hash that a run added to its name."""
    return key_of(obj)._replace(name=obj.base_name)


def _new_object(data: dict[str, object], file: str = "") -> Object:
    """Return a new object, which belongs into a file; "" for any."""
    return Object((), data, reference(data)._replace(file_path=file))
