"""A name that follows from the content of an object, so that nodes roll: the hash, the way back, and who follows.

Cluster API compares names: a template or a Secret with another content rolls nothing. An object that exists
already and changes either gets a new name, which its users take over, or keeps it with a note that nothing rolls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from krm_fn import patch
from krm_fn.clusters import Key, ObjectIndex, key_of
from krm_fn.config import ProxyConfig
from krm_fn.engine import Draft
from krm_fn.formats.left_alone import ENCRYPTED, has_code, is_encrypted
from krm_fn.krm.resourcelist import BASE_NAME, Object, ObjectSource
from krm_fn.krm.results import Edit, Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Operation, Pointer
from krm_fn.plan.items import readable_objects
from krm_fn.plan.kustomizations import Builds
from krm_fn.plan.record import ObjectRecord, TargetRecord
from krm_fn.settings import ProxySettings

NAME = ("metadata", "name")
_ANNOTATIONS = ("metadata", "annotations")
_HEX = 10
# Of the name of an object, as Kubernetes has it: a DNS subdomain.
_LONGEST = 253


class RolloutNote(NamedTuple):
    """An edit of an object, or a finding about it.

    ``new_name`` is the name that the object gets by that, "" where it keeps the one that it has.
    """

    record: ObjectRecord
    proposal: Edit | Result
    new_name: str = ""


class Rename(NamedTuple):
    """An object whose name follows from its content: the name that it is to have, and its noun in messages."""

    record: ObjectRecord
    name: str
    noun: str

    @property
    def obj(self) -> Object:
        """The object."""
        return self.record.obj

    @property
    def keeps_name(self) -> bool:
        """Whether it has this name already."""
        return self.name == self.obj.ref.name

    @property
    def is_hashed(self) -> bool:
        """Whether the name ends with a hash."""
        return self.name != self.obj.base_name


class User(NamedTuple):
    """An object that refers to another one, ``key``, in a field; or a Cluster by the patches of its class."""

    record: ObjectRecord
    path: Pointer
    key: Key
    by_class: TargetRecord | None = None


# Each object with the users that refer to it.
UserIndex = ObjectIndex[list[User]]


def records_of_items(
    source: ObjectSource, indexes: Iterable[int], records: Iterable[TargetRecord]
) -> list[ObjectRecord]:
    """Return the records of a run, and a new one for each other object of some items, in the order of the list.

    Args:
        source: the list before the run.
        indexes: the numbers of the items, which are read only where no record is that of the whole item.
        records: those of the run.
    """
    known = {}
    for target_record in records:
        record = target_record.record
        if not record.is_new:
            known[record.item_index, record.obj.path] = record
    for index in indexes:
        if (index, ()) not in known:
            for obj in readable_objects(source, [index]):
                known.setdefault((index, obj.path), ObjectRecord(index, obj, ()))
    return sorted(known.values(), key=lambda record: record.item_index)


def find_users(keys: Iterable[Key], users: Iterable[User]) -> UserIndex:
    """Return the objects of some keys, each with the users that refer to it, be it to other equally near ones, too."""
    users_of: UserIndex = ObjectIndex()
    for key in keys:
        users_of.add(key, [])
    for user in users:
        for key in users_of.find_all(user.key):
            users_of[key].append(user)
    return users_of


def plan_rename(
    records: list[TargetRecord], content: Any, config: ProxyConfig, noun: str
) -> Rename:
    """Return an object with the name that it is to have: with a hash of its content where it holds a proxy."""
    obj = records[0].obj
    rename = Rename(records[0].record, obj.base_name, noun)
    if not config.hash_names or not _holds_proxy(records):
        return rename
    annotations = patch.lookup(obj.data, _ANNOTATIONS)
    if annotations and not isinstance(annotations, dict):
        return rename  # there is no room for the former name
    import hashlib  # noqa: PLC0415 -- loads OpenSSL: only for names with a hash

    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    digits = hashlib.sha256(text.encode()).hexdigest()
    return rename._replace(name=f"{obj.base_name}-{digits[:_HEX]}")


def renamed(
    rename: Rename, users: list[User], builds: Builds, rival: Key | None = None
) -> Iterator[RolloutNote]:
    """Yield the new name of an object and the references that follow it, or why it keeps its name.

    ``rival`` is another object of the list that has the old or the new name.
    """
    record = rename.record
    obstacle = _obstacle(rename, users, builds, rival)
    if obstacle:
        finding = Result("NodesKept", f"keeps its name, {obstacle}", NAME)
        yield RolloutNote(record, finding)
        return
    why = "so that nodes roll" if rename.is_hashed else "without a hash"
    operation = Operation("replace", NAME, rename.name)
    edit = Edit((operation,), f'renamed to "{rename.name}" {why}')
    yield RolloutNote(record, edit, rename.name)
    note = _note_of_base_name(record.obj, is_hashed=rename.is_hashed)
    if note:
        yield RolloutNote(record, note)
    for user in users:
        yield from update_reference(user, rename)


def update_reference(user: User, rename: Rename) -> Iterator[RolloutNote]:
    """Yield the edit that makes a user refer to an object by its name, unless it does already or is encrypted."""
    message = f"refers to the {rename.noun} by its new name, so that nodes roll"
    if user.by_class is not None:
        yield from _updated_variable(user.by_class, rename, message)
        return
    data = user.record.obj.data
    if patch.lookup(data, user.path) == rename.name:
        return
    if is_encrypted(data):
        return
    operation = Operation("replace", user.path, rename.name)
    yield RolloutNote(user.record, Edit((operation,), message))


def not_rolled(user: User, rename: Rename, config: ProxyConfig) -> RolloutNote:
    """Return a warning about nodes that keep their old content, an information where the user chose that."""
    remedy = advice(config, "Roll them yourself")
    text = f"nodes keep what they have until the name of the {rename.noun} changes. {remedy}"
    is_info = config.hash_names is False
    finding = Result("NodesKept", text, user.path, is_info=is_info)
    return RolloutNote(user.record, finding._replace(current=rename.obj.ref.name))


def advice(config: ProxyConfig, by_hand: str) -> str:
    """Return the advice about a name that stays, but for an option that the user has set already."""
    if config.hash_names:
        return "Give it a new name"
    return f"{by_hand}, or set `spec.rollout.hashNames: true` (new name)"


def _updated_variable(
    target_record: TargetRecord, rename: Rename, message: str
) -> Iterator[RolloutNote]:
    """Yield the edit of a Cluster whose class takes the name of a Secret from a variable."""
    if target_record.class_context is None:
        return
    name = rename.name if rename.is_hashed else ""
    known = target_record.class_context._replace(secret=name)
    context = target_record.context._replace(class_context=known)
    for edit in target_record.target.edit(target_record.obj.data, context):
        if isinstance(edit, Edit):
            yield RolloutNote(target_record.record, edit._replace(message=message))


def _holds_proxy(records: Iterable[TargetRecord]) -> bool:
    """Return whether an object holds something that a removal would remove."""
    for record in records:
        without_proxy = ProxySettings(cluster=record.resolved.settings.cluster)
        context = record.context._replace(settings=without_proxy)
        for proposal in record.target.edit(record.obj.data, context):
            if isinstance(proposal, Edit):
                return True
    return False


def _obstacle(rename: Rename, users: list[User], builds: Builds, rival: Key | None) -> str:
    """Return why an object cannot have its new name, or "".

    An object of another namespace, such as a Kustomization of Flux, follows; it has no say.
    """
    own = rename.obj.ref.namespace
    concerned = [rename.obj]
    items = [rename.record.item_index]
    for user in users:
        items.append(user.record.item_index)
        obj = user.record.obj
        if not own or obj.ref.namespace in ("", own):
            concerned.append(obj)
    if rename.is_hashed and len(concerned) == 1:
        return "because no object of the list refers to it: add the object that refers to it to the list"
    for obj in concerned:
        if is_encrypted(obj.data):
            return f'because {obj.ref.kind} "{obj.ref.name}" {ENCRYPTED}'
    for index in items:
        if index >= 0 and has_code(builds.source.text_for_ytt(index)):
            return "because ytt computes a part of it, or of an object that refers to it: rename it yourself"
    if rival:
        where = f" in {rival.file}" if rival.file else ""
        return f'because another object{where} has the name "{rival.name}": remove one of the two from the list'
    patch = builds.patch_of(key_of(rename.obj))
    if patch:
        return f"because a patch in {patch} names it, and would no longer fit: rename both yourself"
    if len(rename.name) > _LONGEST:
        return f"because it is too long for a hash: shorten it to {_LONGEST - _HEX - 1} characters or less"
    return ""


def _note_of_base_name(obj: Object, *, is_hashed: bool) -> Edit | None:
    """Return the edit of the annotation that keeps the former name; None where it is right."""
    path = (*_ANNOTATIONS, BASE_NAME)
    draft = Draft(obj.data)
    if is_hashed:
        message = "notes the name without its hash, so that a later run can restore it"
        draft.set(path, obj.base_name)
    else:
        message = "removes the note of the former name: the name has no hash"
        draft.remove(path, keep=1)
    operations = draft.operations()
    if not operations:
        return None
    return Edit(operations, message)
