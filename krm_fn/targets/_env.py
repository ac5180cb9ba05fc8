"""The environment of a container: which entries are ours to set, and the edits that make them right.

An entry is right or it is replaced whole, because Kubernetes rejects a ``value`` beside a
``valueFrom``. Entries of other names, and their order, are never touched: ``$(NAME)`` sees only what stands before it.

Source of the form: ``EnvVar`` of the Kubernetes API, core/v1. What ``$`` means in a value: ``escaping.kubernetes_env``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.proxy_values import shown_url
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import ListEdit, Operation, Pointer, add, lookup, replace
from krm_fn.settings import PROXY_VARIABLES, ProxySettings


@dataclass(frozen=True)
class Container:
    """One container of a pod template: its ``name`` ("" where it has none), its place, its fields as they are."""

    name: str
    path: Pointer
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class _Variable:
    """One entry of ``env`` that has a name of ours; ``first`` is False for every repetition of that name."""

    index: int
    name: str
    content: Mapping[str, Any]
    first: bool


def set_proxy(
    container: Container, settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what makes the ``env`` of ``container`` hold the variables of ``settings`` and no other of the six.

    Args:
        container: one container; its ``env`` may be missing, null or of a wrong type.
        settings: all empty means that every one of the six entries is to go.
        options: ``conflict`` is one of ``Override`` (default), ``Keep`` and ``Fail``.
    """
    env = container.fields.get("env")
    if env is not None and not isinstance(env, list):
        yield wrong_type((*container.path, "env"), env, "a list")
        return
    wanted = {name: kubernetes_env(value) for name, value in settings.variables().items()}
    conflict = options.get("conflict") or "Override"
    edit = _EnvEdit(container, env or [], wanted, conflict)
    if conflict == "Keep":
        yield from edit.keep()
    else:
        yield from edit.override()


