"""Each ResourceList of ``testdata`` (of a target, a document, or an error) is a story.

``expected.diff`` is what a run changes in the input, ``results.txt`` what it reports. ``errors.txt`` holds a regular
expression for each error on stderr, where the run has to fail. ``removed.diff`` is what is left of the change after
``mode: Remove``. Of a whole system ``changed.diff`` is what another proxy changes after the first run. Where nothing
is changed or left, there is no file.
"""

from __future__ import annotations

import base64
import difflib
import functools
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml

from all_targets import TARGETS
from krm_fn.krm.results import Result
from krm_fn.pipeline import run as pipeline
from krm_fn.target_table import ROWS
from krm_fn.yamledit import read
from stories import (
    DOMAIN,
    HOST,
    NETWORK,
    TESTDATA,
    asking,
    envelope,
    filled,
    is_config_map,
    items,
    meaning,
    name_of,
    pairs,
    passwords,
    removing,
    stories_of,
    unexplained,
    wishes,
    with_other_proxy,
)
from support import inject_proxy

Golden = Callable[[Path, bytes], None]

OTHERS = [TESTDATA / name for name in ("clusters", "documents", "rollout", "systems", "errors")]
FOLDERS = [*map(stories_of, TARGETS), *OTHERS]
STORIES = sorted(path.parent for folder in FOLDERS for path in folder.rglob("input.yaml"))
FAILING = [story for story in STORIES if (story / "errors.txt").exists()]
WORKING = [story for story in STORIES if story not in FAILING]


@functools.cache
def run(data: bytes) -> pipeline.Outcome:
    """What a run makes of these bytes; most tests begin with the same ones, and it is found once for all of them."""
    return pipeline.run(data)


def input_of(story: Path) -> bytes:
    return (story / "input.yaml").read_bytes()


def change(before: bytes, after: bytes) -> bytes:
    """What differs between the items of two lists, as a unified diff without names; nothing where nothing does."""
    texts = ("".join(items(data)).splitlines() for data in (before, after))
    _, _, *lines = [*difflib.unified_diff(*texts, lineterm="")] or [""] * 2
    return "".join(f"{line}\n" for line in lines).encode()


def report(results: Iterable[Result]) -> bytes:
    """A line for each result, and below it the values that it shows."""
    lines = []
    for result in results:
        lines.append(result.line())
        field = result.to_data().get("field", {})
        for sign, key in (("-", "currentValue"), ("+", "proposedValue")):
            if key in field:
                lines.append(f"  {sign} {json.dumps(field[key], ensure_ascii=False)}")
    return "".join(f"{line}\n" for line in lines).encode()


def injects(story: Path) -> bool:
    return "mode" not in wishes(input_of(story))


def keeps(story: Path) -> bool:
    """True where what stands there counts as the user's, so that nothing is ever taken back."""
    targets = wishes(input_of(story)).get("targets", {})
    return any("conflict" in options and options["conflict"] == "Keep" for options in targets.values() if options)


def sets_a_proxy(story: Path) -> bool:
    """False where only certificates or a mirror are declared: then a proxy that is there is nobody's to take back."""
    return not wishes(input_of(story)).keys().isdisjoint(("httpProxy", "httpsProxy", "overrides", "from"))


def one_of_each_folder(stories: list[Path]) -> list[Path]:
    """Of each target the story with the largest input, and one of those of each other kind."""
    stories = sorted(stories, key=lambda story: (story / "input.yaml").stat().st_size)
    return sorted({story.parent: story for story in stories}.values())


def each(stories: list[Path]) -> pytest.MarkDecorator:
    assert stories, "no story: this test would say nothing"
    return pytest.mark.parametrize("story", [pytest.param(story, id=name_of(story)) for story in stories])


