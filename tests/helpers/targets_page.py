"""Write `docs/targets.md`, and the options on the pages of the systems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from all_targets import TARGETS
from krm_fn.noproxy import Audience
from krm_fn.products import distributions
from krm_fn.products.charts import CHARTS
from krm_fn.target_table import system_of
from krm_fn.targets.base import Target
from krm_fn.targets.pages import OPTIONS, page_of, title_of
from options_page import options
from support import ROOT

INDEX = ROOT / "docs" / "targets.md"

_INDEX = """\
<!-- `make docs` writes this page from the table of targets: change it there. -->

# Targets

A target is a place in which inject-proxy writes the proxy. Its name is its path below `spec.targets`, in `only` and in
`overrides[].match.targets`, where the name of a system stands for all of its targets. With `false` nothing is looked
at, and the proxy of an earlier run stays: [take it out](howto/remove.md) first.

All targets are on, and write wherever their place is in the input, but:

* {waiting}, and `distributions.aks` for an AzureManagedControlPlane, write only with `true`: nobody can
  change the field later.
* `workloads` writes cert-manager and chart-operator, and besides them what you
  [choose](howto/select.md#your-own-workloads).
* `charts` and `nodes.files` write what you choose; `nodes.classes` adds patches to a ClusterClass only with `Patch`.
* `nodes.trustedCA` and `workloads.trustedCA` need `spec.trustedCA`, `nodes.mirror` needs `spec.registryMirror`.
* New policies, and new Secrets of clusters, are made only with `generate`: of `kyverno`, `giantswarm` and `konvoy`.

The page of a system describes its targets, as `inject-proxy targets NAME` does. [testdata](../testdata) has examples.

The last column says who reads the `NO_PROXY` of a target: programs on a node, any program in a pod, programs in pods
that are written in Go, or a product or TKG, which add the networks of the cluster by themselves.

| system | target | subject | reader |
|---|---|---|---|
"""

_READERS = {
    Audience.NODE: "node",
    Audience.POD: "pod",
    Audience.GO: "Go",
    Audience.PRODUCT: "product",
    Audience.TKG: "TKG",
}
"""Nobody reads the list of a target that writes only certificates."""


def pages() -> dict[Path, str]:
    """Return the page of each system as it should be; a target of several is on that of the first."""
    shown: dict[str, str] = {}
    texts = {system: page_of(system) for system in map(system_of, TARGETS)}
    for name in TARGETS:
        system = system_of(name)
        texts[system] = _with_options(texts[system], name, "\n\n".join(_options(name, shown)))
    return {ROOT / "krm_fn" / "targets" / system / "README.md": text for system, text in texts.items()}


def _with_options(page: str, name: str, options: str) -> str:
    """Return a page with these options, and no others, at the end of the section of a target."""
    before, heading, rest = page.partition(f"\n## {name.rpartition('.')[2]}\n")
    section, next_heading, after = rest.partition("\n## ")
    description = section.partition(OPTIONS)[0].rstrip("\n")
    parts = [description, f"{OPTIONS} <!-- `make docs` writes them from the JSON Schema -->", options]
    text = "\n\n".join(parts if options else parts[:1])
    return f"{before}{heading}{text}\n{next_heading}{after}"


def index() -> str:
    """Return the page that leads to each system, with its targets."""
    rows = []
    for system in dict.fromkeys(map(system_of, TARGETS)):
        link = f"[{system}](../krm_fn/targets/{system}/README.md)"
        for name, target in TARGETS.items():
            if system_of(name) == system:
                rows.append(f"| {link} | `{name}` | {title_of(name).partition(': ')[0]} | {_reader(target)} |\n")
                link = ""
    at_once = {row.target for row in distributions.ROWS if not row.is_immutable}
    waiting = ", ".join(f"`{name}`" for name in distributions.PRODUCTS if name not in at_once)
    return "".join([_INDEX.format(waiting=waiting), *rows])


def place(name: str) -> str:
    return f"krm_fn/targets/{system_of(name)}/README.md#{_anchor(name)}"


def _anchor(name: str) -> str:
    return name.rpartition(".")[2].lower()


def rows_of_charts() -> str:
    """Return the rows of the table on the page of charts."""
    lines = []
    for name, chart in CHARTS.items():
        by_form: dict[str, list[str]] = {}
        for value in chart.values:
            form = "texts" if value.texts else value.form.lower()
            for word, version in (("since", value.since), ("before", value.before)):
                form += f", {word} {'.'.join(map(str, version))}" if version else ""
            by_form.setdefault(form, []).extend(f"`{name}`" for name in value.names)
        lines += [f"| {name} | {', '.join(names)} | {form} |\n" for form, names in by_form.items()]
    return "".join(lines)


def _reader(target: Target) -> str:
    return _READERS.get(target.audience, "")


def _options(name: str, shown: dict[str, str]) -> Iterator[str]:
    """Yield the table of the options of a target, without the rows that a target before it has.

    ``shown`` holds row -> target of those, and gets the new ones.
    """
    head, rows = options(name).splitlines()[:2], options(name).splitlines()[2:]
    new = [row for row in rows if row not in shown]
    if new:
        yield "\n".join([*head, *new])
    for other in dict.fromkeys(shown[row] for row in rows if row in shown):
        fields = [row.split(" | ")[0].removeprefix("| ") for row in rows if shown.get(row) == other]
        link = f"#{_anchor(other)}" if system_of(other) == system_of(name) else f"../../../{place(other)}"
        yield f"Options as those of [{other}]({link}): {', '.join(fields)}."
    shown.update((row, name) for row in new)
