"""Forms in a mapping: three members for http, https and the list; the six variables; host and port."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from krm_fn import noproxy
from krm_fn.engine import Draft
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.places.place import EMPTY, Place
from krm_fn.places.reading import Reading
from krm_fn.proxy_url import split_url
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

Name = str | Pointer
"""The name of a member, or the way to it through further mappings."""


def in_both_cases(variable: str, value: str, path: Pointer, label: str) -> Iterator[Reading]:
    """Yield what a reader that knows no case gets: the same under both names."""
    for name in (variable, variable.lower()):
        yield Reading(name, value, path, value, label, member=path[-1])


def set_members(draft: Draft, place: Place, values: Mapping[Pointer, Any], last: str = "") -> None:
    """Set members of the mapping at a place, or remove those whose value is None.

    A new one goes in front of those that follow it, and of the member ``last``. Where all are to go and none says
    anything, they stay as they are: an earlier removal may have given them back.
    """
    draft.mapping(place.path)
    paths = [(*place.path, *steps) for steps in values]
    is_removal = all(value is None for value in values.values())
    if is_removal and all(draft.get(path) in EMPTY for path in paths):
        return
    for index, (path, value) in enumerate(zip(paths, values.values(), strict=True)):
        if value is not None and draft.get(path) != value:
            behind = [other[-1] for other in paths[index + 1 :]]
            draft.set(path, value, before=(*behind, last))
    for path, value in zip(paths, values.values(), strict=True):
        if value is None:
            draft.remove(path, keep=place.kept_steps)


class Members(NamedTuple):
    """Three members of a mapping; "" for one that the product does not have.

    Attributes:
        http: the proxy for ``http://``.
        https: the proxy for ``https://``, or for both.
        no: the list.
        is_list: the list is a list of entries where it is new.
        is_strict: the product takes no other form, so a list becomes a text and the other way round.
        switch: a fourth member that must be true for the three to count.
        last: a member in front of which new ones go.
        secret: a member beside a URL that names a Secret with user and password, which the URL cannot hold.
    """

    http: Name
    https: Name
    no: Name
    is_list: bool = False
    is_strict: bool = False
    switch: str = ""
    last: str = ""
    secret: str = ""

    @property
    def steps(self) -> dict[str, Pointer]:
        """Variable -> the way from the mapping to the member that holds it."""
        names = {"HTTP_PROXY": self.http, "HTTPS_PROXY": self.https, "NO_PROXY": self.no}
        return {
            variable: (name,) if isinstance(name, str) else name
            for variable, name in names.items()
            if name
        }

    def is_in(self, mapping: Any) -> bool:
        """Return whether a mapping has one of the members, if only an empty one."""
        return isinstance(mapping, dict) and any(
            lookup(mapping, steps, self) is not self for steps in self.steps.values()
        )

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the members say; nothing where a person has switched them off."""
        if self.switch and lookup(data, (*place.path, self.switch)) is not True:
            return
        for variable, steps in self.steps.items():
            path = (*place.path, *steps)
            value = lookup(data, path)
            if isinstance(value, list):
                value = ",".join(entry for entry in value if isinstance(entry, str))
            if not isinstance(value, str) or not value:
                continue
            is_whole = variable == "NO_PROXY" or not self._secret_beside(data, path)
            for reading in in_both_cases(variable, value, path, place.label):
                why = f"its user and password are in the Secret that `{self.secret}` names"
                yield reading if is_whole else reading._replace(value=None, why_unknown=why)

    def _secret_beside(self, data: Any, path: Pointer) -> Any:
        """Return what names the Secret for the URL at a path."""
        return lookup(data, (*path[:-1], self.secret)) if self.secret else None

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Set the members, or remove them; report a proxy that a person has switched off."""
        mapping = draft.mapping(place.path) or {}
        is_off = bool(self.switch) and mapping.get(self.switch) not in (None, True)
        if is_off and settings.sets_any:
            message = f"`{self.switch}` is not true, so {place.label} stays as it is: set it to true, or remove it"
            draft.report("ByHand", message, (*place.path, self.switch))
            return
        values = self._values(mapping, settings.variables())
        if self.secret:
            values = self._without_credentials(draft, place, values)
        if self.switch and not is_off:
            values = {(self.switch,): any(values.values()) or None, **values}
        set_members(draft, place, values, self.last)

    def _values(
        self, mapping: Mapping[str, Any], variables: Mapping[str, str]
    ) -> dict[Pointer, Any]:
        values: dict[Pointer, Any] = {}
        for variable, steps in self.steps.items():
            value: Any = variables.get(variable)
            if variable == "HTTPS_PROXY" and value is None and not self.http:
                value = variables.get("HTTP_PROXY")
            if (
                variable == "NO_PROXY"
                and value is not None
                and self._is_list(lookup(mapping, steps))
            ):
                value = list(noproxy.parse(value))
            values[steps] = value
        return values

    def _without_credentials(
        self, draft: Draft, place: Place, values: Mapping[Pointer, Any]
    ) -> dict[Pointer, Any]:
        """Return the values with URLs that hold no user and password; report a Secret that is missing or left."""
        plain = dict(values)
        for steps, url in values.items():
            path, secret = (*place.path, *steps), (*place.path, *steps[:-1], self.secret)
            is_named = bool(draft.get(secret))
            if url is None and is_named and draft.get(path):
                message = (
                    f"`{'.'.join(secret)}` names a Secret, and its URL is removed: remove it, too"
                )
                draft.report("LeftBehind", message, secret)
            if not isinstance(url, str) or split_url(url).user_info is None:
                continue
            plain[steps] = split_url(url).without_credentials
            if not is_named:
                message = (
                    f"the URL goes without its user and password, which cannot stand here: name a Secret with them in "
                    f"`{'.'.join(secret)}`"
                )
                draft.report("ProxyReduced", message, path)
        return plain

    def _is_list(self, existing: Any) -> bool:
        """Return whether the list is to be a list: as it is, where the product takes both."""
        if self.is_strict or not isinstance(existing, (str, list)):
            return self.is_list
        return isinstance(existing, list)


CAMEL = Members("httpProxy", "httpsProxy", "noProxy")
SNAKE = Members("http_proxy", "https_proxy", "no_proxy")
SHORT = Members("http", "https", "noProxy")
"""Values of Giant Swarm's charts."""


