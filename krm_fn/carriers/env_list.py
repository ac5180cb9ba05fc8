"""The environment of a container: which entries set the six proxy variables, and how to set them.

An entry is right or it is replaced whole, because Kubernetes rejects a ``value`` beside a ``valueFrom``. Entries of
other names, and their order, are never touched: ``$(NAME)`` sees only what is before it.

Source of the form: ``EnvVar`` of the Kubernetes API, core/v1. What ``$`` means in a value: ``formats.escaping``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from krm_fn import placeholders
from krm_fn.carriers.pod_spec import LISTS, Container, containers, pod_spec
from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env, read_kubernetes_env
from krm_fn.krm.masking import redact
from krm_fn.krm.proxy_values import shown_url
from krm_fn.krm.results import Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.proxy_url import split_url
from krm_fn.settings import PROXY_VARIABLES

OVERRIDE, KEEP, FAIL, UNIT = "Override", "Keep", "Fail", "Unit"
"""Values of the option ``conflict``: what happens to an entry that is there already with another value."""

_SOURCES = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}


class Provided(NamedTuple):
    """What a container gets from ConfigMaps and Secrets that are filled themselves.

    Attributes:
        names: the variables, in upper case: who wrote the reference chose the case, and no entry in the other is added.
        entries: the entries of ``env`` that refer to them; they stay as they are.
        sources: the entries of ``envFrom`` that refer to them: which variables these set is known.
    """

    names: frozenset[str] = frozenset()
    entries: tuple[Mapping[str, Any], ...] = ()
    sources: tuple[Mapping[str, Any], ...] = ()


_NOTHING = Provided()


class EnvList:
    """The list ``env`` of one container, as a site.

    Args:
        draft: the data of the object.
        container: one of its containers; its ``env`` may be missing, null or of a wrong type.
        conflict: one of ``Override``, ``Keep``, ``Fail`` and ``Unit``.
        provided: what the container gets from objects that are filled themselves.
    """

    def __init__(
        self,
        draft: Draft,
        container: Container,
        conflict: str = OVERRIDE,
        provided: Provided = _NOTHING,
    ) -> None:
        self._draft = draft
        self._provided = provided
        self._container = container
        self._conflict = conflict
        self._path = (*container.path, "env")
        self._kept = len(container.path)
        kind = "init container" if container.is_init else "container"
        self.label = f'{kind} "{container.key}"'

    @property
    def key(self) -> str:
        """What tells the container apart in its workload."""
        return self._container.key

    def sets(self, variables: Variables) -> bool:
        """Return whether ``env`` of the draft sets something, each of the variables once, and no other of the six.

        Variables that objects of the list provide are not expected, and references to these do not count.
        """
        env = self._draft.get(self._path)
        if not isinstance(env, list):
            return False
        entries = [
            entry for entry in env if variable_of(entry) and entry not in self._provided.entries
        ]
        wanted = {name: kubernetes_env(value) for name, value in variables.items()}
        expected = {name for name in wanted if name.upper() not in self._provided.names}
        names = [entry["name"] for entry in entries]
        return (
            bool(entries)
            and len(names) == len(set(names))
            and expected <= set(names)
            and all(_is_right(entry, wanted.get(entry["name"])) for entry in entries)
        )

    def read(self) -> Iterator[Reading]:
        """Yield the proxy variables that ``env`` sets, the last entry of each name; nothing where it is no list."""
        env = self._draft.get(self._path)
        if not isinstance(env, list):
            return
        last = {variable_of(entry): index for index, entry in enumerate(env)}
        beside = self._provided.names | self._unseen()
        for name, index in last.items():
            if name is not None:
                path = (*self._path, str(index))
                seen = read_entry(Reading(name, None, path, "", self.label), env[index])
                is_provided = env[index] in self._provided.entries
                yield seen._replace(is_provided=is_provided, beside=beside)

    def _unseen(self) -> frozenset[str]:
        """Return the variables, in upper case, that ``envFrom`` may set from objects that are not seen here."""
        held = self._container.fields.get("envFrom")
        found: set[str] = set()
        for source in held if isinstance(held, list) else ():
            if isinstance(source, Mapping) and source not in self._provided.sources:
                prefix = str(source.get("prefix") or "")
                found |= {name.upper() for name in PROXY_VARIABLES if name.startswith(prefix)}
        return frozenset(found)

    def write(self, variables: Variables) -> None:
        """Make ``env`` set the variables and no other of the six, as far as ``conflict`` allows it.

        Raises:
            WrongTypeError: ``env`` is no list.
        """
        env = self._draft.items(self._path) or []
        for index, entry in enumerate(env if variables else ()):
            if not isinstance(entry, Mapping):
                path = (*self._path, str(index))
                self._draft.findings.append(wrong_type(path, entry, "a mapping"))
        wanted = {name: kubernetes_env(value) for name, value in variables.items()}
        if self._conflict == KEEP:
            self._keep(env, wanted)
        elif self._conflict == UNIT and (own := self._own(env, wanted)):
            self._report_unit(own, wanted)
        else:
            self._override(env, wanted)

    def _override(self, env: Sequence[Any], wanted: Variables) -> None:
        """Correct the first entry of each variable, remove the others, and add what is missing."""
        entries: list[Any] = []
        done: set[str] = set()
        for index, entry in enumerate(env):
            name = variable_of(entry)
            if name is None:
                entries.append(entry)
                continue
            if entry in self._provided.entries and name not in done:
                entries.append(entry)
                done.add(name)
                continue
            self._report_replaced(index, name, entry, wanted)
            if name in done:
                self._draft.describe(f"removes a second entry `{name}` from {self.label}")
            elif name in wanted:
                entries.append(_corrected(entry, wanted[name]))
                done.add(name)
        missing = [name for name in self._added(wanted) if name not in done]
        _insert_missing(entries, missing, wanted)
        self._set(env, entries)
        self._report_dangling(env, entries, wanted)

    def _own(self, env: Sequence[Any], wanted: Variables) -> list[str]:
        """Return the variables that have another value than ours: the author of the container set them.

        OLM decides so about the ``env`` of a Subscription: ``IsOverridden`` in ``pkg/lib/proxy/overridden.go``.
        """
        found = []
        for entry in env:
            name = variable_of(entry)
            if name is None or entry in self._provided.entries:
                continue
            if not _is_right(entry, wanted.get(name)):
                found.append(name)
        return found

    def _added(self, wanted: Variables) -> list[str]:
        """Return the variables that ``env`` itself has to set."""
        return [name for name in wanted if name.upper() not in self._provided.names]

    def _keep(self, env: Sequence[Any], wanted: Variables) -> None:
        """Add what is missing, unless the variable in the other case stays with another value."""
        present: set[str] = set()
        kept: set[str] = set()
        for index, entry in enumerate(env):
            name = variable_of(entry)
            if name is None:
                continue
            present.add(name)
            if entry not in self._provided.entries and not _is_right(entry, wanted.get(name)):
                kept.add(name)
                self._report_kept(index, name, entry, wanted)
        entries = list(env)
        for name in self._added(wanted):
            if name in present:
                continue
            if name.swapcase() in kept:
                self._report_contradiction(name)
            else:
                entries.append(_entry(name, wanted[name]))
        self._set(env, entries)

    def _set(self, env: Sequence[Any], entries: list[Any]) -> None:
        if entries == list(env):
            return
        if entries:
            self._draft.set(self._path, entries, keep=self._kept)
        else:
            self._draft.remove(self._path, keep=self._kept)

    def _report_replaced(
        self, index: int, name: str, entry: Mapping[str, Any], wanted: Variables
    ) -> None:
        """Report an entry that is replaced or removed although its author may have meant it."""
        if self._conflict == FAIL and wanted and not _is_right(entry, wanted.get(name)):
            self._report_clash(index, name, entry, wanted)
        elif isinstance(lookup(entry, ("valueFrom", "secretKeyRef")), Mapping):
            what = "is replaced by a value in clear text" if name in wanted else "is removed"
            message = (
                f"`{name}` in {self.label} came from a Secret and {what}: "
                'set `conflict` to "Keep" to leave it'
            )
            self._report(Severity.WARNING, index, message, code="ValueOutOfSecret")
        elif isinstance(source := lookup(entry, ("valueFrom", "configMapKeyRef")), Mapping):
            what = "is replaced by a value" if name in wanted else "is removed"
            message = (
                f'`{name}` in {self.label} came from the ConfigMap "{source.get("name")}", which is not '
                f"in the list or names no proxy there, and {what}: add it to the list to have it filled"
            )
            self._report(Severity.INFO, index, message, code="ReferenceReplaced")

    def _report_clash(
        self, index: int, name: str, entry: Mapping[str, Any], wanted: Variables
    ) -> None:
        if name in wanted:
            must = f'must be "{_shown(name, wanted[name])}"'
        else:
            must = "must not be set"
        if entry.get("valueFrom") is not None:
            is_now = "comes from a `valueFrom`"
        else:
            is_now = f'is "{_shown(name, entry.get("value"))}"'
        message = (
            f"`{name}` in {self.label} {must} and {is_now} (user info left out): "
            'change or remove the entry, or set `conflict` to "Override" or "Keep"'
        )
        self._report(Severity.ERROR, index, message, code="ValueConflict")

    def _report_kept(
        self, index: int, name: str, entry: Mapping[str, Any], wanted: Variables
    ) -> None:
        value = entry.get("value")
        if not wanted and isinstance(value, str) and redact(value) != value:
            message = (
                f'`{name}` in {self.label} stays with its password, because `conflict` is "Keep": remove it yourself, '
                'or set `conflict` to "Override" for this run'
            )
            self._report(Severity.WARNING, index, message, code="ValueKept")
            return
        why = "the settings differ" if name in wanted else "the settings do not have it"
        message = f'`{name}` in {self.label} stays as it is, although {why}: `conflict` is "Keep"'
        self._report(Severity.INFO, index, message, code="ValueKept")

    def _report_unit(self, own: Sequence[str], wanted: Variables) -> None:
        """Report a container that keeps all of its variables; a removal takes only what is ours, and says nothing.

        That is a warning where it keeps another proxy: somebody chose it, and it does not get ours.
        """
        if not wanted:
            return
        names, severity = self._other_urls(wanted), Severity.WARNING
        keeps = "so it keeps another proxy than the ProxyConfig says"
        if not names:
            names, severity = list(own), Severity.INFO
            keeps = "so none of its proxy variables is changed"
        message = (
            f'{self.label} sets {quoted(names)} itself, {keeps}: `conflict` is "Unit"; set it to "Override" to '
            "replace them, or remove them"
        )
        self._draft.report(severity, message, self._path, code="ValueKept")

    def _other_urls(self, wanted: Variables) -> list[str]:
        """Return the variables that are known to name another proxy than the wanted one."""
        found = []
        for reading in self.read():
            name, value = reading.variable, reading.value
            if name.upper() == "NO_PROXY" or reading.is_provided or not value:
                continue
            is_right = value == read_kubernetes_env(wanted.get(name, ""))
            if not is_right and not placeholders.is_in(value):
                found.append(name)
        return found

    def _report_contradiction(self, name: str) -> None:
        twin = name.swapcase()
        message = (
            f"`{name}` is not added in {self.label}, because `{twin}` stays with another value and "
            f'programs would disagree about the proxy: remove `{twin}`, or set `conflict` to "Override"'
        )
        self._draft.report(Severity.WARNING, message, self._path, code="OtherCaseStays")

    def _report_dangling(
        self, env: Sequence[Any], entries: Sequence[Any], wanted: Variables
    ) -> None:
        """Report each variable that is removed although something in the container still refers to it."""
        before = {variable_of(entry) for entry in env}
        after = {variable_of(entry) for entry in entries}
        texts = [entry.get("value") for entry in entries if isinstance(entry, Mapping)]
        for field in ("command", "args"):
            words = self._container.fields.get(field)
            texts += words if isinstance(words, list) else []
        for name in PROXY_VARIABLES:
            if name not in before or name in after or name in wanted:
                continue
            reference = re.compile(rf"(?<!\$)(?:\$\$)*\$\({name}\)")
            if any(isinstance(text, str) and reference.search(text) for text in texts):
                message = (
                    f"`$({name})` in {self.label} refers to a variable that is removed: "
                    "remove the reference"
                )
                self._draft.report(Severity.WARNING, message, self._path, code="ReferenceToRemoved")

    def _report(self, severity: Severity, index: int, message: str, *, code: str) -> None:
        self._draft.report(severity, message, (*self._path, str(index)), code=code)


class ObjectEnvList(EnvList):
    """A list of variables in an object that is no workload, as a site.

    Args:
        draft: the data of the object.
        path: leads to the list, which may be missing, null or of a wrong type.
        conflict: one of ``Override``, ``Keep``, ``Fail`` and ``Unit``.
    """

    def __init__(self, draft: Draft, path: Pointer, conflict: str) -> None:
        beside = draft.get(path[:-1])
        fields = beside if isinstance(beside, Mapping) else {}
        super().__init__(draft, Container(path[-1], path[:-1], fields), conflict)
        self._path = path
        self._kept = 0
        steps = [f"[{step}]" if step.isdigit() else f".{step}" for step in path]
        self.label = f"`{''.join(steps).removeprefix('.')}`"


def read_all_containers(obj: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what the containers of a workload set, whether or not a target wants them."""
    at = pod_spec(obj)
    for field in LISTS if at else ():
        for container in containers(obj, field, at=at or ()):
            yield from EnvList(Draft(obj), container).read()


