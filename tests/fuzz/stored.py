"""The ResourceLists of the golden stories: what all fuzzers of lists begin with, the small ones more often."""

from __future__ import annotations

import functools
from random import Random
from typing import Any

import yaml

from stories import TESTDATA


class _Loader(yaml.CSafeLoader):
    """Reads as Kubernetes does: a date is a text."""


_Loader.yaml_implicit_resolvers = {
    letter: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
    for letter, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@functools.cache
def stories() -> list[bytes]:
    """The inputs of all stories whose run does not fail."""
    found = sorted(path for path in TESTDATA.rglob("input.yaml") if not path.with_name("errors.txt").exists())
    return [path.read_bytes() for path in found]


def any_story(random: Random) -> bytes:
    """An input; of three, the smallest one: a run costs what its list is long."""
    return min((random.choice(stories()) for _ in range(3)), key=len)


@functools.cache
def readable_stories() -> list[bytes]:
    """The inputs that PyYAML can read: those without keys that are lists."""
    return [data for data in stories() if _is_readable(data)]


def _is_readable(data: bytes) -> bool:
    try:
        read(data)
    except yaml.YAMLError:
        return False
    return True


def any_data(random: Random) -> Any:
    """The data of an input; of three, the smallest one."""
    return read(min((random.choice(readable_stories()) for _ in range(3)), key=len))


def read(data: bytes) -> Any:
    """The plain data of a text, read by PyYAML and not by this program; raises ``yaml.YAMLError``."""
    return yaml.load(data, Loader=_Loader)  # noqa: S506 -- a safe loader


def written(value: Any, random: Random) -> bytes:
    """A value as YAML or JSON, in one of many layouts."""
    text = yaml.dump(
        value,
        Dumper=random.choice([yaml.CSafeDumper, yaml.SafeDumper]) if random.random() < 0.1 else yaml.CSafeDumper,
        default_flow_style=random.choice([False, False, False, None, True]),
        default_style=random.choice([None] * 6 + ['"', "'", "|"]),
        indent=random.choice([2, 2, 4]),
        allow_unicode=random.random() < 0.5,
        sort_keys=random.random() < 0.1,
        width=random.choice([80, 80, 100_000]),
        line_break=random.choice(["\n"] * 9 + ["\r\n"]),
    )
    return text.encode()