class VariableMembers(NamedTuple):
    """A mapping of variables, each under its own name, in the order in which new ones are written."""

    names: tuple[str, ...] = PROXY_VARIABLES

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield the variables that are set."""
        for name in self.names:
            path = (*place.path, name)
            value = lookup(data, path)
            if isinstance(value, str) and value:
                yield Reading(name, value, path, value, place.label)
            elif value not in EMPTY:
                yield Reading(name, None, path, str(value), place.label, "it must be a string")

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Set the variables, or remove them."""
        variables = settings.variables()
        set_members(draft, place, {(name,): variables.get(name) for name in self.names})


class HostAndPort(NamedTuple):
    """One proxy for both schemes, as ``{host, port}``, beside the list."""

    proxy: str
    no: str

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield the URL that the product makes of host and port, and the list."""
        path = (*place.path, self.proxy)
        host, port = lookup(data, (*path, "host")), lookup(data, (*path, "port"))
        if isinstance(host, str) and host:
            url = f"http://{host}:{port}" if port else f"http://{host}"
            yield from in_both_cases("HTTP_PROXY", url, path, place.label)
            yield from in_both_cases("HTTPS_PROXY", url, path, place.label)
        path = (*place.path, self.no)
        entries = lookup(data, path)
        if isinstance(entries, str) and entries:
            yield from in_both_cases("NO_PROXY", entries, path, place.label)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Set host, port and list, or remove them."""
        draft.mapping((*place.path, self.proxy))
        url = split_url(settings.http_proxy)
        values = {
            (self.proxy, "host"): url.host or None,
            (self.proxy, "port"): int(url.port[1:]) if url.port else None,
            (self.no,): settings.no_proxy or None,
        }
        set_members(draft, place, values)


class OneMember(NamedTuple):
    """One value that follows from the settings and from what is there; None for nothing.

    Attributes:
        value: returns it.
        reads: the form of a value that says variables; None for another one.
    """

    value: Callable[[ProxySettings, Any], Any]
    reads: Members | None = None

    def read(self, data: Any, place: Place) -> Iterable[Reading]:
        """Return the variables that the value says."""
        return self.reads.read(data, place) if self.reads else ()

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Set the value, or remove it."""
        draft.mapping(place.path[:-1])
        old = draft.get(place.path)
        new = self.value(settings, old)
        if new == old and type(new) is type(old):
            return
        if new is None:
            draft.remove(place.path, keep=place.kept_steps)
        else:
            draft.set(place.path, new)
