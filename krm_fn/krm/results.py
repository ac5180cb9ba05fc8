"""The results of a run: findings of the packages, with their object, in order.

Format: ``results`` of the KRM functions specification v1 (kustomize ``cmd/config/docs/api-conventions``), order and
one-line form of kyaml (``kyaml/fn/framework/result.go``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

from krm_fn.krm.masking import redact, shown_line
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import APPEND, Operation, Pointer, field_path


class Severity(Enum):
    """How much a finding matters; the members are in the order of the report."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def is_severe(severity: Severity, least: Severity) -> bool:
    """Return whether ``severity`` is at least as severe as ``least``."""
    return _RANK[severity] <= _RANK[least]


def are_severe(results: Iterable[Result], least: Severity) -> bool:
    """Return whether a result is at least as severe as ``least``."""
    severe = [severity for severity in Severity if is_severe(severity, least)]
    return any(result.severity in severe for result in results)


class Finding(NamedTuple):
    """Something a package noticed about one object and did not change: a skip, a warning, an impossibility.

    Attributes:
        severity: how bad it is.
        message: what is wrong, in which field, and what to do.
        path: leads from the object's root to the field it is about, or empty.
        current: what the field holds.
        proposed: what it should hold.
        is_stale: the object has another proxy than the declared one, or none, and no operation can change that: with
            ``mode: Check`` and ``--check`` such a finding is an error.
        code: the name under which ``spec.lint.rules`` silences it or makes it louder: the ID of a rule (``NP004``), or
            one of ``krm_fn.krm.codes`` (``OtherWriter``); "" if none does.
        clusters: the names of the Clusters that it is about, where ``fact`` may be true of others, too.
        fact: what it says of them, in words that are the same for all; () where the message is that.
    """

    severity: Severity
    message: str
    path: Pointer = ()
    current: Any = None
    proposed: Any = None
    is_stale: bool = False
    code: str = ""
    clusters: tuple[str, ...] = ()
    fact: tuple[str, ...] = ()

    def about(self, ref: ObjectRef, target: str = "") -> Result:
        """Return the finding as a result about the object and, where one reported it, the target."""
        return Result(
            self.severity,
            self.message,
            ref,
            self.path,
            self.current,
            self.proposed,
            target,
            self.code,
            self.is_stale,
            self.clusters,
            self.fact,
        )


class Edit(NamedTuple):
    """All that one target changes in one object.

    Attributes:
        operations: they hold when applied to the object one after another; at least one.
        message: what they do, in one sentence.
        current: variable -> value before, as far as both are known; a value of another form is shown as it is.
        proposed: the same after the edit.
        data: what the object holds after the edit, to be read only; None where a target did not make the edit, or
            removes the object.
    """

    operations: tuple[Operation, ...]
    message: str
    current: Any = None
    proposed: Any = None
    data: Any = None

    @property
    def removes_object(self) -> bool:
        """Whether the object itself is removed."""
        return any(operation.op == "remove" and not operation.path for operation in self.operations)

    @property
    def path(self) -> Pointer:
        """The innermost field that holds all that changes; the whole object is ``()``."""
        paths = [operation.path for operation in self.operations]
        if len(paths) == 1:
            (only,) = self.operations
            if only.op == "replace" and isinstance(only.value, dict) and len(only.value) == 1:
                return (*only.path, *only.value)  # nothing was there, and now one member is
            return only.path
        return innermost(paths)


def innermost(paths: Sequence[Pointer]) -> Pointer:
    """Return the path of the innermost field that holds all of these, at least one; the whole object is ``()``."""
    first, last = min(paths), max(paths)
    depth = 0
    while depth < min(len(first), len(last)) and first[depth] == last[depth]:
        depth += 1
    return first[: depth - 1] if first[depth - 1 : depth] == (APPEND,) else first[:depth]


