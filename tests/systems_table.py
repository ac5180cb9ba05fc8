"""Write the table of `docs/systems.md`: what a run does with the objects of each system."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.products.systems import ALONE, FIELDS, OF_CLUSTER_API, System
from krm_fn.products.charts import CHARTS
from krm_fn.products.distributions import PRODUCTS, ROWS, DistributionRow
from krm_fn.products.node_kinds import NODE_KINDS, SYSTEMS
from krm_fn.target_table import system_of
from krm_fn.targets import TARGETS

Line = tuple[str, str, str]
"""System, kind, what a run does."""

WRITES = "writes"
IF_ASKED = "writes with `enabled: true`, else names the field"


def table() -> str:
    """Return the lines of the table; the kinds of a system for which a run does the same are in one of them."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for system, kind, does in lines():
        known = kinds.setdefault((system, does), [])
        if kind not in known:
            known.append(kind)
    return "".join(f"| {system} | {', '.join(names)} | {does} |\n" for (system, does), names in kinds.items())


def lines() -> Iterator[Line]:
    """Yield the lines, those that a target writes first."""
    for node_system in SYSTEMS:
        for node_kind in NODE_KINDS.values():
            if node_kind.system is node_system:
                yield _link(node_system.name, node_system.targets[0]), node_kind.kind, WRITES
    for target, product in PRODUCTS.items():
        for row in ROWS:
            if row.target == target:
                yield _link(product.name, target), row.kind, _done_with(row)
    chosen = f"writes the values of {len(CHARTS)} charts where you choose them, names the field where not"
    yield _link("charts", "charts"), "HelmRelease, Application", chosen
    yield _link("Cloud Director", "otherWriters"), "VCDCluster", "names another proxy; writes its nodes"
    for _, name in ALONE:
        yield _link("Karpenter", "karpenter"), name, "writes a NodeConfig, names the field where there is none"
    yield (
        _link("other programs on nodes", "nodeFiles"),
        "those above with `files`",
        "writes what `files` names, names another proxy",
    )
    yield _link("workloads", "workloads"), "Deployment and the like", "writes what you select, names another proxy"
    for name, system in OF_CLUSTER_API.items():
        yield system.name, name, _named(system)
    for (_, name), system in FIELDS.items():
        if not system.target:
            yield system.name, name, _named(system)


def _done_with(row: DistributionRow) -> str:
    return IF_ASKED if row.is_immutable else WRITES


def _named(system: System) -> str:
    if not system.place:
        return "has no field; says what to do"
    return f"names {system.place}" if system.is_needed else f"names another proxy in {system.place}"


def _link(name: str, target: str) -> str:
    assert target in TARGETS
    return f"[{name}](../krm_fn/targets/{system_of(target)}/README.md#{target.lower()})"
