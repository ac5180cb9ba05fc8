"""Run the fuzzers: ``python -m fuzz [--seconds N] [--seed N] [--part NAME]... [--case FILE]``.

Each find prints one line that reproduces it, and its smallest input is in the corpus. The exit code is 1 then.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import os
import secrets
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from fuzz import lists
from fuzz.parts import CORPUS, PARTS
from fuzz.program import RUNS, Broken
from fuzz.smaller import smaller
from krm_fn.cli import STACK_FRAMES
from revealed import reveals
from support import HOW_TO_GET, search_path

HANGS = 300
"""Seconds after which a case hangs: on a busy machine, one of many runs takes a minute."""


def main(arguments: list[str]) -> int:
    """Run cases until the time is over; return 1 if one broke a promise."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=None, help="begin with this number, and not with a random one")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--case", type=Path, help="judge one file of the corpus, and nothing else")
    parser.add_argument("--cases", type=int, default=0, help="end after so many cases")
    options = parser.parse_args(arguments)
    sys.setrecursionlimit(STACK_FRAMES)
    gc.set_threshold(50_000)  # a seventh of the time: trees of texts go without a collector
    if options.case:
        return _judge_file(options.case)
    seed = secrets.randbelow(10**9) if options.seed is None else options.seed
    names = [name for name in options.part or PARTS if _can_judge(name)]
    return _search(names, seed, options.seconds, options.cases) if names else 0


def _can_judge(name: str) -> bool:
    """Return whether all programs are there with which a part judges; say which one is missing."""
    for tool in PARTS[name].needs:
        if shutil.which(tool, path=search_path()) is None:
            say(f"fuzz: the part {name} does not run: {tool} is missing: {HOW_TO_GET.get(tool, 'put it on PATH')}")
            return False
    return True


def _judge_file(file: Path) -> int:
    broken = verdict(file.resolve().parent.name, file.read_bytes())
    sys.stdout.write(f"{file}: {broken or 'every promise holds'}\n")
    return int(broken is not None)


def _search(names: list[str], seed: int, seconds: float, most: int) -> int:
    """Try cases until the time is over, each part for its share of it.

    Of a number of cases the parts have their shares, so that each machine tries the same ones.
    """
    end = time.monotonic() + seconds
    spent = dict.fromkeys(names, 0.0)
    found: Counter[str] = Counter()
    cases = 0
    say(f"fuzz: {seconds:.0f} seconds of {', '.join(names)}, from seed {seed} on")
    while time.monotonic() < end and (not most or cases < most):
        name = min(names, key=lambda one: spent[one] / PARTS[one].share)
        start = time.monotonic()
        data = PARTS[name].make(Random(f"{name} {seed + cases}"))  # noqa: S311 -- it must be repeatable
        try:
            broken = verdict(name, data)
        except Exception:
            say(f"fuzz: a mistake of the fuzzer: make fuzz FUZZ_ARGS='--part {name} --seed {seed + cases} --cases 1'")
            raise
        if broken:
            key = f"{name}: {broken.promise}"
            found[key] += 1
            if found[key] == 1:
                _keep(name, data, broken, seed + cases)
        spent[name] += 1 if most else time.monotonic() - start
        cases += 1
        lists.forget()
        if cases % 100 == 0:
            reveals.cache_clear()
    say(f"fuzz: {cases} cases; runs: {', '.join(f'{number} {kind}' for kind, number in RUNS.most_common())}")
    for key, number in found.most_common():
        say(f"fuzz: {number} x {key}")
    return int(bool(found))


def verdict(name: str, data: bytes) -> Broken | None:
    """Return the promise that a case breaks; None if there is none."""
    try:
        with _time_limit():
            PARTS[name].judge(data)
    except Broken as broken:
        return broken
    return None


def _keep(name: str, data: bytes, broken: Broken, number: int) -> None:
    """Make a find smaller, put it into the corpus, and say how to see it again."""
    say(f"fuzz: FOUND {name}: {broken}\n  make fuzz FUZZ_ARGS='--part {name} --seed {number} --cases 1'")
    digest = hashlib.sha256(broken.promise.encode()).hexdigest()[:8]
    file = CORPUS / name / f"found-{digest}.yaml"
    if file.exists():
        return  # a search before this one made it smaller, which takes minutes

    def breaks_it_too(other: bytes) -> bool:
        try:
            again = verdict(name, other)
        except Exception:  # noqa: BLE001 -- what is cut anywhere need not be a case any more
            return False
        return again is not None and again.promise == broken.promise

    least = smaller(data, breaks_it_too, PARTS[name].tries)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(least)
    say(f"  make fuzz FUZZ_ARGS='--case {os.path.relpath(file)}' # {len(least)} bytes")


@contextmanager
def _time_limit() -> Iterator[None]:
    def hang(*_: object) -> None:
        raise Broken("a case ends", f"it takes longer than {HANGS} seconds")

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def say(line: str) -> None:
    """Print a line at once: somebody waits for it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