class ObjectRef(NamedTuple):
    """Which object a result is about, and in which file it is (from the annotations of the orchestrator)."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    file_path: str = ""
    file_index: int = 0

    def __str__(self) -> str:
        parts = (self.api_version, self.kind, self.namespace, self.name)
        return "/".join(redact(part) for part in parts if part)


class Result(NamedTuple):
    """One entry of ``results``; ``is_stale``, ``clusters`` and ``fact`` are those of its finding."""

    severity: Severity
    message: str
    ref: ObjectRef = ObjectRef()
    path: Pointer = ()
    current: Any = None
    proposed: Any = None
    target: str = ""
    code: str = ""
    is_stale: bool = False
    clusters: tuple[str, ...] = ()
    fact: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The message with the code in front under which docs/messages.md explains it; a change has none.

        This is the only place that writes a code into a text.
        """
        return f"{self.code}: {self.message}" if self.code else self.message

    def line(self) -> str:
        """Return ``[error] apiVersion/Kind/namespace/name field.path: message``, on one line, without a credential."""
        return self._line(self._about(str(self.ref), field_path(self.path)))

    def line_with_file(self) -> str:
        """Return the line with the name of the file in front of the object."""
        return self._line(self.text_with_file())

    def text_with_file(self) -> str:
        """Return the line without the severity, for outputs that show it in another way."""
        return self._about(redact(self.ref.file_path), str(self.ref), field_path(self.path))

    def _line(self, text: str) -> str:
        return f"[{self.severity.value}] {text}"

    def _about(self, *parts: str) -> str:
        return shown_line(_sentence(parts, redact(self.text)))

    def to_data(self) -> dict[str, Any]:
        """Return the entry as the specification writes it; keys without a value are left out."""
        data: dict[str, Any] = {
            "message": shown_line(self.text),
            "severity": self.severity.value,
        }
        if self.ref.api_version and self.ref.kind and self.ref.name:
            data["resourceRef"] = _filled(
                apiVersion=redact(self.ref.api_version),
                kind=redact(self.ref.kind),
                name=redact(self.ref.name),
                namespace=redact(self.ref.namespace),
            )
            if self.path:
                data["field"] = _filled(
                    path=redact(field_path(self.path)),
                    currentValue=redact(self.current),
                    proposedValue=redact(self.proposed),
                )
        if self.ref.file_path:
            data["file"] = {"path": redact(self.ref.file_path), "index": self.ref.file_index}
        tags = _filled(target=self.target, rule=self.code)
        if tags:
            data["tags"] = tags
        return data


def entries(results: Iterable[Result]) -> Iterator[dict[str, Any]]:
    """Yield the entries of ``results`` of a ResourceList: what several targets change in one object is one entry.

    Its field is the innermost one that holds all of them. An entry about a change shows the value that was there: the
    new one is in the object.

    Args:
        results: changes in the order of ``in_order``. A change whose values were shown before joins the one before it.
    """
    pending: Result | None = None
    for result in results:
        one = result._replace(proposed=None) if _is_change(result) else result
        if pending is None:
            pending = one
            continue
        field = innermost((pending.path, one.path))
        # A value that is shown is that of its own field.
        has_room = field != () and (pending.current is None or field == pending.path)
        if has_room and _are_joined(pending, one):
            pending = pending._replace(
                message=f"{pending.message}, {one.message}",
                target=f"{pending.target}, {one.target}",
                path=field,
            )
        else:
            yield pending.to_data()
            pending = one
    if pending is not None:
        yield pending.to_data()


def _is_change(result: Result) -> bool:
    """Return whether a result says what a target has changed."""
    return bool(result.target) and not result.code


def _are_joined(one: Result, other: Result) -> bool:
    """Return whether both are changes of one object, and the second one shows no value."""
    is_same = (one.ref, one.severity) == (other.ref, other.severity)
    return is_same and _is_change(one) and _is_change(other) and other.current is None


