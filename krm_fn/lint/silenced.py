"""Findings that somebody silences in one place: an annotation of an object, or an entry of `spec.lint.ignore`.

Warnings and information are silenced, and never an error: `run --check` shows again what must change and cannot, which
is an error there. What silences nothing is a finding itself. A rule about
values is judged by `inject-proxy lint`, any other code by a run: each says of its own only that nothing is silenced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from krm_fn.config import KIND, ProxyConfig
from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.light_typing import Any
from krm_fn.near_names import did_you_mean
from krm_fn.noproxy.lint_rules import RULES, RUN
from krm_fn.patch import Pointer, lookup
from krm_fn.plan import ObjectSource

ANNOTATION = "fn.inject-proxy.io/ignore"
_PATH: Pointer = ("metadata", "annotations", ANNOTATION)
_SEPARATORS = r"[\s,]+"
_SWITCHES = frozenset({"true", "yes", "on", "all", "*"})
"""Whoever writes one of them wants the whole object left alone."""


def is_of_lint(code: str) -> bool:
    """Return whether `inject-proxy lint` looks for a code wherever it is, and a run only where it writes."""
    return code in RULES and RULES[code].about != RUN


def is_of_run(code: str) -> bool:
    """Return whether only a run finds out all that a code is about."""
    return not is_of_lint(code)


def annotated(source: ObjectSource) -> Iterator[Object]:
    """Yield the objects of a list that have the annotation, but no ProxyConfig; what cannot be read is passed by."""
    for index in source.holding((ANNOTATION,)):
        try:
            found = source.objects(index)
        except InputError:
            continue
        for obj in found:
            if obj.ref.kind != KIND and has_annotation(obj.data):
                yield obj


def has_annotation(data: Any) -> bool:
    """Return whether an object names codes that are to be silenced."""
    return lookup(data, _PATH) is not None


class Silencer:
    """What is silenced, and by what.

    ``silenced`` are the findings that nobody is to see, ``switched_off`` those of codes that are `Off`.

    Args:
        wanted: its ``ignore`` counts.
        values: the annotation of each object that has one.
        paths: name of a file -> its absolute path, where the list is made of files.
    """

    def __init__(
        self, wanted: ProxyConfig, values: Mapping[ObjectRef, Any], paths: Mapping[str, str]
    ) -> None:
        self.silenced: list[Result] = []
        self.switched_off: list[Result] = []
        self._entries = wanted.ignore
        self._values = values
        self._paths = paths
        self._codes = {ref: _codes_in(value) for ref, value in values.items()}
        self._used: set[tuple[ObjectRef, str]] = set()
        self._errors: set[tuple[ObjectRef, str]] = set()
        self._used_entries: set[int] = set()

    def left(self, found: Iterable[Result]) -> Iterator[Result]:
        """Yield the findings that are not silenced."""
        for result in found:
            entries = self._fitting(result)
            by_annotation = result.code in self._codes.get(result.ref, ())
            if result.severity is Severity.ERROR:
                self._errors.add((result.ref, result.code))
                yield result
            elif by_annotation or entries:
                self._used_entries.update(entries)
                if by_annotation:
                    self._used.add((result.ref, result.code))
                self.silenced.append(result)
            else:
                yield result

    def silences(self, ref: ObjectRef, code: str) -> bool:
        """Return whether a warning or an information of this code about an object is silenced."""
        return code in self._codes.get(ref, ()) or bool(
            self._fitting(Result(Severity.WARNING, "", ref, code=code))
        )

    def _fitting(self, result: Result) -> list[int]:
        """Return which entries of `spec.lint.ignore` are about a finding; none is about a change."""
        if not (self._entries and result.code):
            return []
        path = self._paths.get(result.ref.file_path, result.ref.file_path)
        return [
            at
            for at, entry in enumerate(self._entries)
            if result.code in entry.rules
            and entry.fits(path=path, kind=result.ref.kind, name=result.ref.name)
        ]

    def idle(self, config_ref: ObjectRef, *, of_lint: bool) -> Iterator[Result]:
        """Yield a finding for each code of an annotation, and each entry, that silences nothing.

        An entry may be meant for other files of the repository: that is an information.

        Args:
            config_ref: the identity of the ProxyConfig.
            of_lint: whether these are the findings of `inject-proxy lint`, and not of a run.
        """
        if not (self._values or self._entries):
            return
        from krm_fn.krm.codes import SILENCEABLE  # noqa: PLC0415 -- few lists silence anything

        is_judged = is_of_lint if of_lint else is_of_run
        for ref, value in self._values.items():
            if not isinstance(value, str):
                message = f"the annotation `{ANNOTATION}` silences nothing, because it must be a string: quote it"
                yield Result(Severity.WARNING, message, ref, _PATH, code="AnnotationNoString")
                continue
            for position, code in enumerate(self._codes[ref], start=1):
                if code not in RULES and code not in SILENCEABLE:
                    yield _unknown(ref, position, code, (*RULES, *SILENCEABLE))
                elif is_judged(code) and (ref, code) not in self._used:
                    yield self._unused(ref, code)
        for at, entry in enumerate(self._entries):
            if at not in self._used_entries and all(map(is_judged, entry.rules)):
                message = f"`spec.lint.ignore[{at}]` silences nothing here: remove it, unless it is for other files"
                yield Result(Severity.INFO, message, config_ref, code="IgnoreUnused")

    def _unused(self, ref: ObjectRef, code: str) -> Result:
        if (ref, code) in self._errors:
            message = (
                f"`{code}` in the annotation `{ANNOTATION}` silences nothing, because it is an error here: make it a "
                "warning in `spec.lint.rules` first, if it is the ID of a rule"
            )
        else:
            message = f"`{code}` in the annotation `{ANNOTATION}` silences nothing about this object: remove it there"
        return Result(Severity.WARNING, message, ref, _PATH, code="IgnoreUnused")


def _codes_in(value: Any) -> tuple[str, ...]:
    """Return the codes of an annotation, each once."""
    if not isinstance(value, str):
        return ()
    return tuple(dict.fromkeys(code for code in re.split(_SEPARATORS, value) if code))


def _unknown(ref: ObjectRef, position: int, code: str, known: Iterable[str]) -> Result:
    otherwise = "; `inject-proxy help CODE` explains each code"
    advice = did_you_mean(code, known, alike=0.7, begin="; ", otherwise=otherwise)
    if code.lower() in _SWITCHES:
        advice = "; to leave the object without a proxy, name it in `spec.selector.exclude` of the ProxyConfig"
    message = (
        f"entry {position} of the annotation `{ANNOTATION}` is neither the ID of a rule nor a code that can be "
        f"silenced{advice}"
    )
    return Result(Severity.WARNING, message, ref, _PATH, code="IgnoreUnknown")


def values_of(objects: Iterable[Object]) -> dict[ObjectRef, Any]:
    """Return the annotation of each object that has it."""
    return {obj.ref: lookup(obj.data, _PATH) for obj in objects if has_annotation(obj.data)}
