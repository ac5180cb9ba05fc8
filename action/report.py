"""Write the report of the GitHub action in Markdown: what a run would change, which nodes roll, and why.

Usage: ``python3 report.py FOLDER > report.md``. The folder holds what `action.yml` wrote: ``results.json`` (``run
--check -v --output json``), ``changes.diff`` (``run --diff``), ``explain.txt`` and ``summary.txt`` (standard error of
the check). It needs nothing but Python, and no text in it is a credential: these files hold none.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MARK = "<!-- inject-proxy -->"
"""The first line of the comment, by which the action finds it again."""
LONGEST = 60_000
"""Characters: GitHub takes comments of up to 65,536."""

ROLLS = {
    "KubeadmControlPlane": "the control plane",
    "MachineDeployment": "the workers",
    "MachinePool": "the workers",
    "Cluster": "nodes of the Cluster",
    "ClusterClass": "nodes of all Clusters of the class",
}
"""Kind -> the nodes that Cluster API replaces when such an object changes.

Source: Cluster API book, "Upgrading management and workload clusters", "Changing a ClusterClass".
"""
KEEPS = {"NodesNotRolled", "TemplateImmutable", "NameKept"}
"""Codes of docs/messages.md: nodes that keep what they have although a manifest changes."""


def main() -> None:
    """Write the report of a folder to standard output."""
    folder = Path(sys.argv[1])
    sys.stdout.write(report({path.name: path.read_text() for path in folder.iterdir()}))


def report(files: Mapping[str, str]) -> str:
    """Return the report.

    Args:
        files: name -> content, as the docstring of this module lists them.
    """
    results = json.loads(files.get("results.json") or "[]")
    diff = files.get("changes.diff", "")
    number = len(re.findall(r"^\+\+\+ ", diff, re.MULTILINE))
    parts = [MARK, f"### inject-proxy: {headline(number, results, files.get('summary.txt', ''))}"]
    if diff:
        parts += section("Nodes that will be replaced", rolled(results))
        parts += section("Nodes that keep the old proxy", findings(results, KEEPS, is_in=True))
    parts += section("Findings", findings(results, KEEPS, is_in=False))
    left = LONGEST - sum(map(len, parts))
    if diff:
        shown = folded("What `inject-proxy run` would change", diff, "diff", left * 2 // 3)
        parts.append(shown)
        left -= len(shown)
    if files.get("explain.txt"):
        title = "Who gets which proxy, and why each entry of `NO_PROXY` is there"
        parts.append(folded(title, files["explain.txt"], "text", left))
    return "\n\n".join(parts) + "\n"


def headline(number: int, results: Sequence[Mapping[str, Any]], summary: str) -> str:
    """Return what the check found, in one sentence."""
    if number:
        return f"{number} file{'s' * (number > 1)} would change. Run `inject-proxy run` and commit"
    if any(result["severity"] == "error" for result in results):
        return "the manifests or the ProxyConfig are wrong"
    if not results and "inject-proxy run:" not in summary:
        return "the check could not run; the log says why"
    return "all manifests hold the proxy"


def rolled(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each object whose change makes Cluster API replace nodes; a change has no rule."""
    lines: dict[str, None] = {}
    for result in results:
        ref = result.get("resourceRef", {})
        path = result.get("field", {}).get("path", "")
        is_change = result["severity"] == "error" and not result.get("tags", {}).get("rule")
        if is_change and ref.get("kind") in ROLLS and path.startswith("spec"):
            lines[f"{ROLLS[ref['kind']]} of {name_of(ref)}"] = None
    return [*lines]


def findings(results: Sequence[Mapping[str, Any]], rules: set[str], *, is_in: bool) -> list[str]:
    """Return a line for each error or warning whose rule is, or is not, one of some rules."""
    lines = []
    for result in results:
        rule = result.get("tags", {}).get("rule", "")
        is_finding = result["severity"] == "warning" or (result["severity"] == "error" and rule)
        is_wrong = result["severity"] == "error" and "resourceRef" not in result
        if (is_finding or is_wrong) and (rule in rules) is is_in:
            ref = result.get("resourceRef")
            lines.append(f"{name_of(ref)}: {result['message']}" if ref else result["message"])
    return lines


def name_of(ref: Mapping[str, str]) -> str:
    """Return the kind and the name of an object, as code."""
    parts = [ref["kind"], ref.get("namespace", ""), ref["name"]]
    return f"`{'/'.join(part for part in parts if part)}`"


def section(title: str, lines: Sequence[str], at_most: int = 20) -> list[str]:
    """Return a heading with a list, without lines nothing; of a long list only the beginning."""
    if not lines:
        return []
    shown = [f"- {line}" for line in lines[:at_most]]
    if len(lines) > at_most:
        shown.append(f"- and {len(lines) - at_most} more")
    return [f"**{title}**\n\n" + "\n".join(shown)]


def folded(title: str, text: str, language: str, at_most: int) -> str:
    """Return a text as a block of code that a click opens; what is too long for a comment is cut at a line."""
    if len(text) > at_most:
        kept = text[: max(at_most, 0)].rpartition("\n")[0]
        text = f"{kept}\n(the rest is too long for a comment; run the command to see it)\n"
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    heading = re.sub("`([^`]*)`", r"<code>\1</code>", title)
    return f"<details><summary>{heading}</summary>\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n\n</details>"


if __name__ == "__main__":
    main()