def once(results: Iterable[Result]) -> list[Result]:
    """Return results without those that are shown as one before them is, whichever target reported it.

    They may differ in what masking takes out. Masking takes longer than all else here, so only results that begin
    alike are compared as they are shown.
    """
    # Two files, or two items, may have objects of one name.
    found: dict[tuple[object, ...], Result] = {}
    for one in results:
        values = repr([one.current, one.proposed])
        found.setdefault((one.ref, one.severity, one.code, one.path, one.message, values), one)
    alike: dict[tuple[object, ...], list[Result]] = {}
    for one in found.values():
        # No text of an object is in these words; a step with a password has its marks.
        words = re.split("[^A-Za-z0-9 ,.;-]", one.message, maxsplit=1)[0]
        steps = tuple(filter(str.isalnum, one.path))
        beginning = (one.ref, one.severity, one.code, len(one.path), steps, words)
        alike.setdefault(beginning, []).append(one)
    left: list[Result] = []
    for group in alike.values():
        if len(group) == 1:
            left += group
            continue
        shown: dict[tuple[str, str], Result] = {}
        for one in group:
            values = repr(redact([one.current, one.proposed]))
            shown.setdefault((one.line(), values), one)
        left += shown.values()
    return left


def in_order(results: Iterable[Result]) -> list[Result]:
    """Return results by file, index, severity, then text: kyaml's ``Results.Sort``."""
    return sorted(results, key=rank)


def rank(result: Result) -> tuple[str, int, int, str, str]:
    """Return by what ``in_order`` sorts results; the last two are their line, with what masking would take out.

    It is never shown: masking each line only to compare it took as long as masking all that is shown. Its text is that
    of the result, so that a long list does not hold all texts once more.
    """
    ref = result.ref
    names = "/".join(name for name in (ref.api_version, ref.kind, ref.namespace, ref.name) if name)
    begin, text = _sentence((names, field_path(result.path)), ""), result.text
    if not begin:
        begin, text = text, ""
    return (ref.file_path, ref.file_index, _RANK[result.severity], begin, text)


def _sentence(about: Iterable[str], text: str) -> str:
    """Return a text with what it is about in front: an object and a field, or "" for what is not known."""
    subject = " ".join(part for part in about if part)
    return f"{subject}: {text}" if subject else text


def most_important_first(results: Iterable[Result]) -> list[Result]:
    """Return errors first, then warnings, each in the order that they have: kpt shows four results, and four lines."""
    return sorted(results, key=lambda result: _RANK[result.severity])


def by_importance(results: Iterable[Result]) -> list[Result]:
    """Return results in the order of ``in_order``, errors and warnings first."""
    return most_important_first(in_order(results))


_AT_MOST = 3


def lines(results: Iterable[Result], line: Callable[[Result], str] = Result.line) -> list[str]:
    """Return the results, the most important first, a line each.

    What would be said of more than three places in the same words is said of the first, with the number of the other
    objects, or of the other places where they are all in one object: kpt shows four lines.
    """
    same: dict[tuple[Severity, str], list[Result]] = {}
    shown: dict[str, str] = {}
    for result in by_importance(results):
        if result.text not in shown:
            shown[result.text] = redact(result.text)
        same.setdefault((result.severity, shown[result.text]), []).append(result)
    reported: list[str] = []
    for alike in same.values():
        if len(alike) > _AT_MOST:
            reported.append(f"{line(alike[0])} {and_more(alike)}")
        else:
            reported += [line(result) for result in alike]
    return reported


def and_more(alike: Sequence[Result]) -> str:
    """Return what a line about the first of several results says of the others: how many there are."""
    objects = len({result.ref for result in alike}) - 1
    places = len(alike) - 1
    if objects:
        number = f"{objects} more object{'s' * (objects > 1)}"
    else:
        number = f"{places} more place{'s' * (places > 1)} in it"
    return f"(and {number}, `--verbose` names them)"


def _filled(**members: Any) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value not in (None, "")}
