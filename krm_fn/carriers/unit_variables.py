"""The proxy variables that the text of a unit file or drop-in sets in [Service], as systemd reads them.

Source: ``config_parse_environ`` in systemd's ``src/core/load-fragment.c``: an empty ``Environment=`` forgets what came
before, and the last assignment of a name wins.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from krm_fn.formats import escaping
from krm_fn.formats.cache_sizes import TEXTS
from krm_fn.formats.unit_lines import UnitLine, lines_of, unset_by, with_final_eol
from krm_fn.settings import PROXY_VARIABLES

_UNSET = "`UnsetEnvironment=` takes the variable out again"
_REJECTED = "systemd rejects a section header above the assignment, and everything behind it"
_NAME = r"""["']?([A-Za-z_][A-Za-z0-9_]*)["']?="""


class Assignment(NamedTuple):
    """One word of a line that assigns a proxy variable; ``value`` None: not to be known, or refused by systemd."""

    line: UnitLine
    position: int
    word: escaping.QuotedWord
    name: str
    value: str | None


class UnitSetting(NamedTuple):
    """One proxy variable as the text sets it: ``value`` is None where systemd drops it or it depends on the machine.

    ``raw`` is the whole line as systemd puts it together from its continuations; ``why`` says why there is no value.
    """

    name: str
    value: str | None
    raw: str
    why: str = ""


@lru_cache(maxsize=TEXTS)
def settings_of(text: str) -> tuple[UnitSetting, ...]:
    """Return the variables that the text sets, in the order of the assignments that count."""
    text = with_final_eol(text)
    live, dead = assignments(text)
    lost = {one.name: one for one in dead if one.line.is_lost and one.name not in live}
    unset = unset_by(text, {name: one.value for name, one in live.items()})
    found: list[UnitSetting] = []
    for one in live.values():
        line = one.line.joined.strip()
        if one.name in unset:
            found.append(UnitSetting(one.name, None, line, _UNSET))
        else:
            found.append(UnitSetting(one.name, one.value, line, _why(one)))
    found += [
        UnitSetting(one.name, None, one.line.joined.strip(), _REJECTED) for one in lost.values()
    ]
    return tuple(found)


def read(text: str) -> dict[str, str]:
    """Return the proxy variables that the text sets, as systemd reads them, or as written where that is not known."""
    text = with_final_eol(text)
    live, _ = assignments(text)
    return {
        name: text[one.word.start : one.word.end] if one.value is None else one.value
        for name, one in live.items()
    }


def assignments(text: str) -> tuple[dict[str, Assignment], list[Assignment]]:
    """Return the assignment of each proxy variable that counts, and those that do not (overridden, or never read)."""
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
    """Return the variable that a word assigns.

    Judged by its spelling where systemd would refuse the word.
    """
    if word.value is not None:
        return word.value.partition("=")[0] if "=" in word.value else ""
    found = re.compile(_NAME).match(text, word.start, word.end)
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
