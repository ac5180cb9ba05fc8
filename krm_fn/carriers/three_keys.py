"""Three members of a mapping that hold a proxy: http, https and what is reached without it.

The members have other names in each product. A list stays a list and a text a text, unless the
reader takes one form only; where neither is there, ``Keys.is_list`` decides. A missing mapping is
made, and one that a removal leaves empty is removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn import noproxy
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables, says_nothing
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.krm.type_errors import type_name
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.products import proxy_keys
from krm_fn.yamledit import same


class Keys(NamedTuple):
    """The names of the three members, in the order of ``HTTP_PROXY``, ``HTTPS_PROXY``, ``NO_PROXY``; "" for none.

    One URL for both schemes is that of ``HTTPS_PROXY``.

    Attributes:
        is_list: the last member, where it is new, is a list of entries.
        is_fixed: the reader takes no other form, so a member in another form is rewritten.
        is_nested: a dot in a name leads into a further mapping.
    """

    http: str
    https: str
    no: str
    is_list: bool = False
    is_fixed: bool = False
    is_nested: bool = False

    @property
    def variables(self) -> dict[str, str]:
        """Name of a member -> the variable that it holds."""
        pairs = zip((self.http, self.https, self.no), proxy_keys.UPPER, strict=True)
        return {name: variable for name, variable in pairs if name}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members."""
        return tuple(self.variables)

    def steps(self, name: str) -> Pointer:
        """Return the path of a member below the mapping."""
        return tuple(name.split(".")) if self.is_nested else (name,)

    def in_form(self, name: str, value: str, existing: Any) -> Any:
        """Return the value of a member in the form that ``existing``, its value of before, has.

        A list that has the same entries in other items is right as it is.
        """
        kept = None if self.is_fixed else existing
        is_list = isinstance(kept, list) or (self.is_list and not isinstance(kept, str))
        if name != self.no or not is_list:
            return value
        return list(noproxy.parse(value))


SNAKE = Keys(*proxy_keys.SNAKE)
CAMEL = Keys(*proxy_keys.CAMEL)
SHORT = Keys(*proxy_keys.SHORT)


class ThreeKeys(NamedTuple):
    """Where a mapping with the three members is, or has to be; ``in_draft`` makes a site of it.

    Attributes:
        path: leads to the mapping.
        keys: the names of its members.
        label: the mapping in one phrase, for messages.
        kept: so many steps of ``path`` lead to what stays, even if nothing is left in it.
        switch: a fourth member that must be true for the three to count. It is set and removed with
            them; where it is not true, a person has switched the proxy off.
        last: a member of the same mapping in front of which the three are placed.
    """

    path: Pointer
    keys: Keys
    label: str
    kept: int = 1
    switch: str = ""
    last: str = ""

    @property
    def members(self) -> tuple[Pointer, ...]:
        """The paths of the three."""
        return tuple((*self.path, *self.keys.steps(name)) for name in self.keys.names)

    def read(self, data: Any) -> Iterator[Reading]:
        """Yield what the mapping says; its reader gives both cases of a variable to its programs.

        Args:
            data: an object, or a document inside one, as plain data.
        """
        if self.switch and lookup(data, (*self.path, self.switch)) is not True:
            return
        for name, variable in self.keys.variables.items():
            path = (*self.path, *self.keys.steps(name))
            value = lookup(data, path)
            if isinstance(value, list):
                value = ",".join(entry for entry in value if isinstance(entry, str))
            if isinstance(value, str) and value:
                for one in (variable, variable.lower()):
                    yield Reading(one, value, path, value, self.label, member=name)

    def is_in(self, data: Any) -> bool:
        """Return whether the mapping has one of the three members, if only an empty one."""
        mapping = lookup(data, self.path)
        return isinstance(mapping, Mapping) and not mapping.keys().isdisjoint(self.keys.names)

    def in_draft(self, draft: Draft) -> ThreeKeysSite:
        """Return the mapping of one draft as a site."""
        return ThreeKeysSite(draft, self)


class ThreeKeysSite:
    """Three members of one mapping of a draft, as a site.

    Args:
        draft: the data of an object, or of a document inside one.
        place: leads to the mapping.
    """

    def __init__(self, draft: Draft, place: ThreeKeys) -> None:
        self._draft = draft
        self._place = place
        self.label = place.label

    def read(self) -> Iterator[Reading]:
        """Yield what the mapping says.

        Its reader gives both cases of a variable to its programs.
        """
        return self._place.read(self._draft.data)

    def write(self, variables: Variables) -> None:
        """Give the three members their values, or remove those that have none.

        Where a person has switched the proxy off, that is reported and nothing is changed. Members that hold nothing
        are left alone where there is nothing else to remove: a removal may have given them back.

        Raises:
            WrongTypeError: something else than a mapping is at the path or on the way to it.
        """
        mapping = self._draft.mapping(self._place.path) or {}
        switch = self._place.switch
        is_off = mapping.get(switch, True) not in (None, True)
        if is_off and variables:
            self._report_switched_off()
            return
        wanted = self._wanted(variables)
        names = list(self._place.keys.names)
        sets_switch = bool(switch) and not is_off
        if sets_switch:
            names.insert(0, switch)
        if not wanted and says_nothing(self._draft, map(self._path, names)):
            return
        if sets_switch:
            if wanted:
                wanted[switch] = True
            self._describe_switch(mapping, is_on=bool(wanted))
        for index, name in enumerate(names):
            if name in wanted:
                behind = [other for other in names[index + 1 :] if other in wanted]
                behind.append(self._place.last)
                self._set(name, wanted[name], behind)
        for name in names:
            if name not in wanted:
                self._draft.remove(self._path(name), keep=self._place.kept)

    def _path(self, name: str) -> Pointer:
        return (*self._place.path, *self._place.keys.steps(name))

    def _set(self, name: str, new: Any, behind: Iterable[str]) -> None:
        path = self._path(name)
        old = self._draft.get(path)
        if old is not None and same(old, new):
            return
        self._draft.set(path, new, before=behind, keep=self._place.kept)
        if old is not None and type(old) is not type(new):
            change = (
                f"writes `{name}` in {self.label} as {type_name(new)} instead of {type_name(old)}"
            )
            self._draft.describe(change)

    def _describe_switch(self, mapping: Mapping[str, Any], *, is_on: bool) -> None:
        switch = self._place.switch
        if is_on and mapping.get(switch) is not True:
            self._draft.describe(f"sets `{switch}` to true in {self.label}")
        elif not is_on and switch in mapping:
            self._draft.describe(f"removes `{switch}` in {self.label}")

    def _wanted(self, variables: Variables) -> dict[str, Any]:
        keys = self._place.keys
        wanted = {}
        for name, variable in keys.variables.items():
            value = variables.get(variable)
            if value is None and variable == "HTTPS_PROXY" and not keys.http:
                value = variables.get("HTTP_PROXY")
            if value is not None:
                wanted[name] = keys.in_form(name, value, self._draft.get(self._path(name)))
        return wanted

    def _report_switched_off(self) -> None:
        switch = self._place.switch
        message = (
            f"`{switch}` is not true, so {self.label} stays as it is: set it to true, "
            "or leave it out"
        )
        path = (*self._place.path, switch)
        self._draft.report(Severity.WARNING, message, path, code="ProxySwitchedOff")
