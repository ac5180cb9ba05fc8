"""Back is back in every layout: goldens with other quotes, comments, null forms, flow style, anchors and line breaks.

What removal may not give back is the list in ``docs/removal.md``; everything else is held to the byte.
"""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from krm_fn.pipeline.run import run
from layouts import REVERSIBLE_STORIES, mutated
from stories import items, removing


@given(st.sampled_from(REVERSIBLE_STORIES), st.integers(0, 2**32))
def test_removal_gives_back_every_layout_byte_for_byte(story: Path, seed: int) -> None:
    text = mutated((story / "input.yaml").read_text(encoding="utf-8"), random.Random(seed)).encode()  # noqa: S311

    once = run(text)
    assume(once.exit_code == 0)

    assert run(once.output).output == once.output
    assert items(run(removing(once.output)).output) == items(text)
