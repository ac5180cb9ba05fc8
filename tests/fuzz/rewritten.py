"""The same objects, written in another way: a run decides the same, whatever is beside them.

The list is permuted, its items are wrapped in a ``kind: List``, it is JSON, flow or block style, it has comments, and
items beside it that concern nobody.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import yaml

from fuzz.program import Broken, function
from fuzz.stored import any_data, read
from fuzz.structures import damage
from krm_fn.errors import InjectProxyError
from krm_fn.krm.results import Result
from krm_fn.pipeline.outcome import Outcome
from krm_fn.yamledit import read as read_by_program

Rewriting = Callable[[dict[str, Any], Random], bytes]

UNRELATED = [
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "unrelated", "namespace": "elsewhere"}, "spec": {}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "unrelated"}, "data": {"a": "b"}},
]


def make(random: Random) -> bytes:
    """Return a story, half of the time with a damage."""
    data = any_data(random)
    if random.random() < 0.5:
        damage(data.get("items"), data, random)
    return _block(data, random)


def judge(data: bytes) -> None:
    """Run a list as it is and written in other ways; raises ``Broken`` where a run decides otherwise."""
    try:
        value = read(data)
    except yaml.YAMLError:
        return
    outcome = function(data) if _is_read_alike(data) else None
    if outcome is None or outcome.exit_code or not isinstance(value, dict) or not isinstance(value.get("items"), list):
        return
    if not all(
        isinstance(one, dict) for one in value["items"]
    ):  # an item in block style that concerns nobody is not read
        return
    for name, (rewrite, is_same_order) in REWRITINGS.items():
        other = rewrite(json.loads(json.dumps(value)), Random(name))  # noqa: S311 -- it must be repeatable
        if not _is_read_alike(other):
            continue
        again = function(other)
        if again is None:
            raise Broken(f"a list that is {name} is read")
        decisions = _all_of if is_same_order else _each_kind_of
        _compare(name, outcome, again, decisions)


def _is_read_alike(written: bytes) -> bool:
    """Whether PyYAML can read the text, which it may have written itself, and the program reads its numbers alike."""
    try:
        return bool(read(written) == read_by_program(written.decode()))
    except (yaml.YAMLError, InjectProxyError):
        return False


def _compare(name: str, outcome: Outcome, other: Outcome, decisions: Callable[[Outcome], Counter[Any]]) -> None:
    reports = [decisions(one) for one in (outcome, other)]
    if reports[0] != reports[1]:
        only = [list((reports[a] - reports[b]).elements())[:3] for a, b in ((0, 1), (1, 0))]
        raise Broken(f"a list that is {name} has the same results", f"as it was {only[0]}, now {only[1]}")
    objects = [_objects(one.output) for one in (outcome, other)]
    if objects[0] != objects[1]:
        texts = [list((objects[a] - objects[b]).elements())[:1] for a, b in ((0, 1), (1, 0))]
        raise Broken(f"a list that is {name} becomes the same", f"as it was {texts[0]}, now {texts[1]}"[:2000])


def _all_of(outcome: Outcome) -> Counter[Any]:
    return Counter((one.severity, one.code, _named(one), one.path) for one in outcome.results)


def _each_kind_of(outcome: Outcome) -> Counter[Any]:
    """Which objects change, and what is found at all: what holds for several objects is said of the first one."""
    found = {(one.severity, one.code, () if one.code else _named(one)) for one in outcome.results}
    return Counter(found)


def _named(result: Result) -> tuple[str, ...]:
    return (result.ref.api_version, result.ref.kind, result.ref.namespace, result.ref.name)


def _objects(output: bytes) -> Counter[str]:
    found: list[Any] = []
    for item in read_by_program(output.decode())["items"]:
        is_list = isinstance(item, dict) and item.get("kind") == "List" and "wrapped" in str(item.get("metadata"))
        found += item["items"] if is_list else [item]
    return Counter(json.dumps(one, sort_keys=True) for one in found if one not in UNRELATED)


def _block(data: dict[str, Any], _: Random) -> bytes:
    return yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False, width=100_000).encode()


def _flow(data: dict[str, Any], _: Random) -> bytes:
    return yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=True).encode()


def _json(data: dict[str, Any], _: Random) -> bytes:
    return json.dumps(data).encode()


def _permuted(data: dict[str, Any], random: Random) -> bytes:
    random.shuffle(data["items"])
    return _block(data, random)


def _with_keys_in_another_order(data: dict[str, Any], random: Random) -> bytes:
    return _block(_reversed(data), random)


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(one) for one in value] if isinstance(value, list) else value


def _wrapped(data: dict[str, Any], random: Random) -> bytes:
    head = {"apiVersion": "v1", "kind": "List", "metadata": {"name": "wrapped"}}
    data["items"] = [{**head, "items": data["items"]}]
    return _block(data, random)


def _with_comments(data: dict[str, Any], random: Random) -> bytes:
    lines = []
    for line in _block(data, random).decode().splitlines():
        if re.match(r"(- )?[\w.]+:", line):  # of the list itself and the first lines of items: no text has these
            lines.append("# a comment: - [")
        lines.append(line)
    return "\n".join([*lines, ""]).encode()


def _with_unrelated_items(data: dict[str, Any], random: Random) -> bytes:
    for one in UNRELATED:
        data["items"].insert(random.randrange(len(data["items"]) + 1), one)
    return _block(data, random)


REWRITINGS: dict[str, tuple[Rewriting, bool]] = {
    "in block style": (_block, True),
    "in flow style": (_flow, True),
    "JSON": (_json, True),
    "permuted": (_permuted, False),
    "written with its keys in another order": (_with_keys_in_another_order, False),
    "wrapped in a List": (_wrapped, False),
    "commented": (_with_comments, True),
    "between unrelated items": (_with_unrelated_items, True),
}
"""What is done -> how, and whether it leaves all in its order and place: then each result is the same."""
