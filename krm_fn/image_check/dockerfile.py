"""What a Dockerfile leaves in the image that it makes.

It follows the stages that the last one is built on, and runs nothing. ``ARG`` is not kept: it is
how a build is given a proxy. Stages are the same whose names differ in case alone.

Source: the Dockerfile reference, "Predefined ARGs" and ``ENV``; ``moby/buildkit`` compares names by ``EqualFold``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from krm_fn.image_check import places, shell
from krm_fn.image_check._model import Leak, ScanResult, together

KIND = "Dockerfile"

_NAME = re.compile(
    r"(?:^|/)(?:(?:Docker|Container)file(?:\.[^/]+)?|(?:[^/]+\.)?(?:docker|container)file)$"
)
_FROM = re.compile(r"(?:--\S+\s+)*(\S+)(?:\s+[Aa][Ss]\s+(\S+))?")
_PAIR = re.compile(r"(?<!\w)([A-Za-z_]\w*)=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s\"']*)")
_PROXY = re.compile(places.NAMES)


@dataclass(frozen=True)
class _Step:
    """An instruction, at the line where it begins; ``text`` is what follows its name, lines and all."""

    name: str
    text: str
    line: int


def is_one(file: str) -> bool:
    """Return whether a file is a Dockerfile, by its name."""
    return bool(_NAME.search(file))


def look(text: str, texts: Mapping[str, str]) -> ScanResult:
    """Return what the last image keeps.

    ``texts`` are all files by name, among them those that are copied.
    """
    environment: dict[str, Leak] = {}
    parts: list[ScanResult] = []
    for step in _of_last_image(list(_steps(text))):
        if step.name == "ENV":
            for name, value in _pairs(step.text):
                environment.pop(name, None)
                if value:
                    environment[name] = Leak(
                        step.line, (name,), what=f"sets `{name}` by `ENV`", is_swept=False
                    )
        elif step.name == "RUN":
            parts.append(shell.look(step.text, first=step.line, is_swept=False))
        elif step.name in ("COPY", "ADD"):
            parts.append(_copied(step, texts))
    return together(KIND, [ScanResult(left=tuple(environment.values())), *parts])


def _steps(text: str) -> Iterator[_Step]:
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        start, words = index, lines[index].split(None, 1)
        while index + 1 < len(lines) and (
            lines[index].rstrip().endswith("\\") or _is_comment_within(lines, start, index)
        ):
            index += 1
        word = shell.HEREDOC.search(lines[index])
        if word and words and words[0].upper() in ("RUN", "COPY"):
            index = next(
                (at for at in range(index, len(lines)) if lines[at].strip() == word[1]),
                len(lines) - 1,
            )
        index += 1
        if len(words) == 2 and not words[0].startswith("#"):
            yield _Step(
                words[0].upper(), "\n".join([words[1], *lines[start + 1 : index]]), start + 1
            )


def _is_comment_within(lines: list[str], start: int, index: int) -> bool:
    """Return whether a line is a comment between the lines of one instruction, which does not end it."""
    return index > start and lines[index].lstrip().startswith("#")


def _of_last_image(steps: list[_Step]) -> list[_Step]:
    """Return the instructions of the last stage, behind those of the stages it is built on."""
    stages: list[tuple[str, str, list[_Step]]] = [("", "", [])]
    for step in steps:
        found = _FROM.match(step.text) if step.name == "FROM" else None
        if found:
            stages.append(((found[2] or "").lower(), found[1].lower(), []))
        else:
            stages[-1][2].append(step)
    kept: list[_Step] = []
    wanted = stages[-1][0]
    for number, (name, base, own) in reversed(list(enumerate(stages))):
        if number == len(stages) - 1 or (wanted and name == wanted):
            kept, wanted = [*own, *kept], base
    return kept


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return the proxy variables that an ``ENV`` sets, in either of its forms.

    "" for one that it empties.
    """
    name, _, value = text.strip().partition(" ")
    given = _PAIR.findall(text) if "=" in name else [(name, value)]
    return [(name, value.strip(" \t\r\n\"'")) for name, value in given if _PROXY.fullmatch(name)]


def _copied(step: _Step, texts: Mapping[str, str]) -> ScanResult:
    """Return the result of a file that is copied to a known path, if its text is among ``texts``."""
    words = [word for word in step.text.split() if not word.startswith("--")]
    if len(words) != 2:
        return ScanResult()
    source, dest = words[0].removeprefix("./"), words[1]
    target = dest + PurePosixPath(source).name if dest.endswith("/") else dest
    likely = [name for name in texts if f"/{name}".endswith(f"/{source}")]
    left = places.placed(target, texts[likely[0]], step.line).left if len(likely) == 1 else ()
    return ScanResult(
        left=tuple(replace(one, is_swept=False) for one in left),
        used=frozenset(likely if left else ()),
    )
