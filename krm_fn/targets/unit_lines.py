r"""What systemd reads in the text of a unit file or drop-in, with the place of each word: proxy variables in [Service].

It reads, and changes nothing; what systemd ignores is told apart from what counts.

Reads as systemd does (``src/shared/conf-parser.c``, ``config_parse_environ`` in ``src/core/load-fragment.c``): ``\`` at
the end continues a line, comment lines within are passed over, an empty ``Environment=`` forgets what came before, the
last assignment of a name wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from krm_fn.formats import escaping
from krm_fn.formats.splice import Span
from krm_fn.settings import PROXY_VARIABLES

SECTION = "Service"
_TEXTS = 256
"""So many are remembered: several targets and rules look at each, and the nodes of a cluster have the same."""
_UNSET = "`UnsetEnvironment=` takes the variable out again"
_REJECTED = "systemd rejects a section header above the assignment, and everything behind it"
_EOL = re.compile(r"\r\n|\n|\r")
_PHYSICAL_LINE = re.compile(r"(?:\A|(?<=[\r\n]))([^\r\n]*)(\r\n|\n|\r)")
_NAME = re.compile(r"""["']?([A-Za-z_][A-Za-z0-9_]*)["']?=""")


@dataclass(frozen=True)
class UnitLine:
    """One line as systemd puts it together: ``joined[i]`` stands at ``offsets[i]`` of the text, its end at ``end``.

    ``is_lost`` is True from a section header on that systemd rejects: it reads nothing of the text from there on.
    """

    start: int
    end: int
    joined: str
    offsets: Sequence[int]
    section: str
    comments: tuple[Span, ...]
    is_lost: bool = False

    def words(self) -> list[escaping.QuotedWord]:
        """The assignments of an ``Environment=`` line in [Service], with their places in the text."""
        key, equals, value = self.joined.partition("=")
        if self.section != SECTION or not equals or key.strip() != "Environment":
            return []
        behind_key = len(key) + 1
        return [
            escaping.QuotedWord(
                self.offsets[behind_key + word.start],
                self.offsets[behind_key + word.end - 1] + 1,
                word.value,
            )
            for word in escaping.systemd_words(value)
        ]

    def resets(self) -> bool:
        """True for an ``Environment=`` without a value."""
        return self.value_of("Environment") == ""

    def value_of(self, wanted: str) -> str | None:
        """The value of the key ``wanted`` in [Service], as systemd puts it together; None for any other line."""
        key, equals, value = self.joined.partition("=")
        is_it = (
            self.section == SECTION and not self.is_lost and key.strip() == wanted and bool(equals)
        )
        return value.strip() if is_it else None

    def is_rejected_header(self) -> bool:
        """Whether this is a section header with anything behind its bracket, or without one."""
        return is_rejected_header(self.joined)


@dataclass(frozen=True)
class Assignment:
    """One word of a line that assigns a proxy variable; ``value`` None: not to be known, or refused by systemd."""

    line: UnitLine
    index: int
    word: escaping.QuotedWord
    name: str
    value: str | None


@dataclass(frozen=True)
class UnitSetting:
    """One proxy variable as the text sets it: ``value`` is None where systemd drops it or it depends on the machine.

    ``raw`` is the whole line as systemd puts it together from its continuations; ``why`` says why there is no value.
    """

    name: str
    value: str | None
    raw: str
    why: str = ""


@lru_cache(maxsize=_TEXTS)
def settings_of(text: str) -> tuple[UnitSetting, ...]:
    """What the text sets, one entry for each variable, in the order of the assignments that count."""
    text = with_final_eol(text)
    live, dead = assignments(text)
    lost = {one.name: one for one in dead if one.line.is_lost and one.name not in live}
    unset = unset_by(text, {name: one.value for name, one in live.items()})
    found = [
        UnitSetting(one.name, one.value, one.line.joined.strip(), _why(one))
        for one in live.values()
    ]
    found = [replace(one, value=None, why=_UNSET) if one.name in unset else one for one in found]
    return (
        *found,
        *(UnitSetting(one.name, None, one.line.joined.strip(), _REJECTED) for one in lost.values()),
    )


def unset_by(text: str, variables: Mapping[str, str | None]) -> set[str]:
    """Those of ``variables`` (name -> value) that ``UnsetEnvironment=`` of the text takes out, whatever sets them.

    Source: systemd.exec(5): ``NAME`` takes any value out, ``NAME=value`` that one only.
    """
    unset: set[str] = set()
    for line in lines_of(with_final_eol(text)):
        value = line.value_of("UnsetEnvironment")
        if value == "":
            unset.clear()
        elif value is not None:
            read = (
                escaping.resolve_specifiers(word.value)
                for word in escaping.systemd_words(value)
                if word.value
            )
            unset.update(word for word in read if word)
    return {
        name for name, value in variables.items() if name in unset or f"{name}={value}" in unset
    }


def environment_files(text: str) -> list[str]:
    """The files of ``EnvironmentFile=``, whose variables win over those of ``Environment=``, wherever that stands."""
    found: list[str] = []
    for line in lines_of(with_final_eol(text)):
        value = line.value_of("EnvironmentFile")
        if value == "":
            found.clear()
        elif value is not None:
            found.append(value.removeprefix("-"))
    return found


def rejected_header(text: str) -> UnitLine | None:
    """The first section header of a text that systemd rejects, and with it everything behind.

    Source: ``parse_line`` in systemd's ``src/shared/conf-parser.c``: "Invalid section header".
    """
    return next(
        (line for line in lines_of(with_final_eol(text)) if line.is_rejected_header()), None
    )


def is_rejected_header(line: str) -> bool:
    """Whether a line begins as a section header and does not end as one."""
    words = line.strip()
    return words.startswith("[") and not words.endswith("]")


def read(text: str) -> dict[str, str]:
    """The proxy variables the text sets, as systemd would read them; as written, where that cannot be told."""
    text = with_final_eol(text)
    live, _ = assignments(text)
    return {
        name: text[one.word.start : one.word.end] if one.value is None else one.value
        for name, one in live.items()
    }


def assignments(text: str) -> tuple[dict[str, Assignment], list[Assignment]]:
    """The assignment of each proxy variable that counts, and those that do not (overruled, or never read)."""
    live: dict[str, Assignment] = {}
    dead: list[Assignment] = []
    for line in lines_of(text):
        if line.resets():
            dead += live.values()
            live = {}
        line_is_lost = False
        for index, word in enumerate(line.words()):
            name = _name(text, word)
            if name in PROXY_VARIABLES:
                one = Assignment(line, index, word, name, _value(word))
                if line.is_lost or line_is_lost or (one.value is None and name in live):
                    dead.append(one)
                    continue
                dead += [live.pop(name)] if name in live else []
                live[name] = one
            else:
                line_is_lost = line_is_lost or word.value is None
    return live, dead


def _name(text: str, word: escaping.QuotedWord) -> str:
    """The variable a word assigns; judged by its spelling where systemd would refuse it."""
    if word.value is not None:
        return word.value.partition("=")[0] if "=" in word.value else ""
    found = _NAME.match(text, word.start, word.end)
    return found[1] if found else ""


def _why(one: Assignment) -> str:
    if one.value is not None:
        return ""
    return (
        "systemd cannot read the assignment"
        if one.word.value is None
        else "systemd takes a `%` for a specifier"
    )


def _value(word: escaping.QuotedWord) -> str | None:
    read = None if word.value is None else escaping.resolve_specifiers(word.value)
    return None if read is None else read.partition("=")[2]


def lines_of(text: str) -> Iterator[UnitLine]:
    """The lines of a text as systemd puts them together, comments between their parts set aside."""
    section, parts, offsets, comments, start = "", list[str](), list[int](), list[Span](), 0
    is_lost = False
    for physical in _PHYSICAL_LINE.finditer(text):
        body = physical[1]
        is_comment = _is_comment(body)
        if is_comment and parts:
            comments.append(physical.span())
            continue
        offsets += range(physical.start(), physical.end(1))
        if not is_comment and _is_continued(body):
            parts.append(body[:-1] + " ")
            continue
        joined = "".join([*parts, body])
        header = joined.strip()
        is_lost = is_lost or is_rejected_header(header)
        section = header[1:].partition("]")[0] if header.startswith("[") else section
        yield UnitLine(start, physical.end(), joined, offsets, section, tuple(comments), is_lost)
        parts, offsets, comments, start = [], [], [], physical.end()
    if parts:
        yield UnitLine(start, len(text), "".join(parts), offsets, section, tuple(comments), is_lost)


def _is_comment(line: str) -> bool:
    return line.lstrip(" \t")[:1] in ("#", ";")


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def eol_of(text: str) -> str:
    """The line break that the text uses, that of Unix where it has none."""
    found = _EOL.search(text)
    return found[0] if found else "\n"


def with_final_eol(text: str) -> str:
    r"""The text with a line break at its end, unless it is empty; with one more where ``\`` continues the last line.

    What is put behind it would become a part of that line otherwise.
    """
    whole = text if not text or text.endswith(("\n", "\r")) else text + eol_of(text)
    last = [
        body
        for body in (line[1] for line in _PHYSICAL_LINE.finditer(whole))
        if not _is_comment(body)
    ][-1:]
    return whole + eol_of(whole) if any(map(_is_continued, last)) else whole
