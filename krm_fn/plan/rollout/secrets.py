"""Names of the Secrets that hold drop-ins of nodes.

Cluster API takes the content of a Secret once, when it makes a node: another content rolls nothing, another name in
``files[].contentFrom.secret.name`` does. A class that is patched takes the name from a variable of each Cluster. Without
the Secret no node boots.

Sources: Cluster API 1.11 ``kubeadmconfig_controller.go`` (``resolveSecretFileContent``), ``internal/filters.go``.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from krm_fn.clusters import Key, ObjectIndex, key_of
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Finding
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import list_at, text_at
from krm_fn.places import cluster_secret
from krm_fn.plan import ObjectSource, PlannedEdit, items_of_kinds
from krm_fn.plan.rollout.naming import (
    NAME,
    Rename,
    RolloutNote,
    User,
    not_rolled,
    rename_of,
    renamed,
    update_reference,
)
from krm_fn.products import giantswarm
from krm_fn.products.node_kinds import KIND_NAMES, NODE_KINDS
from krm_fn.targets import Context
from krm_fn.targets.base import NodeSecret

_TARGET = "giantswarmSystemdProxy"
"""The target that writes the Secrets of Clusters."""
_GENERATE = f"spec.targets.{_TARGET}.generate"
_SECRET_NAMES = {
    "Secret": NAME,
    "ExternalSecret": ("spec", "target", "name"),
    "SealedSecret": ("spec", "template", "metadata", "name"),
}
"""The kinds of objects that are, or become, a Secret -> where they have its name."""


class _Reference(NamedTuple):
    """An object whose nodes take drop-ins from a Secret."""

    user: User
    secret: Key


def hashed(places: Sequence[PlannedEdit]) -> set[int]:
    """Return ``id`` of the data of the Secrets whose name depends on their content."""
    found = set()
    for place in places:
        name = text_at(place.obj.data, NAME)  # a run may have changed it
        if place.target_id == _TARGET and cluster_secret.base_of(name) != name:
            found.add(id(place.obj.data))
    return found


def secret_names(
    source: ObjectSource, places: Sequence[PlannedEdit], config: ProxyConfig, changed: set[int]
) -> list[RolloutNote]:
    """Return new names of Secrets and the references that follow, and which nodes keep the old content.

    Args:
        source: the list before the run.
        places: all planned edits, after they are applied.
        config: the checked FunctionConfig.
        changed: ``id`` of each object that changed.

    Raises:
        InputError: an object that seems to refer to a Secret cannot be read.
    """
    renames = list(_renames(places, config))
    has_nodes = any(place.obj.group_kind in NODE_KINDS for place in places)
    references = list(_of_clusters(places))
    if renames or references or has_nodes:
        references = [*_of_nodes(source, places), *references]
    users = _users(renames, references)
    notes: list[RolloutNote] = []
    for secret in renames:
        its_users = users.get(id(secret.obj), [])
        if not secret.keeps_name:
            notes += renamed(secret, its_users, source)
            continue
        for (
            user
        ) in its_users:  # a reference may have been added to a Secret that has its hash already
            notes += update_reference(user, secret)
        if id(secret.obj) in changed and not config.hash_names:
            for user in its_users:
                kind = NODE_KINDS.get(user.obj.group_kind)
                is_reported = kind and kind.is_template and not kind.is_control_plane
                if id(user.obj) not in changed and not is_reported:
                    notes.append(not_rolled(user, "Secret", secret.obj.ref.name, config))
    if config.mode is not Mode.REMOVE:
        notes += _missing(source, places)
        notes += _of_other_lists(places, config)
    return notes


def _renames(places: Sequence[PlannedEdit], config: ProxyConfig) -> Iterator[Rename]:
    for _, group in groupby(places, key=lambda place: id(place.obj)):
        edits = [place for place in group if place.target_id == _TARGET]
        obj = edits[0].obj if edits else None
        if obj is not None and obj.data and cluster_secret.is_one(obj.base_name):
            content = [obj.data.get("data"), obj.data.get("stringData")]
            yield rename_of(edits, content, config, "Secret")


def _users(renames: Sequence[Rename], references: Sequence[_Reference]) -> dict[int, list[User]]:
    """Return ``id`` of a Secret -> the objects that refer to it, by its name with or without a hash."""
    index: ObjectIndex[Object] = ObjectIndex()
    for secret in renames:
        for name in (secret.obj.base_name, secret.obj.ref.name):
            index.add(key_of(secret.obj)._replace(name=name), secret.obj)
    users: dict[int, list[User]] = {}
    for reference in references:
        obj = index.get(reference.secret)
        if obj is not None:
            users.setdefault(id(obj), []).append(reference.user)
    return users


def _of_nodes(source: ObjectSource, places: Sequence[PlannedEdit]) -> Iterator[_Reference]:
    """Yield the files of nodes whose content is in the Secret of a Cluster, as the run leaves them."""
    planned = {
        (place.item_index, place.obj.path): place.obj for place in places if not place.is_new
    }
    for (index, _), obj in planned.items():
        yield from _of_object(index, obj)
    for index in items_of_kinds(source, KIND_NAMES):
        # Reading an item costs more than looking for the name in its text.
        if source.contains(index, (giantswarm.SYSTEMD_PROXY_SUFFIX,)):
            for obj in source.objects(index):
                if (index, obj.path) not in planned and not obj.is_local:
                    yield from _of_object(index, obj)


def _of_object(index: int, obj: Object) -> Iterator[_Reference]:
    kind = NODE_KINDS.get(obj.group_kind)
    for number, file in enumerate(list_at(obj.data, kind.files) if kind else ()):
        path = ("contentFrom", "secret", "name")
        name = text_at(file, path)
        if kind and cluster_secret.is_one(name):
            user = User(index, obj, (*kind.files, str(number), *path))
            yield _Reference(user, _secret_key(obj, name))


def _of_clusters(places: Sequence[PlannedEdit]) -> Iterator[_Reference]:
    """Yield the Clusters of a patched class, whose nodes take drop-ins from Secrets."""
    for place, secret, _ in _patched(places, "Cluster"):
        if secret.name:
            user = User(place.item_index, place.obj, ("spec", "topology"), place)
            yield _Reference(user, _secret_key(place.obj, secret.name))


def _patched(
    places: Sequence[PlannedEdit], kind: str
) -> Iterator[tuple[PlannedEdit, NodeSecret, Key]]:
    """Yield the ClusterClasses or Clusters whose nodes take drop-ins from Secrets, and the key of the class."""
    for place in places:
        known = place.class_context
        if known is None or known.of_class is None or place.obj.ref.kind != kind:
            continue
        context = Context(place.options, place.resolved.settings, class_context=known)
        secret = place.target.node_secret(place.obj.data, context)
        if secret is not None:
            yield place, secret, known.of_class


def _of_other_lists(places: Sequence[PlannedEdit], config: ProxyConfig) -> Iterator[RolloutNote]:
    """Yield a warning for each class whose patches refer to Secrets of Clusters that are not in the list."""
    options = config.targets.get(_TARGET, {})
    if options.get("enabled", True) and options.get("generate"):
        return
    listed = {key for _, _, key in _patched(places, "Cluster")}
    for place, secret, key in _patched(places, "ClusterClass"):
        if key not in listed:
            keys = " and ".join(f"`{name}`" for name in secret.keys)
            message = (
                f"the patches of this class take {keys} from the Secret `<cluster>{giantswarm.SYSTEMD_PROXY_SUFFIX}` of "  # noqa: E501
                "each Cluster, no Cluster of the class is in this list, and no node boots without that Secret: run this "  # noqa: E501
                f"function over the Clusters with `{_GENERATE}: true`, or create the Secrets yourself"
            )
            finding = Finding.of("SecretMissing", message, ("spec", "patches"))
            yield RolloutNote(place.item_index, place.obj, finding)


def _missing(source: ObjectSource, places: Sequence[PlannedEdit]) -> Iterator[RolloutNote]:
    """Yield a warning for each object that refers to a Secret which is neither in the list nor created."""
    references = list(_of_clusters(places))
    for place in places:
        if place.resolved.settings.sets_any and not place.is_new:
            references += _of_object(place.item_index, place.obj)
    if not references:
        return
    known = ObjectIndex((key, None) for key in _listed_secrets(source))
    for place in places:
        if place.obj.ref.kind == "Secret" and place.obj.data:
            for name in (place.obj.base_name, place.obj.ref.name):
                known.add(_secret_key(place.obj, name), None)
    reported = set()
    for user, secret in references:
        key = (user.item_index, user.obj.path, secret)
        if key in reported or known.candidates(secret):
            continue
        reported.add(key)
        message = (
            f'the Secret "{secret.name}" is neither in the list nor created, and no node boots without it: add it, or '
            f"set `{_GENERATE}` to true"
        )
        finding = Finding.of("SecretMissing", message, user.path)
        yield RolloutNote(user.item_index, user.obj, finding)


def _listed_secrets(source: ObjectSource) -> Iterator[Key]:
    """Yield the key of each Secret of the list, and of each that another object becomes."""
    for index in items_of_kinds(source, _SECRET_NAMES):
        for obj in source.objects(index):
            for path in {NAME, _SECRET_NAMES.get(obj.ref.kind, NAME)}:
                if obj.ref.kind in _SECRET_NAMES:
                    yield _secret_key(obj, text_at(obj.data, path))


def _secret_key(obj: Object, name: str) -> Key:
    """Return the key of the Secret of a name beside an object."""
    return Key("", "Secret", obj.ref.namespace, name, obj.ref.file_path)
