"""What the tests of whole ResourceLists share: taking one apart, and asking for another proxy.

A list is taken apart as text, so that "the same" means the same bytes.
"""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from edits import add, rewrite
from krm_fn import patch
from krm_fn.krm.resourcelist import Object, objects, reference
from krm_fn.krm.results import ObjectRef
from krm_fn.patch import APPEND, Operation, Pointer
from krm_fn.pipeline.outcome import Outcome
from krm_fn.target_table import system_of
from krm_fn.yamledit import Document, cut, read
from krm_fn.yamledit.tree import Node
from support import ROOT

TESTDATA = ROOT / "testdata"
HOST = "gateway.other.example"
NETWORK = "192.168.77.0/24"
DOMAIN = ".other.example"
"""Of the other proxy; none stands in any input."""

_URL_KEYS = ("httpProxy", "httpsProxy", "HTTP_PROXY", "HTTPS_PROXY")
_LIST_KEYS = ("noProxy", "NO_PROXY")
_SHORT_WORD = 15
_PASSWORD = re.compile(r"://[^:@/\s\"]+:([^\s\"]+)@")


def stories_of(target: str) -> Path:
    """The folder with the stories of a target: below that of its system, as its module is."""
    return TESTDATA / system_of(target) / target.rpartition(".")[2]


def name_of(story: Path) -> str:
    """``workloads/workloads/cert-manager-upstream-manifests``: how a test calls a story."""
    return story.relative_to(TESTDATA).as_posix()


@functools.cache
def items(data: bytes) -> list[str]:
    """The text of each item, with all that stands around it in the list where the layout allows to tell."""
    text = data.decode()
    parts = cut(text, "items")
    if parts:
        return [text[start:end] for start, end in parts.items]
    return [_with_dash(text, node) for node in Document.items(_members(text)["items"]) or ()]


def _with_dash(text: str, node: Node) -> str:
    """The text of an item, from the start of its line where nothing but the indicator stands before it."""
    start = text.rfind("\n", 0, node.start) + 1
    return text[node.start : node.end] if text[start : node.start].strip(" -") else text[start : node.end]


def envelope(data: bytes) -> dict[str, str]:
    """The text of each member of the list, ``items`` and ``results`` left out."""
    text = data.decode()
    parts = cut(text, "items")
    if parts:
        texts = {key: text[start:end] for key, (start, end) in parts.members.items()}
    else:
        texts = {key: text[node.start : node.end] for key, node in _members(text).items()}
    return {key: value for key, value in texts.items() if key not in ("items", "results")}


def meaning(item: str) -> Any:
    """The plain data of the text of one item (of ``items``)."""
    data = Document(item).data(keys_may_repeat=True)
    return data[0] if isinstance(data, list) else data


def pairs(before: bytes, after: bytes) -> list[tuple[str, str]]:
    """The text of each item in both lists, by its identity; "" where a run made it or took it out.

    A hash in its name makes no other object of it.
    """
    old, new = items(before), items(after)
    left: dict[ObjectRef, list[str]] = {}
    for item in new:
        left.setdefault(identity(meaning(item)), []).append(item)
    found = [(item, left.get(identity(meaning(item)), [])) for item in old]
    return [(item, same.pop(0) if same else "") for item, same in found] + [
        ("", item) for rest in left.values() for item in rest
    ]


def objects_of(item: str) -> dict[ObjectRef, Any]:
    """The objects that an item is or holds, by their identity; none if there is no item."""
    return {identity(found.data): found.data for found in objects(meaning(item))} if item else {}


def identity(data: dict[str, Any]) -> ObjectRef:
    """What an object is, its name without a hash."""
    ref = reference(data)
    return ref._replace(name=Object((), data, ref).base_name, file_path="", file_index=0)


@functools.cache
def function_config(data: bytes) -> dict[str, Any]:
    """The plain data of the FunctionConfig."""
    text = data.decode()
    start, end = _around_config(text)
    config: dict[str, Any] = read(text[start:end])["functionConfig"]
    return config


def wishes(data: bytes) -> dict[str, Any]:
    """What the FunctionConfig asks for, in whichever of its two forms: ``spec``, or the ``data`` of a ConfigMap."""
    config = function_config(data)
    return config.get("spec") or config.get("data") or {}


def passwords(data: bytes) -> set[str]:
    """The passwords that stand in the text of the FunctionConfig, also where the list cannot be read."""
    return set(_PASSWORD.findall(data.decode().rpartition("functionConfig")[2]))


