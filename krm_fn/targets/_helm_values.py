"""Values of Helm charts, wherever an object holds them: whose they are, where they stand, and several edits as one.

It finds values and hands edits on; which members of them hold a proxy is known by the targets.
Values of which it cannot be told by the object alone for which chart they are, are none.

Sources: ``HelmRelease`` of Flux (``helm.toolkit.fluxcd.io``, v2beta1 to v2): ``spec.values``, the chart in
``spec.chart.spec.chart`` or ``spec.chartRef``, and ``valuesFrom`` with its default key ``values.yaml``; ``App`` of
Giant Swarm, whose ``spec.config`` and ``spec.userConfig`` name a ConfigMap or a Secret with the key ``values``
(``kubectl gs template`` calls it ``<app>-userconfig``, the documentation ``<app>-user-values``); the files
``secret-values.yaml.patch`` of a Giant Swarm config repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from krm_fn.clusters import chart_of
from krm_fn.engine.member_edits import MemberEdits, together
from krm_fn.formats.embedded import Embedded, Value, mappings, read, values
from krm_fn.krm.results import Change, Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import Pointer, lookup
from krm_fn.targets._whole_text import commented
from krm_fn.targets.embedded_edits import in_document

HELM_RELEASE = ("helm.toolkit.fluxcd.io", "HelmRelease")
KINDS = frozenset({HELM_RELEASE, ("", "Secret"), ("", "ConfigMap")})

_KEY = re.compile(r"(?:(?:secret|configmap)-)?values(?:\.ya?ml(?:\.(?:patch|template))?)?")


@dataclass(frozen=True)
class HelmValues:
    """The values that one object holds.

    ``data`` is what they stand in: the object itself, where they begin at ``root``, or the document ``found`` of a text
    in it. ``of`` is a name that tells the chart: that of the chart itself, or that of the object.
    """

    data: Any
    of: str
    root: Pointer = ()
    found: Embedded | None = None

    @property
    def text(self) -> Pointer:
        """Where the text stands that holds them; () if they are a part of the object."""
        return self.found.value.path if self.found else ()


def of_object(obj: Mapping[str, Any]) -> Iterator[HelmValues]:
    """The values in an object: those of a HelmRelease also where there are none yet."""
    if obj.get("kind") == "HelmRelease":
        yield HelmValues(obj, chart_of(obj), root=("spec", "values"))
        return
    name = lookup(obj, ("metadata", "name"))
    for value in values(obj) if isinstance(name, str) else ():
        if isinstance(value, Value) and _KEY.fullmatch(value.path[-1]):
            yield from (
                HelmValues(one.data, str(name), found=one) for one in list(mappings(value))[:1]
            )


def unread(obj: Mapping[str, Any]) -> Iterator[Change | Finding]:
    """What is wrong with the texts of a Secret or a ConfigMap that should hold values, and cannot be read as such."""
    for value in values(obj):
        if len(value.path) > 1 and not _KEY.fullmatch(value.path[-1]):
            continue
        found = value if isinstance(value, Finding) else read(value)
        if isinstance(found, Finding):
            yield found
        elif (
            found
            and found[0].data is not None
            and not any(isinstance(one.data, dict) for one in found)
        ):
            yield from in_document(found[0], wrong_type((), found[0].data, "a mapping"))


def blank(obj: Mapping[str, Any]) -> Iterator[Value]:
    """The texts of a Secret or a ConfigMap that are to hold values, and hold none yet."""
    for value in values(obj):
        if isinstance(value, Value) and _KEY.fullmatch(value.path[-1]) and read(value) == []:
            yield value


def is_of_chart(name: str, chart: str) -> bool:
    """Whether a name tells that chart: it is the chart's, or holds it between hyphens."""
    return f"-{chart}-" in f"-{name}-"


def propose(
    held: HelmValues, parts: list[Callable[[Any], MemberEdits | Finding]]
) -> Iterator[Change | Finding]:
    """What several edits change in the object, each of which sees what those before it made of ``held.data``."""
    made, problems = together(held.data, parts)
    if held.found is None:
        yield from problems
        yield from made.changes()
        return
    for problem in problems:
        yield from in_document(held.found, problem)
    yield from (commented(held.found.value, reported) for reported in in_document(held.found, made))
