"""Write `docs/targets/` and the list in README.md from the pages of the systems, the targets and the JSON Schema."""

from __future__ import annotations

from pathlib import Path

from krm_fn.noproxy import Audience
from krm_fn.target_table import SYSTEMS, system_of
from krm_fn.targets import TARGETS, Target
from krm_fn.targets.pages import page_of, section_of, title_of
from options_page import options
from support import ROOT

FOLDER = ROOT / "docs" / "targets"

_INDEX = """\
<!-- `make docs` writes this page from the table of targets: change it there. -->

# Targets

A target is a place in which inject-proxy writes the proxy. Each one is a key under `spec.targets` of the ProxyConfig.
All are enabled unless you write `enabled: false`. With `enabled: false` a target looks at no object, and what it wrote
before stays as it is: remove the proxy first.

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


def files() -> dict[Path, str]:
    """Return the content of each page."""
    return {FOLDER / "README.md": index(), **{FOLDER / f"{name}.md": page(name) for name in written_systems()}}


def written_systems() -> list[str]:
    """Return the systems that have a page; a target of several is on that of the first."""
    return list(dict.fromkeys(map(system_of, TARGETS)))


def index() -> str:
    """Return the page that leads to each target."""
    rows = [f"| [{name}]({system_of(name)}.md#{name.lower()}) | {title_of(name)} |\n" for name in TARGETS]
    return "".join([_INDEX, *rows])


def page(system: str) -> str:
    """Return the page of a system: what stands beside its code, and of each target its facts and options."""
    text = page_of(system)
    for name in TARGETS:
        if system_of(name) == system:
            section = section_of(name)
            title, _, rest = section.partition("\n\n")
            text = text.replace(section, f"{title}\n\n{_facts(TARGETS[name])}{rest}\n\n{options(name)}".rstrip("\n"))
    mark = f"<!-- `make docs` writes this page from krm_fn/targets/{system}/page.md and the JSON Schema. -->\n\n"
    head, _, sections = text.partition("\n\n## ")
    examples = f"Examples, with what a run makes of them: [testdata/{system}](../../testdata/{system})."
    return f"{mark}{head}\n\n{examples}\n\n## {sections}"


def short_list() -> str:
    """Return the list of the README: the targets of each system, by the names that ``spec.only`` knows."""
    lines = []
    for system, names in SYSTEMS.items():
        lines.append(f"- **{system}**: {', '.join(f'`{name}`' for name in names)}\n")
    return "".join(lines)


def _facts(target: Target) -> str:
    return f"Reader of `NO_PROXY`: {_READERS[target.audience]}.\n\n" if target.audience in _READERS else ""
