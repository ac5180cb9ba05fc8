"""What a FunctionConfig takes from objects of the list: values of other systems, and certificates.

They are put into the ``spec`` where it sets none itself, and judged there like what the user wrote. Each place is named
by the entry that refers to it and by the object; what is in the object is never repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from krm_fn import noproxy
from krm_fn.config import _schema
from krm_fn.config._model import Lookup, Path
from krm_fn.config._schema import Place
from krm_fn.errors import ConfigError
from krm_fn.light_typing import Any
from krm_fn.patch import copied, lookup
from krm_fn.proxy_url import split_url

Name = Callable[[Place], str]
_URLS = ("httpProxy", "httpsProxy")
_NO_PROXY = ("noProxy",)


class Referred:
    """A ``spec`` with the values of the objects that it names.

    Attributes:
        spec: the merged one.
        problems: what is wrong with a reference.
        config_maps: where certificates were taken from: path of the certificates -> namespace, name and key.
        secret_urls: the URLs with a password that come from a Secret.
        says_none: an object says explicitly that there is no proxy, and nothing else names one.
    """

    def __init__(self, spec: Mapping[str, Any], objects: Lookup, name: Name) -> None:
        self.spec = copied(spec)
        self.problems: list[str] = []
        self.config_maps: dict[Path, tuple[str, str, str] | None] = {}
        self.secret_urls: frozenset[str] = frozenset()
        self._objects = objects
        self._name = name
        self._places: dict[Place, str] = {}
        for at, source in enumerate(spec.get("from", ())):
            self._take_values(name(("from", at)), source)
        for path in (("trustedCA",), ("registryMirror", "ca")):
            self._take_certificates(path)
        urls = [self.spec.get(field) for field in _URLS]
        self.says_none = urls == ["", ""]

    @property
    def reads_objects(self) -> bool:
        return bool(self._places)

    def name(self, place: Place) -> str:
        """Return the name of a place of the merged ``spec``, in the FunctionConfig or in an object."""
        for depth in range(len(place), 0, -1):
            if place[:depth] in self._places:
                return self._places[place[:depth]]
        return self._name(place)

    def problem(self, place: Place, text: str) -> str:
        """Return the line about a mistake at a place of the merged ``spec``."""
        name = self.name(place)
        if "`: " not in name:
            return f"{name}: {text}"
        return f"{name.replace('`: ', ': ', 1)}` {text}"

    def _take_values(self, reference: str, source: Mapping[str, Any]) -> None:
        """Take the values of an entry of ``from``; what the user, or a later entry, sets goes before."""
        try:
            values = self._objects.values(source)
        except ConfigError as error:
            self.problems += [f"{reference}: {text}" for text in error.problems]
            return
        for path, given in values.items():
            # A reason shows a place in back-quotes.
            place = f"{reference}`: {given.place.removesuffix('`')}"
            is_url = path[0] in _URLS and isinstance(given.value, str)
            if is_url and given.in_secret and split_url(given.value).password:
                self.secret_urls |= {given.value}
            if path == _NO_PROXY and isinstance(given.value, str):
                self._take_list(given.value, place)
            elif lookup(self.spec, path) is None or path in self._places:
                self._put(path, given.value)
                self._places[path] = place

    def _take_list(self, given: Any, place: str) -> None:
        """Put the entries of another list in front of those of the user."""
        entries = dict.fromkeys(noproxy.parse(given), place)
        own = self.spec.get("noProxy", ())
        texts = [own] if isinstance(own, str) else own
        for at, text in enumerate(texts):
            where: Place = _NO_PROXY if isinstance(own, str) else (*_NO_PROXY, at)
            for entry in noproxy.parse(text):
                entries.setdefault(entry, self.name(where))
        self.spec["noProxy"] = list(entries)
        for at, said in enumerate(entries.values()):
            entry_place: Place = (*_NO_PROXY, at)
            self._places[entry_place] = said

    def _take_certificates(self, path: Path) -> None:
        written = lookup(self.spec, (*path, "configMap"))
        if written is None:
            return
        default = _schema.fields()["trustedCA.configMap.key"]["default"]
        place = self._name((*path, "configMap"))
        try:
            found = self._objects.certificates({"key": default, **written})
        except ConfigError as error:
            self.problems += [f"{place}: {text}" for text in error.problems]
            return
        self._put(path, {"pem": found.pem})
        self.config_maps[path] = found.config_map
        pem_place: Place = (*path, "pem")
        self._places[pem_place] = f'{place}: its key "{_schema.shown(written.get("key", default))}"'

    def _put(self, path: Path, value: Any) -> None:
        node = self.spec
        for step in path[:-1]:
            node = node.setdefault(step, {})
        node[path[-1]] = value
