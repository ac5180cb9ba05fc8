"""The entries of a policy that set a proxy, and how they are filled: for rules and for CEL expressions alike."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env, read_kubernetes_env
from krm_fn.light_typing import Any, NamedTuple, Variables
from krm_fn.patch import Pointer, text_at, walk
from krm_fn.places.place import Place, Reading, Readings, quoted
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

COMPUTED = "Kyverno computes it: set the proxy there, or write the value as text"
_PROXY_NAME = re.compile(rf"(?<!\w)({'|'.join(PROXY_VARIABLES)})(?!\w)")


class TextPlace(NamedTuple):
    """Where the text of a value is: a field of the policy, or from ``start`` to ``end`` in that field."""

    path: Pointer
    start: int = 0
    end: int = 0


class PolicyEntry(NamedTuple):
    """One place where a policy sets a proxy variable.

    Attributes:
        name: the variable.
        path: leads to the entry of a rule, or to the expression.
        place: where the text is that decides the value.
        value: the value, as far as the policy says it.
        rest: the end of the text of a list, which stays: a comma, and the part that Kyverno computes.
        problem: why the text cannot be written, as the end of a sentence; "" where it can.
    """

    name: str
    path: Pointer
    place: TextPlace
    value: str | None = None
    rest: str = ""
    problem: str = ""

    @property
    def is_list(self) -> bool:
        """Whether the variable is a list of hosts."""
        return self.name.upper() == "NO_PROXY"


class PolicyForm(ABC):
    """The proxy variables that one author sets: a rule, or the expressions of a policy."""

    @abstractmethod
    def entries(self, data: Any, place: Place) -> list[PolicyEntry]:
        """Return the entries of a policy, or of a text in it."""

    @abstractmethod
    def remove(self, draft: Draft, place: Place, entries: Sequence[PolicyEntry]) -> None:
        """Take the proxy out, or report the entries that stay."""

    def set_texts(self, draft: Draft, texts: Mapping[TextPlace, str]) -> None:
        """Write texts; each is in its place already, or not."""
        for place, text in texts.items():
            draft.set(place.path, text)

    def container_name(self, policy_entry: PolicyEntry, place: Place) -> str:
        """Return the name that messages give to the container of an entry."""
        return place.label

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables that the policy sets, as far as it says them, each reading once."""
        readings = [self._reading(data, place, entry) for entry in self.entries(data, place)]
        yield from dict.fromkeys(readings)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Set the variables that the policy has; without a proxy, remove them."""
        entries = self.entries(draft.data, place)
        variables = settings.variables
        if variables:
            self._fill(draft, place, entries, variables)
        else:
            self.remove(draft, place, entries)

    def _reading(self, data: Any, whole: Place, policy_entry: PolicyEntry) -> Reading:
        path = policy_entry.place.path
        raw = text_at(data, path)
        place = self.container_name(policy_entry, whole)
        value = None
        if policy_entry.value is not None:
            value = read_kubernetes_env(policy_entry.value)
        if policy_entry.value is None or policy_entry.rest:
            why = policy_entry.problem or COMPUTED
            return Reading(policy_entry.name, None, path, raw, place, why, value or "")
        unresolved = policy_entry.value if value is None else ""
        return Reading(policy_entry.name, value, path, raw, place, unresolved=unresolved)

    def _fill(
        self, draft: Draft, place: Place, entries: Sequence[PolicyEntry], variables: Variables
    ) -> None:
        new_texts = {(entry.place, _new_text(entry, variables)) for entry in entries}
        places = [text_place for text_place, _ in new_texts]
        texts = {}
        problems: dict[str, list[PolicyEntry]] = {}
        for entry in entries:
            problem = entry.problem
            # Kyverno would read a placeholder of the settings as a variable of its own.
            if not problem and is_computed(_new_value(entry, variables)):
                problem = "Kyverno takes `{{` and `$(` in the setting for a reference"
            # One context variable may be the value of several entries, and can hold one text only.
            if not problem and places.count(entry.place) > 1:
                problem = "one text is the value of variables that differ: use one each"
            if problem:
                problems.setdefault(problem, []).append(entry)
            else:
                texts[entry.place] = _new_text(entry, variables)
        self.set_texts(draft, texts)
        for problem, unwritten in problems.items():
            # one that is another value makes ``mode: Check`` fail
            is_stale = any(
                entry.value not in (None, _new_value(entry, variables)) for entry in unwritten
            )
            draft.report(
                "ByHand",
                f"{quoted(entry.name for entry in unwritten)} of {place.label} cannot be set: {problem}",
                unwritten[0].path,
                is_stale=is_stale,
            )


def _new_value(policy_entry: PolicyEntry, variables: Variables) -> str:
    """Return the value that an entry is to have."""
    return kubernetes_env(variables.get(policy_entry.name, ""))


def _new_text(policy_entry: PolicyEntry, variables: Variables) -> str:
    return _new_value(policy_entry, variables) + policy_entry.rest


def is_computed(text: str) -> bool:
    """Return whether Kyverno or Kubernetes replaces a part of a text."""
    return "{{" in text or "$(" in text


def mentioned(data: Any) -> list[str]:
    """Return which of the six names are words in the strings of plain data, in our order."""
    names = set()
    for _, value in walk(data):
        if isinstance(value, str):
            names |= {*_PROXY_NAME.findall(value)}
    return [name for name in PROXY_VARIABLES if name in names]
