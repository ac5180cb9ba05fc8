"""The text of a story with other bytes, breaks, indentation, anchors and encodings: often it is no YAML any more."""

from __future__ import annotations

import codecs
import re
from random import Random

from fuzz.lists import judge as judge  # noqa: PLC0414 -- a part has both
from fuzz.stored import any_story
from fuzz.values import TEXTS

TOKENS = [
    *("&a ", "*a", "&a", "<<: *a\n", "<<: {a: b}", "!!str ", "!!binary ", "!x ", "!<tag:x> ", "? ", ": ", "- ", "-"),
    *("#", " # c"),
    *("---\n", "--- ", "...\n", "%YAML 1.1\n---\n", "%TAG ! x\n", "|", "|2-\n", ">", ">+\n", "'", '"', "''", "{"),
    *("}", "[", "]"),
    *(",", "\t", "  ", "\n\n", "\r", "\r\n", "\x85", "\u2028", "\u2029", "\ufeff", "\x00", "\x7f", "\ud83d", "😀"),
    *("\\", "\\x41"),
    *("~", "null", "=", "items:\n", "kind: List\n", "functionConfig: {}\n", "- {}\n", "results: []\n", "{{ x }}"),
    "${X}",
]
ENCODINGS = ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"]
BREAKS = ["\r\n", "\r", "\x85", "\u2028", "\n\n", "\n\r"]


def make(random: Random) -> bytes:
    """Return a story with up to five changes of its text, and some of its bytes."""
    text = any_story(random).decode()
    for _ in range(random.choice([1, 1, 1, 2, 3, 5])):
        text = random.choice(WAYS)(text, random)
    data = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.05:
        data = text.encode(random.choice(ENCODINGS), "replace")
    if random.random() < 0.1:
        at = random.randrange(len(data) + 1)
        data = data[:at] + bytes([random.randrange(256)]) + data[at + random.randrange(2) :]
    if random.random() < 0.02:
        data = codecs.BOM_UTF8 + data
    return data


def _a_token(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(TOKENS) + text[at + random.choice([0, 0, 1]) :]


def _a_token_at_a_value(text: str, random: Random) -> str:
    found = [match.end() for match in re.finditer(r": |- |:\n *|^ *", text, re.MULTILINE)]
    at = random.choice(found)
    return text[:at] + random.choice(TOKENS) + text[at:]


def _another_value(text: str, random: Random) -> str:
    found = list(re.finditer(r"(?<=: )[^\n#]+|(?<=- )[^\n:#]+", text))
    if not found:
        return text
    match = random.choice(found)
    return text[: match.start()] + random.choice(TEXTS) + text[match.end() :]


def _a_line(text: str, random: Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = random.randrange(len(lines))
    way = random.randrange(7)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(random.randrange(len(lines)), lines[at])
    elif way == 2:
        lines[at] = " " * random.choice([1, 2, 4]) + lines[at]
    elif way == 3:
        lines[at] = lines[at].removeprefix(" " * random.choice([1, 2]))
    elif way == 4:
        lines[at] = f"{lines[at].rstrip()}  # why{lines[at][len(lines[at].rstrip()) :]}"
    elif way == 5:
        lines.insert(at, random.choice(["\n", "# a comment: - [\n", "\t\n", "   \n", "      # deep\n"]))
    else:
        end = min(len(lines), at + random.randrange(1, 8))
        lines[at:end] = [f"  {line}" for line in lines[at:end]]
    return "".join(lines)


def _its_breaks(text: str, random: Random) -> str:
    other = random.choice(BREAKS)
    if random.random() < 0.5:
        return text.replace("\n", other)
    return re.sub("\n", lambda _: other if random.random() < 0.1 else "\n", text)


def _its_end(text: str, random: Random) -> str:
    return random.choice(
        [text.rstrip(), text[: random.randrange(len(text) + 1)], text + "\n\n", text + "---\n", text * 2]
    )


def _an_anchor(text: str, random: Random) -> str:
    """A value gets an anchor, and another one becomes its alias."""
    found = list(re.finditer(r"(?<=: )[^\n&*|>{\[#]+$", text, re.MULTILINE))
    if len(found) < 2:
        return text
    first, second = sorted(random.sample(found, 2), key=re.Match.start)
    return f"{text[: first.start()]}&z {text[first.start() : second.start()]}*z{text[second.end() :]}"


def _part_of_another(text: str, random: Random) -> str:
    other = any_story(random).decode().splitlines(keepends=True)
    start = random.randrange(len(other))
    lines = text.splitlines(keepends=True)
    at = random.randrange(len(lines) + 1)
    return "".join([*lines[:at], *other[start : start + random.randrange(1, 12)], *lines[at:]])


def _a_key_twice(text: str, random: Random) -> str:
    found = list(re.finditer(r"^( *(?:- )?)([\w.-]+:).*\n", text, re.MULTILINE))
    if not found:
        return text
    match = random.choice(found)
    pad = match[1].replace("-", " ")
    return f"{text[: match.end()]}{pad}{match[2]} {random.choice(TOKENS[:8])}\n{text[match.end() :]}"


WAYS = [
    *(_a_token, _a_token_at_a_value, _another_value, _another_value, _a_line, _a_line),
    *(_its_breaks, _its_end, _an_anchor, _part_of_another, _a_key_twice),
]
