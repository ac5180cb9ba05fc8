"""The lists ``environment`` of the ``[[runners]]`` tables in a text that is TOML: ``config.toml`` of GitLab's runners.

Only these lists are edited, entry by entry; every other character of the text stays. Sources: TOML 1.0; ``environment``
of ``[[runners]]`` in GitLab Runner's documentation: a list of texts ``NAME=value``, which each job gets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

from krm_fn.light_typing import NamedTuple

_TABLE = "[[runners]]"
_INLINE = "runners"
_KEY = "environment"
_STRING = r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
_NAME = r'(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_HEADER = re.compile(rf"\[\[?[ \t]*{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*[ \t]*\]\]?")
_MEMBER = re.compile(rf"({_NAME}(?:[ \t]*\.[ \t]*{_NAME})*)[ \t]*=[ \t]*")
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})|(?P<open>[\[{{])|(?P<close>[\]}}])|#[^\n]*|[^\[\]{{}}\"'#\n]+",
    re.DOTALL,
)
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
_BEHIND_ENTRY = re.compile(r"([ \t]*,)?([ \t]*#[^\n]*)?")
_ONE_LINE_STRING = re.compile(r'"(?!"")(?:[^"\\\n]|\\.)*"|\'(?!\'\')[^\'\n]*\'')


class TomlText(NamedTuple):
    """One text of a list, with what belongs to it.

    Attributes:
        lead: what is between it and the one in front of it: blanks, line breaks, comments on lines of their own.
        source: the text as it is written, with its quotes.
        text: what it says.
        comma: blanks and the comma behind it; "" where there is none.
        behind: a comment at the end of its line.
    """

    lead: str
    source: str
    text: str
    comma: str
    behind: str


class RunnerTable(NamedTuple):
    """One table ``[[runners]]``.

    Attributes:
        begin: where a new member can be written: behind the line of the header.
        indentation: that of its members.
        line: where the member ``environment`` begins and ends, its line break included; None if there is none.
        brackets: where its list begins and ends.
        entries: the texts in it.
        rest: what is behind the last of them, in front of the bracket that closes the list.
    """

    begin: int
    indentation: str
    line: tuple[int, int] | None = None
    brackets: tuple[int, int] = (0, 0)
    entries: tuple[TomlText, ...] = ()
    rest: str = ""


def runner_tables(text: str) -> list[RunnerTable] | None:
    """Return the tables ``[[runners]]`` of a text in their order; None where the text is not understood.

    A template among the members (``{{- if ... }}``) is not understood; one inside of a text is.
    """
    tables: list[RunnerTable] = []
    is_inside = False
    at = _skipped(text, 0)
    while at < len(text):
        header = _HEADER.match(text, at)
        if header:
            at = header.end()
            is_inside = re.sub(r"[ \t\"']", "", header[0]) == _TABLE
            line = _REST_OF_LINE.match(text, at)
            if line is None:
                return None
            if is_inside:
                tables.append(
                    RunnerTable(line.end(), _indentation(text, header.start(), line.end()))
                )
        else:
            member = _MEMBER.match(text, at)
            end = _end_of_value(text, member.end()) if member else None
            if member is None or end is None:
                return None
            if not tables and member[1].strip("\"'") == _INLINE:
                return None
            if is_inside and member[1].strip("\"'") == _KEY:
                found = _with_list(tables[-1], text, member)
                if found is None or tables[-1].line is not None:
                    return None
                tables[-1] = found
            at = end
        at = _skipped(text, at)
    return tables


def with_entries(
    text: str,
    tables: Sequence[RunnerTable],
    wanted: Sequence[Sequence[str]],
    *,
    kept: Collection[int] = (),
) -> str:
    """Return the text with other entries in the lists of its tables.

    Args:
        text: what was read.
        tables: what ``runner_tables`` returned for it.
        wanted: for each table the texts of its list in their order; a list of none goes, with its member.
        kept: the positions of tables whose list stays, even if there is nothing in it.
    """
    for index in reversed(range(len(tables))):
        table, texts = tables[index], wanted[index]
        if [entry.text for entry in table.entries] != list(texts):
            start, end, new = _edit(text, table, texts, is_kept=index in kept)
            text = text[:start] + new + text[end:]
    return text


def _skipped(text: str, at: int) -> int:
    """Return where the next header or member begins, behind blanks and comments."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _indentation(text: str, header: int, begin: int) -> str:
    """Return the indentation of the first member behind a header; without one, two blanks more than the header."""
    at = _skipped(text, begin)
    line = text[text.rfind("\n", 0, at) + 1 : at]
    if at < len(text) and not line.strip() and _MEMBER.match(text, at):
        return line
    own = text[text.rfind("\n", 0, header) + 1 : header]
    return f"{own}  " if not own.strip() else "  "


