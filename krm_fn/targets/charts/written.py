"""The annotation that keeps which values of charts are ours, and which texts among them were there and empty.

Its text separates by commas ``<chart>:<path>`` of each place and ``<chart>:<path> (empty)`` of such a text, which is
empty again later; ``(null)`` and ``(false)`` where it was that. Empty lists and mappings are kept by the writer
(``yamledit.origin``).
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.carriers.chosen_containers import names_in
from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.engine import Draft
from krm_fn.light_typing import NamedTuple, Protocol
from krm_fn.patch import Pointer

ANNOTATION = "fn.inject-proxy.io/proxy-values"
_PATH: Pointer = ("metadata", "annotations", ANNOTATION)
_EMPTY: Mapping[str | bool | None, str] = {"": " (empty)", None: " (null)", False: " (false)"}
"""What a text was -> the mark behind its name; charts take ``false`` for none."""


class ValueKey(NamedTuple):
    """One place among the values of a chart: the chart, and the name of the place."""

    chart: str
    name: str

    def __str__(self) -> str:
        return f"{self.chart}:{self.name}"


class _NotedPlace(Protocol):
    """A place that tells whether it holds what a run writes."""

    def sets(self, variables: Variables) -> bool:
        """Return whether it sets something, each of the variables, and no other."""


class OurValues:
    """What the annotation of one object says, and what it is to say after a run.

    Args:
        draft: the data of the object.
    """

    def __init__(self, draft: Draft) -> None:
        text = draft.get(_PATH)
        self.ours: list[ValueKey] = []
        self.were_empty: dict[ValueKey, str | bool | None] = {}
        for item in names_in(text) if isinstance(text, str) else ():
            was = [one for one, mark in _EMPTY.items() if item.endswith(mark)]
            if was:
                chart, _, name = item.removesuffix(_EMPTY[was[0]]).partition(":")
                self.were_empty[ValueKey(chart, name)] = was[0]
            else:
                chart, _, name = item.partition(":")
                self.ours.append(ValueKey(chart, name))
        self._sites: list[tuple[ValueKey, _NotedPlace]] = []

    def note(self, key: ValueKey, site: _NotedPlace) -> None:
        """Note a place that this run writes."""
        self._sites.append((key, site))

    def text(self, variables: Variables, *, keeps_others: bool) -> str:
        """Return what the annotation is to say after the sites are written."""
        items = []
        for key, site in self._sites:
            is_candidate = key in self.ours or not keeps_others
            if variables and is_candidate and site.sets(variables):
                items.append(str(key))
        charts = {key.chart for key, _ in self._sites} if items else set()
        for key, was in self.were_empty.items():
            if key.chart in charts:
                items.append(f"{key}{_EMPTY[was]}")
        return ",".join(dict.fromkeys(items))


class WrittenValues(SiteWithoutVariables):
    """The annotation as a site, which is written after all others of its object.

    Args:
        draft: the data of the object.
        written: what was written.
        keeps_others: the option ``conflict`` leaves no place to us that was not ours before.
    """

    label = f"the annotation `{ANNOTATION}`"

    def __init__(self, draft: Draft, written: OurValues, *, keeps_others: bool) -> None:
        self._draft = draft
        self._written = written
        self._keeps_others = keeps_others

    def write(self, variables: Variables) -> None:
        """Note the places that are ours now.

        Raises:
            WrongTypeError: ``metadata.annotations`` is no mapping.
        """
        text = self._written.text(variables, keeps_others=self._keeps_others)
        if not text:
            self._draft.remove(_PATH, keep=1)
        elif self._draft.get(_PATH) != text:
            self._draft.set(_PATH, text, keep=1)
