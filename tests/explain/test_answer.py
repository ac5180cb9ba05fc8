"""The whole answer of `inject-proxy explain`: one sentence, what is about some Clusters, and no credential."""

from __future__ import annotations

from pathlib import Path

import pytest

from explained import BARE, CONFIG, EAST, MANIFESTS, RELEASE, WEST, answer, explained, workload
from function_configs import DECLARED, URL
from stories import TESTDATA


@pytest.mark.parametrize(
    ("manifests", "sentence"),
    [
        pytest.param(
            MANIFESTS,
            "A run changes 2 of 2 objects that can hold a proxy; merging replaces nodes of 1 cluster; "
            "some nodes of 1 cluster keep what they have.",
            id="some change",
        ),
        pytest.param(
            workload("web") + RELEASE + DECLARED,
            "A run changes none of 2 objects that can hold a proxy; 2 are left: workloads 1, charts 1.",
            id="some are left",
        ),
        pytest.param(
            BARE.replace("NAME", "bare") + workload("web") + DECLARED,
            "A run changes none of 1 objects that can hold a proxy; 1 is left: workloads 1; "
            "nodes of 1 cluster get no proxy.",
            id="nodes get none",
        ),
        pytest.param(
            workload("web").replace("image: x", f"image: x, env: [{{name: HTTP_PROXY, value: '{URL}'}}]")
            + workload("api")
            + DECLARED
            + "  mode: Remove\n  targets: {workloads: {choose: [{names: [web]}]}}\n",
            "A run changes 1 of 2 objects that can hold a proxy; 1 is left: workloads 1.",
            id="a removal",
        ),
        pytest.param(
            WEST + DECLARED + "  mode: Remove\n",
            "A run changes none of 1 objects that can hold a proxy; 1 is left: nodes 1.",
            id="a removal of nothing",
        ),
        pytest.param(DECLARED, "No object could carry a proxy.", id="none"),
    ],
)
def test_the_answer_begins_with_one_sentence(manifests: str, sentence: str) -> None:
    assert explained(manifests).splitlines()[0] == sentence


def test_some_clusters_may_be_asked_for() -> None:
    refused = workload("web").replace("image: x", f"image: x, env: [{{name: HTTP_PROXY, value: '{URL}0'}}]")
    manifests = f"{MANIFESTS}---\n{refused}"
    assert "OtherProxy" in str(answer(manifests)["findings"])
    for name in ("east", "org/east"):
        data = answer(manifests, "--cluster", name)
        assert [cluster["name"] for cluster in data["clusters"]] == ["org/east"]
        assert [proxy["clusters"] for proxy in data["proxies"]] == [["org/east"]]
        assert "west" not in f"{data['findings']}{data['nodes']}"
        assert "Deployment" not in str(data)
    both = answer(manifests, "--cluster", "east", "--cluster", "west")
    assert {**both, "summary": ""} == {**answer(), "summary": "", "covered": []}


def test_a_check_is_explained_as_what_it_would_write() -> None:
    assert answer(WEST + EAST + CONFIG + "  mode: Check\n") == answer()


SYSTEMS = sorted((TESTDATA / "systems").iterdir())
FORMS = ["text", "json", "html"]


@pytest.mark.parametrize(
    ("story", "form"), [pytest.param(story, FORMS[at % 3], id=story.name) for at, story in enumerate(SYSTEMS)]
)
def test_a_whole_system_is_explained(story: Path, form: str) -> None:
    text = explained((story / "input.yaml").read_text(encoding="utf-8"), "--output", form)
    assert "mySuperSecretPassword" not in text
    assert "localhost" in text
