"""Names of templates, which Cluster API rolls nodes by.

Sources: Cluster API book, "Updating Machine Infrastructure and Bootstrap Templates", "Changing a ClusterClass";
``controlplane/kubeadm/webhooks/kubeadm_control_plane_template.go``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from krm_fn.clusters import Folders, Key, ObjectIndex, key_of, nearest, references
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import ObjectSource
from krm_fn.krm.results import Result
from krm_fn.plan.items import items_of_kinds
from krm_fn.plan.kustomizations import Builds
from krm_fn.plan.record import ObjectRecord, TargetRecord
from krm_fn.plan.rollout.naming import (
    Rename,
    RolloutNote,
    User,
    UserIndex,
    advice,
    find_users,
    not_rolled,
    plan_rename,
    records_of_items,
    renamed,
)
from krm_fn.products import distributions
from krm_fn.products.node_kinds import NODE_KINDS

# The kinds of templates -> whether the API server takes no other content for them.
_FROZEN = {
    **{key: kind.is_control_plane for key, kind in NODE_KINDS.items() if kind.is_template},
    **dict.fromkeys(distributions.TEMPLATES, False),
}
# Kinds that refer to templates and take no other content; a ClusterClass carries it on.
_MACHINES = {"MachineDeployment", "MachineSet", "MachinePool"}


def template_names(
    source: ObjectSource,
    records: Sequence[TargetRecord],
    config: ProxyConfig,
    changed: Collection[ObjectRecord],
) -> Iterator[RolloutNote]:
    """Yield new names of templates and the references that follow, and which nodes are not rolled.

    Args:
        source: the list before the run.
        records: those of all targets, after injection.
        config: the checked FunctionConfig.
        changed: those of the objects whose data has changed.
    """
    concerned = []
    names: dict[Key, str] = {}
    for record, group in groupby(records, key=lambda target_record: target_record.record):
        of_object = list(group)
        obj = record.obj
        if obj.group_kind not in _FROZEN or not obj.ref.name:
            continue
        content = [obj.data.get("spec")]
        template = plan_rename(of_object, content, config, "template")
        # Of two objects with one identity the first decides about both names.
        name = names.setdefault(key_of(obj), template.name)
        template = template._replace(name=name)
        if record in changed or not template.keeps_name:
            concerned.append(template)
    if not concerned:
        return
    users = _users(source, records)
    folders = Folders(known.key for record in records for known in record.memberships)
    patches = _patches(users, folders)
    builds = Builds(source)
    for template in concerned:
        key = key_of(template.obj)
        its_users = users.get(key, [])
        if template.keeps_name:
            yield from _not_rolled(template, its_users, config)
            continue
        rival = _rival(key, names, its_users, users) or patches.get(key)
        yield from renamed(template, its_users, builds, rival)


def _patches(users: UserIndex, folders: Folders) -> dict[Key, Key]:
    """Return the templates of which the list holds a patch, one of the same name that no object refers to, and this.

    A patch belongs to the Clusters of its template, which it would not know by another name.
    """
    used: ObjectIndex[None] = ObjectIndex(folders=folders)
    for key, its_users in users.items():
        if its_users:
            used.add(key, None)
    patches = {}
    for key, its_users in users.items():
        if its_users:
            continue
        for template in used.candidates(key):
            if template.namespace == key.namespace:
                patches[template] = key
    return patches


def _rival(
    key: Key,
    names: dict[Key, str],
    users: list[User],
    templates: UserIndex,
) -> Key | None:
    """Return another template that a reference to this one means, too, or would mean by the new name.

    Each folder may hold a template of one name, as before: who refers to it means the nearest one.

    Args:
        key: the template.
        names: template -> the name that it is to have.
        users: the objects that refer to the template.
        templates: all templates.
    """
    renamed_key = key._replace(name=names[key])
    files = [key.file]
    files += [user.record.obj.ref.file_path for user in users]
    for file in dict.fromkeys(files):
        for template in templates.candidates(key._replace(file=file)):
            if names.get(template, template.name) != names[key]:
                return template
        for template in templates.candidates(renamed_key._replace(file=file)):
            is_near = template in nearest([renamed_key, template], file)
            if is_near and template.namespace == key.namespace:
                return template
    return None


def _users(source: ObjectSource, records: Sequence[TargetRecord]) -> UserIndex:
    """Return the templates of the list, and who refers to each; objects that have an edit are not read again."""
    templates = []
    users = []
    indexes = items_of_kinds(source, {kind for _, kind in _FROZEN})
    for record in records_of_items(source, indexes, records):
        obj = record.obj
        if obj.group_kind in _FROZEN:
            templates.append(key_of(obj))
        if obj.is_local:
            continue
        for template, path in references(obj):
            users.append(User(record, (*path, "name"), template))
    return find_users(templates, users)


def _not_rolled(template: Rename, users: list[User], config: ProxyConfig) -> Iterator[RolloutNote]:
    """Yield notes about a template that changes and keeps its name."""
    if _FROZEN[template.obj.group_kind]:
        text = (
            "the API server refuses this change if the template exists, because `spec.template.spec` is immutable. "
            f"{advice(config, 'Give it a new name')}"
        )
        if not users:
            text += ". No object refers to it: if it is a patch, its lists replace those of the base, so leave it out"
        is_info = config.hash_names is False
        finding = Result("NodesKept", text, ("spec", "template", "spec"), is_info=is_info)
        yield RolloutNote(template.record, finding)
        return
    for user in users:
        if user.record.obj.ref.kind in _MACHINES:
            yield not_rolled(user, template, config)
