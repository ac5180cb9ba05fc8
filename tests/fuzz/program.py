"""The program under test, in this process and as a command, with each run counted and the oracles of every run."""

from __future__ import annotations

import json
import re
import subprocess
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from krm_fn.errors import InjectProxyError, InternalError
from krm_fn.pipeline import run as pipeline
from krm_fn.pipeline.outcome import Outcome
from revealed import reveals
from support import COMMAND, inject_proxy

RUNS: Counter[str] = Counter()
"""How many runs there were: "in process" and "as a command"."""
DOCUMENTED = (0, 1, 2)
"""Exit codes of a run that worked as promised: done, an error in the input, wrong usage; 3 is a bug."""
SECONDS = 60.0
"""A command that takes longer hangs."""


class Broken(BaseException):
    """A promise that does not hold: a short name of it, and what shows that.

    It is no ``Exception``, because a hang raises it anywhere in the program, which catches all of these.
    """

    def __init__(self, promise: str, shown: str = "") -> None:
        super().__init__(f"{promise}: {shown}" if shown else promise)
        self.promise = promise


def function(data: bytes) -> Outcome | None:
    """Run the function over a ResourceList; None where it refuses the list as a whole.

    Raises:
        Broken: it ends with anything else than an outcome or one clear line.
    """
    RUNS["in process"] += 1
    try:
        outcome = pipeline.run(data)
    except InternalError as error:
        raise Broken("exit code 3", str(error)) from error
    except InjectProxyError as error:
        _judge_text(str(error))
        return None
    except RecursionError as error:
        raise Broken("a recursion without an end", _last_place(error)) from error
    except Exception as error:
        raise Broken(f"{type(error).__name__} at {_last_place(error)}", str(error)) from error
    _judge_text(json.dumps([result.to_data() for result in outcome.results]))
    _judge_text("\n".join(result.line() for result in outcome.results))
    return outcome


def command(stdin: bytes, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a command in this process.

    Raises:
        Broken: its exit code is none that is documented, or it shows a password.
    """
    RUNS["in process"] += 1
    return _judged(inject_proxy(stdin, *words, cwd=cwd), words)


def process(stdin: bytes, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a command as a process of its own; raises as ``command`` does, and where it hangs."""
    RUNS["as a command"] += 1
    try:
        done = subprocess.run(
            [str(COMMAND), *words], input=stdin, capture_output=True, cwd=cwd, env={}, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Broken("a hang", " ".join(words)) from error
    return _judged(done, words)


def _judged(done: subprocess.CompletedProcess[bytes], words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in DOCUMENTED:
        place = re.search(r"\w+ in \w+", errors)
        raise Broken(f"exit code {done.returncode} of {place[0] if place else words[:1]}", errors[-600:])
    if "Traceback (most recent call last)" in errors:
        raise Broken("a traceback", errors[-600:])
    _judge_text(errors)
    if words:  # the function writes the manifests themselves
        _judge_text(done.stdout.decode(errors="replace"))
    return done


def _judge_text(text: str) -> None:
    """Look for a password as it is and decoded once: the part `outputs` looks deeper."""
    shown = reveals(text, 1)
    if shown:
        raise Broken("a password is shown", shown[:300])


def _last_place(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}, {frame.name}"
