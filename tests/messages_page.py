"""Write `docs/messages.md` and the rules in `docs/lint.md`: a row for each code and rule, with its cause and remedy.

What the tables have of a cause and of a remedy is the first sentence: `inject-proxy help CODE` prints all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.krm.codes import FIXED, SILENCEABLE
from krm_fn.krm.messages import explanations
from krm_fn.krm.results import Severity
from krm_fn.noproxy.lint_rules import RULES

_HEAD = """\
<!-- `make docs` writes this page from krm_fn/krm/messages.md: change it there. -->

# Messages

Every error, warning and information of a run begins with a code, such as `NodesNotRolled`, or with the ID of a rule,
such as `NP038` ([lint.md](lint.md#rules)). In `results` it is the tag `rule`. A message about a change has no code.

The tables say in a sentence each why a message comes and what to do. `inject-proxy help NodesNotRolled` prints all of
it, with other remedies, and so does [krm_fn/krm/messages.md](../krm_fn/krm/messages.md). `spec.selector.exclude` leaves
any object out, `--exclude` any file.

To silence a code or a rule, or to change its severity, name it in `spec.lint.rules` of the ProxyConfig:

```yaml
spec:
  lint:
    rules:
      NodesNotRolled: "Off"     # not reported
      NP036: Info               # shown with --verbose only
      OtherWriter: Error        # the run fails and changes nothing
```

The values are `"Off"`, `Info`, `Warning` and `Error`. Nothing silences an error that is not of a rule: it says that a
change is impossible, or with `mode: Check` that a change is due.

## Codes of a run

The severity is that of a code which `spec.lint.rules` does not name.

"""

_FIXED = """
## Codes that nothing silences

A run and the other commands report these codes; `spec.lint.rules` accepts none of them.

"""

_TABLE = """\
| code | severity | cause | remedy |
|---|---|---|---|
"""

_RULES = """\
| rule | severity, about | finds | cause | remedy |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the whole page of messages."""
    return "".join([_HEAD, _TABLE, *_codes(SILENCEABLE), _FIXED, _TABLE, *_codes(FIXED)])


def _codes(table: Mapping[str, Severity]) -> list[str]:
    rows = []
    known = explanations()
    for name, severity in table.items():
        text = known[name]
        rows.append(_row(name, severity.value, _first(text.cause), _first(text.remedy)))
    return rows


def rules() -> str:
    """Return the part of the lint page that is about the rules."""
    known = explanations()
    rows = []
    for name, rule in RULES.items():
        kind = f"{rule.severity.value}, {rule.about}"
        text = known[name]
        remedy = f"`--fix`: {text.fix}" if text.fix else _first(text.remedy)
        rows.append(_row(name, kind, text.meaning, _first(text.cause), remedy))
    return "".join([_RULES, *rows])


def _first(text: str) -> str:
    """Return the first sentence of a text."""
    return f"{text.partition('. ')[0].removesuffix('.')}."


def _row(*cells: str) -> str:
    texts = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(texts)} |\n"