def is_config_map(data: bytes) -> bool:
    """True if the FunctionConfig is a ConfigMap, where every value is a text."""
    return bool(function_config(data)["kind"] == "ConfigMap")


def asking(data: bytes, **wanted: Any) -> bytes:
    """The same list with a FunctionConfig that asks for something else as well."""
    root = "spec" if "spec" in function_config(data) else "data"
    operations = [add("functionConfig", root, key, value=value) for key, value in wanted.items()]
    return _edited(data, operations)


@functools.cache
def with_other_proxy(data: bytes) -> bytes:
    """The same list with a FunctionConfig that sets the same variables to another proxy."""
    given = wishes(data)
    urls = [key for key in _URL_KEYS if key in given] or [key for key in _URL_KEYS[:2] if "from" in given]
    other = dict.fromkeys(urls, f"http://{HOST}:8080")
    return asking(data, **other, **{key: f"{NETWORK},{DOMAIN}" for key in _LIST_KEYS if key in given})


@functools.cache
def removing(data: bytes) -> bytes:
    """The same list with a FunctionConfig that asks for removal."""
    return asking(data, mode="Remove")


def _members(text: str) -> dict[str, Node]:
    members = Document(text).members()
    assert members is not None
    return members


def _edited(data: bytes, operations: list[Operation]) -> bytes:
    text = data.decode()
    start, end = _around_config(text)
    return (text[:start] + rewrite(Document(text[start:end]), operations) + text[end:]).encode()


def _around_config(text: str) -> tuple[int, int]:
    """Where the FunctionConfig starts and ends, with its key; or the whole text, where the layout leaves a doubt."""
    parts = cut(text, "items")
    return parts.members["functionConfig"] if parts else (0, len(text))


def filled(data: Any) -> Any:
    """The data without what holds nothing: a run that fills a list, mapping or text may leave it, or take it with it.

    A text that is YAML (base64 or not) counts as what its documents say, as PyYAML and not this program cuts it.
    """
    if isinstance(data, dict):
        members = {key: filled(value) for key, value in data.items()}
        return {key: value for key, value in members.items() if value not in ([], {}, "")}
    if isinstance(data, str) and "\n" in plain_text(data):
        text = plain_text(data)
        try:
            return filled([one for one in yaml.safe_load_all(text) if one is not None])
        except (yaml.YAMLError, ValueError):
            return data
    return [one for one in map(filled, data) if one not in ([], {})] if isinstance(data, list) else data


def plain_text(text: str) -> str:
    """What is written in a text that is one long word in base64; else the text."""
    try:
        return base64.b64decode(text, validate=True).decode() if len(text) > _SHORT_WORD else text
    except ValueError:
        return text


def differences(old: Any, new: Any, path: Pointer = ()) -> Iterator[Pointer]:
    """Where two plain values differ; a list that has grown or shrunk differs as a whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key in old and key in new:
                yield from differences(old[key], new[key], (*path, str(key)))
            else:
                yield (*path, str(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, (*path, str(index)))
    elif type(old) is not type(new) or old != new:
        yield path


def unexplained(before: bytes, outcome: Outcome) -> list[str]:
    """Every difference between the items of ``before`` and those of the outcome that no result tells."""
    found: list[str] = []
    for old, new in ((old, new) for old, new in pairs(before, outcome.output) if old != new):
        both = (objects_of(old), objects_of(new))
        reported = {
            ref: [
                one.path
                for one in outcome.results
                if not one.code and any(_is(reference(data), one.ref) for data in same)
            ]
            for ref, same in ((ref, [each[ref] for each in both if ref in each]) for ref in {**both[0], **both[1]})
        }
        found += [] if any(reported.values()) else [f"an item changed that no result is about:\n{new}"]
        found += [
            f"{ref} came or went without a result" for ref in both[0].keys() ^ both[1].keys() if () not in reported[ref]
        ]
        for ref in both[0].keys() & both[1].keys():
            places = [
                place for place in differences(both[0][ref], both[1][ref]) if not _is_reported(place, reported[ref])
            ]
            found += [f"{ref} {patch.field_path(place)}" for place in places]
    return found


def _is(one: ObjectRef, other: ObjectRef) -> bool:
    return (one.api_version, one.kind, one.namespace, one.name) == (
        other.api_version,
        other.kind,
        other.namespace,
        other.name,
    )


def _is_reported(place: Pointer, reported: list[Pointer]) -> bool:
    tails = [path[:-1] if path[-1:] == (APPEND,) else path for path in reported]
    return any(all(a == b for a, b in zip(place, path, strict=False)) for path in tails)
