"""The results of a run: findings of the packages, with their object, in order.

Format: ``results`` of the KRM functions specification v1 (kustomize ``cmd/config/docs/api-conventions``), order and
one-line form of kyaml (``kyaml/fn/framework/result.go``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from krm_fn.errors import ConfigError
from krm_fn.krm.codes import CODES, Severity
from krm_fn.krm.masking import redact, shown_line
from krm_fn.light_typing import Any, Fields, NamedTuple, Texts
from krm_fn.patch import APPEND, Operation, Pointer, field_path
from krm_fn.yamledit import Position

_RANK = {severity: rank for rank, severity in enumerate(Severity)}
# The number of lines about one kind.
_AT_MOST = 3
# So many names are said of many.
_SOME = 3
_QUOTED = r"""(?:"[^"]*"|`[^`]*`)"""
# The names in a message: all that is in quotes.
_NAMES = rf"""(?x)
    ({_QUOTED}                                 # `web`, "web"
    (?: (?: , | [ ]and ) [ ] {_QUOTED} )* )    # `web` and `api`
"""
_TYPE_NAMES = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a mapping",
}


def is_severe(severity: Severity, least: Severity) -> bool:
    """Return whether ``severity`` is at least as severe as ``least``."""
    return _RANK[severity] <= _RANK[least]


def severe(results: Results) -> list[Result]:
    """Return the errors and warnings."""
    return [result for result in results if result.severity is not Severity.INFO]


def are_severe(results: Results, least: Severity) -> bool:
    """Return whether a result is at least as severe as ``least``."""
    return any(is_severe(result.severity, least) for result in results)


class Edit(NamedTuple):
    """The changes of one target in one object.

    Attributes:
        operations: they hold when applied to the object one after another; at least one.
        message: describes them in one sentence.
        data: the data of the object after the edit, to be read only; None where a target did not make the edit, or
            removes the object.
    """

    operations: Sequence[Operation]
    message: str
    data: Any = None

    @property
    def removes_object(self) -> bool:
        """Whether the object itself is removed."""
        return Operation("remove", ()) in self.operations

    @property
    def path(self) -> Pointer:
        """The innermost field that holds all that changes; the whole object is ``()``."""
        first = self.operations[0]
        if len(self.operations) > 1:
            return innermost([operation.path for operation in self.operations])
        value = first.value
        if first.op == "replace" and isinstance(value, dict) and len(value) == 1:
            return (*first.path, *value)  # nothing was there, and now one member is
        return first.path


def innermost(paths: Sequence[Pointer]) -> Pointer:
    """Return the path of the innermost field that holds all of these, at least one; the whole object is ``()``."""
    common = min(paths)
    last = max(paths)
    while last[: len(common)] != common:
        common = common[:-1]
    if common[-1:] == (APPEND,):
        return common[:-1]
    return common


