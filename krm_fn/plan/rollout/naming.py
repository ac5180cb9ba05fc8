"""A name that follows from the content of an object, so that nodes roll: the hash, the way back, and who follows.

Cluster API compares names: a template or a Secret with another content rolls nothing. An object that exists
already and changes either gets a new name, which its users take over, or keeps it with a note that nothing rolls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from krm_fn import patch
from krm_fn.clusters import Key, ObjectIndex
from krm_fn.config import ProxyConfig
from krm_fn.engine import Draft
from krm_fn.formats.left_alone import ENCRYPTED, has_code, is_encrypted
from krm_fn.krm.resourcelist import BASE_NAME, Object
from krm_fn.krm.results import Edit, Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer
from krm_fn.plan import Location, ObjectSource, location_of
from krm_fn.plan.record import TargetRecord
from krm_fn.settings import ProxySettings

NAME = ("metadata", "name")
_ANNOTATIONS = ("metadata", "annotations")
_HEX = 10
_LONGEST = 253
"""Of the name of an object, as Kubernetes has it: a DNS subdomain."""


class RolloutNote(NamedTuple):
    """An edit of an object of item ``item_index``, or a finding about it.

    ``new_name`` is the name that the object gets by that, "" where it keeps the one that it has.
    """

    item_index: int
    obj: Object
    proposal: Edit | Result
    new_name: str = ""


class Rename(NamedTuple):
    """An object whose name follows from its content: the name that it is to have, and its noun in messages."""

    item_index: int
    obj: Object
    name: str
    noun: str

    @property
    def keeps_name(self) -> bool:
        """Whether it has this name already."""
        return self.name == self.obj.ref.name

    @property
    def is_hashed(self) -> bool:
        """Whether the name ends with a hash."""
        return self.name != self.obj.base_name


class User(NamedTuple):
    """An object that refers to another one in a field; ``record`` is that of a Cluster that takes it from its class."""

    item_index: int
    obj: Object
    path: Pointer
    record: TargetRecord | None = None

    @property
    def location(self) -> Location:
        """The identity of the object among the others of the list."""
        return location_of(self.item_index, self.obj)


def find_users(
    keys: Iterable[Key], references: Iterable[tuple[Key, User]]
) -> ObjectIndex[list[User]]:
    """Return the objects of some keys, each with the users that refer to it, be it to other equally near ones, too."""
    users: ObjectIndex[list[User]] = ObjectIndex()
    for key in keys:
        users.add(key, [])
    for reference, user in references:
        for key in users.find_all(reference):
            users[key].append(user)
    return users


def plan_rename(
    records: list[TargetRecord], content: Any, config: ProxyConfig, noun: str
) -> Rename:
    """Return an object with the name that it is to have: with a hash of its content where it holds a proxy."""
    obj = records[0].obj
    rename = Rename(records[0].record.item_index, obj, obj.base_name, noun)
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
    rename: Rename, users: list[User], source: ObjectSource, rival: Key | None = None
) -> Iterator[RolloutNote]:
    """Yield the new name of an object and the references that follow it, or why it keeps its name.

    ``rival`` is another object of the list that has the old or the new name.
    """
    index, obj = rename.item_index, rename.obj
    obstacle = _obstacle(rename, users, source, rival)
    if obstacle:
        finding = Result.of("NodesKept", f"keeps its name, {obstacle}", NAME)
        yield RolloutNote(index, obj, finding)
        return
    why = "so that nodes roll" if rename.is_hashed else "without a hash"
    operation = patch.replace(*NAME, value=rename.name)
    edit = Edit((operation,), f'renamed to "{rename.name}" {why}')
    yield RolloutNote(index, obj, edit, rename.name)
    note = _note_of_base_name(obj, is_hashed=rename.is_hashed)
    if note:
        yield RolloutNote(index, obj, note)
    for user in users:
        yield from update_reference(user, rename)


def update_reference(user: User, rename: Rename) -> Iterator[RolloutNote]:
    """Yield the edit that makes a user refer to an object by its name, unless it does already or is encrypted."""
    message = f"refers to the {rename.noun} by its new name, so that nodes roll"
    if user.record is not None:
        yield from _updated_variable(user, user.record, rename, message)
        return
    data = user.obj.data
    if patch.lookup(data, user.path) == rename.name:
        return
    if is_encrypted(data):
        return
    operation = patch.replace(*user.path, value=rename.name)
    yield RolloutNote(user.item_index, user.obj, Edit((operation,), message))


def not_rolled(user: User, noun: str, name: str, config: ProxyConfig) -> RolloutNote:
    """Return a warning about nodes that keep their old content, an information where the user chose that."""
    text = f"nodes keep what they have until the name of the {noun} changes. {advice(config, 'Roll them yourself')}"
    is_info = config.hash_names is False
    finding = Result.of("NodesKept", text, user.path, is_info=is_info)
    return RolloutNote(user.item_index, user.obj, finding._replace(current=name))


def advice(config: ProxyConfig, by_hand: str) -> str:
    """Return the advice about a name that stays, but for an option that the user has set already."""
    if config.hash_names:
        return "Give it a new name"
    return f"{by_hand}, or set `spec.rollout.hashNames: true` (new name)"


def _updated_variable(
    user: User, record: TargetRecord, rename: Rename, message: str
) -> Iterator[RolloutNote]:
    """Yield the edit of a Cluster whose class takes the name of a Secret from a variable."""
    if record.class_context is None:
        return
    name = rename.name if rename.is_hashed else ""
    known = record.class_context._replace(secret=name, has_hashed_secrets=False)
    context = record.context._replace(class_context=known)
    for edit in record.target.edit(user.obj.data, context):
        if isinstance(edit, Edit):
            yield RolloutNote(user.item_index, user.obj, edit._replace(message=message))


def _holds_proxy(records: Iterable[TargetRecord]) -> bool:
    """Return whether an object holds something that a removal would remove."""
    for record in records:
        without_proxy = ProxySettings(cluster=record.resolved.settings.cluster)
        context = record.context._replace(settings=without_proxy)
        for proposal in record.target.edit(record.obj.data, context):
            if isinstance(proposal, Edit):
                return True
    return False


def _obstacle(rename: Rename, users: list[User], source: ObjectSource, rival: Key | None) -> str:
    """Return why an object cannot have its new name, or "".

    An object of another namespace, such as a Kustomization of Flux, follows; it has no say.
    """
    own = rename.obj.ref.namespace
    concerned = [rename.obj]
    items = [rename.item_index]
    for user in users:
        items.append(user.item_index)
        if not own or user.obj.ref.namespace in ("", own):
            concerned.append(user.obj)
    if rename.is_hashed and len(concerned) == 1:
        return "because no object of the list refers to it: add the object that refers to it to the list"
    for obj in concerned:
        if is_encrypted(obj.data):
            return f'because {obj.ref.kind} "{obj.ref.name}" {ENCRYPTED}'
    for index in items:
        if index >= 0 and has_code(source.text_for_ytt(index)):
            return "because ytt computes a part of it, or of an object that refers to it: rename it yourself"
    if rival:
        where = f" in {rival.file}" if rival.file else ""
        return f'because another object{where} has the name "{rival.name}": remove one of the two from the list'
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
    return Edit(tuple(operations), message)
