"""The function as a process, as an orchestrator starts it: it answers what it answers in this process, byte for byte.

What only a process has is seen here: its start, its streams and exit code, and sets in any order.
"""

from __future__ import annotations

from random import Random

from fuzz import structures, texts
from fuzz.program import Broken, function, process


def make(random: Random) -> bytes:
    """Return a story with damaged data or a damaged text."""
    return random.choice([structures, texts]).make(random)


def judge(data: bytes) -> None:
    """Run the list as a command and here; raises ``Broken`` where the two differ."""
    done = process(data)
    outcome = function(data)
    if outcome is None:
        if done.stdout or not done.returncode:
            raise Broken("a refused list is no output and an error", f"exit code {done.returncode}")
        return
    if done.returncode != outcome.exit_code:
        raise Broken("a process ends as the function does", f"{done.returncode} and {outcome.exit_code}")
    if done.stdout != outcome.output:
        raise Broken("a process writes what the function does")
