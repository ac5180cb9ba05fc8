"""Our variable and our patches in a ClusterClass, as places: those that it has to have, and those that are there.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.engine import Draft
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Data, lookup, named_items
from krm_fn.places.members import CAMEL
from krm_fn.places.place import Place
from krm_fn.places.reading import Reading, quoted
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Places
from krm_fn.targets.class_context import ClassContext, ClassPlan
from krm_fn.targets.nodes.clusterclass.foreign_patches import is_ours, others_in
from krm_fn.targets.nodes.clusterclass.names import PATCHES, VARIABLE, VARIABLES
from krm_fn.targets.nodes.clusterclass.variable import definition_of

_DEFAULT = ("schema", "openAPIV3Schema", "default")


def places(obj: Data, settings: ProxySettings, context: ClassContext) -> Places:
    """Yield the variable and the patches of a ClusterClass; ``settings`` are the default of the variable."""
    plan = context.plan or ClassPlan(others_in(obj))
    yield from plan.findings
    is_asked = settings.is_declared or context.is_wanted or context.repairs_erased
    if plan.patches is None or not is_asked:
        return
    definition = None
    if plan.has_ours and context.is_wanted:
        definition = definition_of(settings, context.content)
    if settings.is_declared or not named_items(obj, VARIABLES, VARIABLE):
        label = f"the variable `{VARIABLE}`"
        yield Place(VARIABLES, Definition(definition), label, 1, is_trust=True)
    yield Place(PATCHES, Patches(plan.patches), "the patches", is_trust=True)


class Definition(NamedTuple):
    """The definition of our variable among those of a class; None for none."""

    definition: Fields | None

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the default of the variable says, with the names that Cluster API fills in."""
        for entry in named_items(data, place.path, VARIABLE):
            default = Place((*entry, *_DEFAULT), CAMEL, place.label)
            yield from CAMEL.read(data, default)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Define the variable in its place, else at the end, or remove it."""
        missing = [self.definition] if self.definition else []
        definitions: list[Any] = []
        for entry in draft.items(place.path):
            if lookup(entry, ("name",)) == VARIABLE:
                definitions += missing
                missing = []
            else:
                definitions.append(entry)
        draft.set_items(place.path, [*definitions, *missing])


class Patches(NamedTuple):
    """All patches of a class; what ours write is in the variable."""

    patches: Sequence[Any]

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield nothing."""
        yield from ()

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the patches what they have to be."""
        edits = draft.edits
        draft.set_items(place.path, self.patches)
        if draft.edits == edits:
            return
        names = [str(patch["name"]) for patch in self.patches if is_ours(patch)]
        if names:
            draft.describe(f"sets the patches {quoted(names)}")
        else:
            draft.describe("removes our patches")