def _end_of_value(text: str, at: int) -> int | None:
    """Return where the value that begins here ends; None where it does not."""
    depth = 0
    while at < len(text):
        if text[at] == "\n":
            if depth == 0:
                return at
            at += 1
            continue
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        depth += int(token["open"] is not None) - int(token["close"] is not None)
        if depth < 0:
            return None
        at = token.end()
    return at if depth == 0 else None


def _with_list(table: RunnerTable, text: str, member: re.Match[str]) -> RunnerTable | None:
    """Return a table with the list that a member holds; None where it holds anything but texts of one line."""
    start = member.end()
    if not text.startswith("[", start):
        return None
    entries: list[TomlText] = []
    done = start + 1
    at = _skipped(text, done)
    while not text.startswith("]", at):
        found = _ONE_LINE_STRING.match(text, at)
        value = _value(found[0]) if found else None
        if found is None or value is None or (entries and not entries[-1].comma):
            return None
        behind = _BEHIND_ENTRY.match(text, found.end())
        comma, comment = (behind[1] or "", behind[2] or "") if behind else ("", "")
        entries.append(TomlText(text[done:at], found[0], value, comma, comment))
        done = found.end() + len(comma) + len(comment)
        at = _skipped(text, done)
    rest_of_list = text[done:at]
    line = (text.rfind("\n", 0, member.start()) + 1, at + 1)
    rest = _REST_OF_LINE.match(text, at + 1)
    if rest is None or text[line[0] : member.start()].strip():
        return None
    if "#" not in rest[0]:
        line = (line[0], rest.end())
    return table._replace(
        line=line, brackets=(start, at + 1), entries=tuple(entries), rest=rest_of_list
    )


def _value(string: str) -> str | None:
    """Return what a TOML text of one line says; None where its escapes are not those of JSON."""
    if string.startswith("'"):
        return string[1:-1]
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        return None


def _edit(
    text: str, table: RunnerTable, wanted: Sequence[str], *, is_kept: bool
) -> tuple[int, int, str]:
    """Return which part of the text gives way, and to what."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if table.line is None:
        entries = ", ".join(map(_quoted, wanted))
        line = f"{table.indentation}{_KEY} = [{entries}]"
        if text[: table.begin].endswith("\n"):
            return table.begin, table.begin, line + newline
        return table.begin, table.begin, newline + line
    if not wanted and not is_kept:
        return _removal(text, table, table.line)
    return (*table.brackets, _list(text, table, wanted, newline))


def _removal(text: str, table: RunnerTable, line: tuple[int, int]) -> tuple[int, int, str]:
    """Return the edit that removes the member; a comment behind it keeps an empty list."""
    start, end = line
    if end == table.brackets[1] and end < len(text):
        return (*table.brackets, "[]")
    if end == len(text) and not text.endswith("\n"):
        start = len(text[:start].removesuffix("\n").removesuffix("\r"))
    return start, end, ""


def _list(text: str, table: RunnerTable, wanted: Sequence[str], newline: str) -> str:
    """Return a list with other entries; what stays keeps its quotes, and the comments around it."""
    lead = _lead_of_new(text, table, newline)
    made: list[TomlText] = []
    at = 0
    for value in wanted:
        own = _index_of(_name(value), table.entries, at)
        entry = TomlText(lead, _quoted(value), value, ",", "")
        if own is not None:
            entry = table.entries[own]
            at = own + 1
            if own == 0 and made:
                entry = entry._replace(lead=lead)
        if entry.text != value:
            entry = entry._replace(source=_quoted(value))
        made.append(entry)
    first = table.entries[0].lead if table.entries else ""
    ends_with_comma = bool(table.entries) and bool(table.entries[-1].comma)
    parts = []
    for index, entry in enumerate(made):
        has_comma = ends_with_comma or index < len(made) - 1
        comma = (entry.comma or ",") if has_comma else ""
        parts.append((entry.lead if index else first) + entry.source + comma + entry.behind)
    return f"[{''.join(parts)}{table.rest}]"


def _lead_of_new(text: str, table: RunnerTable, newline: str) -> str:
    """Return what is in front of a new entry: a line of its own, where those of the list have one."""
    start, end = table.brackets
    if not table.entries or "\n" not in text[start:end]:
        return " "
    _, separator, indentation = table.entries[0].lead.rpartition("\n")
    if not separator or indentation.strip():
        indentation = f"{table.indentation}  "
    return newline + indentation


def _index_of(name: str, entries: Sequence[TomlText], at: int) -> int | None:
    """Return the first entry of a variable from a position on; None if there is none."""
    for index in range(at, len(entries)):
        if _name(entries[index].text) == name:
            return index
    return None


def _name(entry: str) -> str:
    return entry.partition("=")[0]


def _quoted(value: str) -> str:
    """Return a text as TOML writes it: as JSON does, which escapes more than TOML asks for."""
    return json.dumps(value, ensure_ascii=False)
