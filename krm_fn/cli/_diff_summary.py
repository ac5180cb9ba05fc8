"""What `run --diff` says behind the diff, for a reviewer: Clusters, replaced nodes, credentials, keys of Secrets.

It names objects and fields, and never a value. Equal facts about many objects are one line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from krm_fn.cli._outcome_lines import count
from krm_fn.explain.answers import cluster_name
from krm_fn.explain.nodes import NodeChange, node_changes
from krm_fn.krm.known_secrets import ProxyPasswords
from krm_fn.krm.manifests import ManifestList
from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.resourcelist import Object, reference
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.light_typing import Any
from krm_fn.patch import APPEND, Operation, Pointer, field_path, is_index, lookup
from krm_fn.plan import PlannedEdit

_SHOWN = 3
"""So many of a longer list of names are shown without `--verbose`."""
_VALUES_OF_SECRET = ("data", "stringData")


@dataclass(frozen=True)
class _Change:
    """The operations on one object, with its data before; an object that is created has none."""

    ref: ObjectRef
    before: Any
    operations: Sequence[Operation]


class ReviewedList(ManifestList):
    """Files that a run edits in memory, and what a reviewer asks about it that their diff does not say."""

    _operations: Mapping[int, Sequence[Operation]] = MappingProxyType({})
    _new_items: Sequence[Mapping[str, Any]] = ()
    _clusters: Sequence[str] = ()
    _nodes: Sequence[NodeChange] = ()

    def observe(self, places: Sequence[PlannedEdit], results: Sequence[Result]) -> None:
        """Note which Clusters and nodes change, given the plan and all results of a run."""
        changes = [one for one in results if one.severity is Severity.INFO and not one.code]
        changed = {one.ref for one in changes if self.is_written(one.ref.file_path)}
        clusters: dict[str, None] = {}
        for place in places:
            if place.obj.ref in changed:
                clusters.update(
                    dict.fromkeys(cluster_name(one.cluster) for one in place.memberships)
                )
        self._clusters = tuple(clusters)
        self._nodes = [
            one
            for one in node_changes(results, places)
            if one.is_rolled and self.is_written(one.file)
        ]

    def write(
        self,
        changes: Mapping[int, Sequence[Operation]],
        results: Iterable[Mapping[str, Any]],
        new_items: Sequence[Mapping[str, Any]] = (),
        beside: Sequence[int] = (),
    ) -> list[bytes]:
        """Do what ``ManifestList.write`` does, and keep the operations."""
        self._operations = changes
        self._new_items = new_items
        return super().write(changes, results, new_items, beside)

    def summary(self, passwords: ProxyPasswords, *, verbose: bool) -> list[str]:
        """Return the lines of the summary; with ``verbose`` they name all objects."""
        lines = []
        if self._clusters:
            lines.append(f"would change objects of {_clusters(self._clusters, verbose)}")
        lines += self._lines_of_nodes(verbose)
        credentials: dict[tuple[str, ...], list[ObjectRef]] = {}
        keys: dict[tuple[str, ...], list[ObjectRef]] = {}
        for change in self._changes():
            paths = dict.fromkeys(_paths_of_credentials(change, passwords))
            if paths:
                credentials.setdefault((change.ref.kind, *paths), []).append(change.ref)
            for verb, names in _keys_of_secret(change).items():
                keys.setdefault((verb, *names), []).append(change.ref)
        for (kind, *fields), refs in credentials.items():
            of = f"{kind} {_several(_names(refs), verbose)}"
            lines.append(f"would write a credential to {_quoted(fields)} of {of}")
        for (verb, *fields), refs in keys.items():
            noun = "key" if len(fields) == 1 else "keys"
            of = f"{'to' if verb == 'add' else 'of'} Secret {_several(_names(refs), verbose)}"
            lines.append(f"would {verb} the {noun} {_quoted(fields)} {of}")
        return [shown_line(passwords.hidden(line)) for line in lines]

    def _lines_of_nodes(self, verbose: bool) -> Iterator[str]:
        by_reason: dict[tuple[str, str], dict[str, None]] = {}
        for change in self._nodes:
            if not change.clusters:
                yield f"would replace all nodes of {change.object}: {change.why}"
                continue
            parts = ", ".join(map(str, change.parts)) or "all"
            of_reason = by_reason.setdefault((parts, change.why), {})
            of_reason.update(dict.fromkeys(change.clusters))
        for (parts, why), clusters in by_reason.items():
            of = _clusters(list(clusters), verbose)
            yield f"would replace nodes ({parts}) of {of}: {why}"

    def _changes(self) -> Iterator[_Change]:
        """Yield what happens to each object of the files that this run writes."""
        for index, operations in self._operations.items():
            for obj in self.objects(index):
                of_object = list(_of_object(obj, operations))
                if of_object and self.is_written(obj.ref.file_path):
                    yield _Change(obj.ref, obj.data, of_object)
        for data in self._new_items:
            ref = reference(data)
            file = self.created.get(ref, "")
            if self.is_written(self.owners.get(file, file)):
                yield _Change(ref, {}, [Operation("add", (), data)])


def _of_object(obj: Object, operations: Iterable[Operation]) -> Iterator[Operation]:
    """Yield the operations on one object of an item, with paths from its root."""
    depth = len(obj.path)
    for one in operations:
        if one.path[:depth] == obj.path:
            yield one._replace(path=one.path[depth:])


def _paths_of_credentials(change: _Change, passwords: ProxyPasswords) -> Iterator[str]:
    """Yield the fields that get a text with a credential which they do not hold yet; of a text in a list, the list."""
    for operation in change.operations:
        if operation.op == "remove":
            continue
        for path, text in _texts(operation.path, operation.value):
            if not _holds_credential(text, passwords):
                continue
            before = lookup(change.before, path)
            if not isinstance(before, str) or not _has_the_same(before, text, passwords):
                is_item = path[-1] == APPEND or is_index(path[-1])
                yield field_path(path[:-1] if is_item else path)


def _texts(path: Pointer, value: Any) -> Iterator[tuple[Pointer, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, member in value.items():
            yield from _texts((*path, str(key)), member)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _texts((*path, str(index)), item)


def _holds_credential(text: str, passwords: ProxyPasswords) -> bool:
    return bool(passwords.spans(text)) or redact(text, passwords.hidden) != text


def _has_the_same(before: str, after: str, passwords: ProxyPasswords) -> bool:
    """Return whether all passwords of a text, as far as they are known by themselves, were there before."""
    old = {before[start:end] for start, end in passwords.spans(before)}
    new = {after[start:end] for start, end in passwords.spans(after)}
    return before == after or (bool(new) and new <= old)


def _keys_of_secret(change: _Change) -> dict[str, list[str]]:
    """Return which keys of a Secret come, go or get another value, by the verb for it."""
    found: dict[str, list[str]] = {}
    if change.ref.kind != "Secret":
        return found
    for operation in change.operations:
        is_removal = operation.op == "remove"
        held = lookup(change.before, operation.path) if is_removal else operation.value
        for inner in _keys_in(held, depth=2 - len(operation.path)):
            group, key, *deeper = (*operation.path, *inner)
            if group not in _VALUES_OF_SECRET:
                continue
            verb = "remove" if is_removal and not deeper else "change"
            if lookup(change.before, (group, key)) is None:
                verb = "add"
            keys = found.setdefault(verb, [])
            if key not in keys:
                keys.append(key)
    return found


def _keys_in(value: Any, depth: int) -> Iterator[Pointer]:
    """Yield the paths of the members at a depth of plain data."""
    if depth <= 0:
        yield ()
    elif isinstance(value, Mapping):
        for key, member in value.items():
            for inner in _keys_in(member, depth - 1):
                yield (str(key), *inner)


def _names(refs: Sequence[ObjectRef]) -> list[str]:
    """Return a name for each object, with its file where two of them have the same name."""
    names = ["/".join(part for part in (ref.namespace, ref.name) if part) for ref in refs]
    number = Counter(names)
    return [
        f"{name} ({ref.file_path})" if number[name] > 1 and ref.file_path else name
        for name, ref in zip(names, refs, strict=True)
    ]


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _clusters(names: Sequence[str], verbose: bool) -> str:
    """Return ``1 Cluster (a)``, or ``5 Clusters (a, b, c and 2 more)``."""
    return f"{count(len(names), 'Cluster')} ({_several(names, verbose)})"


def _several(names: Sequence[str], verbose: bool) -> str:
    """Return names, and of more than a few how many are left out."""
    if verbose or len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"
