"""Makes what breaks a promise smaller, as long as it breaks the same one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from fuzz.stored import read
from fuzz.structures import places


def smaller(data: bytes, breaks: Callable[[bytes], bool], tries: int) -> bytes:
    """Return the smallest text found that still breaks the promise, after a limited number of tries."""
    left = tries
    for candidates in (_with_less_data, _with_fewer_lines, _with_fewer_bytes):
        found = True
        while found and left:
            found = False
            for one in candidates(data):
                if not left:
                    break
                left -= 1
                if len(one) < len(data) and breaks(one):
                    data, found = one, True
                    break
    return data


def _with_less_data(data: bytes) -> Iterator[bytes]:
    try:
        value = read(data)
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    if not isinstance(value, (dict, list)):
        return
    yield _plain(value)
    order = sorted(range(len(places(value))), key=lambda index: -_size(places(value)[index]))
    for index in order:
        changed = copy.deepcopy(value)
        parent, key = places(changed)[index]
        del parent[key]
        yield _plain(changed)


def _size(place: tuple[Any, Any]) -> int:
    parent, key = place
    return len(str(parent[key]))


def _plain(value: Any) -> bytes:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100_000).encode()


def _with_fewer_lines(data: bytes) -> Iterator[bytes]:
    lines = data.splitlines(keepends=True)
    size = max(1, len(lines) // 2)
    while size:
        for at in range(0, len(lines), size):
            yield b"".join(lines[:at] + lines[at + size :])
        size //= 2


def _with_fewer_bytes(data: bytes) -> Iterator[bytes]:
    for size in (32, 8, 2, 1):
        for at in range(0, len(data), size):
            yield data[:at] + data[at + size :]