INJECTING = [story for story in WORKING if injects(story)]
UPDATING = [story for story in INJECTING if not keeps(story)]
KEEPING = [story for story in INJECTING if keeps(story)]
CLEAN = [s for s in UPDATING if not (s / "removed.diff").exists() and not is_config_map(input_of(s))]
LEFT_IN_EXPRESSIONS = [s for s in UPDATING if "MutatingPolicy" in input_of(s).decode()]
"""A removal takes nothing out of a CEL expression: the last proxy stays there, with a warning."""
SECRET = [story for story in STORIES if passwords(input_of(story))]


# What must not change comes first.


@each(WORKING)
def test_a_second_run_gives_the_same_bytes(story: Path) -> None:
    once = run(input_of(story)).output
    again = run(once)
    assert again.output.decode() == once.decode()
    assert again.changed == 0


@each(UPDATING)
def test_a_second_removal_gives_the_same_bytes(story: Path) -> None:
    once = run(removing(run(input_of(story)).output)).output
    assert run(once).output.decode() == once.decode()


@each(WORKING)
def test_what_no_result_tells_of_is_left_alone(story: Path) -> None:
    before = input_of(story)
    outcome = run(before)
    assert unexplained(before, outcome) == []
    assert envelope(outcome.output) == envelope(before)
    changed = sum(old != new for old, new in pairs(before, outcome.output))
    assert changed == outcome.changed


@each(FAILING)
def test_a_run_that_fails_leaves_every_item_as_it_was(story: Path) -> None:
    before = input_of(story)
    answer = inject_proxy(before).stdout
    assert not answer or items(answer) == items(before)


@each(WORKING)
def test_an_exclusion_of_everything_passes_the_bytes_on(story: Path) -> None:
    text = '{"exclude": [{"names": ["*"]}]}'
    before = input_of(story)
    excluded = asking(before, selector=text if is_config_map(before) else read(text))
    assert run(excluded).output.decode() == excluded.decode()


@each(KEEPING)
def test_what_is_kept_is_not_replaced_by_another_proxy_and_a_removal_gives_back_the_rest(story: Path) -> None:
    once = run(input_of(story)).output
    assert items(run(with_other_proxy(once)).output) == items(once)
    assert items(run(removing(once)).output) == items(input_of(story))


# What has to come out.


@each(WORKING)
def test_the_answer_is_what_is_stored(story: Path, golden: Golden) -> None:
    outcome = run(input_of(story))
    assert outcome.exit_code == 0
    golden(story / "expected.diff", change(input_of(story), outcome.output))


@each(WORKING)
def test_the_results_are_what_is_stored(story: Path, golden: Golden) -> None:
    stored = story / "results.txt"
    reported = report(run(input_of(story)).results)
    if not yaml.__with_libyaml__ and stored.exists():
        # PyYAML alone says in other words, and sometimes of another place, what is no YAML.
        words = re.compile(b"(?<=not valid YAML: ).*")
        assert words.sub(b"", reported).decode() == words.sub(b"", stored.read_bytes()).decode()
    else:
        golden(stored, reported)


@each(FAILING)
def test_the_errors_are_those_that_are_stored(story: Path) -> None:
    done = inject_proxy(input_of(story))
    wanted = (story / "errors.txt").read_text().splitlines()
    reported = [line for line in done.stderr.decode().splitlines() if line.startswith("[error]")]
    assert done.returncode == 1
    assert [pattern for pattern in wanted if not any(re.search(pattern, line) for line in reported)] == []
    assert [line for line in reported if not any(re.search(pattern, line) for pattern in wanted)] == []


@each(UPDATING)
def test_another_proxy_gives_the_same_items_whether_one_was_there_before_or_not(story: Path) -> None:
    once = run(input_of(story)).output
    assert items(run(with_other_proxy(once)).output) == items(run(with_other_proxy(input_of(story))).output)


