"""Write `docs/messages.md` and the rules in `docs/lint.md`: what each one means, its cause, and what to do."""

from __future__ import annotations

from krm_fn.krm.codes import CODES, Code
from krm_fn.krm.results import Severity
from krm_fn.noproxy.rules import RULES, About, Rule

_HEAD = """\
<!-- `make docs` writes this page from krm_fn/krm/codes.py and krm_fn/noproxy/rules.py: change it there. -->

# Messages

Every error, warning and information of a run begins with a code, such as `NodesNotRolled`, or with the ID of a rule,
such as `NP038`. In `results` it is the tag `rule`. This page explains the codes; [lint.md](lint.md) explains the rules.
A message about a change that was made has no code.

To silence one, or to change its severity, name it in `spec.lint.rules` of the ProxyConfig:

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
"""

_CODES = """
## Codes of a run

The severity is the one that the message has if `spec.lint.rules` does not name its code.
"""

_FIXED = """
## Codes that nothing silences

A run and the other commands report these codes; `spec.lint.rules` accepts none of them.
"""

_RULES = """
## Rules

A run and `inject-proxy lint` report these rules, too. In a run a rule is at most a warning unless `spec.lint.rules`
makes it an error. [lint.md](lint.md) explains each of them.

| rule | severity | finds |
|---|---|---|
"""


def page() -> str:
    """Return the whole page of messages."""
    rules = [f"| [{rule.id}](lint.md#{rule.id.lower()}) | {_row(rule)} |\n" for rule in RULES.values()]
    codes = [_of_code(code) for code in CODES.values() if not code.is_fixed]
    fixed = [_of_code(code) for code in CODES.values() if code.is_fixed]
    return "".join([_HEAD, _CODES, *codes, _FIXED, *fixed, _RULES, *rules])


def rules() -> str:
    """Return the part of the lint page that is about the rules: a table, and an entry for each."""
    head = "| rule | severity | about | finds |\n|---|---|---|---|\n"
    table = [
        f"| [{rule.id}](#{rule.id.lower()}) | {rule.severity.value} | {rule.about.value} | {_cell(rule.finds)} |\n"
        for rule in RULES.values()
    ]
    return "".join([head, *table, *map(_of_rule, RULES.values())])


def _row(rule: Rule) -> str:
    return f"{rule.severity.value} | {_cell(rule.finds)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _of_code(code: Code) -> str:
    parts = [("Meaning", code.meaning), ("Cause", code.cause), ("Remedy", code.remedy)]
    return _entry(code.id, code.severity, parts, is_fixed=code.is_fixed)


def _of_rule(rule: Rule) -> str:
    finds = "Finds" if rule.about is About.RUN else f"Finds in the {rule.about.value}"
    parts = [(finds, _sentence(rule.finds)), ("Cause", _sentence(rule.why)), ("Remedy", rule.remedy)]
    if rule.fix:
        parts.append(("Fix of `inject-proxy lint --fix`", _sentence(rule.fix)))
    return _entry(rule.id, rule.severity, parts)


def _entry(name: str, severity: Severity, parts: list[tuple[str, str]], *, is_fixed: bool = False) -> str:
    lines = [f"\n### {name}\n", f"- **Severity:** {severity.value}"]
    lines += [f"- **{title}:** {text}" for title, text in parts]
    if not is_fixed:
        lines.append(f'- **Silence it with:** `spec: {{lint: {{rules: {{{name}: "Off"}}}}}}`')
    return "\n".join(lines) + "\n"


_PROGRAMS = ("apt,", "aiohttp", "boto3", "curl", "curl,", "httpx", "systemd", "wget,", "inject-proxy")
"""Names that are written in lower case at the beginning of a sentence, too."""


def _sentence(text: str) -> str:
    """Return a fragment of the table of rules with a capital letter and a full stop."""
    return f"{text if text.startswith(_PROGRAMS) else text[0].upper() + text[1:]}."
