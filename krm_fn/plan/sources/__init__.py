"""Objects of a list that a FunctionConfig refers to: values of other systems, and certificates.

It finds an object and one text of it, and reads the text in the form of its system. Other packages
judge the values; no text of an object is ever reported, only the names of its keys.

    formats   the names that TKG, Giant Swarm and Konvoy Image Builder give to the fields of ``spec``
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from krm_fn.clusters import is_open, key_of, may_be_same, nearest
from krm_fn.config import Certificates, ForeignValue
from krm_fn.errors import ConfigError
from krm_fn.formats import left_alone
from krm_fn.krm.resourcelist import Object, ObjectSource
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.patch import Data
from krm_fn.plan.items import items_of_kinds, readable_objects

if TYPE_CHECKING:
    from krm_fn.formats.embedded import Value

_Path = tuple[str, ...]

_WHOLE = (
    "one of them must hold the whole proxy, as a text with lines such as `http_proxy: URL`, `https_proxy: URL` and "
    "`no_proxy: LIST`"
)


class Objects:
    """Reads objects of lists, local configuration among them, for a FunctionConfig: a ``config.Lookup``.

    Args:
        lists: where the objects are; an item is read only where its text says that it may be the one.
    """

    def __init__(self, *lists: ObjectSource) -> None:
        self._lists = lists
        self._file = ""
        self._known: dict[tuple[str, str, str | None], list[Object]] = {}
        self.differing: list[str] = []

    def seen_from(self, file: str) -> Objects:
        """Return these Objects for a file: of objects of one name, they read the nearest one."""
        objects = Objects(*self._lists)
        objects._file = file
        objects._known = self._known
        return objects

    def values(self, source: Data) -> Mapping[_Path, ForeignValue]:
        """Return the values of an entry of ``spec.from``.

        Raises:
            ConfigError: the object, the key or the form of its value is wrong.
        """
        from krm_fn.plan.sources import formats  # noqa: PLC0415 -- most runs take no value from elsewhere

        obj = self._find(source["kind"], source)
        value = _value(obj, source.get("key"))
        try:
            read = formats.read(value.text, source.get("format"))
        except ConfigError as error:
            raise ConfigError(f"{_name_of(obj)} key `{_key(value)}` {error}") from None
        in_secret = obj.ref.kind == "Secret"
        return {
            path: given._replace(place=f"{_name_of(obj)} {given.place}", in_secret=in_secret)
            for path, given in read.items()
        }

    def certificates(self, config_map: Data) -> Certificates:
        """Return the text of a ConfigMap, unchanged.

        Raises:
            ConfigError: the ConfigMap or its key is missing.
        """
        obj = self._find("ConfigMap", config_map)
        value = _value(obj, config_map["key"])
        if obj.is_local:
            return Certificates(value.text, None)
        place = (obj.ref.namespace, obj.ref.name, _key(value))
        return Certificates(value.text, place)

    def _find(self, kind: str, reference: Data) -> Object:
        """Find the object that is meant.

        Without a namespace that is one without a namespace, before one in any other: and one in a namespace only if
        the list knows no other namespace, because anybody may own an object of that name in his own.
        """
        namespace = reference.get("namespace")
        candidates = self._named(kind, reference["name"], namespace)
        called = f'{kind} "{reference["name"]}"'
        if namespace is None:
            in_none = [obj for obj in candidates if is_open(obj.ref.namespace)]
            candidates = in_none or candidates
        else:
            called += f' in namespace "{namespace}"'
        if not candidates:
            problem = (
                f"must name an object of the list: there is no {called} in it; name its file on the command line, or "
                "among the `resources` beside the objects"
            )
            raise ConfigError(problem)
        obj = self._nearest(candidates)
        if obj is None:
            hint = "keep one of them, or one in the folder of each cluster"
            if namespace is None and len({obj.ref.namespace for obj in candidates}) > 1:
                hint = "say in `namespace` which one is meant"
            elif self._file:
                hint = f"which differ and are equally near to {self._file}: {hint}"
            number = len(candidates)
            problem = f"must name one object: there are {number} of {called} in the list, {hint}"
            raise ConfigError(problem)
        if namespace is None and self._has_others(obj.ref.namespace):
            problem = (
                f"must say in `namespace` that the {called} of namespace {json.dumps(obj.ref.namespace)} is "
                "meant, because the list holds objects of other namespaces, too, and anybody may own one of that name"
            )
            raise ConfigError(problem)
        return obj

    def _nearest(self, candidates: list[Object]) -> Object | None:
        """Return the object that is nearest to the file; None for several that differ, or are in several namespaces.

        Without a file it is any of those in different files, each of which counts for the objects around it.
        """
        if len({obj.ref.namespace for obj in candidates}) > 1:
            return None
        if self._file:
            near = nearest(map(key_of, candidates), self._file)
            candidates = [obj for obj in candidates if key_of(obj) in near]
        first = candidates[0]
        if all(_content(obj) == _content(first) for obj in candidates):
            return first
        files = {obj.ref.file_path: None for obj in candidates}
        if self._file or len(files) < len(candidates):
            return None
        self.differing += files
        return first

    def _has_others(self, namespace: str) -> bool:
        """Return whether a readable object of the list is in another namespace than this one."""
        for source in self._lists:
            for obj in readable_objects(source, source.holding(("namespace",))):
                if not may_be_same(obj.ref.namespace, namespace):
                    return True
        return False

    def _named(self, kind: str, name: str, namespace: str | None) -> list[Object]:
        """Return the objects of a kind and name, read once."""
        key = kind, name, namespace
        if key in self._known:
            return self._known[key]
        named = []
        for source in self._lists:
            for index in items_of_kinds(source, [kind], (name,)):
                for obj in source.objects(index):
                    is_named = obj.group_kind == ("", kind) and obj.ref.name == name
                    if is_named and namespace in (None, obj.ref.namespace):
                        named.append(obj)
        self._known[key] = named
        return named


def _content(obj: Object) -> list[object]:
    return [obj.data.get(field) for field in ("data", "stringData", "binaryData")]


def _value(obj: Object, key: str | None) -> Value:
    """Return the text of a key, or of the only key."""
    if left_alone.is_encrypted(obj.data):
        raise ConfigError(f"{_name_of(obj)} {left_alone.ENCRYPTED}")
    from krm_fn.formats import embedded  # noqa: PLC0415 -- most configs refer to no object

    texts = {value.path[-1]: value for value in embedded.values(obj.data)}
    names = ", ".join(f"`{name}`" for name in texts)
    if not texts:
        fields = "`stringData` or `data`" if obj.ref.kind == "Secret" else "`data`"
        problem = f"must name an object that holds a text: there is no key under {fields} of {_name_of(obj)}"
    elif key is None and len(texts) > 1:
        problem = (
            f"must say in `key` which key of {_name_of(obj)} is meant: there are {names}; {_WHOLE}"
        )
    elif key is not None and key not in texts:
        problem = f"must name a key of {_name_of(obj)} in `key`: there are {names}"
    else:
        value = texts[key or next(iter(texts))]
        if not value.problem:
            return value
        reason = value.problem.message
        problem = f"{_name_of(obj)} key `{_key(value)}`: {reason}"
    raise ConfigError(problem)


def _key(value: Value) -> str:
    return value.path[-1]


def _name_of(obj: Object) -> str:
    return f'{obj.ref.kind} "{obj.ref.name}"'
