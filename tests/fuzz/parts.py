"""The parts of the fuzzers: each makes a text from a random number, and judges such a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from fuzz import commands, folders, laid_out, nodes, outputs, rewritten, structures, texts

CORPUS = Path(__file__).parent / "corpus"


class Part(NamedTuple):
    """``make`` returns an input; ``judge`` raises ``Broken`` if a promise does not hold for it.

    ``share`` is the share of the time that the part gets, ``needs`` the programs that judge with it, and ``tries``
    how often a find is judged again to make it smaller.
    """

    make: Callable[[Random], bytes]
    judge: Callable[[bytes], None]
    share: int
    needs: tuple[str, ...] = ()
    tries: int = 400


PARTS = {
    "commands": Part(commands.make, commands.judge, 1, tries=100),
    "structures": Part(structures.make, structures.judge, 3),
    "folders": Part(folders.make, folders.judge, 3),
    "layouts": Part(laid_out.make, laid_out.judge, 2),
    "nodes": Part(nodes.make, nodes.judge, 1, ("systemd", "sh")),
    "outputs": Part(outputs.make, outputs.judge, 2),
    "rewritten": Part(rewritten.make, rewritten.judge, 2),
    "texts": Part(texts.make, texts.judge, 2),
}
