"""The diff of a manifest that holds a password."""

from __future__ import annotations

import json

import pytest

from hidden_passwords import OTHER_NOTATIONS
from support import unified_diff


@pytest.mark.parametrize("text", [pytest.param(text, id=case) for case, text in OTHER_NOTATIONS.items()])
def test_a_diff_hides_it_in_a_text_and_in_a_comment(text: str) -> None:
    block = "".join(f"    {line}\n" for line in text.splitlines())
    comment = "".join(f"# {line}\n" for line in text.splitlines())
    for manifest in (f"data:\n  x: |\n{block}", f"data: {{x: {json.dumps(text)}}}\n", f"{comment}a: b\n"):
        shown = "\n".join(unified_diff("a.yaml", None, manifest.encode(), has_colours=False))
        assert "S1" not in shown, manifest
        assert "***" in shown