class ObjectRef(NamedTuple):
    """Which object a result is about, and in which file it is (from the annotations of the orchestrator)."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    file_path: str = ""
    file_index: int = 0

    def __str__(self) -> str:
        return "/".join(map(redact, self.names()))

    def names(self) -> list[str]:
        """Return the parts of the identity of an object that are known; they are not masked."""
        names = (self.api_version, self.kind, self.namespace, self.name)
        return list(filter(None, names))


class Result(NamedTuple):
    """One entry of ``results``: a change, or a finding, which is a problem of an object that was not changed.

    Attributes:
        code: the name under which ``spec.lint.rules`` silences it or makes it louder; "" for a change.
        message: the fault, its field and the remedy; or the change.
        path: leads from the object's root to the field it is about, or empty.
        current: the value of the field.
        proposed: the value that it should have.
        is_stale: the object has another proxy than the declared one, or none, and no operation can change that: with
            ``mode: Check`` and ``--check`` such a finding is an error.
        is_info: the user knows or wants it: it is an information, whatever the code says.
        clusters: the names of the Clusters that it is about, where ``fact`` may be true of others, too.
        fact: the words of the fact that are the same for all of them; () where the message is that.
        ref: the object; a target leaves it to its caller to say which one.
        target: the key of the target that reports it, said by the caller as well; "" for none.
        position: where the field is in the file, which only commands find out.
        level: the severity that a run gives it in the place of that of its code.
    """

    code: str
    message: str
    path: Pointer = ()
    current: Any = None
    proposed: Any = None
    is_stale: bool = False
    is_info: bool = False
    clusters: Texts = ()
    fact: Texts = ()
    ref: ObjectRef = ObjectRef()
    target: str = ""
    position: Position | None = None
    level: Severity | None = None

    @property
    def severity(self) -> Severity:
        """How bad it is; a change is an information."""
        if self.level:
            return self.level
        if self.is_info or not self.code:
            return Severity.INFO
        return CODES[self.code]

    def about(self, ref: ObjectRef, target_id: str = "") -> Result:
        """Return the finding with the object and, where one reported it, the target."""
        return self._replace(ref=ref, target=target_id)

    @property
    def is_change(self) -> bool:
        """Whether it reports a change that a target has made."""
        return bool(self.target) and not self.code

    @property
    def reports_edit(self) -> bool:
        """Whether it reports the edit of a target, made, or due in a check."""
        return bool(self.target) and self.code in ("", "ProxyMissing")

    @property
    def text(self) -> str:
        """The message with the code in front under which krm/messages.md explains it; a change has none.

        This is the only place that writes a code into a text.
        """
        if self.code:
            return f"{self.code}: {self.message}"
        return self.message

    @property
    def reason(self) -> str:
        """The code and the message without names: results of one reason differ in names alone, and have one cure."""
        return re.sub(_NAMES, "...", redact(self.text))

    def line(self) -> str:
        """Return ``[error] apiVersion/Kind/namespace/name field.path: message``, on one line, without a credential."""
        return f"[{self.severity.value}] {self.sentence()}"

    def line_with_file(self) -> str:
        """Return the line with the name of the file in front of the object, and the place in it where it is known."""
        file = redact(self.ref.file_path)
        if self.position:
            file += f":{self.position}"
        return f"[{self.severity.value}] {self.sentence(file)}"

    def sentence(self, file: str = "") -> str:
        """Return the object, the field and the message, on one line, without a credential."""
        about = " ".join(filter(None, (file, str(self.ref), field_path(self.path))))
        text = redact(self.text)
        return shown_line(f"{about}: {text}" if about else text)

    def to_data(self) -> Fields:
        """Return the entry as the specification writes it; keys without a value are left out."""
        data: Fields = {
            "message": shown_line(self.text),
            "severity": self.severity.value,
        }
        ref = self.ref
        if ref.api_version and ref.kind and ref.name:
            data["resourceRef"] = _filled(
                apiVersion=redact(ref.api_version),
                kind=redact(ref.kind),
                name=redact(ref.name),
                namespace=redact(ref.namespace),
            )
            if self.path:
                data["field"] = _filled(
                    path=redact(field_path(self.path)),
                    currentValue=redact(self.current),
                    proposedValue=redact(self.proposed),
                )
        if ref.file_path:
            data["file"] = {"path": redact(ref.file_path), "index": ref.file_index}
            if self.position:
                data["file"].update(line=self.position.line, column=self.position.column)
        tags = _filled(target=self.target, rule=self.code)
        if self.code:
            tags["reason"] = shown_line(self.reason)
        if tags:
            data["tags"] = tags
        return data


# Results one after another.
Results = Iterable[Result]


def entries(results: Results) -> list[Fields]:
    """Return the entries of ``results`` of a ResourceList: changes of several targets in one object are one entry.

    Its field is the innermost one that holds all of them. An entry about a change shows the value that was there: the
    new one is in the object.

    Args:
        results: changes in the order of ``sorted_results``. A change without values joins the one before it.
    """
    joined: list[Result] = []
    for result in results:
        change = result._replace(proposed=None) if result.is_change else result
        both = _joined(joined[-1], change) if joined else None
        if both:
            joined[-1] = both
        else:
            joined.append(change)
    return [result.to_data() for result in joined]


def _joined(first: Result, second: Result) -> Result | None:
    """Join two changes of one object; return None if they cannot share a field."""
    if first.ref != second.ref or not (first.is_change and second.is_change):
        return None
    field = innermost((first.path, second.path))
    if not field or second.current is not None:
        return None
    if first.current is not None and field != first.path:
        return None
    return first._replace(
        message=f"{first.message}, {second.message}",
        target=f"{first.target}, {second.target}",
        path=field,
    )


def grouped(results: Results, key: Callable[[Result], object]) -> list[list[Result]]:
    """Return the results in groups of equal keys, each group where its first result is."""
    groups: dict[object, list[Result]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return list(groups.values())


def message_of(results: Results) -> str:
    """Return the message of results of one reason, with the names of all of them, and without a credential."""
    parts = [re.split(_NAMES, redact(result.message)) for result in results]
    message = ""
    # A name may hold three dots or a quote, and then the parts differ in number.
    for alike in zip(*parts, strict=False):
        message += some([*dict.fromkeys(alike)])
    return message


def without_duplicates(results: Results) -> list[Result]:
    """Keep the first of results that differ in nothing but their target."""
    return [group[0] for group in grouped(results, _statement)]


def _statement(result: Result) -> object:
    values = repr((result.current, result.proposed))
    return (result.ref, result.path, result.severity, result.text, values)


def sorted_results(results: Results) -> list[Result]:
    """Return results by file, index, severity, then text: kyaml's ``Results.Sort``."""
    return sorted(results, key=_sort_key)


