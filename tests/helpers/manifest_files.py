"""Files of manifests, by number."""

from __future__ import annotations

from krm_fn.krm.manifests import Manifests

A, B = "kind: A\nmetadata: {name: a}\n", "kind: B # ours\nmetadata:\n  name: b\n"


def manifests(*texts: str) -> Manifests:
    return Manifests({f"{number}.yaml": text.encode() for number, text in enumerate(texts)})
