"""Which templates get a name with a hash of their content, which references follow, and which nodes are not rolled.

Cluster API rolls nodes when a reference changes, not when the template behind it does, and the API server takes no
other content for the template of a control plane. Only a ClusterClass carries the content of a template of workers on,
so such a template of a class causes no finding.

Whether a template holds something of a target, the target says: a removal would take it out. Of
the content it reads only which Secrets files are taken from. A name follows from the FunctionConfig and the content,
whatever it was before; a template to which nothing in the list refers keeps its name, because nobody could follow, and
so does one that is encrypted, or that something encrypted refers to.

Sources: Cluster API book, "Updating Machine Infrastructure and Bootstrap Templates", "Changing a ClusterClass";
``controlplane/kubeadm/webhooks/kubeadm_control_plane_template.go``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from krm_fn import patch
from krm_fn.clusters import ByKey, Key, key_of, may_be_same, meanings, references
from krm_fn.config import ProxyConfig
from krm_fn.formats import sops
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Edit, Finding, ObjectRef, Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer
from krm_fn.plan import ObjectSource, PlannedEdit, items_of_kinds
from krm_fn.plan.rollout.model import (
    GIVE_A_NAME,
    HEX,
    NAME,
    RolloutNote,
    advice,
    hash_of,
    holds_something,
    kept_name,
)
from krm_fn.plan.rollout.secrets import hashed, secret_names
from krm_fn.products import distributions
from krm_fn.products.node_kinds import NODE_KINDS

__all__ = ["RolloutNote", "new_refs", "rollout", "secret_names"]

_SECRET = ("", "Secret")


class _TemplateKind(NamedTuple):
    """What is known of a kind of templates: where files are, and whether no other content is taken for them."""

    files: Pointer = ()
    is_frozen: bool = False


_TEMPLATES = {
    **{
        key: _TemplateKind(kind.files, kind.is_control_plane)
        for key, kind in NODE_KINDS.items()
        if kind.is_template
    },
    **{key: _TemplateKind(is_frozen=row.is_frozen) for key, row in distributions.TEMPLATES.items()},
}
_MACHINES = {"MachineDeployment", "MachineSet", "MachinePool"}
_LONGEST = 253
"""Of the name of an object, as Kubernetes has it: a DNS subdomain."""


_User = tuple[int, Object, Pointer]
"""Item, object, and the field in which it refers to a template."""


class _Template(NamedTuple):
    """A template as the run leaves it, the name that it is to have, and whether the nodes it makes change.

    ``is_same``: only a Secret from which it takes a file changes.
    """

    item_index: int
    obj: Object
    name: str
    is_changed: bool
    is_same: bool


class _Known:
    """Of the templates of a list: their names, and who refers to them, with the field that does.

    ``encrypted``: what SOPS has encrypted of a template and of all that refer to it.
    """

    def __init__(self, names: Iterable[Key] = ()) -> None:
        self.names = set(names)
        self.users: dict[Key, list[_User]] = {}
        self.encrypted: dict[Key, ObjectRef] = {}


def rollout(
    source: ObjectSource, places: Sequence[PlannedEdit], wanted: ProxyConfig, changed: set[int]
) -> Iterator[RolloutNote]:
    """Yield new names and the references that follow, as the user chose.

    And what will not be rolled.

    Args:
        source: the list before the run.
        places: all that were looked at, after injection.
        wanted: the checked FunctionConfig.
        changed: ``id`` of each object whose data is not what it was.

    Raises:
        InputError: an object that seems to refer to a template cannot be read.
    """
    concerned = [
        template
        for template in _templates(places, wanted, changed)
        if template.is_changed or template.name != template.obj.ref.name
    ]
    known = _known(source, places) if concerned else _Known()
    for template in concerned:
        users = known.users.get(key_of(template.obj), [])
        if template.name == template.obj.ref.name:
            yield from _not_rolled(template, users, wanted)
        elif obstacle := _obstacle(template, known, source):
            yield RolloutNote(
                template.item_index,
                template.obj,
                Finding(Severity.WARNING, f"keeps its name, {obstacle}", NAME, code="NameKept"),
            )
        else:
            yield from _renamed(template, users)


def new_refs(rollout_notes: Iterable[RolloutNote]) -> dict[ObjectRef, ObjectRef]:
    """Return the new identity of each object that gets another name."""
    return {
        one.obj.ref: one.obj.ref._replace(name=one.proposal.operations[0].value)
        for one in rollout_notes
        if isinstance(one.proposal, Edit) and one.proposal.path == NAME
    }


def _templates(
    places: Sequence[PlannedEdit], wanted: ProxyConfig, changed: set[int]
) -> Iterator[_Template]:
    """Yield the templates of a list.

    Of two with one identity the first decides about both names.
    """
    names: dict[Key, str] = {}
    followed = hashed(places)  # the name of such a Secret in a template says what its content is
    secrets = ByKey(
        (key_of(place.obj), place.obj)
        for place in places
        if place.obj.group_kind == _SECRET and id(place.obj.data) not in followed
    )
    for _, group in groupby(places, key=lambda place: id(place.obj)):
        of_object = list(group)
        index, obj = of_object[0].item_index, of_object[0].obj
        if obj.group_kind in _TEMPLATES and obj.ref.name:
            is_hashed = wanted.hash_names and holds_something(of_object)
            file_secrets = list(_file_secrets(obj, secrets))
            name = f"{obj.base_name}-{_hash(obj, file_secrets)}" if is_hashed else obj.base_name
            is_changed = id(obj) in changed or (
                not _TEMPLATES[obj.group_kind].is_frozen
                and any(id(secret) in changed for secret, _ in file_secrets)
            )
            yield _Template(
                index, obj, names.setdefault(key_of(obj), name), is_changed, id(obj) not in changed
            )


def _file_secrets(obj: Object, secrets: Mapping[Key, Object]) -> Iterator[tuple[Object, str]]:
    """Yield the Secrets of the list, and the keys in them, that hold the content of files."""
    path = _TEMPLATES[obj.group_kind].files
    files = patch.lookup(obj.data, path) if path else ()
    for file in files if isinstance(files, list) else ():
        source = patch.lookup(file, ("contentFrom", "secret"))
        name, key = patch.lookup(source, ("name",)), patch.lookup(source, ("key",))
        if isinstance(name, str) and isinstance(key, str):
            secret = secrets.get((*_SECRET, obj.ref.namespace, name, obj.ref.file_path))
            if secret is not None:
                yield secret, key


def _hash(obj: Object, file_secrets: Iterable[tuple[Object, str]]) -> str:
    """Return a hash of what the nodes get: the template, and what it takes from Secrets."""
    fields = ("data", "stringData")
    elsewhere = [
        patch.lookup(secret.data, (field, key)) for secret, key in file_secrets for field in fields
    ]
    return hash_of([obj.data.get("spec"), *elsewhere])


def _known(source: ObjectSource, places: Iterable[PlannedEdit]) -> _Known:
    """Return names and users of the templates of the list.

    No target edits a reference to a template, so an object that was read for its edit is not read again.
    """
    known, words = _Known(), {kind for _, kind in _TEMPLATES}
    read = {place.item_index: place.obj for place in places if not place.is_new}
    for index in items_of_kinds(source, words):
        is_whole_item = index in read and not read[index].path
        for obj in [read[index]] if is_whole_item else source.objects(index):
            uses = [] if obj.is_local else list(references(obj))
            own = [key_of(obj)] if obj.group_kind in _TEMPLATES else []
            known.names.update(own)
            for target, path in uses:
                known.users.setdefault(target, []).append((index, obj, path))
            if sops.is_encrypted(obj.data):
                inside = [one for one, _ in uses if may_be_same(one[2], obj.ref.namespace)]
                known.encrypted.update(dict.fromkeys([*own, *inside], obj.ref))
    return _settled(known)


def _settled(known: _Known) -> _Known:
    """Return the same with the names of the templates that are meant, where one of both has no namespace."""
    meant = meanings(ByKey((key, None) for key in known.names), [*known.users, *known.encrypted])
    settled = _Known(known.names)
    for key, users in known.users.items():
        settled.users.setdefault(meant.get(key, key), []).extend(users)
    for key, ref in known.encrypted.items():
        settled.encrypted[meant.get(key, key)] = ref
    return settled


def _obstacle(template: _Template, known: _Known, source: ObjectSource) -> str:
    """Return why a template cannot have its new name; "" if it can.

    An object of another namespace, such as a Kustomization of Flux, follows; it has no say.
    """
    key = key_of(template.obj)
    users = (user for _, user, _ in known.users.get(key, ()))
    if not any(may_be_same(user.ref.namespace, key[2]) for user in users):
        return (
            f'and not "{template.name}", because no object of the list refers to it and references elsewhere would '
            "break: add the object that refers to it to the list"
        )
    if one := known.encrypted.get(key):
        return f'because {one.kind} "{one.name}" {sops.ENCRYPTED}'
    concerned = [template.item_index, *(at for at, _, _ in known.users[key])]
    if any(source.text_for_ytt(at) is not None for at in concerned):
        return "because ytt computes a part of it, or of an object that refers to it: rename it yourself"
    if any((*key[:3], template.name) == other[:4] for other in known.names):
        return f'because another object has the name "{template.name}": remove one of the two from the list'
    if len(template.name) > _LONGEST:
        return f"because it is too long for a hash: shorten it to {_LONGEST - HEX - 1} characters or less"
    return ""


def _renamed(template: _Template, users: list[_User]) -> Iterator[RolloutNote]:
    index, obj, name = template.item_index, template.obj, template.name
    why = "so that nodes roll" if name != obj.base_name else "without a hash"
    yield RolloutNote(
        index, obj, Edit((patch.replace(*NAME, value=name),), f'renamed to "{name}" {why}')
    )
    if change := kept_name(obj, is_hashed=name != obj.base_name):
        yield RolloutNote(index, obj, change)
    for at, user, path in users:
        if sops.is_encrypted(user.data):
            continue  # one of another namespace
        yield RolloutNote(
            at,
            user,
            Edit(
                (patch.replace(*path, "name", value=name),),
                "refers to the template by its new name",
            ),
        )


def _not_rolled(
    template: _Template, users: list[_User], wanted: ProxyConfig
) -> Iterator[RolloutNote]:
    """Yield notes about a template that changes and keeps its name.

    Warnings, unless the user chose that.
    """
    severity = Severity.INFO if wanted.hash_names is False else Severity.WARNING
    if _TEMPLATES[template.obj.group_kind].is_frozen:
        text = (
            "the API server rejects this change if the template exists already, because `spec.template.spec` is "
            f"immutable. {advice(wanted.hash_names, GIVE_A_NAME, 'you rename it')}"
        )
        found = Finding(severity, text, ("spec", "template", "spec"), code="TemplateImmutable")
        yield RolloutNote(template.item_index, template.obj, found)
        return
    text = (
        "nodes keep what they have until the name of the template changes. "
        f"{advice(wanted.hash_names, 'Roll them yourself', 'you roll them')}"
    )
    kinds = (
        _MACHINES if not template.is_same else {*_MACHINES, "ClusterClass"}
    )  # which carries another content on
    for index, user, path in users:
        if user.ref.kind in kinds:
            yield RolloutNote(
                index,
                user,
                Finding(
                    severity, text, (*path, "name"), template.obj.ref.name, code="NodesNotRolled"
                ),
            )
