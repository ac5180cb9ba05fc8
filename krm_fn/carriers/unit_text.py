r"""The text of a systemd unit or drop-in: what systemd reads in ``[Service]``, and how to change the proxy there.

A line that assigns no proxy variable stays byte for byte, and so does an assignment whose value is
right already, however it is written. A text with a section header that systemd rejects is left alone:
systemd reads nothing behind it, and only its author knows what should be read.

Sources: systemd's ``src/shared/conf-parser.c`` (``\`` at the end continues a line, comment lines within
are skipped) and ``config_parse_environ`` in ``src/core/load-fragment.c`` (an empty ``Environment=`` forgets
what came before, and the last assignment of a name wins).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from krm_fn.formats import CACHED_TEXTS, escaping
from krm_fn.formats.splice import Edit, Span, cuts, splice
from krm_fn.light_typing import NamedTuple
from krm_fn.settings import PROXY_VARIABLES

_SECTION = "Service"
_EOL = r"\r\n|\n|\r"
_PHYSICAL_LINE = re.compile(r"(?:\A|(?<=[\r\n]))([^\r\n]*)(\r\n|\n|\r)")
_NAME = r"""["']?([A-Za-z_][A-Za-z0-9_]*)["']?="""

_UNSET = "`UnsetEnvironment=` takes the variable out again"
_REJECTED = "systemd rejects a section header above the assignment, and everything behind it"
REJECTED_HEADER = (
    "systemd rejects a section header in this text and reads nothing behind it, so the text is left as "
    "it is; write each header alone on its line, in square brackets"
)
"""What to tell about a text that ``has_rejected_header``."""

_EMPTY_SECTION_AT_THE_END = r"(?<=\n)\r?\n\[Service\][ \t]*(\r?\n)+\Z"
_NOTHING_OF_USE = r"(\s|\[Service\])*"


class UnitLine(NamedTuple):
    """One line as systemd puts it together: ``joined[i]`` is at ``offsets[i]`` of the text, its end at ``end``.

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
        """Return the assignments of an ``Environment=`` line in [Service], with their places in the text."""
        key, equals, value = self.joined.partition("=")
        if self.section != _SECTION or not equals or key.strip() != "Environment":
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
        """Return whether this is an ``Environment=`` without a value."""
        return self.value_of("Environment") == ""

    def value_of(self, wanted: str) -> str | None:
        """Return the value of the key ``wanted`` in [Service], as systemd joins it.

        None for any other line.
        """
        key, equals, value = self.joined.partition("=")
        is_it = (
            self.section == _SECTION and not self.is_lost and key.strip() == wanted and bool(equals)
        )
        return value.strip() if is_it else None


def unset_by(text: str, variables: Mapping[str, str | None]) -> set[str]:
    """Return those of ``variables`` (name -> value) that ``UnsetEnvironment=`` removes, wherever they are set.

    Source: systemd.exec(5): ``NAME`` takes any value out, ``NAME=value`` that one only.
    """
    unset: set[str] = set()
    for line in _lines_with("UnsetEnvironment", text):
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
    """Return the files of ``EnvironmentFile=``, whose variables always override those of ``Environment=``."""
    found: list[str] = []
    for line in _lines_with("EnvironmentFile", text):
        value = line.value_of("EnvironmentFile")
        if value == "":
            found.clear()
        elif value is not None:
            found.append(value.removeprefix("-"))
    return found


def has_rejected_header(text: str) -> bool:
    """Return whether systemd rejects a section header of the text, and reads nothing behind it.

    Source: ``parse_line`` in systemd's ``src/shared/conf-parser.c``: "Invalid section header".
    """
    return any(line.is_lost for line in lines_of(with_final_eol(text)))


def _lines_with(key: str, text: str) -> Sequence[UnitLine]:
    """Return the lines of a text in which a key is; none of a text without it, as nearly all are.

    Where systemd joins two lines there is a blank, so no key begins on one line and ends on the next.
    """
    return lines_of(with_final_eol(text)) if key in text else ()


@lru_cache(maxsize=CACHED_TEXTS)
def lines_of(text: str) -> tuple[UnitLine, ...]:
    """Return the lines of a text as systemd joins them, without the comments between their parts."""
    return tuple(_joined_lines(text))


def _joined_lines(text: str) -> Iterator[UnitLine]:
    section, parts, comments, start = "", list[str](), list[Span](), 0
    offsets: Sequence[int] = ()
    is_lost = False
    for physical in _PHYSICAL_LINE.finditer(text):
        body = physical[1]
        is_comment = _is_comment(body)
        if is_comment and parts:
            comments.append(physical.span())
            continue
        here = range(physical.start(), physical.end(1))  # takes no memory for each character
        if not offsets:
            offsets = here
        elif isinstance(offsets, list):
            offsets += here  # in place: a line may have hundreds of thousands of parts
        else:
            offsets = [*offsets, *here]
        if not is_comment and _is_continued(body):
            parts.append(body[:-1] + " ")
            continue
        joined = "".join([*parts, body])
        header = joined.strip()
        is_lost = is_lost or (header.startswith("[") and not header.endswith("]"))
        section = header[1:].partition("]")[0] if header.startswith("[") else section
        yield UnitLine(start, physical.end(), joined, offsets, section, tuple(comments), is_lost)
        parts, offsets, comments, start = [], (), [], physical.end()
    if parts:
        yield UnitLine(start, len(text), "".join(parts), offsets, section, tuple(comments), is_lost)


def _is_comment(line: str) -> bool:
    return line.lstrip(" \t")[:1] in ("#", ";")


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def eol_of(text: str) -> str:
    """Return the line break of the text; that of Unix if it has none."""
    found = re.search(_EOL, text)
    return found[0] if found else "\n"


def with_final_eol(text: str) -> str:
    r"""Return the text with a final line break, unless it is empty.

    With two where ``\`` continues the last line.

    What is put behind it would become a part of that line otherwise.
    """
    whole = text if not text or text.endswith(("\n", "\r")) else text + eol_of(text)
    if "\\" not in whole:
        return whole
    last = ""
    for line in _PHYSICAL_LINE.finditer(whole):
        if not _is_comment(line[1]):
            last = line[1]
    return whole + eol_of(whole) if _is_continued(last) else whole


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


@lru_cache(maxsize=CACHED_TEXTS)
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


def fresh(variables: Mapping[str, str]) -> str:
    """Return a drop-in that sets ``variables`` (name -> value) and nothing else.

    Raises:
        ValueError: a value holds what a unit file cannot carry.
    """
    return _fresh(tuple(variables.items()))


@lru_cache(maxsize=CACHED_TEXTS)
def _fresh(variables: tuple[tuple[str, str], ...]) -> str:
    lines = [f"Environment={_word(name, value)}\n" for name, value in variables]
    return "[Service]\n" + "".join(lines)


def edit(text: str, variables: Mapping[str, str]) -> str:
    """Return ``text`` edited so that it sets exactly ``variables`` (of the six).

    "" if nothing useful remains; the same text if it ``has_rejected_header``.

    Raises:
        ValueError: a value holds what a unit file cannot carry.
    """
    if not text.strip():
        return fresh(variables) if variables else text
    if variables and text == fresh(variables):  # as an earlier run left it
        return text
    if has_rejected_header(text):
        return text
    whole = with_final_eol(text)
    edited = _edited(whole, variables)
    if edited == whole:
        return text
    if not variables:
        if edited.count("[Service]") == 1:
            edited = re.sub(_EMPTY_SECTION_AT_THE_END, "", edited)
        if re.fullmatch(_NOTHING_OF_USE, edited):
            return ""
    return edited if whole == text else edited.removesuffix(eol_of(text))


def _edited(text: str, variables: Mapping[str, str]) -> str:
    live, dead = assignments(text)
    edits: list[Edit] = []
    kept: dict[str, Assignment] = {}
    gone = [*dead]
    for name, one in live.items():
        if name not in variables:
            gone.append(one)
            continue
        kept[name] = one
        if one.value != variables[name]:
            edits.append((one.word.start, one.word.end, _word(name, variables[name])))
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
    in_section = [
        line.end for line in lines_of(text) if line.section == _SECTION and line.joined.strip()
    ]
    if in_section:
        return in_section[-1], ""
    eol = eol_of(text)
    return len(text), f"{eol}[Service]{eol}"
