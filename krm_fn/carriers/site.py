"""A site: one place of one object that holds the proxy variables, and what writing all sites of an object changes.

A site reads and writes the same place, so that lint, drift, explain, inject, remove and fix agree about it. It edits
plain data; the engine finds out which operations that takes, and this module puts into words which variables of which
site were set or removed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from krm_fn.carriers.reading import Reading, Values
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Edit
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, Protocol
from krm_fn.patch import Pointer

Variables = Mapping[str, str]
"""Name of one of the six proxy variables -> value, in the order of ``PROXY_VARIABLES``; empty: no proxy."""

_NOTHING: tuple[Any, ...] = (None, "", [], {})
"""Values that name no proxy, whatever the reader makes of them."""


def says_nothing(draft: Draft, paths: Iterable[Pointer]) -> bool:
    """Return whether no value at the paths can name a proxy.

    A removal leaves such values alone: an earlier removal may have given them back.
    """
    return all(draft.get(path) in _NOTHING for path in paths)


class Site(Protocol):
    """One place of a draft that holds the proxy variables of one reader."""

    @property
    def label(self) -> str:
        """The place in one phrase, for messages: "the drop-in of containerd"."""

    def read(self) -> Iterable[Reading]:
        """Yield what the place sets in the draft as it is now, whoever wrote it."""

    def write(self, variables: Variables) -> None:
        """Make the place of the draft set exactly these variables; what is in the way is reported there."""


class SiteWithoutVariables:
    """A site that holds something beside the proxy, such as certificates or a name: nothing there is a variable."""

    def read(self) -> Iterable[Reading]:
        """Return nothing."""
        return ()


class NestedSites(ABC):
    """Sites in a draft of their own, such as that of a document inside a text: written as a whole or not at all.

    Attributes:
        draft: what the sites edit.
        label: what messages call the whole: "ClusterPolicy "proxy""; "" where the labels of the sites say enough.
    """

    draft: Draft
    label: str = ""

    @abstractmethod
    def sites(self) -> Places:
        """Yield the sites in ``draft``."""

    @abstractmethod
    def read(self) -> Iterator[Reading]:
        """Yield what the sites set, with paths in the object."""

    @abstractmethod
    def commit(self, variables: Variables) -> bool:
        """Take over into the object what the sites wrote and reported.

        Returns:
            False where nothing of it can be written; why not has been reported.
        """


Places = Iterable[Site | NestedSites]
"""The sites of an object."""


def has_site(sites: Places) -> bool:
    """Return whether there is a site; a text in which there is none does not count."""
    return any(not isinstance(site, NestedSites) or has_site(site.sites()) for site in sites)


def write_sites(draft: Draft, sites: Places, variables: Variables) -> Edit | None:
    """Write the variables to all sites of a draft.

    Args:
        draft: the data of the object; afterwards it has the findings of the sites, too.
        sites: places in ``draft``.
        variables: what each site has to set.

    Returns:
        What that changes in the object; None where it changes nothing.
    """
    effects = _written(draft, sites, variables)
    operations = draft.operations() if draft.edits else []
    if not operations:
        return None
    current: dict[str, Any] = {}
    proposed: dict[str, Any] = {}
    for effect in effects:
        for name in (*effect.set_names, *effect.removed_names):
            if effect.before.get(name) is not None:
                current.setdefault(name, effect.before[name])
        for name in effect.set_names:
            value, wanted = effect.after[name], variables.get(name)
            if value is not None:
                # A list may be long: all objects share the text of their settings.
                proposed.setdefault(name, wanted if value == wanted else value)
    return Edit(
        tuple(operations),
        _message(effects, draft.descriptions),
        current or None,
        proposed or None,
        draft.data,
    )


def correct_sites(sites: Places, place: Mapping[str, Reading], values: Values) -> None:
    """Give the variables of one place other values: its site writes all that it sets again.

    Nothing is changed where a value is known to others only.

    Args:
        sites: those of the object.
        place: everything that the place sets: at least one variable.
        values: what it has to set instead, or besides.
    """
    first = next(iter(place.values()))
    texts = {name: one.raw if one.value is None else one.value for name, one in place.items()}
    known = {name: text for name, text in {**texts, **values}.items() if text}
    if not values or not known.keys() >= {*texts, *values}:
        return
    for site in sites:
        found = list(site.read())
        if not any((one.place, one.path) == (first.place, first.path) for one in found):
            continue
        if isinstance(site, NestedSites):
            _written(site.draft, _sites_of_place(site, first.place), known)
            site.commit(known)
        else:
            site.write(known)
        return


def _sites_of_place(whole: NestedSites, place: str) -> Places:
    """Yield the sites inside a text that read one place."""
    for site in whole.sites():
        if any(one.place == place for one in site.read()):
            yield site


def _written(draft: Draft, sites: Places, variables: Variables) -> list[_Effect]:
    """Write the variables to all sites of a draft; return what that changed."""
    effects = []
    for site in sites:
        if isinstance(site, NestedSites):
            nested = _written(site.draft, site.sites(), variables)
            if site.commit(variables):
                effects += [effect.within(site.label) for effect in nested]
            continue
        before, edits = draft.snapshot(), draft.edits
        try:
            site.write(variables)
        except WrongTypeError as error:
            finding = wrong_type(error.path, error.value, error.wanted)
            if finding not in draft.findings:
                draft.findings.append(finding)
        if draft.edits > edits:
            effects.append(_effect(draft, before, site, variables))
    return effects


def _effect(draft: Draft, before: Any, site: Site, variables: Variables) -> _Effect:
    """Return what a site changed in a draft, whose data was ``before``.

    What was there is read only now: most sites change nothing.
    """
    now, read_now = draft.snapshot(), [*site.read()]
    draft.restore(before)
    read_before = [*site.read()]
    draft.restore(now)
    return _Effect.between(site.label, read_before, read_now, variables)


class _Effect:
    """What writing one site changed; ``is_whole``: afterwards it sets all variables that are wanted, and no others."""

    def __init__(
        self,
        label: str,
        before: Mapping[str, str | None],
        after: Mapping[str, str | None],
        *,
        is_whole: bool,
    ) -> None:
        self.label = label
        self.before = before
        self.after = after
        self.is_whole = is_whole
        # A variable without a known value is not set here: it comes from another object.
        self.set_names = [
            name for name, value in after.items() if value is not None and before.get(name) != value
        ]
        self.removed_names = [name for name in before if name not in after]

    @classmethod
    def between(
        cls, label: str, before: list[Reading], after: list[Reading], variables: Variables
    ) -> _Effect:
        """Return what changed between two readings of a site."""
        wanted = {name.upper() for name in variables}  # some readers know one case only
        found = {one.variable.upper() for one in after}
        return cls(label, _values(before), _values(after), is_whole=wanted == found)

    def within(self, label: str) -> _Effect:
        """Return the same of a site inside something else; a label of "" says nothing about it."""
        whole_label = f"{self.label} of {label}" if label else self.label
        return _Effect(whole_label, self.before, self.after, is_whole=self.is_whole)

    @property
    def changes(self) -> list[tuple[str, str]]:
        """What is set and what is removed: "sets" or "removes", and the names, or "the proxy" where it is all of it."""
        is_set = self.is_whole and len(self.set_names) == len(self.after)
        is_removed = self.is_whole and not self.after
        found = []
        if self.set_names:
            found.append(("sets", "the proxy" if is_set else quoted(self.set_names)))
        if self.removed_names:
            found.append(("removes", "the proxy" if is_removed else quoted(self.removed_names)))
        return found


def _values(readings: Iterable[Reading]) -> dict[str, str | None]:
    """Return what a person calls each variable that is set -> its value, or what is known of it; None for nothing."""
    found: dict[str, str | None] = {}
    for one in readings:
        value = one.known or None if one.value is None else one.value
        found[one.member or one.variable] = value
    return found


def _message(effects: Iterable[_Effect], descriptions: Iterable[str]) -> str:
    """Return what was set, removed and done besides, in one sentence."""
    groups: dict[tuple[str, str], list[str]] = {}
    others: list[str] = []
    for effect in effects:
        for change in effect.changes:
            groups.setdefault(change, []).append(effect.label)
        if not effect.changes:
            others.append(effect.label)
    parts = [f"{verb} {names} in {_listed(labels)}" for (verb, names), labels in groups.items()]
    descriptions = list(descriptions)
    parts += descriptions
    if others and not descriptions:
        parts.append(f"updates {_listed(others)}")
    return ", ".join(parts)


def quoted(names: Iterable[str]) -> str:
    """Return names as messages write them, each once: ``HTTP_PROXY``, ``http_proxy`` in back-quotes."""
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def _listed(labels: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(labels))


def read_sites(sites: Places) -> Iterator[Reading]:
    """Yield what all sites set."""
    for site in sites:
        yield from site.read()
