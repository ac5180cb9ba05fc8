r"""What systemd reads in the text of a unit file or drop-in, line by line, with the place of each word.

It reads, and changes nothing.

Source: systemd's ``src/shared/conf-parser.c``: ``\`` at the end continues a line, and comment lines within are skipped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from krm_fn.formats import escaping
from krm_fn.formats.cache_sizes import TEXTS
from krm_fn.formats.splice import Span

SECTION = "Service"
_EOL = r"\r\n|\n|\r"
_PHYSICAL_LINE = re.compile(r"(?:\A|(?<=[\r\n]))([^\r\n]*)(\r\n|\n|\r)")


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
        """Return whether this is an ``Environment=`` without a value."""
        return self.value_of("Environment") == ""

    def value_of(self, wanted: str) -> str | None:
        """Return the value of the key ``wanted`` in [Service], as systemd joins it.

        None for any other line.
        """
        key, equals, value = self.joined.partition("=")
        is_it = (
            self.section == SECTION and not self.is_lost and key.strip() == wanted and bool(equals)
        )
        return value.strip() if is_it else None

    def is_rejected_header(self) -> bool:
        """Return whether this is a section header with anything behind its bracket, or without one."""
        return is_rejected_header(self.joined)


def unset_by(text: str, variables: Mapping[str, str | None]) -> set[str]:
    """Return those of ``variables`` (name -> value) that ``UnsetEnvironment=`` removes, wherever they are set.

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
    """Return the files of ``EnvironmentFile=``, whose variables always override those of ``Environment=``."""
    found: list[str] = []
    for line in lines_of(with_final_eol(text)):
        value = line.value_of("EnvironmentFile")
        if value == "":
            found.clear()
        elif value is not None:
            found.append(value.removeprefix("-"))
    return found


def rejected_header(text: str) -> UnitLine | None:
    """Return the first section header that systemd rejects; None if there is none.

    systemd ignores all lines behind it.

    Source: ``parse_line`` in systemd's ``src/shared/conf-parser.c``: "Invalid section header".
    """
    return next(
        (line for line in lines_of(with_final_eol(text)) if line.is_rejected_header()), None
    )


def is_rejected_header(line: str) -> bool:
    """Return whether a line begins like a section header and does not end like one."""
    words = line.strip()
    return words.startswith("[") and not words.endswith("]")


@lru_cache(maxsize=TEXTS)
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
        is_lost = is_lost or is_rejected_header(header)
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


@lru_cache(maxsize=TEXTS)
def with_final_eol(text: str) -> str:
    r"""Return the text with a final line break, unless it is empty.

    With two where ``\`` continues the last line.

    What is put behind it would become a part of that line otherwise.
    """
    whole = text if not text or text.endswith(("\n", "\r")) else text + eol_of(text)
    last = ""
    for line in _PHYSICAL_LINE.finditer(whole):
        if not _is_comment(line[1]):
            last = line[1]
    return whole + eol_of(whole) if _is_continued(last) else whole
