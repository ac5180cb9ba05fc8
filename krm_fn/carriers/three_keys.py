"""Three members of a mapping that hold a proxy: http, https and what is reached without it.

The members have other names in each product. A list stays a list and a text a text, unless the reader
takes one form only; where neither is there, ``Keys.is_list`` decides. A missing mapping is made, and
one that a removal leaves empty is removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from krm_fn import noproxy
from krm_fn.carriers.reading import Reading
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.engine.member_edits import MemberEdits
from krm_fn.krm.results import Finding, Severity
from krm_fn.krm.type_errors import called, wrong_type
from krm_fn.patch import Operation, Pointer, lookup
from krm_fn.settings import ProxySettings

_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@dataclass(frozen=True)
class Keys:
    """The names of the three members, in the order of ``HTTP_PROXY``, ``HTTPS_PROXY``, ``NO_PROXY``.

    Attributes:
        is_list: the last member, where it is new, is a list of entries.
        is_fixed: the reader takes no other form, so a member in another form is rewritten.
    """

    http: str
    https: str
    no: str
    is_list: bool = False
    is_fixed: bool = False

    @property
    def names(self) -> tuple[str, str, str]:
        """The three names."""
        return (self.http, self.https, self.no)

    def in_form(self, name: str, value: str, there: Any) -> Any:
        """Return the value of a member in the form that ``there``, its value of before, has.

        A list that has the same entries in other items is right as it is.
        """
        kept = None if self.is_fixed else there
        is_list = isinstance(kept, list) or (self.is_list and not isinstance(kept, str))
        if name != self.no or not is_list:
            return value
        return list(noproxy.parse(value))


SNAKE = Keys("http_proxy", "https_proxy", "no_proxy")
CAMEL = Keys("httpProxy", "httpsProxy", "noProxy")
SHORT = Keys("http", "https", "noProxy")


@dataclass(frozen=True)
class ThreeKeys:
    """One mapping that holds the three members.

    Attributes:
        path: leads to the mapping.
        keys: the names of its members.
        what: the mapping in one phrase, for messages.
        kept: so many steps of ``path`` lead to what stays, even if nothing is left in it.
        switch: a fourth member that must be true for the three to count. It is set and removed with
            them; where it is not true, a person has switched the proxy off.
    """

    path: Pointer
    keys: Keys
    what: str
    kept: int = 1
    switch: str = ""

    @property
    def members(self) -> tuple[Pointer, ...]:
        """The paths of the three."""
        return tuple((*self.path, name) for name in self.keys.names)

    def read(self, data: Any, text: Pointer = ()) -> Iterator[Reading]:
        """Yield what the mapping says; its reader gives both cases of a variable to its programs.

        Args:
            data: an object, or a document inside one, as plain data.
            text: leads to the text that ``data`` was read from; () if ``data`` is the object itself.
        """
        for name, variable in zip(self.keys.names, _VARIABLES, strict=True):
            value = lookup(data, (*self.path, name))
            if isinstance(value, list):
                value = ",".join(entry for entry in value if isinstance(entry, str))
            if isinstance(value, str) and value:
                where = text or (*self.path, name)
                yield Reading(variable, value, where, value, self.what)
                yield Reading(variable.lower(), value, where, value, self.what)

    def is_in(self, data: Any) -> bool:
        """Return whether the mapping has one of the three members, if only an empty one."""
        mapping = lookup(data, self.path)
        return isinstance(mapping, Mapping) and not mapping.keys().isdisjoint(self.keys.names)

    def write(self, draft: Draft, settings: ProxySettings) -> Finding | None:
        """Give the three members their values, or remove those that have none.

        Returns:
            A warning where a person has switched the proxy off: then nothing is changed.

        Raises:
            WrongTypeError: something else than a mapping is at ``path`` or on the way to it.
        """
        mapping = draft.mapping(self.path) or {}
        is_off = mapping.get(self.switch, True) not in (None, True)
        if is_off and settings.variables():
            message = (
                f"`{self.switch}` is not true, so {self.what} stays as it is: set it to true, "
                "or leave it out"
            )
            path = (*self.path, self.switch)
            return Finding(Severity.WARNING, message, path, code="ProxySwitchedOff")
        wanted = self._wanted(mapping, settings)
        names = list(self.keys.names)
        if self.switch and not is_off:
            names.insert(0, self.switch)
            if wanted:
                wanted[self.switch] = True
        for at, name in enumerate(names):
            if name in wanted:
                behind = [other for other in names[at + 1 :] if other in wanted]
                path = (*self.path, name)
                draft.set(path, wanted[name], before=behind, keep=self.kept)
        for name in names:
            if name not in wanted:
                draft.remove((*self.path, name), keep=self.kept)
        return None

    def edit(self, data: Any, settings: ProxySettings) -> MemberEdits | Finding:
        """Return what gives the three members of ``data`` their values.

        Args:
            data: an object, or a document inside one, as plain data.
            settings: the proxy; all empty means that the members are removed.

        Returns:
            A Finding where nothing can be written.
        """
        draft = Draft(data)
        try:
            problem = self.write(draft, settings)
        except WrongTypeError as error:
            return wrong_type(error.path, error.value, error.wanted)
        if problem is not None:
            return problem
        return self._described(draft, data)

    def _wanted(self, mapping: Mapping[str, Any], settings: ProxySettings) -> dict[str, Any]:
        values = (settings.http_proxy, settings.https_proxy, settings.no_proxy)
        wanted = {}
        for name, value in zip(self.keys.names, values, strict=True):
            if value:
                wanted[name] = self.keys.in_form(name, value, mapping.get(name))
        return wanted

    def _described(self, draft: Draft, data: Any) -> MemberEdits:
        """Return the operations of a draft, with what they do in words and in values."""
        before, after = lookup(data, self.path) or {}, draft.get(self.path) or {}
        names = [*([self.switch] if self.switch else []), *self.keys.names]
        sets = [name for name in names if name in after and before.get(name) != after[name]]
        removed = [name for name in names if name in before and name not in after]
        notes = {name: _instead_of(before.get(name), after[name]) for name in sets}
        operations = draft.operations()
        return MemberEdits(
            tuple(operations),
            self._message(sets, removed, notes),
            _lines({name: before[name] for name in (*sets, *removed) if name in before}),
            _lines({name: after[name] for name in sets}),
            tuple(self._message_of(one, sets, removed, notes) for one in operations),
        )

    def _message(self, sets: list[str], removed: list[str], notes: Mapping[str, str]) -> str:
        parts = []
        if sets:
            parts.append("sets " + ", ".join(f"`{name}`{notes[name]}" for name in sets))
        if removed:
            parts.append("removes " + ", ".join(f"`{name}`" for name in removed))
        return f"{' and '.join(parts)} of {self.what}"

    def _message_of(
        self, operation: Operation, sets: list[str], removed: list[str], notes: Mapping[str, str]
    ) -> str:
        """Return what one operation does: on a member, or on the mapping with all of them."""
        if len(operation.path) <= len(self.path):
            return self._message(sets, removed, notes)
        name = operation.path[len(self.path)]
        return self._message(
            [one for one in sets if one == name], [one for one in removed if one == name], notes
        )


def _instead_of(there: Any, value: Any) -> str:
    """Return what to say of a value that is rewritten in another form; "" where it is not."""
    if there is None or type(there) is type(value):
        return ""
    return f" (instead of {called(there)})"


def _lines(values: Mapping[str, Any]) -> str:
    lines = []
    for name, value in values.items():
        shown = ",".join(map(str, value)) if isinstance(value, list) else value
        lines.append(f"{name}={shown}")
    return "\n".join(lines)
