"""Names of the Secrets that hold drop-ins of nodes.

Cluster API takes the content of a Secret once, when it makes a node: another content rolls nothing, another name in
``files[].contentFrom.secret.name`` does. A class that is patched takes the name from a variable of each Cluster. Without
the Secret no node boots.

Sources: Cluster API 1.11 ``kubeadmconfig_controller.go`` (``resolveSecretFileContent``), ``internal/filters.go``.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.clusters import Key, ObjectIndex
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import list_at, text_at
from krm_fn.places import cluster_secret
from krm_fn.plan import Location, ObjectSource, PlannedEdit, items_of_kinds
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
_SOURCE = ("contentFrom", "secret")


class _SecretReference(NamedTuple):
    """An object whose nodes take drop-ins from a key of a Secret; without a key, from keys that its class names."""

    user: User
    secret: Key
    key: str = ""


def hashed(places: Sequence[PlannedEdit]) -> set[Location]:
    """Return the Secrets whose name depends on their content."""
    found = set()
    for place in places:
        name = text_at(place.obj.data, NAME)  # a run may have changed it
        if place.target_id == _TARGET and cluster_secret.base_of(name) != name:
            found.add(place.location)
    return found


def secret_names(
    source: ObjectSource, places: Sequence[PlannedEdit], config: ProxyConfig, changed: set[Location]
) -> list[RolloutNote]:
    """Return new names of Secrets and the references that follow, and which nodes keep the old content.

    Args:
        source: the list before the run.
        places: all planned edits, after they are applied.
        config: the checked FunctionConfig.
        changed: the objects that changed.

    Raises:
        InputError: an object that seems to refer to a Secret cannot be read.
    """
    references = [*_of_nodes(source, places), *_of_clusters(places)]
    notes: list[RolloutNote] = []
    for secret, users in _renames(places, references, config):
        if not secret.keeps_name:
            notes += renamed(secret, users, source)
            continue
        for user in users:  # a reference may have been added to a Secret that has its hash already
            notes += update_reference(user, secret)
            is_left = secret.location in changed and user.location not in changed
            if is_left and not config.hash_names:
                notes += _not_rolled(user, secret, config)
    if config.mode is not Mode.REMOVE:
        notes += _missing(source, places, references)
        notes += _of_other_lists(places, config)
    return notes


def _renames(
    places: Sequence[PlannedEdit], references: Sequence[_SecretReference], config: ProxyConfig
) -> list[tuple[Rename, list[User]]]:
    """Return the Secrets with their names, and the objects that refer to each, with or without its hash."""
    index: ObjectIndex[list[User]] = ObjectIndex()
    renames = []
    for place in places:
        obj = place.obj
        if place.target_id != _TARGET or not obj.data or not cluster_secret.is_one(obj.base_name):
            continue
        content = [obj.data.get("data"), obj.data.get("stringData")]
        users: list[User] = []
        renames.append((rename_of([place], content, config, "Secret"), users))
        for name in (obj.base_name, obj.ref.name):
            index.add(_secret_key(obj, name), users)
    for reference in references:
        index.get(reference.secret, []).append(reference.user)
    return renames


def _not_rolled(user: User, secret: Rename, config: ProxyConfig) -> Iterator[RolloutNote]:
    """Yield a warning about nodes that keep the old content, unless the names of templates say it."""
    kind = NODE_KINDS.get(user.obj.group_kind)
    if not kind or kind.is_control_plane or not kind.is_template:
        yield not_rolled(user, "Secret", secret.obj.ref.name, config)


def _of_nodes(source: ObjectSource, places: Sequence[PlannedEdit]) -> Iterator[_SecretReference]:
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


def _of_object(index: int, obj: Object) -> Iterator[_SecretReference]:
    kind = NODE_KINDS.get(obj.group_kind)
    if kind is None:
        return
    for number, file in enumerate(list_at(obj.data, kind.files)):
        name = text_at(file, (*_SOURCE, "name"))
        if cluster_secret.is_one(name):
            user = User(index, obj, (*kind.files, str(number), *_SOURCE, "name"))
            yield _SecretReference(user, _secret_key(obj, name), text_at(file, (*_SOURCE, "key")))


def _of_clusters(places: Sequence[PlannedEdit]) -> Iterator[_SecretReference]:
    """Yield the Clusters of a patched class, whose nodes take drop-ins from Secrets."""
    for place, secret, _ in _patched(places, "Cluster"):
        if secret.name:
            user = User(place.item_index, place.obj, ("spec", "topology"), place)
            yield _SecretReference(user, _secret_key(place.obj, secret.name))


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
                f"the patches of this class take {keys} from the Secret `<cluster>{giantswarm.SYSTEMD_PROXY_SUFFIX}` "
                "of each Cluster, no Cluster of the class is in this list, and without it no node boots. Run "
                f"this function over the Clusters with `{_GENERATE}: true`, or create the Secrets yourself"
            )
            finding = Result.of("SecretMissing", message, ("spec", "patches"))
            yield RolloutNote(place.item_index, place.obj, finding)


def _missing(
    source: ObjectSource, places: Sequence[PlannedEdit], references: Sequence[_SecretReference]
) -> Iterator[RolloutNote]:
    """Yield a warning for each reference to a Secret, or a key, that is neither in the list nor created."""
    of_proxies = {place.location for place in places if place.resolved.settings.sets_any}
    wanted = [reference for reference in references if reference.user.location in of_proxies]
    if not wanted:
        return
    known = ObjectIndex(_listed_secrets(source))
    for place in places:
        if place.obj.ref.kind == "Secret" and place.obj.data:
            for name in (place.obj.base_name, place.obj.ref.name):
                known.add(_secret_key(place.obj, name), _keys_of(place.obj))
    for user, secret, key in wanted:
        keys = known.get(secret)
        if not known.candidates(secret):
            message = (
                f'the Secret "{secret.name}" is neither in the list nor created, and no node boots without it: add '
                f"it, or set `{_GENERATE}` to true"
            )
        elif key and keys is not None and key not in keys:
            message = f'the Secret "{secret.name}" has no key "{key}", and no node boots without it: add the key'
        else:
            continue
        yield RolloutNote(user.item_index, user.obj, Result.of("SecretMissing", message, user.path))


def _listed_secrets(source: ObjectSource) -> Iterator[tuple[Key, set[str] | None]]:
    """Yield each Secret of the list with its keys, and each that another object becomes, whose keys nobody knows."""
    for index in items_of_kinds(source, _SECRET_NAMES):
        for obj in source.objects(index):
            kind = obj.ref.kind
            if kind in _SECRET_NAMES:
                keys = _keys_of(obj) if kind == "Secret" else None
                for path in {NAME, _SECRET_NAMES[kind]}:
                    yield _secret_key(obj, text_at(obj.data, path)), keys


def _keys_of(obj: Object) -> set[str]:
    """Return the keys of a Secret."""
    members = [obj.data.get(field) for field in ("data", "stringData")]
    return {key for member in members if isinstance(member, Mapping) for key in member}


def _secret_key(obj: Object, name: str) -> Key:
    """Return the key of the Secret of a name beside an object."""
    return Key("", "Secret", obj.ref.namespace, name, obj.ref.file_path)
