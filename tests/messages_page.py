"""Write `docs/messages.md`: each code and each rule, with what it means, why it is reported and what to do."""

from __future__ import annotations

from krm_fn.krm.codes import CODES, Code
from krm_fn.krm.results import Severity
from krm_fn.noproxy.rules import RULES, About, Rule

_HEAD = """\
<!-- `make docs` writes this page from krm_fn/krm/codes.py and krm_fn/noproxy/rules.py: change it there. -->

# Messages

Every warning and every information of a run begins with a code, such as `NodesNotRolled`, or with the ID of a rule,
such as `NP038`. In `results` it is the tag `rule`. This page lists all of them.

To silence one, or to change its severity, name it in `spec.lint.rules` of the ProxyConfig:

```yaml
spec:
  lint:
    rules:
      NodesNotRolled: "Off"     # not reported
      NP036: Info               # shown with --verbose only
      OtherWriter: Error        # the run fails and changes nothing
```

The values are `"Off"`, `Info`, `Warning` and `Error`. An error without a code in front of it says that a change is
impossible, or with `mode: Check` that a change is due; nothing silences it. A message about a change that was made
has no code.
"""

_CODES = """
## Codes of a run

The severity is the one that the message has if `spec.lint.rules` does not name its code.
"""

_RULES = """
## Rules about lists, proxies and objects

`inject-proxy lint` reports these rules, too, and `inject-proxy lint --fix` applies the fix of those that have one.
In a run a rule is at most a warning unless `spec.lint.rules` makes it an error. [no-proxy.md](no-proxy.md#lint)
explains the rules for `NO_PROXY` in their context.
"""


def page() -> str:
    """Return the whole page."""
    parts = [_HEAD, _CODES, *map(_of_code, CODES.values()), _RULES, *map(_of_rule, RULES.values())]
    return "".join(parts)


def _of_code(code: Code) -> str:
    return _entry(
        code.id,
        code.severity,
        [("Meaning", code.meaning), ("Cause", code.cause), ("Remedy", code.remedy)],
    )


def _of_rule(rule: Rule) -> str:
    finds = "Finds" if rule.about is About.RUN else f"Finds in the {rule.about.value}"
    parts = [(finds, _sentence(rule.finds)), ("Cause", _sentence(rule.why)), ("Remedy", rule.remedy)]
    if rule.fix:
        parts.append(("Fix of `inject-proxy lint --fix`", _sentence(rule.fix)))
    return _entry(rule.id, rule.severity, parts)


def _entry(name: str, severity: Severity, parts: list[tuple[str, str]]) -> str:
    lines = [f"\n### {name}\n", f"- **Severity:** {severity.value}"]
    lines += [f"- **{title}:** {text}" for title, text in parts]
    lines.append(f'- **Silence it with:** `spec: {{lint: {{rules: {{{name}: "Off"}}}}}}`')
    return "\n".join(lines) + "\n"


_PROGRAMS = ("apt,", "aiohttp", "boto3", "curl", "curl,", "httpx", "systemd", "wget,", "inject-proxy")
"""Names that are written in lower case at the beginning of a sentence, too."""


def _sentence(text: str) -> str:
    """Return a fragment of the table of rules with a capital letter and a full stop."""
    return f"{text if text.startswith(_PROGRAMS) else text[0].upper() + text[1:]}."