@each(one_of_each_folder([story for story in CLEAN if sets_a_proxy(story)]))
def test_variables_that_come_and_go_leave_no_trace(story: Path) -> None:
    before = input_of(story)
    once = run(before).output
    given = {key: wishes(before).get(key) for key in ("httpProxy", "httpsProxy", "noProxy")}  # null: not given
    other = {"httpProxy": "", "httpsProxy": f"http://{HOST}:8080", "noProxy": ""}
    there = run(asking(once, **other)).output
    back = run(asking(there, **given)).output
    fresh = run(asking(before, **other))
    refused = [result for result in fresh.results if result.code in ("ProxyReduced", "CannotWrite")]
    if not refused:  # else what is there stays
        assert items(there) == items(fresh.output)
    assert items(back) == items(once)


@each(UPDATING)
def test_another_proxy_changes_nothing_but_lines_that_hold_a_value(story: Path) -> None:
    once = run(input_of(story)).output
    old, new = ("".join(items(data)).splitlines() for data in (once, run(with_other_proxy(once)).output))
    values = [readable(after) for before, after in zip(old, new, strict=True) if before != after]
    assert [line for line in values if not (holds_a_value(line) or names_a_hash(line))] == []


def holds_a_value(line: str) -> bool:
    """Whether a line has a part of the other proxy; some systems keep its port in a line of its own."""
    return any(new in line for new in (HOST, NETWORK, DOMAIN)) or line.strip().startswith("port: 8080")


def names_a_hash(line: str) -> bool:
    """Whether a line has the name of a template or a Secret that follows from its content, or refers to it."""
    return bool(re.search(r'\b(?:name|secret): "?[\w.-]+-[0-9a-f]{10}\b', line))


def readable(line: str) -> str:
    """The line, or what it holds where that is one long word in base64."""
    word = re.fullmatch(r"\s*-? ?[A-Za-z.]+: ([A-Za-z0-9+/=]{40,})", line)
    return base64.b64decode(word[1]).decode() if word else line


@each(UPDATING)
def test_removal_gives_back_what_was_there_or_what_is_stored(story: Path, golden: Golden) -> None:
    before = input_of(story)
    removed = run(removing(run(before).output)).output
    golden(story / "removed.diff", change(before, removed))


@each([story for story in UPDATING if story not in LEFT_IN_EXPRESSIONS])
def test_removal_leaves_the_same_whether_or_not_a_run_went_before(story: Path) -> None:
    after = run(removing(run(input_of(story)).output)).output
    at_once = run(removing(input_of(story))).output
    assert [filled(meaning(item)) for item in items(after)] == [filled(meaning(item)) for item in items(at_once)]


@each([story for story in UPDATING if story.parent.name in ("systems", "kyverno")])
def test_a_check_finds_nothing_to_do_after_a_run_and_something_before(story: Path) -> None:
    before = input_of(story)
    outcome = run(before)
    assert run(asking(outcome.output, mode="Check")).exit_code == 0
    assert run(asking(before, mode="Check")).exit_code == int(outcome.changed > 0)


@each(SECRET)
def test_no_password_is_reported(story: Path) -> None:
    before = input_of(story)
    done = inject_proxy(before, "--verbose")
    reported = done.stderr.decode() + done.stdout.decode().rpartition("\nresults:\n")[2]
    assert story in FAILING or "***" in reported or "@" not in reported
    assert [password for password in passwords(before) if password in reported] == []


@each([story for story in UPDATING if story.parent.name == "systems"])
def test_a_whole_system_with_another_proxy_is_what_is_stored(story: Path, golden: Golden) -> None:
    once = run(input_of(story)).output
    golden(story / "changed.diff", change(once, run(with_other_proxy(once)).output))


# The stories as a whole.


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_three_stories(target: str) -> None:
    """A target that is a row of a table has the tests of the table besides, and needs one."""
    is_row = len([row for row in ROWS.values() if row.class_path == ROWS[target].class_path]) > 1
    assert len([story for story in STORIES if story.parent == stories_of(target)]) >= (1 if is_row else 3)


def test_every_file_of_a_story_is_one_that_is_read() -> None:
    known = {"input.yaml", "expected.diff", "results.txt", "changed.diff", "removed.diff", "errors.txt"}
    files = [path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if path.name not in known or path.parent not in STORIES] == []
