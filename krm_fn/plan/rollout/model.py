"""What templates and Secrets that follow from their content have in common: a name with a hash, and the way back."""

from __future__ import annotations

import json
from collections.abc import Iterable

from krm_fn import patch
from krm_fn.krm.resourcelist import BASE_NAME, Object
from krm_fn.krm.results import Edit, Finding
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.plan import PlannedEdit
from krm_fn.settings import ProxySettings
from krm_fn.targets import Context

GIVE_A_NAME = "Give it a new name"
_HASH = "`spec.rollout.hashNames: true` (new name)"
NAME = ("metadata", "name")
HEX = 10


class RolloutNote(NamedTuple):
    """What is to be done to an object of item ``item_index``, or what there is to say about it."""

    item_index: int
    obj: Object
    proposal: Edit | Finding


def advice(hash_names: bool | None, by_hand: str, meaning: str) -> str:
    """Return what to do about a name that stays; what the user has set already is not advised.

    Args:
        hash_names: ``spec.rollout.hashNames``; None where it is not set.
        by_hand: what the user does where it is false, as an instruction.
        meaning: what ``false`` means, in a few words.
    """
    if hash_names is None:
        return f"Set {_HASH} or `false` ({meaning})"
    if hash_names:
        return GIVE_A_NAME
    return f"{by_hand}, or set {_HASH}"


def holds_something(places: Iterable[PlannedEdit]) -> bool:
    """Return whether an object holds something that a removal would remove."""
    for place in places:
        without_proxy = ProxySettings(cluster=place.resolved.settings.cluster)
        context = Context(place.options, without_proxy, uses=place.uses)
        edits = place.target.edit(place.obj.data, context)
        if any(isinstance(one, Edit) for one in edits):
            return True
    return False


def hash_of(content: Any) -> str:
    """Return ten hexadecimal digits of the SHA-256 of plain data, whatever the order of its keys."""
    import hashlib  # noqa: PLC0415 -- loads OpenSSL: only for names with a hash

    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:HEX]


def kept_name(obj: Object, *, is_hashed: bool) -> Edit | None:
    """Return the edit of the annotation that keeps the old name.

    An empty mapping is removed with it.
    """
    notes = ("metadata", "annotations")
    if not is_hashed:
        is_last = len(obj.annotations) == 1
        return Edit(
            (patch.remove(*notes, *(() if is_last else (BASE_NAME,))),),
            "removes the note of the former name: the name has no hash",
        )
    if obj.annotations.get(BASE_NAME) == obj.base_name:
        return None
    why = "notes the name without its hash, so that a later run can restore it"
    if obj.annotations:
        return Edit((patch.add(*notes, BASE_NAME, value=obj.base_name),), why)
    return Edit((patch.add(*notes, value={BASE_NAME: obj.base_name}),), why)
