"""The fuzzers (`make fuzz`) judge all that they found before, and find what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from fuzz import driver, program
from fuzz.driver import verdict
from fuzz.parts import CORPUS, PARTS
from krm_fn.krm.results import Result
from krm_fn.pipeline import run as pipeline
from krm_fn.pipeline.outcome import Outcome
from revealed import OLD

FOUND = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.relative_to(CORPUS).as_posix())
def test_what_was_found_once_keeps_every_promise(file: Path) -> None:
    assert verdict(file.parent.name, file.read_bytes()) is None


def _made(name: str, number: int) -> bytes:
    return PARTS[name].make(Random(f"{name} {number}"))  # noqa: S311 -- it must be repeatable


@pytest.mark.parametrize("name", PARTS)
def test_a_number_makes_the_same_case_again(name: str) -> None:
    first, again = (_made(name, 7) for _ in range(2))
    assert first == again
    assert first != _made(name, 8)


RUN = pipeline.run


def _changes_more(data: bytes) -> Outcome:
    outcome = RUN(data)
    return outcome._replace(pieces=[outcome.output.replace(b"kind: Secret", b"kind: Secrets")])


def _shows_a_password(data: bytes) -> Outcome:
    outcome = RUN(data)
    return outcome._replace(results=(*outcome.results, Result("", f"sets {OLD}")))


def _raises(data: bytes) -> Outcome:
    if b"kind: Secret" in data:
        raise IndexError
    return RUN(data)


@pytest.mark.parametrize(
    ("wrong", "promise"),
    [
        pytest.param(_changes_more, "every change is a result", id="a change without a result"),
        pytest.param(_raises, "IndexError at test_fuzz.py, _raises", id="an exception"),
        pytest.param(_shows_a_password, "a password is shown", id="a password"),
    ],
)
def test_what_is_wrong_is_found_and_made_small(
    wrong: Callable[[bytes], Outcome], promise: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(program.pipeline, "run", wrong)
    monkeypatch.setattr(driver, "CORPUS", tmp_path)
    said: list[str] = []
    monkeypatch.setattr(driver, "say", said.append)
    assert driver.main(["--part", "structures", "--seed", "1", "--cases", "100", "--seconds", "1000"]) == 1
    found = {file: verdict("structures", file.read_bytes()) for file in (tmp_path / "structures").iterdir()}
    (least,) = [file for file, broken in found.items() if broken and broken.promise == promise]
    assert len(least.read_bytes()) < 600
    assert any(f"--case {least}" in line or least.name in line for line in said)
    monkeypatch.setattr(program.pipeline, "run", RUN)
    assert verdict("structures", least.read_bytes()) is None
