"""Which rules speak, and how loud: the severities of ``spec.lint.rules`` and of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from krm_fn.krm.results import Result, Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy.lint_rules import RULES, Problem

_ORDER = list(Severity)


class Rules(NamedTuple):
    """Which rules speak, and how loud.

    ``levels`` is ``spec.lint.rules``: rule id -> severity, None for off. A rule that is not in there has the severity
    of the table, but none above ``at_most``: a run that injects must not fail because of what others wrote.
    """

    levels: Mapping[str, Severity | None] = MappingProxyType({})
    at_most: Severity = Severity.ERROR

    def severity(self, found: Problem) -> Severity | None:
        """Return the severity of a problem; None: do not report it."""
        return self.level(found.rule, found.severity)

    def level(self, rule: str, severity: Severity) -> Severity | None:
        """Return the severity of a finding of ``rule`` that has ``severity`` by itself.

        None: it is switched off.
        """
        if rule in self.levels:
            return self.levels[rule]
        return max(severity, self.at_most, key=_ORDER.index)


THE_TABLE = Rules()
"""Every rule speaks as loud as the table says."""


def levelled(
    results: Iterable[Result], rules: Rules, switched_off: list[Result] | None = None
) -> Iterator[Result]:
    """Yield results with the severity that ``spec.lint.rules`` gives their code, and none that it switches off.

    A result without a code stays as it is. So does an error that is not of a rule: nobody can switch off that a change
    is impossible, or with ``mode: Check`` that something is stale. What is switched off is added to ``switched_off``.
    """
    for result in results:
        is_fixed = not result.code or (
            result.severity is Severity.ERROR and result.code not in RULES
        )
        severity = result.severity if is_fixed else rules.levels.get(result.code, result.severity)
        if severity is None:
            if switched_off is not None:
                switched_off.append(result)
        else:
            yield result if severity is result.severity else result._replace(severity=severity)
