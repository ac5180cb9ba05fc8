"""Forms in mappings: three members, six variables, host and port, one value; and of an item that a list may lack."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from krm_fn import noproxy
from krm_fn.engine import Draft
from krm_fn.formats import escaping
from krm_fn.light_typing import Any, NamedTuple, Texts
from krm_fn.patch import Pointer, field_path, lookup, named_items
from krm_fn.places.place import EMPTY, Form, Place, Reading, Readings, WrittenForm
from krm_fn.products import proxy_keys
from krm_fn.products.proxy_keys import UPPER
from krm_fn.proxy_url import split_url
from krm_fn.settings import PROXY_VARIABLES, ProxySettings


def in_both_cases(variable: str, value: str, path: Pointer, label: str) -> Readings:
    """Yield a reading for each case of a name, for a reader that makes no difference between them."""
    for name in (variable, variable.lower()):
        yield Reading(name, value, path, value, label, member=path[-1])


def set_members(draft: Draft, place: Place, values: Mapping[Pointer, Any], last: str = "") -> None:
    """Set members of the mapping at a place, or remove those whose value is None.

    A new one goes in front of those that follow it, and of the member ``last``. Where all are to go and none says
    anything, they stay as they are: an earlier removal may have given them back.
    """
    draft.mapping(place.path)
    members = {}
    gone = []
    for steps, value in values.items():
        path = (*place.path, *steps)
        members[path] = value
        if value is None:
            gone.append(path)
    if len(gone) == len(members):
        said = [draft.get(path) for path in gone]
        if all(value in EMPTY for value in said):
            return
    names = [path[-1] for path in members]
    names.append(last)
    for index, (path, value) in enumerate(members.items(), 1):
        if value is not None:
            draft.set(path, value, before=names[index:])
    for path in gone:
        draft.remove(path, keep=place.kept_steps)


def steps_of(*names: str) -> dict[str, Pointer]:
    """Return the three variables, each with the way to the member of this name."""
    return {variable: (name,) for variable, name in zip(UPPER, names, strict=True)}


class Members(NamedTuple):
    """Members of a mapping, one for each of the three variables, or for one of them and the list.

    Attributes:
        steps: variable -> the way from the mapping to the member that holds it; ``HTTPS_PROXY`` alone is for both.
        is_list: the list is a list of entries where it is new.
        is_strict: the product takes no other form, so a list becomes a text and the other way round.
        switch: a further member that must be true for the others to count.
        last: a member in front of which new ones go.
        secret: a member beside a URL that names a Secret with user and password, which the URL cannot hold.
        in_unit: the product puts each text as it is into ``Environment="…"`` of a drop-in.
    """

    steps: Mapping[str, Pointer]
    is_list: bool = False
    is_strict: bool = False
    switch: str = ""
    last: str = ""
    secret: str = ""
    in_unit: bool = False

    def is_in(self, mapping: Any) -> bool:
        """Return whether a mapping has one of the members, if only an empty one."""
        if not isinstance(mapping, dict):
            return False
        return any(lookup(mapping, steps, self) is not self for steps in self.steps.values())

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables of the members, unless a person has switched them off."""
        if self.switch:
            switch = lookup(data, (*place.path, self.switch))
            if switch is not True:
                return
        for variable, steps in self.steps.items():
            path = (*place.path, *steps)
            value = lookup(data, path)
            if isinstance(value, list):
                texts = [entry for entry in value if isinstance(entry, str)]
                value = ",".join(texts)
            if not isinstance(value, str):
                yield from _read_wrong_type(place, variable, path, value)
                continue
            if not value:
                continue
            secret = None
            if self.secret and variable != "NO_PROXY":
                beside = (*path[:-1], self.secret)
                secret = lookup(data, beside)
            for reading in in_both_cases(variable, value, path, place.label):
                if secret:
                    why = f"its user and password are in the Secret that `{self.secret}` names"
                    yield reading._replace(value=None, why_unknown=why)
                    continue
                if self.in_unit:
                    # systemd gets it between ``Environment="`` and ``"``.
                    reading = reading._replace(value=escaping.resolve_specifiers(value))  # noqa: PLW2901
                if reading.value is None:
                    why = "systemd drops a value with a `%` that is not doubled"
                    reading = reading._replace(known=value, why_unknown=why, is_lost=True)  # noqa: PLW2901
                yield reading

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Set the members, or remove them; report a proxy that a person has switched off."""
        mapping = draft.mapping(place.path)
        values: dict[Pointer, Any] = {}
        if self.switch:
            path = (*place.path, self.switch)
            # A switch that is off is the decision of a person, which no run takes back.
            is_off = mapping.get(self.switch) not in (None, True)
            if is_off and settings.sets_any:
                draft.report(
                    "ByHand",
                    f"`{self.switch}` is not true, so {place.label} stays as it is: set it to true, or remove it",
                    path,
                )
                return
            if not is_off:
                values[self.switch,] = settings.sets_any or None
        variables = settings.variables
        # One member for both schemes gets the proxy for ``https://``, or else the other one.
        if "HTTP_PROXY" not in self.steps and "HTTP_PROXY" in variables:
            variables = {"HTTPS_PROXY": variables["HTTP_PROXY"], **variables}
        for variable, steps in self.steps.items():
            path = (*place.path, *steps)
            value: Any = variables.get(variable)
            if variable != "NO_PROXY":
                value = self._without_credentials(draft, path, value)
            elif value is not None:
                existing = draft.get(path)
                if self._takes_list(existing):
                    value = list(noproxy.parse(value))
            # The product copies the text into a drop-in, in which systemd reads ``%`` as the begin of a specifier.
            if self.in_unit and isinstance(value, str):
                value = value.replace("%", "%%")
            values[steps] = value
        set_members(draft, place, values, self.last)

    def _without_credentials(self, draft: Draft, path: Pointer, url: str | None) -> str | None:
        """Return a URL as it can stand at a path; report a Secret for its user and password that is missing or left."""
        if not self.secret:
            return url
        secret = (*path[:-1], self.secret)
        is_named = bool(draft.get(secret))
        name = f"`{field_path(secret)}`"
        if url is None:
            if is_named and draft.get(path):
                draft.report(
                    "LeftBehind",
                    f"{name} names a Secret, and its URL is removed: remove it, too",
                    secret,
                )
            return None
        parts = split_url(url)
        if parts.user_info is None:
            return url
        if not is_named:
            draft.report(
                "ProxyReduced",
                "the URL goes without its user and password, which cannot stand here: name a Secret with them in "
                f"{name}",
                path,
            )
        return parts.without_credentials

    def _takes_list(self, existing: Any) -> bool:
        """Return whether the list is to be a list: as it is, where the product takes both."""
        if self.is_strict:
            return self.is_list
        if not isinstance(existing, (str, list)):
            return self.is_list
        return isinstance(existing, list)


def _read_wrong_type(place: Place, variable: str, path: Pointer, value: Any) -> Readings:
    """Yield a reading of a value that is no text, unless it is empty: a run replaces it."""
    if value not in EMPTY:
        yield Reading(variable, None, path, str(value), place.label, "it must be a string")


CAMEL = Members(steps_of(*proxy_keys.CAMEL))
SNAKE = Members(steps_of(*proxy_keys.SNAKE))
SHORT = Members(steps_of(*proxy_keys.SHORT))


class VariableMembers(NamedTuple):
    """A mapping of variables, each under its own name, in the order in which new ones are written."""

    names: Texts = PROXY_VARIABLES

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables that are set."""
        for name in self.names:
            path = (*place.path, name)
            value = lookup(data, path)
            if isinstance(value, str) and value:
                yield Reading(name, value, path, value, place.label)
            elif not isinstance(value, str):
                yield from _read_wrong_type(place, name, path, value)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Set the variables, or remove them."""
        variables = settings.variables
        values: dict[Pointer, Any] = {}
        for name in self.names:
            values[name,] = variables.get(name)
        set_members(draft, place, values)


class HostAndPort(NamedTuple):
    """One proxy for both schemes, as ``{host, port}``, beside the list."""

    proxy: str
    no: str

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the URL that the product makes of host and port, and the list."""
        path = (*place.path, self.proxy)
        host = lookup(data, (*path, "host"))
        port = lookup(data, (*path, "port"))
        if isinstance(host, str) and host:
            url = f"http://{host}"
            if port:
                url += f":{port}"
            for variable in ("HTTP_PROXY", "HTTPS_PROXY"):
                yield from in_both_cases(variable, url, path, place.label)
        elif not isinstance(host, str):
            yield from _read_wrong_type(place, "HTTP_PROXY", (*path, "host"), host)
        no_proxy = Members({"NO_PROXY": (self.no,)})
        yield from no_proxy.read(data, place)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Set host, port and list, or remove them."""
        draft.mapping((*place.path, self.proxy))
        url = split_url(settings.http_proxy)
        port = int(url.port[1:]) if url.port else None
        values = {
            (self.proxy, "host"): url.host or None,
            (self.proxy, "port"): port,
            (self.no,): settings.no_proxy or None,
        }
        set_members(draft, place, values)


def one_member(
    value: Callable[[ProxySettings, Any], Any], reads: Form | None = None
) -> WrittenForm:
    """Return the form of one value that follows from the settings and from the value before; None takes it out.

    Args:
        value: returns it.
        reads: the form of a value that holds variables; None if it holds none.
    """

    def write(draft: Draft, place: Place, settings: ProxySettings) -> None:
        draft.mapping(place.path[:-1])
        old = draft.get(place.path)
        new = value(settings, old)
        if new is not None or old is not None:
            place.put(draft, new)

    return WrittenForm(write, reads)


class NamedItem(NamedTuple):
    """An item; the path of its place leads to the list.

    Attributes:
        name: that of the item.
        inside: the way from the item to the place of the form.
        form: the form of the proxy there.
        add_if_missing: the item is added where it is missing.
        empty_value: the rest that means nothing alone, so that an item goes with the proxy in it.
        is_read: False for the variable of one worker group, which says nothing of the Cluster.
    """

    name: str
    inside: Pointer
    form: Form
    add_if_missing: bool = True
    empty_value: Any = None
    is_read: bool = True

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables of the item."""
        if not self.is_read:
            return
        for path in named_items(data, place.path, self.name):
            inside = self._inside(place, path)
            yield from self.form.read(data, inside)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Write into the item; add it where it is missing, and remove it where nothing is left in it."""
        items = named_items(draft.data, place.path, self.name)
        for path in items:
            edits = draft.edits
            inside = self._inside(place, path)
            self.form.write(draft, inside, settings)
            # An item that is right already stays; one that a removal finds without content goes, too.
            if draft.edits == edits and settings.sets_any:
                continue
            rest = {**draft.get(path)}
            # ``definitionFrom`` only says which definition of the variable the value is for.
            for name in ("name", "definitionFrom"):
                rest.pop(name, None)
            if rest in ({}, self.empty_value):
                draft.remove(path, keep=place.kept_steps)
        if items or not self.add_if_missing:
            return
        new = Draft({"name": self.name})
        self.form.write(new, self._inside(place, ()), settings)
        if new.edits:
            draft.append(place.path, new.data)

    def _inside(self, place: Place, path: Pointer) -> Place:
        """Return the place in one item."""
        inside = (*path, *self.inside)
        return place._replace(path=inside, kept_steps=len(path))