def correct(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    """Give entries of ``env`` other values; none is added beside an ``envFrom``, which may set the variable already.

    Args:
        draft: the data of the object.
        place: everything that one container sets: at least one variable.
        values: what it has to set instead, or besides.
    """
    env = _path_of_entry(next(iter(place.values())))[:-1]
    may_add = not draft.get((*env[:-1], "envFrom"))
    for name, value in values.items():
        twin = place.get(name.swapcase())
        if name in place:
            draft.set((*_path_of_entry(place[name]), "value"), kubernetes_env(value or ""))
        elif may_add and value is None and twin is not None:
            draft.append(env, {**draft.get(_path_of_entry(twin)), "name": name})
        elif may_add:
            draft.append(env, {"name": name, "value": kubernetes_env(value or "")})


def _path_of_entry(one: Reading) -> Pointer:
    """Return the path of the entry of ``env`` that a path leads to, or into."""
    return one.path if one.path[-1].isdigit() else one.path[:-1]


def variable_of(entry: Any) -> str | None:
    """Return which of the six variables an entry of ``env`` sets; None for any other entry."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return name if isinstance(name, str) and name in PROXY_VARIABLES else None


def read_entry(blank: Reading, entry: Mapping[str, Any]) -> Reading:
    """Return a reading, whose ``path`` leads to an entry of ``env``, with what that entry gives the variable."""
    value = entry.get("value")
    if entry.get("valueFrom") is not None:
        return _filled(blank, "valueFrom", None, "", source_of(entry["valueFrom"]))
    if value is None:
        return Reading(blank.variable, "", blank.path, "", blank.place)
    if not isinstance(value, str):
        return _filled(blank, "value", None, str(value), "its `value` must be a string")
    read = read_kubernetes_env(value)
    if read is not None:
        return _filled(blank, "value", read, value, "")
    found = _filled(blank, "value", None, value, "it refers to another variable")
    return found._replace(unresolved=value)


def source_of(value_from: Any) -> str:
    """Return where a ``valueFrom`` takes the value from, as the end of a sentence."""
    for key, kind in _SOURCES.items():
        source = value_from.get(key) if isinstance(value_from, Mapping) else None
        if isinstance(source, Mapping):
            return (
                f'it comes from the key "{source.get("key")}" of the {kind} "{source.get("name")}"'
            )
    return "it comes from a `valueFrom`"


def _filled(blank: Reading, key: str, value: str | None, raw: str, why: str) -> Reading:
    return Reading(blank.variable, value, (*blank.path, key), raw, blank.place, why)


def _entry(name: str, value: str) -> dict[str, str]:
    return {"name": name, "value": value}


def _is_right(entry: Mapping[str, Any], value: str | None) -> bool:
    """Return whether an entry sets its variable to the value; None: no setting has it."""
    return value is not None and entry == {"name": entry["name"], "value": value}


def _corrected(entry: Mapping[str, Any], value: str) -> Mapping[str, Any]:
    if _is_right(entry, value):
        return entry
    if set(entry) == {"name", "value"}:
        return {**entry, "value": value}
    return _entry(entry["name"], value)


def _insert_missing(entries: list[Any], missing: Sequence[str], wanted: Variables) -> None:
    """Insert entries among our own pairs at the end of the list, or else at the end."""
    pairs = _pairs_at_end([variable_of(entry) for entry in entries])
    start = len(entries) - len(pairs)
    at_end = []
    for name in missing:
        behind = [other for other in pairs if _rank(other) > _rank(name)]
        if behind:
            at = pairs.index(behind[0])
            entries.insert(start + at, _entry(name, wanted[name]))
            pairs.insert(at, name)
        else:
            at_end.append(_entry(name, wanted[name]))
    entries += at_end


def _pairs_at_end(names: Sequence[str | None]) -> list[str]:
    """Return the pairs (``HTTP_PROXY``, ``http_proxy``) at the end of a list that are in our order.

    A pair that is missing among them is inserted there: so a run with other settings ends where one run would have,
    and a list in any other order only grows at its end.
    """
    found: list[str] = []
    for index in range(len(names) - 2, -1, -2):
        upper, lower = names[index], names[index + 1]
        if not upper or not upper.isupper() or lower != upper.lower():
            break
        if found and _rank(upper) >= _rank(found[0]):
            break
        found = [upper, lower, *found]
    return found


def _rank(name: str) -> int:
    return PROXY_VARIABLES.index(name)


def _shown(name: str, value: Any) -> str:
    """Return a value as a message may hold it: a URL without its user info, and nothing of any other text."""
    text = "" if value is None else str(value)
    text = text if name.upper() == "NO_PROXY" else shown_url(text)
    return split_url(text).without_credentials
