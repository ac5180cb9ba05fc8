"""What products make of the objects that a run writes: their answers, as they are recorded.

`make judged ARGS=--write-golden` builds the programs that give them, and records them: the API server
with the definitions of the kinds (fields that it drops, values that it refuses), the webhooks of the Cluster API
providers of Azure and AWS, and nodeadm, which reads user data. Without the programs the function must still
write what was judged.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from all_targets import TARGETS
from judges import recorded
from krm_fn.pipeline import run as pipeline
from krm_fn.products.distributions import ROWS
from stories import TESTDATA, name_of, objects_of, pairs
from support import ROOT

karpenter = TARGETS["nodes.karpenter"]

RECORDED = Path(__file__).parent / "recorded_by_products.json"
TOOLS = ROOT / ".cache" / "bin"
Golden = Callable[[Path, bytes], None]

FOLDERS = ("distributions", "nodes/eks", "nodes/k3s", "nodes/karpenter", "nodes/rke2", "nodes/talos")
STORIES = sorted(path.parent for folder in FOLDERS for path in (TESTDATA / folder).rglob("input.yaml"))


def changes(story: Path) -> dict[str, dict[str, Any]]:
    """Name -> an object that a run changes, what it was ("before"), and what it replaces under its name ("old")."""
    data = (story / "input.yaml").read_bytes()
    found = {}
    for before, after in pairs(data, pipeline.run(data).output):
        old = objects_of(before)
        for ref, obj in objects_of(after).items():
            was = old.get(ref)
            if obj != was:
                # A template with a new name is no change of the old one.
                is_change = was is not None and was["metadata"] == obj["metadata"]
                case = {"object": obj, "before": was, "old": was if is_change else None}
                found[f"{name_of(story)}: {ref.kind} {ref.name}"] = case
    return found


CHANGING = [story for story in STORIES if not (story / "errors.txt").exists()]
CASES = {name: case for story in CHANGING for name, case in changes(story).items()}


def digest(case: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(case, sort_keys=True).encode()).hexdigest()[:16]


def said(tool: str, cases: list[Any], *arguments: str | Path) -> list[Any]:
    done = subprocess.run([TOOLS / tool, *arguments], input=json.dumps(cases).encode(), capture_output=True, check=True)
    return list(json.loads(done.stdout))


def judged() -> dict[str, Any]:
    """Ask the programs about each case, and keep what they say of the change: not of what was there before."""
    before = [{"object": case["before"] or case["object"]} for case in CASES.values()]
    after = [{"object": case["object"]} for case in CASES.values()]
    definitions = TOOLS / "definitions"
    of_servers = zip(
        said("custom-resources", before, definitions), said("custom-resources", after, definitions), strict=True
    )
    of_webhooks = zip(
        said("product-webhooks", before),
        said("product-webhooks", after),
        said("product-webhooks", [*CASES.values()]),
        strict=True,
    )
    found = {}
    for (name, case), (was, now), (was_said, is_said, of_change) in zip(
        CASES.items(), of_servers, of_webhooks, strict=True
    ):
        answer = {}
        if now is not None:
            answer["dropped"] = [field for field in now["dropped"] if field not in was["dropped"]]
            answer["refused"] = [text for text in now["refused"] if text not in was["refused"]]
        if is_said is not None:
            answer["create"] = [field for field in is_said if field not in was_said]
            answer["update"] = of_change if case["old"] else []
        if answer:
            found[name] = {"case": digest(case), **answer}
    names = [name for name, case in CASES.items() if case["object"]["kind"] == "EC2NodeClass"]
    texts = [CASES[name]["object"]["spec"]["userData"] for name in names]
    for name, answer in zip(names, said("node-config", texts), strict=True):
        found[name]["nodeadm"] = answer
    return found


def test_the_products_were_asked_about_what_a_run_writes_now(request: pytest.FixtureRequest, golden: Golden) -> None:
    if request.config.getoption("--write-golden"):
        golden(RECORDED, (json.dumps(judged(), indent=1) + "\n").encode())
    assert {name: one["case"] for name, one in recorded(RECORDED).items()} == {
        name: digest(case) for name, case in CASES.items() if name in recorded(RECORDED)
    }


def test_products_take_what_a_run_writes_and_drop_nothing_of_it() -> None:
    assert recorded(RECORDED), "no product was asked"
    for name, answer in recorded(RECORDED).items():
        assert [answer.get(key, []) for key in ("dropped", "refused", "create")] == [[], [], []], name


def test_what_a_webhook_lets_nobody_change_is_what_the_rows_say() -> None:
    """Such a row waits for `enabled: true`, or is of templates that get a new name.

    Azure takes another template of a control plane, but not what Cluster API then makes of the Clusters that use it.
    """
    refusing = {
        name.partition(": ")[2].partition(" ")[0] for name, answer in recorded(RECORDED).items() if answer.get("update")
    }
    asked = {CASES[name]["object"]["kind"] for name, answer in recorded(RECORDED).items() if "update" in answer}
    assert refusing == {row.kind for row in ROWS if row.kind in asked and row.is_immutable and not row.is_template}


def test_nodeadm_gives_all_services_the_variables_that_a_run_writes_into_user_data() -> None:
    answers = {name: answer["nodeadm"] for name, answer in recorded(RECORDED).items() if "nodeadm" in answer}
    assert answers, "nodeadm was not asked"
    for name, answer in answers.items():
        assert [*answer] == ["environment"], name
        assert [*answer["environment"]] == ["default"], name
        written = {one.variable: one.value for one in karpenter.read(CASES[name]["object"], {})}
        assert written, name
        assert {key: value for key, value in answer["environment"]["default"].items() if key != "OTHER"} == written
