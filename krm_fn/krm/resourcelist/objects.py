"""Which objects are in an item, who each is, and the item with their new data.

It reads the identity of an object and no other field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, Fields, GroupKind, NamedTuple
from krm_fn.patch import Data, Pointer, is_index, lookup, text_at

# The index for a new object that belongs beside no item of the list.
NO_ITEM = -1
# The changes of an item that is removed as a whole.
WHOLE_ITEM: dict[Pointer, Any] = {(): None}

_LOCAL_CONFIG = "config.kubernetes.io/local-config"
# The annotation that keeps the name which is before a hash in the name of an object.
BASE_NAME = "fn.inject-proxy.io/base-name"

_HASH = "[0-9a-f]{10}"

_PATH = "internal.config.kubernetes.io/path"
_INDEX = "internal.config.kubernetes.io/index"
_UNFIT = "[^a-z0-9.-]+"
# File systems take names of 255 bytes.
_LONGEST_NAME = 255 - len(".yaml")
_DIGITS = 12


_NO_OBJECT = ObjectRef()


class Object(NamedTuple):
    """One Kubernetes object: an item, or an object inside an item of kind ``List``.

    ``path`` leads from the item to it; ``data`` is its plain data, which whoever asked for it may change.
    """

    path: Pointer
    data: Fields
    ref: ObjectRef

    @property
    def group_kind(self) -> GroupKind:
        """``("apps", "Deployment")``; the group of ``v1`` is empty."""
        return _group(self.ref.api_version), self.ref.kind

    @property
    def labels(self) -> Fields:
        """``metadata.labels``, empty where there are none."""
        return _metadata(self.data, "labels")

    @property
    def annotations(self) -> Fields:
        """``metadata.annotations``, empty where there are none."""
        return _metadata(self.data, "annotations")

    @property
    def base_name(self) -> str:
        """Its name, without the hash that a run has put behind it."""
        name = self.ref.name
        stem, _, digest = name.rpartition("-")
        if stem == self.annotations.get(BASE_NAME) and re.fullmatch(_HASH, digest):
            return stem
        return name

    @property
    def subject(self) -> Fields:
        """Its members by the names that a matcher of a ProxyConfig gives them."""
        return {
            "kinds": self.ref.kind,
            "names": self.base_name,
            "namespaces": self.ref.namespace,
            "labels": self.labels,
            "annotations": self.annotations,
        }

    @property
    def is_local(self) -> bool:
        """True for configuration of the orchestrator (Kptfile, other functions), which never reaches a cluster."""
        return self.annotations.get(_LOCAL_CONFIG) in ("true", True)


def objects(item: Fields, path: Pointer = (), outer: ObjectRef = _NO_OBJECT) -> Iterator[Object]:
    """Yield the object of an item, or the objects of an item of kind ``List`` (kpt does not split these).

    Args:
        item: its data.
        path: where it is, if it is in a ``List``.
        outer: that list: an object that names no file is in its file.
    """
    ref = reference(item)
    if path and not ref.file_path:
        ref = ref._replace(file_path=outer.file_path, file_index=outer.file_index)
    inner = item.get("items")
    if not isinstance(inner, list) or not ref.kind.endswith("List"):
        yield Object(path, item, ref)
        return
    for index, nested in enumerate(inner):
        if isinstance(nested, dict):
            yield from objects(nested, (*path, "items", str(index)), ref)


def group_kind(data: Data) -> GroupKind:
    """Return API group and kind of plain data, as ``Object.group_kind``.

    A member that is missing or no string is empty.
    """
    return _group(text_at(data, "apiVersion")), text_at(data, "kind")


def _group(api_version: str) -> str:
    group, slash, _ = api_version.partition("/")
    return group if slash else ""


def reference(data: Any) -> ObjectRef:
    """Return identity and file of an object; a member that is missing or no string is empty."""
    metadata = lookup(data, "metadata")
    notes = _metadata(data, "annotations")
    index = str(notes.get(_INDEX, notes.get("config.kubernetes.io/index")))
    return ObjectRef(
        api_version=text_at(data, "apiVersion"),
        kind=text_at(data, "kind"),
        name=text_at(metadata, "name"),
        namespace=text_at(metadata, "namespace"),
        file_path=text_at(notes, _PATH) or text_at(notes, "config.kubernetes.io/path"),
        file_index=int(index) if is_index(index) else 0,
    )


def function_config(data: Any) -> Object:
    """Return the ``functionConfig`` of a ResourceList, whose data may be of any type."""
    return Object(("functionConfig",), data, reference(data))


def new_file_name(data: Data) -> str:
    """Return the name of the file of a new object, which no file system takes for a path or for two names.

    A name of an object that holds anything else than small letters, digits, dots and hyphens, or that is too long, gets
    a digest in the place of the lost letters, so that two objects do not share a file.
    """
    ref = reference(data)
    name = "-".join(filter(None, (ref.kind.lower(), ref.namespace, ref.name)))
    fit = re.sub(_UNFIT, "-", name)[:_LONGEST_NAME]
    if fit != name:
        import hashlib  # noqa: PLC0415 -- loads OpenSSL: only for an unusual name

        raw = name.encode(errors="surrogatepass")
        digest = hashlib.sha256(raw).hexdigest()[:_DIGITS]
        fit = f"{fit[: _LONGEST_NAME - _DIGITS - 1]}-{digest}"
    return f"{fit}.yaml"


def with_path(data: Data, folder: str) -> Data:
    """Return a new object with the path of its file, unless the path that kpt makes of its names is as good.

    That path is the same for objects of one name in the folders of two clusters, and may lead out of the package.
    Source: kustomize ``kyaml/kio/kioutil``, ``CreatePathAnnotationValue``: namespace, kind and name in one path, which
    kpt cleans of ``..`` and writes to.

    Args:
        data: the new object.
        folder: the folder that it has to be in; "" for any.
    """
    ref = reference(data)
    is_upwards = ref.namespace in (".", "..")
    if not folder and not is_upwards and not re.search(r"[/\\]", ref.namespace + ref.name):
        return data
    name = new_file_name(data)
    path = f"{folder}/{name}" if folder else name
    annotations = {**_metadata(data, "annotations"), _PATH: path}
    return {**data, "metadata": {**data["metadata"], "annotations": annotations}}


class NewObject(NamedTuple):
    """An object that a list lacks, the index of the item beside which it belongs, and its name in results."""

    data: Data
    beside: int = NO_ITEM
    ref: ObjectRef = ObjectRef()


class ListChanges:
    """The changes of a list.

    Attributes:
        items: index of an item -> path of an object in it -> the new data of that object, None if it goes.
        created: the objects that the list lacks.
    """

    def __init__(self) -> None:
        self.items: dict[int, dict[Pointer, Any]] = {}
        self.created: list[NewObject] = []

    def __len__(self) -> int:
        return len(self.items) + len(self.created)


def item_after(read: Callable[[], Any], objects: Mapping[Pointer, Any]) -> Any:
    """Return the data of an item with the new data of objects in it, without those that go.

    Args:
        read: returns the data of the item before; lists in it may be changed.
        objects: as in ``ListChanges.items``, of an item that stays.
    """
    if () in objects:
        return objects[()]
    item = read()
    paths = sorted(objects, key=lambda path: [int(step) for step in path if step.isdigit()])
    # The last object first: the index of an object must hold once others are gone.
    for path in reversed(paths):
        *above, last = path
        around = lookup(item, above)
        index = int(last)
        if objects[path] is None:
            del around[index]
        else:
            around[index] = objects[path]
    return item


def _metadata(data: Any, field: str) -> Fields:
    value = lookup(data, ("metadata", field))
    return value if isinstance(value, dict) else {}
