"""The pictures of `RESULTS.md`: readable on a light and on a dark page, the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from results import Line

INK, OURS, OTHERS = "#7d8590", "#2f81f7", "#9aa4af"
"""A grey, a blue and a light grey that have enough contrast on white and on almost black."""

mpl.rcParams.update(
    {
        "svg.hashsalt": "inject-proxy",
        "font.size": 10,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
)


def draw_bars(rows: Sequence[tuple[str, float]], path: Path) -> None:
    """Draw a bar for each program, the longest time at the bottom, ours in blue."""
    rows = sorted(rows, key=lambda row: -row[1])
    figure, axes = plt.subplots(figsize=(8, 0.34 * len(rows) + 0.9))
    colours = [OURS if "inject-proxy" in name else OTHERS for name, _ in rows]
    bars = axes.barh([name for name, _ in rows], [ratio for _, ratio in rows], color=colours)
    axes.bar_label(bars, labels=[f"{ratio:.2g}" for _, ratio in rows], padding=3)
    axes.set_xscale("log")
    axes.set_xlabel("CPU time, as a multiple of libyaml's events (logarithmic)")
    _save(figure, path)


def draw_lines(lines: Sequence[Line], path: Path) -> None:
    """Draw a line for each kind of input: level is growth in proportion to the input."""
    figure, axes = plt.subplots(figsize=(8, 3.2))
    for one, style in zip(lines, ("o-", "s--", "^:"), strict=True):
        sizes = [size / one.sizes[0] for size in one.sizes]
        axes.plot(sizes, one.ratios, style, label=one.name)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.5)
    axes.set_xlabel("size, as a multiple of the first (logarithmic)")
    axes.set_ylabel("CPU time of one")
    axes.legend(frameon=False, loc="lower left")
    _save(figure, path)


def _save(figure: plt.Figure, path: Path) -> None:
    figure.savefig(
        path, bbox_inches="tight", transparent=True, metadata={"Date": None, "Creator": None}
    )
    plt.close(figure)
