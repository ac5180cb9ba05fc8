"""Names of templates, which Cluster API rolls nodes by.

Sources: Cluster API book, "Updating Machine Infrastructure and Bootstrap Templates", "Changing a ClusterClass";
``controlplane/kubeadm/webhooks/kubeadm_control_plane_template.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from krm_fn.clusters import Key, ObjectIndex, key_of, references
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.patch import list_at, lookup, text_at
from krm_fn.plan import Location, ObjectSource, PlannedEdit, items_of_kinds
from krm_fn.plan.rollout.naming import (
    Rename,
    RolloutNote,
    User,
    advice,
    not_rolled,
    rename_of,
    renamed,
)
from krm_fn.plan.rollout.secrets import hashed
from krm_fn.products import distributions
from krm_fn.products.node_kinds import NODE_KINDS

_SECRET = ("", "Secret")
_FROZEN = {
    **{key: kind.is_control_plane for key, kind in NODE_KINDS.items() if kind.is_template},
    **dict.fromkeys(distributions.TEMPLATES, False),
}
"""The kinds of templates -> whether the API server takes no other content for them."""
_MACHINES = {"MachineDeployment", "MachineSet", "MachinePool"}


def template_names(
    source: ObjectSource, places: Sequence[PlannedEdit], config: ProxyConfig, changed: set[Location]
) -> Iterator[RolloutNote]:
    """Yield new names of templates and the references that follow, and which nodes are not rolled.

    Args:
        source: the list before the run.
        places: all that were looked at, after injection.
        config: the checked FunctionConfig.
        changed: the objects whose data is not what it was.

    Raises:
        InputError: an object that seems to refer to a template cannot be read.
    """
    secrets = _inline_secrets(places)
    concerned: list[tuple[Rename, bool]] = []
    names: dict[
        Key, str
    ] = {}  # of two objects with one identity the first decides about both names
    for _, group in groupby(places, key=lambda place: place.location):
        of_object = list(group)
        obj = of_object[0].obj
        if obj.group_kind not in _FROZEN or not obj.ref.name:
            continue
        files = list(_file_secrets(obj, secrets))
        content = [obj.data.get("spec")]
        for secret, key in files:
            content += [lookup(secret.obj.data, (field, key)) for field in ("data", "stringData")]
        template = rename_of(of_object, content, config, "template")
        template = template._replace(name=names.setdefault(key_of(obj), template.name))
        is_own_change = of_object[0].location in changed
        is_changed = is_own_change or (
            not _FROZEN[obj.group_kind] and any(secret.location in changed for secret, _ in files)
        )
        if is_changed or not template.keeps_name:
            concerned.append((template, is_own_change))
    if not concerned:
        return
    known, users = _users(source, places)
    for template, is_own_change in concerned:
        own = key_of(template.obj)
        its_users = users.get(own, [])
        if template.keeps_name:
            yield from _not_rolled(template, its_users, config, is_own_change=is_own_change)
        else:
            is_taken = any((*own[:3], template.name) == other[:4] for other in known)
            yield from renamed(template, its_users, source, is_taken=is_taken)


def _inline_secrets(places: Sequence[PlannedEdit]) -> ObjectIndex[PlannedEdit]:
    """Return the Secrets of the list whose names say nothing about their content."""
    followed = hashed(places)
    return ObjectIndex(
        (key_of(place.obj), place)
        for place in places
        if place.obj.group_kind == _SECRET and place.location not in followed
    )


def _file_secrets(
    obj: Object, secrets: ObjectIndex[PlannedEdit]
) -> Iterator[tuple[PlannedEdit, str]]:
    """Yield the Secrets of the list, and the keys in them, that hold the content of files of a template."""
    kind = NODE_KINDS.get(obj.group_kind)
    for file in list_at(obj.data, kind.files) if kind and kind.system.files else ():
        name, key = (text_at(file, ("contentFrom", "secret", member)) for member in ("name", "key"))
        secret = secrets.get(Key(*_SECRET, obj.ref.namespace, name, obj.ref.file_path))
        if secret is not None and key:
            yield secret, key


def _users(
    source: ObjectSource, places: Sequence[PlannedEdit]
) -> tuple[ObjectIndex[None], dict[Key, list[User]]]:
    """Return the templates of the list, and who refers to each; what was read for its edit is not read again."""
    read = {place.item_index: place.obj for place in places if not place.is_new}
    known: ObjectIndex[None] = ObjectIndex()
    found: list[tuple[Key, User]] = []
    for index in items_of_kinds(source, {kind for _, kind in _FROZEN}):
        is_whole_item = index in read and not read[index].path
        for obj in [read[index]] if is_whole_item else source.objects(index):
            if obj.group_kind in _FROZEN:
                known.add(key_of(obj), None)
            for target, path in () if obj.is_local else references(obj):
                found.append((target, User(index, obj, (*path, "name"))))
    users: dict[Key, list[User]] = {}
    for target, user in found:
        users.setdefault(known.find(target) or target, []).append(user)
    return known, users


def _not_rolled(
    template: Rename, users: list[User], config: ProxyConfig, *, is_own_change: bool
) -> Iterator[RolloutNote]:
    """Yield notes about a template that changes and keeps its name."""
    if _FROZEN[template.obj.group_kind]:
        text = (
            "the API server rejects this change if the template exists already, because `spec.template.spec` is "
            f"immutable. {advice(config, 'Give it a new name')}"
        )
        is_info = config.hash_names is False
        found = Result.of("NodesKept", text, ("spec", "template", "spec"), is_info=is_info)
        yield RolloutNote(template.item_index, template.obj, found)
        return
    # A ClusterClass carries another content of a template on, but not another one of a Secret.
    kinds = _MACHINES if is_own_change else {*_MACHINES, "ClusterClass"}
    for user in users:
        if user.obj.ref.kind in kinds:
            yield not_rolled(user, "template", template.obj.ref.name, config)
