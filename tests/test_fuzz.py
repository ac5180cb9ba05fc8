"""The fuzzers (`make fuzz`) judge all that they found before, and find what is wrong."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import yaml

from fuzz import driver, policies, program
from fuzz.driver import verdict
from fuzz.parts import CORPUS, PARTS
from krm_fn import pipeline
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.pipeline import Outcome
from revealed import OLD
from stories import TESTDATA

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
    return outcome._replace(results=(*outcome.results, Result(Severity.INFO, f"sets {OLD}", ObjectRef())))


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


def test_a_process_that_answers_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    data = (TESTDATA / "nodes/k0s/another-proxy-is-there/input.yaml").read_bytes()
    assert verdict("commands", data) is None
    monkeypatch.setattr(program.pipeline, "run", lambda list_: RUN(list_)._replace(pieces=[b"other"]))
    found = verdict("commands", data)
    assert found
    assert found.promise == "a process writes what the function does"


def test_a_part_whose_judge_is_missing_is_named_and_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(driver, "say", said.append)
    monkeypatch.setattr(driver, "search_path", lambda: "")
    assert driver.main(["--part", "policies", "--seconds", "1"]) == 0
    assert said == [
        "fuzz: the part policies does not run: kyverno is missing: `make judged` builds it where Go is installed"
    ]


POD = "kind: Pod\nmetadata: {name: plain, namespace: default}\nspec:\n  containers:\n  - name: web\n    env:\n"
TABLE = "│ 1 │ p │ r │ default/Pod/plain │ Pass │ │ mutated │\n"


@pytest.mark.parametrize(
    ("patched", "table", "promise"),
    [
        pytest.param(f"    - {{name: HTTP_PROXY, value: '{policies.URL}'}}\n", TABLE, None, id="the declared proxy"),
        pytest.param(
            "    - {name: HTTP_PROXY, value: old}\n", TABLE, "Kyverno sets the declared proxy", id="another proxy"
        ),
        pytest.param("    - {name: A, value: b}\n", TABLE, "Kyverno does the rest as before", id="another variable"),
        pytest.param("", "", "Kyverno takes the policy after a run", id="a policy that the engine refuses"),
    ],
)
def test_a_policy_that_does_something_else_after_a_run_is_found(
    patched: str, table: str, promise: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([("    - {name: HTTP_PROXY, value: 'http://old:1'}\n", TABLE), (patched, table)])

    def engine(argv: list[str]) -> subprocess.CompletedProcess[bytes]:
        env, printed = next(answers)
        Path(argv[argv.index("--output") + 1]).write_text(POD + env)
        return subprocess.CompletedProcess(argv, 0, printed.encode(), b"")

    monkeypatch.setattr(policies, "need", str)
    monkeypatch.setattr(policies, "run", engine)
    policy = yaml.safe_load((policies.FOLDER / "filled/containers-by-anchor/before.yaml").read_text())
    spec = {
        "httpProxy": policies.URL,
        "httpsProxy": policies.URL,
        "noProxy": policies.LIST,
        "noProxyPolicy": {"style": "Verbatim"},
    }
    config = {"apiVersion": "fn.inject-proxy.io/v1alpha1", "kind": "ProxyConfig", "spec": spec}
    found = verdict(
        "policies", yaml.safe_dump({"kind": "ResourceList", "items": [policy], "functionConfig": config}).encode()
    )
    assert (found.promise if found else None) == promise
