"""Write `docs/messages.md` and the rules in `docs/lint.md`: a row for each code and rule, with its cause and remedy."""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.krm.codes import FIXED, SILENCEABLE
from krm_fn.krm.messages import explanations
from krm_fn.krm.results import Severity
from krm_fn.noproxy.rules import RULES

_HEAD = """\
<!-- `make docs` writes this page from krm_fn/krm/messages.md: change it there. -->

# Messages

Every error, warning and information of a run begins with a code, such as `NodesNotRolled`, or with the ID of a rule,
such as `NP038`; [lint.md](lint.md#rules) lists the rules. In `results` it is the tag `rule`. A message about a change
that was made has no code.

The message says what happened, and the table why, and what to do. `inject-proxy help NodesNotRolled` prints all of it.

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

The severity is the one that the message has if `spec.lint.rules` does not name its code.

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
| rule | severity, about | finds | cause | remedy | `--fix` |
|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the whole page of messages."""
    return "".join([_HEAD, _TABLE, *_codes(SILENCEABLE), _FIXED, _TABLE, *_codes(FIXED)])


def _codes(table: Mapping[str, Severity]) -> list[str]:
    known = explanations()
    return [_row(name, severity.value, known[name].cause, known[name].remedy) for name, severity in table.items()]


def rules() -> str:
    """Return the part of the lint page that is about the rules."""
    known = explanations()
    rows = []
    for name, rule in RULES.items():
        kind = f"{rule.severity.value}, {rule.about.value}"
        text = known[name]
        rows.append(_row(name, kind, text.meaning, text.cause, text.remedy, text.fix))
    return "".join([_RULES, *rows])


def _row(name: str, *cells: str) -> str:
    """Return a row of a table; its first cell is where a link to the code leads."""
    texts = [f'<a id="{name.lower()}"></a>{name}', *(cell.replace("|", "\\|") for cell in cells)]
    return f"| {' | '.join(texts)} |\n"