def _sort_key(result: Result) -> tuple[str, int, int, str, str]:
    """Return the sort key of a result. It is not masked: never print it."""
    ref = result.ref
    names = "/".join(ref.names())
    about = " ".join(filter(None, (names, field_path(result.path))))
    begin = f"{about}: " if about else result.text
    return (ref.file_path, ref.file_index, _rank(result), begin, result.text)


def _rank(result: Result) -> int:
    return _RANK[result.severity]


def by_importance(results: Results) -> list[Result]:
    """Return errors first, then warnings, each as ``sorted_results``: kpt shows four results, and four lines."""
    return sorted(sorted_results(results), key=_rank)


def lines(results: Results) -> list[str]:
    """Return the results, the most important first, a line each.

    Of more than three places for one reason the first is shown, with the number of the others: kpt shows four lines.
    """
    reported: list[str] = []
    for group in grouped(by_importance(results), _words):
        if len(group) <= _AT_MOST:
            reported += map(Result.line, group)
            continue
        objects = {result.ref for result in group}
        others = count(len(group) - 1, "more place") + " in it"
        if len(objects) > 1:
            others = count(len(objects) - 1, "more object")
        reported.append(f"{group[0].line()} (and {others}, `--verbose` names them)")
    return reported


def _words(result: Result) -> object:
    field = result.path if result.code == ConfigError.code else ()  # each is to be corrected
    return (result.severity, result.reason, field)


def count(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an "s" where it must."""
    if number != 1:
        noun += "s"
    return f"{number} {noun}"


def some(names: Sequence[str]) -> str:
    """Return names in one phrase: the first few, and the number of the others."""
    more = len(names) - _SOME
    if more <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:_SOME])} and {more} more"


def _filled(**members: Any) -> Fields:
    return {key: value for key, value in members.items() if value not in (None, "")}


def type_name(value: Any) -> str:
    """Return the name of a value's type for a message."""
    if value is None:
        return "null"
    return _TYPE_NAMES.get(type(value), "something else")


def wrong_type(path: Pointer, value: Any, expected: str) -> Result:
    """Return the finding that a field has another type than it must have.

    It is an error because the API server rejects the object; a warning only where a template may yet fill in the rest.
    """
    subject = "the document"
    for token in path:
        if not token.isdigit():
            subject = f"`{token}`"
    if path and path[-1].isdigit():
        subject = f"an entry of {subject}"
    code = "CannotWrite"
    remedy = "correct it, or leave it out"
    if isinstance(value, str) and "${" in value:
        code = "TextUnreadable"
        remedy = "a later step fills it in, so inject-proxy leaves it as it is"
    return Result(code, f"{subject} must be {expected}, not {type_name(value)}; {remedy}", path)
