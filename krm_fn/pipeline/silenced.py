"""Which findings a person sees: `spec.lint.rules`, `spec.lint.ignore`, and the annotation of an object.

Warnings and information are silenced, and never an error that says that a change is due or impossible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from krm_fn.config import KIND, ProxyConfig, matches
from krm_fn.krm.codes import OF_VALUES, SILENCEABLE, Severity
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result, is_severe
from krm_fn.light_typing import Texts
from krm_fn.patch import Data, Pointer, lookup
from krm_fn.plan import ObjectSource
from krm_fn.plan.items import readable_objects

ANNOTATION = "fn.inject-proxy.io/ignore"
_PATH: Pointer = ("metadata", "annotations", ANNOTATION)


class Silencer:
    """Gives findings the severity that a ProxyConfig wants, and takes out the silenced ones.

    Attributes:
        silenced: the findings that somebody silences in one place.
        switched_off: those that `spec.lint.rules` switches off.
    """

    def __init__(
        self,
        config: ProxyConfig,
        annotated: Iterable[Object],
        paths: Mapping[str, str],
        at_most: Severity = Severity.WARNING,
    ) -> None:
        self.silenced: list[Result] = []
        self.switched_off: list[Result] = []
        self._config = config
        self._at_most = at_most
        self._paths = paths
        self._codes: dict[ObjectRef, Texts] = {}
        for obj in annotated:
            value = lookup(obj.data, _PATH)
            if value is not None:
                codes = str(value).replace(",", " ")
                self._codes[obj.ref] = tuple(codes.split())
        self._used: set[object] = set()

    def left(self, results: Iterable[Result]) -> Iterator[Result]:
        """Yield the findings that are not silenced, with the severity that the ProxyConfig gives their code."""
        for result in results:
            severity = self._severity(result)
            if severity is None:
                self.switched_off.append(result)
            elif severity is not Severity.ERROR and self._is_silenced(result):
                self.silenced.append(result)
            else:
                yield result._replace(severity=severity)

    def idle(self, config_ref: ObjectRef, codes: Collection[str]) -> Iterator[Result]:
        """Yield a finding for each code of an annotation, and each entry of `spec.lint.ignore`, that silences nothing.

        Args:
            config_ref: the identity of the ProxyConfig.
            codes: those of which this command finds all that there is.
        """
        for ref, named in self._codes.items():
            for number, code in enumerate(named, start=1):
                is_idle = code in codes and (ref, code) not in self._used
                if is_idle or code not in SILENCEABLE:
                    message = (
                        f"entry {number} of the annotation `{ANNOTATION}` silences nothing about this "
                        "object: correct or remove it"
                    )
                    yield Result.of("SettingUnused", message, _PATH).about(ref)
        for number, entry in enumerate(self._config.ignore):
            if number not in self._used and all(code in codes for code in entry["rules"]):
                message = (
                    f"`spec.lint.ignore[{number}]` silences nothing here: remove it, unless it is "
                    "for other files"
                )
                yield Result.of("SettingUnused", message, is_info=True).about(config_ref)

    def _severity(self, result: Result) -> Severity | None:
        severity = result.severity
        is_of_value = result.code in OF_VALUES
        if result.code not in SILENCEABLE or (severity is Severity.ERROR and not is_of_value):
            return severity
        if result.code in self._config.lint:
            return self._config.lint[result.code]
        if is_of_value and is_severe(severity, self._at_most):
            return self._at_most
        return severity

    def _is_silenced(self, result: Result) -> bool:
        is_silenced = result.code in self._codes.get(result.ref, ())
        if is_silenced:
            self._used.add((result.ref, result.code))
        for number, entry in enumerate(self._config.ignore):
            if matches(entry, self._subject(result)):
                self._used.add(number)
                is_silenced = True
        return is_silenced

    def _subject(self, result: Result) -> Data:
        """Return a finding as an entry of `spec.lint.ignore` sees it: a glob may fit the end of its path."""
        ref = result.ref
        steps = self._paths.get(ref.file_path, ref.file_path).split("/")
        ends = ["/".join(steps[at:]) for at in range(len(steps))]
        return {"rules": result.code, "kinds": ref.kind, "names": ref.name, "paths": tuple(ends)}


def annotated(source: ObjectSource) -> Iterator[Object]:
    """Yield the objects of a list that may have the annotation, but no ProxyConfig, of those that can be read."""
    for obj in readable_objects(source, source.holding((ANNOTATION,))):
        if obj.ref.kind != KIND:
            yield obj
