"""Write `docs/targets.md` and the list in README.md from the targets: their docstrings, kinds and stories."""

from __future__ import annotations

import re

from krm_fn.noproxy import Audience
from krm_fn.target_table import SYSTEMS
from krm_fn.targets import TARGETS, Target, module_of
from stories import stories_of
from support import ROOT

_HEAD = """\
<!-- `make docs` writes this page from krm_fn/targets and testdata: change it there. -->

# Targets

A target is a place in which inject-proxy writes the proxy. Each one is a key under `spec.targets` of the ProxyConfig.
All are enabled unless you write `enabled: false`. [functionconfig.md](functionconfig.md#options-of-targets) lists
their options with types and defaults.

| target | subject |
|---|---|
"""

_READERS = {
    Audience.NODE: "programs on a node",
    Audience.POD: "any program in a pod",
    Audience.GO: "programs in pods that are written in Go",
    Audience.PRODUCT: "a product, which adds the networks of the cluster by itself",
    Audience.TKG: "TKG, which adds networks that are missing by itself",
}
"""Nobody reads the list of a target that writes only certificates."""

_TITLES = ("What it sets", "Where", "What it leaves alone", "Before and after", "Options", "Why")


def page_of(target: Target) -> str:
    """Return what users read about a target: the docstring of the module that defines it."""
    text = module_of(target.id).__doc__
    assert text, f"the module of the target {target.id} must have a docstring"
    return text


def title_of(target: Target) -> str:
    """Return the title line of a target, in Markdown and without a full stop."""
    return _markdown(page_of(target).split("\n")[0]).removesuffix(".")


def page() -> str:
    """Return the whole page."""
    rows = [f"| [{name}](#{name.lower()}) | {title_of(target)} |\n" for name, target in TARGETS.items()]
    return "".join([_HEAD, *rows, *map(_section, TARGETS.values())])


def short_list() -> str:
    """Return the list of the README: the targets of each system, by the names that ``spec.only`` knows."""
    lines = []
    for system, names in SYSTEMS.items():
        lines.append(f"- **{system}**: {', '.join(f'`{name}`' for name in names)}\n")
    return "".join(lines)


def _section(target: Target) -> str:
    title, _, rest = page_of(target).strip().partition("\n")
    parts = [f"\n## {target.id}\n", f"\n{_markdown(title)}\n", f"\n{_facts(target)}", f"\n{_body(rest.strip())}\n"]
    return "".join(parts)


def _facts(target: Target) -> str:
    kinds = [f"`{kind}.{group}`" if group else f"`{kind}`" for group, kind in sorted(target.kinds)]
    facts = [f"- Kinds: {', '.join(kinds)}\n"]
    if target.audience in _READERS:
        facts.append(f"- Reader of `NO_PROXY`: {_READERS[target.audience]}\n")
    stories = sorted(path.parent for path in stories_of(target.id).glob("*/input.yaml"))
    links = [f"[{story.name.replace('-', ' ')}](../{story.relative_to(ROOT)})" for story in stories]
    facts.append(f"- Examples: {', '.join(links)}\n")
    return "".join(facts)


def _body(text: str) -> str:
    """Return the paragraphs of a docstring, with the headings of its parts in bold."""
    headings = "|".join(_TITLES)
    body = re.sub(rf"^({headings}):", r"**\1:**", text, flags=re.MULTILINE)
    parts = re.split(r"(^```.*?^```$)", body, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _markdown(part) for part in parts)


def _markdown(text: str) -> str:
    """Return text of a docstring in Markdown: code in single backticks."""
    return re.sub(r"``(.+?)``", r"`\1`", text, flags=re.DOTALL)
