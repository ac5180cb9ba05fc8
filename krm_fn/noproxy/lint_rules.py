"""The table of rules: how much each one matters, what it looks at, and whether ``fix`` may do something about it.

Written by hand, in the order of the IDs. An ID never changes its meaning: ``spec.lint.rules`` and other people's notes
name it. What users read about a rule is in ``krm_fn/krm/messages.md``.
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.krm.results import Severity
from krm_fn.light_typing import NamedTuple

LIST, PROXY, OBJECT, RUN = "list", "proxy URL", "object", "run"
"""What a rule looks at."""


class Rule(NamedTuple):
    """One rule; ``has_fix`` says that ``inject-proxy lint --fix`` does something, and no person has to decide."""

    severity: Severity
    about: str
    has_fix: bool = False


class Problem(NamedTuple):
    """What one rule found: the entry it is about ("" for the whole), one line for a person, and the corrected text.

    ``corrected`` is what to write for ``entry``, or for the whole where ``entry`` is empty; "" where a person has to
    decide, or where it would hold a credential.
    """

    rule: str
    severity: Severity
    entry: str
    message: str
    corrected: str = ""


def problem(
    rule: str, entry: str, message: str, *, corrected: str = "", severity: Severity | None = None
) -> Problem:
    """Return a problem with the severity of its rule, unless this case is another."""
    return Problem(rule, severity or RULES[rule].severity, entry, message, corrected)


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

RULES: Mapping[str, Rule] = {
    "NP001": Rule(_E, OBJECT, has_fix=True),
    "NP002": Rule(_E, LIST, has_fix=True),
    "NP003": Rule(_E, LIST, has_fix=True),
    "NP004": Rule(_W, LIST, has_fix=True),
    "NP005": Rule(_E, PROXY, has_fix=True),
    "NP006": Rule(_E, PROXY, has_fix=True),
    "NP007": Rule(_E, OBJECT),
    "NP008": Rule(_W, OBJECT, has_fix=True),
    "NP009": Rule(_E, OBJECT, has_fix=True),
    "NP010": Rule(_E, LIST, has_fix=True),
    "NP011": Rule(_W, LIST, has_fix=True),
    "NP012": Rule(_W, LIST, has_fix=True),
    "NP013": Rule(_E, LIST),
    "NP014": Rule(_E, LIST, has_fix=True),
    "NP015": Rule(_E, LIST, has_fix=True),
    "NP016": Rule(_W, LIST, has_fix=True),
    "NP017": Rule(_W, LIST, has_fix=True),
    "NP018": Rule(_E, LIST, has_fix=True),
    "NP019": Rule(_W, LIST, has_fix=True),
    "NP020": Rule(_W, LIST),
    "NP021": Rule(_W, LIST, has_fix=True),
    "NP022": Rule(_W, LIST, has_fix=True),
    "NP023": Rule(_W, LIST, has_fix=True),
    "NP024": Rule(_W, LIST, has_fix=True),
    "NP025": Rule(_W, LIST),
    "NP026": Rule(_W, LIST, has_fix=True),
    "NP027": Rule(_I, LIST, has_fix=True),
    "NP028": Rule(_I, PROXY),
    "NP029": Rule(_E, LIST, has_fix=True),
    "NP030": Rule(_W, OBJECT, has_fix=True),
    "NP031": Rule(_W, OBJECT),
    "NP032": Rule(_W, PROXY),
    "NP033": Rule(_I, PROXY),
    "NP034": Rule(_W, LIST, has_fix=True),
    "NP035": Rule(_W, PROXY),
    "NP036": Rule(_W, PROXY),
    "NP037": Rule(_E, LIST),
    "NP038": Rule(_W, RUN),
    "NP039": Rule(_W, RUN),
    "NP040": Rule(_W, RUN),
    "NP041": Rule(_W, RUN),
    "NP042": Rule(_E, LIST),
}
