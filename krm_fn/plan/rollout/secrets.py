"""Names of the Secrets that hold drop-ins, and findings about nodes that do not get the new content.

Cluster API compares the fields of a configuration, and takes the content of a Secret once, when it
makes a node. So another content rolls nothing, and another name in
``files[].contentFrom.secret.name`` rolls a control plane and what a ClusterClass makes. A class
that is patched takes the name from a variable of each Cluster. Without the Secret no node boots: its
bootstrap data waits for it.

Input: the places after injection. Output: operations on Secrets and on the objects that refer to them,
and findings.

Sources: Cluster API 1.11 ``bootstrap/kubeadm/internal/controllers/kubeadmconfig_controller.go``
(``resolveSecretFileContent``), ``controlplane/kubeadm/internal/filters.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from krm_fn import patch
from krm_fn.carriers import drop_in_secret
from krm_fn.clusters import Key, key_of, nearest
from krm_fn.config import Mode, ProxyConfig
from krm_fn.formats.sops import is_encrypted
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Edit, Finding, Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.plan import ObjectSource, PlannedEdit, items_of_kinds
from krm_fn.plan.rollout.model import NAME, RolloutNote, advice, hash_of, holds_something, kept_name
from krm_fn.products import giantswarm
from krm_fn.products.node_kinds import KIND_NAMES, NODE_KINDS
from krm_fn.targets import Context
from krm_fn.targets.base import NodeSecret

_TARGET_OF_SECRETS = "giantswarmSystemdProxy"
"""The target that writes the Secrets of Clusters."""

_HOLDERS = {"Secret", "SealedSecret", "ExternalSecret"}
"""Kinds of objects that are, or become, the Secret that they name."""

_TARGETS = (
    ("metadata", "name"),
    ("spec", "target", "name"),
    ("spec", "template", "metadata", "name"),
)


class _Reference(NamedTuple):
    """A file whose content is in the Secret ``name``: one of the configuration ``obj``, or of nodes of the Cluster.

    ``place`` is that of a Cluster whose class is patched; its nodes follow the Cluster and ``of_class``.
    """

    item_index: int
    obj: Object
    path: Pointer
    name: str
    is_wanted: bool
    place: PlannedEdit | None = None
    of_class: PlannedEdit | None = None

    def names(self, secret: Object) -> bool:
        """Return whether a reference names the Secret, with its hash or by its former name."""
        namespaces = {self.obj.ref.namespace, secret.ref.namespace} - {""}
        return self.name in (secret.ref.name, secret.base_name) and len(namespaces) < 2


class _Secret(NamedTuple):
    """A Secret with drop-ins, and the name that it is to have."""

    item_index: int
    obj: Object
    name: str


def hashed(places: Sequence[PlannedEdit]) -> set[int]:
    """Return ``id`` of the data of the Secrets whose name depends on their content."""
    found = set()
    for place in places:
        name = text_at(place.obj.data, NAME)
        if place.target_id == _TARGET_OF_SECRETS and drop_in_secret.base_of(name) != name:
            found.add(id(place.obj.data))
    return found


def secret_names(
    source: ObjectSource, places: Sequence[PlannedEdit], wanted: ProxyConfig, changed: set[int]
) -> list[RolloutNote]:
    """Return new names of Secrets and the references that follow.

    And which nodes keep the old content.

    Args:
        source: the list before the run.
        places: all that were looked at, after injection.
        wanted: the checked FunctionConfig.
        changed: ``id`` of each object whose data is not what it was.

    Raises:
        InputError: an object that seems to refer to a Secret cannot be read.
    """
    secrets = list(_secrets(places, wanted))
    of_classes = list(_of_classes(places))
    is_concerned = bool(of_classes) or _is_concerned(secrets, places)
    references = [*_references(source, places), *of_classes] if is_concerned else []
    rollout_notes: list[RolloutNote] = []
    for secret in secrets:
        users = [one for one in references if _is_meant(one, secret, secrets)]
        if secret.name != secret.obj.ref.name:
            rollout_notes += _renamed(secret, users)
        else:
            rollout_notes += _followed(secret, users)
            rollout_notes += _not_rolled(secret, users, wanted, _rolling(source, users, changed))
    if wanted.mode is not Mode.REMOVE:
        rollout_notes += _missing(source, places, references)
        rollout_notes += _of_other_lists(places, wanted)
    return rollout_notes


def _is_meant(one: _Reference, secret: _Secret, secrets: Sequence[_Secret]) -> bool:
    """Return whether a reference means a Secret: of several with the same name that of its own file, or the nearest."""
    if not one.names(secret.obj):
        return False
    named = [key_of(other.obj) for other in secrets if one.names(other.obj)]
    return key_of(secret.obj) in nearest(named, one.obj.ref.file_path)


def _is_concerned(secrets: Sequence[_Secret], places: Sequence[PlannedEdit]) -> bool:
    return bool(secrets) or any(place.obj.group_kind in NODE_KINDS for place in places)


def _secrets(places: Sequence[PlannedEdit], wanted: ProxyConfig) -> Iterator[_Secret]:
    for _, group in groupby(places, key=lambda place: id(place.obj)):
        of_object = [one for one in group if one.target_id == _TARGET_OF_SECRETS]
        obj = of_object[0].obj if of_object else None
        if obj is None or not obj.data or not drop_in_secret.is_one(obj.base_name):
            continue
        is_hashed = wanted.hash_names and holds_something(of_object)
        content = hash_of([obj.data.get("data"), obj.data.get("stringData")])
        name = f"{obj.base_name}-{content}" if is_hashed else obj.base_name
        yield _Secret(of_object[0].item_index, obj, name)


def _references(source: ObjectSource, places: Sequence[PlannedEdit]) -> Iterator[_Reference]:
    """Yield all files of the list whose content is in the Secret of a Cluster, as the run leaves them."""
    existing: dict[tuple[int, Pointer], Object] = {}
    asked: set[tuple[int, Pointer]] = set()
    for place in places:
        where = (place.item_index, place.obj.path)
        if not place.is_new and place.obj.group_kind in NODE_KINDS:
            existing[where] = place.obj
            if place.resolved.settings.sets_any:
                asked.add(where)
    for (index, path), obj in existing.items():
        yield from _of_object(index, obj, is_wanted=(index, path) in asked)
    for index in items_of_kinds(source, KIND_NAMES):
        if not source.contains(index, (giantswarm.SYSTEMD_PROXY_SUFFIX,)):
            continue  # reading an item costs more than looking for the name in its text
        for obj in source.objects(index):
            if (index, obj.path) not in existing and not obj.is_local:
                yield from _of_object(index, obj, is_wanted=False)


def _of_object(index: int, obj: Object, *, is_wanted: bool) -> Iterator[_Reference]:
    kind = NODE_KINDS.get(obj.group_kind)
    if kind is None:
        return
    for number, file in enumerate(list_at(obj.data, kind.files)):
        name = text_at(file, ("contentFrom", "secret", "name"))
        if drop_in_secret.is_one(name):
            where = (*kind.files, str(number), "contentFrom", "secret", "name")
            yield _Reference(index, obj, where, name, is_wanted)


def _patchers(
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


def _of_classes(places: Sequence[PlannedEdit]) -> Iterator[_Reference]:
    """Yield the Clusters of a patched class, with the Secret from which their nodes take drop-ins."""
    classes = {key: place for place, _, key in _patchers(places, "ClusterClass")}
    for place, secret, key in _patchers(places, "Cluster"):
        if secret.name:
            path, of_class = ("spec", "topology"), classes.get(key)
            yield _Reference(place.item_index, place.obj, path, secret.name, True, place, of_class)


def _of_other_lists(places: Sequence[PlannedEdit], wanted: ProxyConfig) -> Iterator[RolloutNote]:
    """Yield a warning for each class whose patches refer to Secrets of Clusters that are not in the list."""
    listed = {key for _, _, key in _patchers(places, "Cluster")}
    generate = f"spec.targets.{_TARGET_OF_SECRETS}.generate"
    options = wanted.targets.get(_TARGET_OF_SECRETS, {})
    is_generated = options.get("enabled", True) and options.get("generate")
    for place, secret, key in _patchers(places, "ClusterClass"):
        if key in listed:
            continue
        keys = " and ".join(f"`{one}`" for one in secret.keys)
        message = (
            f"the patches of this class take {keys} from the Secret "
            f"`<cluster>{giantswarm.SYSTEMD_PROXY_SUFFIX}` of each Cluster, no Cluster of the class "
            "is in this list, and no node boots until that Secret is in the "
            f"namespace of its Cluster: run this function over the Clusters with `{generate}: true`, or create the "
            "Secrets yourself"
        )
        if wanted.hash_names:
            message += "; `spec.rollout.hashNames` rolls nodes only where class, Cluster and Secret are in one list"
        if not is_generated:
            message += f". `{generate}: true` turns this warning into an information"
        severity = Severity.INFO if is_generated else Severity.WARNING
        yield RolloutNote(
            place.item_index,
            place.obj,
            Finding(severity, message, ("spec", "patches"), code="SecretOfClassMissing"),
        )


def _renamed(secret: _Secret, users: Sequence[_Reference]) -> Iterator[RolloutNote]:
    index, obj, name = secret.item_index, secret.obj, secret.name
    is_hashed = name != obj.base_name
    if obstacle := _obstacle(secret, users):
        yield RolloutNote(
            index,
            obj,
            Finding(Severity.WARNING, f"keeps its name, {obstacle}", NAME, code="NameKept"),
        )
        return
    why = "so that nodes roll" if is_hashed else "without a hash"
    yield RolloutNote(
        index, obj, Edit((patch.replace(*NAME, value=name),), f'renamed to "{name}" {why}')
    )
    if change := kept_name(obj, is_hashed=is_hashed):
        yield RolloutNote(index, obj, change)
    for user in users:
        yield from _follows(user, secret)


def _followed(secret: _Secret, users: Sequence[_Reference]) -> Iterator[RolloutNote]:
    """Yield references that were added, to a Secret that has its hash already."""
    for user in users:
        if not is_encrypted(user.obj.data):
            yield from _follows(user, secret)


def _follows(user: _Reference, secret: _Secret) -> Iterator[RolloutNote]:
    """Yield the edit that makes a reference name the Secret by its new name.

    Nothing if it does already.
    """
    message = "refers to the Secret by its new name, so that nodes roll"
    class_context = user.place.class_context if user.place else None
    if user.place is None or class_context is None:
        if user.name != secret.name:
            change = Edit((patch.replace(*user.path, value=secret.name),), message)
            yield RolloutNote(user.item_index, user.obj, change)
        return
    name = secret.name if secret.name != secret.obj.base_name else ""
    known = class_context._replace(secret=name, has_hashed_secrets=False)
    context = Context(user.place.options, user.place.resolved.settings, class_context=known)
    for one in user.place.target.edit(user.obj.data, context):
        if isinstance(one, Edit):
            yield RolloutNote(user.item_index, user.obj, one._replace(message=message))


def _obstacle(secret: _Secret, users: Sequence[_Reference]) -> str:
    """Return why a Secret cannot have its new name; "" if it can."""
    is_hashed = secret.name != secret.obj.base_name
    if is_hashed and not users:
        return (
            "although `spec.rollout.hashNames` is set: no file of the list refers to it, "
            "and references elsewhere would "
            "break. Add the object that refers to it to the list"
        )
    encrypted = [one.obj.ref for one in users if is_encrypted(one.obj.data)]
    if is_encrypted(secret.obj.data):
        encrypted.append(secret.obj.ref)
    if encrypted:
        return f'because {encrypted[0].kind} "{encrypted[0].name}" is encrypted by SOPS: decrypt it first'
    return ""


def _rolling(source: ObjectSource, users: Sequence[_Reference], changed: set[int]) -> set[int]:
    """Return ``changed``, and the Clusters whose class gets other patches in this run."""
    found = set(changed)
    for user in users:
        of_class = user.of_class
        if of_class is not None and id(of_class.obj) in changed and id(user.obj) not in found:
            path = ("spec", "patches")
            existing = (
                one for one in source.objects(of_class.item_index) if one.path == of_class.obj.path
            )
            if any(lookup(one.data, path) != lookup(of_class.obj.data, path) for one in existing):
                found.add(id(user.obj))
    return found


def _is_of_workers(obj: Object) -> bool:
    """Return whether an object is a template of workers: a message about its users names those."""
    kind = NODE_KINDS.get(obj.group_kind)
    return kind is not None and kind.is_template and not kind.is_control_plane


def _not_rolled(
    secret: _Secret, users: Sequence[_Reference], wanted: ProxyConfig, changed: set[int]
) -> Iterator[RolloutNote]:
    """Yield nodes that keep the old content.

    Of control planes, of templates that a class names, and of Clusters.
    """
    if id(secret.obj) not in changed or wanted.hash_names:
        return
    severity = Severity.INFO if wanted.hash_names is False else Severity.WARNING
    for user in users:
        if id(user.obj) in changed or _is_of_workers(user.obj):
            continue  # it rolls, or the object that uses it is reported
        message = (
            "nodes keep what they have until the name of this Secret changes. "
            f"{advice(wanted.hash_names, 'Roll them yourself', 'you roll them')}"
        )
        yield RolloutNote(
            user.item_index,
            user.obj,
            Finding(severity, message, user.path, user.name, code="NodesNotRolled"),
        )


def _missing(
    source: ObjectSource, places: Sequence[PlannedEdit], references: Sequence[_Reference]
) -> Iterator[RolloutNote]:
    """Yield a warning for each object that refers to a Secret which is neither in the list nor created."""
    asked = [one for one in references if one.is_wanted]
    if not asked:
        return
    held = {
        (place.obj.ref.namespace, name)
        for place in places
        if place.obj.ref.kind == "Secret" and place.obj.data
        for name in (place.obj.ref.name, place.obj.base_name)
    }
    held |= set(_names(source))
    reported: set[tuple[int, Pointer, str]] = set()
    for one in asked:
        key = (one.item_index, one.obj.path, one.name)
        is_held = any((namespace, one.name) in held for namespace in (one.obj.ref.namespace, ""))
        is_held = is_held or (
            not one.obj.ref.namespace and any(name == one.name for _, name in held)
        )
        if is_held or key in reported:
            continue
        reported.add(key)
        message = (
            f'the Secret "{one.name}" is neither in the list nor created, and no node boots without it: add it, or set '
            f"`spec.targets.{_TARGET_OF_SECRETS}.generate` to true"
        )
        yield RolloutNote(
            one.item_index,
            one.obj,
            Finding(Severity.WARNING, message, one.path, code="SystemdSecretMissing"),
        )


def _names(source: ObjectSource) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of each Secret of the list, and of each object that becomes one."""
    for index in items_of_kinds(source, _HOLDERS):
        for obj in source.objects(index):
            for path in _TARGETS if obj.ref.kind in _HOLDERS else ():
                name = text_at(obj.data, path)
                if name:
                    yield obj.ref.namespace, name
