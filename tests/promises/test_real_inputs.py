"""ResourceLists as kpt and kustomize really emit them, of the public manifests of some sixty projects.

They are data that stands beside a checkout, in ``../shared/real-inputs``, and no part of it; each ends with its
FunctionConfig, in whose place these tests put their own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from stories import HOST, envelope, filled, items, meaning, unexplained
from support import COMMAND, ROOT, diff_of_folders, need
from support import run as run_tool

FOLDER = ROOT.parent / "shared" / "real-inputs"
LISTS = {path.stem.removeprefix("resourcelist_"): path for path in sorted(FOLDER.glob("resourcelist_*.yaml"))}
if not LISTS:
    pytest.skip("the real inputs are not beside this checkout (../shared/real-inputs)", allow_module_level=True)

MARK = b"\nfunctionConfig:\n"
FOR_KPT = [name for name in LISTS if name not in ("medium", "kustomize_medium", "kustomize_small")]
"""Not those with a thousand files, and not the one in which folders, which kpt makes, decide what Cluster is near."""

CONFIG = """\
  apiVersion: fn.inject-proxy.io/v1alpha1
  kind: ProxyConfig
  metadata:
    name: proxy
  spec:
    httpProxy: http://build:s3cr3t-word@proxy.corp.example:3128
    httpsProxy: http://build:s3cr3t-word@proxy.corp.example:3128
    noProxy: [10.0.0.0/8, .corp.example]
"""
OTHER = CONFIG.replace("build:s3cr3t-word@proxy.corp.example", HOST)
REMOVE = CONFIG + "    mode: Remove\n"
NOTHING = CONFIG + "    selector: {include: [{names: [no-object-has-this-name]}]}\n"


def ask(data: bytes, config: str) -> bytes:
    """The list with another FunctionConfig at its end, and without results."""
    return data[: data.rindex(MARK)] + MARK + config.encode()


@functools.cache
def before(name: str) -> bytes:
    return ask(LISTS[name].read_bytes(), CONFIG)


@functools.cache
def injected(name: str) -> Outcome:
    return run(before(name))


def each(names: Sequence[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", names)


# What must not change comes first.


@each(list(LISTS))
def test_a_selector_that_fits_nothing_passes_the_bytes_on(name: str) -> None:
    data = ask(before(name), NOTHING)
    outcome = run(data)
    assert items(outcome.output) == items(data)
    assert outcome.changed == 0


@each(list(LISTS))
def test_only_what_a_result_tells_of_is_changed(name: str) -> None:
    outcome = injected(name)
    assert outcome.exit_code == 0
    assert unexplained(before(name), outcome) == []
    assert envelope(outcome.output) == envelope(before(name))
    pairs = list(zip(items(before(name)), items(outcome.output), strict=True))
    assert sum(old != new for old, new in pairs) == outcome.changed


@each(list(LISTS))
def test_a_second_run_gives_the_same_bytes(name: str) -> None:
    once = injected(name).output
    assert run(once).output == once


@each(list(LISTS))
def test_removal_gives_the_bytes_back_of_what_held_nothing_of_ours(name: str) -> None:
    old = items(before(name))
    removed = items(run(ask(injected(name).output, REMOVE)).output)
    at_once = items(run(ask(before(name), REMOVE)).output)
    for original, back, without in zip(old, removed, at_once, strict=True):
        assert back == original or filled(meaning(back)) == filled(meaning(without))
    # Empty lists go with what filled them, and what never held a list may keep an empty mapping: few are like that.
    assert sum(original != back for original, back in zip(old, removed, strict=True)) <= 10


@each(list(LISTS))
def test_another_proxy_gives_the_same_items_whether_one_was_there_before_or_not(name: str) -> None:
    assert items(run(ask(injected(name).output, OTHER)).output) == items(run(ask(before(name), OTHER)).output)


@each(list(LISTS))
def test_no_password_is_reported(name: str) -> None:
    outcome = injected(name)
    results = outcome.output[len(outcome.output[: outcome.output.rindex(MARK)] + MARK + CONFIG.encode()) :]
    assert b"s3cr3t-word" not in results
    assert [result.line() for result in outcome.results if "s3cr3t-word" in result.line()] == []


# What real tools make of it.


def sink(data: bytes, folder: Path) -> Path:
    """The files that kpt makes of a list."""
    done = run_tool([need("kpt"), "fn", "sink", folder], data)
    assert done.returncode == 0, done.stderr.decode()
    return folder


def evaluate(folder: Path, *function: str | Path) -> Path:
    done = run_tool([need("kpt"), "fn", "eval", folder, "--truncate-output=false", *function])
    assert done.returncode == 0, done.stderr.decode()
    return folder


@each(FOR_KPT)
def test_kpt_writes_with_our_command_the_files_that_it_makes_of_our_answer(name: str, tmp_path: Path) -> None:
    config = tmp_path / "proxy.yaml"
    config.write_text(re.sub(r"(?m)^  ", "", CONFIG))
    ours = evaluate(sink(before(name), tmp_path / "ours"), "--exec", COMMAND, "--fn-config", config)
    passed_on = evaluate(sink(injected(name).output, tmp_path / "answer"), "--exec", "cat")
    assert diff_of_folders(passed_on, ours).decode() == ""
