"""New names of objects so that nodes roll: templates, and Secrets with drop-ins."""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.krm.results import Edit, ObjectRef
from krm_fn.plan.rollout.naming import NAME, RolloutNote
from krm_fn.plan.rollout.secrets import secret_names
from krm_fn.plan.rollout.templates import template_names

__all__ = ["RolloutNote", "new_refs", "secret_names", "template_names"]


def new_refs(notes: Iterable[RolloutNote]) -> dict[ObjectRef, ObjectRef]:
    """Return the new identity of each object that gets another name."""
    found = {}
    for note in notes:
        if isinstance(note.proposal, Edit) and note.proposal.path == NAME:
            name = note.proposal.operations[0].value
            found[note.obj.ref] = note.obj.ref._replace(name=name)
    return found
