"""No regular expression of the package takes more than linear time, whatever text a stranger writes.

The patterns are collected from the modules themselves, and how they are used from their source, so that a new one is
judged without being named here.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import krm_fn
from growth import UNITS, excess
from krm_fn.config import json_schema

SOURCES = {
    name: Path(str(importlib.import_module(name).__file__)).read_text()
    for name in (
        "krm_fn",
        *(one.name for one in pkgutil.walk_packages(krm_fn.__path__, "krm_fn.") if not one.name.endswith("__main__")),
    )
}
WITH_PATTERNS = [module for module, text in SOURCES.items() if re.search(r"\bre\.", text)]
"""Only these are parsed: it takes a second for all."""
METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "split")
OPENINGS = ("", '"', "a", "a:\n")
CHARACTERS, SECONDS = 6_000, 0.01
"""A pattern alone does little for a character: what is slower than this on so many is compared with a shorter text."""
OTHER = "\x00"
"""An end that does not fit."""


@dataclass(frozen=True)
class Used:
    """A pattern, and a method by which the package applies it."""

    where: str
    pattern: re.Pattern[str]
    method: str

    def apply(self, text: str) -> object:
        """What the package does with it; of an iterator, all of it."""
        if isinstance(self.pattern.pattern, bytes):
            return getattr(self.pattern, self.method)(text.encode())
        if self.method == "sub":
            return self.pattern.sub("", text)
        found = getattr(self.pattern, self.method)(text)
        return sum(1 for _ in found) if self.method == "finditer" else found

    def words(self) -> list[str]:
        """Words that the pattern itself looks for: a text that holds one leads deeper into it."""
        if isinstance(self.pattern.pattern, bytes):
            return []
        plain = re.sub(r"\\[a-zA-Z]|\(\?P?<?\w*>?|\[[^\]]*\]|\{\d[^}]*\}", " ", self.pattern.pattern)
        found = re.findall(r"[A-Za-z_]{2,}|[-=:/.{(\[]{2,}", plain.replace("\\", ""))
        return list(dict.fromkeys(found))[:6]


def _held(value: object) -> Iterator[re.Pattern[str]]:
    """The patterns of a value: itself, or those inside it."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list, frozenset, set)):
        for one in value:
            yield from _held(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _held(one)


_CALLS = {module: set(re.findall(rf"\b(\w+)\.({'|'.join(METHODS)})\b", text)) for module, text in SOURCES.items()}
"""Module -> (name, method) of everything in it that looks like the call of a method of a pattern."""


def _methods_of(module: str, name: str) -> set[str]:
    users = [module] if name.startswith("_") else SOURCES
    return {method for user in users for called, method in _CALLS[user] if called == name}


def _constants(module: str) -> Iterator[Used]:
    for name, value in vars(importlib.import_module(module)).items():
        if name.startswith("__"):
            continue
        methods = sorted(_methods_of(module, name))
        if not isinstance(value, re.Pattern):  # a table: which method a row is for, only its code knows
            methods = ["fullmatch", "match"]
        for pattern in _held(value):
            yield from (Used(f"{module}.{name}", pattern, method) for method in methods)


def _is_of_re(function: ast.expr, *names: str) -> bool:
    """Whether this is ``re.NAME``, for one of the names."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr in names
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
    )


def _calls(module: str) -> Iterator[tuple[ast.Call, str]]:
    """The calls with a pattern as text, other than those that make a constant, and the method of each.

    ``re.match(PATTERN, text)``, and ``re.compile(PATTERN).match(text, start)``.
    """
    for node in ast.walk(ast.parse(SOURCES[module])):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            owner = node.func.value
            if _is_of_re(node.func, *METHODS):
                yield node, node.func.attr
            elif isinstance(owner, ast.Call) and _is_of_re(owner.func, "compile"):
                yield owner, node.func.attr


def _inline(module: str) -> Iterator[Used]:
    names = vars(importlib.import_module(module))
    for call, method in _calls(module):
        source = ast.unparse(call.args[0])
        try:
            text = eval(source, dict(names))  # noqa: S307 -- our own source: a constant expression
        except NameError:
            continue  # made at run time, and judged where it is a constant or where a whole reader is
        yield Used(f"{module}: re.{method}({source})", re.compile(text), method)


def _of_schema(node: object, where: str = "schema") -> Iterator[Used]:
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key == "pattern" and isinstance(value, str):
            yield Used(where, re.compile(value.replace("$", r"\Z")), "search")
        yield from _of_schema(value, f"{where}.{key}")


def _all() -> list[Used]:
    found = [one for module in SOURCES for one in _constants(module)]
    found += [one for module in WITH_PATTERNS for one in _inline(module)]
    found += _of_schema(json_schema.schema())
    return list({(one.pattern, one.method): one for one in found}.values())


ALL = _all()


def texts(used: Used) -> Iterator[tuple[str, Callable[[int], str]]]:
    """Makers of texts of any size: an opening, a unit many times, an end that does not fit.

    Each unit is behind nothing and behind each word of the pattern; the other openings and the end take turns.
    """
    words = used.words()
    for number, unit in enumerate((*UNITS, *words)):
        for opening in ("", *words, OPENINGS[number % len(OPENINGS)]):
            end = "" if opening in OPENINGS[1:] else OTHER

            def make(size: int, opening: str = opening, unit: str = unit, end: str = end) -> str:
                return opening + unit * (size // len(unit)) + end

            yield f"{opening!r} + {unit!r} * n + {end!r}", make


def test_there_are_patterns_to_judge() -> None:
    assert len(ALL) > 100
    assert all(one.pattern.pattern for one in ALL)


@pytest.mark.parametrize("used", [pytest.param(one, id=f"{one.where} {one.method}"[:90]) for one in ALL])
def test_a_pattern_takes_linear_time(used: Used) -> None:
    for what, make in texts(used):
        problem = excess(used.apply, make, CHARACTERS, comparable=SECONDS)
        assert not problem, f"{used.where}.{used.method} on {what}: {problem}"
