"""What the author of a drop-in meant where systemd reads something else: a single ``%``, a blank, an unknown escape.

It takes what is written literally, and gives up where that could be more than one thing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.unit_text import edit, has_rejected_header, lines_of, with_final_eol
from krm_fn.formats import escaping
from krm_fn.formats.escaping import QuotedWord
from krm_fn.formats.splice import Edit, cuts, splice
from krm_fn.settings import PROXY_VARIABLES

_ASSIGNMENT = re.compile(rf"[\"']?({'|'.join(PROXY_VARIABLES)})=")
_ONE_OR_TWO_PERCENTS = re.compile("%%?")
_TEMPLATE = re.compile(r"\{[{%#]")
_SEVERAL_THINGS = re.compile(rf"[\s\"'=]|{_TEMPLATE.pattern}")
# Another assignment, a template of cloud-init, or what its author took for a comment.
_NO_REST = re.compile(rf"=|^#|{_TEMPLATE.pattern}")


def meant(one: Reading) -> Reading:
    """Return a reading of a drop-in with the value that its author meant.

    The reading stays the same where systemd reads that value, or where the intention is not clear.
    """
    text = one.raw.partition("=")[2]
    words = escaping.systemd_words(text)
    at = next((at for at, word in enumerate(words) if _assigned(text, word) == one.variable), None)
    if (
        not one.file
        or at is None
        or _TEMPLATE.search(one.raw)
        or not (one.is_lost or any(_strays(text, words, at)))
    ):
        return one
    value = _literal(text, words[at])
    if value is None:
        return one
    rest = [words[index].value or "" for index in _strays(text, words, at)]
    value = _ONE_OR_TWO_PERCENTS.sub("%", " ".join([value, *rest]))
    return one._replace(value=value, why_unknown="", is_lost=False)


def as_meant(place: Mapping[str, Reading]) -> dict[str, Reading]:
    """Return what one place sets, with the values that systemd loses as their author meant them."""
    return {name: meant(one) for name, one in place.items()}


def corrected(text: str, place: Mapping[str, Reading], values: Values) -> str | None:
    """Return a drop-in with other values; None where nothing changes, or not all of it is known."""
    if not values:
        return None
    known = {name: one.value for name, one in as_meant(place).items()} | dict(values)
    wanted: dict[str, str] = {}
    for name in PROXY_VARIABLES:
        value = known.get(name)
        if value is not None:
            wanted[name] = value
    if len(wanted) < len(known) or has_rejected_header(text):
        return None
    try:
        edited = edit(without_strays(text), wanted)
    except ValueError:  # a value that no unit file can carry
        return None
    return edited if edited != text else None


def without_strays(text: str) -> str:
    """Return ``text`` without the words that systemd ignores behind the assignment of a proxy variable."""
    whole, edits = with_final_eol(text), list[Edit]()
    for line in lines_of(whole):
        words = line.words()
        strays: set[int] = set()
        for at in range(len(words)):
            strays.update(_strays(whole, words, at))
        spans = [(word.start, word.end) for word in words]
        edits += [(*span, "") for span in cuts(spans, strays)]
    edited = splice(whole, edits)
    return edited[: len(edited) - (len(whole) - len(text))]


def _strays(text: str, words: Sequence[QuotedWord], at: int) -> list[int]:
    """Return the indices of the words behind the word ``at`` that are the rest of its value.

    There are some where that word sets a proxy variable without quotes: systemd ignores what follows the blank.
    """
    found: list[int] = []
    if not _assigned(text, words[at]) or text[words[at].start] in "\"'":
        return found
    for index in range(at + 1, len(words)):
        value = words[index].value
        if value is None or _NO_REST.search(value):
            break
        found.append(index)
    return found


def _assigned(text: str, word: QuotedWord) -> str:
    found = _ASSIGNMENT.match(text, word.start, word.end)
    return found[1] if found else ""


def _literal(text: str, word: QuotedWord) -> str | None:
    """Return the value as systemd unescapes it, else as it is written between its quotes."""
    if word.value is not None:
        return word.value.partition("=")[2]
    value = text[word.start : word.end].strip("\"'").partition("=")[2]
    return None if _SEVERAL_THINGS.search(value) else value
