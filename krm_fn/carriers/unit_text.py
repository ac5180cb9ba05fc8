"""Proxy variables in the text of a systemd unit file or drop-in: how to change them, and nothing else.

A line that assigns no proxy variable stays byte for byte, and so does an assignment whose value
is right already, however it is written. ``unit_variables`` decides which lines of a text count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from krm_fn.carriers.unit_variables import Assignment, assignments
from krm_fn.formats import escaping
from krm_fn.formats.splice import Edit, cuts, splice
from krm_fn.formats.unit_lines import (
    SECTION,
    UnitLine,
    eol_of,
    lines_of,
    rejected_header,
    with_final_eol,
)

_EMPTY_SECTION_AT_THE_END = r"(?<=\n)\r?\n\[Service\][ \t]*(\r?\n)+\Z"
_MARK = "# inject-proxy: systemd reads nothing from the next section header on"
_OUR_SECTION_BEFORE_A_REJECTED_ONE = rf"{re.escape(_MARK)}\r?\n\[Service\]\r?\n\Z"
_REPAIRABLE = r"(?s)(?P<indent>[ \t]*)\[Service(?:\][ \t]*(?P<comment>[#;].*)?)?"
_NOTHING_OF_USE = r"(\s|\[Service\])*"


def fresh(variables: Mapping[str, str]) -> str:
    """Return a drop-in that sets ``variables`` (name -> value) and nothing else.

    Raises:
        ValueError: a value holds what a unit file cannot carry.
    """
    return "\n".join(
        [
            "[Service]",
            *(f"Environment={_word(name, value)}" for name, value in variables.items()),
            "",
        ]
    )


def edit(text: str, variables: Mapping[str, str]) -> str:
    """Return ``text`` edited so that it sets exactly ``variables`` (of the six).

    "" if nothing useful remains.

    Raises:
        ValueError: a value holds what a unit file cannot carry.
    """
    if not text.strip():
        return fresh(variables) if variables else text
    whole = with_final_eol(text)
    edited = _edited(_repaired(whole), variables)
    if edited == whole:
        return text
    if not variables:
        edited = _without_our_section(edited)
        if re.fullmatch(_NOTHING_OF_USE, edited):
            return ""
    return edited if whole == text else edited.removesuffix(eol_of(text))


def _repaired(text: str) -> str:
    """Return ``text`` with a section header that systemd accepts, where that activates only proxy variables."""
    header = rejected_header(text)
    found = re.fullmatch(_REPAIRABLE, header.joined.rstrip("\r")) if header else None
    if (
        header is None
        or found is None
        or header.comments
        or text.count("\n", header.start, header.end) > 1
    ):
        return text
    behind = [line for line in lines_of(text) if line.start >= header.end]
    words = [line.words() for line in behind]
    _, dead = assignments(text)
    number = len([one for one in dead if one.line.is_lost])
    is_harmless = all(
        found_words or not line.joined.strip() or line.joined.lstrip().startswith(("#", ";"))
        for line, found_words in zip(behind, words, strict=True)
    )
    if not number or not is_harmless or number != sum(map(len, words)):
        return text
    eol = eol_of(text)
    comment = f"{found['comment']}{eol}" if found["comment"] else ""
    return f"{text[: header.start]}{comment}{found['indent']}[Service]{eol}{text[header.end :]}"


def _without_our_section(text: str) -> str:
    """Return the text without an empty [Service] section that an earlier run added."""
    if header := rejected_header(text):
        return (
            re.sub(_OUR_SECTION_BEFORE_A_REJECTED_ONE, "", text[: header.start])
            + text[header.start :]
        )
    return re.sub(_EMPTY_SECTION_AT_THE_END, "", text) if text.count("[Service]") == 1 else text


def _edited(text: str, variables: Mapping[str, str]) -> str:
    live, dead = assignments(text)
    kept = {name: live[name] for name in variables if name in live}
    gone = [*dead, *(one for name, one in live.items() if name not in variables)]
    edits: list[Edit] = [
        (one.word.start, one.word.end, _word(name, variables[name]))
        for name, one in kept.items()
        if one.value != variables[name]
    ]
    edits += _removals(gone)
    edits += _rescued_comments(text, [one.line for one in (*live.values(), *dead)], edits)
    return splice(text, [*edits, *_additions(text, variables, kept, live)])


def _word(name: str, value: str) -> str:
    return f'"{name}={escaping.systemd(value)}"'


def _removals(gone: Sequence[Assignment]) -> Iterator[Edit]:
    """Yield the edits that remove assignments from their lines, and lines that assign nothing then."""
    unwanted: dict[int, set[int]] = {}
    for one in gone:
        unwanted.setdefault(one.line.start, set()).add(one.position)
    for line in {one.line.start: one.line for one in gone}.values():
        words = [(word.start, word.end) for word in line.words()]
        whole = len(unwanted[line.start]) == len(words)
        spans = [(line.start, line.end)] if whole else cuts(words, unwanted[line.start])
        yield from ((start, end, "") for start, end in spans)


def _rescued_comments(
    text: str, lines: Sequence[UnitLine], edits: Sequence[Edit]
) -> Iterator[Edit]:
    """Yield edits that move comments inside a continued line in front of it, where another edit would delete them."""
    for line in {line.start: line for line in lines}.values():
        for start, end in line.comments:
            if any(edit_start <= start and end <= edit_end for edit_start, edit_end, _ in edits):
                yield line.start, line.start, text[start:end]


def _additions(
    text: str,
    variables: Mapping[str, str],
    kept: Mapping[str, Assignment],
    live: Mapping[str, Assignment],
) -> Iterator[Edit]:
    """Yield what is missing, each variable behind the one that precedes it in our order.

    So the result does not depend on the order of the runs.
    """
    eol = eol_of(text)
    place, header = _first_place(text, kept, live)
    for name, value in variables.items():
        if name in kept:
            place, header = kept[name].line.end, ""
        else:
            yield place, place, f"{header}Environment={_word(name, value)}{eol}"
            header = ""


def _first_place(
    text: str, kept: Mapping[str, Assignment], live: Mapping[str, Assignment]
) -> tuple[int, str]:
    """Return the place for an assignment that none of our own precedes, and the section header that it needs."""
    if kept:
        return next(iter(kept.values())).line.start, ""
    if live:
        return max(one.line.end for one in live.values()), ""
    lines = [line for line in lines_of(text) if not line.is_lost]
    in_section = [line.end for line in lines if line.section == SECTION and line.joined.strip()]
    if in_section:
        return in_section[-1], ""
    eol = eol_of(text)
    if header := rejected_header(text):
        return header.start, f"{_MARK}{eol}[Service]{eol}"
    return len(text), f"{eol}[Service]{eol}"
