"""The one comparison of a run: what every place of every object holds, and what it should hold.

What a run reports, what `--check` counts, what `explain` shows and the table of what was covered are views of these
records: none of them looks at an object again.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from krm_fn.clusters.model import Memberships
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.places.place import Reading
from krm_fn.plan import PlannedEdit


class Compared(NamedTuple):
    """One object as one target sees it.

    Attributes:
        place: the object, its target, its Clusters and the proxy that it gets.
        before: what it holds before the run.
        after: what it holds after the run.
        results: what the run says of it: at most one change, and findings.
    """

    place: PlannedEdit
    before: tuple[Reading, ...] = ()
    after: tuple[Reading, ...] = ()
    results: tuple[Result, ...] = ()

    @property
    def obj(self) -> Object:
        """The object."""
        return self.place.obj

    @property
    def wanted(self) -> Mapping[str, str]:
        """Variable -> the value that it should have; none where there should be no proxy."""
        return self.place.resolved.settings.variables()

    @property
    def is_changed(self) -> bool:
        """Whether the run changes the place, or would if it were no check."""
        return any(is_change(result) for result in self.results)


def is_change(result: Result) -> bool:
    """Return whether a result says what a target changes, or would change if this were no check."""
    return bool(result.target) and result.code in ("", "ProxyMissing")


class Why(Enum):
    """Why an object is left: a sentence about several, and the text in a ProxyConfig that changes it.

    NAMES stands for the charts or presets that these objects are of, and DETAIL for what a finding says.
    """

    FINDING = "DETAIL", ""
    FAILED = "nothing was changed, because the run has errors", ""
    SWITCHED_OFF = "`spec.only` or `spec.targets` leaves them out", ""
    NOT_SELECTED = "`spec.selector` or an annotation leaves them out", ""
    NOT_DECLARED = "no proxy is declared for them, in `spec` or in an override that fits", ""
    HOLD_NONE = "they hold no proxy", ""
    NO_TARGET = "no target that is on writes them", ""
    BY_CLASS = "their ClusterClass writes it", ""
    POLICY_WITHOUT = "they set no proxy", ""
    PRESET = "presets would choose them", "targets: {workloads: {presets: [NAMES]}}"
    OTHER_CHART = "charts whose values are not known: NAMES", ""
    KNOWN_CHART = (
        "known charts that nobody chose",
        "targets: {charts: {choose: [{charts: [NAMES]}]}}",
    )
    WORKLOAD = "nobody chose them", "targets: {workloads: {choose: [{names: [NAME]}]}}"
    CHART = "nobody chose them", "targets: {charts: {choose: [{charts: [NAME]}]}}"
    VALUES = "their values switch off what would use the proxy", ""
    NOT_JUDGED = (
        "set the proxy yourself: values of `helmCharts`, `spec.kustomize` of a FluxInstance",
        "",
    )


class Reason(NamedTuple):
    """Why one object is left: ``detail`` is the message of a finding, ``name`` its chart or preset."""

    why: Why
    detail: str = ""
    name: str = ""


class State(Enum):
    """What becomes of an object."""

    CHANGED = "changed"
    HAS_IT = "have it"
    LEFT = "left"


class ObjectRecord(NamedTuple):
    """One object after a run.

    Attributes:
        item_index: the number of its item in the list.
        obj: the object.
        memberships: the Clusters that it belongs to.
        places: what each target sees in it.
        others: the variables of a proxy in it that no target owns.
        findings: what is to be said of these.
        state: what becomes of it.
        reason: why it is left, as far as something in it says so.
    """

    item_index: int
    obj: Object
    memberships: Memberships
    places: tuple[Compared, ...] = ()
    others: tuple[Reading, ...] = ()
    findings: tuple[Result, ...] = ()
    state: State = State.LEFT
    reason: Reason | None = None

    @property
    def holds_proxy(self) -> bool:
        """Whether something in it sets a proxy."""
        readings = [*self.others]
        for place in self.places:
            readings += place.after
        return any(reading.text and not reading.is_list for reading in readings)
