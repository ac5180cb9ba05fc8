"""Our variable and our patches in a ClusterClass, as places: those that it has to have, and those that are there.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.engine import Draft
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Data, list_at, lookup, named_items
from krm_fn.places.mapping_forms import CAMEL
from krm_fn.places.place import Place, Reading
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Places
from krm_fn.targets.class_context import ClassContext, ClassPlan
from krm_fn.targets.nodes.clusterclass.foreign_patches import others_in
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
    if settings.is_declared or not named_items(obj, VARIABLES, VARIABLE):
        ours = []
        if plan.has_ours and context.is_wanted:
            ours.append(definition_of(settings, context.content))
        definitions = ClassList(_with_ours(obj, ours))
        yield Place(VARIABLES, definitions, f"the variable `{VARIABLE}`", 1, is_unconditional=True)
    yield Place(PATCHES, ClassList(plan.patches), "our patches", is_unconditional=True)


def _with_ours(obj: Data, ours: Sequence[Any]) -> list[Any]:
    """Return the definitions of variables with our one in its place, else at the end."""
    definitions: list[Any] = []
    for definition in list_at(obj, VARIABLES):
        if lookup(definition, ("name",)) != VARIABLE:
            definitions.append(definition)
        else:
            definitions += ours
            ours = []
    return [*definitions, *ours]


class ClassList(NamedTuple):
    """A list of a class, and the items that it has to have: definitions of variables, or patches."""

    items: Sequence[Any]

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the default of our variable says, with the names that Cluster API fills in."""
        for path in named_items(data, place.path, VARIABLE):
            default = Place((*path, *_DEFAULT), CAMEL, place.label)
            yield from CAMEL.read(data, default)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the list what it has to be."""
        draft.set_items(place.path, self.items)
