"""Back is back in every layout: goldens with other quotes, comments, null forms, flow style, anchors and line breaks.

What removal may not give back is the list in ``docs/removal.md``; everything else is held to the byte.
"""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from krm_fn.pipeline.run import run
from layouts import mutated
from stories import TESTDATA, is_config_map, items, removing, stories_of, wishes

TARGETS = (
    "nodes.containerd",
    "nodes.commands",
    "workloads",
    "giantswarm.clusterValues",
    "giantswarm.systemdProxy",
    "tkg.kappController",
    "tkg.vsphereCPI",
)
FOLDERS = [*map(stories_of, TARGETS), *(TESTDATA / name for name in ("rollout", "systems", "clusters"))]
LARGEST = 9000
"""Bytes of an input: larger ones say nothing more, and take longer."""


def gives_back(story: Path) -> bool:
    """Whether removal is known to give the input back (``test_golden``), and there is something to remove."""
    data = (story / "input.yaml").read_bytes()
    targets = wishes(data).get("targets", {}) if not is_config_map(data) else {}
    if targets.get("workloads", {}).get("conflict") == "Keep":  # what is there is the user's
        return False
    return not any((story / name).exists() for name in ("removed.diff", "errors.txt")) and (
        len(data) < LARGEST and not is_config_map(data) and "mode" not in wishes(data)
    )


STORIES = sorted(path.parent for folder in FOLDERS for path in folder.rglob("input.yaml") if gives_back(path.parent))


@given(st.sampled_from(STORIES), st.integers(0, 2**32))
def test_removal_gives_back_every_layout_byte_for_byte(story: Path, seed: int) -> None:
    text = mutated((story / "input.yaml").read_text(encoding="utf-8"), random.Random(seed)).encode()  # noqa: S311

    once = run(text)
    assume(once.exit_code == 0)

    assert run(once.output).output == once.output
    assert items(run(removing(once.output)).output) == items(text)
