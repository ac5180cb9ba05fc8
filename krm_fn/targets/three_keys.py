"""Three members of a mapping that hold a proxy: http, https and what goes without it, under names of their own.

It edits those three members of one mapping and nothing else. A list stays a list and a text a
text, unless they can be read in one form only; where neither is there, the caller's word counts. Where the mapping is
missing it is made, and one that loses its last member to removal goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from krm_fn import noproxy
from krm_fn.formats.embedded import Embedded
from krm_fn.formats.embedded import change as embedded_change
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import called, wrong_type
from krm_fn.patch import Operation, Pointer, add, lookup, remove, replace
from krm_fn.settings import ProxySettings
from krm_fn.targets._seen import Reading
from krm_fn.targets.member_edits import MemberEdits

_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_MISSING = object()


@dataclass(frozen=True)
class Keys:
    """What the members are called; ``is_list``: the last one, where it is new, is a list of entries.

    ``is_fixed``: it is of no use in the other form, so that what is there is rewritten.
    """

    http: str
    https: str
    no: str
    is_list: bool = False
    is_fixed: bool = False

    @property
    def names(self) -> tuple[str, str, str]:
        """In the order of ``HTTP_PROXY``, ``HTTPS_PROXY``, ``NO_PROXY``."""
        return (self.http, self.https, self.no)


@dataclass(frozen=True)
class ThreeKeys:
    """One mapping that holds the three: ``path`` leads to it, and ``what`` is it in one phrase.

    ``kept``: so many mappings at the beginning of ``path`` stay, even if nothing is left in them. ``switch``: a fourth
    member that must be true for the three to count. It comes and goes with them; one that says otherwise is a person's.
    """

    path: Pointer
    keys: Keys
    what: str
    kept: int = 1
    switch: str = ""

    @property
    def members(self) -> tuple[Pointer, ...]:
        """Where the three stand."""
        return tuple((*self.path, name) for name in self.keys.names)


SNAKE = Keys("http_proxy", "https_proxy", "no_proxy")
CAMEL = Keys("httpProxy", "httpsProxy", "noProxy")
SHORT = Keys("http", "https", "noProxy")


def edit(data: Any, slot: ThreeKeys, settings: ProxySettings) -> MemberEdits | Finding:
    """What the mapping lacks or has too much.

    Args:
        data: an object, or a document inside one, as plain data.
        slot: where the mapping stands or is to stand.
        settings: the proxy; all empty means that the members are to go.

    Returns:
        A Finding where something else than a mapping stands there or on the way to it.
    """
    path, keys = slot.path, slot.keys
    problem = on_the_way(data, path)
    if problem:
        return problem
    there = lookup(data, path) or {}
    is_off = there.get(slot.switch, True) not in (None, True)
    if is_off and settings.variables():
        message = f"`{slot.switch}` is not true, so {slot.what} stays as it is: set it to true, or leave it out"
        return Finding(Severity.WARNING, message, (*path, slot.switch), code="ProxySwitchedOff")
    wanted = dict(
        zip(keys.names, (settings.http_proxy, settings.https_proxy, settings.no_proxy), strict=True)
    )
    new = {
        name: _as_it_is(there.get(name), value, keys, name)
        for name, value in wanted.items()
        if value
    }
    if slot.switch and not is_off:
        wanted = {slot.switch: "", **wanted}
        new = {slot.switch: True, **new} if new else new
    sets = [name for name, value in new.items() if there.get(name, _MISSING) != value]
    gone = [name for name in wanted if name in there and name not in new]
    operations = (
        _removals(data, slot, gone) if gone and not new else [remove(*path, name) for name in gone]
    )
    operations += [_set(data, slot, name, new) for name in sets[:1]]
    operations += [_member(slot, name, new, there) for name in sets[1:]]
    misfits = {name: _instead_of(there.get(name), new[name]) for name in sets}
    parts = [
        f"{verb} {_named(some, misfits)}"
        for verb, some in (("sets", sets), ("removes", gone))
        if some
    ]
    message = f"{' and '.join(parts)} of {slot.what}"
    return MemberEdits(
        tuple(operations),
        message,
        _lines({name: there[name] for name in (*sets, *gone) if name in there}),
        _lines({name: new[name] for name in sets}),
        (message,)
        if len(operations) == 1
        else tuple(_told(one, slot, sets, misfits) for one in operations),
    )


def on_the_way(data: Any, path: Pointer) -> Finding | None:
    """What else than a mapping, or an item of a list, stands at ``path`` or on the way to it."""
    for depth in range(len(path) + 1):
        held = lookup(data, path[:depth])
        is_step = isinstance(held, list) and "".join(path[depth : depth + 1]).isdigit()
        if held is not None and not (is_step or isinstance(held, Mapping)):
            return wrong_type(path[:depth], held, "a mapping")
    return None


def _instead_of(there: Any, value: Any) -> str:
    """What to say of a value that is rewritten in another form; "" where it is not."""
    return "" if there is None or type(there) is type(value) else f" (instead of {called(there)})"


def _told(
    operation: Operation, slot: ThreeKeys, sets: list[str], misfits: Mapping[str, str]
) -> str:
    """What one of several operations does; the one that makes the mapping sets the first member."""
    name = operation.path[-1] if len(operation.path) > len(slot.path) else sets[0]
    return f"{'removes' if operation.op == 'remove' else 'sets'} {_named([name], misfits)} of {slot.what}"


def in_document(found: Embedded, made: MemberEdits | Finding) -> Iterator[Change | Finding]:
    """The same about the object in which the document stands."""
    yield from in_documents([(found, made)])


def in_documents(
    made: Iterable[tuple[Embedded, MemberEdits | Finding]],
) -> Iterator[Change | Finding]:
    """The same for several documents, of several texts or of one; no two edits are about the same members."""
    edits: dict[Pointer, list[tuple[Embedded, MemberEdits]]] = {}
    for found, one in made:
        if isinstance(one, Finding):
            yield Finding(one.severity, f"in it, {one.message}", found.value.path, code=one.code)
        elif one.operations:
            edits.setdefault(found.value.path, []).append((found, one))
    for of_text in edits.values():
        operations: dict[int, list[Operation]] = {}
        for found, one in of_text:
            operations.setdefault(found.index, []).extend(one.operations)
        message = ", ".join(dict.fromkeys(one.message for _, one in of_text))
        current, proposed = (
            "\n".join(dict.fromkeys(text for text in texts if text))
            for texts in zip(*((one.current, one.proposed) for _, one in of_text), strict=True)
        )
        yield embedded_change(
            of_text[0][0].value, operations, message, current=current, proposed=proposed
        )


def is_there(data: Any, slot: ThreeKeys) -> bool:
    """Whether the mapping sets one of the three, if only to nothing."""
    held = lookup(data, slot.path)
    return isinstance(held, Mapping) and not held.keys().isdisjoint(slot.keys.names)


def seen(data: Any, slot: ThreeKeys, text: Pointer = ()) -> Iterator[Reading]:
    """What the mapping says; whoever reads it there gives both cases of each variable to its programs.

    Args:
        data: as for ``edit``.
        slot: where the mapping stands.
        text: where the text stands that ``data`` was read from; () if ``data`` is the object itself.
    """
    path, keys = slot.path, slot.keys
    for name, variable in zip(keys.names, _VARIABLES, strict=True):
        value = lookup(data, (*path, name))
        if isinstance(value, list):
            value = ",".join(entry for entry in value if isinstance(entry, str))
        if isinstance(value, str) and value:
            where = text or (*path, name)
            yield from (
                Reading(each, value, where, value, slot.what)
                for each in (variable, variable.lower())
            )


def _as_it_is(there: Any, value: str, keys: Keys, name: str) -> Any:
    """``value`` in the form that is there: a list that says the same, in whatever items, is right already."""
    kept = None if keys.is_fixed else there
    is_list = isinstance(kept, list) or (keys.is_list and not isinstance(kept, str))
    if name != keys.no or not is_list:
        return value
    return list(noproxy.parse(value))


def _set(data: Any, slot: ThreeKeys, name: str, new: Mapping[str, Any]) -> Operation:
    """The first member that is set: with the mappings above it where they are missing."""
    there = lookup(data, slot.path)
    if isinstance(there, Mapping):
        return _member(slot, name, new, there)
    at, value = slot.path, {name: new[name]}
    while at and not isinstance(lookup(data, at[:-1]), Mapping):
        at, value = at[:-1], {at[-1]: value}
    return add(*at, value=value)


def _member(
    slot: ThreeKeys, name: str, new: Mapping[str, Any], there: Mapping[str, Any]
) -> Operation:
    """One member that is set; a new one stands in front of those that follow it elsewhere, too."""
    path = (*slot.path, name)
    if name in there:
        return replace(*path, value=new[name])
    behind = list(new)[list(new).index(name) + 1 :]
    before = next((other for other in behind if other in there), "")
    is_kept = len(slot.path) <= slot.kept  # as in `_removals`
    return add(*path, value=new[name], before=before, leaves_around=is_kept)


def _removals(data: Any, slot: ThreeKeys, gone: list[str]) -> list[Operation]:
    """Without the members, and without the mappings that held nothing else."""
    path = slot.path
    if set(lookup(data, path)) != set(gone) or len(path) <= slot.kept:
        return [remove(*path, name) for name in gone]
    while len(path) - 1 > slot.kept and len(lookup(data, path[:-1])) == 1:
        path = path[:-1]
    return [remove(*path)]


def _named(names: list[str], misfits: Mapping[str, str]) -> str:
    return ", ".join(f"`{name}`{misfits.get(name, '')}" for name in names)


def _lines(values: Mapping[str, Any]) -> str:
    shown = (
        (name, ",".join(map(str, value)) if isinstance(value, list) else value)
        for name, value in values.items()
    )
    return "\n".join(f"{name}={value}" for name, value in shown)
