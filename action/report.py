"""Write the report of the GitHub action in Markdown: what a run would change, which nodes are replaced, and why.

Usage: ``python3 -I action FOLDER > report.md``. The folder holds what `action.yml` wrote: ``results.json``
(``run --check -v --output json``; empty where the check could not run), ``changes.diff`` (``run --diff --grouped``),
``explain.txt``, and the repository as the pull request found it (``before``)
and after it and a run (``after``). No text in the report is a credential: the files hold none, and of the two folders
it shows names only. What the manifests hold is shown as text, also where it looks like Markdown.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nodes import NodeChanges, as_code, as_text, compare, objects_in

from krm_fn.cli import STACK_FRAMES
from krm_fn.pipeline.outcome import CHANGE_DUE

MARK = "<!-- inject-proxy -->"
"""The first line of the comment, by which the action finds it again."""
KEPT = "NodesKept"
"""The code of nodes that keep what they have."""
LONGEST = 60_000
"""Characters: GitHub takes comments of up to 65,536."""


def main() -> None:
    """Write the report of a folder to standard output."""
    sys.setrecursionlimit(STACK_FRAMES)
    folder = Path(sys.argv[1])
    files = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
    nodes = compare(objects_in(folder / "before"), objects_in(folder / "after"))
    sys.stdout.write(report(files, nodes))


def report(files: Mapping[str, str], nodes: NodeChanges) -> str:
    """Return the report.

    Args:
        files: name -> content, as the docstring of this module lists them.
        nodes: what the pull request, with a run behind it, means for nodes.
    """
    has_run = bool(files.get("results.json"))
    results = json.loads(files["results.json"]) if has_run else []
    diff = files.get("changes.diff", "")
    kept = {str(key): why for key, why in nodes.kept.items()}
    for result in results:
        if rule_of(result) == KEPT:
            kept.setdefault(subject_of(result), as_text(result["message"]))
    number = number_of_files(results) if diff else 0
    title = headline(number, results, has_run=has_run)
    parts = [MARK, f"### inject-proxy: {title}"]
    parts += section(
        "Nodes that will be replaced", [f"{key}: {why}" for key, why in nodes.replaced.items()]
    )
    parts += section(
        "Nodes that keep what they have", [f"{name}: {why}" for name, why in kept.items()]
    )
    # With an error nothing would change; where something would, the errors are the changes that are due.
    parts += section("Findings", findings(results, {"warning"} if diff else {"warning", "error"}))
    left = LONGEST - sum(map(len, parts))
    if diff:
        shown = folded("What `inject-proxy run` would change", diff, "diff", left * 2 // 3)
        parts.append(shown)
        left -= len(shown)
    if files.get("explain.txt"):
        title = "Who gets which proxy, and why each entry of `NO_PROXY` is there"
        parts.append(folded(title, files["explain.txt"], "text", left))
    return "\n\n".join(parts) + "\n"


def number_of_files(results: Sequence[Mapping[str, Any]]) -> int:
    """Return how many files a run would change; a grouped diff does not name all of them in a header."""
    return len({result["file"]["path"] for result in results if rule_of(result) == CHANGE_DUE})


def headline(number: int, results: Sequence[Mapping[str, Any]], *, has_run: bool) -> str:
    """Return the result of the check in a sentence."""
    if number:
        return f"{number} file{'s' * (number > 1)} would change. Run `inject-proxy run` and commit"
    if any(result["severity"] == "error" for result in results):
        return "the manifests or the ProxyConfig are wrong"
    if not has_run:
        return "the check could not run; the log says why"
    return "a run would change nothing"


def findings(results: Sequence[Mapping[str, Any]], severities: set[str]) -> list[str]:
    """Return a line for each finding of some severities that is not about nodes."""
    lines = []
    for result in results:
        if result["severity"] in severities and rule_of(result) != KEPT:
            subject = subject_of(result)
            message = as_text(result["message"])
            lines.append(f"{subject}: {message}" if subject else message)
    return lines


def rule_of(result: Mapping[str, Any]) -> str:
    """Return the code or the rule of a result, "" where it has none."""
    return str(result.get("tags", {}).get("rule", ""))


def subject_of(result: Mapping[str, Any]) -> str:
    """Return the object of a result and its file, "" where it has none."""
    ref = result.get("resourceRef")
    if not ref:
        return ""
    name = as_code(ref["kind"], ref.get("namespace", ""), ref["name"])
    file = result.get("file", {}).get("path", "")
    return f"{name} in {as_code(file)}" if file else name


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
