"""How the CPU time of a function grows with the size of its input: linear, or worse.

What decides is a ratio of CPU times of one process, of inputs four times as large: 4 where time is linear, 16 where it
is quadratic, and far more where it is exponential. Times too short to be compared decide nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

UNITS = (
    *("\r\n", "\n", "\r", " ", "\t", '"', "'", "a", "0", ".", "-", "{", "[", "\\", "#", ":", ",", "/", "@", "%"),
    *("$", "&", "*", "=", "|", "<", ">", ";", "(", "\u2028", "\r\n ", "#\r\n", "# a\n", "a\r\n", "a ", "a.", "a: "),
    *("- ", "a=", "a@", "{{ a }}", "${a", "$(a", '\\"', "\\\n", '"a" ', "--a ", "---\n", "...\n", "://", "&a ", "*a "),
)
"""What a text is made of, again and again."""

_LARGEST = 12_000
"""Characters of the largest text: long enough that a quadratic reader takes a tenth of a second."""
_STEPS = (24, 36, 54, 81, 400)
"""Smaller sizes, at which a reader that takes exponential or cubic time still ends."""
_FACTOR = 4
_WORST_RATIO = 9.0
_COMPARABLE = 0.03
"""Seconds: what is faster than this at every size is fast enough, whatever its ratio."""
_RUNS = 3


def excess(
    read: Callable[[Input], object],
    make: Callable[[int], Input],
    largest: int = _LARGEST,
    *,
    in_steps: bool = True,
    comparable: float = _COMPARABLE,
) -> str:
    """How ``read`` breaks the bound on inputs of ``make(size)``, in one line; "" where it keeps it.

    The size is what ``make`` counts: characters of a text, or objects of a list.

    Without steps only the smallest of them is tried before the largest.
    """
    for size in (*_STEPS, largest) if in_steps else (_STEPS[0], largest):
        first = _once(read, make(size))
        if first < comparable:
            continue
        problem = _compared(read, make(size), make(size // _FACTOR), first, comparable)
        # Twice, so that a pause of the machine decides nothing.
        if problem and (problem := _compared(read, make(size), make(size // _FACTOR), first, comparable)):
            return f"size {size} takes {problem} of {size // _FACTOR}"
    return ""


def _compared(read: Callable[[Input], object], long: Input, short: Input, first: float, comparable: float) -> str:
    """How the best time for ``long`` exceeds that for ``short``; it is at most ``first``, a time for ``long``."""
    shorter = _best(read, short)
    if first < _WORST_RATIO * shorter:
        return ""
    longer = _best(read, long)
    if longer < comparable or longer < _WORST_RATIO * shorter:
        return ""
    return f"{longer:.3f} s, {longer / max(shorter, 1e-6):.0f} times the time"


def _once(read: Callable[[Input], object], given: Input) -> float:
    start = time.process_time()
    read(given)
    return time.process_time() - start


def _best(read: Callable[[Input], object], given: Input) -> float:
    return min(_once(read, given) for _ in range(_RUNS))
