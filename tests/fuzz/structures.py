"""Each scalar and each collection of a story, replaced by hostile ones: the data is wrong, its text is sound YAML."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from fuzz.lists import judge as judge  # noqa: PLC0414 -- a part has both
from fuzz.stored import any_data, written
from fuzz.values import TEXTS, hostile


def make(random: Random) -> bytes:
    """Return a story with up to four damages, mostly in its items."""
    data = any_data(random)
    for _ in range(random.choice([1, 1, 1, 2, 3, 4])):
        damage(data.get("functionConfig" if random.random() < 0.15 else "items"), data, random)
    return written(data, random)


def damage(root: Any, all_of_it: Any, random: Random) -> None:
    """Change one place below a collection."""
    below = list(places(root))
    if not below:
        return
    parent, key = random.choice(below)
    way = random.random()
    if way < 0.5:
        parent[key] = hostile(random)
    elif way < 0.6:
        elsewhere, other = random.choice(list(places(all_of_it)))
        parent[key] = copy.deepcopy(elsewhere[other])
    elif way < 0.7:
        del parent[key]
    elif way < 0.8 and isinstance(parent, list):
        parent.insert(random.randrange(len(parent) + 1), copy.deepcopy(parent[key]))
    elif way < 0.85 and isinstance(parent, list):
        parent.reverse()
    elif way < 0.9 and isinstance(parent, dict):
        parent[random.choice(TEXTS)] = parent.pop(key)
    elif isinstance(parent[key], str):
        parent[key] = _cut_or_joined(parent[key], random)
    else:
        parent[key] = [parent[key]] if random.random() < 0.5 else {"a": parent[key]}


def _cut_or_joined(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return random.choice([text[:at], text[at:], text[:at] + random.choice(TEXTS) + text[at:], text.upper(), text * 2])


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return each collection below a value with each of its keys or indices."""
    found: list[tuple[Any, Any]] = []
    left = [value]
    while left:
        here = left.pop()
        keys = here if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
        for key in keys:
            found.append((here, key))
            left.append(here[key])
    return found