@dataclass(frozen=True)
class _EnvEdit:
    """One ``env`` list and what it is to hold."""

    container: Container
    env: Sequence[Any]
    wanted: Mapping[str, str]
    conflict: str

    @property
    def path(self) -> Pointer:
        return (*self.container.path, "env")

    def entries(self) -> list[_Variable]:
        """The entries that have one of the six names, in their order."""
        found: list[_Variable] = []
        for index, item in enumerate(self.env):
            name = name_of(item)
            if name:
                found.append(
                    _Variable(index, name, item, all(entry.name != name for entry in found))
                )
        return found

    def override(self) -> Iterator[Change | Finding]:
        """Every entry of ours becomes right, once; with ``Fail`` each one that is not is told as an error, too."""
        edit = ListEdit(self.path, self.env)
        for entry in self.entries():
            right = self.is_right(entry)
            if self.conflict == "Fail" and self.wanted and not right:
                yield self.clash(entry)
            elif isinstance(lookup(entry.content, ("valueFrom", "secretKeyRef")), Mapping):
                yield self.out_of_its_secret(entry)
            if not entry.first or entry.name not in self.wanted:
                edit.removed.add(entry.index)
            elif not right and set(entry.content) == {"name", "value"}:
                yield self.change(
                    replace(*self.path, entry.index, "value", value=self.wanted[entry.name]),
                    entry.name,
                )
            elif not right:
                edit.replaced[entry.index] = self.item(entry.name)
        yield from self.write(edit)
        yield from self.dangling(edit.removed)

    def keep(self) -> Iterator[Change | Finding]:
        """What is there stays; what is missing is added, unless its twin in the other case says something else."""
        entries = self.entries()
        kept = {entry.name for entry in entries if not self.is_right(entry)}
        for entry in entries:
            if not self.is_right(entry):
                yield self.kept(entry)
        contradicted = {name for name in self.missing(entries) if name.swapcase() in kept}
        for name in sorted(contradicted, key=PROXY_VARIABLES.index):
            yield self.contradiction(name)
        yield from self.write(ListEdit(self.path, self.env), without=contradicted)

    def write(
        self, edit: ListEdit, without: set[str] | frozenset[str] = frozenset()
    ) -> Iterator[Change]:
        """The operations of ``edit``, and those that add every missing variable but ``without``."""
        staying = [entry for entry in self.entries() if entry.index not in edit.removed]
        missing = [name for name in self.missing(staying) if name not in without]
        names = [name_of(item) for index, item in enumerate(self.env) if index not in edit.removed]
        run = [] if self.conflict == "Keep" else _own_run(names)
        inside = [name for name in missing if run and _rank(name) < _rank(run[-1])]
        edit.appended = [self.item(name) for name in missing if name not in inside]
        for operation in edit.operations():
            yield self.change(operation, *self.names_of(operation))
        order = sorted([*run, *inside], key=_rank)
        for name in inside:
            place = len(names) - len(run) + order.index(name)
            yield self.change(add(*self.path, place, value=self.item(name)), name)

    def missing(self, entries: Sequence[_Variable]) -> list[str]:
        present = {entry.name for entry in entries}
        return [name for name in self.wanted if name not in present]

    def item(self, name: str) -> dict[str, str]:
        return {"name": name, "value": self.wanted[name]}

    def is_right(self, entry: _Variable) -> bool:
        return entry.name in self.wanted and entry.content == self.item(entry.name)

    def names_of(self, operation: Operation) -> list[str]:
        """The variables that an operation on a whole entry, or on the whole list, is about."""
        if operation.op == "remove":
            items = self.env if operation.path == self.path else [self.env[int(operation.path[-1])]]
        else:
            items = operation.value if isinstance(operation.value, list) else [operation.value]
        return [name for name in map(name_of, items) if name]

    def change(self, operation: Operation, *names: str) -> Change:
        if operation.op == "remove" and not set(names) & set(self.wanted):
            verb = "removes"
        else:
            verb = "removes the repeated" if operation.op == "remove" else "sets"
        return Change(operation, f"{verb} {quoted(names)} {self.whose()}")

    def whose(self) -> str:
        return f'in container "{self.container.name}"'

    def finding(
        self, severity: Severity, entry: _Variable, message: str, *, code: str = ""
    ) -> Finding:
        place = (*self.path, str(entry.index))
        return Finding(
            severity, message, place, entry.content, self.wanted.get(entry.name), code=code
        )

    def clash(self, entry: _Variable) -> Finding:
        must = (
            f'must be "{_shown(entry.name, self.wanted[entry.name])}"'
            if entry.name in self.wanted
            else "must not be set"
        )
        value = entry.content.get("value")
        is_now = (
            "comes from a `valueFrom`"
            if entry.content.get("valueFrom") is not None
            else f'is "{_shown(entry.name, value)}"'
        )
        message = (
            f"`{entry.name}` {self.whose()} {must} and {is_now} (user info left out): "
            'change or remove the entry, or set `conflict` to "Override" or "Keep"'
        )
        return self.finding(Severity.ERROR, entry, message)

    def out_of_its_secret(self, entry: _Variable) -> Finding:
        goes = (
            "and is replaced by a value in clear text"
            if entry.name in self.wanted
            else "and is removed"
        )
        message = f'`{entry.name}` {self.whose()} came from a Secret {goes}: set `conflict` to "Keep" to leave it'
        return self.finding(Severity.WARNING, entry, message, code="ValueOutOfSecret")

    def kept(self, entry: _Variable) -> Finding:
        why = (
            "the settings say something else"
            if entry.name in self.wanted
            else "no setting asks for it"
        )
        message = (
            f'`{entry.name}` {self.whose()} stays as it is, although {why}: `conflict` is "Keep"'
        )
        return self.finding(Severity.INFO, entry, message, code="ValueKept")

    def contradiction(self, name: str) -> Finding:
        twin = name.swapcase()
        message = (
            f"`{name}` is not added {self.whose()}, because `{twin}` stays with another value and programs would "
            f'disagree about the proxy: remove `{twin}`, or set `conflict` to "Override"'
        )
        return Finding(Severity.WARNING, message, self.path, code="OtherCaseStays")

    def dangling(self, removed: set[int]) -> Iterator[Finding]:
        """A warning for each variable that goes although something in the container still refers to it."""
        staying = [item for index, item in enumerate(self.env) if index not in removed]
        texts = [item.get("value") for item in staying if isinstance(item, Mapping)]
        for field in ("command", "args"):
            words = self.container.fields.get(field)
            texts += words if isinstance(words, list) else []
        gone = (
            {name_of(self.env[index]) for index in removed}
            - {name_of(item) for item in staying}
            - set(self.wanted)
        )
        for name in sorted(filter(None, gone), key=_rank):
            reference = re.compile(rf"(?<!\$)(?:\$\$)*\$\({name}\)")
            if any(isinstance(text, str) and reference.search(text) for text in texts):
                message = f"`$({name})` {self.whose()} refers to a variable that is removed: remove the reference"
                yield Finding(Severity.WARNING, message, self.path, code="ReferenceToRemoved")


def quoted(names: Iterable[str]) -> str:
    """``HTTP_PROXY``, ``http_proxy``: names as messages write them, each once."""
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def name_of(item: Any) -> str | None:
    """Which of the six variables an entry of ``env`` is for; None for any other entry, and for what is none."""
    name = item.get("name") if isinstance(item, Mapping) else None
    return name if isinstance(name, str) and name in PROXY_VARIABLES else None


def _rank(name: str) -> int:
    return PROXY_VARIABLES.index(name)


def _own_run(names: Sequence[str | None]) -> list[str]:
    """The pairs at the end of a list that stand as this program writes them: a missing pair takes its place among them.

    So a run with other settings ends where one run would have; a list in any other order only grows at its end.
    """
    run: list[str] = []
    for index in range(len(names) - 2, -1, -2):
        upper, lower = names[index], names[index + 1]
        if (
            not upper
            or lower != upper.lower()
            or upper == lower
            or (run and _rank(upper) >= _rank(run[0]))
        ):
            break
        run = [upper, upper.lower(), *run]
    return run


def _shown(name: str, value: Any) -> str:
    """Return a value as a message may hold it: a URL without its user info, and nothing of any other text."""
    text = "" if value is None else str(value)
    text = text if name.upper() == "NO_PROXY" else shown_url(text)
    return re.sub(r"^([A-Za-z][\w+.-]*://)?.*@", r"\1", text, flags=re.DOTALL)
